package wire

import "strings"

// The activities of recovery.
const (
	RecoverUser    ActivityType = "ACTIVITY_TYPE_RECOVER_USER"    // not stamped: see RecoverUserParams
	CancelRecovery ActivityType = "ACTIVITY_TYPE_CANCEL_RECOVERY" // stamped by any passkey of the organization
	UpdateRecovery ActivityType = "ACTIVITY_TYPE_UPDATE_RECOVERY"
)

// MRecovery begins a recovery: RecoveryRequest, RecoveryReply.
const MRecovery = "Recovery"

// RecoveryRequest asks for the half that is mailed.
type RecoveryRequest struct {
	WorkspaceID     string `json:"workspaceId"`
	Email           string `json:"email"`
	TargetPublicKey string `json:"targetPublicKey"` // P-256, compressed SEC1 hex; the initiator's own
}

// RecoveryReply is the mailed half: a secret sealed to the initiator (HPKE as in
// SealedSecret, RecoveryInfo as its info), single use, 15 minutes. An e-mail
// that nobody has, or whose owner cannot be recovered, gets one too, good for
// nothing and without ids: the work is the same. Known is for the host, which
// mails only then; what it answers to its own caller must not depend on it.
type RecoveryReply struct {
	RecoveryID     string `json:"recoveryId"`
	OrganizationID string `json:"organizationId"`
	UserID         string `json:"userId"`
	Email          string `json:"email"`  // as registered: there and nowhere else the mail goes
	Bundle         string `json:"bundle"` // base64url: encapsulated key, then ciphertext of 32 bytes
	ExpiresAtMs    string `json:"expiresAtMs"`
	Known          bool   `json:"known"`
}

// RecoveryInfo binds a bundle to its recovery.
func RecoveryInfo(environment, recoveryID string) []byte {
	return []byte("railkit recovery bundle v1|" + environment + "|" + recoveryID)
}

// RecoverUserParams adds a passkey to a user who has lost his. Its authority: the
// attestation's challenge is the secret of the bundle (base64url), and the
// recovery key, or where a passkey stamped so the mail alone, vouches for the
// passkey. It waits out the delay; a second Submit after that executes it. One
// recovery waits at a time: another is refused, but that one which the recovery
// key vouches for takes the place of one by mail alone.
type RecoverUserParams struct {
	RecoveryID  string      `json:"recoveryId"`
	Attestation Attestation `json:"attestation"`
	// base64url of r||s over SHA-256 of RecoveryMessage
	RecoverySignature   string `json:"recoverySignature,omitempty"`
	RemoveOtherPasskeys bool   `json:"removeOtherPasskeys"` // those of the same user
	// Only with a signature of the recovery key that was.
	NewRecoveryPublicKey string `json:"newRecoveryPublicKey,omitempty"`
}

// RecoveryMessage is what the recovery key signs. Where a member is empty, so is
// its line.
func RecoveryMessage(environment, organizationID, userID string, p RecoverUserParams) string {
	others := "keep"
	if p.RemoveOtherPasskeys {
		others = "remove"
	}
	return strings.Join([]string{
		"railkit recovery v1", environment, p.RecoveryID, organizationID, userID, p.Attestation.CredentialID,
		Digest(p.Attestation.AttestationObject), others, p.NewRecoveryPublicKey,
	}, "\n")
}

// CancelRecoveryParams stops a recovery that waits.
type CancelRecoveryParams struct {
	RecoveryID string `json:"recoveryId"`
}

// UpdateRecoveryParams says how the organization is recovered from now on.
type UpdateRecoveryParams struct {
	RecoveryPublicKey string `json:"recoveryPublicKey"` // empty: no recovery key
	// Whoever reads the mail, the operator too, can take the wallets after the delay.
	EmailOnlyRecovery bool `json:"emailOnlyRecovery"`
}

// RecoveryPending is a recovery that waits out its delay. Every preview, new
// result and state of the organization carries it meanwhile.
type RecoveryPending struct {
	RecoveryID   string `json:"recoveryId"`
	Fingerprint  string `json:"fingerprint"` // of the body
	UserID       string `json:"userId"`
	Email        string `json:"email"`
	CredentialID string `json:"credentialId"` // the new passkey
	PublicKey    string `json:"publicKey"`    // its COSE key, base64url
	StartedAt    string `json:"startedAt"`
	ReadyAt      string `json:"readyAt"`
	EmailOnly    bool   `json:"emailOnly"` // no recovery key vouches for it
}
