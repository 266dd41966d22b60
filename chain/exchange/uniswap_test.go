package exchange_test

import (
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"github.com/railkit/railkit/internal/test/npmtest"
)

// uniswap puts the contracts of Uniswap on Polygon's chain of the devnet, and fills pools like the sandbox's own: USDC
// with the coin, USDT with USDC. v3 has a second pool of USDC and the coin, with a lower fee and a worse price.
func uniswap(t *testing.T) {
	t.Helper()
	uniswapOnce.Do(func() { deployUniswap(t) })
}

var uniswapOnce sync.Once

func deployUniswap(t *testing.T) {
	t.Helper()
	coin := deployed(weth9)
	v := open(t, "polygon", uniswapV2, &coin, deployer)
	made := npmtest.InstallExchanges(t)
	deploy := func(nonce uint64, file string, args ...any) abi.ABI {
		t.Helper()
		c := made.Contract(t, file)
		parsed, err := abi.JSON(strings.NewReader(c.ABI))
		v.check(err)
		packed, err := parsed.Pack("", args...)
		v.check(err)
		if got := v.send(nil, new(big.Int), append(c.Code, packed...)).ContractAddress; got != deployed(nonce) {
			t.Fatalf("%s is at %v", file, got)
		}
		return parsed
	}
	deploy(weth9, "v2-periphery/build/WETH9.json")
	deploy(factoryV2, "v2-core/build/UniswapV2Factory.json", deployer.address)
	v2 := deploy(routerV2, "v2-periphery/build/UniswapV2Router02.json", deployed(factoryV2), coin)
	deploy(factoryV3, "v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json")
	v3 := deploy(positions,
		"v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json",
		deployed(factoryV3), coin, common.Address{})
	deploy(routerV3, "swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json",
		deployed(factoryV2), deployed(factoryV3), deployed(positions), coin)
	deploy(quoterV3, "swap-router-contracts/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json",
		deployed(factoryV3), coin)

	v.faucet("native", "20000000")
	v.faucet("USDC", "10000000")
	v.faucet("USDT", "10000000")
	v.send(&coin, whole(8_000_000, 18), v.pack("deposit"))
	usdc, usdt := side{v.token("USDC"), whole(1_000_000, 6)}, side{v.token("USDT"), whole(1_000_000, 6)}
	coins := side{coin, whole(2_000_000, 18)}
	for _, s := range []side{usdc, usdt, coins} {
		v.allow(s.token, deployed(routerV2))
		v.allow(s.token, deployed(positions))
	}
	v.fillV2(v2, usdc, coins)
	v.fillV2(v2, usdc, usdt)
	v.fillV3(v3, 3000, usdc, coins)
	v.fillV3(v3, 500, usdc, side{coin, whole(1_500_000, 18)})
	v.fillV3(v3, 500, usdt, usdc)
}

// side is what a pool gets of one token.
type side struct {
	token  common.Address
	amount *big.Int
}

func soon() *big.Int { return big.NewInt(time.Now().Add(3 * time.Hour).Unix()) }

func (v venue) fillV2(router abi.ABI, a, b side) {
	v.t.Helper()
	at := deployed(routerV2)
	data, err := router.Pack(
		"addLiquidity", a.token, b.token, a.amount, b.amount, a.amount, b.amount, v.address, soon(),
	)
	v.check(err)
	v.send(&at, new(big.Int), data)
}

// spacings are how far apart the ticks of v3's pools are, by fee.
var spacings = map[int64]int64{500: 10, 3000: 60}

// fillV3 makes a pool at the price of both sides, with liquidity at every price.
func (v venue) fillV3(manager abi.ABI, fee int64, a, b side) {
	v.t.Helper()
	if a.token.Cmp(b.token) > 0 {
		a, b = b, a
	}
	at := deployed(positions)
	price := new(big.Int).Lsh(b.amount, 192)
	price.Sqrt(price.Div(price, a.amount)) // the root of the price, times 2^96
	data, err := manager.Pack("createAndInitializePoolIfNecessary", a.token, b.token, big.NewInt(fee), price)
	v.check(err)
	v.send(&at, new(big.Int), data)
	const furthest = 887272
	tick := furthest / spacings[fee] * spacings[fee]
	data, err = manager.Pack("mint", struct {
		Token0, Token1                 common.Address
		Fee, TickLower, TickUpper      *big.Int
		Amount0Desired, Amount1Desired *big.Int
		Amount0Min, Amount1Min         *big.Int
		Recipient                      common.Address
		Deadline                       *big.Int
	}{
		a.token, b.token, big.NewInt(fee), big.NewInt(-tick), big.NewInt(tick), a.amount, b.amount,
		new(big.Int), new(big.Int), v.address, soon(),
	})
	v.check(err)
	v.send(&at, new(big.Int), data)
}
