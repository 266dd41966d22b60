package payout_test

import (
	"context"
	"math/big"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/rpc"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/solanatest"
)

const sandboxPath = "/v1/sandbox/"

// What the sandbox does on demand, and what it says when asked for something else.
func TestPayout_SandboxControls(t *testing.T) {
	t.Parallel()
	a := apptest.New(t, apptest.WithPartner(t))
	call := func(what, body string) apptest.Answer {
		t.Helper()
		return a.Do(a.Keys.BenchKey, "POST", sandboxPath+what, body)
	}
	to := evm.Address{0x5a, 0xd0, 19: 1}
	before := usdcOf(t, a, to)
	got := call("simulate-deposit", `{"chain":"base","address":"`+to.String()+`","amount":"12.5"}`)
	data, _ := got.Field("data").(map[string]any)
	if hash, _ := data["txHash"].(string); got.Status != 200 ||
		len(hash) != 66 || data["amount"] != "12.500000" || data["currency"] != "usdc" {
		t.Errorf("a deposit: %d %s", got.Status, got.Body)
	}
	if sum := new(big.Int).Sub(usdcOf(t, a, to), before); sum.Int64() != 12_500_000 {
		t.Errorf("%v arrived", sum)
	}
	owner := solanatest.NewPerson().String()
	got = call("simulate-deposit", `{"chain":"solana","address":"`+owner+`","amount":"12.5","currency":"usdt"}`)
	held := solanatest.At(t, a.Devnet.RPCURL("solana")).Holds(owner, "USDT")
	if got.Status != 200 || held != 12_500_000 {
		t.Errorf("a deposit on Solana: %d %s, %d arrived", got.Status, got.Body, held)
	}
	for _, c := range [][2]string{
		{"advance", `{"seconds":3600}`}, {"mine", `{"chain":"ethereum","blocks":2}`},
		{"reorg", `{"chain":"ethereum","depth":1}`},
	} {
		if got := call(c[0], c[1]); got.Status != 200 {
			t.Errorf("%s: %d %s", c[0], got.Status, got.Body)
		}
	}
	for _, c := range []struct{ what, body, field string }{
		{"simulate-deposit", `{"chain":"solana","address":"` + to.String() + `","amount":"1"}`, "address"},
		{
			"simulate-deposit", `{"chain":"solana","address":"` + solana.TokenProgram.String() + `","amount":"1"}`,
			"address",
		},
		{
			"simulate-deposit", `{"chain":"base","address":"` + to.String() + `","amount":"1","currency":"usdt"}`,
			"currency",
		},
		{"simulate-deposit", `{"chain":"base","address":"0x12","amount":"1"}`, "address"},
		{"simulate-deposit", `{"chain":"base","address":"` + to.String() + `","amount":"0"}`, "amount"},
		{"simulate-deposit", `{"chain":"base","address":"` + to.String() + `","amount":"1.0000001"}`, "amount"},
		{"advance", `{"seconds":0}`, "seconds"},
		{"mine", `{"chain":"none"}`, "chain"},
		{"reorg", `{"chain":"none","depth":1}`, "chain"},
		{"reorg", `{"chain":"avalanche_c_chain","depth":20}`, "depth"}, // nothing happens there
		{
			"simulate-deposit", `{"withdrawAddressId":"x","address":"` + to.String() + `","amount":"1"}`,
			"withdrawAddressId",
		},
	} {
		wantCode(t, c.what+" "+c.field, call(c.what, c.body), 400, "validation_failed", c.field)
	}
	wantCode(
		t, "an address of nobody", call("simulate-deposit", `{"withdrawAddressId":"x","amount":"1"}`), 404, "not_found",
		"",
	)
}

// Without the sandbox's partner its time cannot pass, nor without a chain anything arrive.
func TestPayout_SandboxWithoutPartner(t *testing.T) {
	t.Parallel()
	a := apptest.New(t)
	wantCode(
		t, "no partner", a.Do(a.Keys.BenchKey, "POST", sandboxPath+"advance", `{"seconds":1}`), 502,
		"sandbox_unreachable", "does not answer",
	)
	a.StopServer()
	a.Reconfigure(func(c *apptest.Config) { c.DevnetURL = "http://127.0.0.1:1" })
	a.StartServer()
	for what, body := range map[string]string{
		"simulate-deposit": `{"chain":"base","address":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8","amount":"1"}`,
		"mine":             `{"chain":"base"}`, "reorg": `{"chain":"base","depth":1}`,
	} {
		wantCode(
			t, what, a.Do(a.Keys.BenchKey, "POST", sandboxPath+what, body), 502, "sandbox_unreachable",
			"does not answer",
		)
	}
}

func usdcOf(t *testing.T, a *apptest.App, of evm.Address) *big.Int {
	t.Helper()
	n, _ := chain.BySlug(chain.Sandbox, "base")
	c, err := rpc.Dial(context.Background(), a.Devnet.RPCURL("base"), n)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	return must(c.TokenBalance(t.Context(), apptest.USDC().Address, of.String()))(t)
}
