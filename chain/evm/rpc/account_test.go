package rpc

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain/evm"
)

var (
	alice = evm.Address{0xa1, 19: 1}
	bob   = evm.Address{0xb0, 19: 2}
)

func quoted(a evm.Address) string { return `"` + a.String() + `"` }

func TestBalance(t *testing.T) {
	node, c := setup(t)
	node.answer("eth_getBalance", `"0xde0b6b3a7640001"`)
	got, err := c.Balance(t.Context(), alice)
	if err != nil || got.String() != "1000000000000000001" {
		t.Fatal(got, err)
	}
	node.lastQuestion(t, `eth_getBalance[`+quoted(alice)+`,"latest"]`)
	for _, raw := range []string{`null`, `""`, `"0x1` + strings.Repeat("0", 64) + `"`} {
		node.answer("eth_getBalance", raw)
		if got, err := c.Balance(t.Context(), alice); err == nil {
			t.Errorf("%s was read as %v", raw, got)
		}
	}
}

func TestTokenBalance(t *testing.T) {
	node, c := setup(t)
	node.answer("eth_call", `"0x`+strings.Repeat("0", 56)+`01851960"`)
	got, err := c.TokenBalance(t.Context(), bob, alice)
	if err != nil || got.Int64() != 25500000 {
		t.Fatal(got, err)
	}
	data := "0x70a08231" + strings.Repeat("0", 24) + strings.ToLower(alice.String()[2:])
	node.lastQuestion(t, `eth_call[{"to":`+quoted(bob)+`,"data":"`+data+`"},"latest"]`)
	for _, raw := range []string{`"0x"`, `"0x01"`, `"0x` + strings.Repeat("0", 128) + `"`, `null`} {
		node.answer("eth_call", raw)
		if got, err := c.TokenBalance(t.Context(), bob, alice); err == nil {
			t.Errorf("%s was read as %v", raw, got)
		}
	}
}

func TestNonces(t *testing.T) {
	node, c := setup(t)
	node.answer("eth_getTransactionCount", `"0x7"`)
	if n, err := c.MinedNonce(t.Context(), alice); err != nil || n != 7 {
		t.Fatal(n, err)
	}
	node.lastQuestion(t, `eth_getTransactionCount[`+quoted(alice)+`,"latest"]`)
	if n, err := c.PendingNonce(t.Context(), alice); err != nil || n != 7 {
		t.Fatal(n, err)
	}
	node.lastQuestion(t, `eth_getTransactionCount[`+quoted(alice)+`,"pending"]`)
}

func TestSuggestFee(t *testing.T) {
	for name, c := range map[string]struct {
		base, tip string
		most      int64
		priority  int64
	}{
		"both":                    {`"0x3b9aca00"`, `"0x5f5e100"`, 2_100_000_000, 100_000_000},
		"tip under the floor":     {`"0x3b9aca00"`, `"0x1"`, 2_001_000_000, 1_000_000},
		"tip of zero":             {`"0x0"`, `"0x0"`, 1_000_000, 1_000_000},
		"node without the method": {`"0x3b9aca00"`, "", 2_001_000_000, 1_000_000},
	} {
		node, client := setup(t)
		node.answer("eth_getBlockByNumber", `{"number":"0x1","baseFeePerGas":`+c.base+`}`)
		if c.tip != "" {
			node.answer("eth_maxPriorityFeePerGas", c.tip)
		}
		fee, err := client.SuggestFee(t.Context())
		if err != nil || fee.MaxFeePerGas.Int64() != c.most || fee.MaxPriorityFeePerGas.Int64() != c.priority {
			t.Errorf("%s: %+v %v", name, fee, err)
		}
	}
}

func TestSuggestFeeRefusesNonsense(t *testing.T) {
	for block, tip := range map[string]string{
		`null`: `"0x1"`, `{}`: `"0x1"`, `{"baseFeePerGas":"0x5af3107a4001"}`: `"0x1"`,
		`{"baseFeePerGas":"0x1"}`: `"0xffffffffffffffffff"`, `{"baseFeePerGas":"0x2"}`: `null`,
	} {
		node, client := setup(t)
		node.answer("eth_getBlockByNumber", block)
		node.answer("eth_maxPriorityFeePerGas", tip)
		if fee, err := client.SuggestFee(t.Context()); err == nil {
			t.Errorf("%s %s: %+v", block, tip, fee)
		}
	}
}

func TestSuggestFeeDoesNotShareItsFloor(t *testing.T) {
	node, client := setup(t)
	node.answer("eth_getBlockByNumber", `{"baseFeePerGas":"0x0"}`)
	fee, err := client.SuggestFee(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fee.MaxPriorityFeePerGas.SetInt64(0)
	if again, err := client.SuggestFee(t.Context()); err != nil || again.MaxPriorityFeePerGas.Sign() == 0 {
		t.Error("a caller changed the floor", err)
	}
}

func TestEstimateGas(t *testing.T) {
	node, c := setup(t)
	node.answer("eth_estimateGas", `"0x5208"`)
	if gas, err := c.EstimateGas(t.Context(), alice, &bob, big.NewInt(255), []byte{0xab}); err != nil || gas != 21000 {
		t.Fatal(gas, err)
	}
	node.lastQuestion(t,
		`eth_estimateGas[{"from":`+quoted(alice)+`,"to":`+quoted(bob)+`,"value":"0xff","data":"0xab"}]`)
	if _, err := c.EstimateGas(t.Context(), alice, nil, nil, []byte{1}); err != nil {
		t.Fatal(err)
	}
	node.lastQuestion(t, `eth_estimateGas[{"from":`+quoted(alice)+`,"data":"0x01"}]`)
}

func TestEstimateGasRefusesNonsense(t *testing.T) {
	for _, raw := range []string{`"0x100000001"`, `"0xffffffffffffffff"`, `null`, `"-0x1"`, `21000`} {
		node, c := setup(t)
		node.answer("eth_estimateGas", raw)
		if gas, err := c.EstimateGas(t.Context(), alice, &bob, nil, nil); err == nil || gas != 0 {
			t.Errorf("%s was read as %d", raw, gas)
		}
		node.answer("eth_getTransactionCount", `"0x0"`)
		node.answer("eth_getBalance", `"0x0"`)
		node.answer("eth_getBlockByNumber", `{"baseFeePerGas":"0x1"}`)
		if p, err := c.Preflight(t.Context(), Flight{
			From: alice, To: &bob, Estimate: true,
		}); err != nil || p.GasError == nil || p.Gas != 0 {
			t.Errorf("%s was read as %d, %v", raw, p.Gas, err)
		}
	}
}

func TestEstimateGasTellsWhyNot(t *testing.T) {
	for raw, want := range map[string]error{
		`!{"code":3,"message":"execution reverted: ERC20: transfer amount exceeds balance","data":"0x08c379a0"}`: ErrReverted,

		`!{"code":-32000,"message":"execution reverted"}`:                        ErrReverted,
		`!{"code":-32015,"message":"VM execution error."}`:                       ErrReverted,
		`!{"code":-32000,"message":"gas required exceeds allowance (50000000)"}`: ErrReverted,
		`!{"code":-32000,"message":"insufficient funds for transfer"}`:           ErrInsufficientFunds,
		`!{"code":-32005,"message":"limit exceeded"}`:                            ErrNode,
	} {
		node, c := setup(t)
		node.answer("eth_estimateGas", raw)
		if _, err := c.EstimateGas(t.Context(), alice, &bob, nil, nil); !errors.Is(err, want) {
			t.Errorf("%s: %v", raw, err)
		}
	}
}
