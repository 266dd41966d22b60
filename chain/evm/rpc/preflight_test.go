package rpc

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/node"
)

// ready answers all that a preflight asks for.
func ready(t *testing.T) (*fakeNode, *Client) {
	fake, c := setup(t)
	for method, raw := range map[string]string{
		"eth_getTransactionCount": `"0x7"`, "eth_getBalance": `"0xde0b6b3a7640001"`,
		"eth_getBlockByNumber": `{"baseFeePerGas":"0x3b9aca00","hash":"0x` + strings.Repeat("ab", 32) + `"}`, "eth_maxPriorityFeePerGas": `"0x5f5e100"`,
		"eth_call": `"0x` + strings.Repeat("0", 56) + `01851960"`, "eth_estimateGas": `"0x5208"`,
	} {
		fake.answer(method, raw)
	}
	return fake, c
}

func TestPreflight(t *testing.T) {
	fake, c := ready(t)
	p, err := c.Preflight(t.Context(), everything)
	if err != nil || p.NextNonce != 7 || p.Balance.String() != "1000000000000000001" ||
		p.TokenBalance.Int64() != 25500000 ||
		p.Gas != 21000 || p.GasError != nil || p.Fee.Max.Int64() != 2_100_000_000 ||
		p.Block != "0x"+strings.Repeat("ab", 32) {
		t.Fatalf("%+v, %v", p, err)
	}
	if got := fake.questions(); !strings.HasPrefix(got[len(got)-6], "eth_getBlockByNumber") {
		t.Errorf("the block does not come first: %v", got)
	}
	fake.lastQuestion(t,
		`eth_estimateGas[{"from":`+quoted(alice)+`,"to":`+quoted(bob)+`,"value":"0xff","data":"0xab"}]`)
	asked := len(fake.questions())
	p, err = c.Preflight(t.Context(), node.Flight{From: alice.String()})
	if err != nil || p.TokenBalance != nil || p.Gas != 0 || p.GasError != nil || len(fake.questions()) != asked+4 {
		t.Errorf("%+v, %v, asked %v", p, err, fake.questions())
	}
}

// One bad answer is the error of all but the estimate's.
func TestPreflightNeedsAllAnswers(t *testing.T) {
	all := node.Flight{From: alice.String(), To: bob.String(), Token: bob.String(), Estimate: true}
	for _, method := range []string{
		"eth_getTransactionCount", "eth_getBalance", "eth_getBlockByNumber", "eth_maxPriorityFeePerGas", "eth_call",
	} {
		for _, raw := range []string{`null`, `""`, `!{"code":-32005,"message":"limit exceeded"}`} {
			fake, c := ready(t)
			fake.answer(method, raw)
			if p, err := c.Preflight(t.Context(), all); err == nil {
				t.Errorf("%s %s: %+v", method, raw, p)
			}
		}
	}
	fake, c := ready(t)
	fake.answer("eth_estimateGas", `!{"code":3,"message":"execution reverted"}`)
	if p, err := c.Preflight(t.Context(), all); err != nil || !errors.Is(p.GasError, node.ErrReverts) {
		t.Errorf("%+v, %v", p, err)
	}
	fake.answer("eth_chainId", `"0x1"`)
	if _, err := dial(t, fake.URL).Preflight(t.Context(), all); !errors.Is(err, node.ErrWrongNetwork) {
		t.Errorf("on another chain: %v", err)
	}
	fake.Close()
	if _, err := c.Preflight(t.Context(), all); !errors.Is(err, ErrTransport) {
		t.Errorf("down: %v", err)
	}
}

// A node that answers several questions with something else has answered none.
func TestPreflightOfAnswersThatAreNone(t *testing.T) {
	for _, answer := range []string{
		``, `null`, `[]`, `[null]`, `{}`, `<html>`, `[{"jsonrpc":"2.0","id":1,"result":"0x0"}`,
		`[{"jsonrpc":"2.0","id":1}]`, `[{"jsonrpc":"2.0","id":99,"result":"0x0"}]`,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, answer)
		}))
		c := dial(t, server.URL)
		c.checked.Store(time.Now().UnixNano())
		if p, err := c.Preflight(t.Context(), node.Flight{From: alice.String(), To: bob.String()}); err == nil ||
			!errors.Is(err, ErrTransport) {
			t.Errorf("%s: %+v, %v", answer, p, err)
		}
		if c.checked.Load() != 0 {
			t.Errorf("%s: and the chain id is not asked for again", answer)
		}
		server.Close()
	}
}
