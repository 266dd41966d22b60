package router

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
)

// Whatever swap is written here, the signer reads as that swap: what is sold, what comes back at least, to whom, until
// when, and nothing else.
func TestWidget_SignerReadsEverySwap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		env := rapid.SampledFrom([]chain.Environment{chain.Sandbox, chain.Production}).Draw(t, "env")
		n := rapid.SampledFrom(chain.OfKind(chain.EVM, chain.Networks(env))).Draw(t, "network")
		m := rapid.SampledFrom(chain.Markets(n)).Draw(t, "market")
		s := drawn(t, n, m)
		wallet := evm.Address{0xa1, 19: 1}
		s.Receiver = rapid.SampledFrom([]evm.Address{wallet, {0xb0, 19: 2}}).Draw(t, "receiver")
		to, value, data, err := s.Call()
		if err != nil {
			t.Fatal(err)
		}
		got := evm.Effects(wallet, &to, value, data, n)
		if len(got) != 2 {
			t.Fatalf("%+v", got)
		}
		sold, bought := got[0], got[1]
		if sold.Kind != chain.Transfer || sold.Asset != asset(s.Path[0], s.NativeIn) || sold.Amount != s.In.String() ||
			sold.From != wallet.String() || sold.To != s.Router.String() || sold.Symbol == "" {
			t.Errorf("sold: %+v", sold)
		}
		kind := chain.Receive
		if s.Receiver != wallet {
			kind = chain.Transfer
		}
		if bought.Kind != kind || bought.Asset != asset(s.Path[len(s.Path)-1], s.NativeOut) ||
			bought.Amount != s.MinOut.String() || bought.To != s.Receiver.String() ||
			bought.Ends != int64(s.Deadline) || bought.Via == "" != (len(s.Path) == 2) || bought.Symbol == "" {
			t.Errorf("bought: %+v", bought)
		}
	})
}

func asset(token evm.Address, native bool) string {
	if native {
		return "native"
	}
	return token.String()
}

// drawn is a swap of listed tokens at a market, for nobody yet.
func drawn(t *rapid.T, n chain.Network, m chain.Market) Swap {
	tokens := rapid.Permutation(n.Tokens).Draw(t, "tokens")
	tokens = tokens[:rapid.IntRange(2, min(3, len(tokens))).Draw(t, "length")]
	amount := rapid.Uint64Range(1, 1<<63)
	s := Swap{
		Kind: m.Kind, Router: address(t, m.Router), In: new(big.Int).SetUint64(amount.Draw(t, "in")),
		MinOut: new(big.Int).SetUint64(amount.Draw(t, "least")), Deadline: rapid.Uint64Range(0, 1<<39).Draw(t, "until"),
		NativeIn:  tokens[0].Wraps != "" && rapid.Bool().Draw(t, "native in"),
		NativeOut: tokens[len(tokens)-1].Wraps != "" && rapid.Bool().Draw(t, "native out"),
	}
	for i, token := range tokens {
		s.Path = append(s.Path, address(t, token.Address))
		if i > 0 && m.Kind == chain.MarketV3 {
			s.Fees = append(s.Fees, rapid.SampledFrom(m.Fees).Draw(t, "fee"))
		}
	}
	return s
}

func address(t *rapid.T, text string) evm.Address {
	a, err := evm.ParseAddress(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
