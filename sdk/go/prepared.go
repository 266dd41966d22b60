package railkit

// Prepared is a body that waits for its stamp, and what the enclave says of it.
type Prepared struct {
	UnsignedActivity UnsignedActivity    `json:"unsignedActivity"`
	Fingerprint      string              `json:"fingerprint"`
	Challenge        string              `json:"challenge"` // text that the passkey signs
	ExpiresAt        string              `json:"expiresAt"`
	AllowCredentials []AllowedCredential `json:"allowCredentials"`
	Preview          Proof               `json:"preview"`

	// CeremonyURL is the page on which a person sees and stamps this, where the
	// server has one. Whoever has the link can see it: send it to its owner only.
	CeremonyURL string `json:"ceremonyUrl,omitempty"`

	// Shown is the verified preview: what to put before whoever stamps. Nil
	// where proofs are skipped.
	Shown *Preview `json:"-"`
}

// UnsignedActivity is the body to stamp, byte by byte.
type UnsignedActivity struct {
	URL            string `json:"url"`
	OrganizationID string `json:"organizationId"`
	TimestampMs    string `json:"timestampMs"`
	Body           string `json:"body"`
}

// AllowedCredential is a passkey that can stamp.
type AllowedCredential struct {
	Type       string   `json:"type"` // public-key
	ID         string   `json:"id"`
	Transports []string `json:"transports"`
}

// SignedActivity is a stamped body.
type SignedActivity struct {
	URL            string `json:"url,omitempty"`
	OrganizationID string `json:"organizationId,omitempty"`
	TimestampMs    string `json:"timestampMs,omitempty"`
	Body           string `json:"body"`
	Stamp          Stamp  `json:"stamp"`
}

// Signed puts a stamp to the body that was stamped.
func (p Prepared) Signed(s Stamp) SignedActivity {
	u := p.UnsignedActivity
	return SignedActivity{URL: u.URL, OrganizationID: u.OrganizationID, TimestampMs: u.TimestampMs, Body: u.Body, Stamp: s}
}

// credentialIDs are the ids of the passkeys that can stamp.
func (p Prepared) credentialIDs() []string {
	ids := make([]string, len(p.AllowCredentials))
	for i, a := range p.AllowCredentials {
		ids[i] = a.ID
	}
	return ids
}
