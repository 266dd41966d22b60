package payee

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/mail"
)

// notices is a database with one notice.
type notices struct {
	Store
	Tx
	row  Notice
	jobs []job.Job
}

func (s *notices) PayeeNotice(_ context.Context, _, id string) (Notice, error) {
	if id != s.row.ID {
		return Notice{}, fault.Missing("Notice")
	}
	return s.row, nil
}

func (s *notices) WaitingPayeeNotices(_ context.Context, before time.Time, _ int) ([]Notice, error) {
	if s.row.Mailed || !s.row.UpdatedAt.Before(before) {
		return nil, nil
	}
	return []Notice{s.row}, nil
}

func (s *notices) Passkeys(context.Context, string, string) ([]passkey.Passkey, error) {
	return []passkey.Passkey{{Email: "bob@example.com"}, {Email: "alice@example.com"}, {Email: "Bob@example.com"}}, nil
}

func (s *notices) Work(
	ctx context.Context, _ string, change func(context.Context, Tx) (command.Audit, error),
) error {
	_, err := change(ctx, s)
	return err
}

func (s *notices) MovePayeeNotice(_ context.Context, n Notice) error {
	s.row.Mailed, s.row.UpdatedAt = n.Mailed, n.UpdatedAt
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

func (m *mailbox) ids() (all []string) {
	for _, one := range m.got {
		all = append(all, one.ID)
	}
	return all
}

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

func notifying(to mail.Mailer) (*Service, *notices) {
	s := New(Config{
		Post:  mail.NewPost(to, nil, slog.New(slog.DiscardHandler)),
		Clock: clock.Func(func() time.Time { return noon }),
	})
	db := &notices{row: s.noticeOf(Payee{WorkspaceID: "w", SubOrganizationID: "sub-1", Payee: wire.Payee{
		ID: "p-1", Name: "Ana https://evil.example/x", Chain: "base", Kind: wire.BankAccountPayee,
		AddedAt: "2026-11-23T11:59:58.123Z",
		Address: "0xAb50000000000000000000000000000000000001", BankAccount: &wire.PayeeBankAccount{
			Owner: "Ana Ruiz", Bank: "Banorte", LastFour: "9719", Currency: "MXN",
		},
	}})}
	s.c.Store = db
	return s, db
}

// Each user is mailed once, whatever comes between; mails that are sent again have the ids that they had.
func TestNotify(t *testing.T) {
	box := &mailbox{down: errors.New("down")}
	s, db := notifying(box)
	if err := s.Notify(t.Context(), "w", "another"); err != nil || len(box.got) != 0 {
		t.Errorf("no such notice: %v, %v", err, box.got)
	}
	if err := s.Notify(t.Context(), "w", db.row.ID); err == nil || db.row.Mailed {
		t.Fatalf("with the mail server down: %v, %+v", err, db.row)
	}
	first := box.ids()
	box.got, box.down = nil, nil
	for range 2 {
		if err := s.Notify(t.Context(), "w", db.row.ID); err != nil || !db.row.Mailed {
			t.Fatalf("%v, %+v", err, db.row)
		}
	}
	ids := box.ids()
	if len(ids) != 2 || ids[0] == ids[1] || len(first) != 1 || !slices.Contains(ids, first[0]) {
		t.Errorf("mailed %v, and %v before", ids, first)
	}

	refusing := &mailbox{down: mail.ErrRefused}
	s, db = notifying(refusing)
	if err := s.Notify(t.Context(), "w", db.row.ID); err != nil || !db.row.Mailed || len(refusing.got) != 1 {
		t.Errorf("one is refused for good: %v, %+v", err, refusing.got)
	}
}

// A notice whose job was lost gets another one. Without a mailer it waits as it is.
func TestNotify_Waits(t *testing.T) {
	s, db := notifying(nil)
	db.row.UpdatedAt = noon.Add(-time.Hour)
	err := errors.Join(s.Notify(t.Context(), "w", db.row.ID), s.Sweep(t.Context()))
	if err != nil || db.row.Mailed || len(db.jobs) != 0 {
		t.Errorf("without a mailer: %v, %+v, %v", err, db.row, db.jobs)
	}
	s.c.Post = mail.NewPost(&mailbox{}, nil, nil)
	for range 2 {
		if err := s.Sweep(t.Context()); err != nil || len(db.jobs) != 1 || db.jobs[0].ID != db.row.ID {
			t.Errorf("swept: %v, %v", err, db.jobs)
		}
	}
}

// The mail has no link, neither of its own nor in a name.
func TestNoticeText(t *testing.T) {
	_, db := notifying(nil)
	_, text, err := mail.Write(mail.English, db.row.letter())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"A payee was added to your wallet's book.", "Name: \"Ana https: / / evil. example/ x\"\n", "Network: base\n",
		"Address: 0xAb50000000000000000000000000000000000001\n", "Added: 23 November 2026 11:59:58 UTC\n",
		"the bank account that ends in 9719, of \"Ana Ruiz\" at \"Banorte\", in MXN\n",
		"Sub-organization sub-1, payee p-1.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the mail does not say %q:\n%s", want, text)
		}
	}
	gone := db.row
	gone.RemovedAt = "2026-11-23T12:00:00.000Z"
	_, text, err = mail.Write(mail.English, gone.letter())
	if err != nil || !strings.HasPrefix(text, "A payee was removed") ||
		!strings.Contains(text, "Removed: 23 November 2026 12:00:00 UTC\n") || strings.Contains(text, "://") {
		t.Errorf("of a removal:\n%s", text)
	}
}
