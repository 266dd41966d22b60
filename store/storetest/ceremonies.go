package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
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
	Equal(t, "what comes too late", b.try(t, func(ctx context.Context, tx signing.Tx) error {
		return tx.TryCeremony(ctx, "hash-1", "given-3")
	}), record.ErrStale)
	want := aCeremony("hash-1")
	want.FinishedAt, want.Given = Start.Add(time.Second), "given-1"
	Equal(t, "what was finished first", b.ceremony(t, "hash-1"), want)
	Equal(t, "the other", b.ceremony(t, "hash-2"), aCeremony("hash-2"))
	Equal(t, "audit rows by the ceremony", b.Count(t, "audit WHERE actor = 'ceremony' AND actor_id = 'hash-1'"), 2)
}

func testCeremonyDeclined(t *testing.T, b *bench) {
	c := aCeremony("hash-1")
	c.Return = command.Return{URL: "https://app.example.com/done?a=b", State: "order 7"}
	b.insertCeremony(t, c)
	b.insertCeremony(t, aCeremony("hash-2"))
	decline := func(hash, given string) error {
		return b.try(t, func(ctx context.Context, tx signing.Tx) error {
			return tx.DeclineCeremony(ctx, link.Decline{
				TokenHash: hash, WorkspaceID: Ours, Given: given, Kind: link.Register, ID: "c-1",
				At: Start.Add(time.Second),
			})
		})
	}
	b.write(t, func(ctx context.Context, tx signing.Tx) error { return tx.TryCeremony(ctx, "hash-2", "stamp") })
	Equal(t, "where a stamp was handed in", decline("hash-2", "no"), record.ErrStale)
	OK(t, decline("hash-1", "no"))
	c.Declined, c.Given, c.FinishedAt = true, "no", Start.Add(time.Second)
	Equal(t, "what was declined", b.ceremony(t, "hash-1"), c)
	Equal(t, "declined again", decline("hash-1", "no"), record.ErrStale)
	Equal(t, "a stamp after it", b.try(t, func(ctx context.Context, tx signing.Tx) error {
		return tx.TryCeremony(ctx, "hash-1", "stamp")
	}), record.ErrStale)
	Equal(t, "events", b.Count(t, "events WHERE type = 'ceremony.declined' AND object_id = 'c-1'"), 1)
}

func testReturnOrigins(t *testing.T, b *bench) {
	origin := func(workspace, id string, at time.Time) link.Origin {
		return link.Origin{
			WorkspaceID: workspace, ID: id, Origin: "https://" + id + ".example.com", CreatedBy: "m-1", CreatedAt: at,
			UpdatedAt: at,
		}
	}
	put := func(o link.Origin) error {
		return b.try(t, func(ctx context.Context, tx signing.Tx) error { return tx.InsertReturnOrigin(ctx, o) })
	}
	first, second := origin(Ours, "o-1", Start), origin(Ours, "o-2", Start.Add(time.Second))
	OK(t, put(second))
	OK(t, put(first))
	OK(t, put(origin(Theirs, "o-1", Start)))
	Equal(t, "one that is there", put(origin(Ours, "o-1", Start.Add(time.Hour))), record.ErrStale)
	rows, err := b.ReturnOrigins(t.Context(), Ours)
	OK(t, err)
	Equal(t, "list", rows, []link.Origin{first, second})
	waiting, err := b.UnmailedReturnOrigins(t.Context(), Start.Add(time.Second), 9)
	OK(t, err)
	Equal(t, "unmailed ones", len(waiting), 2)

	mailed := first
	mailed.Mailed, mailed.UpdatedAt = true, Start.Add(time.Minute)
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		return errors.Join(tx.NoteReturnOriginMail(ctx, mailed),
			tx.RemoveReturnOrigin(ctx, Ours, "o-1", Start.Add(time.Minute)))
	})
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		n, err := tx.CountReturnOrigins(ctx, Ours)
		Equal(t, "those that are left", n, 1)
		return err
	})
	Equal(t, "removed again", b.try(t, func(ctx context.Context, tx signing.Tx) error {
		return tx.RemoveReturnOrigin(ctx, Ours, "o-1", Start.Add(time.Hour))
	}), record.ErrStale)
	mailed.RemovedAt = Start.Add(time.Minute)
	got, err := b.ReturnOrigin(t.Context(), Ours, "o-1")
	OK(t, err)
	Equal(t, "the removed one", got, mailed)

	again := origin(Ours, "o-1", Start.Add(time.Hour))
	OK(t, put(again))
	b.write(t, func(ctx context.Context, tx signing.Tx) error { return tx.NoteReturnOriginMail(ctx, mailed) })
	got, err = b.ReturnOrigin(t.Context(), Ours, "o-1")
	OK(t, err)
	Equal(t, "registered again, and to be mailed again", got, again)
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
