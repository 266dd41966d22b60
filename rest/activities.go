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

// ReturnTo is where the passkey page leads back to once its link has ended. It is part of every request that is
// answered with a ceremonyUrl.
type ReturnTo struct {
	ReturnURL string `json:"returnUrl,omitempty" maxLength:"1000" doc:"Address to which a button of the passkey page leads once the link has ended: https, or http://localhost in the sandbox, on an origin that is registered as a return origin. id, kind, outcome and state are added to its query. Only for a request that is answered with a ceremonyUrl"`
	State     string `json:"state,omitempty" maxLength:"256" doc:"Text of your own, such as the number of an order; the button adds it to returnUrl as the parameter state. People can read and change it: it proves nothing"`
}

// Back gives what was asked for: it is how the server reads it out of any request that has it.
func (r ReturnTo) Back() (returnURL, state string) { return r.ReturnURL, r.State }

// ReturnOriginRequest names an origin that the passkey page may lead back to.
type ReturnOriginRequest struct {
	Origin string `json:"origin" minLength:"1" maxLength:"200" doc:"Scheme, host and port as a browser shows them, without a path: https://app.example.com. In the sandbox also http://localhost:3000"`
}

// ReturnOrigin is an origin that the passkey page may lead back to.
type ReturnOrigin struct {
	ID        string `json:"id" format:"uuid"`
	Origin    string `json:"origin"`
	CreatedBy string `json:"createdBy" doc:"Id of the member who registered it"`
	CreatedAt string `json:"createdAt" format:"date-time"`
}

// RemovedReturnOrigin is an origin that the passkey page leads back to no more.
type RemovedReturnOrigin struct {
	ID      string `json:"id" format:"uuid"`
	Origin  string `json:"origin"`
	Removed bool   `json:"removed"`
}

// CeremonyReturn is where the passkey page leads back to.
type CeremonyReturn struct {
	Origin string `json:"origin,omitempty" doc:"Of url; absent where there is nothing to go back to"`
	URL    string `json:"url,omitempty" doc:"The returnUrl of the link, with id, kind, outcome and state in its query"`
}

// CeremonyDecline says why somebody declines on the passkey page.
type CeremonyDecline struct {
	Reason string `json:"reason,omitempty" maxLength:"500" doc:"In the words of whoever had the link; nobody has verified them"`
}

// CeremonyDeclined is a link whose holder has declined.
type CeremonyDeclined struct {
	ID     string `json:"id" doc:"Of what was declined: the transaction, the approval, or the prepared activity"`
	Kind   string `json:"kind"`
	Status string `json:"status" enum:"declined"`
}

// CeremonyNames are names as the database of the server has them. The signer does not vouch for them.
type CeremonyNames struct {
	WorkspaceName string `json:"workspaceName" doc:"Of the workspace that made the link"`
	WalletName    string `json:"walletName,omitempty" doc:"Of the wallet that it is about"`
}

// CeremonyToken is the secret of a link.
type CeremonyToken struct {
	Token string `json:"token" minLength:"1" maxLength:"100"`
}
