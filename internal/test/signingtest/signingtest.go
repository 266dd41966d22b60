// Package signingtest is what the tests of the signing kit share with those of the kits that stand on it: votes,
// stamps, and what an answer or an error says.
package signingtest

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testwait"
	railkit "github.com/railkit/railkit/sdk/go"
)

// ApprovalsPath is where approvals are.
const ApprovalsPath = "/v1/signing/approvals"

// Refuse makes the database fail an event of a table ("INSERT", "UPDATE"), on
// either engine, until the function that it returns is called.
func Refuse(t *testing.T, a *apptest.App, event, table, when string) (allow func()) {
	t.Helper()
	if when == "" {
		when = "1 = 1"
	}
	head := "CREATE TRIGGER refused BEFORE " + event + " ON " + table
	if !a.OnPostgres() {
		a.Edit(head + " WHEN " + when + " BEGIN SELECT RAISE(ABORT, 'full'); END")
		return func() { a.Edit("DROP TRIGGER refused") }
	}
	a.Edit("CREATE FUNCTION refused() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'full'; END $$")
	a.Edit(head + " FOR EACH ROW WHEN (" + when + ") EXECUTE FUNCTION refused()")
	return func() { a.Edit("DROP FUNCTION refused CASCADE") }
}

// Count counts rows.
func Count(t *testing.T, a *apptest.App, from string, args ...any) int {
	t.Helper()
	var n int
	err := a.Store.Writer().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+from, args...).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// StampOf is an owner's stamp of a body.
func StampOf(t *testing.T, o apptest.Owner, body string) *wire.Stamp {
	t.Helper()
	stamp, err := o.Passkey.Stamp(body)
	if err != nil {
		t.Fatal(err)
	}
	return (*wire.Stamp)(&stamp)
}

// StampedBy prepares and stamps a change.
func StampedBy(t *testing.T, o apptest.Owner) func(*railkit.Prepared, error) *railkit.SignedActivity {
	return func(p *railkit.Prepared, err error) *railkit.SignedActivity {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		signed, err := p.Stamp(o.Passkey)
		if err != nil {
			t.Fatal(err)
		}
		return &signed
	}
}

// Vote prepares a vote and stamps it.
func Vote(t *testing.T, a *apptest.App, id string, o apptest.Owner) (body string) {
	t.Helper()
	got := a.Do(a.Keys.BenchKey, "POST", ApprovalsPath+"/"+id+"/approve?prepare=true", "")
	var p railkit.Prepared
	if err := got.Into(&p); err != nil || got.Status != 200 {
		t.Fatalf("preparing a vote: %d %s\n%s", got.Status, got.Body, a.Log)
	}
	return apptest.JSON(
		t, map[string]any{"signedActivity": p.Signed(railkit.Stamp(*StampOf(t, o, p.UnsignedActivity.Body)))},
	)
}

// Confirmed waits until a transaction is confirmed.
func Confirmed(t *testing.T, a *apptest.App, c *railkit.Client, id string) {
	t.Helper()
	bounded, cancel := context.WithTimeout(t.Context(), testwait.Bound)
	defer cancel()
	b, err := c.Transactions.WaitConfirmed(bounded, id, 50*time.Millisecond)
	if err != nil || b.Status != "confirmed" || b.BlockNumber == nil {
		t.Fatalf("not confirmed: %+v, %v\n%s", b, err, a.Log)
	}
}

// WantQueued wants an error that says that something waits for votes.
func WantQueued(t *testing.T, err error) *railkit.QueuedError {
	t.Helper()
	var q *railkit.QueuedError
	if !errors.As(err, &q) || q.ApprovalID == "" || q.Status != "pending_approval" || q.ExpiresAt == "" {
		t.Fatalf("not queued: %v", err)
	}
	return q
}

// WantError wants an answer to be an error.
func WantError(t *testing.T, got apptest.Answer, status int, code string) {
	t.Helper()
	if got.Status != status || got.Field("error") != code || got.Field("success") != false {
		t.Errorf("%d %s, want %d %s", got.Status, got.Body, status, code)
	}
}

// Code is the code of an error; "" of one that is not the API's.
func Code(err error) string {
	var e *railkit.Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Code
}

// Names reports whether an error's message names the rule.
func Names(err error, rule string) bool {
	var e *railkit.Error
	return errors.As(err, &e) && strings.Contains(e.Message, rule)
}

// ShellLines are the blocks of shell lines of a page of the documentation that have a call in them.
func ShellLines(t *testing.T, page, call string) string {
	t.Helper()
	doc, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, block := range strings.Split(string(doc), "```sh\n")[1:] {
		if lines, _, _ := strings.Cut(block, "```"); strings.Contains(lines, call) {
			all.WriteString(lines)
		}
	}
	return all.String()
}
