package payouttest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	rows "github.com/railkit/railkit/store/payout"
	"github.com/railkit/railkit/store/storetest"
)

var recipientTests = map[string]func(*testing.T, *bench){
	"Recipients":     testRecipients,
	"RecipientPages": testRecipientPages,
}

func (b *bench) payout() rows.Store { return b.Store.Payout() }

// pay runs fn in a commit of the payout kit's.
func (b *bench) pay(ctx context.Context, fn func(context.Context, payout.Tx) error) error {
	_, err := b.payout().Commit(ctx, storetest.Called(storetest.Ours), func(
		ctx context.Context, tx payout.Tx,
	) (command.Reply, error) {
		return command.Reply{Status: 200, Audit: command.Audit{Action: "test.pay"}}, fn(ctx, tx)
	})
	return err
}

func newRecipient(ws, id string) recipient.Recipient {
	return recipient.Recipient{
		WorkspaceID: ws, ID: id, Name: "Ana 100%", Email: "ana@example.com", Owner: recipient.Individual,
		Address: fiat.Address{Street: "Av. Reforma 1", City: "CDMX", State: "CDMX", PostalCode: "06600", Country: "MX"},
		Self:    true, Status: recipient.Active, PendingReason: "missing_bank", CreatedAt: storetest.Start,
		UpdatedAt: storetest.Start,
	}
}

func (b *bench) recipients(t *testing.T, all ...recipient.Recipient) {
	t.Helper()
	storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
		for _, r := range all {
			if err := tx.InsertRecipient(ctx, r); err != nil {
				return err
			}
		}
		return nil
	}))
}

func testRecipients(t *testing.T, b *bench) {
	want := newRecipient(storetest.Ours, "r-1")
	b.recipients(t, want)
	got, err := b.payout().Recipient(t.Context(), storetest.Ours, "r-1")
	storetest.OK(t, err)
	storetest.Equal(t, "recipient", got, want)
	_, err = b.payout().Recipient(t.Context(), storetest.Theirs, "r-1")
	storetest.Missing(t, "Recipient", err)
	want.Name, want.Email, want.Status, want.PendingReason = "Bea", "", recipient.Archived, ""
	want.UpdatedAt = storetest.Start.Add(time.Hour)
	storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
		_, err := tx.HoldRecipient(ctx, storetest.Theirs, "r-1")
		storetest.Missing(t, "Recipient", err)
		held, err := tx.HoldRecipient(ctx, storetest.Ours, "r-1")
		storetest.Equal(t, "held", held, got)
		return errors.Join(err, tx.UpdateRecipient(ctx, want))
	}))
	got, err = b.payout().Recipient(t.Context(), storetest.Ours, "r-1")
	storetest.OK(t, err)
	storetest.Equal(t, "changed", got, want)
}

func testRecipientPages(t *testing.T, b *bench) {
	for i, name := range []string{"Ana 100%", "Bea", "Änne", "Ana 1000"} {
		r := newRecipient(storetest.Ours, string(rune('a'+i)))
		r.Name, r.CreatedAt = name, storetest.Start.Add(time.Duration(i)*time.Second)
		if i == 1 {
			r.Status = recipient.Archived
		}
		b.recipients(t, r)
	}
	b.recipients(t, newRecipient(storetest.Theirs, "x"))
	list := func(f recipient.Filter) ([]string, int) {
		f.WorkspaceID = storetest.Ours
		rows, total, err := b.payout().Recipients(t.Context(), f)
		storetest.OK(t, err)
		return storetest.IDs(rows, func(r recipient.Recipient) string { return r.ID }), total
	}
	for _, c := range []struct {
		f     recipient.Filter
		want  []string
		total int
	}{
		{recipient.Filter{Page: page.Page{Limit: 9}}, []string{"d", "c", "b", "a"}, 4},
		{recipient.Filter{Page: page.Page{Limit: 2, Offset: 1}}, []string{"c", "b"}, 4},
		{recipient.Filter{
			Page: page.Page{Limit: 9, After: &page.Cursor{CreatedAt: storetest.Start.Add(time.Second), ID: "b"}},
		}, []string{"a"}, 4},
		{recipient.Filter{Status: recipient.Active, Page: page.Page{Limit: 9}}, []string{"d", "c", "a"}, 3},
		{recipient.Filter{Status: recipient.Archived, Page: page.Page{Limit: 9}}, []string{"b"}, 1},
		{recipient.Filter{Search: "100%", Page: page.Page{Limit: 9}}, []string{"a"}, 1},
		{recipient.Filter{Search: "äN", Page: page.Page{Limit: 9}}, []string{"c"}, 1},
	} {
		got, total := list(c.f)
		storetest.Equal(t, "page", got, c.want)
		storetest.Equal(t, "in all", total, c.total)
	}
}
