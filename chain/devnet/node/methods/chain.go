package methods

import (
	"context"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"
)

func (o oracle) GetReceipts(_ context.Context, block common.Hash) (types.Receipts, error) {
	return o.Chain.GetReceiptsByHash(block), nil
}

// netMethods are of a node without peers, whose network has the number of its chain.
type netMethods struct{ version string }

// Version is net_version.
func (m *netMethods) Version() string { return m.version }

// Listening is net_listening.
func (m *netMethods) Listening() bool { return true }

// PeerCount is net_peerCount.
func (m *netMethods) PeerCount() hexutil.Uint { return 0 }

// chainMethods tell the chain and its blocks.
type chainMethods struct{ node Node }

// ChainId is eth_chainId.
//
//lint:ignore ST1003 go-ethereum's rpc makes the method of JSON-RPC of this very name
func (m *chainMethods) ChainId() *hexutil.Big { return (*hexutil.Big)(m.node.Chain.Config().ChainID) }

// BlockNumber is eth_blockNumber.
func (m *chainMethods) BlockNumber() hexutil.Uint64 {
	return hexutil.Uint64(m.node.Chain.CurrentBlock().Number.Uint64())
}

// Syncing is eth_syncing: there is nobody to synchronize with.
func (m *chainMethods) Syncing() bool { return false }

// Accounts is eth_accounts: the node signs for nobody.
func (m *chainMethods) Accounts() []common.Address { return []common.Address{} }

// GetBlockByNumber is eth_getBlockByNumber; null if there is none.
func (m *chainMethods) GetBlockByNumber(number rpc.BlockNumber, whole bool) (fields, error) {
	found, err := m.found(rpc.BlockNumberOrHashWithNumber(number), whole)
	if found != nil && number == rpc.PendingBlockNumber {
		found["hash"], found["nonce"], found["miner"] = nil, nil, nil // nobody has sealed it
	}
	return found, err
}

// GetBlockByHash is eth_getBlockByHash.
func (m *chainMethods) GetBlockByHash(hash common.Hash, whole bool) (fields, error) {
	return m.found(rpc.BlockNumberOrHashWithHash(hash, false), whole)
}

func (m *chainMethods) found(at rpc.BlockNumberOrHash, whole bool) (fields, error) {
	block, err := m.node.block(at)
	if block == nil || err != nil {
		return nil, err
	}
	return m.node.blockFields(block, whole)
}

// GetBlockTransactionCountByNumber is eth_getBlockTransactionCountByNumber.
func (m *chainMethods) GetBlockTransactionCountByNumber(number rpc.BlockNumber) (*hexutil.Uint, error) {
	return m.count(rpc.BlockNumberOrHashWithNumber(number))
}

// GetBlockTransactionCountByHash is eth_getBlockTransactionCountByHash.
func (m *chainMethods) GetBlockTransactionCountByHash(hash common.Hash) (*hexutil.Uint, error) {
	return m.count(rpc.BlockNumberOrHashWithHash(hash, false))
}

func (m *chainMethods) count(at rpc.BlockNumberOrHash) (*hexutil.Uint, error) {
	block, err := m.node.block(at)
	if block == nil || err != nil {
		return nil, err
	}
	n := hexutil.Uint(len(block.Transactions()))
	return &n, nil
}

// GetBlockReceipts is eth_getBlockReceipts.
func (m *chainMethods) GetBlockReceipts(at rpc.BlockNumberOrHash) ([]fields, error) {
	block, err := m.node.block(at)
	if block == nil || err != nil {
		return nil, err
	}
	receipts := m.node.Chain.GetReceiptsByHash(block.Hash())
	all := make([]fields, 0, len(receipts))
	for i, r := range receipts {
		one, err := m.node.receiptFields(block.Transactions()[i], r)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}
