package admin

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/notice"
	cmd "github.com/railkit/railkit/platform/command"
)

// What nobody knew is listed for the operator, and looked at again by the running
// server when they say so.
func TestPayout_AdminNotices(t *testing.T) {
	a := apptest.New(t, apptest.WithPartner(t))
	s, rows := beside(t, a), a.Store.Payout()
	if out, said := s.must("notice", "list"); !strings.HasPrefix(out, "ID") || said != "none\n" {
		t.Errorf("%q %q", out, said)
	}
	for id, state := range map[string]notice.State{"n-1": notice.StateUnmatched, "n-2": notice.StateDone} {
		err := rows.Work(t.Context(), "", func(ctx context.Context, tx payout.Tx) (cmd.Audit, error) {
			_, err := tx.InsertNotice(ctx, notice.Notice{
				ID: id, Partner: "bridge", EventID: "e" + id, Category: "transfer", ObjectID: "of-" + id + "\x1b[31m",
				State: state, Seen: 1, Body: "{}", ReceivedAt: time.Now().Add(-time.Hour),
			})
			return cmd.Audit{}, err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	out, _ := s.must("notice", "list")
	if !strings.Contains(out, "n-1  unmatched  transfer  of-n-1") || strings.Contains(out, "n-2") ||
		strings.Contains(out, "\x1b") {
		t.Error(out)
	}
	if out, _ := s.must("notice", "list", "--state", "done"); !strings.Contains(out, "n-2") ||
		strings.Contains(out, "n-1") {
		t.Error(out)
	}
	before, err := rows.Notice(t.Context(), "n-1")
	if err != nil {
		t.Fatal(err)
	}
	s.must("notice", "retry", "--notice", "n-1")
	apptest.Eventually(t, "it was looked at, and nobody knows it still", func() bool {
		n, err := rows.Notice(t.Context(), "n-1")
		return err == nil && n.State == notice.StateUnmatched && n.HandledAt.After(before.HandledAt)
	})
	for id, want := range map[string]string{"n-2": "it was followed", "n-9": "there is none", "": "there is none"} {
		if code, _, said := s.run("notice", "retry", "--notice", id); code != 1 || !strings.Contains(said, want) ||
			strings.Contains(said, "n-9") {
			t.Errorf("%q: %d %s", id, code, said)
		}
	}
}
