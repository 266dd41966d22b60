package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/recovery"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/record"
)

var recoveryTests = cases{
	"Recovery": testRecovery, "RecoveryMail": testRecoveryMail, "RecoveriesThatWait": testRecoveriesThatWait, "RecoveryRule": testRecoveryRule,
	"AdminEmails": testAdminEmails, "EarlierRecoveries": testEarlierRecoveries,
}

func aRecovery(ws, id string) recovery.Recovery {
	return recovery.Recovery{
		WorkspaceID: ws, ID: id, SubOrganizationID: "sub-1", UserID: "user-1", Email: "ada@example.com", State: recovery.Requested,
		Bundle: "sealed", CreatedAt: start, UpdatedAt: start, ExpiresAt: start.Add(15 * time.Minute),
	}
}

func (b *bench) recovery(t *testing.T, id string) recovery.Recovery {
	t.Helper()
	r, err := b.Recovery(t.Context(), ours, id)
	ok(t, err)
	return r
}

func (b *bench) begin(t *testing.T, all ...recovery.Recovery) {
	t.Helper()
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		for _, r := range all {
			if err := tx.InsertRecovery(ctx, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// A recovery goes from one state to the next once, whoever sees it first.
func testRecovery(t *testing.T, b *bench) {
	_, err := b.Recovery(t.Context(), ours, "r-1")
	missing(t, "Recovery", err)
	b.begin(t, aRecovery(ours, "r-1"), aRecovery(ours, "r-1"), aRecovery(theirs, "r-1"))
	want := aRecovery(ours, "r-1")
	equal(t, "begun", b.recovery(t, "r-1"), want)

	want.Body, want.Fingerprint, want.CredentialID, want.Label, want.UpdatedAt = "{}", "fp-1", "cred-1", "New", start.Add(time.Second)
	try := func(tried string) error {
		return b.try(t, func(ctx context.Context, tx signing.Tx) error { return tx.TryRecovery(ctx, want, tried) })
	}
	equal(t, "another than was tried", try("fp-0"), record.ErrStale)
	equal(t, "the first", try(""), nil)
	equal(t, "tried", b.recovery(t, "r-1"), want)
	found, err := b.RecoveryOfPasskey(t.Context(), ours, "cred-1")
	ok(t, err)
	equal(t, "by its passkey", found, want)
	_, err = b.RecoveryOfPasskey(t.Context(), theirs, "cred-1")
	missing(t, "Recovery", err)

	want.State, want.Proof, want.EmailOnly, want.ReadyAt = recovery.Pending, `{"seq":1}`, true, start.Add(72*time.Hour)
	move := func(from recovery.State) error {
		return b.try(t, func(ctx context.Context, tx signing.Tx) error { return tx.MoveRecovery(ctx, want, from, ",pending") })
	}
	equal(t, "moved", move(recovery.Requested), nil)
	equal(t, "moved again", move(recovery.Requested), record.ErrStale)
	want.Owed = ",pending"
	equal(t, "pending", b.recovery(t, "r-1"), want)
	equal(t, "tried while it waits", try("fp-1"), record.ErrStale)
}

// What is owed is taken off only by who knew all of it.
func testRecoveryMail(t *testing.T, b *bench) {
	b.begin(t, aRecovery(ours, "r-1"))
	known := b.recovery(t, "r-1")
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		next := known
		next.State = recovery.Pending
		return tx.MoveRecovery(ctx, next, recovery.Requested, ",pending")
	})
	mailed := func() error {
		return b.try(t, func(ctx context.Context, tx signing.Tx) error { return tx.MailedRecovery(ctx, known, "") })
	}
	equal(t, "something else is owed", mailed(), record.ErrStale)
	known = b.recovery(t, "r-1")
	equal(t, "mailed", mailed(), nil)
	known.Owed, known.Bundle = "", ""
	equal(t, "nothing is owed, and the bundle is gone", b.recovery(t, "r-1"), known)
}

func (b *bench) waitingRecoveries(t *testing.T, before time.Time) (ids []string) {
	t.Helper()
	all, err := b.WaitingRecoveries(t.Context(), before, 10)
	ok(t, err)
	for _, r := range all {
		ids = append(ids, r.ID)
	}
	return ids
}

// What has ended, and owes nothing, waits for nobody.
func testRecoveriesThatWait(t *testing.T, b *bench) {
	late := aRecovery(theirs, "r-2")
	late.UpdatedAt = start.Add(time.Minute)
	b.begin(t, aRecovery(ours, "r-1"), late)
	equal(t, "of every workspace", b.waitingRecoveries(t, start.Add(time.Hour)), []string{"r-1", "r-2"})
	equal(t, "since long", b.waitingRecoveries(t, start.Add(time.Second)), []string{"r-1"})
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		return tx.TouchRecovery(ctx, ours, "r-1", start.Add(2*time.Minute))
	})
	equal(t, "the touched one goes behind", b.waitingRecoveries(t, start.Add(time.Hour)), []string{"r-2", "r-1"})
	end := b.recovery(t, "r-1")
	end.State = recovery.Cancelled
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		return tx.MoveRecovery(ctx, end, recovery.Requested, ",cancelled")
	})
	equal(t, "it owes a notice", b.waitingRecoveries(t, start.Add(time.Hour)), []string{"r-2", "r-1"})
	owing := b.recovery(t, "r-1")
	b.write(t, func(ctx context.Context, tx signing.Tx) error { return tx.MailedRecovery(ctx, owing, "") })
	equal(t, "it owes nothing", b.waitingRecoveries(t, start.Add(time.Hour)), []string{"r-2"})
}

func testRecoveryRule(t *testing.T, b *bench) {
	b.seed(t, ours)
	b.seed(t, theirs)
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		return tx.SetRecoveryRule(ctx, ours, "sub-1", "02ab", true)
	})
	want := aSubOrganization(ours, "sub-1")
	want.RecoveryPublicKey, want.EmailOnly = "02ab", true
	got, err := b.SubOrganization(t.Context(), ours, "sub-1")
	ok(t, err)
	equal(t, "ours", got, want)
	got, err = b.SubOrganization(t.Context(), theirs, "sub-1")
	ok(t, err)
	equal(t, "theirs", got, aSubOrganization(theirs, "sub-1"))
}

func testAdminEmails(t *testing.T, b *bench) {
	b.workspaces(t)
	b.join(t, member(ours, "m-2", auth.RoleAdmin), member(ours, "m-1", auth.RoleAdmin), member(ours, "m-3", auth.RoleViewer), member(theirs, "m-4", auth.RoleAdmin))
	got, err := b.AdminEmails(t.Context(), ours)
	ok(t, err)
	equal(t, "admins", got, []string{member(ours, "m-1", "").Email, member(ours, "m-2", "").Email})
}

// Recoveries of one address and one workspace are counted in the order of their time.
func testEarlierRecoveries(t *testing.T, b *bench) {
	at := func(ws, id, email string, after time.Duration) recovery.Recovery {
		r := aRecovery(ws, id)
		r.Email, r.CreatedAt = email, start.Add(after)
		return r
	}
	last := at(ours, "r-4", "ada@example.com", 2*time.Second)
	b.begin(t, at(ours, "r-1", "ada@example.com", -time.Second), at(ours, "r-2", "ada@example.com", 0), at(ours, "r-3", "ada@example.com", 2*time.Second),
		last, at(ours, "r-5", "ada@example.com", 3*time.Second), at(ours, "r-6", "bea@example.com", 0), at(theirs, "r-7", "ada@example.com", 0))
	for since, want := range map[time.Duration]int{-time.Second: 3, 0: 2, time.Second: 1, 3 * time.Second: 0} {
		got, err := b.EarlierRecoveries(t.Context(), last, start.Add(since))
		ok(t, err)
		equal(t, since.String(), got, want)
	}
}
