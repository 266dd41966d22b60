package platformtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/webhook"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/storetest"
)

var webhookTests = map[string]func(*testing.T, *bench){
	"Webhooks":          testWebhooks,
	"WebhookLeases":     testWebhookLeases,
	"WebhookOrder":      testWebhookOrder,
	"WebhookAgain":      testWebhookAgain,
	"WebhookReopened":   testWebhookReopened,
	"WebhookExpiry":     testWebhookExpiry,
	"WebhookLog":        testWebhookLog,
	"WebhooksDropped":   testWebhooksDropped,
	"WebhookNotices":    testWebhookNotices,
	"WebhookMeasures":   testWebhookMeasures,
	"WebhookClaimedOne": testWebhookClaimedOne,
}

var hook = webhook.Ref{WorkspaceID: storetest.Ours, ID: "hook"}

func (b *bench) webhook(t *testing.T, do func(context.Context, webhook.Tx) error) error {
	t.Helper()
	return record.Do(t.Context(), b.Store.Webhooks(), storetest.Ours, do)
}

// newWebhook makes an endpoint that is active, in a workspace with three events: of a, b and a.
func (b *bench) newWebhook(t *testing.T) {
	t.Helper()
	b.makeOwners(t)
	e := webhook.Endpoint{
		WorkspaceID: hook.WorkspaceID, ID: hook.ID, URL: "https://example.com", Description: "ours",
		Types: []string{"order.*"}, Status: webhook.Disabled, Reason: webhook.ReasonNew, SecretVersion: 1,
		Sealed: "sealed", CreatedAt: storetest.Start, UpdatedAt: storetest.Start, Work: webhook.Work{Cursor: -1},
	}
	storetest.OK(t, b.webhook(t, func(ctx context.Context, tx webhook.Tx) error {
		_, err := tx.HoldOwner(ctx, storetest.Ours)
		return errors.Join(err, tx.Insert(ctx, e))
	}))
	got, err := b.Store.Webhooks().WebhookEndpoint(t.Context(), hook)
	storetest.OK(t, err)
	storetest.Equal(t, "the new one", got, e)
	storetest.OK(t, b.makeKeys(t.Context(), storetest.Ours, "", "a", "b"))
	storetest.OK(t, b.makeKeys(t.Context(), storetest.Theirs, "", "c"))
	b.held(t, func(e *webhook.Endpoint) { e.Status, e.Reason, e.Cursor = webhook.Active, "", 0 })
}

// held changes the endpoint as a caller does.
func (b *bench) held(t *testing.T, change func(*webhook.Endpoint)) {
	t.Helper()
	storetest.OK(t, b.webhook(t, func(ctx context.Context, tx webhook.Tx) error {
		e, err := tx.Hold(ctx, hook)
		if err != nil {
			return err
		}
		change(&e)
		return tx.Update(ctx, e)
	}))
}

func (b *bench) waiting(t *testing.T, now time.Time) string {
	t.Helper()
	refs, err := b.Store.Webhooks().WaitingWebhooks(t.Context(), now, 10)
	storetest.OK(t, err)
	return fmt.Sprint(refs)
}

// Every field comes back as it was written; another workspace has none of it.
func testWebhooks(t *testing.T, b *bench) {
	b.newWebhook(t)
	later := storetest.Start.Add(time.Hour)
	want := webhook.Endpoint{
		WorkspaceID: hook.WorkspaceID, ID: hook.ID, URL: "https://example.org", Description: "other",
		Types: []string{"order.completed", "wallet.*"}, Status: webhook.Active, SecretVersion: 2, Sealed: "new",
		OldSealed: "sealed", OldUntil: later, CreatedAt: storetest.Start, UpdatedAt: later,
		Work: webhook.Work{
			Lease: "lease", LeasedUntil: later, Cursor: 7, ReplayAfter: 1, ReplayTo: 3, ReplayAll: true, NextAt: later,
			PausedUntil: later, Failures: 4, FailingSince: later,
		},
	}
	b.held(t, func(e *webhook.Endpoint) { *e = want })
	s := b.Store.Webhooks()
	got, err := s.WebhookEndpoint(t.Context(), hook)
	storetest.OK(t, err)
	storetest.Equal(t, "changed", got, want)
	all, total, err := s.WebhookEndpoints(t.Context(), storetest.Ours, page.Page{Limit: 10})
	storetest.OK(t, err)
	storetest.Equal(t, "listed", all, []webhook.Endpoint{want})
	storetest.Equal(t, "total", total, 1)
	_, err = s.WebhookEndpoint(t.Context(), webhook.Ref{WorkspaceID: storetest.Theirs, ID: hook.ID})
	storetest.Missing(t, "Webhook endpoint", err)
	_, total, err = s.WebhookEndpoints(t.Context(), storetest.Theirs, page.Page{Limit: 10})
	storetest.OK(t, err)
	storetest.Equal(t, "theirs", total, 0)
}

// A lease is one server's until it is over, and what another one writes under its own is refused.
func testWebhookLeases(t *testing.T, b *bench) {
	b.newWebhook(t)
	now := storetest.Start
	storetest.Equal(t, "at first", b.waiting(t, now), fmt.Sprint([]webhook.Ref{hook}))
	claim := func(lease string, now time.Time) error {
		return b.webhook(t, func(ctx context.Context, tx webhook.Tx) error {
			_, err := tx.Claim(ctx, hook, lease, now, now.Add(time.Minute))
			return err
		})
	}
	save := func(lease string, change func(*webhook.Endpoint)) error {
		return b.webhook(t, func(ctx context.Context, tx webhook.Tx) error {
			e, err := tx.Renew(ctx, hook, lease, now.Add(time.Minute))
			if err != nil {
				return err
			}
			change(&e)
			return tx.Save(ctx, e)
		})
	}
	storetest.OK(t, claim("one", now))
	storetest.Equal(t, "leased", b.waiting(t, now), "[]")
	storetest.Equal(t, "a second", errors.Is(claim("two", now.Add(59*time.Second)), record.ErrStale), true)
	storetest.OK(t, save("one", func(e *webhook.Endpoint) { e.Cursor, e.Failures = 2, 1 }))
	now = now.Add(2 * time.Minute)
	storetest.Equal(t, "of a server that died", b.waiting(t, now), fmt.Sprint([]webhook.Ref{hook}))
	storetest.OK(t, claim("two", now))
	storetest.Equal(t, "the first, late", errors.Is(save("one", func(*webhook.Endpoint) {}), record.ErrStale), true)
	for _, c := range []struct {
		change func(*webhook.Endpoint)
		waits  bool
	}{
		{func(e *webhook.Endpoint) { e.LeasedUntil, e.NextAt = now, time.Time{} }, false}, // has read all
		{func(e *webhook.Endpoint) { e.LeasedUntil, e.NextAt = now, now }, true},
		{func(e *webhook.Endpoint) { e.LeasedUntil, e.NextAt = now, now.Add(time.Second) }, false},
		{func(e *webhook.Endpoint) { e.LeasedUntil, e.NextAt, e.Cursor = now, time.Time{}, 1 }, true},
		{func(e *webhook.Endpoint) { e.LeasedUntil, e.PausedUntil = now, now.Add(time.Second) }, false},
	} {
		storetest.OK(t, save("two", c.change))
		storetest.Equal(t, "waits", b.waiting(t, now) != "[]", c.waits)
	}
	b.held(t, func(e *webhook.Endpoint) { e.Cursor, e.PausedUntil, e.ReplayTo = 2, time.Time{}, 1 })
	storetest.Equal(t, "a replay", b.waiting(t, now) != "[]", true)
	b.held(t, func(e *webhook.Endpoint) { e.Status = webhook.Disabled })
	storetest.Equal(t, "disabled", b.waiting(t, now), "[]")
	storetest.Equal(t, "disabled meanwhile", errors.Is(save("two", func(*webhook.Endpoint) {}), record.ErrStale), true)
	storetest.Equal(t, "disabled before", errors.Is(claim("three", now), record.ErrStale), true)
}

// Of many servers that see an endpoint at once, one has it.
func testWebhookClaimedOne(t *testing.T, b *bench) {
	b.newWebhook(t)
	var claiming sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		claiming.Go(func() {
			errs[i] = b.webhook(t, func(ctx context.Context, tx webhook.Tx) error {
				_, err := tx.Claim(ctx, hook, fmt.Sprint(i), storetest.Start, storetest.Start.Add(time.Minute))
				return err
			})
		})
	}
	claiming.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if !errors.Is(err, record.ErrStale) {
			t.Error(err)
		}
	}
	storetest.Equal(t, "won", won, 1)
}

// add makes deliveries of events with these numbers and objects, such as "1a".
func (b *bench) add(t *testing.T, again webhook.Again, now time.Time, events ...string) {
	t.Helper()
	storetest.OK(t, b.webhook(t, func(ctx context.Context, tx webhook.Tx) error {
		var all []webhook.Delivery
		for _, e := range events {
			all = append(all, webhook.Delivery{
				WorkspaceID: hook.WorkspaceID, EndpointID: hook.ID, Seq: int64(e[0] - '0'), ID: "event " + e,
				Type: event.APIKeyCreated, ObjectID: e[1:], Since: now, CreatedAt: now,
			})
		}
		err := tx.Add(ctx, all, again)
		for _, d := range all {
			err = errors.Join(err, tx.Promote(ctx, hook, d.ObjectID, now))
		}
		return err
	}))
}

// due names the deliveries that are due.
func (b *bench) due(t *testing.T, now time.Time) (all []webhook.Delivery, names string) {
	t.Helper()
	all, err := b.Store.Webhooks().DueWebhooks(t.Context(), hook, now, 10)
	storetest.OK(t, err)
	for _, d := range all {
		names += fmt.Sprint(d.Seq, d.ObjectID, " ")
	}
	return all, names
}

func (b *bench) end(t *testing.T, d webhook.Delivery, state webhook.State, now time.Time) {
	t.Helper()
	d.State, d.EndedAt = state, now
	storetest.OK(t, b.webhook(t, func(ctx context.Context, tx webhook.Tx) error {
		return errors.Join(tx.End(ctx, d), tx.Promote(ctx, hook, d.ObjectID, now))
	}))
}

// One delivery about an object is pending, the earliest; the next one when that has ended. Each comes with its event,
// and without where that is removed.
func testWebhookOrder(t *testing.T, b *bench) {
	b.newWebhook(t)
	now := storetest.Start.Add(time.Second)
	b.add(t, webhook.Never, now, "1a", "2b", "3a", "4a")
	all, names := b.due(t, now)
	storetest.Equal(t, "at first", names, "1a 2b ")
	storetest.Equal(t, "its event", string(all[0].Event.Type), "api_key.created")
	storetest.Equal(t, "its time", all[0].Event.At, storetest.Start)
	b.add(t, webhook.Never, now, "1a", "4a") // again, after a server died
	b.end(t, all[0], webhook.Delivered, now)
	all, names = b.due(t, now)
	storetest.Equal(t, "after the first", names, "2b 3a ")
	storetest.Equal(t, "of an event that is removed", all[1].Event.ID, "")
	later := all[1]
	later.State, later.Tries, later.DueAt = webhook.Pending, 1, now.Add(time.Minute)
	later.Attempts = []rest.WebhookAttempt{{At: "then", HTTPStatus: 500, Reason: "http_status", Answer: "é\x00\""}}
	storetest.OK(t, b.webhook(t, func(ctx context.Context, tx webhook.Tx) error { return tx.End(ctx, later) }))
	_, names = b.due(t, now)
	storetest.Equal(t, "while it waits", names, "2b ")
	storetest.OK(t, b.webhook(t, func(ctx context.Context, tx webhook.Tx) error {
		at, err := tx.NextDue(ctx, hook)
		storetest.Equal(t, "next", at, now)
		return err
	}))
	got, err := b.Store.Webhooks().WebhookDelivery(t.Context(), hook, later.ID)
	storetest.OK(t, err)
	storetest.Equal(t, "tried", got, later)
}

// What monitoring is told of: also an event that no server has looked at yet, and nothing of what has ended or of an
// endpoint that is disabled.
func testWebhookMeasures(t *testing.T, b *bench) {
	measured := func(what string, want ...webhook.Measure) {
		t.Helper()
		found, err := b.Store.Webhooks().MeasureWebhooks(t.Context())
		storetest.OK(t, err)
		for i := range found {
			found[i].Due = found[i].Due.UTC()
		}
		for i := range want {
			want[i].Endpoints, want[i].Due = 1, want[i].Due.UTC()
		}
		storetest.Equal(t, what, fmt.Sprint(found), fmt.Sprint(want))
	}
	measured("of an empty database")
	b.newWebhook(t)
	measured("without a dispatcher", webhook.Measure{Status: webhook.Active, Due: storetest.Start})
	now := storetest.Start.Add(time.Hour)
	b.held(t, func(e *webhook.Endpoint) { e.Cursor = 2 })
	measured("all read", webhook.Measure{Status: webhook.Active})
	b.add(t, webhook.Never, now, "1a", "2b", "3a")
	measured("one waits for another", webhook.Measure{Status: webhook.Active, Waiting: 3, Due: now})
	b.held(t, func(e *webhook.Endpoint) { e.Cursor = 1 })
	measured("an event is older", webhook.Measure{Status: webhook.Active, Waiting: 3, Due: storetest.Start})
	b.held(t, func(e *webhook.Endpoint) { e.Cursor, e.FailingSince = 2, now })
	measured("failing", webhook.Measure{Status: webhook.Active, Failing: true, Waiting: 3, Due: now})
	all, _ := b.due(t, now)
	for _, d := range all {
		b.end(t, d, webhook.Delivered, now)
	}
	measured("two delivered", webhook.Measure{Status: webhook.Active, Failing: true, Waiting: 1, Due: now})
	b.held(t, func(e *webhook.Endpoint) { e.Status, e.FailingSince = webhook.Disabled, time.Time{} })
	measured("disabled", webhook.Measure{Status: webhook.Disabled})
	b.held(t, func(e *webhook.Endpoint) { e.Status = webhook.Deleted })
	measured("deleted")
}

// What was delivered is sent again only where that is asked for; what failed keeps its order.
func testWebhookAgain(t *testing.T, b *bench) {
	b.newWebhook(t)
	now := storetest.Start.Add(time.Second)
	b.add(t, webhook.Never, now, "1a", "2b", "3a")
	for range 2 {
		all, _ := b.due(t, now)
		for _, d := range all {
			b.end(t, d, map[int64]webhook.State{1: webhook.Delivered, 2: webhook.Failed, 3: webhook.Failed}[d.Seq], now)
		}
	}
	_, names := b.due(t, now)
	storetest.Equal(t, "when all have ended", names, "")
	b.add(t, webhook.Never, now, "1a", "2b", "3a")
	_, names = b.due(t, now)
	storetest.Equal(t, "never", names, "")
	b.add(t, webhook.Unheard, now, "1a", "2b", "3a")
	_, names = b.due(t, now)
	storetest.Equal(t, "unheard", names, "2b 3a ")
	b.add(t, webhook.Always, now, "1a")
	_, names = b.due(t, now)
	storetest.Equal(t, "an earlier one beside a pending one", names, "2b 3a ")
	storetest.OK(t, b.webhook(t, func(ctx context.Context, tx webhook.Tx) error {
		return errors.Join(tx.Reopen(ctx, hook, 3, now), tx.Promote(ctx, hook, "a", now))
	}))
	_, names = b.due(t, now)
	storetest.Equal(t, "all reopened, the earliest first", names, "1a 2b ")
}

// What a request has sent again while a server sends it is sent once more: what came of the earlier attempt does not
// end it.
func testWebhookReopened(t *testing.T, b *bench) {
	b.newWebhook(t)
	now := storetest.Start.Add(time.Second)
	b.add(t, webhook.Never, now, "1a")
	sending, _ := b.due(t, now)
	later := now.Add(time.Minute)
	storetest.OK(t, b.webhook(t, func(ctx context.Context, tx webhook.Tx) error {
		return errors.Join(tx.Reopen(ctx, hook, 1, later), tx.Promote(ctx, hook, "a", later))
	}))
	b.end(t, sending[0], webhook.Failed, later)
	again, names := b.due(t, later)
	storetest.Equal(t, "after the earlier attempt", names, "1a ")
	b.end(t, again[0], webhook.Delivered, later)
	_, names = b.due(t, later)
	storetest.Equal(t, "after its own", names, "")
}

// What waits for too long is given up, and lets the next one have its turn.
func testWebhookExpiry(t *testing.T, b *bench) {
	b.newWebhook(t)
	begin := storetest.Start
	b.add(t, webhook.Never, begin, "1a", "2b", "3a", "4a")
	now := begin.Add(time.Hour)
	expire := func(pending, waiting time.Time) []string {
		var objects []string
		storetest.OK(t, b.webhook(t, func(ctx context.Context, tx webhook.Tx) (err error) {
			objects, err = tx.Expire(ctx, hook, now, pending, waiting)
			for _, id := range objects {
				err = errors.Join(err, tx.Promote(ctx, hook, id, now))
			}
			return err
		}))
		return objects
	}
	storetest.Equal(t, "nothing yet", len(expire(begin, begin)), 0)
	storetest.Equal(t, "the pending", len(expire(begin.Add(time.Second), begin)), 2)
	_, names := b.due(t, now)
	storetest.Equal(t, "the next", names, "3a ")
	storetest.OK(t, b.webhook(t, func(ctx context.Context, tx webhook.Tx) error {
		return tx.Refresh(ctx, hook, now)
	}))
	storetest.Equal(t, "begun anew", len(expire(now, now)), 0)
	storetest.Equal(t, "the waiting", fmt.Sprint(expire(begin, now.Add(time.Second))), "[a]")
	storetest.OK(t, b.webhook(t, func(ctx context.Context, tx webhook.Tx) error {
		return tx.Cancel(ctx, hook, "endpoint_deleted", now)
	}))
	_, names = b.due(t, now)
	storetest.Equal(t, "canceled", names, "")
}

// The log is newest first, and filtered.
func testWebhookLog(t *testing.T, b *bench) {
	b.newWebhook(t)
	for i, e := range []string{"1a", "2b", "3a"} {
		b.add(t, webhook.Never, storetest.Start.Add(time.Duration(i)*time.Second), e)
	}
	list := func(f webhook.Filter) (names string) {
		f.Ref = hook
		f.Page.Limit = 2
		all, total, err := b.Store.Webhooks().WebhookDeliveries(t.Context(), f)
		storetest.OK(t, err)
		for _, d := range all {
			names += fmt.Sprint(d.Seq, d.State, " ")
		}
		return names + fmt.Sprint(total)
	}
	storetest.Equal(t, "all", list(webhook.Filter{}), "3waiting 2pending 3")
	storetest.Equal(t, "the next page", list(webhook.Filter{Page: page.Page{
		After: &page.Cursor{CreatedAt: storetest.Start.Add(time.Second), ID: "event 2b"},
	}}), "1pending 3")
	storetest.Equal(t, "of an object", list(webhook.Filter{Object: "a"}), "3waiting 1pending 2")
	storetest.Equal(t, "of a state", list(webhook.Filter{State: webhook.Waiting}), "3waiting 1")
	storetest.Equal(t, "of a type", list(webhook.Filter{Type: "order.completed"}), "0")
	_, err := b.Store.Webhooks().WebhookDelivery(t.Context(), hook, "unknown")
	storetest.Missing(t, "Webhook delivery", err)
}

// Deliveries go with their events, but not before they have ended; a deleted endpoint goes with its last one.
func testWebhooksDropped(t *testing.T, b *bench) {
	b.newWebhook(t)
	b.add(t, webhook.Never, storetest.Start, "1a", "2b")
	all, _ := b.due(t, storetest.Start)
	b.end(t, all[0], webhook.Delivered, storetest.Start)
	drop := func() { storetest.OK(t, b.Store.Webhooks().DropWebhooks(t.Context(), storetest.Start)) }
	drop()
	storetest.Equal(t, "while there are events", b.Count(t, "webhook_deliveries"), 2)
	storetest.OK(t, b.DropEvents(t.Context(), storetest.Start.Add(time.Hour)))
	drop()
	storetest.Equal(t, "one has not ended", b.Count(t, "webhook_deliveries"), 1)
	b.held(t, func(e *webhook.Endpoint) { e.Status = webhook.Deleted })
	b.end(t, all[1], webhook.Canceled, storetest.Start)
	drop()
	storetest.Equal(t, "deliveries", b.Count(t, "webhook_deliveries"), 0)
	storetest.Equal(t, "endpoints", b.Count(t, "webhook_endpoints"), 0)
}

// A notice is in one mail, which tells of the same ones at each try. What comes after it was made is in the next one.
func testWebhookNotices(t *testing.T, b *bench) {
	n := webhook.Notice{
		WorkspaceID: storetest.Ours, ID: "a", EndpointID: hook.ID, Change: "created", URL: "https://example.com",
		By: auth.ByKey, ByID: "key", RemoteIP: "192.0.2.1", MailID: "a", CreatedAt: storetest.Start,
		UpdatedAt: storetest.Start,
	}
	s, now := b.Store.Webhooks(), storetest.Start.Add(time.Minute)
	insert := func(id, mail string) {
		n := n
		n.ID, n.MailID = id, mail
		storetest.OK(t, b.webhook(t, func(ctx context.Context, tx webhook.Tx) error { return tx.InsertNotice(ctx, n) }))
	}
	noticed := func(since time.Time) (is bool) {
		storetest.OK(t, b.webhook(t, func(ctx context.Context, tx webhook.Tx) (err error) {
			is, err = tx.Noticed(ctx, storetest.Ours, since)
			return err
		}))
		return is
	}
	gather := func(id string) (leads bool) {
		storetest.OK(t, b.webhook(t, func(ctx context.Context, tx webhook.Tx) (err error) {
			leads, err = tx.Gather(ctx, webhook.Notice{WorkspaceID: storetest.Ours, ID: id}, now)
			return err
		}))
		return leads
	}
	more := func(id string) int {
		n, err := s.WebhookNotice(t.Context(), storetest.Ours, id)
		storetest.OK(t, err)
		return n.More
	}
	waiting := func(before time.Time) (ids string) {
		rows, err := s.WaitingWebhookNotices(t.Context(), before, 10)
		storetest.OK(t, err)
		for _, n := range rows {
			ids += n.ID
		}
		return ids
	}
	mailed := func(id string) {
		storetest.OK(t, b.webhook(t, func(ctx context.Context, tx webhook.Tx) error {
			return tx.NoticesMailed(ctx, webhook.Notice{WorkspaceID: storetest.Ours, ID: id}, now)
		}))
	}
	storetest.Equal(t, "noticed at first", noticed(storetest.Start.Add(-time.Hour)), false)
	insert("a", "a")
	got, err := s.WebhookNotice(t.Context(), storetest.Ours, n.ID)
	storetest.OK(t, err)
	storetest.Equal(t, "notice", got, n)
	insert("b", "")
	insert("c", "")
	storetest.Equal(t, "too soon", waiting(storetest.Start), "")
	storetest.Equal(t, "waits", waiting(now), "abc")
	storetest.Equal(t, "c leads, a leads", fmt.Sprint(gather("c"), gather("b"), gather("a")), "true false true")
	insert("d", "")
	storetest.Equal(t, "c leads again", gather("c"), true)
	storetest.Equal(t, "more", fmt.Sprint(more("a"), more("c"), more("d")), "0 1 0")
	storetest.Equal(t, "leaders wait", waiting(now.Add(time.Second)), "dac")
	mailed("a")
	mailed("c")
	storetest.Equal(t, "of a mail that is sent", gather("c"), false)
	storetest.Equal(t, "the rest waits", waiting(now.Add(time.Second)), "d")
	storetest.Equal(t, "noticed, not mailed", noticed(now), true)
	gather("d")
	mailed("d")
	storetest.Equal(t, "noticed lately", noticed(storetest.Start.Add(-time.Second)), true)
	storetest.Equal(t, "noticed long ago", noticed(storetest.Start), false)
	storetest.OK(t, s.DropWebhooks(t.Context(), now.Add(time.Second)))
	storetest.Equal(t, "old", b.Count(t, "webhook_notices"), 0)
}
