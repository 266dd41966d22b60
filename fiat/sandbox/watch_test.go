package sandbox_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat/sandbox"
	"github.com/railkit/railkit/fiat/sandbox/control"
)

// drains are all of the setup's address.
func (p *partner) drains(s setup) []object {
	p.t.Helper()
	return list(p.got("/v0/customers/" + s.customer + "/liquidation_addresses/" + s.liquidation + "/drains"))
}

// on makes a setup on another chain, where reorganizations trouble nobody else.
func (p *partner) on(slug, currency string) setup {
	p.t.Helper()
	s := setup{customer: text(p.customer(), "id")}
	s.wallet = text(p.made("/v0/customers/"+s.customer+"/wallets", object{"chain": slug}), "id")
	l := p.made("/v0/customers/"+s.customer+"/liquidation_addresses", object{
		"chain": slug, "currency": currency, "bridge_wallet_id": s.wallet,
	})
	s.liquidation, s.address = text(l, "id"), text(l, "address")
	return s
}

// A deposit counts with its confirmations, and once, also where its transaction is
// mined again in another block; one that is gone before never counts.
func TestPartner_DepositsAndReorgs(t *testing.T) {
	p := start(t, sandbox.Config{DevnetURL: devnetURL(t), Confirmations: 3})
	s, c, ctx := p.on("optimism", "usdc"), chains(t), t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	send := func(amount string) {
		t.Helper()
		_, err := c.Faucet(ctx, "optimism", s.address, "USDC", amount)
		must(err)
	}
	send("1")
	must(c.Reorg(ctx, "optimism", 1, true)) // gone
	send("2")
	must(c.Mine(ctx, "optimism", 1))
	time.Sleep(600 * time.Millisecond) // two looks, as far as can be seen: what must not happen has no condition
	if n := len(p.drains(s)); n != 0 {
		t.Errorf("%d drains with two confirmations of three", n)
	}
	must(c.Reorg(ctx, "optimism", 2, false)) // mined again
	must(c.Mine(ctx, "optimism", 3))
	credited := func(n int) func() bool {
		return func() bool {
			d := p.drains(s)
			return len(d) == n && d[0]["state"] == "payment_processed"
		}
	}
	p.eventually("the second deposit counts", credited(1))
	must(c.Reorg(ctx, "optimism", 4, false)) // deeper than its confirmations: it is mined again, and has counted
	p.stop()
	send("3")
	send("4")
	must(c.Mine(ctx, "optimism", 3))
	p.start()
	p.eventually("what came while nobody looked counts", credited(3))
	p.holds(s, "9.000000")
	p.balanced()
}

// A token that the address is not for is told and credits nobody.
func TestPartner_WrongToken(t *testing.T) {
	p := onChain(t)
	s := p.on("polygon", "usdc")
	if _, err := chains(t).Faucet(t.Context(), "polygon", s.address, "USDT", "5"); err != nil {
		t.Fatal(err)
	}
	p.eventually("the drain is told", func() bool { return len(p.drains(s)) == 1 })
	if d := p.drains(s)[0]; d["state"] != "undeliverable" || d["currency"] != "usdt" {
		t.Errorf("it is %v", d)
	}
	p.holds(s, "0.000000")
	p.balanced()
}

// Whatever a body is, it has an answer that is an object, and none of its calls
// leaves a ledger that does not balance.
func FuzzBodies(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[]`, `null`, `{"amount":1e400}`, `{"amount":"-0"}`,
		`{"amount":"9223372036854775807","developer_fee":"9223372036854.775807"}`,
		`{"business_legal_name":"Acme","email":"a@b.c"}`, `{"chain":"base"}`,
		`{"currency":"mxn","account_type":"clabe","account_owner_name":"A",` +
			`"clabe":{"account_number":"032180000118359719"}}`,
		`{"source":{"payment_rail":"bridge_wallet","currency":"usdc"},"destination":{"amount":"0.01",` +
			`"currency":"mxn","payment_rail":"spei"}}`,
		`{"source":{"currency":"eur"},"destination":{"payment_rail":"base","currency":"usdc",` +
			`"address":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8"}}`,
		`{"amount":"1","destination":{"payment_rail":"fiat_deposit_return","deposit_id":"x"}}`, `{"perUsd":{"mxn":"1e9"}}`, `{"kind":"slow"}`, "{\"a\":\"\xff\"}", `{"seconds":-1}`,
	} {
		f.Add(seed)
	}
	p := open(f)
	s := setup{customer: text(p.customer(), "id")}
	s.wallet = text(p.made("/v0/customers/"+s.customer+"/wallets", object{"chain": "base"}), "id")
	f.Fuzz(func(t *testing.T, body string) {
		p := &partner{t: t, url: p.url, key: p.key}
		own := "/v0/customers/" + s.customer
		for _, path := range []string{"/v0/customers", own + "/external_accounts", own + "/wallets", own +
			"/liquidation_addresses", own + "/virtual_accounts", "/v0/transfers"} {
			if status, answer := p.call("POST", path, body); status >= 500 {
				t.Errorf("%s: %d %v", path, status, answer)
			}
		}
		if !json.Valid([]byte(body)) {
			if status, _ := p.call("POST", "/v0/customers", body); status != 400 {
				t.Errorf("what is no JSON: %d", status)
			}
		}
	})
}

// Coins whose transaction a reorg drops are sent again by the same transaction, and told as paid once.
func TestPartner_DepositPaymentReorged(t *testing.T) {
	p := start(t, sandbox.Config{DevnetURL: devnetURL(t), Confirmations: 3})
	c, ctx := chains(t), t.Context()
	a := p.payerOn("arbitrum", "mxn", "0")
	d := a.pays(control.BankDeposit{Amount: "1000"})
	arrived := func() bool { return tokensOn(t, "arbitrum", a.address) > 0 }
	a.eventually("the coins are in a block", arrived)
	if err := c.Reorg(ctx, "arbitrum", 1, true); err != nil {
		t.Fatal(err)
	}
	a.eventually("they are in another", arrived)
	if err := c.Mine(ctx, "arbitrum", 3); err != nil {
		t.Fatal(err)
	}
	if got := a.told(d.ID, "payment_processed"); got != paidOut {
		t.Error(got)
	}
	is, err := p.control.FindDeposit(ctx, d.ID)
	if got := tokensOn(t, "arbitrum", a.address); err != nil || len(is.Hashes) != 1 ||
		got != minor(t, is.PaymentAmount) {
		t.Errorf("%d arrived of %+v (%v)", got, is, err)
	}
	a.counted("reorged", d.ID, 1, 0)
}

// A payment that was final, and that a deeper reorg makes the node forget, is sent again: those after it wait for its
// nonce. The node forgets it because the reorg also took away the coins that pay for its gas.
func TestPartner_DepositPaymentForgotten(t *testing.T) {
	p := start(t, sandbox.Config{DevnetURL: devnetURL(t), Confirmations: 3})
	c, ctx := chains(t), t.Context()
	height := func() int64 {
		newest, err := node(t, "optimism").Head(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return newest
	}
	a := p.payerOn("optimism", "mxn", "0")
	before := height()
	first := a.pays(control.BankDeposit{Amount: "1000"})
	arrived := func() int64 { return tokensOn(t, "optimism", a.address) }
	a.eventually("the coins are in a block", func() bool { return arrived() > 0 })
	if err := c.Mine(ctx, "optimism", 3); err != nil {
		t.Fatal(err)
	}
	a.told(first.ID, "payment_processed")
	if err := c.Reorg(ctx, "optimism", int(height()-before), false); err != nil {
		t.Fatal(err)
	}
	if arrived() != 0 {
		t.Fatal("the node remembers the payment: this test shows nothing")
	}
	a.eventually("it arrives again, with nothing else to send", func() bool { return arrived() > 0 })
	a.pays(control.BankDeposit{Amount: "1000"})
	is, err := p.control.FindDeposit(ctx, first.ID)
	if err != nil {
		t.Fatal(err)
	}
	owed := 2 * minor(t, is.PaymentAmount)
	a.eventually("both payments arrive", func() bool { return arrived() == owed })
}
