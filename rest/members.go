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

// InviteMemberRequest is the body of an invitation.
type InviteMemberRequest struct {
	Email    string `json:"email" minLength:"3" maxLength:"254"`
	Role     string `json:"role" enum:"admin,manager,auditor,viewer"`
	Language string `json:"language,omitempty" enum:"en,es,pt" doc:"Of the mails to the member, who may change it; en by default"`
}

// Invitation is what the API shows of an invitation.
type Invitation struct {
	ID         string `json:"id"`
	Email      string `json:"email"`
	Role       string `json:"role" enum:"admin,manager,auditor,viewer"`
	Language   string `json:"language" enum:"en,es,pt" doc:"Of the mails to the member"`
	Status     string `json:"status" enum:"pending,accepted,replaced,revoked,expired"`
	MailStatus string `json:"mailStatus" enum:"queued,sent,failed"`
	CreatedAt  string `json:"createdAt" format:"date-time"`
	ExpiresAt  string `json:"expiresAt" format:"date-time"`
}

// Notifications is which mails a member gets.
type Notifications struct {
	Language  string `json:"language" enum:"en,es,pt"`
	Requests  bool   `json:"requests" doc:"Requests that wait for the member's vote, or are about to expire"`
	Decisions bool   `json:"decisions" doc:"What became of the member's own requests, and that one is about to expire"`
	Agents    bool   `json:"agents" doc:"Changed limits of agents, for admins and owners of the wallets"`
	Security  bool   `json:"security" doc:"Always true: new passkeys, recoveries and stopped agents are told to those whose money it is. Who takes over an account would switch them off first."`
}

// NotificationsChange has the fields to change.
type NotificationsChange struct {
	Language  *string `json:"language,omitempty" enum:"en,es,pt"`
	Requests  *bool   `json:"requests,omitempty"`
	Decisions *bool   `json:"decisions,omitempty"`
	Agents    *bool   `json:"agents,omitempty"`
	Security  *bool   `json:"security,omitempty" doc:"true, or left out: security notices cannot be switched off"`
}
