package node

import (
	"context"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
)

// maxMine bounds one call of dev_mine, which takes about a second per block.
const maxMine = 1000

// controlAPI is the namespace dev: what a real chain would not let anybody do.
type controlAPI struct {
	miner  *miner
	faucet *faucet
}

// Faucet is dev_faucet: amount, in decimal text, of "native" or of a listed token. The same call with the same name in
// once gives nothing more, and answers the first one's transaction.
func (a *controlAPI) Faucet(
	ctx context.Context, to common.Address, asset, amount string, once *string,
) (common.Hash, error) {
	name := ""
	if once != nil {
		name = *once
	}
	return a.faucet.send(ctx, to, asset, amount, name)
}

// Mine is dev_mine. The blocks are empty unless transactions wait.
func (a *controlAPI) Mine(ctx context.Context, n uint64) error {
	if n < 1 || n > maxMine {
		return errCount
	}
	return a.miner.mine(ctx, int(n))
}

// Reorg is dev_reorg: another branch in place of the last depth blocks. With
// drop the transactions of the old one are forgotten.
func (a *controlAPI) Reorg(_ context.Context, depth uint64, drop *bool) error {
	return a.miner.reorg(depth, drop != nil && *drop)
}

// SetAutomine is dev_setAutomine. While it is off, dev_mine is what mines.
func (a *controlAPI) SetAutomine(_ context.Context, on bool) error {
	a.miner.setAuto(on)
	return nil
}

// web3API is the namespace web3, which geth ties to its own server.
type web3API struct{ version string }

// ClientVersion is web3_clientVersion.
func (a *web3API) ClientVersion() string { return a.version }

// Sha3 is web3_sha3.
func (a *web3API) Sha3(input hexutil.Bytes) hexutil.Bytes { return crypto.Keccak256(input) }
