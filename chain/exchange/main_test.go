package exchange_test

import (
	"crypto/ecdsa"
	"os"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/railkit/railkit/chain"
)

// Keys that everybody knows: numbers 1 to 3 of the accounts that anvil and hardhat have.
var (
	deployer = known("59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d")
	traders  = []account{
		known("5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a"),
		known("7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6"),
	}
)

type account struct {
	key     *ecdsa.PrivateKey
	address common.Address
}

func known(key string) account {
	k, err := crypto.HexToECDSA(key)
	if err != nil {
		panic(err) // a constant
	}
	return account{k, crypto.PubkeyToAddress(k.PublicKey)}
}

// The contracts of Uniswap in the order in which the deployer's transactions make them, which tells their addresses.
const (
	weth9 = iota
	factoryV2
	routerV2
	factoryV3
	positions
	routerV3
	quoterV3
)

func deployed(nonce uint64) common.Address { return crypto.CreateAddress(deployer.address, nonce) }

// The names under which the tests list them.
const (
	ours      = "uniswap" // as the sandbox lists its own
	uniswapV2 = "uniswap of npm, v2"
	uniswapV3 = "uniswap of npm, v3"
)

const chainID = 80002 // Polygon Amoy: it lists both dollars

func TestMain(m *testing.M) {
	chain.AddMarket(chain.Market{Protocol: uniswapV2, Kind: chain.MarketV2, ChainID: chainID,
		Router: deployed(routerV2).Hex(), Factory: deployed(factoryV2).Hex()})
	chain.AddMarket(chain.Market{Protocol: uniswapV3, Kind: chain.MarketV3, ChainID: chainID,
		Router: deployed(routerV3).Hex(), Quoter: deployed(quoterV3).Hex(), Fees: []int{100, 500, 3000, 10000}})
	chain.AddMarket(chain.Market{Protocol: "unread", Kind: "v4", ChainID: chainID,
		Router: deployed(routerV3).Hex(), Factory: deployed(factoryV2).Hex()})
	os.Exit(m.Run())
}
