package solana_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain/solana"
)

var (
	paysCoin  = solana.Intent{Source: alice, Destination: bob, Amount: 1e9, MaxFee: 6_000}
	paysToken = solana.Intent{
		Source: alice, Destination: stranger, Mint: usdc, Decimals: 6, Amount: 2e6, MaxFee: 6_000, MaxRent: 1_488_440,
	}
	terms = solana.Terms{Version: solana.V0, Blockhash: named(8), Units: 30_000, LoadedBytes: 200_000, Priority: 1_000}
)

// Both versions of an intent do what it says, and cost no more.
func TestIntent(t *testing.T) {
	t.Parallel()
	for _, rent := range []uint64{0, 1_400_000} {
		for _, v := range []solana.Version{solana.V0, solana.V1} {
			for _, i := range []solana.Intent{paysCoin, paysToken} {
				made := terms
				made.Version, made.Rent = v, rent
				want := "transfer 1 SOL of alice to bob"
				if i.Mint == usdc {
					want = "transfer 2 USDC of alice to stranger"
					if rent > 0 {
						want = "transfer 0.0014 SOL of alice to stranger, " + want
					}
				} else {
					made.Rent = 0
				}
				m, err := i.Message(made)
				if err != nil {
					t.Fatal(err)
				}
				reader := asked
				reader.Payees = []solana.Address{i.Destination}
				var got []string
				for _, e := range reader.Effects(m) {
					got = append(got, said(e))
				}
				fee, err := m.MaxFee()
				if err != nil || fee.Int64() != 6_000 || strings.Join(got, ", ") != want || len(m.Lookups) > 0 ||
					m.IsDurable() || m.Version != v || len(m.Signers()) != 1 {
					t.Errorf("%s: %q for %s lamports, want %q: %v", v.Name(), got, fee, want, err)
				}
			}
		}
	}
}

// The price of v0 never charges more than the priority, whatever the limit is.
func TestIntent_Fee(t *testing.T) {
	t.Parallel()
	d := newDice(3)
	for range 1_000 {
		i, made := paysCoin, terms
		made.Priority, made.Units = d.Uint64()>>uint(20+d.IntN(44)), 1+d.Uint32N(1_400_000)
		i.MaxFee = 5_000 + made.Priority
		m, err := i.Message(made)
		if err != nil {
			t.Fatal(err)
		}
		fee, err := m.MaxFee()
		if err != nil || fee.Uint64() > i.MaxFee || i.MaxFee-fee.Uint64() > 2 {
			t.Fatalf("%d lamports for %d units: %s, %v", made.Priority, made.Units, fee, err)
		}
	}
}

func TestIntent_Refused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*solana.Intent, *solana.Terms)
		field  string
	}{
		"nothing": {func(i *solana.Intent, _ *solana.Terms) { i.Amount = 0 }, "amount"},
		"himself": {func(i *solana.Intent, _ *solana.Terms) { i.Destination = alice }, "destination"},
		"a program": {func(i *solana.Intent, _ *solana.Terms) { i.Destination = solana.TokenProgram },
			"destination"},
		"the mint":          {func(i *solana.Intent, _ *solana.Terms) { i.Destination = usdc }, "destination"},
		"his token account": {func(i *solana.Intent, _ *solana.Terms) { i.Destination = aliceUSDC }, "destination"},
		"more rent":         {func(_ *solana.Intent, made *solana.Terms) { made.Rent = 1_488_441 }, "rent"},
		"more fee":          {func(_ *solana.Intent, made *solana.Terms) { made.Priority = 1_001 }, "fee"},
		"huge fee":          {func(_ *solana.Intent, made *solana.Terms) { made.Priority = math.MaxUint64 }, "fee"},
		"any fee": {func(i *solana.Intent, made *solana.Terms) {
			i.MaxFee, made.Priority = math.MaxUint64, math.MaxUint64-5_000
		}, "priority"},
		"legacy":           {func(_ *solana.Intent, made *solana.Terms) { made.Version = solana.Legacy }, "version"},
		"no blockhash":     {func(_ *solana.Intent, made *solana.Terms) { made.Blockhash = [32]byte{} }, "blockhash"},
		"no units":         {func(_ *solana.Intent, made *solana.Terms) { made.Units = 0 }, "units"},
		"too many units":   {func(_ *solana.Intent, made *solana.Terms) { made.Units = 1_400_001 }, "units"},
		"no loaded bytes":  {func(_ *solana.Intent, made *solana.Terms) { made.LoadedBytes = 0 }, "loadedBytes"},
		"rent without use": {func(i *solana.Intent, _ *solana.Terms) { i.Mint = solana.Address{} }, "mint"},
	} {
		i, made := paysToken, terms
		c.change(&i, &made)
		_, err := i.Message(made)
		var refused solana.FieldError
		if !errors.As(err, &refused) || refused.Field != c.field {
			t.Errorf("%s: %v, want one of %s", name, err, c.field)
		}
	}
}

func TestMaxFee(t *testing.T) {
	t.Parallel()
	pay := solana.TransferCoin(alice, bob, 1)
	for name, c := range map[string]struct {
		m    solana.Message
		want string
	}{
		"nothing said": {message(t, solana.V0, carol, pay), "10000 <nil>"},
		"price": {message(t, solana.V0, carol, solana.SetUnits(300_000), solana.SetPrice(25_001), pay),
			"17501 <nil>"},
		"no limit": {message(t, solana.V0, alice, solana.SetPrice(1_000_000), pay), "405000 <nil>"},
		"limit of all": {message(t, solana.V0, alice, solana.SetUnits(math.MaxUint32), solana.SetPrice(1_000_000),
			pay), "1405000 <nil>"},
		"highest price": {message(t, solana.V0, alice, solana.SetUnits(1_400_000), solana.SetPrice(math.MaxUint64),
			pay), "25825441703193377261 <nil>"},
		"of v1":       {sound(solana.V1), "10077 <nil>"},
		"price in v1": {message(t, solana.V1, alice, solana.SetPrice(1<<60), pay), "5000 <nil>"},
		"twice the same": {message(t, solana.V0, alice, solana.SetPrice(1), solana.SetPrice(1), pay),
			"<nil> instructions[1]: sets a value of the compute budget twice"},
	} {
		fee, err := c.m.MaxFee()
		if got := fmt.Sprintf("%v %v", fee, err); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
