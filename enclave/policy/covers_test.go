package policy

import (
	"math/big"
	"strconv"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/signed"
	"github.com/railkit/railkit/enclave/wire"
)

func delegated(change func(*wire.Delegation)) wire.Delegation {
	d := wire.Delegation{
		AnyRequest: true, ExpiresAtMs: strconv.FormatInt(now.Add(time.Hour).UnixMilli(), 10), MaxValueUSD: "10",
		DailyUSD: "15", AllowedDestinations: []string{bob},
	}
	if change != nil {
		change(&d)
	}
	return d
}

func TestDelegationCovers(t *testing.T) {
	as := delegated(nil)
	long := delegated(func(d *wire.Delegation) {
		d.ExpiresAtMs = strconv.FormatInt(now.Add(48*time.Hour).UnixMilli(), 10)
	})
	short := long
	short.MaxValiditySeconds = "60"
	message := func(ends time.Duration) Signing {
		x := transfer(t, bob, 1)
		x.Message, x.Ends = true, now.Add(ends).Unix()
		return x
	}
	endless := message(0)
	endless.Ends = 0
	for name, c := range map[string]struct {
		d     wire.Delegation
		x     Signing
		spent Totals
		at    time.Time
		want  bool
	}{
		"all of it":          {as, transfer(t, bob, 10_000_000), Totals{Day: 5_000_000}, now, true},
		"coin":               {as, fee(call(t, bob, "1000000000000000", nil), 1), Totals{}, now, true},
		"approval":           {as, approve(t, bob, everything), Totals{}, now, false},
		"small approval":     {as, approve(t, bob, zero), Totals{}, now, true},
		"other spender":      {as, approve(t, carol, zero), Totals{}, now, false},
		"too much":           {as, transfer(t, bob, 10_000_001), Totals{}, now, false},
		"too much with fee":  {as, fee(transfer(t, bob, 10_000_000), 1), Totals{}, now, false},
		"too much today":     {as, transfer(t, bob, 10_000_000), Totals{Day: 5_000_001}, now, false},
		"month is no matter": {as, transfer(t, bob, 10_000_000), Totals{Month: unlimited}, now, true},
		"last moment":        {as, transfer(t, bob, 1), Totals{}, now.Add(time.Hour - time.Millisecond), true},
		"over":               {as, transfer(t, bob, 1), Totals{}, now.Add(time.Hour), false},
		"other destination":  {as, transfer(t, carol, 1), Totals{}, now, false},
		"unlisted token":     {as, call(t, unlisted, "0", transferData(t, bob, 1)), Totals{}, now, false},
		"unknown call":       {as, call(t, router, "0", swapData), Totals{}, now, false},
		"wrapped":            {as, wrapped(t), Totals{}, now, false},
		"deploy":             {as, deploy(t), Totals{}, now, false},
		"digest":             {as, Signing{RawDigest: true}, Totals{}, now, false},
		"ends with it":       {as, message(time.Hour), Totals{}, now, true},
		"ends after it":      {as, message(time.Hour + time.Second), Totals{}, now, false},
		"has no end":         {as, endless, Totals{}, now, false},
		"within hours":       {long, message(4 * time.Hour), Totals{}, now, true},
		"beyond hours":       {long, message(4*time.Hour + time.Second), Totals{}, now, false},
		"within a minute":    {short, message(time.Minute), Totals{}, now, true},
		"beyond a minute":    {short, message(time.Minute + time.Second), Totals{}, now, false},
		"text":               {as, Signing{}, Totals{}, now, false},
		"no price":           {as, fee(typed(t), 1).on(t, "polygon"), Totals{}, now, false},
		"limit that is none": {delegated(func(d *wire.Delegation) { d.MaxValueUSD = "" }), transfer(t, bob, 1),
			Totals{}, now, false},
		"day that is none": {delegated(func(d *wire.Delegation) { d.DailyUSD = "" }), transfer(t, bob, 1),
			Totals{}, now, false},
		"time that is none": {delegated(func(d *wire.Delegation) { d.ExpiresAtMs = "" }), transfer(t, bob, 1),
			Totals{}, now, false},
		"nobody": {delegated(func(d *wire.Delegation) { d.AllowedDestinations = nil }), transfer(t, bob, 1),
			Totals{}, now, false},
	} {
		if got := Covers(c.d, c.x, Value(c.x, usd2000), c.spent, c.at); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A delegation for settlements hands in what others signed, to anybody. It moves nothing of the wallet's own.
func TestAgents_DelegationForSettlements(t *testing.T) {
	d := delegated(func(d *wire.Delegation) { d.AllowedDestinations, d.SettlementsOnly = nil, true })
	usdc, _ := base(t).TokenBySymbol("USDC")
	token := parsed(t, usdc.Address)
	a := signed.Authorization{From: parsed(t, bob), To: parsed(t, carol), Value: big.NewInt(1_000_000),
		ValidAfter: new(big.Int), ValidBefore: big.NewInt(9)}
	permit := signed.Permit2Transfer{From: a.From, To: a.To, Token: token, Amount: a.Value, Nonce: new(big.Int),
		Deadline: big.NewInt(9), ValidAfter: new(big.Int)}
	upto := permit
	upto.Facilitator = parsed(t, alice)
	other := permit
	other.Token = parsed(t, unlisted)
	proxied := func(p signed.Permit2Transfer, wei string) Signing {
		return call(t, p.Spender().String(), wei, p.Call(make([]byte, 65), p.Amount))
	}
	authorized := call(t, usdc.Address, "0", a.Call(evm.Signature{}))
	message := authorized
	message.Message, message.Ends = true, now.Unix()+1
	for name, c := range map[string]struct {
		d    wire.Delegation
		x    Signing
		want bool
	}{
		"eip3009":             {d, fee(authorized, 1), true},
		"exact":               {d, fee(proxied(permit, "0"), 1), true},
		"upto":                {d, fee(proxied(upto, "0"), 1), true},
		"with coins":          {d, proxied(permit, "1"), false},
		"of another token":    {d, proxied(other, "0"), false},
		"of another contract": {d, call(t, router, "0", permit.Call(make([]byte, 65), nil)), false},
		"an own transfer":     {d, transfer(t, bob, 1), false},
		"an own coin":         {d, call(t, bob, "1", nil), false},
		"an approval":         {d, approve(t, bob, zero), false},
		"a message":           {d, message, false},
		"a fee":               {d, fee(Signing{FeeOnly: true}, 1).on(t, "base"), true},
		"a fee of a message":  {d, Signing{FeeOnly: true, Message: true, Ends: now.Unix() + 1}, false},
		"a fee and a transfer of its own": {d, func() Signing {
			x := transfer(t, bob, 1)
			x.FeeOnly = true
			return x
		}(), false},
		"a fee without settlements": {delegated(nil), fee(Signing{FeeOnly: true}, 1).on(t, "base"), false},
		"nothing":                   {d, Signing{}, false},
		"without settlements":       {delegated(nil), authorized, false},
		"too much at a time": {d, proxied(func() signed.Permit2Transfer {
			p := permit
			p.Amount = big.NewInt(10_000_001)
			return p
		}(), "0"), false},
	} {
		if got := Covers(c.d, c.x, Value(c.x, usd2000), Totals{}, now); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if err := delegation(&d, now); err != nil {
		t.Error(err)
	}
	for _, change := range []func(*wire.Delegation){
		func(d *wire.Delegation) { d.AllowedDestinations = []string{bob} },
		func(d *wire.Delegation) { d.PayeesOnly = true },
	} {
		both := d
		if change(&both); delegation(&both, now) == nil {
			t.Errorf("%+v was taken", both)
		}
	}
}
