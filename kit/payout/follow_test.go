package payout

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/work"
	"github.com/railkit/railkit/platform/command"
)

// shelf keeps notices and counts jobs; everything else of a store is not asked for.
type shelf struct {
	Store
	Tx
	rows    map[string]Notice
	jobs    []job.Job
	dropped time.Time
}

func (s *shelf) Notice(_ context.Context, id string) (Notice, error) {
	n, ok := s.rows[id]
	if !ok {
		return n, fault.Missing("Notice")
	}
	return n, nil
}

func (s *shelf) WaitingNotices(_ context.Context, before time.Time, _ int) (all []Notice, _ error) {
	for _, n := range s.rows {
		if n.State == NoticeReceived && n.ReceivedAt.Before(before) {
			all = append(all, n)
		}
	}
	return all, nil
}

func (s *shelf) DropNotices(_ context.Context, before time.Time) error {
	s.dropped = before
	return nil
}

func (s *shelf) Work(ctx context.Context, _ string, fn func(context.Context, Tx) (command.Audit, error)) error {
	_, err := fn(ctx, s)
	return err
}

func (s *shelf) MoveNotice(_ context.Context, id string, from, to NoticeState, now time.Time) error {
	n := s.rows[id]
	if n.State != from {
		return work.ErrStale
	}
	n.State, n.HandledAt = to, now
	s.rows[id] = n
	return nil
}

func (s *shelf) Enqueue(_ context.Context, j job.Job) error {
	s.jobs = append(s.jobs, j)
	return nil
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// What a notice names is handed to who follows it; what nobody knows waits for our
// own row and then for a person, and is never lost.
func TestPayout_NoticesAreFollowed(t *testing.T) {
	broken := errors.New("the partner is away")
	var got string
	follow := func(what string, err error) func(context.Context, string) error {
		return func(_ context.Context, id string) error {
			got = what + " " + id
			return err
		}
	}
	all := Follow{Transfer: follow("transfer", nil), Drain: follow("drain", nil), Customer: follow("customer", nil), Account: follow("account", nil)}
	for name, c := range map[string]struct {
		notice Notice
		follow Follow
		age    time.Duration
		called string
		state  NoticeState
		again  time.Duration
		err    error
	}{
		"transfer":         {Notice{Category: "transfer", ObjectID: "t"}, all, 0, "transfer t", NoticeDone, 0, nil},
		"drain":            {Notice{Category: "liquidation_address.drain", ObjectID: "d", AddressID: "la"}, all, 0, "drain la", NoticeDone, 0, nil},
		"drain of nothing": {Notice{Category: "liquidation_address.drain", ObjectID: "d"}, all, strange, "", NoticeUnmatched, 0, nil},
		"account":          {Notice{Category: "external_account", ObjectID: "a", CustomerID: "c"}, all, 0, "account a", NoticeDone, 0, nil},
		"customer":         {Notice{Category: "customer", ObjectID: "c"}, all, 0, "customer c", NoticeDone, 0, nil},
		"something else":   {Notice{Category: "card_account", ObjectID: "c"}, all, 0, "", NoticeIgnored, 0, nil},
		"nobody follows":   {Notice{Category: "transfer", ObjectID: "t"}, Follow{}, strange, "", NoticeUnmatched, 0, nil},
		"not known yet":    {Notice{Category: "transfer", ObjectID: "t"}, Follow{Transfer: follow("asked", ErrNobodys)}, strange - 1, "asked t", NoticeReceived, lookAgain, nil},
		"not known":        {Notice{Category: "transfer", ObjectID: "t"}, Follow{Transfer: follow("asked", ErrNobodys)}, strange, "asked t", NoticeUnmatched, 0, nil},
		"failed":           {Notice{Category: "transfer", ObjectID: "t"}, Follow{Transfer: follow("asked", broken)}, time.Hour, "asked t", NoticeReceived, 0, broken},
		"done before":      {Notice{Category: "transfer", ObjectID: "t", State: NoticeDone}, all, 0, "", NoticeDone, 0, nil},
		"unmatched before": {Notice{Category: "transfer", ObjectID: "t", State: NoticeUnmatched}, all, 0, "", NoticeUnmatched, 0, nil},
		"forgotten":        {Notice{Category: "transfer", ObjectID: "t", ID: "gone"}, all, 0, "", "", 0, nil},
	} {
		if c.notice.State == "" {
			c.notice.State = NoticeReceived
		}
		c.notice.ReceivedAt, got = noon.Add(-c.age), ""
		var log bytes.Buffer
		s, id := &shelf{rows: map[string]Notice{}}, "gone"
		if c.notice.ID == "" {
			id, c.notice.ID = "n", "n"
			s.rows["n"] = c.notice
		}
		notices := NewNotices(NoticesConfig{Store: s, Follow: c.follow, Clock: clock.Func(func() time.Time { return noon }), Log: slog.New(slog.NewTextHandler(&log, nil))})
		again, err := notices.Handle(t.Context(), id)
		if again != c.again || !errors.Is(err, c.err) || got != c.called || s.rows["n"].State != c.state {
			t.Errorf("%s: %v %v, asked %q, %s", name, again, err, got, s.rows["n"].State)
		}
		if c.state == NoticeUnmatched && c.notice.State == NoticeReceived != strings.Contains(log.String(), "nobody knows") {
			t.Errorf("%s: log %q", name, log.String())
		}
	}
}

// A job that was lost comes again, and what is old is forgotten.
func TestPayout_NoticesAreSwept(t *testing.T) {
	s := &shelf{rows: map[string]Notice{
		"old": {ID: "old", State: NoticeReceived, ReceivedAt: noon.Add(-noticesLost - time.Second)}, "new": {ID: "new", State: NoticeReceived, ReceivedAt: noon},
		"done": {ID: "done", State: NoticeDone},
	}}
	n := NewNotices(NoticesConfig{Store: s, Keep: 48 * time.Hour, Clock: clock.Func(func() time.Time { return noon })})
	if err := n.Sweep(t.Context()); err != nil || len(s.jobs) != 1 || s.jobs[0] != (job.Job{Kind: JobNotice, ID: "old"}) || !s.dropped.Equal(noon.Add(-48*time.Hour)) {
		t.Errorf("%v %v %v", err, s.jobs, s.dropped)
	}
}

// claims knows whose a transfer is.
type claims struct {
	*shelf
	of map[string][2]string
}

func (c claims) OrderOf(_ context.Context, kind order.ClaimKind, id string) (workspaceID, orderID string, err error) {
	o, ok := c.of[id]
	if !ok || kind != order.ClaimPayout {
		return "", "", fault.Missing("Order")
	}
	return o[0], o[1], nil
}

// A notice about a payout has its order's work done now, beside what waits.
func TestPayout_TransferChanged(t *testing.T) {
	s := claims{&shelf{}, map[string][2]string{"tr-1": {"ws", "o-1"}}}
	kit := New(Config{Store: s})
	if err := kit.Follow().Transfer(t.Context(), "tr-1"); err != nil || len(s.jobs) != 1 || s.jobs[0] != (job.Job{Kind: JobOrder, WorkspaceID: "ws", ID: "o-1", Anew: true}) {
		t.Errorf("%v %v", err, s.jobs)
	}
	if err := kit.Follow().Transfer(t.Context(), "tr-2"); !errors.Is(err, ErrNobodys) || len(s.jobs) != 1 {
		t.Errorf("%v %v", err, s.jobs)
	}
}
