package execution_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/x402"
)

// One payment at two servers at once buys one call, whoever of them is faster.
func TestAgents_SkillPaidOnceAtTwoServers(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	key, buyer := s.Keys.BenchKey, s.chain.Buyer("1")
	paid, servers := s.pay(buyer, s.chain.Offer("1000", s.payTo)), []*apptest.App{s.App, s.Another()}
	had := s.chain.Balance(s.payTo)
	answers := make([]apptest.Answer, 16)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			path := "/v1/action/skills/" + s.skill.ID + "/execute"
			for {
				answers[i] = servers[i%2].Do(key, "POST", path, `{"input":{"city":"Rome"}}`, paid...)
				if answers[i].Status != http.StatusConflict {
					return
				}
				time.Sleep(50 * time.Millisecond) // between two tries
			}
		})
	}
	wg.Wait()
	for _, a := range answers {
		if a.Status != 200 || !strings.Contains(a.Body, `{\"call\":1,`) {
			t.Errorf("%d %s", a.Status, a.Body)
		}
	}
	if got := s.chain.Balance(s.payTo) - had; got != price || s.calls() != 1 {
		t.Errorf("the seller got %d for %d calls", got, s.calls())
	}
	if n := s.settled(); n != 1 {
		t.Errorf("%d purchases were settled", n)
	}
}

// restart is another process of the server.
func (s *street) restart() {
	s.t.Helper()
	s.StopServer()
	s.StartServer()
	s.seller = s.ClientWith(s.sellerKey)
}

// unsettled is a facilitator that verifies and does not settle.
func unsettled(w http.ResponseWriter, r *http.Request) bool {
	if r.URL.Path != "/settle" {
		return false
	}
	w.WriteHeader(http.StatusInternalServerError)
	return true
}

// settled counts what was bought.
func (s *street) settled() (n int) {
	s.t.Helper()
	const query = "SELECT COUNT(*) FROM skill_purchases WHERE state = 'settled'"
	if err := s.Store.Writer().QueryRowContext(s.t.Context(), query).Scan(&n); err != nil {
		s.t.Fatal(err)
	}
	return n
}

// After a settlement without a known end, or one that was refused, the same request asks for the settlement again, and
// gets the answer that was kept: also at a server that starts anew, and after the skill has changed or is gone.
func TestAgents_SkillUnknownSettlement(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	key, buyer := s.Keys.BenchKey, s.chain.Buyer("1")
	answers := func(status int, body string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/settle" {
				return false
			}
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
			return true
		}
	}
	const failed = `{"success":false,"network":"eip155:84532","transaction":"0x1","errorReason":`
	for i, c := range []struct {
		what   string
		how    func(http.ResponseWriter, *http.Request) bool
		status int
		code   string
		reason string
	}{
		{"an error", answers(500, "x"), 502, "x402_settlement_unknown", x402.ReasonUnexpectedSettleError},
		{"pending", answers(200, failed+`"settlement_pending"}`), 402, "x402_settlement_pending",
			x402.ReasonSettlementPending},
		{"refused", answers(200, failed+`"insufficient_funds"}`), 402, "x402_settlement_refused",
			x402.ReasonInsufficientFunds},
		{"settled, and the answer is lost", func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/settle" {
				s.settles.Handler(facilitatorToken).ServeHTTP(httptest.NewRecorder(), r)
				w.WriteHeader(500)
			}
			return r.URL.Path == "/settle"
		}, 502, "x402_settlement_unknown", x402.ReasonUnexpectedSettleError},
	} {
		k := s.sell(func(r *railkit.SkillRequest) { r.Name = c.what })
		paid, had := s.pay(buyer, s.offer(key, k.ID).List[0]), s.chain.Balance(s.payTo)
		calls := s.calls()
		s.fail(c.how)
		g := s.call(key, k.ID, `{"n":1}`, paid...)
		g.is(t, c.what, c.status, c.code)
		if r := g.receipt(t); r.Success || r.ErrorReason != c.reason || strings.Contains(g.Body, "call") &&
			strings.Contains(g.Body, "said") || g.Header.Get(x402.HeaderRequired) != "" {
			t.Errorf("%s: %+v %s", c.what, r, g.Body)
		}
		s.call(key, k.ID, `{"n":1}`, paid...).is(t, c.what+" again", c.status, c.code)
		s.call(key, k.ID, `{"n":2}`, paid...).is(t, c.what+", another call", 402, "x402_payment_used")
		s.fail(nil)
		switch i {
		case 0: // the price, the payee and the skill are as they were
		case 1:
			dearer := railkit.SkillUpdate{CostUSDC: to(int64(5))}
			if _, err := s.seller.Skills.Update(t.Context(), k.ID, dearer); err != nil {
				t.Fatal(err)
			}
		default:
			if _, err := s.seller.Skills.Delete(t.Context(), k.ID); err != nil {
				t.Fatal(err)
			}
			s.restart()
		}
		g = s.call(key, k.ID, `{"n":1}`, paid...)
		g.is(t, c.what+", then it settles", 200, "")
		if s.calls() != calls+1 || g.Data.Payment == nil || !g.receipt(t).Success {
			t.Errorf("%s: %d calls, %s", c.what, s.calls()-calls, g.Body)
		}
		if got := s.chain.Balance(s.payTo) - had; got != price {
			t.Errorf("%s: the seller got %d", c.what, got)
		}
	}
}

// The payee sells at another shop as well, which hears that the same payment was settled: the skill's answer is not
// given for it, also where the server has never heard what became of its own settlement.
func TestAgents_SkillPaymentSettledForAnother(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	key, buyer := s.Keys.BenchKey, s.chain.Buyer("1")
	for _, c := range []struct {
		what   string
		status int
		code   string
		lost   bool
	}{
		{"the server is told", 402, "x402_settlement_refused", false},
		{"the server is not told", 502, "x402_settlement_unknown", true},
	} {
		paid, had := s.pay(buyer, s.offer(key, s.skill.ID).List[0]), s.chain.Balance(s.payTo)
		s.fail(func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/settle" {
				return false
			}
			body, _ := io.ReadAll(r.Body)
			other := httptest.NewRequestWithContext(r.Context(), "POST", "/settle", strings.NewReader(string(body)))
			told := httptest.NewRecorder()
			if s.settles.Handler().ServeHTTP(told, other); !strings.Contains(told.Body.String(), `"success":true`) {
				t.Errorf("%s: the other shop: %s", c.what, told.Body)
			}
			if c.lost {
				w.WriteHeader(500)
				return true
			}
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			s.settles.Handler(facilitatorToken).ServeHTTP(w, r)
			return true
		})
		s.call(key, s.skill.ID, `{}`, paid...).is(t, c.what, c.status, c.code)
		s.fail(nil)
		g := s.call(key, s.skill.ID, `{}`, paid...)
		g.is(t, c.what+", again", 402, "x402_settlement_refused")
		if r := g.receipt(t); r.ErrorReason != x402.ReasonDuplicateSettlement || len(r.Transaction) != 66 ||
			s.chain.Balance(s.payTo)-had != price {
			t.Errorf("%s: %+v", c.what, r)
		}
	}
}

func to[T any](v T) *T { return &v }

// What a server that died has left is taken over once its time is up: before the skill was called, and after.
func TestAgents_SkillServerDied(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	key, buyer := s.Keys.BenchKey, s.chain.Buyer("1")
	for _, state := range []string{"claimed", "called"} {
		paid := s.pay(buyer, s.offer(key, s.skill.ID).List[0])
		calls, had := s.calls(), s.chain.Balance(s.payTo)
		s.fail(unsettled)
		s.call(key, s.skill.ID, `{}`, paid...).is(t, state, 502, "x402_settlement_unknown")
		if state == "claimed" { // as if the server had died before the skill's answer was kept
			s.Edit("UPDATE skill_purchases SET state = 'claimed', answer = '' WHERE state = 'called'")
		}
		s.fail(nil)
		ahead := time.Now().Add(time.Minute).UnixMicro()
		s.Edit("UPDATE skill_purchases SET busy_until = " + itoa(ahead) + " WHERE state <> 'settled'")
		g := s.call(key, s.skill.ID, `{}`, paid...)
		g.is(t, state+", and its time is not up", 409, "x402_payment_busy")
		if g.Header.Get("Retry-After") != "1" {
			t.Errorf("%v", g.Header)
		}
		s.Edit("UPDATE skill_purchases SET busy_until = 1 WHERE state <> 'settled'")
		s.call(key, s.skill.ID, `{}`, paid...).is(t, state+", taken over", 200, "")
		want := map[string]int{"claimed": 2, "called": 1}[state] // nobody knows whether the first call was made
		if got := s.chain.Balance(s.payTo) - had; got != price || s.calls()-calls != want {
			t.Errorf("%s: the seller got %d for %d calls", state, got, s.calls()-calls)
		}
	}
}

// A facilitator that does not verify takes nothing, and the same request may come again.
func TestAgents_SkillFacilitatorOutage(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	key, buyer := s.Keys.BenchKey, s.chain.Buyer("1")
	paid := s.pay(buyer, s.offer(key, s.skill.ID).List[0])
	s.fail(func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(500); return true })
	s.call(key, s.skill.ID, `{}`, paid...).is(t, "an outage", 502, "x402_facilitator_failed")
	s.fail(nil)
	s.call(key, s.skill.ID, `{}`, paid...).is(t, "afterwards", 200, "")
	if s.calls() != 1 {
		t.Errorf("%d calls", s.calls())
	}
}

// An answer that was paid for is given again for a day; the payment stays used.
func TestAgents_SkillAnswerIsForgotten(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	key, buyer := s.Keys.BenchKey, s.chain.Buyer("1")
	paid := s.pay(buyer, s.offer(key, s.skill.ID).List[0])
	s.call(key, s.skill.ID, `{}`, paid...).is(t, "bought", 200, "")
	var kept string
	const stored = "SELECT answer FROM skill_purchases"
	if err := s.Store.Writer().QueryRowContext(t.Context(), stored).Scan(&kept); err != nil || kept == "" ||
		strings.Contains(kept, "call") {
		t.Errorf("kept as %q, %v", kept, err)
	}
	s.Edit("UPDATE skill_purchases SET created_at = created_at - 86500000000")
	apptest.Eventually(t, "the answer is forgotten", func() bool {
		err := s.Store.Writer().QueryRowContext(t.Context(), stored).Scan(&kept)
		return err == nil && kept == ""
	})
	s.call(key, s.skill.ID, `{}`, paid...).is(t, "a day later", 402, "x402_payment_used")
	s.Edit("UPDATE skill_purchases SET ends_at = 1")
	apptest.Eventually(t, "the row is gone", func() bool { return s.settled() == 0 })
	g := s.call(key, s.skill.ID, `{}`, paid...)
	g.is(t, "later than anybody can use it", 402, "x402_payment_required")
	if g.Details.Error != x402.ReasonNonceUsed || s.calls() != 1 {
		t.Errorf("%q, %d calls", g.Details.Error, s.calls())
	}
}
