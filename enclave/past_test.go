package enclave

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/sdk/go/passkey"
)

// answer is what a caller is told, without the times that a statement names.
func answer(v any, err error) string {
	if f, ok := fault.As(err); ok {
		return f.Code + ": " + f.Message
	}
	raw, _ := json.Marshal(v)
	return string(raw)
}

// outcome asks for a body to be executed.
func (w *timed) outcome(q wire.SubmitRequest) func() string {
	return func() string {
		out, err := w.Submit(q)
		return answer(string(out.State)+" "+out.AgentSecret, err)
	}
}

func (w *world) stamped(o owner, kind wire.ActivityType, params any) wire.SubmitRequest {
	body := w.body(w.fresh(o, kind, params))
	return wire.SubmitRequest{Body: body, Stamp: w.stamp(o, body), Volatile: volatile(0)}
}

// rich is an owner with a wallet, and prices since some time ago.
func (w *timed) rich(since time.Duration) (owner, wire.Account) {
	w.prices(w.now.Load().Add(-since), market)
	alice := w.register("alice@example.com")
	return alice, w.wallet(alice, "Main")
}

// lends makes a delegation without a key that ends after ten minutes.
func (w *timed) lends() *lent {
	alice, account := w.rich(0)
	l := &lent{world: w.world, alice: alice, account: account}
	d := l.delegation(false)
	d.ExpiresAtMs = strconv.FormatInt(w.now.Load().Add(10*time.Minute).UnixMilli(), 10)
	w.policy(alice, account.WalletID, wire.Rules{Delegation: d})
	return l
}

// waiting is a change that the host asks for, and that waits for a vote.
func (w *timed) waiting(alice owner, account wire.Account) (body string) {
	w.t.Helper()
	p := wire.CreatePolicyParams{WalletID: account.WalletID, Rules: wire.Rules{AllowRawDigests: true}}
	body = w.body(w.fresh(alice, wire.CreatePolicy, p))
	w.in(wire.Held, body, owner{})
	return body
}

// claim is an agent's request of this moment.
func (w *timed) claim(method string) func() string {
	w.later()
	q := w.bot(w.register("alice@example.com"), "Buyer").signed(method, "/v1/agents", w.at(0), "")
	return func() string { return answer(w.VerifyAgent(q)) }
}

// lapse is something that is over, or done, once a time has passed.
type lapse struct {
	wait  time.Duration
	begin func(w *timed) (ask func() string)
	want  string // what the answer is then
}

var lapses = map[string]lapse{
	"a body expired": {16 * time.Minute, func(w *timed) func() string {
		alice := w.register("alice@example.com")
		return w.outcome(w.stamped(alice, wire.CreateWallet, wire.CreateWalletParams{
			WalletName: "Main", MnemonicLength: "12",
		}))
	}, answer(nil, refusal.ErrExpired)},
	"its preview": {16 * time.Minute, func(w *timed) func() string {
		alice := w.register("alice@example.com")
		q := w.stamped(alice, wire.CreateAgent, wire.CreateAgentParams{AgentName: "Buyer"})
		return func() string { return answer(w.preview(q.Body)) }
	}, answer(nil, refusal.ErrExpired)},
	"a delegation ended": {10 * time.Minute, func(w *timed) func() string {
		return w.outcome(wire.SubmitRequest{Body: w.lends().transfer(receiver, 1)})
	}, `"held "`},
	"a delegation ended, and no place to wait": {10 * time.Minute, func(w *timed) func() string {
		l := w.lends()
		for range 100 {
			w.waiting(l.alice, l.account)
		}
		return w.outcome(wire.SubmitRequest{Body: l.transfer(receiver, 1)})
	}, answer(nil, refusal.ErrTooManyHeld)},
	"an approval ended, for a vote": {31 * time.Minute, func(w *timed) func() string {
		alice, account := w.rich(0)
		body := w.waiting(alice, account)
		return func() string {
			ballot := w.ballot(body, alice) // of now, or it would be too old itself
			return w.outcome(wire.SubmitRequest{Body: ballot, Stamp: w.stamp(alice, ballot)})()
		}
	}, answer(nil, refusal.ErrApprovalOver)},
	"an approval ended, for who looks": {31 * time.Minute, func(w *timed) func() string {
		alice, account := w.rich(0)
		body := w.waiting(alice, account)
		return func() string {
			return answer(w.State(wire.StateRequest{OrganizationID: alice.org, Approval: wire.Fingerprint(body)}))
		}
	}, answer(nil, refusal.ErrApprovalOver)},
	"an approval ended, with its votes": {31 * time.Minute, func(w *timed) func() string {
		alice, account := w.rich(0)
		body := w.waiting(alice, account)
		if _, err := w.vote(body, alice); err != nil {
			w.t.Fatal(err)
		}
		return w.outcome(wire.SubmitRequest{Body: body})
	}, answer(nil, refusal.ErrApprovalOver)},
	"a price expired": {15 * time.Minute, func(w *timed) func() string {
		w.prices(*w.now.Load(), market)
		return func() string { return byAsset(w.Info().Prices)["ETH"].Refused }
	}, "expired"},
	"a sheet expired": {15 * time.Minute, func(w *timed) func() string {
		signed := signSheet(w.t, 1, sheet(*w.now.Load(), market))
		return func() string { return answer(w.Prices(wire.PricesRequest{Sheet: signed})) }
	}, answer(nil, refusal.ErrSheet.Msg("it has expired"))},
	"prices that expired, told with a sheet": {14*time.Minute + 59*time.Second, func(w *timed) func() string {
		at := w.now.Load().Add(-time.Second)
		w.prices(at, market)
		again := signSheet(w.t, 1, sheet(at.Add(5*time.Second), market)) // too soon to be taken
		return func() string {
			reply, err := w.Prices(wire.PricesRequest{Sheet: again})
			return answer(byAsset(reply.Assets)["ETH"].Refused, err)
		}
	}, `"expired"`},
	"a price expired, under a limit": {14*time.Minute + 30*time.Second, func(w *timed) func() string {
		alice, account := w.rich(time.Minute)
		w.policy(alice, account.WalletID, wire.Rules{MaxValueUSD: "100"})
		q := w.stamped(alice, wire.SignIntent, pay(account.Address, receiver, 1))
		return func() string {
			shown, err := w.preview(q.Body)
			if err != nil || shown.Denial == nil {
				return answer(shown, err)
			}
			return shown.Denial.Rule
		}
	}, "unknownPrice"},
	"a new day, under a limit of the day": {14 * time.Minute, func(w *timed) func() string {
		w.advance(w.now.Load().Add(24 * time.Hour).Truncate(24 * time.Hour).Add(-5 * time.Minute).Sub(*w.now.Load()))
		alice, account := w.rich(0)
		w.policy(alice, account.WalletID, wire.Rules{DailyUSD: "30"})
		w.done(w.body(w.fresh(alice, wire.SignIntent, pay(account.Address, receiver, 25e6))), alice)
		q := w.stamped(alice, wire.SignIntent, pay(account.Address, receiver, 25e6))
		return func() string {
			shown, err := w.preview(q.Body)
			return answer(shown.Denial, err)
		}
	}, "null"},
	"an agent's read too late": {61 * time.Second, func(w *timed) func() string { return w.claim("GET") },
		answer(nil, refusal.ErrAgentTime)},
	"an agent's write too late": {61 * time.Second, func(w *timed) func() string { return w.claim("POST") },
		answer(nil, refusal.ErrAgentTime)},
	"an agent's secret no longer told": {16 * time.Minute, func(w *timed) func() string {
		alice := w.register("alice@example.com")
		made := w.did(w.stamped(alice, wire.CreateAgent, wire.CreateAgentParams{AgentName: "Buyer"}))
		q := w.stamped(alice, wire.ActivateAgent, wire.ActivateAgentParams{
			AgentID: w.statement(made.Proof).Result.Agent.ID, Limits: limits(),
		})
		if got := w.outcome(q)(); len(got) < 40 {
			w.t.Fatalf("%s", got)
		}
		return w.outcome(q)
	}, `"done "`},
	"a challenge expired": {6 * time.Minute, func(w *timed) func() string {
		return w.outcome(wire.SubmitRequest{Body: w.registration("alice@example.com", passkey.New(origin))})
	}, answer(nil, refusal.ErrChallenge)},
	"a mailed secret expired": {16 * time.Minute, func(w *timed) func() string {
		c := newCode(w.t)
		r := w.rescue(w.registerWith("alice@example.com", c), "alice@example.com").by(c)
		return func() string { return w.outcome(wire.SubmitRequest{Body: r.body()})() }
	}, answer(nil, refusal.ErrRecovery)},
	"a recovery's delay is over": {6 * time.Second, func(w *timed) func() string {
		c := newCode(w.t)
		r := w.rescue(w.registerWith("alice@example.com", c), "alice@example.com").by(c)
		q := wire.SubmitRequest{Body: r.body()}
		if got := w.outcome(q)(); got != `"held "` {
			w.t.Fatal(got)
		}
		return w.outcome(q)
	}, `"done "`},
}

// Whatever the signer decides or says because time has passed, it decides and says
// again after it was killed and its machine's clock was set back.
func TestSigning_R06_NothingIsTakenBack(t *testing.T) {
	for name, c := range lapses {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTimed(t)
			ask := c.begin(w)
			journaled := time.UnixMilli(w.state.LastTimeMs())
			w.advance(c.wait)
			told := ask()
			if told != c.want {
				t.Fatalf("at its time: %s, want %s", told, c.want)
			}
			w.set(journaled)
			w.failOver()
			if again := ask(); again != told {
				t.Errorf("after a restart: %s, before it was %s", again, told)
			}
		})
	}
}

// Bodies that have just expired, as many as anybody hands in, and previews of what
// would wait, do not fill the journal with times.
func TestSigning_R06_FloodOfLateBodies(t *testing.T) {
	w := newTimed(t)
	alice, account := w.rich(0)
	w.later()
	before := w.journal.Durable().Seq
	for range 300 { // in three seconds
		late := w.fresh(alice, wire.CreateWallet, wire.CreateWalletParams{WalletName: "Late", MnemonicLength: "12"})
		now := w.now.Load().Add(10 * time.Millisecond).UnixMilli()
		late.TimestampMs, late.ExpiresAtMs = strconv.FormatInt(now-1000, 10), strconv.FormatInt(now, 10)
		w.advance(10 * time.Millisecond)
		_, err := w.Submit(wire.SubmitRequest{Body: w.body(late)})
		refused(t, "a late body", err, refusal.ErrExpired)
		if _, err := w.preview(w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))); err != nil {
			t.Fatal(err)
		}
	}
	if grown := w.journal.Durable().Seq - before; grown == 0 || grown > 4 {
		t.Errorf("600 questions in three seconds made %d entries", grown)
	}
}

// No time that the signer named is named anew: a client may have held a deadline against it.
func TestSigning_R06_StatedTimeIsKept(t *testing.T) {
	for name, ask := range map[string]func(w *timed, org string) (time.Time, error){
		"a statement": func(w *timed, org string) (time.Time, error) {
			proof, err := w.State(wire.StateRequest{OrganizationID: org})
			if err != nil {
				return time.Time{}, err
			}
			return time.Parse(time.RFC3339, w.statement(&proof).Time)
		},
		"the signer's own time": func(w *timed, _ string) (time.Time, error) {
			ms, err := strconv.ParseInt(w.Info().TimeMs, 10, 64)
			return time.UnixMilli(ms), err
		},
	} {
		for _, wait := range []time.Duration{0, time.Millisecond, time.Second, 30 * time.Second, time.Hour} {
			w := newTimed(t)
			org := w.register("alice@example.com").org
			journaled := time.UnixMilli(w.state.LastTimeMs())
			w.advance(wait)
			told, err := ask(w, org)
			if err != nil || w.now.Load().Sub(told).Abs() > 10*time.Second {
				t.Errorf("%s after %v: %v, %v, want about %v", name, wait, told, err, w.now.Load())
			}
			w.set(journaled)
			w.failOver()
			if again, err := ask(w, org); err != nil || again.Before(told) {
				t.Errorf("%s after %v: %v, before the restart it was %v, %v", name, wait, again, told, err)
			}
		}
	}
}
