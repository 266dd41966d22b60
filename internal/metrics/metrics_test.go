package metrics

import (
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/job/queue"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/issuer"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/ratelimit"
	"github.com/railkit/railkit/platform/webhook"
)

// expect compares what is told under a prefix with all that should be.
func expect(t *testing.T, m *Metrics, prefix string, want map[string]float64) {
	t.Helper()
	got := read(t, m)
	for name, value := range want {
		if got[prefix+name] != value {
			t.Errorf("%s is %v, not %v", prefix+name, got[prefix+name], value)
		}
	}
	for name, value := range got {
		if _, expected := want[strings.TrimPrefix(name, prefix)]; strings.HasPrefix(name, prefix) && !expected &&
			value != 0 {
			t.Errorf("%s is %v", name, value)
		}
	}
}

func TestCalls(t *testing.T) {
	m := fresh()
	for range 3 {
		m.Begin()
	}
	m.End(edge.Measured{Operation: "createOrder", Caller: auth.ByKey, Status: 201, Took: time.Second})
	m.End(edge.Measured{Operation: "streamEvents", Caller: auth.ByKey, Status: 200, Took: time.Hour, Stream: true})
	expect(t, m, "railkit_calls", map[string]float64{
		"_in_flight": 1, "_total{caller=api_key,operation=createOrder,status=201}": 1,
		"_total{caller=api_key,operation=streamEvents,status=200}": 1,
	})
	expect(t, m, "railkit_call_seconds", map[string]float64{"{operation=createOrder}": 1})
	m.End(edge.Measured{Status: 299})
	expect(t, m, "railkit_call_seconds", map[string]float64{"{operation=createOrder}": 1, "{operation=unknown}": 1})
	if read(t, m)["railkit_calls_total{caller=none,operation=unknown,status=unknown}"] != 1 {
		t.Error("what has no name is not unknown")
	}
}

type full struct{ err error }

func (f full) Take(context.Context, string, ratelimit.Class, int) (ratelimit.Verdict, error) {
	return ratelimit.Verdict{}, f.err
}

func (f full) Send(context.Context, mail.Message) error { return f.err }

func TestOthers(t *testing.T) {
	m, broken := fresh(), errors.New("broken")
	_, _ = m.Limiter(full{}).Take(t.Context(), "who", ratelimit.Financial, 1)
	_, _ = m.Limiter(full{broken}).Take(t.Context(), "who", ratelimit.Standard, 1)
	expect(t, m, "railkit_rate_limit_refusals_total", map[string]float64{"{class=financial}": 1})

	for _, err := range []error{nil, fault.Field("body", "is wrong"), fault.ErrUnavailable, fault.ErrInternal, broken} {
		m.SignerCall(wire.MSubmit, time.Millisecond, err)
	}
	expect(t, m, "railkit_signer_calls_total{method=Submit,outcome=", map[string]float64{"ok}": 1, "refused}": 1,
		"failed}": 3})

	for _, err := range []error{nil, &node.Refusal{Class: node.ErrNoFunds}, &node.Refusal{Class: broken},
		node.ErrWrongNetwork} {
		m.NodeCall("base", time.Millisecond, err)
	}
	expect(t, m, "railkit_node_calls_total{network=base,outcome=", map[string]float64{"ok}": 1, "refused}": 1,
		"failed}": 2})

	for _, err := range []error{nil, &fiat.Refusal{}, fiat.ErrUnavailable, &fiat.Busy{}, fiat.ErrAnswer} {
		m.PartnerCall(time.Millisecond, err)
	}
	expect(t, m, "railkit_partner_calls_total{outcome=", map[string]float64{"ok}": 1, "refused}": 1, "failed}": 3})

	for _, err := range []error{nil, errors.Join(mail.ErrRefused, broken), broken} {
		if got := m.Mailer(full{err}).Send(t.Context(), mail.Message{}); !errors.Is(got, err) {
			t.Errorf("the error became %v", got)
		}
	}
	expect(t, m, "railkit_mails_total{outcome=", map[string]float64{"ok}": 1, "refused}": 1, "failed}": 1})

	for _, state := range []webhook.State{webhook.Delivered, webhook.Pending, webhook.Failed, webhook.Pending,
		webhook.Canceled} {
		m.WebhookDone(state)
	}
	expect(t, m, "railkit_webhook_deliveries_total{outcome=", map[string]float64{"delivered}": 1, "retried}": 2,
		"failed}": 1})

	m.JobRun("payout_pay", time.Millisecond, nil)
	m.JobRun("payout_pay", time.Millisecond, broken)
	expect(t, m, "railkit_job_runs_total", map[string]float64{
		"{kind=payout_pay,outcome=ok}": 1, "{kind=payout_pay,outcome=failed}": 1,
	})
}

// A kind of job that this program does not have, and a reason in the partner's words, get no series of their own.
func TestRowsHaveNoLabelsOfTheirOwn(t *testing.T) {
	m, now := fresh(), time.Unix(1_800_000_000, 0)
	m.snapshot(func() []prometheus.Metric {
		return jobsOf(map[job.Kind]bool{"known": true, "idle": true}, []queue.Backlog{
			{Kind: "known", State: "available", Jobs: 2, Late: time.Minute}, {Kind: "known", State: "running",
				Jobs: 1, Late: time.Hour},
			{Kind: "known", State: "retryable", Jobs: 1, Late: -time.Minute}, {Kind: "later", State: "available",
				Jobs: 3, Late: time.Second},
			{Kind: "older", State: "available", Jobs: 4, Late: 2 * time.Second},
		})
	}, jobs, jobOverdue)
	expect(t, m, "railkit_jobs", map[string]float64{
		"{kind=known,state=available}": 2, "{kind=known,state=running}": 1, "{kind=known,state=retryable}": 1,
		"{kind=unknown,state=available}": 7,
	})
	expect(t, m, "railkit_job_overdue_seconds", map[string]float64{"{kind=known}": 60, "{kind=unknown}": 2,
		"{kind=idle}": 0})

	m.snapshot(func() []prometheus.Metric {
		return holdsOf([]order.Order{
			{Hold: order.HoldScreening, UpdatedAt: now.Add(-time.Hour)}, {Hold: order.HoldScreening,
				UpdatedAt: now.Add(-time.Minute)},
			{Hold: "whatever the partner says", UpdatedAt: now}, {Hold: "or says next",
				UpdatedAt: now.Add(-time.Second)},
		}, now)
	}, holds, holdOldest)
	expect(t, m, "railkit_holds", map[string]float64{"{reason=screening}": 2, "{reason=other}": 2})
	expect(t, m, "railkit_hold_oldest_seconds", map[string]float64{"{reason=screening}": 3600, "{reason=other}": 1})

	m.snapshot(func() []prometheus.Metric {
		return ordersOf([]orderview.Measure{
			{Status: order.Completed, Orders: 9}, {Status: order.InReview, Orders: 2, Oldest: now.Add(-time.Hour)},
		}, now)
	}, orders, orderOldest)
	expect(t, m, "railkit_orders", map[string]float64{"{status=completed}": 9, "{status=in_review}": 2})
	expect(t, m, "railkit_order_oldest_seconds", map[string]float64{"{status=in_review}": 3600})
}

// What waits for endpoints that fail does not count as late for the others, and neither does what is tried again later.
func TestWebhooks(t *testing.T) {
	m, now := fresh(), time.Unix(1_800_000_000, 0)
	m.AskWebhooks(func(context.Context) ([]webhook.Measure, error) {
		return []webhook.Measure{
			{Status: webhook.Active, Endpoints: 3, Waiting: 5, Due: now.Add(time.Minute)},
			{Status: webhook.Active, Failing: true, Endpoints: 2, Waiting: 7, Due: now.Add(-time.Hour)},
			{Status: webhook.Disabled, Endpoints: 4}, {Status: webhook.Disabled, Failing: true, Endpoints: 1},
		}, nil
	}, func() time.Time { return now })
	expect(t, m, "railkit_webhook", map[string]float64{
		"_endpoints{status=active}": 3, "_endpoints{status=failing}": 2, "_endpoints{status=disabled}": 5,
		"s_waiting{status=active}": 5, "s_waiting{status=failing}": 7,
		"_overdue_seconds{status=active}": 0, "_overdue_seconds{status=failing}": 3600,
	})
}

// A signer of an earlier version does not say all: what it says is told.
// Two tokens with one symbol are one series, which is 1 where either is held; one that is listed no more is none.
func TestIssuers(t *testing.T) {
	token := func(address, symbol string) issuer.Token {
		return issuer.Token{Network: "solana", Address: address, Symbol: symbol}
	}
	moved := func(t issuer.Token) issuer.Issuer { return issuer.Issuer{Token: t, Kept: "a: 1", Seen: "a: 2"} }
	stays := func(t issuer.Token) issuer.Issuer { return issuer.Issuer{Token: t, Kept: "a: 1", Seen: "a: 1"} }
	m := fresh()
	m.AskIssuers([]issuer.Token{token("1", "USDC"), token("2", "USDC"), token("3", "EURC"), token("4", "NEW")},
		func(context.Context) ([]issuer.Issuer, error) {
			return []issuer.Issuer{
				moved(token("1", "USDC")), stays(token("2", "USDC")), stays(token("3", "EURC")),
				moved(token("0", "EURC")), moved(token("9", "OLD")),
			}, nil
		})
	expect(t, m, "railkit_token_issuer_changed", map[string]float64{
		"{network=solana,token=USDC}": 1, "{network=solana,token=EURC}": 0,
	})
}

func TestSigner(t *testing.T) {
	m, info := fresh(), wire.InfoReply{Seq: "7", StartedMs: "1800000000500", Prices: []wire.AssetPrice{
		{Price: wire.Price{Asset: "ETH"}, AsOf: "2027-01-15T08:00:00.000Z"}, {Price: wire.Price{Asset: "SOL"},
			Refused: "moved"},
	}}
	m.AskSigner(func(context.Context) (wire.InfoReply, error) { return info, nil })
	expect(t, m, "railkit_signer_", map[string]float64{"journal_entries": 7,
		"start_timestamp_seconds": 1_800_000_000.5})
	expect(t, m, "railkit_price_", map[string]float64{
		"timestamp_seconds{asset=ETH}": 1_800_000_000, "refused{asset=SOL}": 1,
	})
}

// What measuring adds to a call: the difference of the two.
func BenchmarkCall(b *testing.B) {
	for name, meter := range map[string]edge.Meter{"Plain": nil, "Measured": fresh()} {
		b.Run(name, func(b *testing.B) {
			_, strangers := edge.DefaultLimiters(clock.System{})
			s := edge.New(edge.Config{
				Log: slog.New(slog.DiscardHandler), Strangers: strangers, StrangerLimit: 1 << 40, Meter: meter,
			})
			edge.Public(s, edge.Op{ID: "getThing", Path: "/v1/things", Summary: "A thing"},
				func(context.Context, *struct{}) (edge.Empty, error) { return edge.Empty{}, nil })
			b.ReportAllocs()
			for b.Loop() {
				s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/v1/things", nil))
			}
		})
	}
}

// The hooks alone, of all processors at once.
func BenchmarkMeter(b *testing.B) {
	m := fresh()
	b.ReportAllocs()
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			m.Begin()
			m.End(edge.Measured{Operation: "createOrder", Caller: auth.ByKey, Status: 201, Took: 3 * time.Millisecond})
		}
	})
}
