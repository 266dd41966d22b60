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
	ReturnTo
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
