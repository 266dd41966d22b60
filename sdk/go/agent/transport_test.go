package agent_test

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/agent"
	"github.com/railkit/railkit/x402"
)

// whole reads an answer to its end.
func whole(res *http.Response, err error) (*http.Response, string, error) {
	if err != nil {
		return nil, "", err
	}
	raw, err := io.ReadAll(res.Body)
	return res, string(raw), errors.Join(err, res.Body.Close())
}

// bubble runs a test with a market and an agent, in which time passes at once.
func bubble(t *testing.T, name string, test func(t *testing.T, m *market, r *agent.Runtime)) {
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := newMarket(t)
			test(t, m, m.api.runtime())
		})
	})
}

// The same request comes again with what pays: its method, its body, and nothing else of the payment's.
func TestAgents_TransportPaysInTheRequest(t *testing.T) {
	for name, d := range map[string]x402.Dialect{"version 1": x402.V1, "version 2": x402.V2} {
		bubble(t, name, func(t *testing.T, m *market, r *agent.Runtime) {
			m.answer = func(w http.ResponseWriter, _ *http.Request, paid bool, _ int) {
				if !paid {
					ask(w, d, "10000")
				}
			}
			res, _, err := whole(m.client(r, "10000").Post(
				"http://shop/ask?q=1#part", "text/plain", strings.NewReader("a question"),
			))
			if err != nil || res.StatusCode != http.StatusOK {
				t.Fatalf("%+v, %v", res, err)
			}
			want := []string{"shop POST /ask  a question", "shop POST /ask header-of-payment-1 a question"}
			if !slices.Equal(m.heard, want) {
				t.Errorf("the seller heard %q", m.heard)
			}
			q := m.api.bought[0]
			if q.ResourceURL != "http://shop/ask?q=1" || q.Method != "POST" || q.Amount != "10000" ||
				q.Cluster != "base" || !strings.HasPrefix(q.Recipient, "0x70") || q.URL != "" {
				t.Errorf("the platform was asked %+v", q)
			}
			p, ok := agent.PaymentOf(res)
			if !ok || p.ID != "payment-1" || res.Request.Header.Get(x402.HeaderPayment) != "" {
				t.Errorf("%+v, %v", p, ok)
			}
			synctest.Wait()
			if len(m.api.seen) != 1 {
				t.Errorf("%d events are reported", len(m.api.seen))
			}
		})
	}
}

// What is not paid for: free answers, payments of another kind, prices above the limit, and what cannot be sent again.
func TestAgents_TransportPaysNothing(t *testing.T) {
	asking := func(change ...func(*x402.Offer)) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { ask(w, x402.V2, "10001", change...) }
	}
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter)
		change func(r *http.Request)
		right  func(res *http.Response, body string, err error) bool
	}{
		"a free answer": {
			func(w http.ResponseWriter) { _, _ = w.Write([]byte("free")) }, nil,
			func(_ *http.Response, body string, err error) bool { return err == nil && body == "free" },
		},
		"another kind of 402": {
			func(w http.ResponseWriter) { w.WriteHeader(402); _, _ = w.Write([]byte(`{"pay":"by card"}`)) }, nil,
			func(res *http.Response, body string, err error) bool {
				_, paid := agent.PaymentOf(res)
				return err == nil && res.StatusCode == 402 && body == `{"pay":"by card"}` && !paid
			},
		},
		"too dear": {asking(), nil, func(_ *http.Response, _ string, err error) bool {
			var e *agent.PriceError
			return errors.As(err, &e) && e.Price == "10001" && e.Limit == "10000"
		}},
		"another token": {
			asking(func(o *x402.Offer) { o.Asset = o.PayTo }), nil, func(_ *http.Response, _ string, err error) bool {
				var e *agent.OfferError
				return errors.As(err, &e) && e.Reasons[0] == x402.WhyAsset.Sentence()
			},
		},
		"offers that are broken": {
			func(w http.ResponseWriter) { w.Header().Set(x402.HeaderRequired, "?"); w.WriteHeader(402) }, nil,
			func(_ *http.Response, _ string, err error) bool { return errors.Is(err, x402.ErrOffers) },
		},
		"a body that is gone": {
			func(w http.ResponseWriter) { ask(w, x402.V2, "10000") },
			func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader("once")) },
			func(_ *http.Response, _ string, err error) bool { return errors.Is(err, agent.ErrBody) },
		},
		"a payment of the caller's": {
			asking(), func(r *http.Request) { r.Header.Set("X-Payment", "own") },
			func(res *http.Response, _ string, err error) bool { return err == nil && res.StatusCode == 402 },
		},
	} {
		bubble(t, name, func(t *testing.T, m *market, r *agent.Runtime) {
			m.answer = func(w http.ResponseWriter, _ *http.Request, _ bool, _ int) { c.answer(w) }
			req, err := http.NewRequest(http.MethodPost, "http://shop/", http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			if c.change != nil {
				c.change(req)
			}
			res, body, err := whole(m.client(r, "10000").Do(req))
			if !c.right(res, body, err) {
				t.Errorf("%+v, %s, %v", res, body, err)
			}
			if len(m.api.bought) > 0 || len(m.heard) != 1 {
				t.Errorf("signed for %v, and the seller heard %q", m.api.bought, m.heard)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		m := newMarket(t)
		if _, err := m.client(m.api.runtime(), "0.01").Get("http://shop/"); err == nil || len(m.heard) > 0 {
			t.Errorf("a limit with decimals: %v", err)
		}
	})
}

// Nobody knows whether the seller took the payment: it gets the same one again, and there is never a second signature.
func TestAgents_TransportSendsTheSamePayment(t *testing.T) {
	pending, err := x402.EncodeHeader(x402.Receipt{ErrorReason: x402.ReasonSettlementPending, Transaction: "0x11"})
	if err != nil {
		t.Fatal(err)
	}
	for name, fail := range map[string]func(w http.ResponseWriter){
		"cut": cut,
		"500": func(w http.ResponseWriter) { w.WriteHeader(500) },
		"a settlement under way": func(w http.ResponseWriter) {
			w.Header().Set(x402.HeaderReceipt, pending)
			w.WriteHeader(402)
		},
	} {
		bubble(t, name, func(t *testing.T, m *market, r *agent.Runtime) {
			until := 3 // requests of the seller's that fail
			m.answer = func(w http.ResponseWriter, _ *http.Request, paid bool, n int) {
				switch {
				case !paid:
					ask(w, x402.V2, "10000")
				case n <= until:
					fail(w)
				default:
					_, _ = w.Write([]byte("goods"))
				}
			}
			key := uuid.NewString()
			buy := func() (*http.Response, string, error) {
				req, err := http.NewRequestWithContext(railkit.WithIdempotencyKey(ctx, key), "GET", "http://shop/", nil)
				if err != nil {
					t.Fatal(err)
				}
				return whole(m.client(r, "10000").Do(req))
			}
			res, _, err := buy()
			if err != nil || res.StatusCode != 200 || len(m.heard) != 4 || len(m.api.bought) != 1 {
				t.Fatalf("%+v, %v; the seller heard %q", res, err, m.heard)
			}
			m.heard, until, key = nil, 5, uuid.NewString()
			res, _, err = buy() // four times in vain
			var unknown *agent.UnknownError
			switch {
			case len(m.heard) != 5 || len(m.api.bought) != 2:
				t.Errorf("the seller heard %q", m.heard)
			case name != "cut":
				if p, ok := agent.PaymentOf(res); err != nil || !ok || p.ID != "payment-2" {
					t.Errorf("%+v, %v", res, err)
				}
			case !errors.As(err, &unknown) || unknown.Key != key || unknown.PaymentID != "payment-2":
				t.Errorf("%v", err)
			}
			until = 0 // another process asks with the key
			if res, _, err = buy(); err != nil || res.StatusCode != 200 || len(m.api.paid) != 2 {
				t.Errorf("%+v, %v; signed %v", res, err, m.api.paid)
			}
			for _, heard := range m.heard {
				if strings.Contains(heard, "header") && !strings.Contains(heard, "header-of-payment-2") {
					t.Errorf("another payment was sent: %s", heard)
				}
			}
		})
	}
}

// A redirect is followed without the payment, to the same host and to another one, and is never paid for.
func TestAgents_TransportPaysOnceAcrossRedirects(t *testing.T) {
	for name, paidFirst := range map[string]bool{"after it was paid": true, "before": false} {
		bubble(t, name, func(t *testing.T, m *market, r *agent.Runtime) {
			m.answer = func(w http.ResponseWriter, r *http.Request, paid bool, _ int) {
				switch {
				case r.Host == "elsewhere", paidFirst && !paid:
					ask(w, x402.V2, "10000")
				default:
					http.Redirect(w, r, "http://elsewhere/taken", http.StatusTemporaryRedirect)
				}
			}
			res, _, err := whole(m.client(r, "10000").Get("http://shop/"))
			p, paid := agent.PaymentOf(res)
			if err != nil || res.StatusCode != 402 || paid != paidFirst || paid && p.ID != "payment-1" {
				t.Errorf("%+v, %v, %+v", res, err, p)
			}
			if len(m.api.paid) > 1 || !paidFirst && len(m.api.paid) > 0 {
				t.Errorf("signed %v", m.api.paid)
			}
			if last := m.heard[len(m.heard)-1]; last != "elsewhere GET /taken  " {
				t.Errorf("elsewhere heard %q", last)
			}
		})
	}
}

// Of the platform's refusals each has the type that it has for Pay; and its answers are asked for until they come.
func TestAgents_TransportIsRefused(t *testing.T) {
	refused := func(status int, code string, details object) func(w http.ResponseWriter, key string) bool {
		return func(w http.ResponseWriter, _ string) bool { refuse(w, status, code, details); return true }
	}
	for name, c := range map[string]struct {
		buy   func(w http.ResponseWriter, key string) bool
		tries int
		right func(err error) bool
	}{
		"the budget": {
			refused(402, "budget_exhausted", object{"failedLayers": []string{"payments"}}), 1, func(err error) bool {
				var e *agent.BudgetError
				return errors.As(err, &e) && e.FailedLayers[0] == "payments"
			},
		},
		"killed": {refused(403, "agent_killed", nil), 1, func(err error) bool {
			return errors.Is(err, agent.ErrKilled)
		}},
		"stopped": {refused(503, "kill_switch_active", nil), 1, func(err error) bool {
			return errors.Is(err, agent.ErrStopped)
		}},
		"no offer": {refused(422, "x402_no_offer", nil), 1, func(err error) bool {
			var e *railkit.Error
			return errors.As(err, &e) && e.Code == "x402_no_offer"
		}},
		"offers for another server": {refused(502, "x402_offers_unreadable", nil), 1, func(err error) bool {
			var e *railkit.Error
			return errors.As(err, &e) && !errors.Is(err, agent.ErrUnreachable)
		}},
		"lost": {func(w http.ResponseWriter, _ string) bool { cut(w); return true }, 4, func(err error) bool {
			var e *agent.UnknownError
			return errors.As(err, &e) && errors.Is(err, agent.ErrUnreachable)
		}},
		"a header that pays nobody": {func(w http.ResponseWriter, _ string) bool {
			answer(w, 200, object{
				"paymentHeaderName": "Authorization", "paymentHeader": "x", "payment": object{"id": "1"},
			})
			return true
		}, 1, func(err error) bool { var e *agent.UnknownError; return errors.As(err, &e) && e.PaymentID == "1" }},
		"nothing to pay": {func(w http.ResponseWriter, _ string) bool {
			answer(w, 200, object{"status": 404})
			return true
		}, 1, func(err error) bool { var e *agent.OfferError; return errors.As(err, &e) }},
	} {
		bubble(t, name, func(t *testing.T, m *market, r *agent.Runtime) {
			m.api.buy = func(w http.ResponseWriter, key string, _ railkit.X402Request, _ int) bool {
				return c.buy(w, key)
			}
			_, err := m.client(r, "10000").Get("http://shop/")
			if !c.right(err) || len(m.api.bought) != c.tries || len(m.heard) != 1 {
				t.Errorf("%v; asked %d times, the seller heard %q", err, len(m.api.bought), m.heard)
			}
			if name == "killed" && !errors.Is(r.Blocked(), agent.ErrKilled) {
				t.Errorf("blocked %v", r.Blocked())
			}
		})
	}
}

// Above the threshold a request waits for its owner, and goes on with the payment that was approved.
func TestAgents_TransportWaitsForApproval(t *testing.T) {
	for _, decision := range []string{"approved", "rejected", "killed"} {
		bubble(t, decision, func(t *testing.T, m *market, r *agent.Runtime) {
			m.api.buy = func(w http.ResponseWriter, _ string, q railkit.X402Request, n int) bool {
				if q.PaymentID == "" {
					answer(w, 202, object{"approvalId": approvalID, "status": "pending", "paymentId": "waiting"})
				} else if n == 2 {
					cut(w)
				}
				return q.PaymentID == ""
			}
			m.api.approval = func(w http.ResponseWriter, n int) {
				a := object{"id": approvalID, "status": "pending"}
				if n > 2 && decision != "killed" {
					a["status"], a["comment"], a["resolvedAt"] = decision, "no", "2026-01-01T00:00:00Z"
				}
				answer(w, 200, a)
			}
			if decision == "killed" {
				time.AfterFunc(40*time.Second, func() { m.api.do(func() { m.api.status["status"] = "killed" }) })
			}
			_, body, err := whole(m.client(r, "10000").Get("http://shop/"))
			var rejected *agent.RejectedError
			switch decision {
			case "approved":
				if err != nil || body != "goods" || m.api.bought[1].ResourceURL != "" || len(m.api.paid) != 1 {
					t.Errorf("%s, %v; the platform was asked %+v", body, err, m.api.bought)
				}
			case "rejected":
				if !errors.As(err, &rejected) || rejected.Reason != "no" || len(m.heard) != 1 {
					t.Errorf("%v; the seller heard %q", err, m.heard)
				}
			case "killed":
				if !errors.Is(err, agent.ErrKilled) || len(m.heard) != 1 {
					t.Errorf("%v; the seller heard %q", err, m.heard)
				}
				if _, err := m.client(r, "10000").Get("http://shop/"); !errors.Is(err, agent.ErrKilled) {
					t.Errorf("another request: %v", err)
				}
			}
		})
	}
}

// A payment that was signed while the agent was killed goes to no seller.
func TestAgents_TransportSendsNothingOfAKilledAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMarket(t)
		r := m.api.runtime(func(c *agent.Config) { c.KillPoll = time.Second })
		m.api.buy = func(http.ResponseWriter, string, railkit.X402Request, int) bool {
			m.api.status["status"] = "killed"
			m.api.mu.Unlock()
			<-r.Context().Done()
			m.api.mu.Lock()
			return false
		}
		_, err := m.client(r, "10000").Get("http://shop/")
		var unknown *agent.UnknownError
		if !errors.As(err, &unknown) || unknown.PaymentID == "" || !errors.Is(err, agent.ErrKilled) ||
			len(m.heard) != 1 {
			t.Errorf("%v; the seller heard %q", err, m.heard)
		}
	})
}
