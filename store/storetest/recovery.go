package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/recovery"
	"github.com/railkit/railkit/platform/record"
)

var recoveryTests = map[string]func(*testing.T, *bench){
	"Recovery": testRecovery, "RecoveryMail": testRecoveryMail, "RecoveriesThatWait": testRecoveriesThatWait,
	"RecoveryRule":      testRecoveryRule,
	"EarlierRecoveries": testEarlierRecoveries,
}

func aRecovery(ws, id string) recovery.Recovery {
	return recovery.Recovery{
		WorkspaceID: ws, ID: id, SubOrganizationID: "sub-1", UserID: "user-1", Email: "ada@example.com",
		State:  recovery.Requested,
		Bundle: "sealed", CreatedAt: Start, UpdatedAt: Start, ExpiresAt: Start.Add(15 * time.Minute),
	}
}

func (b *bench) recovery(t *testing.T, id string) recovery.Recovery {
	t.Helper()
	r, err := b.Recovery(t.Context(), Ours, id)
	OK(t, err)
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
	_, err := b.Recovery(t.Context(), Ours, "r-1")
	Missing(t, "Recovery", err)
	b.begin(t, aRecovery(Ours, "r-1"), aRecovery(Ours, "r-1"), aRecovery(Theirs, "r-1"))
	want := aRecovery(Ours, "r-1")
	Equal(t, "begun", b.recovery(t, "r-1"), want)

	want.Body, want.Fingerprint, want.CredentialID, want.Label = "{}", "fp-1", "cred-1", "New"
	want.UpdatedAt = Start.Add(time.Second)
	try := func(tried string) error {
		return b.try(t, func(ctx context.Context, tx signing.Tx) error { return tx.TryRecovery(ctx, want, tried) })
	}
	Equal(t, "another than was tried", try("fp-0"), record.ErrStale)
	Equal(t, "the first", try(""), nil)
	Equal(t, "tried", b.recovery(t, "r-1"), want)
	found, err := b.RecoveryOfPasskey(t.Context(), Ours, "cred-1")
	OK(t, err)
	Equal(t, "by its passkey", found, want)
	_, err = b.RecoveryOfPasskey(t.Context(), Theirs, "cred-1")
	Missing(t, "Recovery", err)

	want.State, want.Proof, want.EmailOnly, want.ReadyAt = recovery.Pending, `{"seq":1}`, true, Start.Add(72*time.Hour)
	move := func(from recovery.State) error {
		return b.try(t, func(ctx context.Context, tx signing.Tx) error {
			return tx.MoveRecovery(ctx, want, from, ",pending")
		})
	}
	Equal(t, "moved", move(recovery.Requested), nil)
	Equal(t, "moved again", move(recovery.Requested), record.ErrStale)
	want.Owed = ",pending"
	Equal(t, "pending", b.recovery(t, "r-1"), want)
	Equal(t, "tried while it waits", try("fp-1"), record.ErrStale)
}

// What is owed is taken off only by who knew all of it.
func testRecoveryMail(t *testing.T, b *bench) {
	b.begin(t, aRecovery(Ours, "r-1"))
	known := b.recovery(t, "r-1")
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		next := known
		next.State = recovery.Pending
		return tx.MoveRecovery(ctx, next, recovery.Requested, ",pending")
	})
	mailed := func() error {
		return b.try(t, func(ctx context.Context, tx signing.Tx) error { return tx.MailedRecovery(ctx, known, "") })
	}
	Equal(t, "something else is owed", mailed(), record.ErrStale)
	known = b.recovery(t, "r-1")
	Equal(t, "mailed", mailed(), nil)
	known.Owed, known.Bundle = "", ""
	Equal(t, "nothing is owed, and the bundle is gone", b.recovery(t, "r-1"), known)
}

func (b *bench) waitingRecoveries(t *testing.T, before time.Time) (ids []string) {
	t.Helper()
	all, err := b.WaitingRecoveries(t.Context(), before, 10)
	OK(t, err)
	for _, r := range all {
		ids = append(ids, r.ID)
	}
	return ids
}

// What has ended, and owes nothing, waits for nobody.
func testRecoveriesThatWait(t *testing.T, b *bench) {
	late := aRecovery(Theirs, "r-2")
	late.UpdatedAt = Start.Add(time.Minute)
	b.begin(t, aRecovery(Ours, "r-1"), late)
	Equal(t, "of every workspace", b.waitingRecoveries(t, Start.Add(time.Hour)), []string{"r-1", "r-2"})
	Equal(t, "since long", b.waitingRecoveries(t, Start.Add(time.Second)), []string{"r-1"})
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		return tx.TouchRecovery(ctx, Ours, "r-1", Start.Add(2*time.Minute))
	})
	Equal(t, "the touched one goes behind", b.waitingRecoveries(t, Start.Add(time.Hour)), []string{"r-2", "r-1"})
	end := b.recovery(t, "r-1")
	end.State = recovery.Cancelled
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		return tx.MoveRecovery(ctx, end, recovery.Requested, ",cancelled")
	})
	Equal(t, "it owes a notice", b.waitingRecoveries(t, Start.Add(time.Hour)), []string{"r-2", "r-1"})
	owing := b.recovery(t, "r-1")
	b.write(t, func(ctx context.Context, tx signing.Tx) error { return tx.MailedRecovery(ctx, owing, "") })
	Equal(t, "it owes nothing", b.waitingRecoveries(t, Start.Add(time.Hour)), []string{"r-2"})
}

func testRecoveryRule(t *testing.T, b *bench) {
	b.seed(t, Ours)
	b.seed(t, Theirs)
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		return errors.Join( // of two words of the enclave the later one stands, in whichever order they come
			tx.SetRecoveryRule(ctx, Ours, "sub-1", "02aa", false, Start),
			tx.SetRecoveryRule(ctx, Ours, "sub-1", "02ab", true, Start.Add(time.Millisecond)),
			tx.SetRecoveryRule(ctx, Ours, "sub-1", "02aa", false, Start))
	})
	want := aSubOrganization(Ours, "sub-1")
	want.RecoveryPublicKey, want.EmailOnly = "02ab", true
	got, err := b.SubOrganization(t.Context(), Ours, "sub-1")
	OK(t, err)
	Equal(t, "ours", got, want)
	got, err = b.SubOrganization(t.Context(), Theirs, "sub-1")
	OK(t, err)
	Equal(t, "theirs", got, aSubOrganization(Theirs, "sub-1"))
}

// Recoveries of one address and one workspace are counted in the order of their time.
func testEarlierRecoveries(t *testing.T, b *bench) {
	at := func(ws, id, email string, after time.Duration) recovery.Recovery {
		r := aRecovery(ws, id)
		r.Email, r.CreatedAt = email, Start.Add(after)
		return r
	}
	last := at(Ours, "r-4", "ada@example.com", 2*time.Second)
	b.begin(t, at(
		Ours, "r-1", "ada@example.com", -time.Second,
	), at(Ours, "r-2", "ada@example.com", 0), at(Ours, "r-3", "ada@example.com", 2*time.Second),
		last, at(
			Ours, "r-5", "ada@example.com", 3*time.Second,
		), at(Ours, "r-6", "bea@example.com", 0), at(Theirs, "r-7", "ada@example.com", 0))
	for since, want := range map[time.Duration]int{-time.Second: 3, 0: 2, time.Second: 1, 3 * time.Second: 0} {
		got, err := b.EarlierRecoveries(t.Context(), last, Start.Add(since))
		OK(t, err)
		Equal(t, since.String(), got, want)
	}
}
