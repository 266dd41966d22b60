package agent_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/agent"
)

const approvalID = "5a5e0c7e-2222-4222-8333-944455556666"

var ctx = context.Background()

var cent = railkit.AgentPayment{
	ActionType: "payment", Amount: "10000", Destination: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
	TokenMint: "USDC", Cluster: "base",
}

// What the API says of the agent decides whether it pays. What is not understood, or not said, is no permission.
func TestAgents_RuntimeIsBlocked(t *testing.T) {
	for name, c := range map[string]struct {
		change func(a *api)
		want   error
	}{
		"active":      {func(*api) {}, nil},
		"kill switch": {func(a *api) { a.status["killSwitch"] = true }, agent.ErrStopped},
		"suspended":   {func(a *api) { a.status["status"] = "suspended" }, agent.ErrStopped},
		"a new word":  {func(a *api) { a.status["status"] = "dancing" }, agent.ErrStopped},
		"killed":      {func(a *api) { a.status["status"] = "killed" }, agent.ErrKilled},
		"another":     {func(a *api) { a.status["agentId"] = approvalID }, agent.ErrUnreachable},
		"refused": {func(a *api) {
			a.poll = func(w http.ResponseWriter, _ int) bool { refuse(w, 401, "invalid_auth", nil); return true }
		}, agent.ErrUnreachable},
		"refused as killed": {func(a *api) {
			a.poll = func(w http.ResponseWriter, _ int) bool { refuse(w, 401, "agent_killed", nil); return true }
		}, agent.ErrKilled},
		"cut": {func(a *api) {
			a.poll = func(w http.ResponseWriter, _ int) bool { cut(w); return true }
		}, agent.ErrUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAPI(t)
				c.change(a)
				r := a.runtime()
				if _, err := r.Pay(ctx, cent); !errors.Is(err, c.want) || !errors.Is(r.Blocked(), c.want) {
					t.Errorf("%v, blocked %v", err, r.Blocked())
				}
				if paid := len(a.paid) > 0; paid != (c.want == nil) {
					t.Errorf("paid: %v", paid)
				}
			})
		})
	}
}

// The API goes away and comes again; the agent is killed, and stays so although the API takes it back.
func TestAgents_RuntimeKilledStaysKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAPI(t)
		r := a.runtime()
		next := func(change func()) error {
			a.do(change)
			time.Sleep(31 * time.Second)
			return r.Blocked()
		}
		if err := next(func() {
			a.poll = func(w http.ResponseWriter, _ int) bool { cut(w); return true }
		}); !errors.Is(err, agent.ErrUnreachable) {
			t.Errorf("away: %v", err)
		}
		if err := next(func() { a.poll = nil }); err != nil {
			t.Errorf("there again: %v", err)
		}
		if err := next(func() { a.status["status"] = "killed" }); !errors.Is(err, agent.ErrKilled) {
			t.Errorf("killed: %v", err)
		}
		<-r.Context().Done()
		if err := next(func() { a.status["status"] = "active" }); !errors.Is(err, agent.ErrKilled) {
			t.Errorf("taken back: %v", err)
		}
	})
}

// Whatever becomes of the answers, the payment is made once, under one key.
func TestAgents_RuntimePaysOnce(t *testing.T) {
	for name, fail := range map[string]func(a *api, w http.ResponseWriter, key string){
		"500 after it was paid": func(a *api, w http.ResponseWriter, key string) {
			a.execute(key)
			refuse(w, 500, "", nil)
		},
		"cut after it was paid": func(a *api, w http.ResponseWriter, key string) { a.execute(key); cut(w) },
		"cut before":            func(_ *api, w http.ResponseWriter, _ string) { cut(w) },
		"busy": func(_ *api, w http.ResponseWriter, _ string) {
			w.Header().Set("Retry-After", "7")
			refuse(w, 429, "rate_limited", nil)
		},
		"brought twice by what is between": func(a *api, w http.ResponseWriter, key string) {
			a.execute(key)
			refuse(w, 401, "invalid_auth", nil)
		},
		"names nothing": func(_ *api, w http.ResponseWriter, _ string) { answer(w, 200, object{}) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAPI(t)
				a.pay = func(w http.ResponseWriter, key string, n int) bool {
					if n < 3 {
						fail(a, w, key)
					}
					return n < 3
				}
				tx, err := a.runtime().Pay(ctx, cent)
				if err != nil || tx.TransactionID != "tx-1" || len(a.paid) != 1 || len(a.payments) != 3 ||
					a.payments[0] != a.payments[2] {
					t.Errorf("%+v, %v; asked under %v, paid %v", tx, err, a.payments, a.paid)
				}
			})
		})
	}
}

// Where no answer comes the error says so, and its key finds out later.
func TestAgents_RuntimeUnknownPayment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAPI(t)
		a.pay = func(w http.ResponseWriter, key string, _ int) bool { a.execute(key); cut(w); return true }
		r := a.runtime()
		_, err := r.Pay(ctx, cent)
		var unknown *agent.UnknownError
		if !errors.As(err, &unknown) || !errors.Is(err, agent.ErrUnreachable) || len(a.payments) != 4 {
			t.Fatalf("%v after %d tries", err, len(a.payments))
		}
		a.do(func() { a.pay = nil })
		if tx, err := r.PayOnce(ctx, unknown.Key, cent); err != nil || len(a.paid) != 1 {
			t.Errorf("%+v, %v, paid %v", tx, err, a.paid)
		}
		if _, err := r.PayOnce(ctx, "7", cent); err == nil {
			t.Error("a key that is no UUID was taken")
		}
	})
}

func TestAgents_RuntimeBudgetIsUsedUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAPI(t)
		a.pay = func(w http.ResponseWriter, _ string, _ int) bool {
			refuse(w, 403, "budget_exhausted", object{
				"failedLayers": []string{"payments"}, "layers": []object{{"layer": "payments", "limit": "10"}},
			})
			return true
		}
		_, err := a.runtime().Pay(ctx, cent)
		var lacks *agent.BudgetError
		if !errors.As(err, &lacks) || lacks.FailedLayers[0] != "payments" || lacks.Layers[0].Limit != "10" ||
			len(a.payments) != 1 {
			t.Errorf("%v after %d tries", err, len(a.payments))
		}
	})
}

// The owner decides, or does not, or kills the agent meanwhile.
func TestAgents_RuntimeWaitsForApproval(t *testing.T) {
	for name, want := range map[string]func(*railkit.Transaction, error) bool{
		"approved": func(tx *railkit.Transaction, err error) bool { return err == nil && tx.TransactionID == "tx-9" },
		"rejected": func(_ *railkit.Transaction, err error) bool {
			var e *agent.RejectedError
			return errors.As(err, &e) && e.ApprovalID == approvalID
		},
		"expired": func(_ *railkit.Transaction, err error) bool {
			var e *agent.ApprovalTimeoutError
			return errors.As(err, &e) && e.Expired
		},
		"pending": func(_ *railkit.Transaction, err error) bool {
			var e *agent.ApprovalTimeoutError
			return errors.As(err, &e) && !e.Expired && e.ApprovalID == approvalID
		},
		"killed": func(_ *railkit.Transaction, err error) bool {
			var e *agent.UnknownError
			return errors.As(err, &e) && errors.Is(err, agent.ErrKilled)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAPI(t)
				a.pay = func(w http.ResponseWriter, _ string, _ int) bool {
					answer(w, http.StatusAccepted, object{"approvalId": approvalID, "status": "pending"})
					return true
				}
				a.approval = func(w http.ResponseWriter, n int) {
					switch {
					case n == 2:
						cut(w)
					case n < 4 || name == "pending" || name == "killed":
						answer(w, 200, object{"id": approvalID, "status": "pending"})
					default:
						answer(w, 200, object{
							"id": approvalID, "status": name, "resolvedAt": "2026-01-01T00:00:00.000Z",
							"transaction": object{"transactionId": "tx-9", "status": "broadcast"},
						})
					}
				}
				r := a.runtime()
				if name == "killed" {
					time.AfterFunc(40*time.Second, func() { a.do(func() { a.status["status"] = "killed" }) })
				}
				if tx, err := r.Pay(ctx, cent); !want(tx, err) {
					t.Errorf("%+v, %v", tx, err)
				}
				a.do(func() { // who was killed has left while the server still answered
					if most := 61; a.asked > most || len(a.payments) != 1 {
						t.Errorf("asked %d times after the approval and %d times to pay", a.asked, len(a.payments))
					}
				})
			})
		})
	}
}

// Events are reported when a batch is full, after the interval, and at once with a payment.
func TestAgents_RuntimeReportsEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAPI(t)
		r := a.runtime(func(c *agent.Config) { c.BatchSize = 3 })
		reported := func(want int) {
			t.Helper()
			synctest.Wait()
			a.do(func() {
				if len(a.seen) != want {
					t.Errorf("%d events are reported, want %d", len(a.seen), want)
				}
			})
		}
		r.Track(railkit.AgentEvent{Type: "llm_call", Amount: "0.01"}, railkit.AgentEvent{Type: "llm_call", Amount: "-"})
		reported(0)
		r.Track(railkit.AgentEvent{Type: "api_call"}, railkit.AgentEvent{Type: "api_call"})
		reported(3)
		r.Track(railkit.AgentEvent{Type: "api_call"})
		reported(3)
		time.Sleep(11 * time.Second)
		reported(4)
		r.Track(railkit.AgentEvent{Type: "payment"})
		reported(5)
		r.Track(railkit.AgentEvent{Type: "api_call"})
		if err := r.Close(ctx); err != nil || r.Close(ctx) != nil {
			t.Error(err)
		}
		reported(6)
		if _, err := r.Pay(ctx, cent); !errors.Is(err, agent.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	})
}

// A batch that was lost is sent again after a minute and counts once; one that is refused is dropped.
func TestAgents_RuntimeReportsAgain(t *testing.T) {
	for status, resent := range map[int]bool{0: true, 500: true, 429: true, 400: false, 401: false} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAPI(t)
				a.events = func(w http.ResponseWriter, n int) bool {
					if n > 1 {
						return false
					}
					a.count(a.batches[0]) // it was taken, and the answer is another
					if status == 0 {
						cut(w)
					}
					refuse(w, status, "", nil)
					return true
				}
				r := a.runtime()
				r.Track(railkit.AgentEvent{Type: "payment"})
				time.Sleep(59 * time.Second)
				r.Track(railkit.AgentEvent{Type: "payment"})
				synctest.Wait()
				a.mu.Lock()
				if early := len(a.batches); early > 1 == resent {
					t.Errorf("after 59 s %d batches", early)
				}
				a.mu.Unlock()
				time.Sleep(2 * time.Second)
				a.mu.Lock()
				defer a.mu.Unlock()
				if len(a.batches) != 2 || len(a.seen) != 2 || (len(a.batches[1]) == 2) != resent {
					t.Errorf("%v", a.batches)
				}
			})
		})
	}
}

// While nothing can be reported, payments go on, and of the events the newest 10000 stay.
func TestAgents_RuntimeDropsTheOldest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAPI(t)
		a.events = func(w http.ResponseWriter, _ int) bool { refuse(w, 503, "", nil); return true }
		r := a.runtime()
		for i := range 10_005 {
			r.Track(railkit.AgentEvent{ID: strconv.Itoa(i), Type: "llm_call"})
		}
		if _, err := r.Pay(ctx, cent); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		a.do(func() { a.events = nil })
		if err := r.Close(ctx); err != nil || len(a.seen) != 10_000 || a.seen["5"] || !a.seen["6"] {
			t.Errorf("%v, %d reported", err, len(a.seen))
		}
		if !strings.Contains(a.log.String(), "dropped=6") {
			t.Errorf("the log does not count what was dropped:\n%s", a.log)
		}
	})
}

func TestAgents_RuntimeConfig(t *testing.T) {
	if _, err := agent.FromEnv(); err == nil {
		t.Error("an empty environment was taken")
	}
	t.Setenv(agent.EnvAgentID, bot)
	t.Setenv(agent.EnvSecret, secret)
	t.Setenv(agent.EnvBaseURL, "https://api.example.com")
	cfg, err := agent.FromEnv()
	if err != nil || cfg.AgentID != bot || cfg.Secret != secret || cfg.BaseURL != "https://api.example.com" {
		t.Error(err)
	}
	if text := fmt.Sprintf("%v %+v %#v %s", cfg, cfg, &cfg, cfg); strings.Contains(text, secret) {
		t.Error(text)
	}
	for _, change := range []func(*agent.Config){
		func(c *agent.Config) { c.Secret = "" }, func(c *agent.Config) { c.BaseURL = "" },
		func(c *agent.Config) { c.BatchSize = 101 }, func(c *agent.Config) { c.KillPoll = -1 },
	} {
		wrong := cfg
		change(&wrong)
		if _, err := agent.New(wrong); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}
