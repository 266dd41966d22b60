package fiattest

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/money"
)

// VirtualAccounts holds a partner to what the on-ramp relies on. Receive of the bench has bank transfers arrive.
func VirtualAccounts(t *testing.T, open Open) {
	for name, test := range map[string]func(*customer){
		"Made": virtualsMade, "Switched": virtualSwitched, "Paid": depositPaid, "Returned": depositReturned,
		"WhileOff": depositWhileOff,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(newCustomer(t, open))
		})
	}
}

func (c *customer) onRamp(source money.Currency) fiat.VirtualAccountRequest {
	return fiat.VirtualAccountRequest{
		Source: source, Chain: c.Place.Chain, Currency: money.USDC, Address: c.Place.Address, FeePoints: 50,
	}
}

func (c *customer) virtual(source money.Currency) fiat.VirtualAccount {
	c.t.Helper()
	v, err := c.CreateVirtualAccount(c.t.Context(), uuid.NewString(), c.id, c.onRamp(source))
	if err != nil {
		c.t.Fatal(err)
	}
	return v
}

// history are the activities of an account since an instant.
func (c *customer) history(account string, since time.Time) []fiat.Activity {
	c.t.Helper()
	all, err := c.Activities(c.t.Context(), c.id, account, since)
	if err != nil {
		c.t.Fatal(err)
	}
	return all
}

// told waits until a deposit's newest activity is of one of the types, and gives all of it, oldest first.
func (c *customer) told(account, deposit string, last ...fiat.ActivityType) (some []fiat.Activity) {
	c.t.Helper()
	c.eventually("a deposit's newest activity", func() bool {
		some = nil
		for _, a := range slices.Backward(c.history(account, time.Time{})) {
			if a.DepositID == deposit {
				some = append(some, a)
			}
		}
		return len(some) > 0 && slices.Contains(last, some[len(some)-1].Type)
	})
	return some
}

func typesOf(all []fiat.Activity) (types []fiat.ActivityType) {
	for _, a := range all {
		types = append(types, a.Type)
	}
	return types
}

// Each currency has its numbers; an account is what was asked for, once, and one's own.
func virtualsMade(c *customer) {
	for source, number := range map[money.Currency]func(fiat.Details) string{
		money.USD: func(d fiat.Details) string { return d.AccountNumber + d.RoutingNumber },
		money.EUR: func(d fiat.Details) string { return d.IBAN },
		money.MXN: func(d fiat.Details) string { return d.CLABE },
		money.GBP: func(d fiat.Details) string { return d.AccountNumber + d.SortCode },
		money.BRL: func(d fiat.Details) string { return d.BRCode },
	} {
		v := c.virtual(source)
		i := v.Instructions
		if err := v.Check(c.onRamp(source)); err != nil || !v.Active || i.Currency != source || len(i.Rails) == 0 ||
			number(i.Details) == "" || i.BankName == "" || i.Beneficiary == "" {
			c.t.Errorf("%+v %v", v, err)
		}
	}
	key, q := uuid.NewString(), c.onRamp(money.MXN)
	id := together(c, "a virtual account", func() (string, error) {
		v, err := c.CreateVirtualAccount(c.t.Context(), key, c.id, q)
		return v.ID, err
	})
	if got, err := c.VirtualAccount(c.t.Context(), c.id, id); err != nil || got.ID != id || got.Check(q) != nil {
		c.t.Errorf("%+v %v", got, err)
	}
	q.FeePoints++
	_, err := c.CreateVirtualAccount(c.t.Context(), key, c.id, q)
	c.fails("another request with the key", err, fiat.ErrKeyReused)
	_, err = c.VirtualAccount(c.t.Context(), c.id, uuid.NewString())
	c.fails("no account", err, fiat.ErrNotFound)
	other := &customer{Bench: c.Bench, t: c.t}
	other.setUp()
	_, err = c.VirtualAccount(c.t.Context(), other.id, id)
	c.fails("another's account", err, fiat.ErrNotFound)
	_, err = c.Activities(c.t.Context(), other.id, id, time.Time{})
	c.fails("another's activities", err, fiat.ErrNotFound)
	_, err = c.SetVirtualAccountActive(c.t.Context(), uuid.NewString(), other.id, id, false)
	c.fails("switching another's", err, fiat.ErrNotFound)
}

// An account goes off and on again, once for each key, and its activities say so.
func virtualSwitched(c *customer) {
	v := c.virtual(money.MXN)
	for _, active := range []bool{false, true} {
		key := uuid.NewString()
		is := together(c, "a switch", func() (bool, error) {
			got, err := c.SetVirtualAccountActive(c.t.Context(), key, c.id, v.ID, active)
			return got.Active, err
		})
		got, err := c.VirtualAccount(c.t.Context(), c.id, v.ID)
		if err != nil || got.Active != active || is != active {
			c.t.Errorf("%+v %v, want %v", got, err, active)
		}
	}
	all := c.history(v.ID, time.Now().Add(-time.Minute))
	if want := []fiat.ActivityType{fiat.AccountActivated, fiat.AccountDeactivated}; !slices.Equal(typesOf(all), want) {
		c.t.Errorf("%v, want %v", typesOf(all), want)
	}
	for _, a := range all {
		if a.DepositID != "" || a.AccountID != v.ID || a.ID == "" || a.At.IsZero() {
			c.t.Errorf("%+v", a)
		}
	}
}

// What arrives becomes coins: all but the fee, at the rate, rounded down. Each deposit has its own id.
func depositPaid(c *customer) {
	v := c.virtual(money.MXN)
	rate, err := c.Rate(c.t.Context(), money.MXN, money.USDC)
	if err != nil {
		c.t.Fatal(err)
	}
	in := money.Of(500_010, money.MXN)
	coins, err := rate.Sell.Convert(money.Of(in.Minor-2501, money.MXN), money.USDC) // 0.5 % is 25.0005, rounded up
	if err != nil {
		c.t.Fatal(err)
	}
	first, second := c.Receive(v, in, false), c.Receive(v, money.Of(20_000, money.MXN), false)
	all := c.told(v.ID, first, fiat.PaymentProcessed)
	if want := []fiat.ActivityType{
		fiat.FundsReceived, fiat.PaymentSubmitted, fiat.PaymentProcessed,
	}; !slices.Equal(typesOf(all), want) {
		c.t.Fatalf("%v, want %v", typesOf(all), want)
	}
	if a := all[0]; a.Amount != in || a.SenderName == "" || a.Trace == "" || a.Rail != fiat.SPEI || a.Hash != "" {
		c.t.Errorf("received: %+v", a)
	}
	for _, a := range all[1:] {
		if a.Amount != coins || a.Fee != money.Of(2501, money.MXN) || a.Hash == "" || a.AccountID != v.ID {
			c.t.Errorf("%+v, want %s", a, coins)
		}
	}
	c.told(v.ID, second, fiat.PaymentProcessed)
	if first == second || len(c.history(v.ID, time.Time{})) != 6 {
		c.t.Errorf("%s, %s: %v", first, second, typesOf(c.history(v.ID, time.Time{})))
	}
	if later := c.history(v.ID, time.Now().Add(time.Hour)); len(later) != 0 {
		c.t.Errorf("since later: %+v", later)
	}
	err = c.ReturnDeposit(c.t.Context(), uuid.NewString(), c.id, first, in)
	c.fails("return what became coins", err, fiat.ErrRefused)
}

// A deposit that is held goes back on request: whole, to its own customer's, and once.
func depositReturned(c *customer) {
	v := c.virtual(money.MXN)
	amount, key := money.Of(500_000, money.MXN), uuid.NewString()
	held := c.Receive(v, amount, true)
	c.told(v.ID, held, fiat.FundsInReview)
	back := func(key, customer, deposit string, a money.Amount) error {
		return c.ReturnDeposit(c.t.Context(), key, customer, deposit, a)
	}
	other := &customer{Bench: c.Bench, t: c.t}
	other.setUp()
	c.fails("unknown", back(uuid.NewString(), c.id, uuid.NewString(), amount), fiat.ErrRefused)
	c.fails("another's", back(uuid.NewString(), other.id, held, amount), fiat.ErrRefused)
	c.fails("more", back(uuid.NewString(), c.id, held, money.Of(500_001, money.MXN)), fiat.ErrRefused)
	together(c, "a return", func() (bool, error) { return true, back(key, c.id, held, amount) })
	c.fails("another request with the key", back(key, c.id, held, money.Of(1, money.MXN)), fiat.ErrKeyReused)
	all := c.told(v.ID, held, fiat.RefundInFlight, fiat.Refunded)
	if n := len(slices.DeleteFunc(all, func(a fiat.Activity) bool { return a.Type != fiat.RefundInFlight })); n != 1 {
		c.t.Errorf("it goes back %d times", n)
	}
	c.fails("again", back(uuid.NewString(), c.id, held, amount), fiat.ErrRefused)
}

// An account that is off sends back what arrives.
func depositWhileOff(c *customer) {
	v := c.virtual(money.MXN)
	if _, err := c.SetVirtualAccountActive(c.t.Context(), uuid.NewString(), c.id, v.ID, false); err != nil {
		c.t.Fatal(err)
	}
	amount := money.Of(500_000, money.MXN)
	all := c.told(v.ID, c.Receive(v, amount, false), fiat.Refunded)
	want := []fiat.ActivityType{fiat.FundsReceived, fiat.RefundInFlight, fiat.Refunded}
	if last := all[len(all)-1]; !slices.Equal(typesOf(all), want) || last.Amount != amount || last.Reason == "" {
		c.t.Errorf("%+v, want %v", all, want)
	}
}

// depositFaults meets what goes wrong on the way to a virtual account as what it is; the same key then has one effect.
func depositFaults(c *customer) {
	for _, f := range []struct {
		control.Fault
		want error
	}{
		{control.Fault{Kind: "unavailable", Status: 500}, fiat.ErrUnavailable},
		{control.Fault{Kind: "rate_limited", RetryAfter: 3}, fiat.ErrBusy},
		{control.Fault{Kind: "slow", DelayMs: 20_000}, fiat.ErrUnavailable},
		{control.Fault{Kind: "truncated"}, fiat.ErrAnswer},
		{control.Fault{Kind: "lost_answer"}, fiat.ErrUnavailable},
		{control.Fault{Kind: "no_route"}, fiat.ErrAnswer},
	} {
		f.Times, f.Path = 1, "/virtual_accounts"
		breaks := func(method string) {
			f.Method = method
			c.breaks(f.Fault)
			if f.Kind == "lost_answer" { // Go itself asks again, once
				c.breaks(f.Fault)
			}
		}
		key := uuid.NewString()
		breaks(http.MethodPost)
		_, err := c.CreateVirtualAccount(c.meets(f.Fault), key, c.id, c.onRamp(money.MXN))
		c.fails("making one: "+f.Kind, err, f.want)
		v, err := c.CreateVirtualAccount(c.t.Context(), key, c.id, c.onRamp(money.MXN))
		if err != nil {
			c.t.Fatalf("%s: asked again: %v", f.Kind, err)
		}
		off := func(ctx context.Context) error {
			_, err := c.SetVirtualAccountActive(ctx, key+"off", c.id, v.ID, false)
			return err
		}
		breaks(http.MethodPost)
		c.fails("switching it off: "+f.Kind, off(c.meets(f.Fault)), f.want)
		if err := off(c.t.Context()); err != nil {
			c.t.Errorf("%s: asked again: %v", f.Kind, err)
		}
		breaks(http.MethodGet)
		_, err = c.Activities(c.meets(f.Fault), c.id, v.ID, time.Time{})
		c.fails("its activities: "+f.Kind, err, f.want)
		if all := c.history(v.ID, time.Time{}); len(all) != 1 || all[0].Type != fiat.AccountDeactivated {
			c.t.Errorf("%s: %+v", f.Kind, all)
		}
	}
}
