package tron_test

import (
	"bytes"
	"encoding/hex"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/tron"
)

var mainnet = chain.Network{
	Slug: "tron", Name: "Tron", Kind: chain.Tron, Cluster: "mainnet", Confirmations: 1, DataFee: true,
	Native: chain.Token{Symbol: "TRX", Decimals: 6},
	Tokens: []chain.Token{{Symbol: "USDT", Address: usdt.String(), Decimals: 6}},
}

// calldata is a function's selector and its words.
func calldata(text string, words ...any) []byte {
	data, _ := hex.DecodeString(text)
	for _, w := range words {
		word := make([]byte, 32)
		switch w := w.(type) {
		case tron.Address:
			copy(word[12:], w[:])
		case int64:
			big.NewInt(w).FillBytes(word)
		}
		data = append(data, word...)
	}
	return data
}

const transferOf, transferFromOf, approveOf = "a9059cbb", "23b872dd", "095ea7b3"

// What a call does, of a listed token, of another contract, and where it is not understood.
func TestEffects(t *testing.T) {
	t.Parallel()
	a, b, token, other := alice.String(), bob.String(), usdt.String(), "TW1dU4L3eNm7Lw8WvieLKEHpXWAussRG9Z"
	moved := chain.Effect{
		Kind: chain.Transfer, Asset: token, Symbol: "USDT", Decimals: 6, From: a, To: b, Amount: "1500000",
		Display: "1.5 USDT", Contract: token,
	}
	taken := moved
	taken.From, taken.To = b, a
	allowed := moved
	allowed.Kind, allowed.To, allowed.Spender = chain.Approve, "", b
	trx := chain.Effect{
		Kind: chain.Transfer, Asset: "native", Symbol: "TRX", Decimals: 6, From: a, To: b, Amount: "7",
		Display: "0.000007 TRX",
	}
	along := trx
	along.To, along.ByCall = token, true
	unlisted := chain.Effect{
		Kind: chain.Transfer, Asset: other, From: a, To: b, Amount: "1500000", Contract: other, Selector: "0xa9059cbb",
	}
	number := chain.Effect{
		Kind: chain.Approve, Asset: other, From: a, Spender: b, Amount: "8", TokenID: "8", Contract: other,
		Selector: "0x095ea7b3",
	}
	unknown := func(selector string) chain.Effect {
		return chain.Effect{Kind: chain.UnknownCall, From: a, Contract: token, Selector: selector}
	}
	nowhere := func(to string) chain.Effect { return chain.Effect{Kind: chain.UnknownCall, From: a, Contract: to} }
	called := func(data []byte) chain.Call { return chain.Call{To: token, Data: data} }
	evm := "0x" + strings.Repeat("11", 20)
	call := calldata(transferOf, bob, int64(1_500_000))
	dirty := bytes.Clone(call)
	dirty[15] = 0x41 // as wallet-core writes it
	for name, c := range map[string]struct {
		call chain.Call
		want chain.Effect
	}{
		"transfer":           {called(call), moved},
		"transferFrom":       {called(calldata(transferFromOf, bob, alice, int64(1_500_000))), taken},
		"approve":            {called(calldata(approveOf, bob, int64(1_500_000))), allowed},
		"TRX":                {chain.Call{To: b, Value: big.NewInt(7)}, trx},
		"another contract":   {chain.Call{To: other, Data: call}, unlisted},
		"of NFTs, perhaps":   {chain.Call{To: other, Data: calldata(approveOf, bob, int64(8))}, number},
		"another function":   {called(calldata("d73dd623", bob, int64(1))), unknown("0xd73dd623")},
		"no function":        {called([]byte{1, 2, 3}), unknown("0x010203")},
		"0x41 in a word":     {called(dirty), unknown("")},
		"a word too few":     {called(call[:36]), unknown("")},
		"a byte too many":    {called(append(bytes.Clone(call), 0)), unknown("")},
		"a word too many":    {called(append(bytes.Clone(call), make([]byte, 32)...)), unknown("")},
		"more than there is": {chain.Call{To: b, Value: new(big.Int).Lsh(big.NewInt(1), 63)}, nowhere(b)},
		"less than nothing":  {chain.Call{To: b, Value: big.NewInt(-1)}, nowhere(b)},
		"no payee":           {chain.Call{Value: big.NewInt(1)}, nowhere("")},
		"an address of EVM":  {chain.Call{To: evm, Data: call}, nowhere(evm)},
	} {
		if got := (tron.Family{}).Effects(mainnet, a, c.call); !slices.Equal(got, []chain.Effect{c.want}) {
			t.Errorf("%s: %+v\nwant %+v", name, got, c.want)
		}
	}
	with := chain.Call{To: token, Value: big.NewInt(7), Data: []byte{1, 2, 3, 4}}
	want := []chain.Effect{along, unknown("0x01020304")}
	if got := (tron.Family{}).Effects(mainnet, a, with); !slices.Equal(got, want) {
		t.Errorf("TRX along with a call: %+v\nwant %+v", got, want)
	}
}
