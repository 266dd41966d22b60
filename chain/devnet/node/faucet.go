package node

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"math/big"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"

	"github.com/railkit/railkit/chain"
)

// FaucetKey is the faucet's private key: number 9 of the accounts that anvil and
// hardhat have by default, of the mnemonic "test test test test test test test
// test test test test junk". Everybody knows it. It holds sandbox money only.
const FaucetKey = "2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6"

const (
	faucetGas = 200_000 // enough to mint, and to pay a contract that does something with it
	pollEvery = 5 * time.Millisecond
)

var (
	errReverted     = errors.New("the faucet's transaction was mined but failed")
	errUnknownAsset = paramError("asset must be native or the symbol of a listed token")
	errWrapped      = paramError("asset must not be a wrapped coin, which nobody can mint: ask for native")
	errZeroAddress  = paramError("address must not be zero")
)

// faucet gives away native coin, and mints the listed tokens.
type faucet struct {
	backend *backend
	miner   *miner
	network chain.Network
	key     *ecdsa.PrivateKey
	token   abi.ABI

	mu    sync.Mutex // from reading the nonce until the pool counts the transaction
	given gifts
}

// mostGifts are the named gifts that are remembered, until the process ends.
const mostGifts = 10_000

// gifts are the transactions of gifts that have a name. The oldest is forgotten first.
type gifts struct {
	hashes map[string]common.Hash
	names  []string
}

func (g *gifts) remember(name string, hash common.Hash) {
	if g.hashes == nil {
		g.hashes = map[string]common.Hash{}
	}
	if g.hashes[name] == (common.Hash{}) {
		g.names = append(g.names, name)
	}
	g.hashes[name] = hash
	if len(g.names) > mostGifts {
		delete(g.hashes, g.names[0])
		g.names = g.names[1:]
	}
}

func faucetKey() *ecdsa.PrivateKey {
	key, err := crypto.HexToECDSA(FaucetKey)
	if err != nil {
		panic(err) // a constant
	}
	return key
}

func faucetAddress() common.Address { return crypto.PubkeyToAddress(faucetKey().PublicKey) }

// send gives amount of the asset and returns once that is mined. A gift of the same name is given once, unless a reorg
// has dropped it.
func (f *faucet) send(ctx context.Context, to common.Address, asset, amount, name string) (common.Hash, error) {
	if to == (common.Address{}) {
		return common.Hash{}, errZeroAddress
	}
	tx, err := f.transaction(to, asset, amount)
	if err != nil {
		return common.Hash{}, err
	}
	hash, err := f.submit(tx, name)
	if err != nil {
		return common.Hash{}, err
	}
	return hash, f.wait(ctx, hash)
}

func (f *faucet) transaction(to common.Address, asset, amount string) (*types.DynamicFeeTx, error) {
	if asset == "native" {
		value, err := parseAmount(amount, f.network.Native.Decimals)
		return &types.DynamicFeeTx{To: &to, Value: value}, err
	}
	token, ok := f.network.TokenBySymbol(asset)
	if !ok {
		return nil, errUnknownAsset
	}
	if token.Wraps != "" {
		return nil, errWrapped
	}
	units, err := parseAmount(amount, token.Decimals)
	if err != nil {
		return nil, err
	}
	data, err := f.token.Pack("mint", to, units)
	if err != nil {
		return nil, fmt.Errorf("encoding mint: %w", err)
	}
	contract := common.HexToAddress(token.Address)
	return &types.DynamicFeeTx{To: &contract, Value: new(big.Int), Data: data}, nil
}

func (f *faucet) submit(tx *types.DynamicFeeTx, name string) (common.Hash, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if hash, ok := f.given.hashes[name]; ok && f.knows(hash) {
		return hash, nil
	}
	config := f.backend.BlockChain().Config()
	head := f.backend.BlockChain().CurrentBlock()
	tx.ChainID = config.ChainID
	tx.Nonce = f.nextNonce()
	tx.Gas = faucetGas
	tx.GasTipCap = big.NewInt(params.GWei)
	// Ten times the base fee: it may rise while the transaction waits for its block.
	tx.GasFeeCap = new(big.Int).Add(tx.GasTipCap, new(big.Int).Mul(head.BaseFee, big.NewInt(10)))
	signed, err := types.SignNewTx(f.key, types.LatestSigner(config), tx)
	if err != nil {
		return common.Hash{}, fmt.Errorf("signing the faucet's transaction: %w", err)
	}
	if err := f.backend.TxPool().Add([]*types.Transaction{signed}, true)[0]; err != nil {
		return common.Hash{}, fmt.Errorf("sending the faucet's transaction: %w", err)
	}
	if name != "" {
		f.given.remember(name, signed.Hash())
	}
	return signed.Hash(), nil
}

// knows says whether a transaction is in the chain, or waits.
func (f *faucet) knows(hash common.Hash) bool {
	at, _ := f.backend.BlockChain().GetCanonicalTransaction(hash)
	return at != nil || f.backend.TxPool().Has(hash)
}

// nextNonce is the lowest that no transaction has, mined or waiting. The pool's
// own answer overlooks one that it has taken but not yet found executable. What
// waits is read first: a transaction mined in between is then seen in both.
func (f *faucet) nextNonce() uint64 {
	pool := f.backend.TxPool()
	pending, queued := pool.ContentFrom(faucetAddress())
	nonce := pool.Nonce(faucetAddress())
	taken := make(map[uint64]bool)
	for _, tx := range append(pending, queued...) {
		taken[tx.Nonce()] = true
	}
	for taken[nonce] {
		nonce++
	}
	return nonce
}

// wait returns once the block with the transaction is the chain's head or below
// and the pool knows it, so that the one who asks for a balance sees the money,
// and the one who spends it at once is not refused.
func (f *faucet) wait(ctx context.Context, hash common.Hash) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	chain := f.backend.BlockChain()
	for {
		at, _ := chain.GetCanonicalTransaction(hash)
		if at != nil && chain.CurrentBlock().Number.Uint64() >= at.BlockIndex {
			if err := f.miner.syncPool(); err != nil {
				return err
			}
			return f.outcome(at.BlockHash, at.Index)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for the faucet's transaction: %w", ctx.Err())
		case <-tick.C:
		}
	}
}

func (f *faucet) outcome(block common.Hash, index uint64) error {
	receipts := f.backend.BlockChain().GetReceiptsByHash(block)
	if index >= uint64(len(receipts)) || receipts[index].Status != types.ReceiptStatusSuccessful {
		return errReverted
	}
	return nil
}
