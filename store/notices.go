package store

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/payout/notice"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/postgres"
)

// Notice finds one.
func (s noticeReads) Notice(ctx context.Context, id string) (notice.Notice, error) {
	row, err := s.read.Notice(ctx, id)
	return one("Notice", row, err, noticeRow)
}

// Notices lists a page of those in a state, newest first, and counts them.
func (s noticeReads) Notices(ctx context.Context, state notice.State, p page.Page) ([]notice.Notice, int, error) {
	total, err := s.read.CountNotices(ctx, string(state))
	if err != nil {
		return nil, 0, doing("counting notices", postgres.Tell(err))
	}
	rows, err := db.New(s.query(1).page("created_at", directions[""], p)).ListNotices(ctx, string(state))
	all, err := many(rows, err, noticeRow)
	return all, int(total), err
}

// WaitingNotices lists what came before an instant and was not looked at, oldest first.
func (s noticeReads) WaitingNotices(ctx context.Context, before time.Time, limit int) ([]notice.Notice, error) {
	rows, err := s.read.WaitingNotices(ctx, string(notice.StateReceived), micros(before), int32(limit))
	return many(rows, err, noticeRow)
}

// DropNotices forgets what was looked at and is older.
func (s noticeReads) DropNotices(ctx context.Context, before time.Time) error {
	return s.transact(ctx, func(tx *tx) error {
		return doing("dropping old notices", tx.q.DropNotices(ctx, micros(before)))
	})
}

// InsertNotice is false where the same one came before; it is counted then.
func (t noticeTx) InsertNotice(ctx context.Context, n notice.Notice) (bool, error) {
	rows, err := t.q.InsertNotice(ctx, db.InsertNoticeParams{
		ID: n.ID, Partner: n.Partner, EventID: n.EventID, Category: n.Category, ObjectID: n.ObjectID, CustomerID: n.CustomerID,
		AddressID: n.AddressID, State: string(n.State), Seen: n.Seen, Body: n.Body, CreatedAt: micros(n.ReceivedAt),
	})
	if err == nil && rows == 0 {
		err = t.q.CountNotice(ctx, n.Partner, n.EventID, n.ObjectID)
	}
	return rows == 1, doing("inserting a notice", err)
}

func (t noticeTx) MoveNotice(ctx context.Context, id string, from, to notice.State, now time.Time) error {
	n, err := t.q.MoveNotice(ctx, db.MoveNoticeParams{ID: id, FromState: string(from), ToState: string(to), Now: micros(now)})
	return swapped("moving a notice", n, err)
}

func noticeRow(r db.PartnerNotice) (notice.Notice, error) {
	return notice.Notice{
		ID: r.ID, Partner: r.Partner, EventID: r.EventID, Category: r.Category, ObjectID: r.ObjectID, CustomerID: r.CustomerID,
		AddressID: r.AddressID, State: notice.State(r.State), Seen: r.Seen, Body: r.Body,
		ReceivedAt: instant(r.CreatedAt), HandledAt: instant(r.HandledAt),
	}, nil
}
