package link

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
)

// Kind says what the passkey page is asked to do.
type Kind string

// The kinds.
const (
	Register    Kind = "register"
	Wallet      Kind = "wallet"
	Accounts    Kind = "accounts"
	Transaction Kind = "transaction"
	Agent       Kind = "agent"
	Message     Kind = "message"
	Policy      Kind = "policy"
	Config      Kind = "config" // of approvals
	Payee       Kind = "payee"
	Passkey     Kind = "passkey"
	Price       Kind = "price"
	Recovery    Kind = "recovery" // how one is recovered, or the end of a recovery
	Approval    Kind = "approval" // a vote, or the end of what it is for
	Lost        Kind = "lost"     // makes the key that a recovery's mail is sealed to
	Recover     Kind = "recover"  // the link in that mail: makes the new passkey
	Add         Kind = "add"      // makes a further passkey, which another one then adds
)

// Ceremony is one use of the passkey page. Its link carries a token that lets
// whoever holds it see and finish this one thing, and the database only the
// token's hash.
type Ceremony struct {
	TokenHash   string // SHA-256, hex
	WorkspaceID string
	Kind        Kind
	// id of the activity or transaction; of a passkey that is to be made its challenge, see adding
	Subject              string
	Email                string // of a passkey that is to be made
	CreatedAt, ExpiresAt time.Time
	FinishedAt           time.Time      // zero: not yet
	Given                string         // digest of the stamp or attestation that finished it, or else came last
	Declined             bool           // by whoever had the link, which finished it
	Return               command.Return // zero: the page leads nowhere

	links *Links // that made it
}

// Insert writes the link, where there is a page to open it. Back is where the page is to lead once the link has ended;
// nil: nowhere.
func (c Ceremony) Insert(ctx context.Context, tx Tx, back *command.Return) error {
	if c.TokenHash == "" {
		return nil
	}
	if back != nil {
		if err := c.links.check(ctx, tx, c.WorkspaceID, *back); err != nil {
			return err
		}
		c.Return = *back
	}
	c.links = nil
	return tx.InsertCeremony(ctx, c)
}

// Adding gives the challenge of a passkey that is to be made and, of a further
// one, the sub-organization that it is for.
func (c Ceremony) Adding() (subOrganizationID, challenge string) {
	if c.Kind != Add {
		return "", c.Subject
	}
	subOrganizationID, challenge, _ = strings.Cut(c.Subject, "/")
	return subOrganizationID, challenge
}

// Decline is the word of whoever has a link: what it is for shall not be done.
type Decline struct {
	TokenHash, WorkspaceID string
	Given                  string // digest of what was handed in
	Kind                   Kind
	ID                     string // of what is declined
	Reason                 string // nobody has verified it
	At                     time.Time
}

// tokenLength is that of 32 random bytes in base64url.
const tokenLength = 43

// The error of a token that belongs to no link.
var (
	ErrUnknown = fault.Define(fault.NotFound, "ceremony_unknown", "This link is not known; ask for a new one",
		"The token of the passkey page's link is none, or its link ended more than a day ago")
)

// New makes the link of a ceremony. Without a page there is none.
func (s *Links) New(c Ceremony) (Ceremony, string) {
	if s.CeremonyOrigin == "" {
		return Ceremony{}, ""
	}
	token := auth.Secret()
	c.TokenHash, c.links = auth.Hash(token), s
	return c, s.CeremonyOrigin + "/#" + token
}

// Find finds what a token is for.
func (s *Links) Find(ctx context.Context, token string) (Ceremony, error) {
	if len(token) != tokenLength {
		return Ceremony{}, ErrUnknown
	}
	c, err := s.Store.Ceremony(ctx, auth.Hash(token))
	if errors.Is(err, fault.ErrNotFound) {
		return c, ErrUnknown
	}
	return c, err
}
