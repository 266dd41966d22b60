package payout_test

import (
	"context"
	"errors"
	"fmt"
	mrand "math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testbin"
	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/internal/test/testwait"
	railkit "github.com/railkit/railkit/sdk/go"
)

// Deposits arrive, quotes are executed, funded and canceled, while server and
// partner are killed and the partner's answers and notices fail. Afterwards every
// order has its end, and orders, ledger, chain and partner say the same. `make soak`
// runs it for long; RAILKIT_SEED repeats a run's disturbances.
func TestPayout_SoakUnderChaos(t *testing.T) {
	t.Parallel()
	a := apptest.NewOrdinaryProcesses(t)
	s := &chaos{t: t, app: a, until: testenv.SoakUntil(t, "8s")}
	for i := range 3 {
		s.payees = append(s.payees, s.payee(i))
	}
	var callers sync.WaitGroup
	for i, p := range s.payees {
		callers.Go(func() { s.use(p, mrand.New(mrand.NewPCG(uint64(i), 1))) })
	}
	s.disturb(testenv.Seed(t))
	callers.Wait()
	s.settle()
	s.match()
}

type chaos struct {
	t      *testing.T
	app    *apptest.Processes
	payees []chaosPayee
	until  time.Time
}

type chaosPayee struct{ recipient, address string }

// insist calls under one key until it works. What is refused for good is no
// failure here: the books at the end judge.
func (s *chaos) insist(what string, call func(context.Context, *railkit.Client) error) bool {
	s.t.Helper()
	ctx := railkit.WithIdempotencyKey(s.t.Context(), uuid.NewString())
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) { // between two tries
		err := call(ctx, s.app.Client())
		var refused *railkit.Error
		switch {
		case err == nil:
			return true
		case errors.As(err, &refused) && refused.Status < 500 && refused.Status != 409:
			return false
		case time.Now().After(deadline):
			s.t.Errorf("%s: %v\n%s", what, err, s.app.Log.Tail(20))
			return false
		}
	}
}

func (s *chaos) payee(i int) (p chaosPayee) {
	s.t.Helper()
	r := must(s.app.Client().Recipients.Create(s.t.Context(), person(fmt.Sprint("Ana ", i))))(s.t)
	account := must(s.app.Client().BankAccounts.Create(s.t.Context(), r.ID, mexican))(s.t)
	a := must(s.app.Client().WithdrawAddresses.Create(
		s.t.Context(), railkit.WithdrawAddressRequest{BeneficiaryAccountID: account.ID},
	))(s.t)
	return chaosPayee{r.ID, a.Address}
}

// use is what one caller does with its recipient, once a second: the chain takes deposits much faster than orders are
// paid, which all have to be before the end.
func (s *chaos) use(p chaosPayee, dice *mrand.Rand) {
	for ; time.Now().Before(s.until); time.Sleep(time.Second) {
		amount := strconv.Itoa(20 + dice.IntN(80))
		if dice.IntN(2) == 0 {
			s.deposit(p.address, amount)
			continue
		}
		var q *railkit.Quote
		s.insist("quoting", func(ctx context.Context, c *railkit.Client) (err error) {
			q, err = c.Payments.Quote(
				ctx, railkit.QuoteRequest{BeneficiaryID: p.recipient, Amount: "30", Currency: "USDC"},
			)
			return err
		})
		if q == nil {
			continue
		}
		executed := s.insist("executing", func(ctx context.Context, c *railkit.Client) error {
			_, err := c.Payments.Execute(ctx, railkit.ExecuteRequest{QuoteID: q.QuoteID, BeneficiaryID: p.recipient})
			return err
		})
		if executed && dice.IntN(3) == 0 {
			s.cancel(q.QuoteID)
		} else if executed {
			s.deposit(p.address, "30")
		}
	}
}

func (s *chaos) deposit(address, amount string) {
	if _, err := s.app.Devnet.Faucet(s.t.Context(), "base", address, "USDC", amount); err != nil {
		s.t.Error(err)
	}
}

func (s *chaos) cancel(order string) {
	s.insist("canceling", func(ctx context.Context, c *railkit.Client) error {
		_, err := c.Orders.Cancel(ctx, order)
		return err
	})
}

// disturb kills or breaks something at odd moments.
func (s *chaos) disturb(seed uint64) {
	dice, partner := mrand.New(mrand.NewPCG(seed, 0)), s.app.Partner
	for time.Now().Before(s.until) {
		time.Sleep(200*time.Millisecond + time.Duration(dice.IntN(600))*time.Millisecond)
		kinds := []string{"unavailable", "rate_limited", "truncated", "lost_answer", "slow"}
		var err error
		switch dice.IntN(6) {
		case 0, 1:
			s.app.Kill(apptest.Server)
		case 2:
			s.app.Kill(apptest.Partner)
		case 3:
			err = partner.SetManners(s.t.Context(), control.Manners{
				Twice: dice.IntN(2) == 0, Reordered: dice.IntN(2) == 0, Lost: dice.IntN(3) == 0, Times: 3,
			})
		default:
			err = partner.Fault(
				s.t.Context(), control.Fault{Kind: kinds[dice.IntN(len(kinds))], Times: 1 + dice.IntN(3), DelayMs: 300},
			)
		}
		if err != nil {
			s.t.Logf("the partner is away: %v", err) // killed a moment ago
		}
	}
}

// settle ends what waits for deposits, and waits until nothing is under way.
func (s *chaos) settle() {
	s.t.Helper()
	for _, mend := range []func() error{
		func() error { return s.app.Partner.ClearFaults(s.t.Context()) },
		func() error { return s.app.Partner.SetManners(s.t.Context(), control.Manners{}) },
	} {
		testwait.Until(s.t, "the partner is there to be mended", func() bool { return mend() == nil })
	}
	for deadline := time.Now().Add(3 * time.Minute); ; time.Sleep(200 * time.Millisecond) { // between two looks
		done, waiting, err := s.look()
		if err == nil && waiting == 0 {
			s.t.Logf("%v", done)
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("%d orders wait: %v, %v\n%s", waiting, done, err, s.app.Log.Tail(40))
		}
	}
}

// look counts orders by status, and those that have no end yet. What still waits
// for a deposit is canceled.
func (s *chaos) look() (done map[string]int, waiting int, err error) {
	done = map[string]int{}
	for o, err := range s.app.Client().Orders.All(s.t.Context(), railkit.OrderListOptions{}) {
		if err != nil {
			return done, 0, err
		}
		done[o.Status]++
		switch o.Status {
		case "awaiting":
			waiting++
			s.cancel(o.ID)
		case "funds_received", "in_review", "payment_submitted":
			waiting++
		}
	}
	return done, waiting, nil
}

// match has the operator's command compare all books, until nothing is under way
// between them.
func (s *chaos) match() {
	s.t.Helper()
	program, settings := must(testbin.Path("railkit"))(s.t), s.app.Reconciling()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(500 * time.Millisecond) { // between two looks
		reconcile := exec.Command(program, "admin", "reconcile")
		reconcile.Env = append(os.Environ(), settings...)
		out, err := reconcile.CombinedOutput()
		if err == nil {
			s.t.Logf("%s", out)
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("%v\n%s", err, out)
		}
	}
}
