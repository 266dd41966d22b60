package rpc

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/railkit/railkit/chain/evm"
)

// signedTx is a transaction for a chain, signed by the key 0x0707….
func signedTx(t *testing.T, chainID uint64) (raw []byte, id [32]byte) {
	t.Helper()
	tx := evm.Tx{Type: evm.DynamicFee, ChainID: chainID, GasLimit: 21000, To: &bob, Value: big.NewInt(1), MaxFeePerGas: big.NewInt(1e9)}
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
	node.answer("eth_sendRawTransaction", `"`+evm.Hex(id[:])+`"`)
	got, err := c.Send(t.Context(), raw)
	if err != nil || got != id {
		t.Fatal(got, err)
	}
	node.lastQuestion(t, `eth_sendRawTransaction["`+evm.Hex(raw)+`"]`)
}

func TestSendNeverTakesTheNodesID(t *testing.T) {
	raw, id := signedTx(t, baseSepolia)
	for _, answer := range []string{`"` + evm.Hex(bytes.Repeat([]byte{9}, 32)) + `"`, `"0x00"`, `null`} {
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
	for name, raw := range map[string][]byte{"another chain": mainnet, "nothing": nil, "trailing byte": append(good, 0)} {
		if _, err := c.Send(t.Context(), raw); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := node.questions(); len(got) != 0 {
		t.Errorf("the node was asked %v", got)
	}
}

func TestSendErrorClasses(t *testing.T) {
	again := map[error]bool{ErrAlreadyKnown: false, ErrNonceTooLow: false, ErrRefused: false, ErrUnderpriced: true, ErrInsufficientFunds: true, ErrNode: true}
	for _, c := range []struct {
		want    error
		message string
	}{
		// geth 1.17
		{ErrAlreadyKnown, "already known"},
		{ErrNonceTooLow, "nonce too low: next nonce 5, tx nonce 4"},
		{ErrUnderpriced, "replacement transaction underpriced"},
		{ErrUnderpriced, "transaction underpriced: gas tip cap 1, minimum needed 1000000"},
		{ErrUnderpriced, "transaction gas price below minimum: gas tip cap 1, minimum needed 2"},
		{ErrUnderpriced, "max fee per gas less than block base fee: address 0x01, maxFeePerGas: 1, baseFee: 7"},
		{ErrInsufficientFunds, "insufficient funds for gas * price + value: balance 0, tx cost 21000, overshot 21000"},
		{ErrRefused, "intrinsic gas too low: gas 20000, minimum needed 21000"},
		{ErrRefused, "insufficient gas for floor data gas cost: gas 21000, minimum needed 30000"},
		{ErrRefused, "exceeds block gas limit: tx gas 99999999, block gas limit 30000000"},
		{ErrRefused, "transaction gas limit too high (cap: 16777216, tx: 20000000)"},
		{ErrRefused, "invalid sender: invalid transaction v, r, s values"},
		{ErrRefused, "invalid chain id for signer: have 1 want 84532"},
		{ErrRefused, "only replay-protected (EIP-155) transactions allowed over RPC"},
		{ErrRefused, "transaction type not supported: type 2 rejected, pool not yet in London"},
		{ErrRefused, "oversized data: transaction size 200000, limit 131072"},
		{ErrRefused, "max initcode size exceeded: code size 60000, limit 49152"},
		{ErrRefused, "max priority fee per gas higher than max fee per gas: tip 2, gasFeeCap 1"},
		{ErrRefused, "nonce has max value: address 0x01, nonce: 18446744073709551615"},
		{ErrRefused, "tx fee (21.00 ether) exceeds the configured cap (1.00 ether)"},
		{ErrRefused, "rlp: expected input list for types.LegacyTx"},
		{ErrNode, "txpool is full"},
		{ErrNode, "account limit exceeded: pooled 16 txs"},
		{ErrNode, "future transaction tries to replace pending"},
		{ErrNode, "request timed out"},
		// Erigon
		{ErrAlreadyKnown, "ALREADY_EXISTS: already known"},
		{ErrAlreadyKnown, "existing tx with same hash"},
		{ErrNonceTooLow, "INTERNAL_ERROR: nonce too low"},
		{ErrUnderpriced, "underpriced"},
		{ErrUnderpriced, "fee too low"},
		{ErrUnderpriced, "could not replace existing tx"},
		{ErrInsufficientFunds, "insufficient funds"},
		{ErrRefused, "IntrinsicGas"},
		{ErrRefused, "GasUintOverflow"},
		{ErrRefused, "RLPTooLong"},
		{ErrRefused, "initcode too large"},
		{ErrRefused, "unsupported transaction type"},
		{ErrRefused, "gas limit is too high"},
		{ErrNode, "pending sub-pool is full"},
		// Nethermind
		{ErrAlreadyKnown, "AlreadyKnown"},
		{ErrNonceTooLow, "OldNonce, Current nonce: 5, nonce of rejected tx: 4"},
		{ErrUnderpriced, "FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 1, BaseFee: 7"},
		{ErrUnderpriced, "FeeTooLowToCompete"},
		{ErrInsufficientFunds, "InsufficientFunds, Balance is 0 less than sending value 1"},
		{ErrRefused, "GasLimitExceeded"},
		{ErrRefused, "FailedToResolveSender"},
		// Besu
		{ErrAlreadyKnown, "Known transaction"},
		{ErrNonceTooLow, "Nonce too low"},
		{ErrUnderpriced, "Gas price below configured minimum gas price"},
		{ErrInsufficientFunds, "Upfront cost exceeds account balance"},
		{ErrRefused, "Intrinsic gas exceeds gas limit"},
		{ErrRefused, "Wrong chain ID in transaction signature"},
		// Parity
		{ErrAlreadyKnown, "Transaction with the same hash was already imported."},
		{ErrNonceTooLow, "Transaction nonce is too low. Try incrementing the nonce."},
		{ErrUnderpriced, "Transaction gas price is too low. There is another transaction with same nonce in the queue."},
		{ErrInsufficientFunds, "Insufficient funds. The account you tried to send transaction from does not have enough funds."},
		// none of the above
		{ErrRefused, "unknown transaction type"},
		{ErrNode, ""},
	} {
		node, client := setup(t)
		node.fail("eth_sendRawTransaction", c.message)
		raw, id := signedTx(t, baseSepolia)
		got, err := client.Send(t.Context(), raw)
		if !errors.Is(err, c.want) || got != id {
			t.Errorf("%q: %v, want %v", c.message, err, c.want)
		}
		if Retryable(err) != again[c.want] {
			t.Errorf("%q: retryable %v", c.message, Retryable(err))
		}
		for other := range again {
			if other != c.want && errors.Is(err, other) {
				t.Errorf("%q is also %v", c.message, other)
			}
		}
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
	return fmt.Sprintf(`{"transactionHash":"%s","status":%s,"blockNumber":"0x10","blockHash":"%s","gasUsed":"0x5208","logs":[]}`,
		evm.Hex(id[:]), status, evm.Hex(bytes.Repeat([]byte{3}, 32)))
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
		node.lastQuestion(t, `eth_getTransactionReceipt["`+evm.Hex(id[:])+`"]`)
	}
}

func TestReceiptNotYetThere(t *testing.T) {
	_, id := signedTx(t, baseSepolia)
	for _, raw := range []string{`null`, `!{"code":-32000,"message":"transaction indexing is in progress"}`} {
		node, c := setup(t)
		node.answer("eth_getTransactionReceipt", raw)
		if got, err := c.Receipt(t.Context(), id); err != nil || got.Found {
			t.Errorf("%s: %+v %v", raw, got, err)
		}
		node.answer("eth_getTransactionByHash", raw)
		if known, err := c.TransactionKnown(t.Context(), id); err != nil || known {
			t.Errorf("%s: %v %v", raw, known, err)
		}
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
	node.answer("eth_getBlockByNumber", `{"number":"0x10","hash":"`+evm.Hex(hash)+`"}`)
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
	node.answer("eth_getTransactionByHash", `{"hash":"`+evm.Hex(id[:])+`","blockNumber":null}`)
	if known, err := c.TransactionKnown(t.Context(), id); err != nil || !known {
		t.Fatal(known, err)
	}
	node.answer("eth_getTransactionByHash", `{"hash":"`+evm.Hex(make([]byte, 32))+`"}`)
	if known, err := c.TransactionKnown(t.Context(), id); !errors.Is(err, ErrLyingNode) || known {
		t.Error(known, err)
	}
}
