package devnet_test

import (
	"errors"
	stdbig "math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/devnet"
	"github.com/railkit/railkit/chain/devnet/contracts"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/router"
	"github.com/railkit/railkit/internal/prices"
)

// market is the exchange of a network, and a trader who has coin for gas.
type market struct {
	*client
	listed          chain.Market
	router, factory contract
	trader          account
}

func (p *process) market(t *testing.T, slug string) market {
	t.Helper()
	c := p.chain(t, slug)
	m := market{client: c, listed: chain.Markets(c.network)[0], trader: newAccount(t)}
	load := contracts.Router
	if m.listed.Kind == chain.MarketV2AVAX {
		load = contracts.RouterAVAX
	}
	compiled, err := load()
	m.router = c.contract(common.HexToAddress(m.listed.Router), compiled, err)
	compiled, err = contracts.Factory()
	m.factory = c.contract(common.HexToAddress(m.listed.Factory), compiled, err)
	p.fund(t, slug, m.trader.address, "native", "10")
	return m
}

// coin is the network's wrapped coin.
func (m market) coin() token {
	m.t.Helper()
	listed, _ := m.network.Wrapped()
	compiled, err := contracts.Wrapped()
	return token{m.contract(common.HexToAddress(listed.Address), compiled, err), listed}
}

// pool is that of two tokens, and its reserves in the order of the tokens.
func (m market) pool(a, b token) (pool contract, ofA, ofB *stdbig.Int) {
	m.t.Helper()
	compiled, err := contracts.Pair()
	pool = m.contract(m.factory.read("getPair(address,address)", a.address, b.address).(common.Address), compiled, err)
	reserves := pool.readAll("getReserves()")
	ofA, ofB = reserves[0].(*stdbig.Int), reserves[1].(*stdbig.Int)
	if pool.read("token0()").(common.Address) == b.address {
		ofA, ofB = ofB, ofA
	}
	return pool, ofA, ofB
}

// call sends a call of the trader's and waits for its block.
func (m market) call(to common.Address, value *stdbig.Int, data []byte) *types.Receipt {
	m.t.Helper()
	nonce, err := m.PendingNonceAt(m.t.Context(), m.trader.address)
	m.check(err)
	return m.send(m.sign(m.trader, &types.DynamicFeeTx{
		Nonce: nonce, To: &to, Value: value, Data: data, Gas: 3_000_000,
		GasTipCap: big(1), GasFeeCap: big(10 * params.GWei),
	}))
}

// deploy makes a contract.
func (m market) deploy(code []byte) *types.Receipt {
	m.t.Helper()
	nonce, err := m.PendingNonceAt(m.t.Context(), m.trader.address)
	m.check(err)
	return m.send(m.sign(m.trader, &types.DynamicFeeTx{
		Nonce: nonce, Value: big(0), Data: code, Gas: 1_000_000, GasTipCap: big(1), GasFeeCap: big(10 * params.GWei),
	}))
}

// has funds the trader with a token and lets the router take it.
func (m market) has(k token, amount string) *stdbig.Int {
	m.t.Helper()
	m.process.fund(m.t, m.network.Slug, m.trader.address, k.listed.Symbol, amount)
	all := units(amount, k.listed.Decimals)
	succeeded(m.t, m.call(k.address, big(0), k.pack("approve(address,uint256)", m.router.address, all)))
	return all
}

func (m market) swap(in, least *stdbig.Int, path ...token) router.Swap {
	s := router.Swap{Kind: m.listed.Kind, Router: evm.Address(m.router.address), In: in, MinOut: least,
		Receiver: evm.Address(m.trader.address), Deadline: uint64(time.Now().Add(3 * time.Hour).Unix())}
	for _, k := range path {
		s.Path = append(s.Path, evm.Address(k.address))
	}
	return s
}

// trade sends a swap and wants it to succeed.
func (m market) trade(s router.Swap) *types.Receipt {
	m.t.Helper()
	to, value, data, err := s.Call()
	m.check(err)
	receipt := m.call(common.Address(to), value, data)
	succeeded(m.t, receipt)
	return receipt
}

// quoted is what the router says that the last token of a path is bought with.
func (m market) quoted(in *stdbig.Int, path ...token) *stdbig.Int {
	m.t.Helper()
	var at []common.Address
	for _, k := range path {
		at = append(at, k.address)
	}
	amounts := m.router.read("getAmountsOut(uint256,address[])", in, at).([]*stdbig.Int)
	return amounts[len(amounts)-1]
}

// Every network's exchange starts at the prices of the sandbox's feed, with coin behind every wrapped coin.
func TestDevnet_MarketsStartAtTheFeedsPrices(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	feed, err := prices.Table(t.Context())
	p.must(t, err)
	for _, n := range chain.OfKind(chain.EVM, chain.Networks(chain.Sandbox)) {
		m := p.market(t, n.Slug)
		coin, usdc := m.coin(), m.usdc()
		_, dollars, coins := m.pool(usdc, coin)
		price, _ := new(stdbig.Rat).SetString(feed.Prices[n.Native.Symbol])
		worth := new(stdbig.Rat).Mul(price, new(stdbig.Rat).SetFrac(coins, units("1", 18)))
		if dollars.Cmp(units("1000000", 6)) != 0 || worth.FloatString(6) != "1000000.000000" {
			t.Errorf("%s: %v USDC for %v coins, worth %v", n.Slug, dollars, coins, worth.FloatString(9))
		}
		all := new(stdbig.Int).Add(coins, m.lending(coin.listed.Symbol).held())
		if backed := m.balance(coin.address); backed.Cmp(all) != 0 || !equal(coin.read("totalSupply()"), all) {
			t.Errorf("%s: %v wei behind %v", n.Slug, backed, all)
		}
		getter := map[chain.MarketKind]string{chain.MarketV2: "WETH()", chain.MarketV2AVAX: "WAVAX()"}[m.listed.Kind]
		if got := coin.read("symbol()"); got != coin.listed.Symbol || m.router.read(getter) != coin.address {
			t.Errorf("%s: the wrapped coin calls itself %v", n.Slug, got)
		}
		m.startsWithDollars(dollars)
	}
}

// startsWithDollars wants a second pool of both dollars where two are listed, and none of USDT and the coin.
func (m market) startsWithDollars(dollars *stdbig.Int) {
	m.t.Helper()
	pools := big(1)
	if _, ok := m.network.TokenBySymbol("USDT"); ok {
		pools = big(2)
		_, ofUSDT, ofUSDC := m.pool(m.token("USDT"), m.usdc())
		if ofUSDT.Cmp(dollars) != 0 || ofUSDC.Cmp(dollars) != 0 {
			m.t.Errorf("%s: %v USDT for %v USDC", m.network.Slug, ofUSDT, ofUSDC)
		}
	}
	if got := m.factory.read("allPairsLength()"); !equal(got, pools) {
		m.t.Errorf("%s: %v pools", m.network.Slug, got)
	}
}

// Whoever buys the wrapped coin, or the coin itself, gets what the router said, and pays what was sold.
func TestDevnet_MarketSwaps(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	for _, slug := range []string{"base", "avalanche_c_chain"} {
		m := p.market(t, slug)
		coin, usdc, who := m.coin(), m.usdc(), m.trader.address
		sold := m.has(usdc, "30")
		third := new(stdbig.Int).Div(sold, big(3))

		want := m.quoted(third, usdc, coin)
		m.trade(m.swap(third, want, usdc, coin))
		if got := coin.balanceOf(who); got.Cmp(want) != 0 || usdc.balanceOf(who).Cmp(units("20", 6)) != 0 {
			t.Errorf("%s: %v wrapped wei, want %v", slug, got, want)
		}
		want = m.quoted(third, usdc, coin)
		before, out := m.balance(who), m.swap(third, want, usdc, coin)
		out.NativeOut = true
		before.Sub(before, m.paid(m.trade(out)))
		if got := m.balance(who); got.Sub(got, before).Cmp(want) != 0 || usdc.balanceOf(who).Cmp(third) != 0 {
			t.Errorf("%s: %v wei more, want %v", slug, got, want)
		}
		coins := units("0.5", 18)
		want = m.quoted(coins, coin, usdc)
		before, in := m.balance(who), m.swap(coins, want, coin, usdc)
		in.NativeIn = true
		before.Sub(before, m.paid(m.trade(in)))
		if got := usdc.balanceOf(who); got.Sub(got, third).Cmp(want) != 0 {
			t.Errorf("%s: %v USDC units more, want %v", slug, got, want)
		}
		if got := m.balance(who); before.Sub(before, got).Cmp(coins) != 0 {
			t.Errorf("%s: the coin cost %v wei", slug, before)
		}
		if left := usdc.balanceOf(m.router.address); left.Sign() > 0 || m.balance(m.router.address).Sign() > 0 {
			t.Errorf("%s: the router keeps something", slug)
		}
	}
}

// paid is what a transaction's gas cost.
func (m market) paid(r *types.Receipt) *stdbig.Int {
	return new(stdbig.Int).Mul(r.EffectiveGasPrice, new(stdbig.Int).SetUint64(r.GasUsed))
}

// USDT buys the coin through USDC: no pool has both.
func TestDevnet_MarketSwapsThroughTwoPools(t *testing.T) {
	t.Parallel()
	m := start(t, t.TempDir()).market(t, "polygon")
	usdt, usdc, coin := m.token("USDT"), m.usdc(), m.coin()
	sold := m.has(usdt, "25.5")
	if none := m.factory.read("getPair(address,address)", usdt.address, coin.address); none != (common.Address{}) {
		t.Fatalf("a pool %v of both", none)
	}
	direct := m.swap(sold, big(1), usdt, coin)
	_, _, data, err := direct.Call()
	m.check(err)
	m.router.refused(m.trader.address, data, "router: no such pool")
	want := m.quoted(sold, usdt, usdc, coin)
	m.trade(m.swap(sold, want, usdt, usdc, coin))
	if got := coin.balanceOf(m.trader.address); got.Cmp(want) != 0 || usdt.balanceOf(m.trader.address).Sign() != 0 {
		t.Errorf("%v wrapped wei, want %v", got, want)
	}
}

func TestDevnet_MarketRefusals(t *testing.T) {
	t.Parallel()
	m := start(t, t.TempDir()).market(t, "base")
	usdc, coin := m.usdc(), m.coin()
	sold := m.has(usdc, "10")
	want := m.quoted(sold, usdc, coin)
	for name, c := range map[string]struct {
		change func(*router.Swap)
		reason string
	}{
		"too late":   {func(s *router.Swap) { s.Deadline = 1_700_000_000 }, "router: deadline has passed"},
		"too dear":   {func(s *router.Swap) { s.MinOut = new(stdbig.Int).Add(want, big(1)) }, "less than the minimum"},
		"too much":   {func(s *router.Swap) { s.In = new(stdbig.Int).Add(sold, big(1)) }, "exceeds"},
		"to a token": {func(s *router.Swap) { s.Receiver = evm.Address(coin.address) }, "pool: receiver is a token"},
	} {
		s := m.swap(sold, want, usdc, coin)
		c.change(&s)
		_, _, data, err := s.Call()
		m.check(err)
		t.Log(name)
		m.router.refused(m.trader.address, data, c.reason)
	}
	pool, _, _ := m.pool(usdc, coin)
	m.refusedByPool(pool, "nothing is paid", big(0), big(1))
	m.refusedByPool(pool, "nothing is taken", big(0), big(0))
	m.refusedByPool(pool, "more than it has", units("1000000", 6), units("1000000", 18))
}

func (m market) refusedByPool(pool contract, reason string, out0, out1 *stdbig.Int) {
	m.t.Helper()
	pool.refused(m.trader.address, pool.pack("swap(uint256,uint256,address,bytes)", out0, out1, m.trader.address,
		[]byte{}), "pool: "+reason)
}

// A pool pays what its product allows for what came in, and not one unit more.
func TestDevnet_MarketPoolsKeepTheirProduct(t *testing.T) {
	t.Parallel()
	m := start(t, t.TempDir()).market(t, "base")
	usdc, coin := m.usdc(), m.coin()
	sold := m.has(usdc, "10")
	want := m.quoted(sold, usdc, coin)
	pool, _, _ := m.pool(usdc, coin)
	succeeded(t, m.call(usdc.address, big(0), usdc.pack("transfer(address,uint256)", pool.address, sold)))
	take := func(n *stdbig.Int) []byte {
		out0, out1 := big(0), n
		if pool.read("token0()") == coin.address {
			out0, out1 = out1, out0
		}
		return pool.pack("swap(uint256,uint256,address,bytes)", out0, out1, m.trader.address, []byte{})
	}
	pool.refused(m.trader.address, take(new(stdbig.Int).Add(want, big(1))), "pool: product falls")
	receipt := m.call(pool.address, big(0), take(want))
	succeeded(t, receipt)
	got := coin.balanceOf(m.trader.address)
	if pool.event(receipt, "Swap") != 1 || pool.event(receipt, "Sync") != 1 || got.Cmp(want) != 0 {
		t.Errorf("%v of %v", got, want)
	}
}

// The wrapped coin is the coin, one for one, and an allowance of it is used up.
func TestDevnet_WrappedCoin(t *testing.T) {
	t.Parallel()
	m := start(t, t.TempDir()).market(t, "optimism")
	coin, who, other := m.coin(), m.trader.address, newAccount(t)
	deposited := m.call(coin.address, units("2", 18), coin.pack("deposit()"))
	succeeded(t, m.call(coin.address, units("1", 18), nil))
	withdrawn := m.call(coin.address, big(0), coin.pack("withdraw(uint256)", units("0.5", 18)))
	if got := coin.balanceOf(who); got.Cmp(units("2.5", 18)) != 0 || coin.event(deposited, "Deposit") != 1 ||
		coin.event(withdrawn, "Withdrawal") != 1 {
		t.Errorf("%v wrapped wei", got)
	}
	coin.refused(who, coin.pack("withdraw(uint256)", units("2.6", 18)), "exceeds balance")
	coin.refused(other.address, coin.pack("transferFrom(address,address,uint256)", who, other.address, big(1)),
		"exceeds allowance")
	m.call(coin.address, big(0), coin.pack("approve(address,uint256)", other.address, big(5)))
	m.process.fund(t, m.network.Slug, other.address, "native", "1")
	asOther := m
	asOther.trader = other
	take := coin.pack("transferFrom(address,address,uint256)", who, other.address, big(5))
	succeeded(t, asOther.call(coin.address, big(0), take))
	allowed := coin.read("allowance(address,address)", who, other.address)
	if coin.balanceOf(other.address).Cmp(big(5)) != 0 || !equal(allowed, big(0)) {
		t.Errorf("%v moved, %v may still", coin.balanceOf(other.address), allowed)
	}
	succeeded(t, m.call(coin.address, big(0), coin.pack("transfer(address,uint256)", other.address, big(7))))
	if coin.balanceOf(other.address).Cmp(big(12)) != 0 {
		t.Errorf("%v moved", coin.balanceOf(other.address))
	}
}

// An exact amount is bought for what the router says, and what was sent beyond that comes back.
func TestDevnet_MarketBuysExactAmounts(t *testing.T) {
	t.Parallel()
	m := start(t, t.TempDir()).market(t, "avalanche_c_chain")
	usdc, coin, who := m.usdc(), m.coin(), m.trader.address
	has, deadline := m.has(usdc, "1000"), big(time.Now().Add(3*time.Hour).Unix())
	there, back := []common.Address{usdc.address, coin.address}, []common.Address{coin.address, usdc.address}
	cost := func(out *stdbig.Int, path []common.Address) *stdbig.Int {
		return m.router.read("getAmountsIn(uint256,address[])", out, path).([]*stdbig.Int)[0]
	}
	const arguments = "(uint256,uint256,address[],address,uint256)"
	left := func(want *stdbig.Int, what string) {
		t.Helper()
		if got := usdc.balanceOf(who); got.Cmp(want) != 0 {
			t.Errorf("%s: %v USDC units are left, want %v", what, got, want)
		}
	}

	one := units("1", 18)
	paid := cost(one, there)
	exact := m.router.pack("swapTokensForExactTokens"+arguments, one, paid, there, who, deadline)
	succeeded(t, m.call(m.router.address, big(0), exact))
	left(has.Sub(has, paid), "a token")
	if got := coin.balanceOf(who); got.Cmp(one) != 0 {
		t.Errorf("%v wrapped wei", got)
	}
	paid = cost(one, there)
	short := new(stdbig.Int).Sub(paid, big(1))
	m.router.refused(who, m.router.pack("swapTokensForExactAVAX"+arguments, one, short, there, who, deadline),
		"costs more than the maximum")
	before := m.balance(who)
	exact = m.router.pack("swapTokensForExactAVAX"+arguments, one, paid, there, who, deadline)
	receipt := m.call(m.router.address, big(0), exact)
	left(has.Sub(has, paid), "the coin")
	if got := m.balance(who); got.Sub(got, before).Add(got, m.paid(receipt)).Cmp(one) != 0 {
		t.Errorf("%v wei more", got)
	}
	dollars := units("10", 6)
	paid, before = cost(dollars, back), m.balance(who)
	receipt = m.call(m.router.address, one, m.router.pack("swapAVAXForExactTokens(uint256,address[],address,uint256)",
		dollars, back, who, deadline))
	left(has.Add(has, dollars), "for the coin")
	if before.Sub(before, m.balance(who)).Sub(before, m.paid(receipt)).Cmp(paid) != 0 {
		t.Errorf("%v wei were taken, want %v", before, paid)
	}
}

// Somebody else opens a pool, trades in it, and takes out what belongs to the shares.
func TestDevnet_MarketPoolOfATrader(t *testing.T) {
	t.Parallel()
	m := start(t, t.TempDir()).market(t, "polygon")
	usdt, coin, who := m.token("USDT"), m.coin(), m.trader.address
	m.has(usdt, "100")
	deadline := big(time.Now().Add(3 * time.Hour).Unix())
	add := m.router.pack("addLiquidityETH(address,uint256,uint256,uint256,address,uint256)", usdt.address,
		units("50", 6), units("50", 6), units("4", 18), who, deadline)
	succeeded(t, m.call(m.router.address, units("4", 18), add))
	pool, dollars, coins := m.pool(usdt, coin)
	if dollars.Cmp(units("50", 6)) != 0 || coins.Cmp(units("4", 18)) != 0 {
		t.Fatalf("%v USDT for %v coins", dollars, coins)
	}
	// More of the coin is offered than fits to the pool's price: half a pool more is taken, and the rest left.
	m.call(coin.address, units("3", 18), coin.pack("deposit()"))
	m.call(coin.address, big(0), coin.pack("approve(address,uint256)", m.router.address, units("3", 18)))
	succeeded(t, m.call(m.router.address, big(0), m.router.pack(
		"addLiquidity(address,address,uint256,uint256,uint256,uint256,address,uint256)", coin.address, usdt.address,
		units("3", 18), units("25", 6), units("2", 18), units("25", 6), who, deadline)))
	if _, dollars, coins = m.pool(usdt, coin); dollars.Cmp(units("75", 6)) != 0 || coins.Cmp(units("6", 18)) != 0 {
		t.Errorf("%v USDT for %v coins", dollars, coins)
	}
	shares := pool.read("balanceOf(address)", who).(*stdbig.Int)
	want := m.quoted(units("5", 6), usdt, coin)
	m.trade(m.swap(units("5", 6), want, usdt, coin))
	succeeded(t, m.call(pool.address, big(0), pool.pack("transfer(address,uint256)", pool.address, shares)))
	succeeded(t, m.call(pool.address, big(0), pool.pack("burn(address)", who)))
	_, dollars, coins = m.pool(usdt, coin)
	if dollars.Cmp(big(1000)) > 0 || coins.Sign() == 0 {
		t.Errorf("%v USDT and %v coins are left", dollars, coins)
	}
}

// callsBack is a token that everybody has one of. Paid out by a pool, it has that pool forget what came in (sync), and
// says that it is paid out if the pool did.
const callsBack = "60003560e01c63a9059cbb14602057670de0b6b3a764000060005260206000f3" +
	"5b63fff6cae960e01b60005260006000600460006000335af160005260206000f3"

// A token that calls back while a pool pays it out finds the pool shut.
func TestDevnet_MarketPoolsAreShutWhilePaying(t *testing.T) {
	t.Parallel()
	m := start(t, t.TempDir()).market(t, "base")
	usdc, who := m.usdc(), m.trader.address
	m.process.fund(t, "base", who, "USDC", "100")
	code := common.FromHex(callsBack)
	code = append([]byte{0x60, byte(len(code)), 0x60, 12, 0x60, 0, 0x39, 0x60, byte(len(code)), 0x60, 0, 0xf3}, code...)
	made := m.deploy(code)
	succeeded(t, made)
	evil := made.ContractAddress
	succeeded(t, m.call(m.factory.address, big(0), m.factory.pack("createPair(address,address)", evil, usdc.address)))
	compiled, err := contracts.Pair()
	pair := m.factory.read("getPair(address,address)", usdc.address, evil).(common.Address)
	pool := m.contract(pair, compiled, err)
	pay := func(amount string) {
		succeeded(t, m.call(usdc.address, big(0), usdc.pack("transfer(address,uint256)", pair, units(amount, 6))))
	}
	pay("50")
	succeeded(t, m.call(pair, big(0), pool.pack("mint(address)", who)))
	pay("10")
	out0, out1 := big(1), big(0)
	if pool.read("token0()") == usdc.address {
		out0, out1 = out1, out0
	}
	m.refusedByPool(pool, "token is not paid out", out0, out1)
}

// A wrapped coin is the coin that somebody deposited: none can be minted.
func TestDevnet_FaucetRefusesWrappedCoins(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	for slug, symbol := range map[string]string{"base": "WETH", "polygon": "WPOL", "avalanche_c_chain": "WAVAX"} {
		_, err := p.Faucet(t.Context(), slug, newAccount(t).address.Hex(), symbol, "1")
		var refusal *devnet.Error
		if !errors.As(err, &refusal) || refusal.Code != devnet.InvalidParams || refusal.Message !=
			"asset must not be a wrapped coin, which nobody can mint: ask for native" {
			t.Errorf("%s: %v", symbol, err)
		}
	}
}
