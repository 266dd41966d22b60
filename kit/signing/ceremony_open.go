package signing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
)

// CeremonyView is what the passkey page needs to do its work.
type CeremonyView struct {
	Kind        CeremonyKind          `json:"kind"`
	Environment string                `json:"environment" enum:"sandbox,production"`
	ExpiresAt   string                `json:"expiresAt" format:"date-time"`
	Register    *CeremonyRegistration `json:"register,omitempty"`
	Stamp       *CeremonyStamp        `json:"stamp,omitempty"`
	Recover     *CeremonyRecovering   `json:"recover,omitempty"`
	Journal     *wire.Proof           `json:"journal,omitempty" doc:"Where the page named entries: the heads that the enclave's journal had there, and at the proofs of this answer"`
}

// CeremonyRecovering is a recovery that is to be asked for or, with all that is
// below the e-mail, to be done.
type CeremonyRecovering struct {
	Email             string           `json:"email"`
	RecoveryID        string           `json:"recoveryId,omitempty"`
	SubOrganizationID string           `json:"subOrganizationId,omitempty"`
	UserID            string           `json:"userId,omitempty"`
	NeedsCode         bool             `json:"needsCode"`
	Options           *CreationOptions `json:"options,omitempty" doc:"Its challenge is in the mail"`
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
	State            *wire.Proof       `json:"state,omitempty" doc:"Of a vote: who the users of the sub-organization are"`
	AllowCredentials []AllowCredential `json:"allowCredentials"`
	RPID             string            `json:"rpId"`
}

// OpenCeremony shows what is to be done, as often as it is asked until it is done.
// The seqs are entries of the enclave's journal that the page remembers.
func (s *Service) OpenCeremony(ctx context.Context, c Ceremony, seqs []string) (CeremonyView, error) {
	sub, err := s.ceremonySubject(ctx, c)
	if err == nil {
		err = s.ceremonyOver(c, sub.state)
	}
	if err != nil {
		return CeremonyView{}, err
	}
	v := CeremonyView{Kind: c.Kind, Environment: string(s.env), ExpiresAt: clock.ISO(c.ExpiresAt)}
	switch c.Kind {
	case CeremonyRegister, CeremonyAdd:
		v.Register, err = s.ceremonyRegistration(ctx, c)
	case CeremonyLost:
		v.Recover = &CeremonyRecovering{Email: c.Email}
	case CeremonyRecover:
		v.Recover, err = s.ceremonyRecovering(ctx, c)
	default:
		v.Stamp, err = s.ceremonyStamp(ctx, c, sub)
	}
	if err != nil {
		return CeremonyView{}, err
	}
	if err := s.ceremonyJournal(ctx, &v, seqs); err != nil {
		return CeremonyView{}, err
	}
	return v, s.ceremonySwept(ctx, c, sub)
}

func (s *Service) ceremonyStamp(ctx context.Context, c Ceremony, sub ceremonySubject) (*CeremonyStamp, error) {
	// The page refuses a preview from before what its browser has seen since, so
	// that it gets a new one and not that of the day the link was made.
	allow, err := s.allowCredentials(ctx, SubOrganization{WorkspaceID: c.WorkspaceID, ID: sub.subOrganizationID})
	if err != nil {
		return nil, err
	}
	v := &CeremonyStamp{Body: sub.body, AllowCredentials: allow, RPID: s.rpID}
	if c.Kind == CeremonyApproval {
		return v, s.ceremonyVote(ctx, c.WorkspaceID, sub, v)
	}
	v.Preview, _, err = s.enclave.Preview(ctx, sub.body)
	return v, err
}

// ceremonyVote also has the enclave say who its users are: whoever asked is only
// an id in what waits.
func (s *Service) ceremonyVote(ctx context.Context, workspaceID string, sub ceremonySubject, v *CeremonyStamp) error {
	a, err := s.votedOn(ctx, workspaceID, sub.body)
	if err != nil {
		return err
	}
	if !a.open() {
		return ceremonyEnded("decided", "others have decided it already")
	}
	held, err := s.heldBody(ctx, a)
	if err != nil {
		return err
	}
	if v.Preview, _, err = s.enclave.PreviewVote(ctx, sub.body, held); err != nil {
		return err
	}
	state, err := s.enclave.State(ctx, wire.StateRequest{OrganizationID: sub.subOrganizationID})
	v.State = &state
	return err
}

// votedOn is the approval that a vote is for. One that is decided needs no vote.
func (s *Service) votedOn(ctx context.Context, workspaceID, vote string) (Approval, error) {
	var body wire.Body
	var p wire.ApproveActivityParams
	if err := json.Unmarshal([]byte(vote), &body); err != nil {
		return Approval{}, fmt.Errorf("reading a vote: %w", err)
	}
	if err := json.Unmarshal(body.Parameters, &p); err != nil {
		return Approval{}, fmt.Errorf("reading a vote: %w", err)
	}
	return s.store.Approval(ctx, workspaceID, approvalID(workspaceID, p.Fingerprint))
}

func (s *Service) ceremonyRegistration(ctx context.Context, c Ceremony) (*CeremonyRegistration, error) {
	sub, challenge := c.adding()
	v := &CeremonyRegistration{Email: c.Email, Options: s.creationOptions(challenge, c.Email)}
	if c.Kind == CeremonyRegister {
		return v, nil
	}
	var err error
	v.Options.ExcludeCredentials, err = s.allowCredentials(ctx, SubOrganization{WorkspaceID: c.WorkspaceID, ID: sub})
	return v, err
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

func (s *Service) ceremonyRecovering(ctx context.Context, c Ceremony) (*CeremonyRecovering, error) {
	r, err := s.recoveryContext(ctx, c)
	options := s.creationOptions("", r.Email)
	return &CeremonyRecovering{
		Email: r.Email, RecoveryID: r.RecoveryID, SubOrganizationID: r.SubOrganizationID, UserID: r.UserID, NeedsCode: r.NeedsCode, Options: &options,
	}, err
}

// adding gives the challenge of a passkey that is to be made and, of a further
// one, the sub-organization that it is for.
func (c Ceremony) adding() (subOrganizationID, challenge string) {
	if c.Kind != CeremonyAdd {
		return "", c.Subject
	}
	subOrganizationID, challenge, _ = strings.Cut(c.Subject, "/")
	return subOrganizationID, challenge
}

// recoveryStates are those of a recovery, as a link to it has them.
var recoveryStates = map[RecoveryState]State{
	RecoveryRequested: Awaiting, RecoveryPending: Confirmed, RecoveryCompleted: Confirmed, RecoveryCancelled: Cancelled, RecoveryExpired: Expired,
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
	switch c.Kind {
	case CeremonyAdd, CeremonyLost:
		return ceremonySubject{state: Awaiting}, nil
	case CeremonyRecover:
		r, err := s.store.Recovery(ctx, c.WorkspaceID, c.Subject)
		return ceremonySubject{state: recoveryStates[r.State]}, err
	case CeremonyRegister:
		id = derivedID("registration", c.WorkspaceID, c.Subject)
	}
	a, err := s.store.Activity(ctx, c.WorkspaceID, id)
	if c.Kind == CeremonyRegister && errors.Is(err, fault.ErrNotFound) {
		return ceremonySubject{state: Awaiting}, nil // its row is written when it is tried
	}
	return ceremonySubject{a.State, a.Body, a.SubOrganizationID, func(ctx context.Context) error { return s.sweepActivity(ctx, a) }}, err
}

func ceremonyEnded(reason, words string) error {
	return ErrCeremonyOver.Msg(words).With("reason", reason)
}

// ceremonyOver says why nothing can be done any more, where nothing can.
func (s *Service) ceremonyOver(c Ceremony, state State) error {
	switch {
	case state == Cancelled:
		return ceremonyEnded("cancelled", "the request was cancelled. Ask for a new link if that was a mistake")
	case state == Expired, c.FinishedAt.IsZero() && state == Awaiting && !s.clock.Now().Before(c.ExpiresAt):
		return ceremonyEnded("expired", "it has expired. Ask for a new link")
	case state != Awaiting, !c.FinishedAt.IsZero():
		return ceremonyEnded("finished", "it was used, and the request is done. There is nothing left to do")
	}
	return nil
}
