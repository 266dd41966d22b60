package methods

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"
)

// transactionMethods take transactions and find them again.
type transactionMethods struct{ node Node }

var errUnprotected = errors.New("only replay-protected (EIP-155) transactions allowed over RPC")

// SendRawTransaction is eth_sendRawTransaction. It refuses what public nodes refuse before they look at the chain: a
// transaction that fits any chain, and one that would pay more than a whole coin for its gas.
func (m *transactionMethods) SendRawTransaction(raw hexutil.Bytes) (common.Hash, error) {
	tx := new(types.Transaction)
	if err := tx.UnmarshalBinary(raw); err != nil {
		return common.Hash{}, err
	}
	fee := new(big.Int).Mul(tx.GasPrice(), new(big.Int).SetUint64(tx.Gas()))
	if fee.Cmp(big.NewInt(params.Ether)) > 0 {
		coins, _ := new(big.Rat).SetFrac(fee, big.NewInt(params.Ether)).Float64()
		return common.Hash{}, fmt.Errorf("tx fee (%.2f ether) exceeds the configured cap (1.00 ether)", coins)
	}
	if !tx.Protected() {
		return common.Hash{}, errUnprotected
	}
	if err := m.node.Pool.Add([]*types.Transaction{tx}, false)[0]; err != nil {
		return common.Hash{}, err
	}
	return tx.Hash(), nil
}

// How long eth_sendRawTransactionSync waits: where the caller does not say, and at most.
const (
	usualWait = 20 * time.Second
	maxWait   = time.Minute
)

// SendRawTransactionSync is eth_sendRawTransactionSync (EIP-7966): it sends, and answers with the receipt.
func (m *transactionMethods) SendRawTransactionSync(
	ctx context.Context, raw hexutil.Bytes, milliseconds *uint64,
) (fields, error) {
	wait := usualWait
	if milliseconds != nil && *milliseconds > 0 {
		wait = time.Duration(min(*milliseconds, uint64(maxWait.Milliseconds()))) * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	heads := make(chan core.ChainHeadEvent, 16)
	defer m.node.Chain.SubscribeChainHeadEvent(heads).Unsubscribe()
	hash, err := m.SendRawTransaction(raw)
	for err == nil {
		if receipt, err := m.GetTransactionReceipt(hash); receipt != nil || err != nil {
			return receipt, err
		}
		select {
		case <-heads:
		case <-ctx.Done():
			err = lateError(hash)
		}
	}
	return nil, err
}

// lateError is the hash of a transaction that was taken, and not mined in time.
type lateError common.Hash

func (e lateError) Error() string {
	return "the transaction was added to the transaction pool but wasn't processed in time"
}

// ErrorCode is EIP-7966's.
func (lateError) ErrorCode() int { return 4 }

// ErrorData is by what it is found later.
func (e lateError) ErrorData() any { return common.Hash(e).Hex() }

// mined finds a transaction of the chain; nil if there is none. The chain indexes what a block holds a moment before
// the block is its head: who was given a receipt then and read a balance at "latest" would see the one from before.
func (m *transactionMethods) mined(hash common.Hash) (*types.Transaction, *rawdb.LegacyTxLookupEntry, error) {
	at, tx := m.node.Chain.GetCanonicalTransaction(hash)
	if tx == nil && !m.node.Chain.TxIndexDone() {
		return nil, nil, errIndexing{}
	}
	if tx != nil && at.BlockIndex > m.node.Chain.CurrentBlock().Number.Uint64() {
		return nil, nil, nil
	}
	return tx, at, nil
}

// errIndexing is in the words of go-ethereum, by which tools know that they have to ask again.
type errIndexing struct{}

func (errIndexing) Error() string { return "transaction indexing is in progress" }

// ErrorCode is go-ethereum's.
func (errIndexing) ErrorCode() int { return -32000 }

// GetTransactionByHash is eth_getTransactionByHash; null if nobody knows it.
func (m *transactionMethods) GetTransactionByHash(hash common.Hash) (fields, error) {
	tx, at, err := m.mined(hash)
	if tx == nil {
		if waiting := m.node.Pool.Get(hash); waiting != nil {
			return m.node.txFields(waiting)
		}
		return nil, err
	}
	return m.indexed(rpc.BlockNumberOrHashWithHash(at.BlockHash, false), at.Index)
}

// GetTransactionByBlockNumberAndIndex is eth_getTransactionByBlockNumberAndIndex.
func (m *transactionMethods) GetTransactionByBlockNumberAndIndex(
	number rpc.BlockNumber, index hexutil.Uint64,
) (fields, error) {
	return m.indexed(rpc.BlockNumberOrHashWithNumber(number), uint64(index))
}

// GetTransactionByBlockHashAndIndex is eth_getTransactionByBlockHashAndIndex.
func (m *transactionMethods) GetTransactionByBlockHashAndIndex(
	hash common.Hash, index hexutil.Uint64,
) (fields, error) {
	return m.indexed(rpc.BlockNumberOrHashWithHash(hash, false), uint64(index))
}

func (m *transactionMethods) indexed(at rpc.BlockNumberOrHash, index uint64) (fields, error) {
	block, err := m.node.block(at)
	if err != nil || block == nil || index >= uint64(len(block.Transactions())) {
		return nil, err
	}
	return m.node.minedFields(block, int(index))
}

// GetRawTransactionByHash is eth_getRawTransactionByHash.
func (m *transactionMethods) GetRawTransactionByHash(hash common.Hash) (hexutil.Bytes, error) {
	tx, _, err := m.mined(hash)
	if tx == nil {
		if tx = m.node.Pool.Get(hash); tx == nil {
			return nil, err
		}
	}
	return tx.MarshalBinary()
}

// GetTransactionReceipt is eth_getTransactionReceipt; null unless it is mined.
func (m *transactionMethods) GetTransactionReceipt(hash common.Hash) (fields, error) {
	tx, at, err := m.mined(hash)
	if tx == nil {
		return nil, err
	}
	r, err := m.node.Chain.GetCanonicalReceipt(tx, at.BlockHash, at.BlockIndex, at.Index)
	if err != nil {
		return nil, err
	}
	return m.node.receiptFields(tx, r)
}

// poolMethods tell what waits.
type poolMethods struct{ node Node }

// Status is txpool_status.
func (m *poolMethods) Status() map[string]hexutil.Uint {
	pending, queued := m.node.Pool.Stats()
	return map[string]hexutil.Uint{"pending": hexutil.Uint(pending), "queued": hexutil.Uint(queued)}
}

// Content is txpool_content: by sender, by nonce.
func (m *poolMethods) Content() (map[string]map[string]map[string]fields, error) {
	pending, queued := m.node.Pool.Content()
	all := map[string]map[string]map[string]fields{"pending": {}, "queued": {}}
	for state, senders := range map[string]map[common.Address][]*types.Transaction{
		"pending": pending, "queued": queued,
	} {
		for sender, txs := range senders {
			one, err := m.byNonce(txs)
			if err != nil {
				return nil, err
			}
			all[state][sender.Hex()] = one
		}
	}
	return all, nil
}

// ContentFrom is txpool_contentFrom.
func (m *poolMethods) ContentFrom(sender common.Address) (map[string]map[string]fields, error) {
	pending, queued := m.node.Pool.ContentFrom(sender)
	runs, err := m.byNonce(pending)
	if err != nil {
		return nil, err
	}
	waits, err := m.byNonce(queued)
	return map[string]map[string]fields{"pending": runs, "queued": waits}, err
}

func (m *poolMethods) byNonce(txs []*types.Transaction) (map[string]fields, error) {
	all := make(map[string]fields, len(txs))
	for _, tx := range txs {
		one, err := m.node.txFields(tx)
		if err != nil {
			return nil, err
		}
		all[fmt.Sprint(tx.Nonce())] = one
	}
	return all, nil
}
