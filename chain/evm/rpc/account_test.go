package rpc

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/node"
)

var (
	alice = evm.Address{0xa1, 19: 1}
	bob   = evm.Address{0xb0, 19: 2}
)

func quoted(a evm.Address) string { return `"` + a.String() + `"` }

func TestBalance(t *testing.T) {
	fake, c := setup(t)
	fake.answer("eth_getBalance", `"0xde0b6b3a7640001"`)
	got, err := c.Balance(t.Context(), alice.String())
	if err != nil || got.String() != "1000000000000000001" {
		t.Fatal(got, err)
	}
	fake.lastQuestion(t, `eth_getBalance[`+quoted(alice)+`,"latest"]`)
	for _, raw := range []string{`null`, `""`, `"0x1` + strings.Repeat("0", 64) + `"`} {
		fake.answer("eth_getBalance", raw)
		if got, err := c.Balance(t.Context(), alice.String()); err == nil {
			t.Errorf("%s was read as %v", raw, got)
		}
	}
}

func TestTokenBalance(t *testing.T) {
	fake, c := setup(t)
	fake.answer("eth_call", `"0x`+strings.Repeat("0", 56)+`01851960"`)
	got, err := c.TokenBalance(t.Context(), bob.String(), alice.String())
	if err != nil || got.Int64() != 25500000 {
		t.Fatal(got, err)
	}
	data := "0x70a08231" + strings.Repeat("0", 24) + strings.ToLower(alice.String()[2:])
	fake.lastQuestion(t, `eth_call[{"to":`+quoted(bob)+`,"data":"`+data+`"},"latest"]`)
	for _, raw := range []string{`"0x"`, `"0x01"`, `"0x` + strings.Repeat("0", 128) + `"`, `null`} {
		fake.answer("eth_call", raw)
		if got, err := c.TokenBalance(t.Context(), bob.String(), alice.String()); err == nil {
			t.Errorf("%s was read as %v", raw, got)
		}
	}
}

// Each address is told its own coins and tokens, and one bad answer is the error of all.
func TestBalances(t *testing.T) {
	fake, c := setup(t)
	fake.answer("eth_getBalance", `"0x7"`)
	fake.answer("eth_call", `"0x`+strings.Repeat("0", 56)+`01851960"`)
	owners, tokens := []string{alice.String(), bob.String()}, []string{bob.String(), alice.String()}
	all, err := c.Balances(t.Context(), owners, tokens)
	if err != nil || len(all) != 2 || all[1].Coin.Int64() != 7 || len(all[1].Tokens) != 2 ||
		all[1].Tokens[1].Int64() != 25500000 {
		t.Fatalf("%+v, %v", all, err)
	}
	data := "0x70a08231" + strings.Repeat("0", 24) + strings.ToLower(bob.String()[2:])
	fake.lastQuestion(t, `eth_call[{"to":`+quoted(alice)+`,"data":"`+data+`"},"latest"]`)
	if all, err = c.Balances(t.Context(), owners, nil); err != nil || len(all) != 2 || len(all[0].Tokens) != 0 {
		t.Errorf("without tokens: %+v, %v", all, err)
	}
	fake.answer("eth_call", `"0x01"`)
	if all, err := c.Balances(t.Context(), owners, tokens); err == nil {
		t.Errorf("%+v", all)
	}
}

func TestNonces(t *testing.T) {
	fake, c := setup(t)
	fake.answer("eth_getTransactionCount", `"0x7"`)
	if n, err := c.NextNonce(t.Context(), alice.String()); err != nil || n != 7 {
		t.Fatal(n, err)
	}
	fake.lastQuestion(t, `eth_getTransactionCount[`+quoted(alice)+`,"latest"]`)
	if n, err := c.PendingNonce(t.Context(), alice.String()); err != nil || n != 7 {
		t.Fatal(n, err)
	}
	fake.lastQuestion(t, `eth_getTransactionCount[`+quoted(alice)+`,"pending"]`)
}

func TestFee(t *testing.T) {
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
		fake, client := setup(t)
		fake.answer("eth_getBlockByNumber", `{"number":"0x1","baseFeePerGas":`+c.base+`}`)
		if c.tip != "" {
			fake.answer("eth_maxPriorityFeePerGas", c.tip)
		}
		fee, err := client.Fee(t.Context())
		if err != nil || fee.Max.Int64() != c.most || fee.Priority.Int64() != c.priority {
			t.Errorf("%s: %+v %v", name, fee, err)
		}
	}
}

func TestFeeRefusesNonsense(t *testing.T) {
	for block, tip := range map[string]string{
		`null`: `"0x1"`, `{}`: `"0x1"`, `{"baseFeePerGas":"0x5af3107a4001"}`: `"0x1"`,
		`{"baseFeePerGas":"0x1"}`: `"0xffffffffffffffffff"`, `{"baseFeePerGas":"0x2"}`: `null`,
	} {
		fake, client := setup(t)
		fake.answer("eth_getBlockByNumber", block)
		fake.answer("eth_maxPriorityFeePerGas", tip)
		if fee, err := client.Fee(t.Context()); err == nil {
			t.Errorf("%s %s: %+v", block, tip, fee)
		}
	}
}

func TestFeeDoesNotShareItsFloor(t *testing.T) {
	fake, client := setup(t)
	fake.answer("eth_getBlockByNumber", `{"baseFeePerGas":"0x0"}`)
	fee, err := client.Fee(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fee.Priority.SetInt64(0)
	if again, err := client.Fee(t.Context()); err != nil || again.Priority.Sign() == 0 {
		t.Error("a caller changed the floor", err)
	}
}

// estimate asks what a call needs, of a node that answers all else.
func estimate(t *testing.T, raw string, f node.Flight) (*fakeNode, node.Preflight) {
	t.Helper()
	fake, c := ready(t)
	fake.answer("eth_estimateGas", raw)
	f.From, f.Estimate = alice.String(), true
	p, err := c.Preflight(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	return fake, p
}

func TestEstimateGas(t *testing.T) {
	fake, p := estimate(t, `"0x5208"`, node.Flight{To: bob.String(), Value: big.NewInt(255), Data: []byte{0xab}})
	if p.Gas != 21000 || p.GasError != nil {
		t.Error(p)
	}
	fake.lastQuestion(t,
		`eth_estimateGas[{"from":`+quoted(alice)+`,"to":`+quoted(bob)+`,"value":"0xff","data":"0xab"}]`)
	fake, _ = estimate(t, `"0x5208"`, node.Flight{Data: []byte{1}})
	fake.lastQuestion(t, `eth_estimateGas[{"from":`+quoted(alice)+`,"data":"0x01"}]`)
}

func TestEstimateGasRefusesNonsense(t *testing.T) {
	for _, raw := range []string{`"0x100000001"`, `"0xffffffffffffffff"`, `null`, `"-0x1"`, `21000`} {
		if _, p := estimate(t, raw, node.Flight{To: bob.String()}); p.GasError == nil || p.Gas != 0 {
			t.Errorf("%s was read as %d, %v", raw, p.Gas, p.GasError)
		}
	}
}

func TestEstimateGasTellsWhyNot(t *testing.T) {
	for raw, want := range map[string]error{
		`!{"code":3,"message":"execution reverted: ERC20: transfer amount exceeds balance","data":"0x08c379a0"}`: node.ErrReverts,

		`!{"code":-32000,"message":"execution reverted"}`:                        node.ErrReverts,
		`!{"code":-32015,"message":"VM execution error."}`:                       node.ErrReverts,
		`!{"code":-32000,"message":"gas required exceeds allowance (50000000)"}`: node.ErrReverts,
		`!{"code":-32000,"message":"insufficient funds for transfer"}`:           node.ErrNoFunds,
		`!{"code":-32005,"message":"limit exceeded"}`:                            ErrNode,
	} {
		if _, p := estimate(t, raw, node.Flight{To: bob.String()}); !errors.Is(p.GasError, want) {
			t.Errorf("%s: %v", raw, p.GasError)
		}
	}
}

func TestAddressesThatAreNone(t *testing.T) {
	fake, c := ready(t)
	_, err := c.Preflight(t.Context(), node.Flight{From: alice.String(), To: "bob"})
	_, err2 := c.NextNonce(t.Context(), "")
	_, err3 := c.TokenBalance(t.Context(), usdc.String(), "0x00")
	_, err4 := c.Known(t.Context(), "0x00")
	for i, err := range []error{err, err2, err3, err4} {
		if err == nil {
			t.Errorf("question %d was asked", i)
		}
	}
	if got := fake.questions(); len(got) != 0 {
		t.Errorf("the node was asked %v", got)
	}
}
