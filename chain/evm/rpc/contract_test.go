package rpc

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain/node"
)

func TestContracts(t *testing.T) {
	fake, c := setup(t)
	for raw, want := range map[string]bool{`"0x"`: false, `"0x60"`: true} {
		fake.answer("eth_getCode", raw)
		if got, err := c.HasCode(t.Context(), alice); err != nil || got != want {
			t.Errorf("%s: %v %v", raw, got, err)
		}
	}
	fake.answer("eth_call", `"0x0102"`)
	if got, err := c.CallPending(t.Context(), alice, bob, []byte{7}); err != nil || string(got) != "\x01\x02" {
		t.Errorf("%x %v", got, err)
	}
	fake.lastQuestion(t, `eth_call[{"from":`+quoted(alice)+`,"to":`+quoted(bob)+`,"data":"0x07"},"pending"]`)
	fake.answer("eth_call", `!{"code":3,"message":"execution reverted"}`)
	if _, err := c.CallPending(t.Context(), alice, bob, nil); !errors.Is(err, node.ErrReverts) {
		t.Errorf("a revert: %v", err)
	}
	asked := node.ContractCall{From: alice.String(), To: bob.String(), Value: big.NewInt(5), Data: []byte{7}}
	if _, err := c.Call(t.Context(), asked); !errors.Is(err, node.ErrReverts) {
		t.Errorf("a revert: %v", err)
	}
	fake.answer("eth_call", `"0x0102"`)
	if got, err := c.Call(t.Context(), asked); err != nil || string(got) != "\x01\x02" {
		t.Errorf("%x %v", got, err)
	}
	fake.lastQuestion(t, `eth_call[{"from":`+quoted(alice)+`,"to":`+quoted(bob)+`,"value":"0x5","data":"0x07"},"latest"]`)
	if _, err := c.Call(t.Context(), node.ContractCall{To: "nobody"}); err == nil {
		t.Error("a call of no address was sent")
	}
	fake.answer("eth_getBlockByNumber", `{"timestamp":"0x6b49d200"}`)
	if at, err := c.Time(t.Context()); err != nil || at.Unix() != 1_800_000_000 {
		t.Errorf("%v %v", at, err)
	}
	for _, raw := range []string{`{}`, `null`, `{"timestamp":"0xffffffffffffffff"}`} {
		fake.answer("eth_getBlockByNumber", raw)
		if at, err := c.Time(t.Context()); err == nil {
			t.Errorf("%s was read as %v", raw, at)
		}
	}
}

func TestMined(t *testing.T) {
	fake, c := setup(t)
	id := "0x" + strings.Repeat("ab", 32)
	receipt := func(hash, status, logs string) string {
		return `{"transactionHash":"` + hash + `","status":` + status + `,"logs":` + logs + `}`
	}
	event := `[{"address":` + strings.ToLower(quoted(alice)) + `,"topics":["` + id + `"],"data":"0x01"}]`
	fake.answer("eth_getTransactionReceipt", receipt(id, `"0x1"`, event))
	ok, logs, found, err := c.Mined(t.Context(), id)
	if err != nil || !found || !ok || len(logs) != 1 || logs[0].Contract != alice || logs[0].Topics[0][0] != 0xab ||
		string(logs[0].Data) != "\x01" {
		t.Errorf("%v %+v %v %v", ok, logs, found, err)
	}
	fake.answer("eth_getTransactionReceipt", receipt(id, `"0x0"`, `[]`))
	if ok, _, found, err := c.Mined(t.Context(), id); err != nil || !found || ok {
		t.Errorf("a failed one: %v %v %v", ok, found, err)
	}
	fake.answer("eth_getTransactionReceipt", `null`)
	if _, _, found, err := c.Mined(t.Context(), id); err != nil || found {
		t.Errorf("one that is in no block: %v %v", found, err)
	}
	for _, raw := range []string{
		receipt("0x"+strings.Repeat("ac", 32), `"0x1"`, `[]`), receipt(id, `"0x2"`, `[]`), receipt(id, `null`, `[]`),
		receipt(id, `"0x1"`, `[{"topics":[],"data":"0x"}]`), `{}`,
	} {
		fake.answer("eth_getTransactionReceipt", raw)
		if _, _, found, err := c.Mined(t.Context(), id); err == nil {
			t.Errorf("%s was read: %v", raw, found)
		}
	}
}
