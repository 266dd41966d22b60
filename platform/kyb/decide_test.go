package kyb

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/vault"
	"github.com/railkit/railkit/platform/workspace"
)

// memory keeps the submissions of one workspace, the last one last, and what is done about them.
type memory struct {
	Store
	all  []Submission
	done []string
}

func (m *memory) Submission(_ context.Context, _, id string) (Submission, error) {
	return m.all[slices.IndexFunc(m.all, func(s Submission) bool { return s.ID == id })], nil
}

func (m *memory) Work(
	ctx context.Context, _ string, fn func(context.Context, Tx) (command.Audit, error),
) error {
	_, err := fn(ctx, m.tx())
	return err
}

// memoryTx is the writing half.
type memoryTx struct {
	Tx
	m *memory
}

func (m *memory) tx() Tx { return memoryTx{m: m} }

func (t memoryTx) HoldWorkspace(context.Context, string) (workspace.Workspace, error) {
	return workspace.Workspace{ID: "w"}, nil
}

func (t memoryTx) UpdateWorkspace(_ context.Context, w workspace.Workspace) error {
	t.m.done = append(t.m.done, "workspace "+w.KYBStatus)
	return nil
}

func (t memoryTx) LastSubmission(context.Context, string) (Submission, error) {
	return t.m.all[len(t.m.all)-1], nil
}

func (t memoryTx) MoveSubmission(_ context.Context, s Submission, from State) error {
	i := slices.IndexFunc(t.m.all, func(o Submission) bool { return o.ID == s.ID })
	if t.m.all[i].State != from {
		return record.ErrStale
	}
	t.m.all[i] = s
	return nil
}

func (t memoryTx) InsertMails(context.Context, string, string, State, string, time.Time) error {
	t.m.done = append(t.m.done, "mails")
	return nil
}

func (t memoryTx) Enqueue(_ context.Context, j job.Job) error {
	t.m.done = append(t.m.done, string(j.Kind))
	return nil
}

// checker says what a test has it say, and may do something first.
type checker func() (Verdict, error)

func (c checker) Check(context.Context, string, Form) (Verdict, error) { return c() }

// reviewed is a service with a submission whose check is due.
func reviewed(t *testing.T, c checker) (*Service, *memory) {
	t.Helper()
	file, err := vault.NewSandboxKey()
	if err != nil {
		t.Fatal(err)
	}
	v, err := vault.Parse(file, false)
	if err != nil {
		t.Fatal(err)
	}
	sub := Submission{WorkspaceID: "w", ID: "s", Number: 1, State: InReview, CheckAt: today.Add(-time.Second)}
	if sub.Sealed, err = (Form{LegalName: "Acme"}).seal(v, sub.place()); err != nil {
		t.Fatal(err)
	}
	m := &memory{all: []Submission{sub}}
	now := clock.Func(func() time.Time { return today })
	return New(Config{Store: m, Vault: v, Checker: c, Clock: now}), m
}

// A checker that fails or says nonsense decides nothing, and is asked again. One that leaves it to the operator is not.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		says   Verdict
		fails  error
		state  State
		failed bool
		due    bool
		done   []string
	}{
		{Verdict{}, errors.New("away"), InReview, true, true, nil},
		{Verdict{State: "perhaps"}, nil, InReview, true, true, nil},
		{Verdict{State: Submitted}, nil, InReview, true, true, nil},
		{Verdict{}, nil, InReview, false, false, nil},
		{Verdict{State: Approved}, nil, Approved, false, false, []string{"mails", "kyb_mail", "workspace approved"}},
		{Verdict{Rejected, "r"}, nil, Rejected, false, false, []string{"mails", "kyb_mail", "workspace rejected"}},
		{Verdict{MoreInformation, "r"}, nil, MoreInformation, false, false,
			[]string{"mails", "kyb_mail", "workspace pending"}},
	} {
		s, m := reviewed(t, func() (Verdict, error) { return c.says, c.fails })
		_, err := s.Check(t.Context(), "w", "s")
		is := m.all[0]
		if is.State != c.state || is.CheckAt.IsZero() == c.due || (err != nil) != c.failed ||
			!slices.Equal(m.done, c.done) {
			t.Errorf("%+v: %v, %+v, %v", c.says, err, is, m.done)
		}
	}
}

// What the operator decided while the checker was thinking stands, also where members have submitted again since.
func TestCheck_OperatorWasFaster(t *testing.T) {
	for _, meanwhile := range []func(*memory){
		func(m *memory) { m.all[0].State, m.all[0].CheckAt = Rejected, time.Time{} },
		func(m *memory) {
			m.all[0].State = MoreInformation
			m.all = append(m.all, Submission{WorkspaceID: "w", ID: "s2", Number: 2, State: InReview})
		},
	} {
		var m *memory
		s, m := reviewed(t, func() (Verdict, error) {
			meanwhile(m)
			return Verdict{State: Approved}, nil
		})
		if _, err := s.Check(t.Context(), "w", "s"); err != nil || m.done != nil || m.all[0].State == Approved {
			t.Errorf("%v, %v: %+v", err, m.done, m.all)
		}
	}
}

// The form of another workspace, copied over this one's by somebody who writes to the database, is not judged.
func TestCheck_CopiedForm(t *testing.T) {
	s, m := reviewed(t, func() (Verdict, error) { return Verdict{State: Approved}, nil })
	other := m.all[0]
	other.WorkspaceID = "other"
	sealed, err := (Form{LegalName: "Good"}).seal(s.c.Vault, other.place())
	if err != nil {
		t.Fatal(err)
	}
	m.all[0].Sealed = sealed
	if _, err := s.Check(t.Context(), "w", "s"); !errors.Is(err, vault.ErrSealed) || m.all[0].State != InReview {
		t.Errorf("%v: %+v", err, m.all[0])
	}
}

func TestSandbox(t *testing.T) {
	for name, want := range map[string]State{
		"Acme": Approved, "Approve me": Approved, "REJECTED Ltd": Rejected, "More Information, reject": MoreInformation,
	} {
		v, err := Sandbox{}.Check(t.Context(), "s", Form{LegalName: name})
		if err != nil || v.State != want || (v.Reason == "") != (want == Approved) {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
}
