package payout

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/payout/notice"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Notice finds one.
func (s noticeReads) Notice(ctx context.Context, id string) (notice.Notice, error) {
	row, err := s.db.Read.Notice(ctx, id)
	return sqldb.One("Notice", row, err, noticeRow)
}

// Notices lists a page of those in a state, newest first, and counts them.
func (s noticeReads) Notices(ctx context.Context, state notice.State, p page.Page) ([]notice.Notice, int, error) {
	total, err := s.db.Read.CountNotices(ctx, string(state))
	if err != nil {
		return nil, 0, sqldb.Reading("counting notices", err)
	}
	rows, err := db.New(s.db.Query(1).Newest(p)).ListNotices(ctx, string(state))
	return sqldb.Listed(total, rows, err, noticeRow)
}

// WaitingNotices lists what came before an instant and was not looked at, oldest first.
func (s noticeReads) WaitingNotices(ctx context.Context, before time.Time, limit int) ([]notice.Notice, error) {
	rows, err := s.db.Read.WaitingNotices(ctx, string(notice.StateReceived), sqldb.Micros(before), int32(limit))
	return sqldb.Many(rows, err, noticeRow)
}

// DropNotices forgets what was looked at and is older.
func (s noticeReads) DropNotices(ctx context.Context, before time.Time) error {
	return s.db.Transact(ctx, func(t *sqldb.Tx) error {
		return sqldb.Doing("dropping old notices", t.Q.DropNotices(ctx, sqldb.Micros(before)))
	})
}

// InsertNotice is false where the same one came before; it is counted then.
func (t tx) InsertNotice(ctx context.Context, n notice.Notice) (bool, error) {
	rows, err := t.Q.InsertNotice(ctx, db.InsertNoticeParams{
		ID: n.ID, Partner: n.Partner, EventID: n.EventID, Category: n.Category, ObjectID: n.ObjectID,
		CustomerID: n.CustomerID,
		AddressID:  n.AddressID, State: string(n.State), Seen: n.Seen, Body: n.Body,
		CreatedAt: sqldb.Micros(n.ReceivedAt),
	})
	if err == nil && rows == 0 {
		err = t.Q.CountNotice(ctx, n.Partner, n.EventID, n.ObjectID)
	}
	return rows == 1, sqldb.Doing("inserting a notice", err)
}

func (t tx) MoveNotice(ctx context.Context, id string, from, to notice.State, now time.Time) error {
	n, err := t.Q.MoveNotice(
		ctx, db.MoveNoticeParams{ID: id, FromState: string(from), ToState: string(to), Now: sqldb.Micros(now)},
	)
	return sqldb.Swapped("moving a notice", n, err)
}

func noticeRow(r db.PartnerNotice) (notice.Notice, error) {
	return notice.Notice{
		ID: r.ID, Partner: r.Partner, EventID: r.EventID, Category: r.Category, ObjectID: r.ObjectID,
		CustomerID: r.CustomerID,
		AddressID:  r.AddressID, State: notice.State(r.State), Seen: r.Seen, Body: r.Body,
		ReceivedAt: sqldb.Instant(r.CreatedAt), HandledAt: sqldb.Instant(r.HandledAt),
	}, nil
}
