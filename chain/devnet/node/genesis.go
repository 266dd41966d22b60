package node

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb/leveldb"
	"github.com/ethereum/go-ethereum/params"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/devnet/contracts"
	"github.com/railkit/railkit/chain/evm/signed"
)

const blockGas = 30_000_000

// faucetWei is more than anybody can ask for, and far from what overflows.
var faucetWei = new(big.Int).Lsh(big.NewInt(1), 200)

var (
	// gasPriceOracle is where every OP-stack chain has its GasPriceOracle.
	gasPriceOracle = common.HexToAddress("0x420000000000000000000000000000000000000F")
	// These two are there on every chain.
	permit2    = common.HexToAddress("0x000000000022D473030F116dDEE9F6B43aC78BA3")
	multicall3 = common.HexToAddress("0xcA11bde05977b3631167028862bE2a173976CA11")
)

var (
	errBadToken     = errors.New("a listed token has no EVM address")
	errOtherGenesis = errors.New("the data was made with another genesis block (tokens or contracts changed): " +
		"remove the data folder, of railkit dev all of --data")
)

// genesis is the first block of a network's chain: the faucet's money, the listed
// tokens, an exchange with pools of them, a lending pool, the contracts that are at one address on every chain, and the
// GasPriceOracle where the network takes data fees. It is the same at every start; a changed one fits no old data.
func genesis(network chain.Network) (*core.Genesis, error) {
	faucet := faucetAddress()
	g := core.DeveloperGenesisBlock(blockGas, &faucet)
	g.Config = chainConfig(network.ChainID)
	g.Alloc[faucet] = types.Account{Balance: faucetWei}
	if err := placeTokens(g.Alloc, network, faucet); err != nil {
		return nil, err
	}
	if err := placeLending(g.Alloc, network); err != nil {
		return nil, err
	}
	return g, placeContracts(g.Alloc, network)
}

func placeContracts(alloc types.GenesisAlloc, network chain.Network) error {
	all := map[common.Address]func() (*contracts.Contract, error){
		permit2: contracts.Permit2, multicall3: contracts.Multicall3,
		common.Address(signed.ExactProxy()): contracts.ExactProxy,
		common.Address(signed.UptoProxy()):  contracts.UptoProxy,
	}
	if network.DataFee {
		all[gasPriceOracle] = contracts.GasPriceOracle
	}
	for at, load := range all {
		contract, err := load()
		if err != nil {
			return err
		}
		alloc[at] = types.Account{Nonce: 1, Balance: new(big.Int), Code: contract.Runtime}
	}
	return nil
}

// placeTokens puts the listed tokens there, with what the pools have of each, and the exchange with its pools.
func placeTokens(alloc types.GenesisAlloc, network chain.Network, minter common.Address) error {
	var all []pool
	market, ok := v2Market(network)
	if ok {
		var err error
		if all, err = pools(network); err != nil {
			return err
		}
		if err := placeMarket(alloc, network, market, all); err != nil {
			return err
		}
	}
	for _, token := range network.Tokens {
		if !common.IsHexAddress(token.Address) {
			return fmt.Errorf("%s on %s: %w", token.Symbol, network.Slug, errBadToken)
		}
		if err := placeToken(alloc, token, minter, held(all, token)); err != nil {
			return fmt.Errorf("%s on %s: %w", token.Symbol, network.Slug, err)
		}
	}
	return nil
}

func placeToken(
	alloc types.GenesisAlloc, token chain.Token, minter common.Address, balances map[common.Address]*big.Int,
) error {
	load, write := contracts.Token, tokenStorage
	if token.Wraps != "" {
		load, write = contracts.Wrapped, wrappedStorage
	}
	contract, err := load()
	if err != nil {
		return err
	}
	slots, supply := contracts.Slots{}, new(big.Int)
	for owner, amount := range balances {
		supply.Add(supply, amount)
		err = errors.Join(err, contract.SetMapped(slots, "balanceOf", amount, owner.Big()))
	}
	err = errors.Join(err, write(contract, slots, token, minter, supply))
	account := types.Account{Nonce: 1, Balance: new(big.Int), Code: contract.Runtime, Storage: storage(slots)}
	if token.Wraps != "" {
		account.Balance = supply // the coin that the contract keeps for its tokens
	}
	alloc[common.HexToAddress(token.Address)] = account
	return err
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

func tokenStorage(
	contract *contracts.Contract, slots contracts.Slots, token chain.Token, minter common.Address, supply *big.Int,
) error {
	err := errors.Join(
		contract.SetText(slots, "name", cmp.Or(token.DomainName, token.Symbol)),
		contract.SetText(slots, "symbol", token.Symbol),
		contract.SetText(slots, "version", cmp.Or(token.DomainVersion, "1")),
		contract.SetNumber(slots, "decimals", big.NewInt(int64(token.Decimals))),
		contract.SetNumber(slots, "minter", minter.Big()),
	)
	if supply.Sign() > 0 {
		err = errors.Join(err, contract.SetNumber(slots, "totalSupply", supply))
	}
	return err
}

// wrappedNames are those of the contracts of the public networks.
var wrappedNames = map[string]string{
	"ETH": "Wrapped Ether", "POL": "Wrapped Polygon Ecosystem Token", "AVAX": "Wrapped AVAX",
}

func wrappedStorage(
	contract *contracts.Contract, slots contracts.Slots, token chain.Token, _ common.Address, _ *big.Int,
) error {
	return errors.Join(
		contract.SetText(slots, "name", cmp.Or(wrappedNames[token.Wraps], token.Symbol)),
		contract.SetText(slots, "symbol", token.Symbol),
	)
}

func storage(slots contracts.Slots) map[common.Hash]common.Hash {
	all := make(map[common.Hash]common.Hash, len(slots))
	for key, value := range slots {
		all[key] = value
	}
	return all
}

// checkGenesis refuses the data of a chain that has another first block than it would get
// now, as an older version may have made it. A chain that never started has none.
func checkGenesis(dir string, network chain.Network) error {
	path := databasePath(dir)
	if rawdb.PreexistingDatabase(path) == "" {
		return nil
	}
	first, err := genesis(network)
	if err != nil {
		return err
	}
	const readOnly = true
	store, err := leveldb.New(path, 0, 0, "", readOnly)
	if err != nil {
		return fmt.Errorf("opening the chain's database: %w", err)
	}
	defer store.Close()
	db := rawdb.NewDatabase(store)
	// The first block itself may lie with the final ones, which are not in this database. Under its hash the chain's
	// configuration is.
	if rawdb.ReadHeadBlockHash(db) != (common.Hash{}) && rawdb.ReadChainConfig(db, first.ToBlock().Hash()) == nil {
		return errOtherGenesis
	}
	return nil
}
