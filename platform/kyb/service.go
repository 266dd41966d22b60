package kyb

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/vault"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/rest"
)

// Service keeps the forms.
type Service struct{ c Config }

// Config is what a Service needs.
type Config struct {
	Store     Store
	Vault     *vault.Vault
	Checker   Checker
	Named     bool           // a decision has to name the submission, where there is one
	Post      *mail.Post     // nil: mail waits until there is one
	Dashboard mail.Dashboard // where members find the form
	Clock     clock.Clock
	Log       *slog.Logger
}

// New makes a Service.
func New(c Config) *Service { return &Service{c} }

// held is a workspace's form as it is until the transaction ends.
type held struct {
	workspace workspace.Workspace // only inside of a change
	draft     Draft
	form      Form
	state     State
	last      Submission // the zero Submission in the state Drafted
	documents []file
}

// Get shows the form as it stands.
func (s *Service) Get(ctx context.Context, p auth.Principal) (rest.KYB, error) {
	h, err := s.read(ctx, s.c.Store, p.WorkspaceID)
	if err != nil {
		return rest.KYB{}, err
	}
	return h.view(mayWrite(p)), nil
}

// Submission shows the last submission, nil where there is none.
func (s *Service) Submission(ctx context.Context, p auth.Principal) (*rest.KYBSubmission, error) {
	last, err := s.c.Store.LastSubmission(ctx, p.WorkspaceID)
	if errors.Is(err, fault.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	v := last.view()
	return &v, nil
}

// reader is what both a store and a transaction read.
type reader interface {
	Draft(ctx context.Context, workspaceID string) (Draft, error)
	LastSubmission(ctx context.Context, workspaceID string) (Submission, error)
	Documents(ctx context.Context, workspaceID string) ([]Document, error)
}

func (s *Service) read(ctx context.Context, from reader, workspaceID string) (h held, err error) {
	if h.draft, err = from.Draft(ctx, workspaceID); err != nil {
		return h, err
	}
	if h.form, err = openForm(s.c.Vault, h.draft.place(), h.draft.Sealed); err != nil {
		return h, err
	}
	if h.documents, err = s.files(from.Documents(ctx, workspaceID)); err != nil {
		return h, err
	}
	h.state = Drafted
	h.last, err = from.LastSubmission(ctx, workspaceID)
	if errors.Is(err, fault.ErrNotFound) {
		return h, nil
	}
	if err == nil {
		h.state = h.last.State
	}
	return h, err
}

// holdOpen reads a form for a change, and refuses one that cannot be changed now.
func (s *Service) holdOpen(ctx context.Context, tx Tx, p auth.Principal) (held, error) {
	w, err := workspace.Hold(ctx, tx, p)
	if err != nil {
		return held{}, err
	}
	h, err := s.read(ctx, tx, p.WorkspaceID)
	if err != nil {
		return held{}, err
	}
	h.workspace = w
	switch h.state {
	case Submitted, InReview:
		return held{}, ErrUnderReview
	case Approved, Rejected:
		return held{}, ErrDecided
	}
	return h, nil
}

// put writes the next version of a form, of which some sections are changed.
func (s *Service) put(ctx context.Context, tx Tx, h held, sections ...string) error {
	d := s.next(h.draft, sections)
	var err error
	if d.Sealed, err = h.form.seal(s.c.Vault, d.place()); err != nil {
		return err
	}
	tx.TellWorkspace(h.workspace)
	return tx.PutDraft(ctx, d)
}

func (s *Service) next(d Draft, sections []string) Draft {
	was := d.Sections
	d.Version, d.UpdatedAt, d.Sections = d.Version+1, s.c.Clock.Now(), map[string]int64{}
	for name, version := range was {
		d.Sections[name] = version
	}
	for _, name := range sections {
		d.Sections[name] = d.Version
	}
	return d
}

// Change fills in sections of the form. Somebody else may have changed others since the caller read it, and none of
// the same.
func (s *Service) Change(ctx context.Context, cmd *command.Command, in rest.KYBChange) (command.Answer, error) {
	sections, err := changes(in)
	if err != nil {
		return command.Answer{}, err
	}
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		h, err := s.holdOpen(ctx, tx, cmd.Principal)
		if err == nil {
			err = h.draft.unchanged(in.Version, sections)
		}
		if err != nil {
			return command.Reply{}, err
		}
		fields, err := edit(&h.form, in, s.c.Clock.Now())
		if err == nil {
			err = s.put(ctx, tx, h, sections...)
		}
		if err != nil {
			return command.Reply{}, err
		}
		h.draft = s.next(h.draft, sections)
		return command.Reply{
			Status: 200, Message: "Form saved", Data: h.view(mayWrite(cmd.Principal)),
			Audit: command.Audit{
				Action: "kyb.change", Resource: cmd.Principal.WorkspaceID,
				Detail: map[string]string{"fields": strings.Join(fields, ", ")},
			},
		}, nil
	})
}

// unchanged refuses a change by somebody who has not seen a section as it is now.
func (d Draft) unchanged(seen int64, sections []string) error {
	if seen > d.Version {
		return fault.Field("version", "is of no form that there was")
	}
	var newer []string
	for _, name := range sections {
		if d.Sections[name] > seen {
			newer = append(newer, name)
		}
	}
	if newer == nil {
		return nil
	}
	return ErrChanged.Msg(strings.Join(newer, ", ")).With("sections", newer).With("version", d.Version)
}

// Submit hands the form in. What is judged is the form as it is then.
func (s *Service) Submit(ctx context.Context, cmd *command.Command, in rest.KYBSubmitRequest) (command.Answer, error) {
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		h, err := s.holdOpen(ctx, tx, cmd.Principal)
		if err != nil {
			return command.Reply{}, err
		}
		if in.Version != h.draft.Version {
			return command.Reply{}, ErrChanged.Msg("read it again").With("version", h.draft.Version)
		}
		if lacks := missing(completion(h.form, h.documents)); len(lacks) > 0 {
			return command.Reply{}, incomplete(lacks)
		}
		now := s.c.Clock.Now()
		sub := Submission{
			WorkspaceID: cmd.Principal.WorkspaceID, ID: record.NewID(), Number: h.last.Number + 1,
			Version: h.draft.Version, State: Submitted, CheckAt: now, CreatedAt: now,
		}
		h.form.Documents = attached(h.documents)
		if sub.Sealed, err = h.form.seal(s.c.Vault, sub.place()); err != nil {
			return command.Reply{}, err
		}
		if err := tx.InsertSubmission(ctx, sub); err != nil {
			return command.Reply{}, err
		}
		tx.TellWorkspace(h.workspace)
		return command.Reply{Status: 201, Message: "Form submitted", Data: sub.view(), Audit: command.Audit{
			Action: "kyb.submit", Resource: sub.ID,
		}}, tx.Enqueue(ctx, job.Job{Kind: JobCheck, WorkspaceID: sub.WorkspaceID, ID: sub.ID})
	})
}

// incomplete names what is missing in the message and, with a sentence each, in the details.
func incomplete(all []rest.KYBMissing) error {
	names := make([]string, len(all))
	for i, m := range all {
		names[i] = m.Field
	}
	return ErrIncomplete.Msg(strings.Join(slices.Compact(names), ", ")).With("missing", all)
}

func (s Submission) view() rest.KYBSubmission {
	return rest.KYBSubmission{
		ID: s.ID, State: string(s.State), Reason: s.Reason, Version: s.Version, SubmittedAt: clock.ISO(s.CreatedAt),
		DecidedAt: clock.ISOOrNil(s.DecidedAt),
	}
}

// view is the form as a member sees it. Only who fills it in sees when persons were born and where they live.
func (h held) view(whole bool) rest.KYB {
	f := h.form
	v := rest.KYB{
		State: string(h.state), Reason: h.last.Reason, Version: h.draft.Version,
		Business: rest.KYBBusiness{
			LegalName: f.LegalName, Type: f.Type, RegistrationNumber: lastFour(f.RegistrationNumber),
			TaxID: lastFour(f.TaxID),
		},
		Addresses: rest.KYBAddresses{Registered: f.Registered, Operating: f.Operating},
		Activity: rest.KYBActivity{
			Website: f.Website, Description: f.Description, SourceOfFunds: f.SourceOfFunds,
			ExpectedVolumeUSD: f.ExpectedVolumeUSD,
		},
		People: []rest.KYBPerson{}, AllOwnersListed: f.AllOwnersListed, Documents: []rest.KYBDocument{},
		Completion: completion(f, h.documents), UpdatedAt: clock.ISOOrNil(h.draft.UpdatedAt),
	}
	for _, p := range f.People {
		shown := rest.KYBPerson{
			ID: p.ID, Name: p.Name, OwnershipPercent: rest.Number(p.OwnershipPercent), HasControl: p.HasControl,
			IsSigner: p.IsSigner,
		}
		if whole {
			shown.BirthDate, shown.Address = p.BirthDate, p.Address
		}
		v.People = append(v.People, shown)
	}
	for _, d := range h.documents {
		v.Documents = append(v.Documents, d.view())
	}
	return v
}

// lastFour shows no more than half of a short number.
func lastFour(number string) string {
	all := []rune(number)
	return string(all[len(all)-min(4, len(all)/2):])
}

// moment is how long a check takes at least, so that whoever submits sees it under review.
const moment = 2 * time.Second
