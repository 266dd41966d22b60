package payout_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
)

const executePath = "/v1/payout/accounts/execute"

// What lies at the address says what becomes of an executed quote.
func TestPayout_Execute(t *testing.T) {
	t.Parallel()
	d := newCounter(t)
	q := d.quote("100", "USDC")
	p := d.execute(q)
	want := railkit.DepositInstructions{
		Address: d.address.Address, Chain: "base", Token: "usdc", Amount: "100.000000", ExpiresAt: q.ExpiresAt,
	}
	if p.Status != "pending" ||
		p.OrderStatus != "awaiting" || p.DepositInstructions == nil || *p.DepositInstructions != want ||
		p.Amount != "100.000000" || p.Currency != "USDC" ||
		p.NetAmount != "1826.94" || p.DestinationCurrency != "MXN" || p.Fees != "0.750000" ||
		p.BeneficiaryName != "Ana García" || p.QuoteID != q.QuoteID || p.AccountLast4 != "9719" {
		t.Errorf("empty: %+v, %+v", p, p.DepositInstructions)
	}
	body := railkit.ExecuteRequest{QuoteID: q.QuoteID, BeneficiaryID: d.to.ID}
	again := d.post(executePath, body)
	if data, _ := again.Field("data").(map[string]any); again.Status != 200 ||
		data["orderId"] != p.OrderID || data["reference"] != p.Reference {
		t.Errorf("again: %d %s", again.Status, again.Body)
	}
	t.Run("Refused", d.refusesExecution)
	t.Run("Funding", d.funds)
	t.Run("Races", d.races)
	t.Run("RacesForMoney", d.racesForMoney)
	t.Run("AtOnce", d.executesAtOnce)
	t.Run("Orders", d.listsOrders)
}

func (d *counter) refusesExecution(t *testing.T) {
	q := d.quote("5", "USDC")
	wantCode(
		t, "another's quote id",
		d.post(executePath, railkit.ExecuteRequest{QuoteID: uuid.NewString(), BeneficiaryID: d.to.ID}), 404,
		"not_found", "Quote not found",
	)
	bea, account := d.recipient("Bea", mexican)
	d.receive(account, "base", money.USDC)
	wantCode(
		t, "another recipient", d.post(executePath, railkit.ExecuteRequest{QuoteID: q.QuoteID, BeneficiaryID: bea.ID}),
		422, "recipient_not_found", "Recipient not found",
	)
	_, key := d.NewWorkspace([]auth.Scope{auth.PayoutWrite}, auth.Payout)
	_, err := d.ClientWith(key).Payments.Execute(
		t.Context(), railkit.ExecuteRequest{QuoteID: q.QuoteID, BeneficiaryID: d.to.ID},
	)
	wantError(t, "from another workspace", err, 404, "not_found")
	_, err = d.ClientWith(key).Orders.Cancel(t.Context(), q.QuoteID)
	wantError(t, "cancel from another workspace", err, 404, "not_found")
	theirs := must(d.Payments.Quote(
		t.Context(), railkit.QuoteRequest{BeneficiaryID: bea.ID, Amount: "5", Currency: "USDC"},
	))(t)
	if _, err := d.Recipients.SetStatus(
		t.Context(), bea.ID, railkit.RecipientStatusRequest{Status: "archived"},
	); err != nil {
		t.Fatal(err)
	}
	wantCode(
		t, "archived since",
		d.post(executePath, railkit.ExecuteRequest{QuoteID: theirs.QuoteID, BeneficiaryID: bea.ID}), 422,
		"recipient_not_found", "Recipient not found",
	)
}

func (d *counter) funds(t *testing.T) {
	_, account := d.recipient("Cid", mexican)
	to := *d
	to.to = &railkit.Recipient{ID: account.RecipientID}
	to.address = d.receive(account, "base", money.USDC)
	to.lay(to.address, "0.999999")
	if p := to.execute(to.quote("10", "USDC")); p.OrderStatus != "awaiting" {
		t.Errorf("dust: %+v", p)
	}
	to.lay(to.address, "20.000001") // 21 in all
	short := to.post(
		executePath,
		railkit.ExecuteRequest{QuoteID: to.quote("21.000001", "USDC").QuoteID, BeneficiaryID: account.RecipientID},
	)
	wantCode(t, "short", short, 422, "withdraw_balance_insufficient", "Insufficient balance")
	if details, _ := short.Field("details").(map[string]any); details["have"] != "21.000000" ||
		details["need"] != "21.000001" {
		t.Errorf("short: %s", short.Body)
	}
	p := to.execute(to.quote("20", "USDC"))
	if p.Status != "processing" ||
		p.OrderStatus != "funds_received" || p.DepositInstructions != nil || to.held(to.address) != "1.000000" {
		t.Errorf("enough: %+v, %s left", p, to.held(to.address))
	}
	o := must(d.Orders.Get(t.Context(), p.Reference))(t)
	if o.Timeline[0].Type != "order.funded" || o.Timeline[0].Source != "user" || o.Origin != "quote" {
		t.Errorf("%+v", o)
	}
	_, err := d.Orders.Cancel(t.Context(), p.OrderID)
	wantError(t, "canceling what is paid for", err, 422, "order_settled")
}

// Of many who execute one quote all get the one order. Of two quotes for more
// than there is one is paid.
func (d *counter) races(t *testing.T) {
	_, account := d.recipient("Dan", mexican)
	to := *d
	to.to = &railkit.Recipient{ID: account.RecipientID}
	to.address = d.receive(account, "base", money.USDC)
	to.lay(to.address, "150")
	q := to.quote("30", "USDC")
	orders := sync.Map{}
	together(32, func(int) {
		p, err := to.Payments.Execute(
			context.Background(), railkit.ExecuteRequest{QuoteID: q.QuoteID, BeneficiaryID: account.RecipientID},
		)
		if err != nil {
			t.Error(err)
			return
		}
		orders.Store(p.OrderID, true)
	})
	n := 0
	orders.Range(func(any, any) bool { n++; return true })
	if n != 1 || to.held(to.address) != "120.000000" {
		t.Errorf("%d orders, %s left", n, to.held(to.address))
	}
	quotes := []*railkit.Quote{to.quote("70", "USDC"), to.quote("70", "USDC")}
	answers := make([]apptest.Answer, len(quotes))
	together(len(quotes), func(i int) {
		answers[i] = to.post(
			executePath, railkit.ExecuteRequest{QuoteID: quotes[i].QuoteID, BeneficiaryID: account.RecipientID},
		)
	})
	if answers[0].Status+answers[1].Status != 201+422 || to.held(to.address) != "50.000000" {
		t.Errorf("%v, %s left", answers, to.held(to.address))
	}
}

// Of many quotes that are executed at once as many are paid as what lies at the address
// is enough for; the others are told so, and
// nothing is spent twice.
func (d *counter) racesForMoney(t *testing.T) {
	_, account := d.recipient("Eve", mexican)
	to := *d
	to.to = &railkit.Recipient{ID: account.RecipientID}
	to.address = d.receive(account, "base", money.USDC)
	to.lay(to.address, "75")
	const callers = 24
	quotes := make([]*railkit.Quote, callers)
	for i := range quotes {
		quotes[i] = to.quote("10", "USDC")
	}
	var paid, short atomic.Int64
	together(callers, func(i int) {
		a := to.post(
			executePath, railkit.ExecuteRequest{QuoteID: quotes[i].QuoteID, BeneficiaryID: account.RecipientID},
		)
		switch a.Status {
		case 201:
			paid.Add(1)
		case 422:
			short.Add(1)
		default:
			t.Errorf("%d %s", a.Status, a.Body)
		}
	})
	if paid.Load() != 7 || short.Load() != callers-7 || to.held(to.address) != "5.000000" {
		t.Errorf("%d paid, %d not, %s left", paid.Load(), short.Load(), to.held(to.address))
	}
}

func together(n int, do func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

// A quote ends by the database's clock, whatever the server's says.
func TestPayout_QuoteEnds(t *testing.T) {
	t.Parallel()
	clock := &hands{}
	d := newCounter(t, apptest.WithClock(clock), func(c *apptest.Config) { c.QuoteLife = "10s" })
	first, batch, second := d.quote("10", "USDC"), d.preview(d.pay("", "12", "USDC")), d.quote("11", "USDC")
	clock.move(time.Hour)
	p := d.execute(first)
	if p.OrderStatus != "awaiting" {
		t.Errorf("the server's clock is an hour ahead: %+v", p)
	}
	clock.move(-2 * time.Hour)
	apptest.Eventually(t, "the quote to end", func() bool {
		return time.Now().After(must(time.Parse(time.RFC3339, second.ExpiresAt))(t))
	})
	a := d.post(executePath, railkit.ExecuteRequest{QuoteID: second.QuoteID, BeneficiaryID: d.to.ID})
	wantCode(t, "the server's clock is an hour behind", a, 422, "quote_expired", "Quote has expired")
	a = d.Do(d.Keys.BenchKey, "POST", batchesPath+"/"+batch.ID+"/execute", "")
	wantCode(t, "the same of a batch", a, 422, "batch_expired", "The prices of the batch have expired")
	if again := d.execute(first); again.OrderID != p.OrderID {
		t.Errorf("what was executed in time is found later, too: %+v", again)
	}
}

// step moves an order as the partner or a chain would.
func (d *counter) step(id string, events ...order.Event) {
	d.t.Helper()
	for _, e := range events {
		o, err := d.order(id)
		if err != nil {
			d.t.Fatal(err)
		}
		e.At = time.Now()
		c, err := order.Apply(o, e)
		if err != nil {
			d.t.Fatal(err)
		}
		d.write(func(ctx context.Context, tx payout.Tx) error { return tx.Apply(ctx, c) })
	}
}
