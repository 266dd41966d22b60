// Package invite lets a recipient enter its own bank account, by a link that the
// workspace gives it or has mailed to it.
//
// Each recipient has one invite at most: the newest, which replaces the one before. It
// works for seven days and for one account, and is used in the transaction that makes
// the account's row. It is over once it is used, expired, replaced, or ended with the
// recipient's archiving. An account that the partner refuses leaves it as it was.
//
// Read invite.go, submit.go (entering the account), then mail.go.
package invite

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/vault"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/rest"
)

// Life is how long an invite can be used.
const Life = 7 * 24 * time.Hour

// traceLife is how long after its end a token is still answered with invite_over instead of invite_unknown.
const traceLife = 30 * 24 * time.Hour

// The errors of invites.
var (
	ErrUnknown = fault.Define(fault.NotFound, "invite_unknown", "This link is not known; ask for a new one",
		"The token of a recipient's link is none, or its link ended more than 30 days ago")
	ErrOver = fault.Define(fault.Gone, "invite_over", "This link can no longer be used",
		"A recipient's link was used, has expired, was replaced by a newer one or ended with the recipient's archiving; `details.reason` says which: used, expired, replaced or ended")
	ErrNotConfigured = fault.Define(fault.Unavailable, "invites_not_configured", "Invites are not configured",
		"The server was started without the origin of the page that invites lead to (`--invite-origin`)")
)

// Invite is a link by which a recipient enters its bank account itself. Each recipient has at most one: the newest.
// Until an account was entered with it, any holder of the link can decide where the recipient's money goes.
type Invite struct {
	WorkspaceID, RecipientID string
	TokenHash                string // SHA-256, hex
	Sealed                   string // the token, so that the link can be shown again
	AccountID                string // that was entered with it; "": none yet
	CreatedAt, ExpiresAt     time.Time
	EndedAt                  time.Time // with its recipient's archiving; zero: not
	Email                    string    // to whom it is mailed; "": to nobody
	Mail                     mail.Status
}

// Owner is the workspace and recipient of a token.
type Owner struct {
	WorkspaceID, RecipientID string
	ExpiresAt                time.Time
}

// Store keeps invites.
type Store interface {
	record.Writer[Tx]
	Invite(ctx context.Context, workspaceID, recipientID string) (Invite, error)
	InviteOwner(ctx context.Context, tokenHash string) (Owner, error)
	DropInviteTokens(ctx context.Context, before time.Time) error
	// UnsentInvites lists those of every workspace whose mail is queued since before then.
	UnsentInvites(ctx context.Context, before time.Time, limit int) ([]Invite, error)
	Recipient(ctx context.Context, workspaceID, id string) (recipient.Recipient, error)
	BankAccount(ctx context.Context, workspaceID, id string) (account.Account, error)
}

// Tx writes them. Who changes one holds its recipient.
type Tx interface {
	HeldInvite(ctx context.Context, workspaceID, recipientID string) (Invite, error)
	PutInvite(context.Context, Invite) error // in the place of the recipient's other one
	// UseInvite notes the account that was entered, if the invite is as it was read.
	UseInvite(ctx context.Context, i Invite, accountID string) error
	// InviteMailed notes what became of the mail, unless the invite was replaced.
	InviteMailed(ctx context.Context, i Invite, status mail.Status) error
	account.Tx // an account is entered in the transaction that uses the invite
}

// Service is the invites of every workspace.
type Service struct{ c Config }

// Config wires a Service.
type Config struct {
	Store      Store
	Workspaces workspace.Reader
	Accounts   *account.Service
	Vault      *vault.Vault // seals the tokens
	Page       string       // address of the page that links lead to; "": nobody can be invited
	Post       *mail.Post   // nil: mail waits until there is one
	Clock      clock.Clock
	Log        *slog.Logger
}

// New makes it.
func New(c Config) *Service { return &Service{c} }

func (s *Service) view(i Invite, token string) rest.RecipientInvite {
	return rest.RecipientInvite{
		InviteURL: s.link(token), Token: token, ExpiresAt: clock.ISO(i.ExpiresAt), Email: i.Email,
		MailStatus: string(i.Mail),
	}
}

func (s *Service) link(token string) string { return s.c.Page + "#" + token }

// place binds the encrypted token to its field in the database.
func (i Invite) place() vault.Place {
	return vault.Place{
		WorkspaceID: i.WorkspaceID, Kind: "recipient_invites", ID: i.RecipientID, Field: "token " + i.TokenHash,
	}
}

// Create makes a recipient's link, and mails it if the caller gives an address. An earlier link stops working.
func (s *Service) Create(
	ctx context.Context, cmd *command.Command, recipientID string, in rest.RecipientInviteRequest,
) (command.Answer, error) {
	if s.c.Page == "" {
		return command.Answer{}, ErrNotConfigured
	}
	token, now := auth.Secret(), s.c.Clock.Now()
	i := Invite{
		WorkspaceID: cmd.Principal.WorkspaceID, RecipientID: recipientID, TokenHash: auth.Hash(token), CreatedAt: now,
		ExpiresAt: now.Add(Life),
	}
	made := command.Audit{Action: "recipient.invite", Resource: recipientID}
	if in.Email != "" {
		i.Email, i.Mail, made.Detail = in.Email, mail.Queued, map[string]string{"email": in.Email}
	}
	i.Sealed = s.c.Vault.Seal(i.place(), []byte(token))
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		r, err := tx.HoldRecipient(ctx, i.WorkspaceID, recipientID)
		if err == nil && r.Status != recipient.Active {
			err = recipient.ErrArchived
		}
		if err != nil {
			return command.Reply{}, err
		}
		return command.Reply{
			Status: 201, Message: "Invite created", Data: s.view(i, token), Audit: made,
		}, put(ctx, tx, i)
	})
}

// Get shows a recipient's link again, as long as it can be used.
func (s *Service) Get(ctx context.Context, p auth.Principal, recipientID string) (rest.RecipientInvite, error) {
	if _, err := s.c.Store.Recipient(ctx, p.WorkspaceID, recipientID); err != nil {
		return rest.RecipientInvite{}, err
	}
	i, err := s.c.Store.Invite(ctx, p.WorkspaceID, recipientID)
	if err != nil {
		return rest.RecipientInvite{}, err
	}
	if err := s.over(ctx, i); errors.Is(err, ErrOver) {
		return rest.RecipientInvite{}, fault.Missing("Invite")
	} else if err != nil {
		return rest.RecipientInvite{}, err
	}
	token, err := s.c.Vault.Open(i.place(), i.Sealed)
	return s.view(i, string(token)), err
}

// Find finds the invite of a token, also one that is over.
func (s *Service) Find(ctx context.Context, token string) (Invite, error) {
	if len(token) != auth.SecretLength {
		return Invite{}, ErrUnknown
	}
	hash := auth.Hash(token)
	owner, err := s.c.Store.InviteOwner(ctx, hash)
	if errors.Is(err, fault.ErrNotFound) {
		return Invite{}, ErrUnknown
	}
	if err != nil {
		return Invite{}, err
	}
	i, err := s.c.Store.Invite(ctx, owner.WorkspaceID, owner.RecipientID)
	if err == nil && i.TokenHash != hash {
		err = ErrOver.With("reason", "replaced")
	}
	return i, err
}

// over says why an invite can no longer be used where no account was entered with
// it; nil: it can.
func (i Invite) over(now time.Time) error {
	switch {
	case !i.EndedAt.IsZero():
		return ErrOver.With("reason", "ended")
	case !now.Before(i.ExpiresAt):
		return ErrOver.With("reason", "expired")
	}
	return nil
}

// over says why an invite can no longer be used; nil: it can. An account
// that the partner refused does not use it up.
func (s *Service) over(ctx context.Context, i Invite) error {
	a, err := enteredAccount(ctx, i, s.c.Store.BankAccount)
	if err == nil && hasAccount(a) {
		err = ErrOver.With("reason", "used")
	}
	if err != nil {
		return err
	}
	return i.over(s.c.Clock.Now())
}

// enteredAccount is the account that was entered with an invite; none where the partner
// refused it at once.
func enteredAccount(
	ctx context.Context, i Invite, read func(ctx context.Context, workspaceID, id string) (account.Account, error),
) (account.Account, error) {
	if i.AccountID == "" {
		return account.Account{}, nil
	}
	a, err := read(ctx, i.WorkspaceID, i.AccountID)
	if errors.Is(err, fault.ErrNotFound) {
		return account.Account{}, nil
	}
	return a, err
}

// hasAccount tells whether there is an account, and one that the partner has not rejected.
func hasAccount(a account.Account) bool { return a.ID != "" && a.Registration != account.Rejected }

// home is the currency of a country's accounts, where it is not the euro.
var home = map[string]money.Currency{"US": money.USD, "MX": money.MXN, "BR": money.BRL, "GB": money.GBP}

// Open shows the workspace's and the recipient's name, and nothing else of the workspace.
func (s *Service) Open(ctx context.Context, i Invite, business string) (rest.InviteOpened, error) {
	if err := s.over(ctx, i); err != nil {
		return rest.InviteOpened{}, err
	}
	r, err := s.c.Store.Recipient(ctx, i.WorkspaceID, i.RecipientID)
	if err != nil {
		return rest.InviteOpened{}, err
	}
	currencies := make([]string, len(money.Fiat))
	for i, c := range money.Fiat {
		currencies[i] = string(c)
	}
	return rest.InviteOpened{
		BusinessName: business, RecipientName: r.Name, Currencies: currencies,
		SuggestedCurrency: string(cmp.Or(home[r.Address.Country], money.EUR)),
		ExpiresAt:         clock.ISO(i.ExpiresAt),
	}, nil
}
