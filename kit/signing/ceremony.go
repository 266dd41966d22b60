package signing

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
)

// CeremonyKind says what the passkey page is asked to do.
type CeremonyKind string

// The kinds.
const (
	CeremonyRegister    CeremonyKind = "register"
	CeremonyWallet      CeremonyKind = "wallet"
	CeremonyAccounts    CeremonyKind = "accounts"
	CeremonyTransaction CeremonyKind = "transaction"
)

// Ceremony is one use of the passkey page. Its link carries a token that lets
// whoever holds it see and finish this one thing, and the database only the
// token's hash.
type Ceremony struct {
	TokenHash            string // SHA-256, hex
	WorkspaceID          string
	Kind                 CeremonyKind
	Subject              string // id of the activity or transaction; of a registration its challenge
	Email                string // of a registration
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

func ceremonyKind(t wire.ActivityType) CeremonyKind {
	switch t {
	case wire.CreateWallet:
		return CeremonyWallet
	case wire.CreateWalletAccounts:
		return CeremonyAccounts
	}
	return CeremonyTransaction
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

// CeremonyView is what the passkey page needs to do its work.
type CeremonyView struct {
	Kind        CeremonyKind          `json:"kind" enum:"register,wallet,accounts,transaction"`
	Environment string                `json:"environment" enum:"sandbox,production"`
	ExpiresAt   string                `json:"expiresAt" format:"date-time"`
	Register    *CeremonyRegistration `json:"register,omitempty"`
	Stamp       *CeremonyStamp        `json:"stamp,omitempty"`
}

// CeremonyRegistration is a passkey that is to be made.
type CeremonyRegistration struct {
	Email   string          `json:"email"`
	Options CreationOptions `json:"options"`
}

// CeremonyStamp is a body that is to be stamped, and what the enclave says that it does.
type CeremonyStamp struct {
	Body             string            `json:"body"`
	Preview          wire.Proof        `json:"preview"`
	AllowCredentials []AllowCredential `json:"allowCredentials"`
	RPID             string            `json:"rpId"`
}

// OpenCeremony shows what is to be done, as often as it is asked until it is done.
func (s *Service) OpenCeremony(ctx context.Context, c Ceremony) (CeremonyView, error) {
	sub, err := s.ceremonySubject(ctx, c)
	if err == nil {
		err = s.ceremonyOver(c, sub.state)
	}
	if err != nil {
		return CeremonyView{}, err
	}
	v := CeremonyView{Kind: c.Kind, Environment: string(s.env), ExpiresAt: clock.ISO(c.ExpiresAt)}
	if c.Kind == CeremonyRegister {
		v.Register = &CeremonyRegistration{Email: c.Email, Options: s.creationOptions(c.Subject, c.Email)}
	} else if v.Stamp, err = s.ceremonyStamp(ctx, c, sub); err != nil {
		return CeremonyView{}, err
	}
	return v, s.ceremonySwept(ctx, c, sub)
}

func (s *Service) ceremonyStamp(ctx context.Context, c Ceremony, sub ceremonySubject) (*CeremonyStamp, error) {
	// The page refuses a preview from before what its browser has seen since, so
	// that it gets a new one and not that of the day the link was made.
	preview, _, err := s.enclave.Preview(ctx, sub.body)
	if err != nil {
		return nil, err
	}
	allow, err := s.allowCredentials(ctx, SubOrganization{WorkspaceID: c.WorkspaceID, ID: sub.subOrganizationID})
	return &CeremonyStamp{Body: sub.body, Preview: preview, AllowCredentials: allow, RPID: s.rpID}, err
}

// ceremonySwept does the sweeper's work on what the enclave has done already and a
// crash kept out of the database: the page would ask for a second stamp, and take
// the first result for a wrong one, since it is older than the new preview. It
// comes after the preview, so that whatever is done later is younger.
func (s *Service) ceremonySwept(ctx context.Context, c Ceremony, sub ceremonySubject) error {
	if sub.sweep == nil {
		return nil
	}
	if err := sub.sweep(ctx); err != nil {
		return err
	}
	sub, err := s.ceremonySubject(ctx, c)
	if err != nil {
		return err
	}
	return s.ceremonyOver(c, sub.state)
}

// ceremonySubject is the row that a ceremony is about.
type ceremonySubject struct {
	state             State
	body              string
	subOrganizationID string
	sweep             func(context.Context) error // nil: there is no row yet
}

func (s *Service) ceremonySubject(ctx context.Context, c Ceremony) (ceremonySubject, error) {
	if c.Kind == CeremonyTransaction {
		t, err := s.store.Transaction(ctx, c.WorkspaceID, c.Subject)
		return ceremonySubject{t.State, t.Body, t.SubOrganizationID, func(ctx context.Context) error { return s.sweepTransaction(ctx, t) }}, err
	}
	id := c.Subject
	if c.Kind == CeremonyRegister {
		id = derivedID("registration", c.WorkspaceID, c.Subject)
	}
	a, err := s.store.Activity(ctx, c.WorkspaceID, id)
	if c.Kind == CeremonyRegister && errors.Is(err, fault.ErrNotFound) {
		return ceremonySubject{state: Awaiting}, nil // its row is written when it is tried
	}
	return ceremonySubject{a.State, a.Body, a.SubOrganizationID, func(ctx context.Context) error { return s.sweepActivity(ctx, a) }}, err
}

// ceremonyOver says why nothing can be done any more, where nothing can.
func (s *Service) ceremonyOver(c Ceremony, state State) error {
	over := func(reason, words string) error { return ErrCeremonyOver.Msg(words).With("reason", reason) }
	switch {
	case state == Cancelled:
		return over("cancelled", "the request was cancelled. Ask for a new link if that was a mistake")
	case state == Expired, c.FinishedAt.IsZero() && state == Awaiting && !s.clock.Now().Before(c.ExpiresAt):
		return over("expired", "it has expired. Ask for a new link")
	case state != Awaiting, !c.FinishedAt.IsZero():
		return over("finished", "it was used, and the request is done. There is nothing left to do")
	}
	return nil
}

// FinishCeremonyInput is what the owner's passkey gave: an attestation where one
// was to be made, else a stamp.
type FinishCeremonyInput struct {
	Stamp             *wire.Stamp
	Attestation       *Attestation
	Label             string // of the new passkey
	RecoveryPublicKey string // made by the page with it; "" where its owner wants none
}

// FinishCeremony does what the stamp was for, as the API's own confirm would.
func (s *Service) FinishCeremony(ctx context.Context, cmd *command.Command, c Ceremony, in FinishCeremonyInput) (command.Answer, error) {
	if err := in.check(c.Kind); err != nil {
		return command.Answer{}, err
	}
	given, err := encode(in)
	if err != nil {
		return command.Answer{}, err
	}
	sub, err := s.ceremonySubject(ctx, c)
	if err == nil && sub.state != Awaiting { // since c was read the same stamp may have come through
		c, err = s.store.Ceremony(ctx, c.TokenHash)
	}
	if err != nil {
		return command.Answer{}, err
	}
	cmd.Ceremony = &command.Ceremony{ID: c.TokenHash, Given: auth.Hash(string(given))}
	cmd.Principal = auth.Principal{Tenant: auth.Tenant{WorkspaceID: c.WorkspaceID}, Environment: string(s.env)}
	again := c.Given == cmd.Ceremony.Given && s.clock.Now().Before(c.ExpiresAt)
	if over := s.ceremonyOver(c, sub.state); over != nil && !again {
		return command.Answer{}, over
	}
	if err := s.tryCeremony(ctx, c, cmd.Ceremony.Given); err != nil {
		return command.Answer{}, err
	}
	return s.finishCeremony(ctx, cmd, c, sub.body, in)
}

// tryCeremony writes down what is handed in, first: should a crash swallow the
// answer, the page sends the same again, and gets what came of it by then.
func (s *Service) tryCeremony(ctx context.Context, c Ceremony, given string) error {
	if c.Given == given {
		return nil
	}
	return s.store.Work(ctx, c.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{}, tx.TryCeremony(ctx, c.TokenHash, given)
	})
}

func (in FinishCeremonyInput) check(kind CeremonyKind) error {
	register := kind == CeremonyRegister
	switch {
	case register && in.Attestation == nil:
		return fault.Field("attestation", "is required")
	case register && in.Stamp != nil:
		return fault.Field("stamp", "must not be given to register a passkey")
	case !register && in.Stamp == nil:
		return fault.Field("stamp", "is required")
	case !register && (in.Attestation != nil || in.Label != "" || in.RecoveryPublicKey != ""):
		return fault.Field("attestation", "must not be given with a stamp")
	}
	return nil
}

func (s *Service) finishCeremony(ctx context.Context, cmd *command.Command, c Ceremony, body string, in FinishCeremonyInput) (command.Answer, error) {
	if c.Kind == CeremonyRegister {
		return s.Register(ctx, cmd, RegisterInput{
			Email: c.Email, Name: c.Email, Label: in.Label, EncodedChallenge: c.Subject, Attestation: *in.Attestation,
			RecoveryPublicKey: in.RecoveryPublicKey,
		})
	}
	stamped := Stamped{Body: body, Stamp: *in.Stamp}
	switch c.Kind {
	case CeremonyWallet:
		return s.ConfirmWallet(ctx, cmd, ConfirmWalletInput{WalletRequestID: c.Subject, SignedActivity: stamped})
	case CeremonyAccounts:
		return s.ConfirmAccount(ctx, cmd, ConfirmAccountInput{WalletAccountRequestID: c.Subject, SignedActivity: stamped})
	}
	return s.ConfirmTransaction(ctx, cmd, ConfirmTransactionInput{TransactionID: c.Subject, SignedActivity: &stamped})
}
