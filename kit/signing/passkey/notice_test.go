package passkey

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/mail"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// notices is a database of notices, whose writes may fail.
type notices struct {
	NoticeStore
	rows map[string]Notice
	jobs []job.Job
	down error
}

func (s *notices) PasskeyNotice(_ context.Context, _, id string) (Notice, error) {
	if n, ok := s.rows[id]; ok {
		return n, nil
	}
	return Notice{}, fault.Missing("Notice")
}

func (s *notices) WaitingPasskeyNotices(_ context.Context, before time.Time, _ int) (all []Notice, _ error) {
	for _, n := range s.rows {
		if !n.Mailed && n.UpdatedAt.Before(before) {
			all = append(all, n)
		}
	}
	return all, nil
}

func (s *notices) Passkeys(context.Context, string, string) ([]Passkey, error) {
	return []Passkey{{Email: "bob@example.com"}, {Email: "alice@example.com"}, {Email: "Bob@example.com"}}, nil
}

func (s *notices) Work(
	ctx context.Context, _ string, change func(context.Context, NoticeTx) (command.Audit, error),
) error {
	if s.down != nil {
		return s.down
	}
	_, err := change(ctx, s)
	return err
}

func (s *notices) InsertPasskeyNotice(_ context.Context, n Notice) error {
	if _, known := s.rows[n.ID]; !known {
		s.rows[n.ID] = n
	}
	return nil
}

func (s *notices) MovePasskeyNotice(_ context.Context, n Notice) error {
	s.rows[n.ID] = n
	return nil
}

func (s *notices) Enqueue(_ context.Context, j job.Job) error {
	s.jobs = append(s.jobs, j)
	return nil
}

// mailbox takes mails, or answers with an error for one of the users.
type mailbox struct {
	down error
	got  []mail.Message
}

func (m *mailbox) Send(_ context.Context, one mail.Message) error {
	if m.down != nil && one.To == "alice@example.com" {
		return m.down
	}
	m.got = append(m.got, one)
	return nil
}

func posting(m *mailbox) *mail.Post { return mail.NewPost(m, nil, slog.New(slog.DiscardHandler)) }

// saying is an enclave that says one thing of the passkey that stamped.
type saying struct {
	signer.Enclave
	changed *wire.PasskeyChange
}

func (e saying) Submit(context.Context, wire.SubmitRequest, string) (client.Outcome, error) {
	return client.Outcome{Statement: wire.Statement{
		OrganizationID: "sub-1", Fingerprint: "sha256:01", Time: "2026-11-23T11:59:58.123Z", PasskeyChanged: e.changed,
	}}, nil
}

func (e saying) Outcome(ctx context.Context, fingerprint string) (client.Outcome, error) {
	return e.Submit(ctx, wire.SubmitRequest{}, fingerprint)
}

func TestNoticesOfSyncedPasskeys(t *testing.T) {
	box, db := &mailbox{down: errors.New("down")}, &notices{rows: map[string]Notice{}}
	s := NewNotices(db, posting(box), clock.Func(func() time.Time { return noon }))
	submit := func(changed *wire.PasskeyChange) error {
		_, err := s.Listening(saying{changed: changed}).Submit(t.Context(), wire.SubmitRequest{}, "")
		return err
	}
	synced := &wire.PasskeyChange{
		WorkspaceID: "w", CredentialID: "AQID", Email: "bob@example.com", BackupEligible: true,
	}
	bound := *synced
	bound.BackupEligible = false
	if err := errors.Join(submit(nil), submit(&bound)); err != nil || len(db.rows) > 0 {
		t.Fatalf("nothing to tell: %v, %+v", err, db.rows)
	}
	db.down = errors.New("no database")
	if err := submit(synced); err == nil {
		t.Fatal("a notice was lost, and nobody is told to try again")
	}
	db.down = nil
	_, err := s.Listening(saying{changed: synced}).Outcome(t.Context(), "")
	if err = errors.Join(err, submit(synced)); err != nil || len(db.rows) != 1 {
		t.Fatalf("told by two answers: %v, %+v", err, db.rows)
	}
	id := db.jobs[0].ID
	if err := s.Notify(t.Context(), "w", id); err == nil || db.rows[id].Mailed {
		t.Fatalf("with the mail server down: %v, %+v", err, db.rows)
	}
	box.down, box.got = nil, nil
	for range 2 {
		if err := s.Notify(t.Context(), "w", id); err != nil || !db.rows[id].Mailed {
			t.Fatalf("%v, %+v", err, db.rows)
		}
	}
	to := []string{box.got[0].To, box.got[1].To}
	if len(box.got) != 2 || !slices.Contains(to, "alice@example.com") || !strings.EqualFold(to[1], "bob@example.com") ||
		box.got[0].ID == box.got[1].ID || !strings.Contains(box.got[0].Text, "On 23 November 2026 11:59:58 UTC") {
		t.Errorf("%+v", box.got)
	}
}

// A notice whose job was lost gets another one, and one that was mailed none.
func TestNoticesSweep(t *testing.T) {
	db := &notices{rows: map[string]Notice{
		"old": {WorkspaceID: "w", ID: "old"}, "done": {WorkspaceID: "w", ID: "done", Mailed: true},
		"new": {WorkspaceID: "w", ID: "new", UpdatedAt: noon},
	}}
	s := NewNotices(db, posting(&mailbox{}), clock.Func(func() time.Time { return noon }))
	if err := s.Sweep(t.Context()); err != nil || len(db.jobs) != 1 || db.jobs[0].ID != "old" {
		t.Errorf("%v, %+v", err, db.jobs)
	}
	s.post = nil
	err := errors.Join(s.Sweep(t.Context()), s.Notify(t.Context(), "w", "new"))
	if err != nil || db.rows["new"].Mailed {
		t.Errorf("without a post: %v, %+v", err, db.rows)
	}
}
