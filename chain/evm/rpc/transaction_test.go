package rpc

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/node"
)

// signedTx is a transaction for a chain, signed by the key 0x0707….
func signedTx(t *testing.T, chainID uint64) (raw []byte, id string) {
	t.Helper()
	tx := evm.Tx{Type: evm.DynamicFee, ChainID: chainID, GasLimit: 21000, To: &bob, Value: big.NewInt(1),
		MaxFeePerGas: big.NewInt(1e9)}
	sig, err := evm.Sign(bytes.Repeat([]byte{7}, 32), tx.Digest())
	if err != nil {
		t.Fatal(err)
	}
	raw = tx.Assemble(sig)
	sum := evm.ID(raw)
	return raw, chain.Hex(sum[:])
}

const baseSepolia = 84532

func TestSend(t *testing.T) {
	fake, c := setup(t)
	raw, id := signedTx(t, baseSepolia)
	fake.answer("eth_sendRawTransaction", `"`+id+`"`)
	if err := c.Send(t.Context(), raw); err != nil {
		t.Fatal(err)
	}
	fake.lastQuestion(t, `eth_sendRawTransaction["`+chain.Hex(raw)+`"]`)
}

func TestSendNeverTakesTheNodesID(t *testing.T) {
	raw, _ := signedTx(t, baseSepolia)
	for _, answer := range []string{`"` + chain.Hex(bytes.Repeat([]byte{9}, 32)) + `"`, `"0x00"`, `null`} {
		fake, c := setup(t)
		fake.answer("eth_sendRawTransaction", answer)
		if err := c.Send(t.Context(), raw); err == nil {
			t.Errorf("%s was taken", answer)
		}
	}
}

func TestSendRefusesBeforeTheNode(t *testing.T) {
	fake, c := setup(t)
	mainnet, _ := signedTx(t, 1)
	good, _ := signedTx(t, baseSepolia)
	for name, raw := range map[string][]byte{
		"another chain": mainnet, "nothing": nil, "trailing byte": append(good, 0),
	} {
		if err := c.Send(t.Context(), raw); !errors.Is(err, node.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := fake.questions(); len(got) != 0 {
		t.Errorf("the node was asked %v", got)
	}
}

func receiptJSON(id, status string) string {
	return fmt.Sprintf(`{"transactionHash":"%s","status":%s,"blockNumber":"0x10","blockHash":"%s",`+
		`"gasUsed":"0x5208","logs":[]}`,
		id, status, chain.Hex(bytes.Repeat([]byte{3}, 32)))
}

func TestReceipt(t *testing.T) {
	_, id := signedTx(t, baseSepolia)
	want := node.Receipt{BlockNumber: 16, BlockHash: chain.Hex(bytes.Repeat([]byte{3}, 32))}
	for status, succeeded := range map[string]bool{`"0x1"`: true, `"0x0"`: false} {
		fake, c := setup(t)
		fake.answer("eth_getTransactionReceipt", receiptJSON(id, status))
		want.Succeeded = succeeded
		if got, found, err := c.Receipt(t.Context(), id); err != nil || !found || got != want {
			t.Errorf("%s: %+v %v", status, got, err)
		}
		fake.lastQuestion(t, `eth_getTransactionReceipt["`+id+`"]`)
	}
}

func TestReceiptNotYetThere(t *testing.T) {
	_, id := signedTx(t, baseSepolia)
	fake, c := setup(t)
	fake.answer("eth_getTransactionReceipt", `null`)
	if got, found, err := c.Receipt(t.Context(), id); err != nil || found {
		t.Errorf("%+v %v", got, err)
	}
	fake.answer("eth_getTransactionByHash", `null`)
	if known, err := c.Known(t.Context(), id); err != nil || known {
		t.Errorf("%v %v", known, err)
	}
}

// A node that indexes its blocks anew does not know what is mined: to take that
// for "not mined" would give up a payment whose nonce is used by itself.
func TestReceiptWhileIndexing(t *testing.T) {
	_, id := signedTx(t, baseSepolia)
	fake, c := setup(t)
	fake.fail("eth_getTransactionReceipt", "transaction indexing is in progress")
	if got, found, err := c.Receipt(t.Context(), id); !errors.Is(err, ErrNode) || found {
		t.Errorf("%+v %v", got, err)
	}
	fake.fail("eth_getTransactionByHash", "transaction indexing is in progress")
	if known, err := c.Known(t.Context(), id); !errors.Is(err, ErrNode) || known {
		t.Errorf("%v %v", known, err)
	}
}

func TestReceiptOfALyingNode(t *testing.T) {
	_, id := signedTx(t, baseSepolia)
	other := hash(1)
	for _, raw := range []string{receiptJSON(other, `"0x1"`), `{}`, `{"status":"0x1","blockNumber":"0x1"}`} {
		fake, c := setup(t)
		fake.answer("eth_getTransactionReceipt", raw)
		if got, found, err := c.Receipt(t.Context(), id); !errors.Is(err, ErrLyingNode) || found {
			t.Errorf("%s: %+v %v", raw, got, err)
		}
	}
	for _, raw := range []string{receiptJSON(id, `null`), receiptJSON(id, `"0x2"`), receiptJSON(id, `1`)} {
		fake, c := setup(t)
		fake.answer("eth_getTransactionReceipt", raw)
		if got, found, err := c.Receipt(t.Context(), id); err == nil || found {
			t.Errorf("%s: %+v", raw, got)
		}
	}
}

func TestBlockHash(t *testing.T) {
	fake, c := setup(t)
	fake.answer("eth_getBlockByNumber", `{"number":"0x10","hash":"`+hash(5)+`"}`)
	if got, found, err := c.BlockHash(t.Context(), 16); err != nil || !found || got != hash(5) {
		t.Fatal(got, found, err)
	}
	fake.lastQuestion(t, `eth_getBlockByNumber["0x10",false]`)
	if _, found, err := c.BlockHash(t.Context(), 17); !errors.Is(err, ErrLyingNode) || found {
		t.Error("another block's hash was taken", err)
	}
	fake.answer("eth_getBlockByNumber", `null`)
	if _, found, err := c.BlockHash(t.Context(), 16); err != nil || found {
		t.Error(found, err)
	}
}

func TestKnown(t *testing.T) {
	fake, c := setup(t)
	_, id := signedTx(t, baseSepolia)
	fake.answer("eth_getTransactionByHash", `{"hash":"`+id+`","blockNumber":null}`)
	if known, err := c.Known(t.Context(), id); err != nil || !known {
		t.Fatal(known, err)
	}
	fake.answer("eth_getTransactionByHash", `{"hash":"`+chain.Hex(make([]byte, 32))+`"}`)
	if known, err := c.Known(t.Context(), id); !errors.Is(err, ErrLyingNode) || known {
		t.Error(known, err)
	}
}
