package chaintest

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/railkit/railkit/chain"
)

// paid is the one effect of a payment of an asset that the network lists.
func (b *bench) paid(t chain.Token, to string, amount *big.Int) chain.Effect {
	e := chain.Effect{
		Kind: chain.Transfer, Asset: t.Address, Symbol: t.Symbol, Decimals: t.Decimals, From: b.from, To: to,
		Amount: amount.String(), Display: chain.FormatUnits(amount, t.Decimals) + " " + t.Symbol,
	}
	if t.Address == "" {
		e.Asset = "native"
	}
	return e
}

// does reads the effects of a call without the contract that is called, which families name as they like.
func (b *bench) does(c chain.Call) []chain.Effect {
	effects := b.Family.Effects(b.Network, b.from, c)
	for i := range effects {
		if effects[i].Symbol != "" {
			effects[i].Contract = ""
		}
	}
	return effects
}

// A transfer is one effect, and says the asset, the payee and the amount.
func transfers(b *bench) {
	for _, t := range append([]chain.Token{b.Network.Native}, b.Network.Tokens...) {
		for _, amount := range []int64{1, 127, 128, 25_500_000, 1 << 40, 1<<62 + 1} {
			call, err := b.Family.Transfer(t, b.payee, big.NewInt(amount))
			if err != nil {
				b.Fatalf("%d %s: %v", amount, t.Symbol, err)
			}
			want := []chain.Effect{b.paid(t, b.payee, big.NewInt(amount))}
			if got := b.does(call); !slices.Equal(got, want) {
				b.Errorf("%d %s: %+v, want %+v", amount, t.Symbol, got, want)
			}
		}
	}
}

// An amount that the network cannot carry is refused by whoever would write it.
func noTransfers(b *bench) {
	huge := new(big.Int).Lsh(big.NewInt(1), 256)
	for _, t := range []chain.Token{b.Network.Native, b.token} {
		for _, amount := range []*big.Int{big.NewInt(-1), huge} {
			call, err := b.Family.Transfer(t, b.payee, amount)
			if err == nil {
				_, err = b.Family.Assemble(b.Network, chain.Intent{From: b.from, Call: call, Gas: 1}, b.terms()[0])
			}
			if err == nil {
				b.Errorf("%s of %s are sent", amount, t.Symbol)
			}
		}
	}
}

// A call that sends a coin along with a token does both.
func beside(b *bench) {
	call := b.pays(b.token).Call
	call.Value = big.NewInt(3)
	got := b.does(call)
	for _, want := range []chain.Effect{
		b.paid(b.Network.Native, call.To, call.Value), b.paid(b.token, b.payee, big.NewInt(25_500_000)),
	} {
		if len(got) != 2 || !slices.Contains(got, want) {
			b.Errorf("%+v, without or beside %+v", got, want)
		}
	}
}

// Nobody is told that a call is understood where it is not: one to a contract that is not listed, one with data that
// mean nothing, and one between addresses that are none.
func unknownCalls(b *bench) {
	call := b.pays(b.token).Call
	from, to, data := b.typo(), call, call
	unlisted := b.token
	_, unlisted.Address = b.account(9)
	elsewhere := b.pays(unlisted).Call
	to.To = b.typo()
	data.Data = []byte{0xde, 0xad, 0xbe, 0xef, 1}
	for what, got := range map[string][]chain.Effect{
		"another contract": b.Family.Effects(b.Network, b.from, elsewhere),
		"no payer":         b.Family.Effects(b.Network, from, call),
		"no contract":      b.Family.Effects(b.Network, b.from, to),
		"no function":      b.Family.Effects(b.Network, b.from, data),
		"cut data":         b.Family.Effects(b.Network, b.from, chain.Call{To: call.To, Data: call.Data[:5]}),
	} {
		certain := slices.ContainsFunc(got, func(e chain.Effect) bool { return e.Symbol != "" })
		if len(got) == 0 || certain {
			b.Errorf("%s: %+v", what, got)
		}
	}
}

func (b *bench) typo() string { return b.Typos[0] }

// What has no payee is no payment: a family without contracts refuses it.
func creation(b *bench) {
	call := chain.Call{Value: big.NewInt(1), Data: []byte{1, 2, 3}}
	tx, err := b.Family.Assemble(b.Network, b.calls(call), b.terms()[0])
	if err == nil && tx.Plain {
		b.Error("what creates a contract counts as plain")
	}
	if !slices.ContainsFunc(b.Family.Effects(b.Network, b.from, call), func(e chain.Effect) bool {
		return e.Kind == chain.Deploy || e.Kind == chain.UnknownCall
	}) {
		b.Error("what creates a contract has understood effects only")
	}
}

// Whatever is changed in the data of a token's transfer: what counts as one transfer is written as Transfer writes it.
func changedCalls(b *bench) {
	right := b.pays(b.token).Call
	r, understood := rand.New(rand.NewPCG(3, 4)), 0
	for range 5_000 {
		call := right
		call.Data = mutate(r, right.Data)
		got := b.does(call)
		if len(got) == 0 {
			b.Fatalf("%x does nothing", call.Data)
		}
		if len(got) > 1 || got[0].Kind != chain.Transfer || got[0].Symbol == "" || len(call.Data) == 0 {
			continue
		}
		understood++
		amount, _ := new(big.Int).SetString(got[0].Amount, 10)
		again, err := b.Family.Transfer(b.token, got[0].To, amount)
		if err != nil || again.To != call.To || !bytes.Equal(again.Data, call.Data) || got[0].From != b.from {
			b.Fatalf("%x counts as %+v, which is %x: %v", call.Data, got[0], again.Data, err)
		}
	}
	if understood < 100 {
		b.Errorf("only %d of the changed calls were understood: nothing is compared", understood)
	}
}
