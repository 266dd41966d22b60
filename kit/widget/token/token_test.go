package token_test

import (
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/widget/token"
)

func TestWidget_TokenLists(t *testing.T) {
	networks := chain.Networks(chain.Sandbox)
	all, err := token.List(networks, "all", "usdc")
	if err != nil || len(all) != len(networks)-1 { // Tron has none
		t.Errorf("%+v, %v", all, err)
	}
	for _, name := range []string{"base", "base-sepolia", "84532"} {
		one, err := token.List(networks, name, "usdc")
		if err != nil || len(one) != 1 || one[0].Address != "0x036CbD53842c5426634e7929541eC2318f3dCF7e" ||
			one[0].ChainID != 84532 || one[0].Decimals != 6 {
			t.Errorf("%s: %+v, %v", name, one, err)
		}
	}
	if got, err := token.List(networks, "polygon", "uniswap"); err != nil || len(got) != 3 || got[2].Symbol != "WPOL" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := token.List(networks, "all", "lfj"); err != nil || len(got) != 2 ||
		got[1].Chain != "avalanche_c_chain" {
		t.Errorf("%+v, %v", got, err)
	}
	for field, ask := range map[string][2]string{
		"chain": {"8453", "usdc"}, "protocol": {"base", "lfj"}, "protocol ": {"base", "USDC"},
	} {
		_, err := token.List(networks, ask[0], ask[1])
		if f, ok := fault.As(err); !ok || !strings.Contains(f.Message, strings.TrimSpace(field)+" ") {
			t.Errorf("%v: %v", ask, err)
		}
	}
	if _, err := token.List([]chain.Network{{Slug: "bare", Kind: chain.EVM, ChainID: 7}}, "bare", "usdc"); err == nil {
		t.Error("a network without USDC has a list")
	}
}
