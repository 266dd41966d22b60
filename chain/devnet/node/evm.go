// Package node is the sandbox's blockchain: for each EVM network a chain of
// go-ethereum that mines when there is a transaction, in one process and
// behind one listener. Only cmd/railkit-devnet links it; everybody else talks to
// the process, and uses package devnet for the controls.
package node

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/ethdb"
	builder "github.com/ethereum/go-ethereum/miner"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/devnet"
	"github.com/railkit/railkit/chain/devnet/contracts"
	"github.com/railkit/railkit/chain/devnet/node/methods"
)

// Of the server of JSON-RPC, as go-ethereum's node has them.
const (
	maxBatch  = 1000
	maxAnswer = 25_000_000
	maxBody   = 5 << 20
)

// backend is a chain, and what stands around it.
type backend struct {
	db    ethdb.Database
	chain *core.BlockChain
	pool  *txpool.TxPool
}

// BlockChain and TxPool are what go-ethereum's builder of blocks asks for.
func (b *backend) BlockChain() *core.BlockChain { return b.chain }

// TxPool is the pool.
func (b *backend) TxPool() *txpool.TxPool { return b.pool }

// close ends what was opened.
func (b *backend) close() error {
	var err error
	if b.pool != nil {
		err = b.pool.Close()
	}
	if b.chain != nil {
		b.chain.Stop()
	}
	return errors.Join(err, b.db.Close())
}

// evm is one running chain.
type evm struct {
	*backend
	miner *miner
	rpc   *rpc.Server
}

// start opens the chain of a network in its folder, and makes it if it is new.
func start(dir string, network chain.Network, lead time.Duration) (*evm, error) {
	first, err := genesis(network)
	if err != nil {
		return nil, err
	}
	db, err := openDatabase(dir)
	if err != nil {
		return nil, err
	}
	b := &backend{db: db}
	running, err := b.run(dir, first, network, lead)
	if err != nil {
		return nil, errors.Join(err, b.close())
	}
	return running, nil
}

func (b *backend) run(dir string, first *core.Genesis, network chain.Network, lead time.Duration) (*evm, error) {
	var err error
	if b.chain, err = openChain(b.db, first); err != nil {
		return nil, err
	}
	if b.pool, err = openPool(b.chain); err != nil {
		return nil, err
	}
	blocks := builder.New(b, builderConfig(first), b.chain.Engine())
	miner := newMiner(b, blocks, lead)
	server, err := newRPC(b, blocks, network, miner)
	if err != nil {
		return nil, err
	}
	miner.start()
	return &evm{b, miner, server}, nil
}

// newRPC serves what tools expect of a public node, and the controls.
func newRPC(b *backend, blocks *builder.Miner, network chain.Network, miner *miner) (*rpc.Server, error) {
	token, err := tokenABI()
	if err != nil {
		return nil, err
	}
	server := rpc.NewServer()
	server.SetBatchLimits(maxBatch, maxAnswer)
	server.SetHTTPBodyLimit(maxBody)
	if err := (methods.Node{Chain: b.chain, Pool: b.pool, Builder: blocks}).Register(server); err != nil {
		return nil, err
	}
	control := &controlAPI{miner: miner, faucet: &faucet{
		backend: b, miner: miner, network: network, key: faucetKey(), token: token,
	}}
	version := devnet.Program + "/" + runtime.GOOS + "-" + runtime.GOARCH + "/" + runtime.Version()
	err = errors.Join(server.RegisterName("dev", control), server.RegisterName("web3", &web3API{version}))
	return server, err
}

func tokenABI() (abi.ABI, error) {
	contract, err := contracts.Token()
	if err != nil {
		return abi.ABI{}, err
	}
	parsed, err := abi.JSON(bytes.NewReader(contract.ABI))
	if err != nil {
		return abi.ABI{}, fmt.Errorf("reading the token's ABI: %w", err)
	}
	return parsed, nil
}

// ServeHTTP answers JSON-RPC.
func (e *evm) ServeHTTP(w http.ResponseWriter, r *http.Request) { e.rpc.ServeHTTP(w, r) }

// stop ends the chain cleanly.
func (e *evm) stop() error {
	e.rpc.Stop()
	e.miner.stop()
	return e.close()
}
