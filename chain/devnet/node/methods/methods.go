// Package methods answers what tools ask a public Ethereum node by JSON-RPC: the namespaces eth, net and txpool. Chain,
// pool, block builder, EVM and the server of JSON-RPC are go-ethereum's. go-ethereum's own methods are not, since they
// come only with the whole node: peers, synchronization and both of its other databases, which nobody uses here and
// which take as long to compile as all the rest of the sandbox's chain.
package methods

import (
	"context"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth/gasprice"
	"github.com/ethereum/go-ethereum/event"
	"github.com/ethereum/go-ethereum/miner"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"
)

// Node is a chain that answers.
type Node struct {
	Chain   *core.BlockChain
	Pool    *txpool.TxPool
	Builder *miner.Miner // makes the block "pending"
}

// Register has the server answer.
func (n Node) Register(server *rpc.Server) error {
	fees := &feeMethods{n, gasprice.NewOracle(oracle{n}, prices, gasprice.DefaultIgnorePrice)}
	for _, s := range []struct {
		namespace string
		methods   any
	}{
		{"eth", &chainMethods{n}},
		{"eth", &stateMethods{n}},
		{"eth", &callMethods{n}},
		{"eth", &transactionMethods{n}},
		{"eth", fees},
		{"eth", &logMethods{node: n, filters: make(map[rpc.ID]*filter)}},
		{"txpool", &poolMethods{n}},
		{"net", &netMethods{n.Chain.Config().ChainID.String()}},
	} {
		if err := server.RegisterName(s.namespace, s.methods); err != nil {
			return fmt.Errorf("registering the methods of %s: %w", s.namespace, err)
		}
	}
	return nil
}

var (
	errNoBlock   = errors.New("header not found")
	errNoPending = errors.New("pending block is not available")
	errNoFinal   = errors.New("finalized block not found")
	errNoSafe    = errors.New("safe block not found")
	errReplaced  = errors.New("hash is not currently canonical")
)

// header finds a block by number or tag; nil if there is none of the number.
func (n Node) header(number rpc.BlockNumber) (*types.Header, error) {
	switch number {
	case rpc.PendingBlockNumber:
		block, _, _ := n.Builder.Pending()
		if block == nil {
			return nil, errNoPending
		}
		return block.Header(), nil
	case rpc.LatestBlockNumber:
		return n.Chain.CurrentBlock(), nil
	case rpc.FinalizedBlockNumber:
		return tagged(n.Chain.CurrentFinalBlock(), errNoFinal)
	case rpc.SafeBlockNumber:
		return tagged(n.Chain.CurrentSafeBlock(), errNoSafe)
	case rpc.EarliestBlockNumber:
		number = 0
	}
	return n.Chain.GetHeaderByNumber(uint64(number)), nil
}

func tagged(h *types.Header, otherwise error) (*types.Header, error) {
	if h == nil {
		return nil, otherwise
	}
	return h, nil
}

// block finds a block by number, tag or hash; nil if there is none.
func (n Node) block(at rpc.BlockNumberOrHash) (*types.Block, error) {
	if hash, ok := at.Hash(); ok {
		block := n.Chain.GetBlockByHash(hash)
		if block != nil && at.RequireCanonical && n.Chain.GetCanonicalHash(block.NumberU64()) != hash {
			return nil, errReplaced
		}
		return block, nil
	}
	number, _ := at.Number()
	if number == rpc.PendingBlockNumber {
		block, _, _ := n.Builder.Pending()
		if block == nil {
			return nil, errNoPending
		}
		return block, nil
	}
	header, err := n.header(number)
	if header == nil || err != nil {
		return nil, err
	}
	return n.Chain.GetBlock(header.Hash(), header.Number.Uint64()), nil
}

// latest is the newest block where a caller names none.
func latest(at *rpc.BlockNumberOrHash) rpc.BlockNumberOrHash {
	if at == nil {
		return rpc.BlockNumberOrHashWithNumber(rpc.LatestBlockNumber)
	}
	return *at
}

// state is what everybody has after a block. The copy is the caller's own.
func (n Node) state(at *rpc.BlockNumberOrHash) (*state.StateDB, *types.Header, error) {
	where := latest(at)
	if number, ok := where.Number(); ok && number == rpc.PendingBlockNumber {
		block, _, after := n.Builder.Pending()
		if block == nil || after == nil {
			return nil, nil, errNoPending
		}
		return after, block.Header(), nil
	}
	block, err := n.block(where)
	if err != nil {
		return nil, nil, err
	}
	if block == nil {
		return nil, nil, errNoBlock
	}
	after, err := n.Chain.StateAt(block.Root(), block.Number(), block.Time())
	return after, block.Header(), err
}

// oracle is what go-ethereum's estimate of fees asks.
type oracle struct{ Node }

// prices are the terms of a full node: the tips of the last 20 blocks, the 60th of a hundred of them.
var prices = gasprice.Config{
	Blocks: 20, Percentile: 60, MaxHeaderHistory: 1024, MaxBlockHistory: 1024,
	MaxPrice: gasprice.DefaultMaxPrice, IgnorePrice: gasprice.DefaultIgnorePrice,
}

func (o oracle) HeaderByNumber(_ context.Context, number rpc.BlockNumber) (*types.Header, error) {
	return o.header(number)
}

func (o oracle) BlockByNumber(_ context.Context, number rpc.BlockNumber) (*types.Block, error) {
	return o.block(rpc.BlockNumberOrHashWithNumber(number))
}

func (o oracle) Pending() (*types.Block, types.Receipts, *state.StateDB) { return o.Builder.Pending() }

func (o oracle) ChainConfig() *params.ChainConfig { return o.Chain.Config() }

func (o oracle) SubscribeChainHeadEvent(ch chan<- core.ChainHeadEvent) event.Subscription {
	return o.Chain.SubscribeChainHeadEvent(ch)
}
