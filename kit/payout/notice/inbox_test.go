package notice

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
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
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
		if n.State == StateReceived && n.ReceivedAt.Before(before) {
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

func (s *shelf) MoveNotice(_ context.Context, id string, from, to State, now time.Time) error {
	n := s.rows[id]
	if n.State != from {
		return record.ErrStale
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
	all := Follow{
		Transfer: follow("transfer", nil), Drain: follow("drain", nil), Customer: follow("customer", nil),
		Account: follow("account", nil),
	}
	for name, c := range map[string]struct {
		notice Notice
		follow Follow
		age    time.Duration
		called string
		state  State
		again  time.Duration
		err    error
	}{
		"transfer": {Notice{Category: "transfer", ObjectID: "t"}, all, 0, "transfer t", StateDone, 0, nil},
		"drain": {
			Notice{Category: "liquidation_address.drain", ObjectID: "d", AddressID: "la"}, all, 0, "drain la",
			StateDone, 0, nil,
		},
		"drain of nothing": {
			Notice{Category: "liquidation_address.drain", ObjectID: "d"}, all, unknownFor, "", StateUnmatched, 0, nil,
		},
		"account": {
			Notice{Category: "external_account", ObjectID: "a", CustomerID: "c"}, all, 0, "account a", StateDone, 0,
			nil,
		},
		"customer":       {Notice{Category: "customer", ObjectID: "c"}, all, 0, "customer c", StateDone, 0, nil},
		"something else": {Notice{Category: "card_account", ObjectID: "c"}, all, 0, "", StateIgnored, 0, nil},
		"nobody follows": {
			Notice{Category: "transfer", ObjectID: "t"}, Follow{}, unknownFor, "", StateUnmatched, 0, nil,
		},
		"not known yet": {
			Notice{Category: "transfer", ObjectID: "t"}, Follow{Transfer: follow("asked", ErrUnknownObject)},
			unknownFor - 1, "asked t", StateReceived, lookAgain, nil,
		},
		"not known": {
			Notice{Category: "transfer", ObjectID: "t"}, Follow{Transfer: follow("asked", ErrUnknownObject)},
			unknownFor, "asked t", StateUnmatched, 0, nil,
		},
		"failed": {
			Notice{Category: "transfer", ObjectID: "t"}, Follow{Transfer: follow("asked", broken)}, time.Hour,
			"asked t", StateReceived, 0, broken,
		},
		"failed for a day": {
			Notice{Category: "transfer", ObjectID: "t"}, Follow{Transfer: follow("asked", broken)}, failsFor,
			"asked t", StateUnmatched, 0, nil,
		},
		"done before": {
			Notice{Category: "transfer", ObjectID: "t", State: StateDone}, all, 0, "", StateDone, 0, nil,
		},
		"unmatched before": {
			Notice{Category: "transfer", ObjectID: "t", State: StateUnmatched}, all, 0, "", StateUnmatched, 0, nil,
		},
		"forgotten": {Notice{Category: "transfer", ObjectID: "t", ID: "gone"}, all, 0, "", "", 0, nil},
	} {
		if c.notice.State == "" {
			c.notice.State = StateReceived
		}
		c.notice.ReceivedAt, got = noon.Add(-c.age), ""
		var log bytes.Buffer
		s, id := &shelf{rows: map[string]Notice{}}, "gone"
		if c.notice.ID == "" {
			id, c.notice.ID = "n", "n"
			s.rows["n"] = c.notice
		}
		notices := New(Config{Store: s, Follow: c.follow, Clock: clock.Func(func() time.Time {
			return noon
		}), Log: slog.New(slog.NewTextHandler(&log, nil))})
		again, err := notices.Handle(t.Context(), id)
		if again != c.again || !errors.Is(err, c.err) || got != c.called || s.rows["n"].State != c.state {
			t.Errorf("%s: %v %v, asked %q, %s", name, again, err, got, s.rows["n"].State)
		}
		if c.state == StateUnmatched &&
			c.notice.State == StateReceived != strings.Contains(log.String(), "railkit admin notice lists it") {
			t.Errorf("%s: log %q", name, log.String())
		}
	}
}

// A job that was lost comes again, and what is old is forgotten.
func TestPayout_NoticesAreSwept(t *testing.T) {
	s := &shelf{rows: map[string]Notice{
		"old":  {ID: "old", State: StateReceived, ReceivedAt: noon.Add(-noticesLost - time.Second)},
		"new":  {ID: "new", State: StateReceived, ReceivedAt: noon},
		"done": {ID: "done", State: StateDone},
	}}
	n := New(Config{Store: s, Keep: 48 * time.Hour, Clock: clock.Func(func() time.Time { return noon })})
	if err := n.Sweep(t.Context()); err != nil ||
		len(s.jobs) != 1 || s.jobs[0] != (job.Job{Kind: Job, ID: "old"}) || !s.dropped.Equal(noon.Add(-48*time.Hour)) {
		t.Errorf("%v %v %v", err, s.jobs, s.dropped)
	}
}
