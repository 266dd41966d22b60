package payout

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/mail"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/vault"
)

// InviteLife is how long an invite can be used.
const InviteLife = 7 * 24 * time.Hour

// inviteTrace is for how long after that its token is told from one that never was.
const inviteTrace = 30 * 24 * time.Hour

// The errors of invites.
var (
	ErrInviteUnknown = fault.Define(fault.NotFound, "invite_unknown", "This link is not known; ask for a new one",
		"The token of a recipient's link is none, or its link ended more than 30 days ago")
	ErrInviteOver = fault.Define(fault.Gone, "invite_over", "This link can no longer be used",
		"A recipient's link was used, has expired, was replaced by a newer one or ended with the recipient's archiving; `details.reason` says which: used, expired, replaced or ended")
	ErrNoInvites = fault.Define(fault.Unavailable, "invites_not_configured", "Invites are not configured",
		"The server was started without the origin of the page that invites lead to (`--invite-origin`)")
)

// Invite is a link by which a recipient enters its bank account itself. Each
// recipient has one at most: the newest. Whoever has the link can say where the
// recipient's money goes, until an account was entered with it.
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

// InviteOwner is whose a token is.
type InviteOwner struct {
	WorkspaceID, RecipientID string
	ExpiresAt                time.Time
}

// InviteStore reads invites.
type InviteStore interface {
	Invite(ctx context.Context, workspaceID, recipientID string) (Invite, error)
	InviteOwner(ctx context.Context, tokenHash string) (InviteOwner, error)
	DropInviteTokens(ctx context.Context, before time.Time) error
	// UnsentInvites lists those of every workspace whose mail is queued since before then.
	UnsentInvites(ctx context.Context, before time.Time, limit int) ([]Invite, error)
}

// InviteTx writes them. Who changes one holds its recipient.
type InviteTx interface {
	HeldInvite(ctx context.Context, workspaceID, recipientID string) (Invite, error)
	PutInvite(context.Context, Invite) error // in the place of the recipient's other one
	// UseInvite notes the account that was entered, if the invite is as it was read.
	UseInvite(ctx context.Context, i Invite, accountID string) error
	EndInvite(ctx context.Context, workspaceID, recipientID string, now time.Time) error
	// InviteMailed notes what became of the mail, unless the invite was replaced.
	InviteMailed(ctx context.Context, i Invite, status mail.Status) error
}

// RecipientInviteInput says what else is done with a new invite.
type RecipientInviteInput struct {
	Email string `json:"email,omitempty" format:"email" maxLength:"254" doc:"The link is mailed there"`
}

// InviteView is an invite as the API shows it.
type InviteView struct {
	InviteURL string `json:"inviteUrl" format:"uri" doc:"For the recipient alone: whoever has it can enter the account. The token is behind the #, which browsers send to no server"`
	Token     string `json:"token"`
	ExpiresAt string `json:"expiresAt" format:"date-time"`

	Email      string      `json:"email,omitempty" doc:"To whom it is mailed"`
	MailStatus mail.Status `json:"mailStatus,omitempty" enum:"queued,sent,failed"`
}

func (s *Service) inviteView(i Invite, token string) InviteView {
	return InviteView{InviteURL: s.inviteLink(token), Token: token, ExpiresAt: clock.ISO(i.ExpiresAt), Email: i.Email, MailStatus: i.Mail}
}

func (s *Service) inviteLink(token string) string { return s.invitePage + "#" + token }

// place is where the token is sealed for.
func (i Invite) place() vault.Place {
	return vault.Place{WorkspaceID: i.WorkspaceID, Kind: "recipient_invites", ID: i.RecipientID, Field: "token " + i.TokenHash}
}

// CreateInvite makes a recipient's link, and mails it where the caller says to
// whom. An earlier one stops working.
func (s *Service) CreateInvite(ctx context.Context, cmd *command.Command, recipientID string, in RecipientInviteInput) (command.Answer, error) {
	if s.invitePage == "" {
		return command.Answer{}, ErrNoInvites
	}
	token, now := auth.Secret(), s.clock.Now()
	i := Invite{
		WorkspaceID: cmd.Principal.WorkspaceID, RecipientID: recipientID, TokenHash: auth.Hash(token), CreatedAt: now, ExpiresAt: now.Add(InviteLife),
	}
	made := command.Audit{Action: "recipient.invite", Resource: recipientID}
	if in.Email != "" {
		i.Email, i.Mail, made.Detail = in.Email, mail.Queued, map[string]string{"email": in.Email}
	}
	i.Sealed = s.vault.Seal(i.place(), []byte(token))
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		r, err := tx.HoldRecipient(ctx, i.WorkspaceID, recipientID)
		if err == nil && r.Status != recipient.Active {
			err = recipient.ErrArchived
		}
		if err != nil {
			return command.Reply{}, err
		}
		return command.Reply{Status: 201, Message: "Invite created", Data: s.inviteView(i, token), Audit: made}, putInvite(ctx, tx, i)
	})
}

// Invite shows a recipient's link again, as long as it can be used.
func (s *Service) Invite(ctx context.Context, p auth.Principal, recipientID string) (InviteView, error) {
	if _, err := s.store.Recipient(ctx, p.WorkspaceID, recipientID); err != nil {
		return InviteView{}, err
	}
	i, err := s.store.Invite(ctx, p.WorkspaceID, recipientID)
	if err != nil {
		return InviteView{}, err
	}
	if err := s.inviteOver(ctx, i); errors.Is(err, ErrInviteOver) {
		return InviteView{}, fault.Missing("Invite")
	} else if err != nil {
		return InviteView{}, err
	}
	token, err := s.vault.Open(i.place(), i.Sealed)
	return s.inviteView(i, string(token)), err
}

// FindInvite finds what a token is for, also where that is over.
func (s *Service) FindInvite(ctx context.Context, token string) (Invite, error) {
	if len(token) != auth.SecretLength {
		return Invite{}, ErrInviteUnknown
	}
	hash := auth.Hash(token)
	owner, err := s.store.InviteOwner(ctx, hash)
	if errors.Is(err, fault.ErrNotFound) {
		return Invite{}, ErrInviteUnknown
	}
	if err != nil {
		return Invite{}, err
	}
	i, err := s.store.Invite(ctx, owner.WorkspaceID, owner.RecipientID)
	if err == nil && i.TokenHash != hash {
		err = ErrInviteOver.With("reason", "replaced")
	}
	return i, err
}

// over says why an invite can no longer be used where no account was entered with
// it; nil: it can.
func (i Invite) over(now time.Time) error {
	switch {
	case !i.EndedAt.IsZero():
		return ErrInviteOver.With("reason", "ended")
	case !now.Before(i.ExpiresAt):
		return ErrInviteOver.With("reason", "expired")
	}
	return nil
}

// inviteOver says why an invite can no longer be used; nil: it can. An account
// that the partner refused does not use it up.
func (s *Service) inviteOver(ctx context.Context, i Invite) error {
	a, err := entered(ctx, i, s.store.BankAccount)
	if err == nil && stands(a) {
		err = ErrInviteOver.With("reason", "used")
	}
	if err != nil {
		return err
	}
	return i.over(s.clock.Now())
}

// entered is the account that was entered with an invite; none where the partner
// refused it at once.
func entered(ctx context.Context, i Invite, read func(ctx context.Context, workspaceID, id string) (account.Account, error)) (account.Account, error) {
	if i.AccountID == "" {
		return account.Account{}, nil
	}
	a, err := read(ctx, i.WorkspaceID, i.AccountID)
	if errors.Is(err, fault.ErrNotFound) {
		return account.Account{}, nil
	}
	return a, err
}

// stands tells whether there is an account, and one that the partner has not rejected.
func stands(a account.Account) bool { return a.ID != "" && a.Registration != account.Rejected }

// InviteOpened is what whoever has a link may see.
type InviteOpened struct {
	BusinessName      string           `json:"businessName" doc:"Who wants to pay"`
	RecipientName     string           `json:"recipientName"`
	Currencies        []money.Currency `json:"currencies" doc:"Those that an account may be in"`
	SuggestedCurrency money.Currency   `json:"suggestedCurrency" doc:"That of the recipient's country"`
	ExpiresAt         string           `json:"expiresAt" format:"date-time"`
}

// home is the currency of a country's accounts, where it is not the euro.
var home = map[string]money.Currency{"US": money.USD, "MX": money.MXN, "BR": money.BRL, "GB": money.GBP}

// OpenInvite says what a link is for, and nothing else of the workspace.
func (s *Service) OpenInvite(ctx context.Context, i Invite, business string) (InviteOpened, error) {
	if err := s.inviteOver(ctx, i); err != nil {
		return InviteOpened{}, err
	}
	r, err := s.store.Recipient(ctx, i.WorkspaceID, i.RecipientID)
	if err != nil {
		return InviteOpened{}, err
	}
	return InviteOpened{
		BusinessName: business, RecipientName: r.Name, Currencies: money.Fiat, SuggestedCurrency: cmp.Or(home[r.Address.Country], money.EUR),
		ExpiresAt: clock.ISO(i.ExpiresAt),
	}, nil
}
