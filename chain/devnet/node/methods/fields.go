package methods

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
)

// fields are a JSON object's.
type fields map[string]any

// fieldsOf are those that go-ethereum writes for a value, without the ones that are null.
func fieldsOf(v json.Marshaler) (fields, error) {
	raw, err := v.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("writing JSON: %w", err)
	}
	var read map[string]json.RawMessage
	if err := json.Unmarshal(raw, &read); err != nil {
		return nil, fmt.Errorf("writing JSON: %w", err)
	}
	all := make(fields, len(read))
	for name, value := range read {
		if !bytes.Equal(value, []byte("null")) {
			all[name] = value
		}
	}
	return all, nil
}

// blockFields are a block with the hashes of its transactions, or with the whole ones.
func (n Node) blockFields(b *types.Block, whole bool) (fields, error) {
	all, err := fieldsOf(b.Header())
	if err != nil {
		return nil, err
	}
	transactions := make([]any, 0, len(b.Transactions()))
	for i, tx := range b.Transactions() {
		if !whole {
			transactions = append(transactions, tx.Hash())
			continue
		}
		one, err := n.minedFields(b, i)
		if err != nil {
			return nil, err
		}
		transactions = append(transactions, one)
	}
	all["size"], all["transactions"] = hexutil.Uint64(b.Size()), transactions
	all["uncles"], all["withdrawals"] = []common.Hash{}, b.Withdrawals()
	return all, nil
}

// minedFields are a block's i-th transaction, with the price that it paid.
func (n Node) minedFields(b *types.Block, i int) (fields, error) {
	tx := b.Transactions()[i]
	all, err := n.txFields(tx)
	if err != nil {
		return nil, err
	}
	all["blockHash"], all["blockNumber"] = b.Hash(), (*hexutil.Big)(b.Number())
	all["blockTimestamp"], all["transactionIndex"] = hexutil.Uint64(b.Time()), hexutil.Uint64(i)
	price := new(big.Int).Add(tx.GasTipCap(), b.BaseFee())
	if price.Cmp(tx.GasFeeCap()) > 0 {
		price = tx.GasFeeCap()
	}
	all["gasPrice"] = (*hexutil.Big)(price)
	return all, nil
}

// txFields are a transaction that waits.
func (n Node) txFields(tx *types.Transaction) (fields, error) {
	all, err := fieldsOf(tx)
	if err != nil {
		return nil, err
	}
	from, err := types.Sender(types.LatestSigner(n.Chain.Config()), tx)
	if err != nil {
		return nil, fmt.Errorf("finding the sender: %w", err)
	}
	all["from"], all["to"], all["gasPrice"] = from, tx.To(), (*hexutil.Big)(tx.GasPrice())
	for _, name := range []string{"blockHash", "blockNumber", "blockTimestamp", "transactionIndex"} {
		all[name] = nil
	}
	return all, nil
}

// receiptFields are what became of a transaction.
func (n Node) receiptFields(tx *types.Transaction, r *types.Receipt) (fields, error) {
	all, err := fieldsOf(r)
	if err != nil {
		return nil, err
	}
	from, err := types.Sender(types.LatestSigner(n.Chain.Config()), tx)
	if err != nil {
		return nil, fmt.Errorf("finding the sender: %w", err)
	}
	all["from"], all["to"], all["type"] = from, tx.To(), hexutil.Uint(tx.Type())
	delete(all, "root") // of blocks before the year 2017
	if r.ContractAddress == (common.Address{}) {
		all["contractAddress"] = nil
	}
	if r.Logs == nil {
		all["logs"] = []*types.Log{}
	}
	if tx.Type() != types.BlobTxType {
		delete(all, "blobGasPrice")
	}
	return all, nil
}
