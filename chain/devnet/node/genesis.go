package node

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/devnet/contracts"
)

const blockGas = 30_000_000

// faucetWei is more than anybody can ask for, and far from what overflows.
var faucetWei = new(big.Int).Lsh(big.NewInt(1), 200)

var errBadToken = errors.New("a listed token has no EVM address")

// genesis is the first block of a network's chain: the faucet's money and the
// listed tokens. It is the same at every start; a changed one fits no old data.
func genesis(network chain.Network) (*core.Genesis, error) {
	faucet := faucetAddress()
	g := core.DeveloperGenesisBlock(blockGas, &faucet)
	g.Config = chainConfig(network.ChainID)
	g.Alloc[faucet] = types.Account{Balance: faucetWei}
	contract, err := contracts.Token()
	if err != nil {
		return nil, err
	}
	for _, token := range network.Tokens {
		if !common.IsHexAddress(token.Address) {
			return nil, fmt.Errorf("%s on %s: %w", token.Symbol, network.Slug, errBadToken)
		}
		slots, err := tokenStorage(contract, token, faucet)
		if err != nil {
			return nil, fmt.Errorf("%s on %s: %w", token.Symbol, network.Slug, err)
		}
		g.Alloc[common.HexToAddress(token.Address)] = types.Account{
			Nonce: 1, Balance: new(big.Int), Code: contract.Runtime, Storage: slots,
		}
	}
	return g, nil
}

// chainConfig has every fork up to Osaka from the first block on: it brings the
// P-256 precompile, with which contracts check passkeys.
func chainConfig(id uint64) *params.ChainConfig {
	c := *params.AllDevChainProtocolChanges
	c.ChainID = new(big.Int).SetUint64(id)
	c.OsakaTime = new(uint64)
	c.BPO1Time, c.BPO2Time, c.BPO3Time, c.BPO4Time, c.BPO5Time = nil, nil, nil, nil, nil
	c.BogotaTime, c.AmsterdamTime, c.UBTTime = nil, nil, nil
	return &c
}

func tokenStorage(contract *contracts.Contract, token chain.Token, minter common.Address) (map[common.Hash]common.Hash, error) {
	slots := contracts.Slots{}
	err := errors.Join(
		contract.SetText(slots, "name", cmp.Or(token.DomainName, token.Symbol)),
		contract.SetText(slots, "symbol", token.Symbol),
		contract.SetText(slots, "version", cmp.Or(token.DomainVersion, "1")),
		contract.SetNumber(slots, "decimals", big.NewInt(int64(token.Decimals))),
		contract.SetNumber(slots, "minter", minter.Big()),
	)
	storage := make(map[common.Hash]common.Hash, len(slots))
	for key, value := range slots {
		storage[key] = value
	}
	return storage, err
}
