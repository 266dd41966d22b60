package node

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/devnet/contracts"
)

// poolDollars is what each pool has on its dollar side, or on both.
const poolDollars = 1_000_000

// coinCents are the prices at which the pools start, those of the sandbox's price feed, in cents of a dollar.
var coinCents = map[string]int64{"ETH": 300_000, "POL": 50, "AVAX": 3_000}

var errNoPrice = errors.New("the sandbox has no price of the network's coin")

// pool is a pair of tokens and what the first block puts into it.
type pool struct {
	tokens  [2]chain.Token // in the order of their addresses, as pairs have them
	amounts [2]*big.Int
	network uint64
}

// account is the last 20 bytes of a hash, as those of the sandbox's routers are.
func (p pool) account() common.Address {
	text := fmt.Sprintf("railkit sandbox pair %s %s %d", p.tokens[0].Symbol, p.tokens[1].Symbol, p.network)
	return common.BytesToAddress(crypto.Keccak256([]byte(text)))
}

// pools are USDC with the wrapped coin, and USDT with USDC where the network lists USDT. USDT with the wrapped coin is
// left out, so that this trade goes through two pools.
func pools(n chain.Network) ([]pool, error) {
	coin, _ := n.Wrapped()
	cents := coinCents[n.Native.Symbol]
	if cents == 0 {
		return nil, fmt.Errorf("%s: %w", n.Native.Symbol, errNoPrice)
	}
	usdc, _ := n.TokenBySymbol("USDC")
	dollars := whole(poolDollars, usdc.Decimals)
	coins := whole(poolDollars*100, coin.Decimals)
	all := []pool{newPool(n, usdc, dollars, coin, coins.Div(coins, big.NewInt(cents)))}
	if usdt, ok := n.TokenBySymbol("USDT"); ok {
		all = append(all, newPool(n, usdc, dollars, usdt, whole(poolDollars, usdt.Decimals)))
	}
	return all, nil
}

func newPool(n chain.Network, a chain.Token, ofA *big.Int, b chain.Token, ofB *big.Int) pool {
	if bytes.Compare(common.HexToAddress(a.Address).Bytes(), common.HexToAddress(b.Address).Bytes()) > 0 {
		a, ofA, b, ofB = b, ofB, a, ofA
	}
	return pool{[2]chain.Token{a, b}, [2]*big.Int{ofA, ofB}, n.ChainID}
}

// whole is so many whole units of a token.
func whole(n int64, decimals int) *big.Int {
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
	return unit.Mul(unit, big.NewInt(n))
}

// held is what the pools have of a token, by pool.
func held(all []pool, token chain.Token) map[common.Address]*big.Int {
	by := map[common.Address]*big.Int{}
	for _, p := range all {
		if i := slices.Index(p.tokens[:], token); i >= 0 {
			by[p.account()] = p.amounts[i]
		}
	}
	return by
}

// v2Market is the exchange of a network that the devnet has contracts for. A second one would need pools of its own,
// at other addresses.
func v2Market(n chain.Network) (chain.Market, bool) {
	all := chain.Markets(n)
	i := slices.IndexFunc(all, func(m chain.Market) bool { return m.Kind.V2() })
	if i < 0 {
		return chain.Market{}, false
	}
	return all[i], true
}

func placeMarket(alloc types.GenesisAlloc, n chain.Network, m chain.Market, all []pool) error {
	coin, _ := n.Wrapped()
	load := contracts.Router
	if m.Kind == chain.MarketV2AVAX {
		load = contracts.RouterAVAX
	}
	factory := common.HexToAddress(m.Factory)
	err := place(alloc, m.Router, load, func(c *contracts.Contract, s contracts.Slots) error {
		return errors.Join(c.SetNumber(s, "factory", factory.Big()),
			c.SetNumber(s, "wrapped", common.HexToAddress(coin.Address).Big()))
	})
	err = errors.Join(err, place(alloc, m.Factory, contracts.Factory,
		func(c *contracts.Contract, s contracts.Slots) error { return listPools(c, s, all) }))
	for _, p := range all {
		err = errors.Join(err, place(alloc, p.account().Hex(), contracts.Pair,
			func(c *contracts.Contract, s contracts.Slots) error { return p.fill(c, s, factory) }))
	}
	return err
}

func place(alloc types.GenesisAlloc, at string, load func() (*contracts.Contract, error),
	write func(*contracts.Contract, contracts.Slots) error) error {
	contract, err := load()
	if err != nil {
		return err
	}
	slots := contracts.Slots{}
	if err := write(contract, slots); err != nil {
		return err
	}
	alloc[common.HexToAddress(at)] = types.Account{
		Nonce: 1, Balance: new(big.Int), Code: contract.Runtime, Storage: storage(slots),
	}
	return nil
}

// listPools is the storage of the factory: each pool by its tokens in both orders, and all in a list.
func listPools(c *contracts.Contract, slots contracts.Slots, all []pool) (err error) {
	var list []*big.Int
	for _, p := range all {
		first, second := common.HexToAddress(p.tokens[0].Address).Big(), common.HexToAddress(p.tokens[1].Address).Big()
		err = errors.Join(err, c.SetMapped(slots, "getPair", p.account().Big(), first, second),
			c.SetMapped(slots, "getPair", p.account().Big(), second, first))
		list = append(list, p.account().Big())
	}
	return errors.Join(err, c.SetList(slots, "allPairs", list...))
}

// fill is the storage of a pool. Its shares are nobody's: who had them could take the market away.
func (p pool) fill(c *contracts.Contract, slots contracts.Slots, factory common.Address) error {
	shares := new(big.Int).Mul(p.amounts[0], p.amounts[1])
	shares.Sqrt(shares)
	return errors.Join(
		c.SetNumber(slots, "factory", factory.Big()),
		c.SetNumber(slots, "token0", common.HexToAddress(p.tokens[0].Address).Big()),
		c.SetNumber(slots, "token1", common.HexToAddress(p.tokens[1].Address).Big()),
		c.SetNumber(slots, "reserve0", p.amounts[0]), c.SetNumber(slots, "reserve1", p.amounts[1]),
		c.SetNumber(slots, "totalSupply", shares), c.SetMapped(slots, "balanceOf", shares, new(big.Int)),
	)
}
