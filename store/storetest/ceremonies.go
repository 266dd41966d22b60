package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/platform/command"
)

func aCeremony(hash string) link.Ceremony {
	return link.Ceremony{
		TokenHash: hash, WorkspaceID: Ours, Kind: link.Register, Subject: "challenge-1", Email: "a@example.com",
		CreatedAt: Start, ExpiresAt: Start.Add(5 * time.Minute),
	}
}

func (b *bench) ceremony(t *testing.T, hash string) link.Ceremony {
	t.Helper()
	c, err := b.Ceremony(t.Context(), hash)
	OK(t, err)
	return c
}

func (b *bench) insertCeremony(t *testing.T, c link.Ceremony) {
	t.Helper()
	b.write(t, func(ctx context.Context, tx signing.Tx) error { return tx.InsertCeremony(ctx, c) })
}

// by is a command that came by a ceremony.
func by(hash, given string) *command.Command {
	cmd := Called(Ours)
	cmd.Principal.ID = ""
	cmd.Ceremony = &command.Ceremony{ID: hash, Given: given}
	return cmd
}

func testCeremony(t *testing.T, b *bench) {
	_, err := b.Ceremony(t.Context(), "hash-1")
	Missing(t, "Ceremony", err)
	b.insertCeremony(t, aCeremony("hash-1"))
	Equal(t, "ceremony", b.ceremony(t, "hash-1"), aCeremony("hash-1"))
	if b.try(t, func(ctx context.Context, tx signing.Tx) error {
		return tx.InsertCeremony(ctx, aCeremony("hash-1"))
	}) == nil {
		t.Error("two links have one token")
	}
}

func testCeremonyFinished(t *testing.T, b *bench) {
	b.insertCeremony(t, aCeremony("hash-1"))
	b.insertCeremony(t, aCeremony("hash-2"))
	_, err := b.commit(t, by("hash-1", "given-1"), func(context.Context, signing.Tx) error { return context.Canceled })
	if err == nil || !b.ceremony(t, "hash-1").FinishedAt.IsZero() {
		t.Errorf("a commit that failed (%v) finished a ceremony", err)
	}
	b.write(t, func(ctx context.Context, tx signing.Tx) error { return tx.TryCeremony(ctx, "hash-1", "given-0") })
	tried := aCeremony("hash-1")
	tried.Given = "given-0"
	Equal(t, "what was tried", b.ceremony(t, "hash-1"), tried)
	b.Clock.set(Start.Add(time.Second))
	_, err = b.commit(t, by("hash-1", "given-1"), func(context.Context, signing.Tx) error { return nil })
	OK(t, err)
	b.Clock.set(Start.Add(time.Minute))
	_, err = b.commit(t, by("hash-1", "given-2"), func(context.Context, signing.Tx) error { return nil })
	OK(t, err)
	b.write(t, func(ctx context.Context, tx signing.Tx) error { return tx.TryCeremony(ctx, "hash-1", "given-3") })
	want := aCeremony("hash-1")
	want.FinishedAt, want.Given = Start.Add(time.Second), "given-1"
	Equal(t, "what was finished first", b.ceremony(t, "hash-1"), want)
	Equal(t, "the other", b.ceremony(t, "hash-2"), aCeremony("hash-2"))
	Equal(t, "audit rows by the ceremony", b.Count(t, "audit WHERE actor = 'ceremony' AND actor_id = 'hash-1'"), 2)
}

func testDropCeremonies(t *testing.T, b *bench) {
	later := aCeremony("hash-2")
	later.ExpiresAt = later.ExpiresAt.Add(time.Microsecond)
	b.insertCeremony(t, aCeremony("hash-1"))
	b.insertCeremony(t, later)
	OK(t, b.DropCeremonies(t.Context(), later.ExpiresAt))
	_, err := b.Ceremony(t.Context(), "hash-1")
	Missing(t, "Ceremony", err)
	Equal(t, "the one that expires then", b.ceremony(t, "hash-2"), later)
}
