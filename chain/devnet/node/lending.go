package node

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/devnet/contracts"
)

// reserve is what a pool holds of a token at genesis, and on which terms it lends.
type reserve struct {
	cents          int64 // the price in dollars, for ever
	ltv, threshold int64 // basis points: how much of the collateral's value may be borrowed, and is safe to owe
	supplied       int64 // whole units; half of them are lent out
}

// reserves are by the symbol of the token, or of the coin that it wraps. Somebody of whom nobody has the key has
// supplied and borrowed before everybody else: there is something to borrow, and interest for who supplies.
var reserves = map[string]reserve{
	"USDC": {cents: 100, ltv: 7500, threshold: 7800, supplied: 1_000_000},
	"USDT": {cents: 100, ltv: 7500, threshold: 7800, supplied: 1_000_000},
	"ETH":  {cents: coinCents["ETH"], ltv: 8000, threshold: 8250, supplied: 300},
	"POL":  {cents: coinCents["POL"], ltv: 6500, threshold: 7000, supplied: 2_000_000},
	"AVAX": {cents: coinCents["AVAX"], ltv: 6800, threshold: 7300, supplied: 30_000},
}

// lender supplied and borrowed at genesis.
var lender = common.BytesToAddress(crypto.Keccak256([]byte("railkit sandbox lender"))[12:])

// lending places a network's lending pool, with a reserve for each listed token.
type lending struct {
	alloc                   types.GenesisAlloc
	network                 chain.Network
	listed                  chain.LendingPool
	pool, aToken, debtToken *contracts.Contract
	slots                   contracts.Slots // of the pool
	assets                  []*big.Int
}

func placeLending(alloc types.GenesisAlloc, network chain.Network) error {
	for _, p := range chain.LendingPools(network) {
		l := &lending{alloc: alloc, network: network, listed: p, slots: contracts.Slots{}}
		if err := l.place(); err != nil {
			return fmt.Errorf("the lending pool of %s: %w", network.Slug, err)
		}
	}
	return nil
}

func (l *lending) place() error {
	if err := errors.Join(
		load(&l.pool, contracts.LendingPool), load(&l.aToken, contracts.AToken),
		load(&l.debtToken, contracts.DebtToken),
	); err != nil {
		return err
	}
	for _, token := range l.network.Tokens {
		if terms, ok := reserves[priced(token)]; ok {
			if err := l.reserve(token, terms); err != nil {
				return err
			}
		}
	}
	if err := l.pool.SetList(l.slots, "reserves", l.assets...); err != nil {
		return err
	}
	l.put(common.HexToAddress(l.listed.Pool), l.pool, l.slots)
	return l.gateway()
}

func load(c **contracts.Contract, from func() (*contracts.Contract, error)) (err error) {
	*c, err = from()
	return err
}

// priced is the symbol of what gives a token its price.
func priced(t chain.Token) string {
	if t.Wraps != "" {
		return t.Wraps
	}
	return t.Symbol
}

func (l *lending) reserve(t chain.Token, r reserve) error {
	asset := common.HexToAddress(t.Address).Big()
	l.assets = append(l.assets, asset)
	supplied := whole(r.supplied, t.Decimals)
	lent := new(big.Int).Rsh(supplied, 1)
	aToken, debtToken := l.shareAddress("aToken", t), l.shareAddress("debtToken", t)
	const priceDecimals, active, borrowing = 8, 1 << 56, 1 << 58
	bits := big.NewInt(r.ltv | r.threshold<<16 | int64(t.Decimals)<<48 | active | borrowing)
	return errors.Join(
		l.pool.SetMapped(l.slots, "configuration", bits, asset),
		l.pool.SetMapped(l.slots, "price", whole(r.cents, priceDecimals-2), asset),
		l.pool.SetMapped(l.slots, "aToken", aToken.Big(), asset),
		l.pool.SetMapped(l.slots, "debtToken", debtToken.Big(), asset),
		l.share(aToken, l.aToken, "Aave ", "a", t, supplied),
		l.share(debtToken, l.debtToken, "Aave Variable Debt ", "variableDebt", t, lent),
		l.endow(t, aToken, new(big.Int).Sub(supplied, lent)),
	)
}

// shareAddress is where what a pool gives for a token is.
func (l *lending) shareAddress(kind string, t chain.Token) common.Address {
	id := strconv.FormatUint(l.network.ChainID, 10)
	text := "railkit sandbox lending " + kind + " " + t.Symbol + " " + id
	return common.BytesToAddress(crypto.Keccak256([]byte(text))[12:])
}

// share places the contract that counts what the lender has supplied or owes.
func (l *lending) share(
	at common.Address, c *contracts.Contract, name, symbol string, t chain.Token, amount *big.Int,
) error {
	slots := contracts.Slots{}
	err := errors.Join(
		c.SetText(slots, "name", name+t.Symbol), c.SetText(slots, "symbol", symbol+t.Symbol),
		c.SetNumber(slots, "decimals", big.NewInt(int64(t.Decimals))),
		c.SetNumber(slots, "POOL", common.HexToAddress(l.listed.Pool).Big()),
		c.SetNumber(slots, "UNDERLYING_ASSET_ADDRESS", common.HexToAddress(t.Address).Big()),
		c.SetNumber(slots, "scaledTotalSupply", amount),
		c.SetMapped(slots, "scaledBalanceOf", amount, lender.Big()),
	)
	l.put(at, c, slots)
	return err
}

// endow gives an account an amount of a token that stands there already.
func (l *lending) endow(t chain.Token, to common.Address, amount *big.Int) error {
	from := contracts.Token
	if t.Wraps != "" {
		from = contracts.Wrapped
	}
	contract, err := from()
	if err != nil {
		return err
	}
	at := common.HexToAddress(t.Address)
	account, slots := l.alloc[at], contracts.Slots{}
	if t.Wraps != "" { // it keeps a coin for each
		account.Balance = new(big.Int).Add(account.Balance, amount)
		l.alloc[at] = account
	} else if err := contract.SetNumber(slots, "totalSupply", amount); err != nil {
		return err
	}
	if err := contract.SetMapped(slots, "balanceOf", amount, to.Big()); err != nil {
		return err
	}
	for key, value := range slots {
		sum := new(big.Int).Add(account.Storage[key].Big(), new(big.Int).SetBytes(value[:]))
		account.Storage[key] = common.BigToHash(sum)
	}
	return nil
}

func (l *lending) gateway() error {
	coin, ok := l.network.Wrapped()
	if !ok {
		return errors.New("no token wraps the coin of the network")
	}
	return place(l.alloc, l.listed.Gateway, contracts.LendingGateway,
		func(c *contracts.Contract, s contracts.Slots) error {
			return errors.Join(
				c.SetNumber(s, "WETH", common.HexToAddress(coin.Address).Big()),
				c.SetNumber(s, "POOL", common.HexToAddress(l.listed.Pool).Big()),
				c.SetNumber(s, "AWETH", l.shareAddress("aToken", coin).Big()),
			)
		})
}

func (l *lending) put(at common.Address, c *contracts.Contract, slots contracts.Slots) {
	l.alloc[at] = types.Account{Nonce: 1, Balance: new(big.Int), Code: c.Runtime, Storage: storage(slots)}
}
