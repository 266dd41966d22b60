package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/payee"
	"github.com/railkit/railkit/platform/page"
)

var payeesTests = map[string]func(*testing.T, *bench){
	"Payee": testPayee, "PayeePages": testPayeePages, "PayeesOf": testPayeesOf,
	"PayeeNotices": testPayeeNotices, "PasskeyNotices": testPasskeyNotices,
}

func aPayee(ws, id string, seq int64) payee.Payee {
	return payee.Payee{
		WorkspaceID: ws, SubOrganizationID: "sub-1", Proof: `{"seq":7}`, Seq: seq, CreatedAt: Start,
		Payee: wire.Payee{
			ID: id, Name: "Ana Ruiz", Chain: "base", Address: checksummed, Kind: wire.BankAccountPayee,
			BankAccount: &wire.PayeeBankAccount{Owner: "Ana Ruiz", Bank: "Banorte", LastFour: "9719", Currency: "MXN"},
			AddedAt:     "2026-11-21T12:00:00.123Z",
		},
	}
}

func (b *bench) keepPayees(t *testing.T, payees ...payee.Payee) {
	t.Helper()
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		for _, p := range payees {
			if err := tx.KeepPayee(ctx, p); err != nil {
				return err
			}
		}
		return nil
	})
}

func (b *bench) payee(t *testing.T, id string) payee.Payee {
	t.Helper()
	p, err := b.Payee(t.Context(), Ours, id)
	OK(t, err)
	return p
}

// The enclave's later word stands, in whichever order the two come; the same word again repairs the row.
func testPayee(t *testing.T, b *bench) {
	_, err := b.Payee(t.Context(), Ours, "p-1")
	Missing(t, "Payee", err)
	gone := aPayee(Ours, "p-1", 9)
	gone.RemovedAt, gone.Proof = "2026-11-21T12:00:01.000Z", `{"seq":9}`
	b.keepPayees(t, aPayee(Ours, "p-1", 7), gone, aPayee(Ours, "p-1", 8), aPayee(Theirs, "p-1", 10))
	Equal(t, "the later word", b.payee(t, "p-1"), gone)
	gone.SubOrganizationID, gone.Name, gone.Chain, gone.Address = "sub-2", "Bea", "polygon", "0x01"
	gone.Kind, gone.BankAccount, gone.Proof = wire.WalletPayee, nil, ""
	gone.AddedAt, gone.CreatedAt = "2026-11-21T12:00:02.000Z", Start.Add(time.Second)
	b.keepPayees(t, gone)
	Equal(t, "every column of the same word", b.payee(t, "p-1"), gone)
	_, err = b.Payee(t.Context(), Theirs, "p-2")
	Missing(t, "Payee", err)

	ahead, right := gone, aPayee(Ours, "p-1", 11)
	ahead.Seq, ahead.Address = 1<<62, "0x02" // somebody edited the row
	b.keepPayees(t, ahead, right)
	Equal(t, "a row that is ahead of everything", b.payee(t, "p-1"), ahead)
	right.Replaces = 12
	b.keepPayees(t, right)
	Equal(t, "it has another seq than the one to be replaced", b.payee(t, "p-1"), ahead)
	right.Replaces = ahead.Seq
	b.keepPayees(t, right)
	right.Replaces = 0
	Equal(t, "replaced by its seq", b.payee(t, "p-1"), right)
}

func payeeID(p payee.Payee) string { return p.ID }

func testPayeesOf(t *testing.T, b *bench) {
	second, removed, other := aPayee(Ours, "p-1", 1), aPayee(Ours, "p-3", 1), aPayee(Ours, "p-4", 1)
	second.CreatedAt = Start.Add(time.Second)
	removed.RemovedAt = "2026-11-21T12:00:01.000Z"
	other.SubOrganizationID = "sub-2"
	b.keepPayees(t, second, aPayee(Ours, "p-2", 1), removed, other, aPayee(Theirs, "p-5", 1))
	all, err := b.PayeesOf(t.Context(), Ours, "sub-1")
	OK(t, err)
	Equal(t, "oldest first, removed ones too", IDs(all, payeeID), []string{"p-2", "p-3", "p-1"})
	for limit, want := range map[int][]string{3: {"p-1", "p-2", "p-3"}, 2: {"p-1", "p-2"}} {
		newest, err := b.NewestPayeesOf(t.Context(), Ours, "sub-1", limit)
		OK(t, err)
		Equal(t, "newest first, removed ones last", IDs(newest, payeeID), want)
	}
}

func testPayeePages(t *testing.T, b *bench) {
	other := aPayee(Ours, "p-3", 1)
	other.SubOrganizationID, other.CreatedAt = "sub-2", Start.Add(time.Second)
	other.Name, other.Chain, other.Address = "ÁNGEL 100%", "polygon", "0x01"
	gone := aPayee(Ours, "p-4", 1)
	gone.RemovedAt = "2026-11-21T12:00:01.000Z"
	b.keepPayees(t, aPayee(Ours, "p-1", 1), aPayee(Ours, "p-2", 1), other, gone, aPayee(Theirs, "p-5", 1))
	all := page.Page{Limit: 9}
	for i, tc := range []struct {
		f     payee.Filter
		total int
		want  []string
	}{
		{payee.Filter{Page: all}, 3, []string{"p-3", "p-2", "p-1"}},
		{payee.Filter{Page: page.Page{Limit: 1, Offset: 1}}, 3, []string{"p-2"}},
		{
			payee.Filter{Page: page.Page{Limit: 9, After: &page.Cursor{CreatedAt: Start, ID: "p-2"}}}, 3,
			[]string{"p-1"},
		},
		{payee.Filter{SubOrganizationID: "sub-1", Page: all}, 2, []string{"p-2", "p-1"}},
		{payee.Filter{Chain: "polygon", Page: all}, 1, []string{"p-3"}},
		{payee.Filter{Address: checksummed, Page: all}, 2, []string{"p-2", "p-1"}},
		{payee.Filter{Chain: "polygon", Address: checksummed, Page: all}, 0, []string{}},
		{payee.Filter{Search: "áNG", Page: all}, 1, []string{"p-3"}},
		{payee.Filter{Search: "0%", Page: all}, 1, []string{"p-3"}},
		{payee.Filter{Search: "%a%", Page: all}, 0, []string{}},
	} {
		tc.f.WorkspaceID = Ours
		rows, total, err := b.Payees(t.Context(), tc.f)
		OK(t, err)
		Equal(t, fmt.Sprintf("total of filter %d", i), total, tc.total)
		Equal(t, fmt.Sprintf("payees of filter %d", i), IDs(rows, payeeID), tc.want)
	}
}

// A notice waits until it is mailed, and nothing takes that back.
func testPayeeNotices(t *testing.T, b *bench) {
	notice := func(ws, id string, after time.Duration) payee.Notice {
		return payee.Notice{
			WorkspaceID: ws, ID: id, SubOrganizationID: "sub-1", Payee: aPayee(ws, "p-1", 7).Payee,
			UpdatedAt: Start.Add(after),
		}
	}
	first, again := notice(Ours, "n-1", 0), notice(Ours, "n-1", time.Hour)
	move := func(n payee.Notice) {
		t.Helper()
		b.write(t, func(ctx context.Context, tx signing.Tx) error { return tx.MovePayeeNotice(ctx, n) })
	}
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		return errors.Join(tx.InsertPayeeNotice(ctx, first), tx.InsertPayeeNotice(ctx, again),
			tx.InsertPayeeNotice(ctx, notice(Theirs, "n-1", time.Second)))
	})
	waiting := func(before time.Duration) []payee.Notice {
		t.Helper()
		rows, err := b.WaitingPayeeNotices(t.Context(), Start.Add(before), 9)
		OK(t, err)
		return rows
	}
	Equal(t, "waiting", waiting(time.Second), []payee.Notice{first})
	Equal(t, "of all workspaces", len(waiting(time.Minute)), 2)
	first.UpdatedAt = Start.Add(time.Hour)
	move(first)
	Equal(t, "touched", waiting(time.Minute), []payee.Notice{notice(Theirs, "n-1", time.Second)})
	mailed := first
	mailed.Mailed = true
	move(mailed)
	move(first)
	got, err := b.PayeeNotice(t.Context(), Ours, "n-1")
	OK(t, err)
	Equal(t, "mailed", got, mailed)
	_, err = b.PayeeNotice(t.Context(), Ours, "n-2")
	Missing(t, "Notice", err)
}

// A notice about a passkey is written once, waits until it is mailed, and nothing takes that back.
func testPasskeyNotices(t *testing.T, b *bench) {
	first := passkey.Notice{
		WorkspaceID: Ours, ID: "n-1", SubOrganizationID: "sub-1", CredentialID: "AQID", Email: "ana@example.com",
		NoticedAt: Start.Add(-time.Second), UpdatedAt: Start,
	}
	again, theirs, mailed := first, first, first
	again.Email, theirs.WorkspaceID, theirs.UpdatedAt = "bob@example.com", Theirs, Start.Add(time.Second)
	mailed.Mailed, mailed.UpdatedAt = true, Start.Add(time.Hour)
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		return errors.Join(tx.InsertPasskeyNotice(ctx, first), tx.InsertPasskeyNotice(ctx, again),
			tx.InsertPasskeyNotice(ctx, theirs))
	})
	rows, err := b.WaitingPasskeyNotices(t.Context(), Start.Add(time.Second), 9)
	OK(t, err)
	Equal(t, "waiting", rows, []passkey.Notice{first})
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		return errors.Join(tx.MovePasskeyNotice(ctx, mailed), tx.MovePasskeyNotice(ctx, first))
	})
	got, err := b.PasskeyNotice(t.Context(), Ours, "n-1")
	OK(t, err)
	Equal(t, "mailed", got, mailed)
	rows, err = b.WaitingPasskeyNotices(t.Context(), Start.Add(2*time.Hour), 9)
	OK(t, err)
	Equal(t, "of all workspaces", rows, []passkey.Notice{theirs})
	_, err = b.PasskeyNotice(t.Context(), Ours, "n-2")
	Missing(t, "Notice", err)
}
