package passkey

import (
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
)

// SubOrganization is one end user of a workspace, or a group of them, with their passkeys and wallets.
type SubOrganization struct {
	WorkspaceID, ID   string
	UserID            string
	Email, Name       string
	RecoveryPublicKey string
	EmailOnly         bool   // recovery needs the mail only, no code
	Proof             string // JSON of wire.Proof
	CreatedAt         time.Time
}

// Owner identifies the sub-organization in an activity.
func (o SubOrganization) Owner() activity.Owner {
	return activity.Owner{WorkspaceID: o.WorkspaceID, ID: o.ID}
}

// Passkey is a registered credential, as the server knows it.
type Passkey struct {
	WorkspaceID, ID   string
	SubOrganizationID string
	UserID, Email     string
	CredentialID      string // base64url
	PublicKey         string // COSE, base64url
	AAGUID            string
	Transports        []string
	Label             string
	CreatedAt         time.Time
	LastUsedAt        time.Time // zero: never
}

// Errors of a call that leaves open which sub-organization it is for.
var (
	ErrPasskeyFirst = fault.Define(fault.Unprocessable, "passkey_required", "Register a passkey first",
		"The workspace has no sub-organization yet that could own a wallet")
	ErrSubOrganizationNeeded = fault.Define(fault.Invalid, "sub_organization_required",
		"Validation failed: subOrganizationId is required, since the workspace has several: %s",
		"The workspace has several sub-organizations, and the call names none of them; the message and details.choices "+
			"list them")
)
