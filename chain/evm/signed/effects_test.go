package signed_test

import (
	"math/big"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/signed"
)

// What hands a signed transfer in is read as that very transfer, of its owner's money. The same call of any other
// contract may do anything.
func TestAgents_SettlementsAreRead(t *testing.T) {
	n, _ := chain.BySlug(chain.Sandbox, "base")
	usdc, _ := n.TokenBySymbol("USDC")
	token, err := evm.ParseAddress(usdc.Address)
	if err != nil {
		t.Fatal(err)
	}
	gas, buyer, seller, other := evm.Address{1}, evm.Address{2}, evm.Address{3}, evm.Address{4}
	exact := signed.Permit2Transfer{From: buyer, Token: token, Amount: big.NewInt(25000), Nonce: big.NewInt(7),
		Deadline: big.NewInt(9), To: seller, ValidAfter: new(big.Int)}
	upto := exact
	upto.Facilitator = gas
	a := signed.Authorization{From: buyer, To: seller, Value: big.NewInt(25000), ValidAfter: new(big.Int),
		ValidBefore: big.NewInt(9)}
	for name, c := range map[string]struct {
		to     evm.Address
		data   []byte
		amount string
	}{
		"eip3009":        {token, a.Call(evm.Signature{}), "25000"},
		"eip3009, bytes": {token, a.CallBytes(make([]byte, 70)), "25000"},
		"exact":          {signed.ExactProxy(), exact.Call(make([]byte, 65), nil), "25000"},
		"upto":           {signed.UptoProxy(), upto.Call(make([]byte, 65), big.NewInt(7000)), "7000"},
	} {
		got := evm.Effects(gas, &c.to, nil, c.data, n)
		if len(got) != 1 || got[0].Kind != chain.Transfer || !got[0].HandedIn || got[0].Symbol != "USDC" ||
			got[0].From != buyer.String() || got[0].To != seller.String() || got[0].Amount != c.amount {
			t.Errorf("%s: %+v", name, got)
		}
		got = evm.Effects(gas, &other, nil, c.data, n)
		if len(got) != 1 || got[0].Symbol != "" || got[0].Selector == "" {
			t.Errorf("%s of another contract: %+v", name, got)
		}
		if got = evm.Effects(gas, &c.to, nil, append(c.data, 0), n); got[0].HandedIn {
			t.Errorf("%s with bytes behind it: %+v", name, got)
		}
	}
	for _, proxy := range []evm.Address{signed.ExactProxy(), signed.UptoProxy()} {
		if k, _ := chain.KnownAt(chain.Network{Kind: chain.EVM}, proxy.String()); k.Kind != chain.KnownTool {
			t.Errorf("%s can be paid", proxy)
		}
	}
}
