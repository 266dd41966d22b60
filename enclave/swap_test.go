package enclave

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	swaprouter "github.com/railkit/railkit/chain/evm/router"
	"github.com/railkit/railkit/enclave/wire"
)

// sale sells 10 USDC for at least so much WETH at the exchange of base.
func sale(t testing.TB, from string, least int64) wire.SignIntentParams {
	t.Helper()
	n, _ := chain.BySlug(chain.Sandbox, "base")
	coin, _ := n.Wrapped()
	m := chain.Markets(n)[0]
	at := func(text string) evm.Address {
		a, err := evm.ParseAddress(text)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	_, _, data, err := swaprouter.Swap{
		Kind: m.Kind, Router: at(m.Router), Path: []evm.Address{at(usdc), at(coin.Address)}, In: big.NewInt(10_000_000),
		MinOut: big.NewInt(least), Receiver: at(from), Deadline: uint64(time.Now().Add(20 * time.Minute).Unix()),
	}.Call()
	if err != nil {
		t.Fatal(err)
	}
	return call(from, m.Router, chain.Hex(data))
}

// At 3000 USD an ETH, 10 USDC are worth 0.0033 recurring WETH.
const (
	fairSale = 33e14 // 1 % less
	halfGone = 17e14 // 49 % less
)

// A minimum that a lying quote made is shown with what it loses, and a policy that limits the gap refuses it: also
// after a restart, and for an owner who stamps it.
func TestSigning_E16_LyingQuotes(t *testing.T) {
	w, alice, account := funded(t)
	shown := func(least int64) (wire.Slippage, string) {
		t.Helper()
		p, err := w.preview(w.body(w.fresh(alice, wire.SignIntent, sale(t, account.Address, least))))
		if err != nil || p.Slippage == nil {
			t.Fatalf("%+v, %v", p, err)
		}
		return *p.Slippage, strings.Join(p.Warnings, ", ")
	}
	if s, warned := shown(fairSale); s.Percent != "1" || strings.Contains(warned, "swap") {
		t.Errorf("a fair swap: %+v, %s", s, warned)
	}
	if s, warned := shown(halfGone); s.Percent != "49" || !strings.Contains(warned, "49 % less") {
		t.Errorf("half of its worth: %+v, %s", s, warned)
	}
	w.policy(alice, account.WalletID, wire.Rules{MaxSlippagePercent: "3"})
	w.reopen()
	d := w.denied(alice, sale(t, account.Address, halfGone))
	if d.Rule != "maxSlippagePercent" || d.Field != "minimum" || d.Observed != "49 %" || d.Limit != "3 %" {
		t.Errorf("%+v", d)
	}
	w.done(w.body(w.fresh(alice, wire.SignIntent, sale(t, account.Address, fairSale))), alice)
}

// Without a price of one side nobody can tell: the preview warns, and the rule refuses.
func TestSigning_E16_SwapsWithoutAPrice(t *testing.T) {
	w := newWorld(t)
	w.prices(time.Now(), map[string]string{"USDC": "1"})
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	p, err := w.preview(w.body(w.fresh(alice, wire.SignIntent, sale(t, account.Address, fairSale))))
	if err != nil || p.Slippage == nil || p.Slippage.Unknown != "no price of WETH" ||
		!strings.Contains(strings.Join(p.Warnings, ", "), "no price of WETH") {
		t.Errorf("%+v, %v", p, err)
	}
	w.policy(alice, account.WalletID, wire.Rules{MaxSlippagePercent: "50"})
	if d := w.denied(alice, sale(t, account.Address, fairSale)); d.Rule != "unknownPrice" {
		t.Errorf("%+v", d)
	}
}
