package sandbox_test

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fiat/sandbox/control"
)

// payer is a customer with a virtual account, whose coins go to an address that nobody else has.
type payer struct {
	*partner
	customer, account, number, address string
}

// numberOf is the name of each currency's number in instructions.
var numberOf = map[string]string{
	"usd": "bank_account_number", "mxn": "clabe", "eur": "iban", "gbp": "account_number", "brl": "br_code",
}

func (p *partner) payer(currency, fee string) payer {
	p.t.Helper()
	return p.payerOn("base", currency, fee)
}

func (p *partner) payerOn(chain, currency, fee string) payer {
	p.t.Helper()
	raw := make([]byte, 20)
	_, _ = rand.Read(raw)
	a := payer{partner: p, address: "0x" + hex.EncodeToString(raw)}
	a.customer = text(p.customer(), "id")
	v := p.made("/v0/customers/"+a.customer+"/virtual_accounts", object{
		"source": object{"currency": currency}, "developer_fee_percent": fee,
		"destination": object{"payment_rail": chain, "currency": "usdc", "address": a.address},
	})
	a.account, a.number = text(v, "id"), text(v, "source_deposit_instructions", numberOf[currency])
	return a
}

// pays has a bank transfer arrive.
func (a payer) pays(b control.BankDeposit) control.Deposit {
	a.t.Helper()
	b.Account = a.number
	d, err := a.control.Deposit(a.t.Context(), b)
	if err != nil {
		a.t.Fatal(err)
	}
	return d
}

// events are those of a deposit, oldest first.
func (a payer) events(deposit string) (some []object) {
	a.t.Helper()
	for _, e := range list(a.got("/v0/customers/" + a.customer + "/virtual_accounts/" + a.account +
		"/history?limit=100")) {
		if text(e, "deposit_id") == deposit {
			some = append(some, e)
		}
	}
	slices.Reverse(some)
	return some
}

// told waits until a deposit's events end with a type, and gives the types of all.
func (a payer) told(deposit, last string) (types string) {
	a.t.Helper()
	a.eventually(deposit+" is "+last, func() bool {
		var all []string
		for _, e := range a.events(deposit) {
			all = append(all, text(e, "type"))
		}
		types = strings.Join(all, " ")
		return strings.HasSuffix(types, last)
	})
	return types
}

// counted makes sure how often coins and money left for a deposit, and that the ledger is balanced.
func (a payer) counted(what, deposit string, paid, returned int) {
	a.t.Helper()
	l, err := a.control.Ledger(a.t.Context(), deposit)
	if err != nil || !l.Balanced || len(l.Deposits) != 1 || l.Deposits[0].Paid != paid ||
		l.Deposits[0].Returned != returned {
		a.t.Errorf("%s: the ledger has %+v (%v), want %d paid and %d returned", what, l, err, paid, returned)
	}
}

const (
	paidOut = "funds_received payment_submitted payment_processed"
	goneOut = "funds_received refund_in_flight refunded"

	bankReturn = "returned_by_the_senders_bank"
)

// Pesos become coins on the chain: all but the fee, at the desk's rate, rounded down.
func TestPartner_DepositBecomesCoins(t *testing.T) {
	t.Parallel()
	a := onChain(t).payer("mxn", "0.5")
	d := a.pays(control.BankDeposit{Amount: "5000", SenderName: "Ana Ruiz", Trace: "KEY1"})
	if got := a.told(d.ID, "payment_processed"); got != paidOut {
		t.Fatal(got)
	}
	all := a.events(d.ID)
	r := a.got("/v0/exchange_rates?from=mxn&to=usdc")
	in, out := all[0], all[2]
	if text(in, "amount") != "5000.00" || text(in, "currency") != "mxn" ||
		text(in, "source", "payment_rail") != "spei" || text(in, "source", "sender_name") != "Ana Ruiz" ||
		text(in, "source", "tracking_number") != "KEY1" {
		t.Errorf("received: %v", in)
	}
	if text(out, "currency") != "usdc" || text(out, "developer_fee_amount") != "25.00" ||
		text(out, "destination_tx_hash") != text(all[1], "destination_tx_hash") {
		t.Errorf("paid at %v: %v", r["sell_rate"], out)
	}
	is, err := a.control.FindDeposit(t.Context(), d.ID)
	if err != nil || is.Rate != r["sell_rate"] || is.PaymentAmount != text(out, "amount") || len(is.Hashes) != 1 ||
		is.Hashes[0] != text(out, "destination_tx_hash") || !strings.EqualFold(is.ToAddress, a.address) {
		t.Errorf("%+v %v", is, err)
	}
	if got := tokens(t, a.address); got != minor(t, text(out, "amount")) || got == 0 {
		t.Errorf("%d arrived of %s", got, text(out, "amount"))
	}
	receipt, found, err := base(t).Receipt(t.Context(), text(out, "destination_tx_hash"))
	if err != nil || !found || !receipt.Succeeded {
		t.Errorf("%+v %v %v", receipt, found, err)
	}
	a.counted("paid", d.ID, 1, 0)
}

// minor is an amount of USDC in its smallest units.
func minor(t *testing.T, amount string) (n int64) {
	t.Helper()
	whole, part, _ := strings.Cut(amount, ".")
	for _, r := range whole + part {
		n = n*10 + int64(r-'0')
	}
	return n
}

// Each currency's account takes its rails, and ACH says what is on its way.
func TestPartner_DepositOfEachCurrency(t *testing.T) {
	t.Parallel()
	p := onChain(t)
	for currency, c := range map[string]struct{ rail, reference, types string }{
		"usd": {"ach_push", "trace_number", "funds_scheduled " + paidOut}, "eur": {"sepa", "uetr", paidOut},
		"gbp": {"faster_payments", "trace_number", paidOut}, "brl": {"pix", "end_to_end_id", paidOut},
	} {
		a := p.payer(currency, "0")
		d := a.pays(control.BankDeposit{Amount: "1000"})
		if err := p.control.Advance(t.Context(), time.Minute); err != nil {
			t.Fatal(err)
		}
		types := a.told(d.ID, "payment_processed")
		in := a.events(d.ID)[0]
		if types != c.types || text(in, "source", "payment_rail") != c.rail || text(in, "source", c.reference) == "" {
			t.Errorf("%s: %s, %v", currency, types, in)
		}
		if tokens(t, a.address) < 100_000_000 {
			t.Errorf("%s: %d arrived", currency, tokens(t, a.address))
		}
		a.counted(currency, d.ID, 1, 0)
	}
	wire := p.payer("usd", "0")
	d := wire.pays(control.BankDeposit{Amount: "10", Rail: "wire"})
	if got := wire.told(d.ID, "payment_processed"); got != paidOut ||
		text(wire.events(d.ID)[0], "source", "imad") == "" {
		t.Errorf("by wire: %s", got)
	}
	if got := tokens(t, wire.address); got != 10_000_000 {
		t.Errorf("%d of ten dollars arrived", got)
	}
}

// What goes wrong with a deposit because of its sender's name or its cents.
func TestPartner_MagicDeposits(t *testing.T) {
	t.Parallel()
	p := onChain(t)
	for name, c := range map[string]struct {
		deposit        control.BankDeposit
		types, reason  string
		paid, returned int
		tenths         int64 // of what is owed, that arrive
	}{
		"bounced": {control.BankDeposit{Amount: "1000.01"}, goneOut, bankReturn, 0, 1, 0},
		"bounced, by name": {
			control.BankDeposit{Amount: "1000", SenderName: "Ana Bounced"}, goneOut, bankReturn, 0, 1, 0,
		},
		"recalled": {
			control.BankDeposit{Amount: "1000.02"}, paidOut + " refund_in_flight refunded", bankReturn, 1, 1, 10,
		},
		"below": {control.BankDeposit{Amount: "99.99"}, goneOut, "below_minimum", 0, 1, 0},
		"above": {
			control.BankDeposit{Amount: "10000000.10"}, "funds_received in_review refund_in_flight refunded",
			"above_maximum", 0, 1, 0,
		},
		"stray":      {control.BankDeposit{Amount: "1000.05"}, paidOut, "", 1, 0, 0},
		"short":      {control.BankDeposit{Amount: "1000.06"}, paidOut, "", 1, 0, 9},
		"wrong hash": {control.BankDeposit{Amount: "1000.09"}, paidOut, "", 1, 0, 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := *p
			p.t = t
			a := p.payer("mxn", "0")
			d := a.pays(c.deposit)
			last := c.types[strings.LastIndex(c.types, " ")+1:]
			if got := a.told(d.ID, last); got != c.types {
				t.Errorf("it is told as %s", got)
			}
			all := a.events(d.ID)
			if got := text(all[len(all)-1], "reason"); got != c.reason {
				t.Errorf("because of %q", got)
			}
			is, err := p.control.FindDeposit(t.Context(), d.ID)
			if err != nil {
				t.Fatal(err)
			}
			if owed := minor(t, is.PaymentAmount); tokens(t, a.address) != owed-owed*(10-c.tenths)/10 {
				t.Errorf("%d of %d arrived", tokens(t, a.address), owed)
			}
			told := text(all[min(2, len(all)-1)], "destination_tx_hash")
			if lie := len(is.Hashes) > 0 && told != is.Hashes[0]; lie != (name == "wrong hash") {
				t.Errorf("%v, told is %s", is.Hashes, told)
			}
			a.counted(name, d.ID, c.paid, c.returned)
		})
	}
}

// Coins that are sent twice are told once.
func TestPartner_DepositPaidTwice(t *testing.T) {
	t.Parallel()
	a := onChain(t).payer("mxn", "0")
	d := a.pays(control.BankDeposit{Amount: "1000", SenderName: "Twice Ruiz"})
	a.told(d.ID, "payment_processed")
	var is control.Deposit
	a.eventually("both arrived", func() bool {
		is, _ = a.control.FindDeposit(t.Context(), d.ID)
		return len(is.Hashes) == 2 && tokens(t, a.address) == 2*minor(t, is.PaymentAmount)
	})
	if got := a.told(d.ID, "payment_processed"); got != paidOut {
		t.Error(got)
	}
	a.counted("twice", d.ID, 2, 0)
}

// What waits for a control, and what each of them does.
func TestPartner_DepositControls(t *testing.T) {
	t.Parallel()
	p := onChain(t)
	a := p.payer("mxn", "0")
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	held := func() string {
		t.Helper()
		d := a.pays(control.BankDeposit{Amount: "1000.03"})
		if d.State != "in_review" || d.Reason != "manual_review" {
			t.Fatalf("%+v", d)
		}
		return d.ID
	}
	released, back, hash, never := held(), held(), held(), a.pays(control.BankDeposit{Amount: "1000.08"}).ID
	must(p.control.Advance(ctx, 48*time.Hour))
	if got := a.told(never, "funds_received"); got != "funds_received" {
		t.Errorf("never sent: %s", got)
	}
	must(p.control.ReleaseDeposit(ctx, released))
	must(p.control.ReturnDeposit(ctx, back, "funds_request"))
	must(p.control.MisdirectDeposit(ctx, hash, control.OtherHash))
	must(p.control.ReleaseDeposit(ctx, hash))
	must(p.control.AdvanceDeposit(ctx, hash))
	must(p.control.ReleaseDeposit(ctx, never))
	if got := a.told(released, "payment_processed"); got != strings.Replace(paidOut, " ", " in_review ", 1) {
		t.Errorf("released: %s", got)
	}
	if got := a.told(back, "refunded"); got != strings.Replace(goneOut, " ", " in_review ", 1) ||
		text(a.events(back)[3], "reason") != "funds_request" {
		t.Errorf("sent back: %s", got)
	}
	a.told(hash, "payment_processed")
	if is, err := p.control.FindDeposit(ctx, hash); err != nil || len(is.Hashes) != 1 ||
		is.Hashes[0] == text(a.events(hash)[3], "destination_tx_hash") {
		t.Errorf("%+v %v", is, err)
	}
	a.told(never, "payment_processed")
	must(p.control.ReturnDeposit(ctx, never, ""))
	a.told(never, "refunded")
	a.counted("recalled by hand", never, 1, 1)
	for what, err := range map[string]error{
		"release what is over": p.control.ReleaseDeposit(ctx, released),
		"return it twice":      p.control.ReturnDeposit(ctx, back, ""),
		"misdirect":            p.control.MisdirectDeposit(ctx, released, control.SentTwice),
		"how":                  p.control.MisdirectDeposit(ctx, held(), "pigeon"),
		"nothing":              p.control.ReleaseDeposit(ctx, "none"),
	} {
		if e, is := err.(*control.Error); !is || e.Status/100 != 4 {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, b := range map[string]control.BankDeposit{
		"account": {Account: "000", Amount: "1"}, "amount": {Account: a.number, Amount: "1.001"},
		"nothing": {Account: a.number, Amount: "0"}, "rail": {Account: a.number, Amount: "1", Rail: "sepa"},
		"name": {Account: a.number, Amount: "1", SenderName: strings.Repeat("x", 200)},
		"id":   {Account: a.number, Amount: "1", ID: "mine"},
	} {
		if _, err := p.control.Deposit(ctx, b); err == nil {
			t.Errorf("a deposit with a wrong %s", what)
		}
	}
}

// An account that is off sends back what arrives, and what was under way goes on.
func TestPartner_DepositWhileOff(t *testing.T) {
	t.Parallel()
	p := onChain(t)
	a := p.payer("mxn", "0")
	own := "/v0/customers/" + a.customer + "/virtual_accounts/" + a.account
	before := a.pays(control.BankDeposit{Amount: "1000.04"}) // it takes a minute
	key := uuid.NewString()
	for range 2 {
		if _, v := p.call(http.MethodPost, own+"/deactivate", nil, key); v["status"] != "deactivated" {
			t.Fatalf("%v", v)
		}
	}
	d := a.pays(control.BankDeposit{Amount: "1000"})
	if got := a.told(d.ID, "refunded"); got != goneOut || text(a.events(d.ID)[1], "reason") != "account_deactivated" {
		t.Error(got)
	}
	if err := p.control.Advance(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	a.told(before.ID, "payment_processed")
	p.made(own+"/reactivate", nil)
	after := a.pays(control.BankDeposit{Amount: "1000"})
	a.told(after.ID, "payment_processed")
	if got := types(list(p.got(own + "/history?limit=100"))); strings.Count(got, "deactivation") != 1 ||
		strings.Count(got, "reactivation") != 1 {
		t.Errorf("the account's history: %s", got)
	}
}

func types(events []object) string {
	var all []string
	for _, e := range events {
		all = append(all, text(e, "type"))
	}
	return strings.Join(all, " ")
}

// A deposit goes back on request, whole, once, and as long as it is no coins.
func TestPartner_ReturnOfDeposit(t *testing.T) {
	t.Parallel()
	p := onChain(t)
	a := p.payer("mxn", "0")
	order := func(deposit string, change object) object {
		o := object{"on_behalf_of": a.customer, "amount": "1000.03", "destination": object{
			"payment_rail": "fiat_deposit_return", "currency": "mxn", "deposit_id": deposit,
		}}
		for name, value := range change {
			o[name] = value
		}
		return o
	}
	held, done := a.pays(control.BankDeposit{Amount: "1000.03"}), a.pays(control.BankDeposit{Amount: "1000"})
	us := p.payer("usd", "0")
	coming := us.pays(control.BankDeposit{Amount: "1000"})
	a.told(done.ID, "payment_processed")
	dollars := object{"payment_rail": "fiat_deposit_return", "currency": "usd", "deposit_id": held.ID}
	for what, c := range map[string]struct {
		body        object
		code, field string
	}{
		"unknown":   {order(uuid.NewString(), nil), "not_found", "destination.deposit_id"},
		"another's": {order(held.ID, object{"on_behalf_of": "x"}), "not_found", "destination.deposit_id"},
		"a part":    {order(held.ID, object{"amount": "1000.02"}), "invalid_parameters", "amount"},
		"currency":  {order(held.ID, object{"destination": dollars}), "invalid_parameters", "destination.currency"},
		"converted": {order(done.ID, object{"amount": "1000"}), "deposit_already_converted", ""},
		"coming": {object{"on_behalf_of": us.customer, "amount": "1000", "destination": object{
			"payment_rail": "fiat_deposit_return", "currency": "usd", "deposit_id": coming.ID,
		}}, "deposit_not_received", ""},
	} {
		p.refused(what, http.MethodPost, "/v0/transfers", c.body, 400, c.code, c.field)
	}
	key := uuid.NewString()
	for range 2 {
		status, made := p.call(http.MethodPost, "/v0/transfers", order(held.ID, nil), key)
		if status != http.StatusCreated || text(made, "amount") != "1000.03" ||
			text(made, "destination", "deposit_id") != held.ID {
			t.Errorf("%d %v", status, made)
		}
	}
	a.told(held.ID, "refunded")
	if got := text(a.events(held.ID)[3], "reason"); got != "returned_on_request" {
		t.Errorf("because of %s", got)
	}
	p.refused("again", http.MethodPost, "/v0/transfers", order(held.ID, nil), 400, "deposit_already_returned", "")
	a.counted("returned", held.ID, 0, 1)
}

// A partner that was stopped at any time pays each deposit once.
func TestPartner_DepositsOverRestarts(t *testing.T) {
	t.Parallel()
	p := onChain(t)
	a := p.payer("mxn", "0")
	var ids []string
	for i := range 6 {
		ids = append(ids, a.pays(control.BankDeposit{Amount: "1000"}).ID)
		time.Sleep(time.Duration(i) * 60 * time.Millisecond) // by its plan: stopped sooner or later
		p.stop()
		p.start()
	}
	var owed int64
	for _, id := range ids {
		a.told(id, "payment_processed")
		is, err := p.control.FindDeposit(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		owed += minor(t, is.PaymentAmount)
		a.counted("after restarts", id, 1, 0)
	}
	if got := tokens(t, a.address); got != owed {
		t.Errorf("%d arrived of %d", got, owed)
	}
}

// A deposit that is too large to be counted in coins goes back, also where somebody releases it.
func TestPartner_DepositOfTooMuch(t *testing.T) {
	t.Parallel()
	p := open(t)
	a := p.payer("mxn", "0")
	d := a.pays(control.BankDeposit{Amount: "92233720368547758.00", SenderName: "Held Ruiz"})
	if d.State != "in_review" || d.Reason != "above_maximum" {
		t.Errorf("%+v", d)
	}
	if err := p.control.ReleaseDeposit(t.Context(), d.ID); err != nil {
		t.Fatal(err)
	}
	if got := a.told(d.ID, "refunded"); got != "funds_received in_review refund_in_flight refunded" {
		t.Error(got)
	}
	a.counted("too much", d.ID, 0, 1)
}
