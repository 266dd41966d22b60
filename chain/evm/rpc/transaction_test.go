package rpc

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
)

// signedTx is a transaction for a chain, signed by the key 0x0707….
func signedTx(t *testing.T, chainID uint64) (raw []byte, id [32]byte) {
	t.Helper()
	tx := evm.Tx{Type: evm.DynamicFee, ChainID: chainID, GasLimit: 21000, To: &bob, Value: big.NewInt(1),
		MaxFeePerGas: big.NewInt(1e9)}
	sig, err := evm.Sign(bytes.Repeat([]byte{7}, 32), tx.Digest())
	if err != nil {
		t.Fatal(err)
	}
	raw = tx.Assemble(sig)
	return raw, evm.ID(raw)
}

const baseSepolia = 84532

func TestSend(t *testing.T) {
	node, c := setup(t)
	raw, id := signedTx(t, baseSepolia)
	node.answer("eth_sendRawTransaction", `"`+chain.Hex(id[:])+`"`)
	got, err := c.Send(t.Context(), raw)
	if err != nil || got != id {
		t.Fatal(got, err)
	}
	node.lastQuestion(t, `eth_sendRawTransaction["`+chain.Hex(raw)+`"]`)
}

func TestSendNeverTakesTheNodesID(t *testing.T) {
	raw, id := signedTx(t, baseSepolia)
	for _, answer := range []string{`"` + chain.Hex(bytes.Repeat([]byte{9}, 32)) + `"`, `"0x00"`, `null`} {
		node, c := setup(t)
		node.answer("eth_sendRawTransaction", answer)
		got, err := c.Send(t.Context(), raw)
		if got != id || err == nil || !Retryable(err) {
			t.Errorf("%s: %x %v", answer, got, err)
		}
	}
}

func TestSendRefusesBeforeTheNode(t *testing.T) {
	node, c := setup(t)
	mainnet, _ := signedTx(t, 1)
	good, _ := signedTx(t, baseSepolia)
	for name, raw := range map[string][]byte{
		"another chain": mainnet, "nothing": nil, "trailing byte": append(good, 0),
	} {
		if _, err := c.Send(t.Context(), raw); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := node.questions(); len(got) != 0 {
		t.Errorf("the node was asked %v", got)
	}
}

func TestRetryable(t *testing.T) {
	if Retryable(nil) {
		t.Error("success is retried")
	}
	for _, err := range []error{ErrTransport, ErrLyingNode, ErrWrongNetwork, fmt.Errorf("wrapped: %w", ErrTransport)} {
		if !Retryable(err) {
			t.Errorf("%v is not retried", err)
		}
	}
}

func receiptJSON(id [32]byte, status string) string {
	return fmt.Sprintf(`{"transactionHash":"%s","status":%s,"blockNumber":"0x10","blockHash":"%s",`+
		`"gasUsed":"0x5208","logs":[]}`,
		chain.Hex(id[:]), status, chain.Hex(bytes.Repeat([]byte{3}, 32)))
}

func TestReceipt(t *testing.T) {
	_, id := signedTx(t, baseSepolia)
	want := Receipt{Found: true, BlockNumber: 16, BlockHash: [32]byte(bytes.Repeat([]byte{3}, 32)), GasUsed: 21000}
	for status, reverted := range map[string]bool{`"0x1"`: false, `"0x0"`: true} {
		node, c := setup(t)
		node.answer("eth_getTransactionReceipt", receiptJSON(id, status))
		want.Reverted = reverted
		if got, err := c.Receipt(t.Context(), id); err != nil || got != want {
			t.Errorf("%s: %+v %v", status, got, err)
		}
		node.lastQuestion(t, `eth_getTransactionReceipt["`+chain.Hex(id[:])+`"]`)
	}
}

func TestReceiptNotYetThere(t *testing.T) {
	_, id := signedTx(t, baseSepolia)
	node, c := setup(t)
	node.answer("eth_getTransactionReceipt", `null`)
	if got, err := c.Receipt(t.Context(), id); err != nil || got.Found {
		t.Errorf("%+v %v", got, err)
	}
	node.answer("eth_getTransactionByHash", `null`)
	if known, err := c.TransactionKnown(t.Context(), id); err != nil || known {
		t.Errorf("%v %v", known, err)
	}
}

// A node that indexes its blocks anew does not know what is mined: to take that
// for "not mined" would give up a payment whose nonce is used by itself.
func TestReceiptWhileIndexing(t *testing.T) {
	_, id := signedTx(t, baseSepolia)
	node, c := setup(t)
	node.fail("eth_getTransactionReceipt", "transaction indexing is in progress")
	if got, err := c.Receipt(t.Context(), id); !errors.Is(err, ErrNode) || !Retryable(err) || got.Found {
		t.Errorf("%+v %v", got, err)
	}
	node.fail("eth_getTransactionByHash", "transaction indexing is in progress")
	if known, err := c.TransactionKnown(t.Context(), id); !errors.Is(err, ErrNode) || known {
		t.Errorf("%v %v", known, err)
	}
}

func TestReceiptOfALyingNode(t *testing.T) {
	_, id := signedTx(t, baseSepolia)
	other := [32]byte{1}
	for _, raw := range []string{receiptJSON(other, `"0x1"`), `{}`, `{"status":"0x1","blockNumber":"0x1"}`} {
		node, c := setup(t)
		node.answer("eth_getTransactionReceipt", raw)
		if got, err := c.Receipt(t.Context(), id); !errors.Is(err, ErrLyingNode) || got.Found {
			t.Errorf("%s: %+v %v", raw, got, err)
		}
	}
	for _, raw := range []string{receiptJSON(id, `null`), receiptJSON(id, `"0x2"`), receiptJSON(id, `1`)} {
		node, c := setup(t)
		node.answer("eth_getTransactionReceipt", raw)
		if got, err := c.Receipt(t.Context(), id); err == nil || got.Found {
			t.Errorf("%s: %+v", raw, got)
		}
	}
}

func TestBlockHash(t *testing.T) {
	node, c := setup(t)
	hash := bytes.Repeat([]byte{5}, 32)
	node.answer("eth_getBlockByNumber", `{"number":"0x10","hash":"`+chain.Hex(hash)+`"}`)
	if got, found, err := c.BlockHash(t.Context(), 16); err != nil || !found || !slices.Equal(got[:], hash) {
		t.Fatal(got, found, err)
	}
	node.lastQuestion(t, `eth_getBlockByNumber["0x10",false]`)
	if _, found, err := c.BlockHash(t.Context(), 17); !errors.Is(err, ErrLyingNode) || found {
		t.Error("another block's hash was taken", err)
	}
	node.answer("eth_getBlockByNumber", `null`)
	if _, found, err := c.BlockHash(t.Context(), 16); err != nil || found {
		t.Error(found, err)
	}
}

func TestTransactionKnown(t *testing.T) {
	node, c := setup(t)
	_, id := signedTx(t, baseSepolia)
	node.answer("eth_getTransactionByHash", `{"hash":"`+chain.Hex(id[:])+`","blockNumber":null}`)
	if known, err := c.TransactionKnown(t.Context(), id); err != nil || !known {
		t.Fatal(known, err)
	}
	node.answer("eth_getTransactionByHash", `{"hash":"`+chain.Hex(make([]byte, 32))+`"}`)
	if known, err := c.TransactionKnown(t.Context(), id); !errors.Is(err, ErrLyingNode) || known {
		t.Error(known, err)
	}
}
