package signing

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
)

// CeremonyKind says what the passkey page is asked to do.
type CeremonyKind string

// The kinds.
const (
	CeremonyRegister    CeremonyKind = "register"
	CeremonyWallet      CeremonyKind = "wallet"
	CeremonyAccounts    CeremonyKind = "accounts"
	CeremonyTransaction CeremonyKind = "transaction"
	CeremonyAgent       CeremonyKind = "agent"
	CeremonyMessage     CeremonyKind = "message"
	CeremonyPolicy      CeremonyKind = "policy"
	CeremonyConfig      CeremonyKind = "config" // of approvals
	CeremonyPasskey     CeremonyKind = "passkey"
	CeremonyPrice       CeremonyKind = "price"
	CeremonyRecovery    CeremonyKind = "recovery" // how one is recovered, or the end of a recovery
	CeremonyApproval    CeremonyKind = "approval" // a vote, or the end of what it is for
	CeremonyLost        CeremonyKind = "lost"     // makes the key that a recovery's mail is sealed to
	CeremonyRecover     CeremonyKind = "recover"  // the link in that mail: makes the new passkey
	CeremonyAdd         CeremonyKind = "add"      // makes a further passkey, which another one then adds
)

// Ceremony is one use of the passkey page. Its link carries a token that lets
// whoever holds it see and finish this one thing, and the database only the
// token's hash.
type Ceremony struct {
	TokenHash            string // SHA-256, hex
	WorkspaceID          string
	Kind                 CeremonyKind
	Subject              string // id of the activity or transaction; of a passkey that is to be made its challenge, see adding
	Email                string // of a passkey that is to be made
	CreatedAt, ExpiresAt time.Time
	FinishedAt           time.Time // zero: not yet
	Given                string    // digest of the stamp or attestation that finished it, or else came last
}

// tokenLength is that of 32 random bytes in base64url.
const tokenLength = 43

// newCeremony makes the link of a ceremony. Without a page there is none.
func (s *Service) newCeremony(c Ceremony) (Ceremony, string) {
	if s.ceremonyOrigin == "" {
		return Ceremony{}, ""
	}
	token := auth.Secret()
	c.TokenHash = auth.Hash(token)
	return c, s.ceremonyOrigin + "/#" + token
}

func (c Ceremony) insert(ctx context.Context, tx Tx) error {
	if c.TokenHash == "" {
		return nil
	}
	return tx.InsertCeremony(ctx, c)
}

// ceremonyKinds are those of bodies that are to be stamped.
var ceremonyKinds = map[wire.ActivityType]CeremonyKind{
	wire.CreateWallet:         CeremonyWallet,
	wire.CreateWalletAccounts: CeremonyAccounts,
	wire.SignIntent:           CeremonyTransaction,
	wire.SignTransaction:      CeremonyTransaction,
	wire.CreateAgent:          CeremonyAgent,
	wire.SignMessage:          CeremonyMessage,
	wire.CreatePolicy:         CeremonyPolicy,
	wire.UpdatePolicy:         CeremonyPolicy,
	wire.DeletePolicy:         CeremonyPolicy,
	wire.UpdateApprovalConfig: CeremonyConfig,
	wire.CreateAuthenticator:  CeremonyPasskey,
	wire.DeleteAuthenticator:  CeremonyPasskey,
	wire.OverridePrice:        CeremonyPrice,
	wire.UpdateRecovery:       CeremonyRecovery,
	wire.CancelRecovery:       CeremonyRecovery,
	wire.ApproveActivity:      CeremonyApproval,
}

// Ceremony finds what a token is for.
func (s *Service) Ceremony(ctx context.Context, token string) (Ceremony, error) {
	if len(token) != tokenLength {
		return Ceremony{}, ErrCeremonyUnknown
	}
	c, err := s.store.Ceremony(ctx, auth.Hash(token))
	if errors.Is(err, fault.ErrNotFound) {
		return c, ErrCeremonyUnknown
	}
	return c, err
}
