package platformtest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/approval"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/notification"
	"github.com/railkit/railkit/store/storetest"
)

// mailbox is a mail server.
type mailbox struct {
	mu   sync.Mutex
	fail error // of each mail, after it was taken where taken is set
	took bool
	got  []mail.Message
}

func (m *mailbox) Send(_ context.Context, one mail.Message) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail == nil || m.took {
		m.got = append(m.got, one)
	}
	return m.fail
}

// mailroom is a workspace whose people are mailed. Alice and Bob are users of its wallets, Ada is an admin, and Bob is
// also a member, who reads Spanish.
type mailroom struct {
	*bench
	box *mailbox
	now time.Time
	n   int
}

const (
	subOrg    = "sub-1"
	dashboard = "https://dash.example"
)

func mailing(test func(*testing.T, *mailroom)) func(*testing.T, *bench) {
	return func(t *testing.T, b *bench) {
		w := &mailroom{bench: b, box: &mailbox{}, now: storetest.Start}
		w.workspaces(t)
		bob := member(storetest.Ours, "bob", auth.RoleManager)
		bob.Language = mail.Spanish
		w.join(t, member(storetest.Ours, "ada", auth.RoleAdmin), bob)
		w.write(t, storetest.Ours, func(ctx context.Context, tx signing.Tx) error {
			return errors.Join(
				tx.InsertSubOrganization(ctx, passkey.SubOrganization{
					WorkspaceID: storetest.Ours, ID: subOrg, UserID: "user-owner", Email: "owner@example.com",
				}),
				tx.InsertPasskey(ctx, passkeyOf("alice")),
				tx.InsertPasskey(ctx, passkeyOf("bob")),
				tx.InsertWallet(ctx, wallet.Wallet{
					WorkspaceID: storetest.Ours, ID: "wallet-1", EnclaveID: "e-1", SubOrganizationID: subOrg,
					Name: "Treasury https://evil.example",
				}),
			)
		})
		test(t, w)
	}
}

func passkeyOf(user string) passkey.Passkey {
	return passkey.Passkey{
		WorkspaceID: storetest.Ours, ID: "passkey-" + user, SubOrganizationID: subOrg, UserID: "user-" + user,
		Email: user + "@example.com", CredentialID: "credential-" + user, Label: "Laptop of " + user,
	}
}

func (w *mailroom) write(t *testing.T, workspaceID string, fn func(context.Context, signing.Tx) error) {
	t.Helper()
	storetest.OK(t, w.Signing().Work(t.Context(), workspaceID, func(
		ctx context.Context, tx signing.Tx,
	) (command.Audit, error) {
		return command.Audit{}, fn(ctx, tx)
	}))
}

func (w *mailroom) service() *notification.Service {
	rows, log := w.Store.Notifications(), slog.New(slog.DiscardHandler)
	return notification.New(notification.Config{
		Store: rows, Post: mail.NewPost(w.box, rows, log), Dashboard: dashboard, Clock: w.Clock, Log: log,
	})
}

// after lets time go by, has a server look, and runs the jobs of its mails.
func (w *mailroom) after(t *testing.T, wait time.Duration) {
	t.Helper()
	w.now = w.now.Add(wait)
	w.At(w.now)
	s := w.service()
	storetest.OK(t, s.Sweep(t.Context()))
	for _, m := range w.queued(t) {
		storetest.OK(t, s.Send(t.Context(), m.WorkspaceID, m.ID))
	}
}

func (w *mailroom) queued(t *testing.T) []notification.Mail {
	t.Helper()
	mails, err := w.Store.Notifications().Unsent(t.Context(), w.now.Add(time.Hour), 100)
	storetest.OK(t, err)
	return mails
}

// wait has a request wait for votes, which is prepared with a transaction.
func (w *mailroom) wait(t *testing.T, change func(*approval.Approval)) approval.Approval {
	t.Helper()
	w.n++
	a := approval.Approval{
		WorkspaceID: storetest.Ours, ID: fmt.Sprintf("approval-%d", w.n), Kind: approval.SubjectTransaction,
		Subject: fmt.Sprintf("tx-%d", w.n), Activity: string(wire.SignIntent), SubOrganizationID: subOrg,
		WalletID: "wallet-1", Reason: "threshold", RequesterUserID: "user-alice", RequestedBy: "key-1", CostUSD: "251",
		Required: 2, State: approval.Pending, CreatedAt: w.now, UpdatedAt: w.now,
		ExpiresAt: w.now.Add(30 * time.Minute),
	}
	if change != nil {
		change(&a)
	}
	w.write(t, storetest.Ours, func(ctx context.Context, tx signing.Tx) error {
		return errors.Join(tx.InsertTransaction(ctx, transaction.Transaction{
			WorkspaceID: a.WorkspaceID, ID: a.Subject, SubOrganizationID: subOrg, WalletID: "wallet-1",
			Amount:      "250.00",
			TokenSymbol: "USDC", Chain: "base", To: "0xAb50000000000000000000000000000000000001",
			State: transaction.AwaitingApproval, CreatedAt: w.now, UpdatedAt: w.now,
		}), tx.InsertApproval(ctx, a))
	})
	return a
}

func (w *mailroom) move(t *testing.T, a approval.Approval, change func(*approval.Approval)) {
	t.Helper()
	from := a.State
	change(&a)
	w.write(t, storetest.Ours, func(ctx context.Context, tx signing.Tx) error { return tx.MoveApproval(ctx, a, from) })
}

// want compares who got how many mails, and returns those of the first person named.
func (w *mailroom) want(t *testing.T, what string, people ...string) (first []mail.Message) {
	t.Helper()
	var to []string
	for _, m := range w.box.got {
		to = append(to, strings.TrimSuffix(strings.ToLower(m.To), "@example.com"))
		if len(people) > 0 && to[len(to)-1] == people[0] {
			first = append(first, m)
		}
	}
	slices.Sort(to)
	sorted := slices.Sorted(slices.Values(people))
	if !slices.Equal(to, sorted) {
		t.Fatalf("%s: mailed %v, not %v: %+v", what, to, sorted, w.box.got)
	}
	w.box.got = nil
	return first
}

func says(t *testing.T, m mail.Message, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(m.Subject+"\n\n"+m.Text, word) {
			t.Errorf("the mail does not say %q:\n%s\n\n%s", word, m.Subject, m.Text)
		}
	}
}
