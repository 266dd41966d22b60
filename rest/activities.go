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

// PreparedActivity is a body that waits for its stamp: what every prepare answers.
type PreparedActivity struct {
	UnsignedActivity UnsignedActivity  `json:"unsignedActivity"`
	Fingerprint      string            `json:"fingerprint" doc:"sha256: and hex of the body's SHA-256"`
	Challenge        string            `json:"challenge" doc:"WebAuthn challenge text: lower-case hex SHA-256 of the body"`
	ExpiresAt        string            `json:"expiresAt" format:"date-time"`
	AllowCredentials []AllowCredential `json:"allowCredentials"`
	Preview          Proof             `json:"preview" doc:"What the enclave says that the body does; verify it before stamping"`
	CeremonyURL      string            `json:"ceremonyUrl,omitempty" doc:"Page on which the owner sees what it does and stamps it; once, and a secret until then"`
}

// Proof is a statement of the signer under its identity key, in the form of wire.Proof.
type Proof struct {
	Payload   string `json:"payload"`
	Signature string `json:"signature"`
	PublicKey string `json:"publicKey"`
}

// ApprovedTransaction is where the transaction of an approval stands.
type ApprovedTransaction struct {
	TransactionID string      `json:"transactionId"`
	Status        string      `json:"status" enum:"awaiting_approval,pending,broadcast,confirmed,failed,cancelled,expired"`
	TxHash        string      `json:"txHash,omitempty"`
	Network       string      `json:"network"`
	From          string      `json:"from"`
	To            string      `json:"to"`
	Payee         *NamedPayee `json:"payee,omitempty" doc:"Whom to belongs to, in the enclave's words when it was prepared; of a transfer of a token the one who gets it"`
	TokenAddress  string      `json:"tokenAddress,omitempty"`
	Reason        string      `json:"reason,omitempty"`
}

// RejectRequest says why.
type RejectRequest struct {
	Reason string `json:"reason,omitempty" maxLength:"500"`
}
