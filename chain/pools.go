package chain

import (
	"slices"
	"strings"
)

// LendingPool is where a network's assets are lent out: it has the functions of Aave's V3 Pool. The list is part of the
// program, as that of Markets is.
type LendingPool struct {
	Protocol string // as the API names it: "aave"
	ChainID  uint64
	Pool     string
	Gateway  string // WrappedTokenGatewayV3: takes the network's own coin, and gives it back
	Oracle   string // tells what the pool counts an asset as, in dollars with eight decimals
}

// LendingPools lists the pools of a network.
func LendingPools(n Network) []LendingPool {
	return slices.DeleteFunc(slices.Clone(lendingPools), func(p LendingPool) bool {
		return n.ChainID == 0 || p.ChainID != n.ChainID
	})
}

// LendingPoolAt finds the pool that has the address itself, or whose gateway has it.
func LendingPoolAt(n Network, address string) (p LendingPool, gateway, found bool) {
	for _, p := range LendingPools(n) {
		if strings.EqualFold(p.Pool, address) || strings.EqualFold(p.Gateway, address) {
			return p, strings.EqualFold(p.Gateway, address), true
		}
	}
	return LendingPool{}, false, false
}

// The pools. Source: release 4.68.1 of @aave-dao/aave-address-book (npm), the constants POOL, WETH_GATEWAY and ORACLE
// of AaveV3Ethereum and so on. None was asked on its chain from here.
//
// Those of the testnets are ours, and have code on our devnet only: the last 20 bytes of
// keccak256("railkit sandbox lending pool <chain id>"), and of the same text with gateway. The pool is its own oracle.
var lendingPools = []LendingPool{
	aave(1, "0x87870Bca3F3fD6335C3F4ce8392D69350B4fA4E2", "0xd01607c3C5eCABa394D8be377a08590149325722",
		"0x54586bE62E3c3580375aE3723C145253060Ca0C2"),
	aave(8453, "0xA238Dd80C259a72e81d7e4664a9801593F98d1c5", "0xa0d9C1E9E48Ca30c8d8C3B5D69FF5dc1f6DFfC24",
		"0x2Cc0Fc26eD4563A5ce5e8bdcfe1A2878676Ae156"),
	aave(137, "0x794a61358D6845594F94dc1DB02A252b5b4814aD", "0xBC302053db3aA514A3c86B9221082f162B91ad63",
		"0xb023e699F5a33916Ea823A16485e259257cA8Bd1"),
	aave(42161, "0x794a61358D6845594F94dc1DB02A252b5b4814aD", "0x5283BEcEd7ADF6D003225C13896E536f2D4264FF",
		"0xb56c2F0B653B2e0b10C9b928C8580Ac5Df02C7C7"),
	aave(10, "0x794a61358D6845594F94dc1DB02A252b5b4814aD", "0x5f2508cAE9923b02316254026CD43d7902866725",
		"0xD81eb3728a631871a7eBBaD631b5f424909f0c77"),
	aave(43114, "0x794a61358D6845594F94dc1DB02A252b5b4814aD", "0x2825cE5921538d17cc15Ae00a8B24fF759C6CDaE",
		"0xEBd36016B3eD09D4693Ed4251c67Bd858c3c7C9C"),

	ownPool(11155111, "0x2c46d6BC9061BBFAF7453bfDB78431065634268E", "0xFC1dFCF66a16A371e4443f60Dd823Ce36Df2FF6B"),
	ownPool(84532, "0x4a352DDA38E21c1452bf34c393ef4f6a1C26d276", "0x1E5f8E5DfA76232e8d6c78BfC5D05c67cB2d1400"),
	ownPool(80002, "0xF05ab017D963c7bF42975e24B5dfBbf1d702b093", "0xe754bDDF811BD52818b900D913B1feb912A63195"),
	ownPool(421614, "0x292453B41273C0bAF98810eF6a8dB9Acc1D12f7e", "0xb5e6769de8fB1401781b3054A9d7Cc448E5dCf08"),
	ownPool(11155420, "0x15ab2b1EcC537c84D729590D569BbC74C0d0C714", "0x49361f56d82E2f6393323eBE190e9A06f112f67b"),
	ownPool(43113, "0x2F36F3a929058C1f6202c1d4cD11ec59D715dCb7", "0x5898fB35bf8a8fCE8a11fe6c2CEf8172EE08688e"),
}

func aave(id uint64, pool, gateway, oracle string) LendingPool {
	return LendingPool{Protocol: "aave", ChainID: id, Pool: pool, Gateway: gateway, Oracle: oracle}
}

func ownPool(id uint64, pool, gateway string) LendingPool { return aave(id, pool, gateway, pool) }
