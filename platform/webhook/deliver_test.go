package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/webhook"
	"github.com/railkit/railkit/rest"
)

const here = "https://hooks.example.com/railkit"

// inBubble runs a test whose clock goes on when nothing else does, with a server that sends.
func inBubble(t *testing.T, every time.Duration, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, every)
		defer w.close()
		defer w.runs(w.Service)()
		test(w)
	})
}

// W2: ten tries, each within a tenth of the schedule of the specification, all with one id and one body; then it is
// given up. W8: an endpoint that failed for three days is tried again for what happens next.
func TestPlatform_W2_Schedule(t *testing.T) {
	inBubble(t, 20*time.Second, func(w *world) {
		e := w.endpoint(here)
		w.always(refuse)
		w.tell("order")
		time.Sleep(100 * time.Hour)
		got := w.events(here)
		waits := []time.Duration{
			5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour,
			14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
		}
		if len(got) != len(waits)+1 {
			t.Fatalf("%d tries", len(got))
		}
		for i, want := range waits {
			is := got[i+1].at.Sub(got[i].at)
			if is < want*9/10 || is > want*11/10+40*time.Second {
				t.Errorf("try %d came after %v, want about %v", i+2, is, want)
			}
			if got[i+1].id != got[0].id || string(got[i+1].raw) != string(got[0].raw) {
				t.Errorf("try %d has another id or body", i+2)
			}
		}
		if is := w.states(e.ID); is != "failed 1" {
			t.Error(is)
		}
		if v := w.get(e.ID); v.Status != "active" || v.FailingSince == nil {
			t.Errorf("%+v", v)
		}
		w.always(200)
		w.tell("order", "other")
		time.Sleep(11 * time.Minute)
		if is := w.states(e.ID); is != "delivered 2, failed 1" {
			t.Error(is)
		}
		if v := w.get(e.ID); v.FailingSince != nil || v.PausedUntil != nil {
			t.Errorf("%+v", v)
		}
		w.told(map[webhook.State]int{webhook.Pending: len(waits), webhook.Failed: 1, webhook.Delivered: 2})
	})
}

// W6: what happened while an endpoint was down for longer than the schedule is sent again by one call, in order, and
// what was delivered is not.
func TestPlatform_W6_ReplayOfARange(t *testing.T) {
	inBubble(t, time.Minute, func(w *world) {
		e := w.endpoint(here)
		w.tell("a", "b", "a")
		time.Sleep(3 * time.Minute)
		w.always(stop)
		for i := range 10 {
			w.tell(fmt.Sprint("o", i%7), "a")
			time.Sleep(time.Minute)
		}
		time.Sleep(20 * 24 * time.Hour)
		if is := w.states(e.ID); is != "delivered 3, failed 20" {
			t.Fatal(is)
		}
		w.counting.Lock()
		failed := w.done[webhook.Failed]
		w.counting.Unlock()
		if failed != 20 { // also those that were never tried
			t.Errorf("monitoring was told of %d that failed", failed)
		}
		w.always(200)
		w.forget()
		a, err := w.Replay(w.Context(), caller("replay"), e.ID, rest.WebhookReplay{After: 1})
		if v := answered[rest.WebhookEndpoint](w, a, err); v.Replay == nil {
			t.Errorf("%+v", v)
		}
		time.Sleep(3 * time.Minute)
		if is := w.states(e.ID); is != "delivered 23" || w.get(e.ID).Replay != nil {
			t.Error(is)
		}
		if got := w.events(here); len(got) != 20 {
			t.Errorf("%d were sent", len(got))
		}
		ordered(t, w.events(here))
	})
}

// ordered fails where an event about an object was answered well before an earlier one.
func ordered(t *testing.T, got []request) {
	t.Helper()
	last := map[string]int64{}
	for _, r := range got {
		if r.status != 200 {
			continue
		}
		if r.body.Sequence < last[r.body.Object.ID] {
			t.Errorf("%d of %s came after %d", r.body.Sequence, r.body.Object.ID, last[r.body.Object.ID])
		}
		last[r.body.Object.ID] = r.body.Sequence
	}
}

// W1: while some events fail and others do not, none about an object overtakes an earlier one.
func TestPlatform_W1_OrderOfAnObject(t *testing.T) {
	inBubble(t, time.Minute, func(w *world) {
		e := w.endpoint(here)
		tried := map[string]int{}
		w.answering(func(_ context.Context, r request) (int, http.Header) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if tried[r.id]++; tried[r.id] <= int(r.body.Sequence%4) {
				return refuse, nil
			}
			return 200, nil
		})
		var objects []string
		for i := range 200 {
			objects = append(objects, fmt.Sprint("o", i*i%11))
		}
		w.tell(objects...)
		time.Sleep(10 * 24 * time.Hour)
		if is := w.states(e.ID); is != "delivered 200" {
			t.Fatal(is)
		}
		ordered(t, w.events(here))
	})
}

// W7: an endpoint that answers nothing, and one that takes all its time, delay no other.
func TestPlatform_W7_SlowDelaysNoOther(t *testing.T) {
	inBubble(t, 0, func(w *world) {
		const dead, slow = "https://dead.example.com", "https://slow.example.com"
		for _, url := range []string{dead, slow, here} {
			w.endpoint(url)
		}
		w.answering(func(ctx context.Context, r request) (int, http.Header) {
			switch r.url {
			case dead:
				<-ctx.Done()
				return stop, nil
			case slow:
				time.Sleep(14 * time.Second)
			}
			return 200, nil
		})
		for i := range 300 {
			begun := time.Now()
			w.tell(fmt.Sprint(i))
			time.Sleep(time.Second)
			got := w.events(here)
			if len(got) != i+1 || got[i].at.Sub(begun) > time.Second {
				t.Fatalf("event %d was not sent within a second", i)
			}
		}
		// Once it is known to be down, one request in ten minutes is all that it costs.
		w.forget()
		time.Sleep(time.Hour)
		if n := len(w.events(dead)); n == 0 || n > 10 {
			t.Errorf("the dead endpoint was asked %d times in an hour", n)
		}
	})
}

// W3: 410 disables an endpoint, and its events wait; a redirect is a failure. Retry-After is heard, within bounds.
func TestPlatform_W3_Answers(t *testing.T) {
	inBubble(t, time.Second, func(w *world) {
		e := w.endpoint(here)
		w.answering(func(context.Context, request) (int, http.Header) { return 410, nil })
		w.tell("a", "b", "a")
		time.Sleep(time.Minute)
		if v := w.get(e.ID); v.Status != "disabled" || v.Reason != "gone" {
			t.Fatalf("%+v", v)
		}
		n := len(w.events(here))
		w.tell("c")
		time.Sleep(time.Hour)
		if got := len(w.events(here)); got != n {
			t.Errorf("%d were sent to a disabled endpoint", got-n)
		}
		w.always(200)
		w.pinged(e.ID)
		time.Sleep(time.Minute)
		if is := w.states(e.ID); is != "delivered 4" {
			t.Error(is)
		}
		ordered(t, w.events(here))

		for _, c := range []struct {
			status      int
			after       string
			least, most time.Duration
		}{
			{302, "", 4 * time.Second, 6 * time.Second},
			{400, "3600", 4 * time.Second, 6 * time.Second}, // nothing that says "later"
			{429, "90", 90 * time.Second, 90 * time.Second},
			{503, "a date", 19 * time.Minute, 20 * time.Minute},
			{429, "999999999", 24 * time.Hour, 24 * time.Hour},
			{429, "-1", 4 * time.Second, 6 * time.Second},
			{503, "soon", 4 * time.Second, 6 * time.Second},
		} {
			e := w.endpoint("https://later.example.com")
			if c.after == "a date" {
				c.after = time.Now().Add(20 * time.Minute).UTC().Format(http.TimeFormat)
			}
			w.answering(func(context.Context, request) (int, http.Header) {
				return c.status, http.Header{"Retry-After": {c.after}}
			})
			w.tell("d")
			time.Sleep(2 * time.Second)
			all, _, _, err := w.Deliveries(w.Context(), caller("").Principal, webhook.Filter{
				Ref: webhook.Ref{ID: e.ID}, Page: page.Page{Limit: 1},
			})
			if err != nil || len(all) != 1 || all[0].NextAttemptAt == nil || all[0].LastAttempt.HTTPStatus != c.status {
				t.Fatalf("%d %q: %+v, %v", c.status, c.after, all, err)
			}
			is := at(t, *all[0].NextAttemptAt).Sub(at(t, all[0].LastAttempt.At))
			if is < c.least || is > c.most {
				t.Errorf("%d %q: tried again after %v", c.status, c.after, is)
			}
			w.always(200)
			if _, err := w.Delete(w.Context(), caller("delete"), e.ID); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func at(t *testing.T, iso string) time.Time {
	t.Helper()
	when, err := time.Parse(time.RFC3339, iso)
	if err != nil {
		t.Fatal(err)
	}
	return when
}

// What a workspace may not read any more is sent to nobody, also where it was on its way.
func TestPlatform_WebhookRights(t *testing.T) {
	inBubble(t, 0, func(w *world) {
		all, orders := w.endpoint(here), w.endpoint("https://orders.example.com", "order.*")
		w.tellOf(ours, event.MemberJoined, "member")
		w.always(refuse)
		w.tell("order")
		time.Sleep(time.Second)
		w.tenant.Verified = false
		w.always(200)
		w.tell("order")
		w.tellOf(ours, event.WalletCreated, "wallet")
		time.Sleep(time.Minute)
		if is := w.states(all.ID); is != "canceled 1, delivered 2" {
			t.Error(is)
		}
		if is := w.states(orders.ID); is != "canceled 1" {
			t.Error(is)
		}
	})
}

// A new endpoint is told what happens after it was activated; one that moved or was disabled misses nothing.
func TestPlatform_WebhookGoesOn(t *testing.T) {
	inBubble(t, 0, func(w *world) {
		w.tell("before")
		e := w.endpoint(here)
		w.tell("a")
		time.Sleep(time.Second)
		w.always(refuse)
		w.tell("b", "b")
		time.Sleep(time.Second)
		const there = "https://there.example.com"
		url := there
		if _, err := w.Update(w.Context(), caller("update"), e.ID, rest.WebhookEndpointUpdate{URL: &url}); err != nil {
			t.Fatal(err)
		}
		w.tell("c")
		a, err := w.Ping(w.Context(), caller("ping"), e.ID)
		p := answered[rest.WebhookPing](w, a, err)
		if p.Endpoint.Status != "disabled" || p.Attempt.HTTPStatus != refuse {
			t.Errorf("%+v", p)
		}
		time.Sleep(time.Hour)
		if n := len(w.events(there)); n != 0 {
			t.Errorf("%d were sent before the ping was answered", n)
		}
		w.always(200)
		w.pinged(e.ID)
		time.Sleep(time.Second)
		if is := w.states(e.ID); is != "delivered 4" || len(w.events(there)) != 3 {
			t.Error(is, len(w.events(there)))
		}
		if _, err := w.Disable(w.Context(), caller("disable"), e.ID); err != nil {
			t.Fatal(err)
		}
		w.tell("d")
		time.Sleep(time.Minute)
		w.pinged(e.ID)
		time.Sleep(time.Second)
		if is := w.states(e.ID); is != "delivered 5" {
			t.Error(is)
		}
	})
}

// A server that dies between a request and the row of its answer sends it again under the same id, and no server's work
// is written by two: what a server writes that was taken for dead is refused.
func TestPlatform_WebhookServerDies(t *testing.T) {
	inBubble(t, 0, func(w *world) {
		e := w.endpoint(here)
		dying := &mortal{Store: w.store.Webhooks()}
		defer w.runs(w.server(dying))()
		w.answering(func(context.Context, request) (int, http.Header) {
			time.Sleep(time.Second)
			return 200, nil
		})
		for i := range 40 {
			if i%10 == 5 {
				dying.dead.Store(true)
			}
			w.tell(fmt.Sprint("o", i%3))
			time.Sleep(700 * time.Millisecond)
			dying.dead.Store(false)
		}
		time.Sleep(5 * time.Minute)
		if is := w.states(e.ID); is != "delivered 40" {
			t.Error(is)
		}
		ordered(t, w.events(here))
	})
}

// Why nothing is sent is in the log, also where the endpoint was disabled at the same time.
func TestPlatform_WebhookErrorLogged(t *testing.T) {
	inBubble(t, 0, func(w *world) {
		e := w.endpoint(here)
		w.failing = func() error {
			w.exec("UPDATE webhook_endpoints SET status = 'disabled' WHERE id = $1", e.ID)
			return errors.New("nobody knows its rights")
		}
		w.tell("a")
		time.Sleep(time.Second)
		synctest.Wait()
		if log := w.log.String(); !strings.Contains(log, "nobody knows its rights") {
			t.Errorf("the log says %q", log)
		}
	})
}

// What can be removed is removed, also where a row of another endpoint fails; where nothing can be, nothing is written.
func TestPlatform_WebhooksDropped(t *testing.T) {
	inBubble(t, time.Hour, func(w *world) {
		w.exec(`CREATE TRIGGER stuck BEFORE DELETE ON webhook_deliveries WHEN old.endpoint_id = 'a'
			BEGIN SELECT RAISE(ABORT, 'stuck'); END`)
		drop := func() error { return w.store.Webhooks().DropWebhooks(w.Context(), time.Now()) }
		for _, id := range []string{"a", "b"} {
			w.exec(`INSERT INTO webhook_endpoints SELECT $1, $2, '', '', '', 'active', '', 1, '', '', 0, 0, 0,
				'', 0, 0, 0, 0, 0, 0, 0, 0, 0`, ours, id)
			w.exec(`INSERT INTO webhook_deliveries SELECT $1, $2, 1, 'event', '', '', 'delivered', '', 0, '[]', 0, 0, 0, 0`,
				ours, id)
		}
		if err := drop(); err != nil { // their events are there
			t.Fatal(err)
		}
		w.exec("UPDATE audit_heads SET events = 1, events_removed = 1")
		if err := drop(); err == nil || !strings.Contains(err.Error(), "stuck") {
			t.Error(err)
		}
		if a, b := w.states("a"), w.states("b"); a != "delivered 1" || b != "" {
			t.Errorf("of the stuck one %q, of the other %q", a, b)
		}
	})
}

// An API key that changes endpoints without end has admins mailed of the first change at once, and of all others in one
// mail every two minutes, which says how many they are.
func TestPlatform_WebhookMailsGathered(t *testing.T) {
	inBubble(t, time.Hour, func(w *world) {
		w.exec(`INSERT INTO members (workspace_id, id, email, folded_email, role, created_at, updated_at)
			VALUES ($1, 'ann', 'ann@example.com', 'ann@example.com', 'admin', 0, 0)`, ours)
		e := w.endpoint(here)
		sweep := func() {
			w.Helper()
			if err := w.Sweep(w.Context()); err != nil {
				w.Fatal(err)
			}
			w.mailAll()
		}
		w.mailAll()
		for i := range 100 {
			_, err := w.Rotate(w.Context(), caller(fmt.Sprint("rotate", i)), e.ID, rest.WebhookRotation{})
			if err != nil {
				w.Fatal(err)
			}
			time.Sleep(time.Second)
			sweep()
		}
		if len(w.mails) != 1 || w.mails[0].Subject != "A webhook endpoint was added" {
			w.Fatalf("at first: %+v", w.mails)
		}
		time.Sleep(record.SweepJobs)
		sweep()
		sweep()
		if len(w.mails) != 2 || !strings.Contains(w.mails[1].Text, "And 99 more changes of webhook endpoints") {
			w.Fatalf("then: %+v", w.mails)
		}
		time.Sleep(record.SweepJobs)
		if _, err := w.Rotate(w.Context(), caller("last"), e.ID, rest.WebhookRotation{}); err != nil {
			w.Fatal(err)
		}
		w.mailAll()
		if len(w.mails) != 3 || strings.Contains(w.mails[2].Text, "more change") {
			w.Errorf("of one later change: %+v", w.mails)
		}
	})
}

// mailAll does the jobs of all notices.
func (w *world) mailAll() {
	w.Helper()
	rows, err := w.store.Writer().Query("SELECT id FROM webhook_notices ORDER BY created_at, id")
	if err != nil {
		w.Fatal(err)
	}
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			w.Fatal(err)
		}
		ids = append(ids, id)
	}
	_ = rows.Close()
	for _, id := range ids {
		if err := w.Notify(w.Context(), ours, id); err != nil {
			w.Fatal(err)
		}
	}
}

// mortal is the database as a server sees it that dies and comes back: nothing that it was about to write is written.
type mortal struct {
	webhook.Store
	dead atomic.Bool
}

var errDead = errors.New("the server is dead")

func (m *mortal) Work(
	ctx context.Context, workspaceID string, do func(context.Context, webhook.Tx) (command.Audit, error),
) error {
	if m.dead.Load() {
		return errDead
	}
	return m.Store.Work(ctx, workspaceID, do)
}
