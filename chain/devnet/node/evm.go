// Package node is the sandbox's blockchain: for each EVM network a full
// go-ethereum node that mines when there is a transaction, in one process and
// behind one listener. Only cmd/railkit-devnet links it; everybody else talks to
// the process, and uses package devnet for the controls.
package node

import (
	"bytes"
	"fmt"
	"net/http"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/eth/catalyst"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/eth/filters"
	gethnode "github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/devnet/contracts"
)

// evm is one running chain.
type evm struct {
	stack *gethnode.Node
	miner *miner
	rpc   *rpc.Server
}

// start opens the chain of a network in its folder, and makes it if it is new.
func start(dir string, network chain.Network, lead time.Duration) (*evm, error) {
	first, err := genesis(network)
	if err != nil {
		return nil, err
	}
	key, err := crypto.GenerateKey()
	if err != nil {
		return nil, fmt.Errorf("making the node's key: %w", err)
	}
	stack, err := gethnode.New(stackConfig(dir, key))
	if err != nil {
		return nil, fmt.Errorf("making the node: %w", err)
	}
	running, err := assemble(stack, ethConfig(first), network, lead)
	if err != nil {
		stack.Close()
		return nil, err
	}
	return running, nil
}

func assemble(stack *gethnode.Node, config *ethconfig.Config, network chain.Network, lead time.Duration) (*evm, error) {
	if err := markIndexed(stack, config); err != nil {
		return nil, err
	}
	backend, err := eth.New(stack, config)
	if err != nil {
		return nil, fmt.Errorf("making the chain: %w", err)
	}
	beacon, err := catalyst.NewSimulatedBeacon(0, common.Address{}, backend)
	if err != nil {
		return nil, fmt.Errorf("making the beacon: %w", err)
	}
	stack.RegisterLifecycle(beacon)
	if err := stack.Start(); err != nil {
		return nil, fmt.Errorf("starting the node: %w", err)
	}
	miner := newMiner(backend, beacon, lead)
	server, err := newRPC(stack, backend, config, network, miner)
	if err != nil {
		return nil, err
	}
	miner.start()
	return &evm{stack: stack, miner: miner, rpc: server}, nil
}

// newRPC serves what tools expect of a public node, and the controls. The node's
// own server would also offer admin, debug and miner.
func newRPC(
	stack *gethnode.Node, backend *eth.Ethereum, config *ethconfig.Config, network chain.Network, miner *miner,
) (*rpc.Server, error) {
	token, err := tokenABI()
	if err != nil {
		return nil, err
	}
	control := &controlAPI{miner: miner, faucet: &faucet{
		backend: backend, miner: miner, network: network, key: faucetKey(), token: token,
	}}
	logs := filters.NewFilterSystem(backend.APIBackend, filters.Config{
		LogCacheSize: config.FilterLogCacheSize, LogQueryLimit: config.LogQueryLimit,
	})
	apis := append(backend.APIs(),
		rpc.API{Namespace: "eth", Service: filters.NewFilterAPI(logs)},
		rpc.API{Namespace: "web3", Service: &web3API{version: stack.Server().Name}},
		rpc.API{Namespace: "dev", Service: control},
	)
	server := rpc.NewServer()
	server.SetBatchLimits(gethnode.DefaultConfig.BatchRequestLimit, gethnode.DefaultConfig.BatchResponseMaxSize)
	server.SetHTTPBodyLimit(gethnode.DefaultConfig.HTTPBodyLimit)
	if err := gethnode.RegisterApis(apis, []string{"eth", "net", "web3", "txpool", "dev"}, server); err != nil {
		return nil, fmt.Errorf("registering the JSON-RPC methods: %w", err)
	}
	return server, nil
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

// close ends the chain cleanly.
func (e *evm) close() error {
	e.rpc.Stop()
	e.miner.stop()
	return e.stack.Close()
}
