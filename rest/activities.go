package rest

// UnsignedActivity is the body to stamp, byte by byte.
type UnsignedActivity struct {
	URL            string `json:"url" doc:"Where the stamped body is sent"`
	OrganizationID string `json:"organizationId"`
	TimestampMs    string `json:"timestampMs"`
	Body           string `json:"body" doc:"JSON text; its bytes are what the passkey stamps"`
}

// AllowCredential is a passkey that can stamp.
type AllowCredential struct {
	Type       string   `json:"type" enum:"public-key"`
	ID         string   `json:"id"`
	Transports []string `json:"transports"`
}
