package payout_test

import (
	"context"
	"errors"
	"fmt"
	mrand "math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	railkit "github.com/railkit/railkit/sdk/go"
)

// Many callers make one withdrawal address, execute the same quotes, cancel and
// read what becomes of them. Whatever each is told has to fit one order of
// events: an address is made once, a quote becomes one order, an order is paid
// for or canceled, and nobody spends what another has. `make soak` runs it for long.
func TestPayout_SoakLinearizable(t *testing.T) {
	t.Parallel()
	l := &linear{
		counter: newCounter(t), seed: mrand.Uint64(), tally: map[string]int{}, began: time.Now(),
		until: testenv.SoakUntil(t, "3s"),
	}
	dice := mrand.New(mrand.NewPCG(l.seed, 1))
	for n := 0; n == 0 || time.Now().Before(l.until) && !t.Failed(); n++ {
		l.round(dice, n)
	}
	t.Logf("seed %d: %v", l.seed, l.tally)
}

type linear struct {
	*counter
	seed         uint64
	began, until time.Time

	mu      sync.Mutex
	history []porcupine.Operation
	tally   map[string]int
}

// asking is what one caller asks: make (an address), execute, cancel or get (a quote's order).
type asking struct {
	what  string
	quote int
	gross int64
}

// told is what it is told: an outcome, and the id of what it is about.
type told struct{ outcome, id string }

// addressModel is one withdrawal address in the model.
type addressModel struct {
	address string
	balance int64
	orders  [quotesOfRound]told // outcome: "" | awaiting | paid | canceled
}

const quotesOfRound = 4

// step applies a call to the model, or says that it cannot have been told this.
func (r addressModel) step(c asking, t told) (bool, addressModel) {
	if c.what == "make" {
		made := r.address == "" && t.outcome == "made"
		r.address = t.id
		return made || t.outcome == "known" && r.address != "", r
	}
	o := r.orders[c.quote]
	switch {
	case c.what == "execute" && o.outcome == "":
		return r.execute(c, t)
	case c.what == "cancel" && o.outcome == "awaiting" && t == (told{"canceled", o.id}):
		r.orders[c.quote].outcome = "canceled"
		return true, r
	case c.what == "cancel" && o.outcome == "paid":
		return t.outcome == "order_settled", r
	case o.outcome == "":
		return t.outcome == "not_found", r
	}
	return t == o, r
}

func (r addressModel) execute(c asking, t told) (bool, addressModel) {
	want := "awaiting"
	switch {
	case r.balance >= c.gross:
		want = "paid"
		r.balance -= c.gross
	case r.balance >= 1_000_000:
		return t.outcome == "withdraw_balance_insufficient", r
	}
	r.orders[c.quote] = t
	return t.outcome == want, r
}

var modelOfAddresses = porcupine.Model{
	Init: func() any { return addressModel{} },
	Step: func(state, in, out any) (bool, any) {
		ok, next := state.(addressModel).step(in.(asking), out.(told))
		return ok, next
	},
	DescribeOperation: func(in, out any) string { return fmt.Sprintf("%v: %v", in, out) },
}

// round is the life of one address.
func (l *linear) round(dice *mrand.Rand, n int) {
	r, account := l.recipient(fmt.Sprintf("Recipient %d", n), mexican)
	l.history = nil
	together(5, func(who int) { l.make(who, account) })
	units := dice.Int64N(4) * 50
	d := *l.counter
	d.to, d.address = r, l.made(account)
	start := addressModel{address: d.address.ID, balance: units * 1_000_000}
	if units > 0 {
		d.lay(d.address, money.Of(start.balance, money.USDC).String())
	}
	var quotes [quotesOfRound]*railkit.Quote
	for i := range quotes {
		quotes[i] = d.quote(fmt.Sprint(40+dice.IntN(40)), "USDC")
	}
	l.check(addressModel{})
	l.history = nil
	plans := make([][2]int, 30)
	for i := range plans {
		plans[i] = [2]int{dice.IntN(6), dice.IntN(quotesOfRound)}
	}
	together(6, func(who int) {
		for _, p := range plans[who*5 : who*5+5] {
			l.ask(who, r.ID, quotes[p[1]], p[1], p[0])
		}
	})
	l.check(start)
}

func (l *linear) check(start addressModel) {
	model := modelOfAddresses
	model.Init = func() any { return start }
	if result := porcupine.CheckOperationsTimeout(model, l.history, time.Minute); result != porcupine.Ok {
		l.t.Errorf("seed %d: no order of events explains what was told (%s):", l.seed, result)
		for _, o := range l.history {
			l.t.Logf("%d: %d-%d %v %v", o.ClientId, o.Call, o.Return, o.Input, o.Output)
		}
	}
}

// made is the address of a bank account.
func (l *linear) made(account *railkit.BankAccount) withdraw.Address {
	l.t.Helper()
	return must(l.withdrawAddress(account.ID))(l.t)
}

// make has the address made.
func (l *linear) make(who int, account *railkit.BankAccount) {
	began := time.Since(l.began)
	a := l.post("/v1/payout/accounts/setup/liquidation-address", map[string]string{
		"beneficiaryId": account.RecipientID, "beneficiaryAccountId": account.ID, "chain": "base", "currency": "usdc",
	})
	data, _ := a.Field("data").(map[string]any)
	id, _ := data["id"].(string)
	l.add(who, began, asking{what: "make"}, told{map[int]string{201: "made", 200: "known"}[a.Status], id})
}

// ask executes, cancels or reads.
func (l *linear) ask(who int, recipient string, q *railkit.Quote, n, what int) {
	ctx, began := context.Background(), time.Since(l.began)
	c := asking{quote: n, gross: must(money.Parse(string(q.SourceAmount), money.USDC))(l.t).Minor}
	var t told
	var err error
	switch what {
	case 0, 1, 2:
		c.what = "execute"
		var p *railkit.Payment
		if p, err = l.Payments.Execute(
			ctx, railkit.ExecuteRequest{QuoteID: q.QuoteID, BeneficiaryID: recipient},
		); err == nil {
			t = told{outcomeOf(p.OrderStatus), p.OrderID}
		}
	case 3, 4:
		c.what = "cancel"
		var o *railkit.Order
		if o, err = l.Orders.Cancel(ctx, q.QuoteID); err == nil {
			t = told{outcomeOf(o.Status), o.ID}
		}
	default:
		c.what = "get"
		var o *railkit.OrderDetail
		if o, err = l.Orders.Get(ctx, q.QuoteID); err == nil {
			t = told{outcomeOf(o.Status), o.ID}
		}
	}
	var e *railkit.Error
	if errors.As(err, &e) {
		t = told{outcome: e.Code}
	}
	l.add(who, began, c, t)
}

// outcomeOf is a status as far as the model knows it: what has its money is paid
// out, or not, on its own.
func outcomeOf(status string) string {
	if status == "awaiting" || status == "canceled" {
		return status
	}
	return "paid"
}

func (l *linear) add(who int, began time.Duration, c asking, t told) {
	ended := time.Since(l.began)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.history = append(
		l.history, porcupine.Operation{ClientId: who, Input: c, Call: int64(began), Output: t, Return: int64(ended)},
	)
	l.tally[c.what+" "+t.outcome]++
}
