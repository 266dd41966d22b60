package rest

// Passkey is a registered passkey, as the server keeps it.
type Passkey struct {
	ID                string   `json:"id"`
	CredentialID      string   `json:"credentialId"`
	PublicKey         string   `json:"publicKey" doc:"COSE key, base64url"`
	Label             string   `json:"label"`
	AAGUID            string   `json:"aaguid"`
	Transports        []string `json:"transports"`
	UserID            string   `json:"userId"`
	Email             string   `json:"email"`
	SubOrganizationID string   `json:"subOrganizationId"`
	CreatedAt         string   `json:"createdAt" format:"date-time"`
	LastUsedAt        *string  `json:"lastUsedAt" format:"date-time"` // nil: never
}

// RenamePasskeyRequest is a passkey's new label.
type RenamePasskeyRequest struct {
	Label string `json:"label" minLength:"1" maxLength:"64"`
}

// ChallengeRequest asks for a registration challenge.
type ChallengeRequest struct {
	Email             string `json:"email,omitempty" format:"email" maxLength:"254" doc:"Whose passkey it will be; with subOrganizationId by default that of its first user"`
	SubOrganizationID string `json:"subOrganizationId,omitempty" maxLength:"64" doc:"Of a further passkey: then those that are there are excluded"`
}
