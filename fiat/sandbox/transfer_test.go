package sandbox_test

import (
	"net/http"
	"testing"
	"time"
)

// A deposit on the chain becomes pesos in a bank, to the cent.
func TestPartner_PaysWhatArrived(t *testing.T) {
	t.Parallel()
	p := onChain(t)
	s := p.setup()
	d := p.deposit(s, "250")
	if text(d, "amount") != "250.000000" || text(d, "currency") != "usdc" || len(text(d, "deposit_tx_hash")) != 66 {
		t.Errorf("the drain is %v", d)
	}
	body := s.transfer(nil)
	made := p.made("/v0/transfers", body)
	id := text(made, "id")
	p.holds(s, "150.000000")
	done := p.reaches(id, "payment_processed")
	// 99.25 at 18.1 less 0.5 % is 1787.442875, and nobody is paid a part of a centavo.
	for _, want := range [][]string{
		{"100.000000", "receipt", "initial_amount"}, {"0.750000", "receipt", "developer_fee"},
		{"99.250000", "receipt", "subtotal_amount"}, {"18.0095", "receipt", "exchange_rate"},
		{"1787.44", "receipt", "final_amount"}, {s.account, "destination", "external_account_id"},
	} {
		if got := text(done, want[1:]...); got != want[0] {
			t.Errorf("%v is %s, want %s", want[1:], got, want[0])
		}
	}
	if len(text(done, "destination", "tracking_number")) < 20 {
		t.Errorf("without a tracking key: %v", done["destination"])
	}
	p.paid(text(done, "client_reference_id"), 1, 0)
	p.holds(s, "150.000000")
}

// What is asked for is what arrives; the source is what it costs.
func TestPartner_FixedOutput(t *testing.T) {
	t.Parallel()
	p := onChain(t)
	s := p.setup()
	p.deposit(s, "100")
	body := s.transfer(object{"amount": nil, "destination": object{
		"payment_rail": "spei", "currency": "mxn", "external_account_id": s.account, "amount": "1000.00",
	}})
	made := p.made("/v0/transfers", body)
	// 1000 / 18.0095 is 55.526250...: rounded up, and the fee.
	if text(made, "amount") != "56.276250" && text(made, "amount") != "56.276251" ||
		text(made, "receipt", "final_amount") != "1000.00" {
		t.Errorf("it takes %s for %s", text(made, "amount"), text(made, "receipt", "final_amount"))
	}
	p.reaches(text(made, "id"), "payment_processed")
	p.paid(text(made, "client_reference_id"), 1, 0)
}

// Money goes back on the chain, in real tokens.
func TestPartner_PaysOnChain(t *testing.T) {
	p := onChain(t)
	s := p.setup()
	p.deposit(s, "20")
	to := "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
	before := tokens(t, to)
	made := p.made("/v0/transfers", s.transfer(object{"amount": "12.5", "developer_fee": nil,
		"destination": object{"payment_rail": "base", "currency": "usdc", "to_address": to}}))
	done := p.reaches(text(made, "id"), "payment_processed")
	if got := tokens(t, to) - before; got != 12_500_000 {
		t.Errorf("%d arrived", got)
	}
	if len(text(done, "receipt", "destination_tx_hash")) != 66 {
		t.Errorf("without a hash: %v", done)
	}
	p.paid(text(done, "client_reference_id"), 1, 0)
	p.holds(s, "7.500000")
}

// tokens is how much USDC an address has on base.
func tokens(t *testing.T, address string) int64 {
	t.Helper()
	return tokensOn(t, "base", address)
}

func tokensOn(t *testing.T, slug, address string) int64 {
	t.Helper()
	sum, err := node(t, slug).TokenBalance(t.Context(), usdc(slug), address)
	if err != nil {
		t.Fatal(err)
	}
	return sum.Int64()
}

// The magic amounts, and what becomes of the money.
func TestPartner_MagicAmounts(t *testing.T) {
	t.Parallel()
	p := onChain(t)
	s := p.setup()
	p.deposit(s, "1000")
	for _, c := range []struct {
		amount, ends, refunded string
		paid, returned         int
	}{
		{"10.01", "refunded", "9.260000", 0, 0},
		{"10.02", "refunded", "9.270000", 1, 1},
	} {
		made := p.made("/v0/transfers", s.transfer(object{"amount": c.amount}))
		done := p.reaches(text(made, "id"), c.ends)
		if got := text(done, "return_details", "refunded_amount"); got != c.refunded {
			t.Errorf("%s: %s came back, want %s: %v", c.amount, got, c.refunded, done["return_details"])
		}
		p.paid(text(made, "client_reference_id"), c.paid, c.returned)
	}
	p.holds(s, "998.500000") // the fees are earned
	held := p.made("/v0/transfers", s.transfer(object{"amount": "10.03"}))
	late := p.made("/v0/transfers", s.transfer(object{"amount": "10.04"}))
	if held["state"] != "in_review" || late["state"] != "funds_received" {
		t.Errorf("held is %v, delayed is %v", held["state"], late["state"])
	}
	if err := p.control.Advance(t.Context(), 59*time.Second); err != nil {
		t.Fatal(err)
	}
	if got := p.got("/v0/transfers/" + text(late, "id"))["state"]; got != "funds_received" {
		t.Errorf("before its minute it is %v", got)
	}
	if err := p.control.Advance(t.Context(), 10*time.Second); err != nil {
		t.Fatal(err)
	}
	if got := p.got("/v0/transfers/" + text(late, "id"))["state"]; got != "payment_processed" {
		t.Errorf("after its minute it is %v", got)
	}
	if err := p.control.Clear(t.Context(), text(held, "id")); err != nil {
		t.Fatal(err)
	}
	p.reaches(text(held, "id"), "payment_processed")
}

func TestPartner_RefusesTransfers(t *testing.T) {
	t.Parallel()
	p := onChain(t)
	s := p.setup()
	p.deposit(s, "50")
	slow, never, off, failed := p.bankAccount(s,
		"Pending Ruiz"), p.bankAccount(s, "Rejected Ruiz"), p.bankAccount(s, "Off"), p.bankAccount(s, "Failed Ruiz")
	p.call(http.MethodDelete, "/v0/customers/"+s.customer+"/external_accounts/"+off, nil)
	to := func(account, rail, currency string) object {
		return object{"payment_rail": rail, "currency": currency, "external_account_id": account}
	}
	for what, c := range map[string]struct {
		change      object
		status      int
		code, field string
	}{
		"short":             {object{"amount": "50.000001"}, 422, "insufficient_funds", ""},
		"nothing left":      {object{"amount": "0.75"}, 400, "invalid_parameters", "amount"},
		"less than nothing": {object{"amount": "0.5"}, 400, "invalid_parameters", "amount"},
		"no amount":         {object{"amount": nil}, 400, "invalid_parameters", "amount"},
		"negative":          {object{"amount": "-5"}, 400, "invalid_parameters", "amount"},
		"too exact":         {object{"amount": "1.0000001"}, 400, "invalid_parameters", "amount"},
		"a wrong fee":       {object{"developer_fee": "x"}, 400, "invalid_parameters", "developer_fee"},
		"a customer":        {object{"on_behalf_of": s.account}, 400, "not_found", "on_behalf_of"},
		"an account": {object{"destination": to(s.wallet, "spei", "mxn")}, 400, "not_found",
			"destination.external_account_id"},
		"pending":  {object{"destination": to(slow, "spei", "mxn")}, 422, "external_account_pending", ""},
		"rejected": {object{"destination": to(never, "spei", "mxn")}, 422, "external_account_rejected", ""},
		"closed":   {object{"destination": to(off, "spei", "mxn")}, 400, "deactivated_external_account", ""},
		"denied":   {object{"destination": to(failed, "spei", "mxn")}, 422, "payment_refused", ""},
		"currency": {object{"destination": to(s.account, "spei", "usd")}, 400, "invalid_parameters",
			"destination.currency"},
		"other rail": {object{"destination": to(s.account, "ach", "usd")}, 400, "invalid_parameters",
			"destination.currency"},
		"no rail": {object{"destination": to(s.account, "pigeon", "mxn")}, 400, "invalid_parameters",
			"destination.payment_rail"},
	} {
		p.refused(what, http.MethodPost, "/v0/transfers", s.transfer(c.change), c.status, c.code, c.field)
	}
	p.refused("no JSON", http.MethodPost, "/v0/transfers", `{"amount":`, 400, "invalid_json", "")
	p.holds(s, "50.000000")
}
