package payout_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

// byBank quotes and executes a payment that a bank transfer of pesos pays for.
func (r *rig) byBank(amount string) (rest.Quote, rest.Payment, error) {
	r.t.Helper()
	return r.bought(rest.QuoteRequest{
		BeneficiaryID: r.recipient.ID, SourceAmount: amount, SourceCurrency: "MXN", DestinationCurrency: "MXN",
	})
}

// bought quotes and executes.
func (r *rig) bought(in rest.QuoteRequest) (rest.Quote, rest.Payment, error) {
	r.t.Helper()
	var v rest.Quote
	var p rest.Payment
	a, err := r.Quotes.Create(r.t.Context(), call(), in)
	if err != nil {
		return v, p, err
	}
	if err := json.Unmarshal(a.Body, &v); err != nil {
		return v, p, err
	}
	a, err = r.Quotes.Execute(r.t.Context(), call(), rest.ExecuteRequest{
		QuoteID: v.QuoteID, BeneficiaryID: r.recipient.ID,
	})
	if err == nil {
		err = json.Unmarshal(a.Body, &p)
	}
	return v, p, err
}

// A quote in pesos answers with the CLABE; the bank transfer of its amount pays for its order, and for no other.
func TestPayout_ByBank_TheOrderOfAQuote(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	address := r.address("wallet")
	r.desk.sell = "0.0543"
	_, small, err := r.byBank("4000")
	if err != nil {
		t.Fatal(err)
	}
	v, p, err := r.byBank("5000")
	if err != nil {
		t.Fatal(err)
	}
	if v.Funding == nil || v.Funding.Currency != "MXN" || v.Funding.Fees != "55" || p.OrderStatus != "awaiting" ||
		p.Amount != "5000.00" || p.Currency != "MXN" || p.Reference[:4] != "PAY-" ||
		p.DepositInstructions == nil || p.DepositInstructions.CLABE == "" || p.DepositInstructions.Address != "" {
		t.Fatalf("%+v %+v", v.Funding, p)
	}
	r.paidInPesos(p.OrderID, "5000.00")
	clabe := r.virtual()
	r.tells(clabe, "d1", fiat.FundsReceived, fiat.PaymentProcessed)
	r.notice(clabe)
	o := r.payIn("d1")
	r.holdsPayIn("the pesos are there", o, order.FundsReceived, order.PayInSubmitted, "")
	if o.ID != p.OrderID || o.Type != order.GlobalPayment || slices.Contains(o.Labels, order.Over) {
		t.Fatalf("%s %s %v", o.ID, o.Type, o.Labels)
	}
	r.desk.sell = "18.4075"
	r.comes("t1")
	r.desk.receives(coinsOfPayIn.Minor)
	r.clock.move(2 * time.Minute)
	r.advance(o.ID)
	r.desk.moves(fiat.TransferProcessed, 0)
	o, _ = r.advance(o.ID)
	r.holdsPayIn("at the bank", o, order.Completed, order.PayInSettled, "")
	r.paidInPesos(o.ID, "5000.00")
	r.explains(o.ID)
	if waits := r.order(small.OrderID); waits.Status != order.Awaiting || o.WithdrawAddressID != address.ID {
		t.Errorf("the other order is %s", waits.Status)
	}
	r.clock.move(25 * time.Hour)
	if gone, _ := r.advance(small.OrderID); gone.Status != order.Expired {
		t.Errorf("the bank transfer of the other order never came, and it is %s", gone.Status)
	}
	if d := r.differences(); len(d) > 0 {
		t.Error(d)
	}
}

// paidInPesos wants the order, and its row among the recipient's, to come from a bank transfer of that amount, also
// before it is there.
func (r *rig) paidInPesos(id, amount string) {
	r.t.Helper()
	me := auth.Principal{Tenant: auth.Tenant{WorkspaceID: ws}}
	d, err := r.Orders.Get(r.t.Context(), me, id)
	if err != nil || d.Source.Amount != amount || d.Source.Currency != "mxn" || d.Source.Rail != "spei" ||
		d.Source.Chain+d.Source.Address != "" {
		r.t.Errorf("the order's source is %+v, %v", d.Source, err)
	}
	all, err := r.Orders.OfRecipient(r.t.Context(), me, r.recipient.ID, 9)
	i := slices.IndexFunc(all, func(o rest.RecipientOrder) bool { return o.ID == id })
	if err != nil || i < 0 || all[i].SourceCurrency != "mxn" || all[i].SourceAmount == nil ||
		*all[i].SourceAmount != amount {
		r.t.Errorf("the recipient's orders are %+v, %v", all, err)
	}
}

// explains wants the order, and the row of it among the payments, to begin with the bank transfer.
func (r *rig) explains(id string) {
	r.t.Helper()
	me := auth.Principal{Tenant: auth.Tenant{WorkspaceID: ws}}
	d, err := r.Orders.Get(r.t.Context(), me, id)
	if err != nil || d.Explanation == nil || d.Explanation.Deposit == nil {
		r.t.Fatalf("%+v, %v", d.Explanation, err)
	}
	if sent := *d.Explanation.Deposit; sent.Amount != "5000.00" || sent.Fee != "55.00" || sent.Converted != "4945.00" ||
		sent.Currency != "mxn" || d.Fees[0] != (rest.OrderFee{Kind: "deposit", Amount: "55.00", Currency: "mxn"}) ||
		!strings.HasPrefix(d.Explanation.Text,
			"5000.00 MXN - 55.00 MXN deposit fee = 4945.00 MXN, which is 268.52 USDC; 268.52 USDC - ") {
		r.t.Errorf("%+v %+v %q", sent, d.Fees, d.Explanation.Text)
	}
	all, _, _, err := r.Orders.ListPayments(r.t.Context(), me, page.Page{Limit: 9})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, p := range all {
		to := money.Currency(strings.ToLower(p.DestinationCurrency))
		r.addsUp(p.OrderID, p.Amount, p.Fees, p.Rate, p.NetAmount, to)
	}
}

// addsUp wants an amount of pesos, less the fees, at the rate to be the net amount.
func (r *rig) addsUp(what, amount, fees, rate, net string, to money.Currency) {
	r.t.Helper()
	sent, err := money.Parse(amount, money.MXN)
	taken, failed := money.Parse(fees, money.MXN)
	at, wrong := money.ParseRate(rate)
	if err := errors.Join(err, failed, wrong); err != nil {
		r.t.Fatalf("%s: %s less %s at %q: %v", what, amount, fees, rate, err)
	}
	left, err := sent.Sub(taken)
	if err != nil {
		r.t.Fatal(err)
	}
	want, err := money.Parse(net, to)
	if got, failed := at.Convert(left, to); errors.Join(err, failed) != nil || got != want {
		r.t.Errorf("%s: %s less %s at %s is %s, not %s", what, sent, taken, at, got, want)
	}
}

// Pesos for a bank account in dollars, as the specification writes the request: the bank transfer pays, and the answer
// is about it.
func TestPayout_ByBank_PesosForDollars(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	who, where := r.recipient, r.account
	who.ID, where.ID, where.Fingerprint = uuid.NewString(), uuid.NewString(), uuid.NewString()
	where.RecipientID, where.Currency, where.Rail, where.Country = who.ID, money.USD, fiat.ACH, "US"
	r.write(func(ctx context.Context, tx payout.Tx) error {
		return errors.Join(tx.InsertRecipient(ctx, who), tx.InsertBankAccount(ctx, where))
	})
	r.recipient, r.account = who, where
	r.address("wallet")
	r.desk.sell = "0.0543"
	in := rest.QuoteRequest{BeneficiaryID: who.ID, Amount: "3000", Currency: "MXN"}
	v, p, err := r.bought(in)
	if err != nil {
		t.Fatal(err)
	}
	if v.Amount != "3000" || v.Currency != "MXN" || v.DestinationCurrency != "USD" || v.Funding == nil ||
		v.Funding.Fees != "33" || p.OrderStatus != "awaiting" || p.Amount != "3000.00" || p.Currency != "MXN" ||
		p.DepositInstructions == nil || p.DepositInstructions.CLABE == "" {
		t.Errorf("%+v %+v %+v", v, v.Funding, p)
	}
	r.addsUp("the quote", string(v.Amount), string(v.Fees), string(v.Rate), string(v.NetAmount), money.USD)
	r.addsUp("the payment", p.Amount, p.Fees, p.Rate, p.NetAmount, money.USD)
	in.Amount = "99"
	_, _, err = r.bought(in)
	wantField(t, err, "amount takes a deposit of 99.00 MXN, which must be at least 100.00 MXN")
}

// Coins that arrive while an order waits for a bank transfer are another payment.
func TestPayout_ByBank_CoinsAreNotTheBankTransfer(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.address("wallet")
	r.desk.sell = "0.0543"
	_, p, err := r.byBank("5000")
	if err != nil {
		t.Fatal(err)
	}
	o := r.come(a, "t9", "268520000")
	if o.ID == p.OrderID || o.Type != order.OffRamp || r.order(p.OrderID).Status != order.Awaiting {
		t.Errorf("%s %s", o.Type, r.order(p.OrderID).Status)
	}
	all, err := r.store.Orders(t.Context(), orderview.Filter{WorkspaceID: ws, Page: page.Page{Limit: 10}})
	if err != nil || len(all) != 2 {
		t.Errorf("%d orders, %v", len(all), err)
	}
}

// Nobody pays oneself by way of a recipient's account number, and there are numbers in pesos only.
func TestPayout_ByBank_Refused(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.address("wallet")
	r.desk.sell = "0.0543"
	_, _, err := r.byBank("99.99")
	wantField(t, err, "sourceAmount takes a deposit of 99.99 MXN, which must be at least 100.00 MXN")
	who, where := r.recipient, r.account
	who.ID, who.Self, where.ID, where.Fingerprint = uuid.NewString(), true, uuid.NewString(), uuid.NewString()
	where.RecipientID = who.ID
	r.write(func(ctx context.Context, tx payout.Tx) error {
		return errors.Join(tx.InsertRecipient(ctx, who), tx.InsertBankAccount(ctx, where))
	})
	r.recipient, r.account = who, where
	r.address("wallet")
	_, _, err = r.byBank("5000")
	wantField(t, err, "beneficiaryId must not be the workspace's own recipient: nobody else pays it")
}

func wantField(t *testing.T, err error, want string) {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Message != "Validation failed: "+want {
		t.Errorf("%v, want %q", err, want)
	}
}

// More orders wait for bank transfers to one account number than a page of them has: the one of just this amount is
// found behind them, and the oldest of those that are close.
func TestPayout_ByBank_ManyWait(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.address("wallet")
	r.desk.sell = "0.0543"
	wait := func(amount string) string {
		r.clock.move(time.Second)
		_, p, err := r.byBank(amount)
		if err != nil {
			t.Fatal(err)
		}
		return p.OrderID
	}
	exact, oldest := wait("5000"), wait("5010")
	for range orderview.Most {
		wait("5010")
	}
	clabe := r.virtual()
	r.tells(clabe, "d1", fiat.FundsReceived)
	r.tells(clabe, "d2", fiat.FundsReceived)
	r.notice(clabe)
	if first, second := r.payIn("d1").ID, r.payIn("d2").ID; first != exact || second != oldest {
		t.Errorf("5,000.00 MXN pay for %s and %s; %s waits for them, and %s is the oldest that is close", first, second,
			exact, oldest)
	}
}
