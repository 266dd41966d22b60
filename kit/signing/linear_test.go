package signing_test

import (
	"math"
	mrand "math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testwait"
	railkit "github.com/railkit/railkit/sdk/go"
)

// Many callers confirm, cancel and read the same transactions at once. Whatever
// each of them is told has to fit one order of events: a transaction is signed
// or cancelled and never both, and everybody gets the same signed bytes.
// `make soak` runs these for long.
func TestSigning_A03_SoakLinearizable(t *testing.T) {
	t.Parallel()
	newLinear(t, apptest.Rig(t), "1s", "15s").run()
}

// The same on Solana, where a body is one message, whoever confirms it.
func TestSigning_A03_SoakLinearizableOnSolana(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	l := newLinear(t, w.App, "1s", "15s")
	l.owner, l.payment = w.alice, w.pay(solPayee, "0.0001")
	l.run()
}

// The same with an enclave that is killed all the time, on one of the two. A call that fails may have worked.
func TestSigning_A03_SoakLinearizableUnderKills(t *testing.T) {
	t.Parallel()
	w := startSolWorld(t, apptest.New)
	a := w.App
	l := newLinear(t, a, "2s", "15s")
	if mrand.IntN(2) == 0 {
		l.owner, l.payment = w.alice, w.pay(solPayee, "0.0001")
	}
	var kills sync.WaitGroup
	kills.Go(func() {
		for round := 1; time.Now().Before(l.until); round++ {
			apptest.Eventually(t, "some calls between two kills", func() bool {
				return l.count() > 60*round || !time.Now().Before(l.until)
			})
			a.KillEnclave()
		}
	})
	l.run()
	kills.Wait()
}

// linear runs calls and keeps their history.
type linear struct {
	t       *testing.T
	app     *apptest.App
	client  *railkit.Client
	owner   apptest.Owner
	payment railkit.PrepareTransactionRequest
	outside outsider
	enclave *client.Client
	began   time.Time
	until   time.Time
	seed    uint64

	mu      sync.Mutex
	history []porcupine.Operation
	calls   int
	tally   map[string]int
}

func newLinear(t *testing.T, a *apptest.App, ordinary, nightly string) *linear {
	t.Helper()
	c := a.Client()
	l := &linear{
		t: t, app: a, client: c, owner: a.Fund(c, "alice@example.com"), outside: newOutsider(t, a),
		enclave: client.New(a.EnclaveSock, a.EnclaveKey),
		began:   time.Now(), until: soakUntil(t, ordinary, nightly), seed: mrand.Uint64(), tally: map[string]int{},
	}
	l.payment = l.owner.Payment(receiver, "0.0001")
	t.Cleanup(func() { _ = l.enclave.Close() })
	return l
}

func (l *linear) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.calls
}

// run takes on round after round, some at a time, and checks each when it is over.
func (l *linear) run() {
	var lanes sync.WaitGroup
	for lane := range uint64(3) {
		lanes.Go(func() {
			dice := mrand.New(mrand.NewPCG(l.seed, lane))
			for l.goesOn() {
				l.round(dice, lane == 0)
			}
		})
	}
	lanes.Wait()
	if err := checkHistory(l.history); err != nil {
		l.t.Errorf("seed %d: %v", l.seed, err)
	}
	l.t.Logf("seed %d: %d calls, %v", l.seed, l.calls, l.tally)
	if !l.covered() {
		l.t.Errorf("seed %d: nothing was tried: %v", l.seed, l.tally)
	}
}

// goesOn is true until the time is over; on a slow machine, until each of the
// ends has come once.
func (l *linear) goesOn() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	return !l.t.Failed() && (now.Before(l.until) || !l.covered() && now.Before(l.until.Add(testwait.Bound)))
}

// covered says that there was something to put in order.
func (l *linear) covered() bool {
	return l.tally[factSigned] > 0 && l.tally[factCancelled] > 0 && l.tally[factTooLate]+l.tally[factRefused] > 0
}

// candidate is a prepared transaction and every confirm that it may get.
type candidate struct {
	id, fingerprint string
	confirms        []string // bodies
	signed          []string // of each, where it is known beforehand
}

// round is the life of one transaction in the hands of five callers.
func (l *linear) round(dice *mrand.Rand, outside bool) {
	x, ok := l.candidate(dice, outside)
	if !ok {
		return
	}
	var callers sync.WaitGroup
	for who := range 5 {
		plan := make([]int, 3)
		for i := range plan {
			plan[i] = dice.IntN(9)
		}
		callers.Go(func() {
			for _, what := range plan {
				l.call(who, x, what)
			}
		})
	}
	callers.Wait()
	l.read(0, x)
	if !outside {
		l.ask(x)
	}
}

func (l *linear) candidate(dice *mrand.Rand, outside bool) (x candidate, ok bool) {
	if outside {
		p, err := l.client.Transactions.PrepareExternal(ctx, l.outside.payment("0.0001"))
		if err != nil {
			l.t.Errorf("preparing outside: %v", err)
			return x, false
		}
		x.id = p.TransactionID
		tx := l.outside.read(p).Tx
		for _, signed := range []string{l.outside.sign(tx), l.outside.signAgain(tx)} {
			x.signed = append(x.signed, signed)
			x.confirms = append(x.confirms, apptest.JSON(l.t, map[string]any{
				"transactionId": x.id, "signedTransaction": signed, "broadcast": dice.IntN(4) == 0,
			}))
		}
		return x, true
	}
	p, err := l.client.Transactions.Prepare(ctx, l.payment)
	if railkit.IsUnavailable(err) {
		return x, false // the enclave is down
	}
	if err != nil {
		l.t.Errorf("preparing: %v", err)
		return x, false
	}
	stamp, err := l.owner.Passkey.Stamp(p.UnsignedActivity.Body)
	if err != nil {
		l.t.Error(err)
		return x, false
	}
	x.id, x.fingerprint = p.TransactionID, p.Fingerprint
	x.confirms, x.signed = []string{confirmBody(l.t, x.id, p.Signed(stamp))}, []string{""}
	return x, true
}

// call makes one call of the dice's choice.
func (l *linear) call(who int, x candidate, what int) {
	switch {
	case what < 5:
		l.confirm(who, x, what%len(x.confirms))
	case what == 5:
		l.cancel(who, x)
	default:
		l.read(who, x)
	}
}

func (l *linear) confirm(who int, x candidate, which int) {
	call := l.now()
	got := l.app.Do(l.app.Keys.BenchKey, "POST", "/v1/transactions/confirm", x.confirms[which])
	switch code := got.Field("error"); {
	case got.Status == 200:
		l.add(who, call, l.now(), x, signedIn(l.t, got), factSigned, factKept)
	case got.Status >= 500:
		l.add(who, call, math.MaxInt64, x, x.signed[which], factMaybe+factSigned, factMaybe+factKept)
	case code == "transaction_cancelled" || code == "activity_cancelled":
		l.add(who, call, l.now(), x, "", factRefused)
	case code == "not_awaiting_signature" && x.signed[which] != "":
		l.add(who, call, l.now(), x, x.signed[which], factOther)
	default:
		l.t.Errorf("confirm: %d %s", got.Status, got.Body)
	}
}

func (l *linear) cancel(who int, x candidate) {
	call := l.now()
	got := l.app.Do(l.app.Keys.BenchKey, "DELETE", "/v1/transactions/sign/"+x.id, "")
	switch {
	case got.Status == 200:
		l.add(who, call, l.now(), x, "", factCancelled, factDropped)
	case got.Status >= 500:
		l.add(who, call, math.MaxInt64, x, "", factMaybe+factCancelled, factMaybe+factDropped)
	case got.Field("error") == "not_awaiting_signature":
		l.add(who, call, l.now(), x, "", factTooLate)
	default:
		l.t.Errorf("cancel: %d %s", got.Status, got.Body)
	}
}

func (l *linear) read(who int, x candidate) {
	call := l.now()
	got := l.app.Do(l.app.Keys.BenchKey, "GET", "/v1/transactions/sign/"+x.id, "")
	switch d := data(l.t, got); d["status"] {
	case "awaiting_signature":
		l.add(who, call, l.now(), x, "", factAwaiting)
	case "cancelled":
		l.add(who, call, l.now(), x, "", factGone)
	default:
		l.add(who, call, l.now(), x, signedIn(l.t, got), factSeen)
	}
}

// ask has the enclave itself say what became of the body: a row may hide what
// was signed.
func (l *linear) ask(x candidate) {
	call := l.now()
	var out client.Outcome
	apptest.Eventually(l.t, "the enclave answers", func() (ok bool) {
		var err error
		out, err = l.enclave.Outcome(ctx, x.fingerprint)
		return err == nil
	})
	switch out.State {
	case wire.Done:
		l.add(0, call, l.now(), x, out.Statement.Result.Transaction.SignedTransaction, factSigned)
	case wire.Cancelled:
		l.add(0, call, l.now(), x, "", factRefused)
	default:
		l.add(0, call, l.now(), x, "", factNothing)
	}
}

func signedIn(t *testing.T, got apptest.Answer) string {
	t.Helper()
	signed, _ := data(t, got)["signedTransaction"].(string)
	if signed == "" {
		t.Errorf("no bytes: %s", got.Body)
	}
	return signed
}

func (l *linear) now() int64 { return time.Since(l.began).Nanoseconds() }

func (l *linear) add(who int, call, back int64, x candidate, bytes string, facts ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls++
	l.tally[facts[0]]++
	for _, what := range facts {
		l.history = append(
			l.history, porcupine.Operation{ClientId: who, Input: fact{x.id, what, bytes}, Call: call, Return: back},
		)
	}
}
