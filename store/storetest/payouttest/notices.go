package payouttest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/notice"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/store/storetest"
)

var noticeTests = map[string]func(*testing.T, *bench){
	"Notices":       testNotices,
	"NoticeRace":    testNoticeRace,
	"NoticePages":   testNoticePages,
	"DropNotices":   testDropNotices,
	"NoticesOfMany": testNoticesOfMany,
}

func newNotice(id, event, object string, at time.Time) notice.Notice {
	return notice.Notice{
		ID: id, Partner: "bridge", EventID: event, Category: "transfer", ObjectID: object, CustomerID: "c",
		AddressID: "a",
		State:     notice.StateReceived, Seen: 1, Body: `{"é":"\u0000"}`, ReceivedAt: at,
	}
}

// noticed inserts a notice and tells whether it was the first.
func (b *bench) noticed(t *testing.T, n notice.Notice) (first bool) {
	t.Helper()
	storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) (err error) {
		first, err = tx.InsertNotice(ctx, n)
		return err
	}))
	return first
}

func (b *bench) moveNotice(ctx context.Context, id string, from, to notice.State) error {
	return b.pay(ctx, func(ctx context.Context, tx payout.Tx) error {
		return tx.MoveNotice(ctx, id, from, to, storetest.Start.Add(time.Hour))
	})
}

// The same event about the same object is one row, however often it comes.
func testNotices(t *testing.T, b *bench) {
	want := newNotice("n-1", "e-1", "o-1", storetest.Start)
	storetest.Equal(t, "first", b.noticed(t, want), true)
	again := newNotice("n-2", "e-1", "o-1", storetest.Start.Add(time.Minute))
	again.Body = "{}"
	storetest.Equal(t, "again", b.noticed(t, again), false)
	storetest.Equal(t, "another object", b.noticed(t, newNotice("n-3", "e-1", "o-2", storetest.Start)), true)
	other := newNotice("n-4", "e-1", "o-1", storetest.Start)
	other.Partner = "other"
	storetest.Equal(t, "another partner", b.noticed(t, other), true)
	want.Seen = 2
	got, err := b.payout().Notice(t.Context(), "n-1")
	storetest.OK(t, err)
	storetest.Equal(t, "notice", got, want)
	_, err = b.payout().Notice(t.Context(), "n-2")
	storetest.Missing(t, "Notice", err)

	waiting, err := b.payout().WaitingNotices(t.Context(), storetest.Start.Add(time.Second), 2)
	storetest.OK(t, err)
	storetest.Equal(t, "waiting", []string{waiting[0].ID, waiting[1].ID}, []string{"n-1", "n-3"})
	storetest.OK(t, b.moveNotice(t.Context(), "n-1", notice.StateReceived, notice.StateUnmatched))
	want.State, want.HandledAt = notice.StateUnmatched, storetest.Start.Add(time.Hour)
	got, err = b.payout().Notice(t.Context(), "n-1")
	storetest.OK(t, err)
	storetest.Equal(t, "moved", got, want)
	if err := b.moveNotice(
		t.Context(), "n-1", notice.StateReceived, notice.StateDone,
	); !errors.Is(err, record.ErrStale) {
		t.Errorf("moved twice: %v", err)
	}
}

// Of many that move one notice, one does.
func testNoticeRace(t *testing.T, b *bench) {
	b.noticed(t, newNotice("n-1", "e-1", "o-1", storetest.Start))
	errs := make(chan error)
	for range 8 {
		go func() { errs <- b.moveNotice(t.Context(), "n-1", notice.StateReceived, notice.StateDone) }()
	}
	moved := 0
	for range 8 {
		switch err := <-errs; {
		case err == nil:
			moved++
		case !errors.Is(err, record.ErrStale):
			t.Error(err)
		}
	}
	storetest.Equal(t, "moved", moved, 1)
}

// Of many that bring one notice, one is first.
func testNoticesOfMany(t *testing.T, b *bench) {
	firsts := make(chan bool)
	for i := range 8 {
		go func() {
			first := false
			err := b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) (err error) {
				first, err = tx.InsertNotice(ctx, newNotice("n-"+string(rune('a'+i)), "e-1", "o-1", storetest.Start))
				return err
			})
			if err != nil {
				t.Error(err)
			}
			firsts <- first
		}()
	}
	n := 0
	for range 8 {
		if <-firsts {
			n++
		}
	}
	storetest.Equal(t, "first", n, 1)
	storetest.Equal(t, "seen", b.Count(t, "partner_notices WHERE seen = 8"), 1)
}

func testNoticePages(t *testing.T, b *bench) {
	for i := range 5 {
		id := string(rune('a' + i))
		b.noticed(t, newNotice(id, id, id, storetest.Start.Add(time.Duration(i)*time.Second)))
		if i != 2 {
			storetest.OK(t, b.moveNotice(t.Context(), id, notice.StateReceived, notice.StateUnmatched))
		}
	}
	ids := func(p page.Page) (all string, total int) {
		rows, total, err := b.payout().Notices(t.Context(), notice.StateUnmatched, p)
		storetest.OK(t, err)
		for _, n := range rows {
			all += n.ID
		}
		return all, total
	}
	all, total := ids(page.Page{Limit: 2})
	storetest.Equal(t, "first page", all, "ed")
	storetest.Equal(t, "total", total, 4)
	all, _ = ids(page.Page{Limit: 9, After: &page.Cursor{CreatedAt: storetest.Start.Add(3 * time.Second), ID: "d"}})
	storetest.Equal(t, "rest", all, "ba")
}

// What nobody has looked at is not forgotten.
func testDropNotices(t *testing.T, b *bench) {
	for i, state := range []notice.State{
		notice.StateReceived, notice.StateDone, notice.StateUnmatched, notice.StateIgnored,
	} {
		for _, at := range []time.Time{storetest.Start, storetest.Start.Add(time.Hour)} {
			id := string(rune('a'+i)) + at.Format("15")
			b.noticed(t, newNotice(id, id, id, at))
			if state != notice.StateReceived {
				storetest.OK(t, b.moveNotice(t.Context(), id, notice.StateReceived, state))
			}
		}
	}
	storetest.OK(t, b.payout().DropNotices(t.Context(), storetest.Start.Add(time.Minute)))
	storetest.Equal(t, "left", b.Count(t, "partner_notices"), 5)
	storetest.Equal(t, "waiting", b.Count(t, "partner_notices WHERE state = 'received'"), 2)
}
