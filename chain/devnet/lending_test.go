package devnet_test

import (
	stdbig "math/big"
	"testing"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/devnet/contracts"
	"github.com/railkit/railkit/internal/prices"
)

// lending is the pool of a network, with one of its reserves.
type lending struct {
	token
	pool, gateway, aToken, debt contract
}

const (
	supplyCall   = "supply(address,uint256,address,uint16)"
	withdrawCall = "withdraw(address,uint256,address)"
	borrowCall   = "borrow(address,uint256,uint256,uint16,address)"
	repayCall    = "repay(address,uint256,uint256,address)"
)

var maxUint = new(stdbig.Int).Sub(new(stdbig.Int).Lsh(big(1), 256), big(1))

// reserveData is what getReserveData answers, as go-ethereum reads it.
type reserveData = struct {
	Configuration             *stdbig.Int `json:"configuration"`
	LiquidityIndex            *stdbig.Int `json:"liquidityIndex"`
	CurrentLiquidityRate      *stdbig.Int `json:"currentLiquidityRate"`
	VariableBorrowIndex       *stdbig.Int `json:"variableBorrowIndex"`
	CurrentVariableBorrowRate *stdbig.Int `json:"currentVariableBorrowRate"`
	CurrentStableBorrowRate   *stdbig.Int `json:"currentStableBorrowRate"`
	LastUpdateTimestamp       *stdbig.Int `json:"lastUpdateTimestamp"`
	//lint:ignore ST1003 go-ethereum finds the field by this spelling
	Id                          uint16         `json:"id"`
	ATokenAddress               common.Address `json:"aTokenAddress"`
	StableDebtTokenAddress      common.Address `json:"stableDebtTokenAddress"`
	VariableDebtTokenAddress    common.Address `json:"variableDebtTokenAddress"`
	InterestRateStrategyAddress common.Address `json:"interestRateStrategyAddress"`
	AccruedToTreasury           *stdbig.Int    `json:"accruedToTreasury"`
	Unbacked                    *stdbig.Int    `json:"unbacked"`
	IsolationModeTotalDebt      *stdbig.Int    `json:"isolationModeTotalDebt"`
}

func (c *client) lending(symbol string) lending {
	c.t.Helper()
	listed := chain.LendingPools(c.network)
	if len(listed) != 1 {
		c.t.Fatalf("%d pools", len(listed))
	}
	pool, err := contracts.LendingPool()
	l := lending{token: c.token(symbol), pool: c.contract(common.HexToAddress(listed[0].Pool), pool, err)}
	gateway, err := contracts.LendingGateway()
	l.gateway = c.contract(common.HexToAddress(listed[0].Gateway), gateway, err)
	shares, err := contracts.AToken()
	l.aToken = c.contract(l.data().ATokenAddress, shares, err)
	debts, err := contracts.DebtToken()
	l.debt = c.contract(l.data().VariableDebtTokenAddress, debts, err)
	return l
}

func (l lending) data() reserveData {
	l.t.Helper()
	return l.pool.read("getReserveData(address)", l.address).(reserveData)
}

// do sends a call with gas enough for the reserves of a pool.
func (l lending) do(from account, to common.Address, value *stdbig.Int, data []byte) *types.Receipt {
	l.t.Helper()
	nonce, err := l.PendingNonceAt(l.t.Context(), from.address)
	l.check(err)
	r := l.send(l.sign(from, &types.DynamicFeeTx{
		Nonce: nonce, To: &to, Value: value, Data: data, Gas: 600_000,
		GasTipCap: big(1), GasFeeCap: big(10 * params.GWei),
	}))
	succeeded(l.t, r)
	return r
}

func (l lending) supply(by account, amount *stdbig.Int, onBehalfOf common.Address) *types.Receipt {
	l.t.Helper()
	l.do(by, l.address, nil, l.token.pack("approve(address,uint256)", l.pool.address, amount))
	return l.do(by, l.pool.address, nil, l.pool.pack(supplyCall, l.address, amount, onBehalfOf, uint16(0)))
}

func (l lending) withdraw(by account, amount *stdbig.Int, to common.Address) {
	l.t.Helper()
	l.do(by, l.pool.address, nil, l.pool.pack(withdrawCall, l.address, amount, to))
}

func (l lending) shares(of common.Address) *stdbig.Int {
	l.t.Helper()
	return l.aToken.read("balanceOf(address)", of).(*stdbig.Int)
}

// held is what the pool has of the asset.
func (l lending) held() *stdbig.Int {
	l.t.Helper()
	return l.balanceOf(l.aToken.address)
}

// account is what getUserAccountData says: collateral, debt, what may be borrowed, threshold, loan to value and health.
func (l lending) account(of common.Address) (values [6]*stdbig.Int) {
	l.t.Helper()
	out, err := l.CallContract(l.t.Context(), ethereum.CallMsg{
		To: &l.pool.address, Data: l.pool.pack("getUserAccountData(address)", of),
	}, nil)
	l.check(err)
	for i := range values {
		values[i] = new(stdbig.Int).SetBytes(out[32*i : 32*i+32])
	}
	return values
}

// conserved holds what suppliers can ask for against what the pool has and is owed: never more, and little less.
func (l lending) conserved(suppliers ...common.Address) {
	l.t.Helper()
	owned := new(stdbig.Int)
	for _, s := range suppliers {
		owned.Add(owned, l.shares(s))
	}
	all := l.aToken.read("totalSupply()").(*stdbig.Int)
	backed := new(stdbig.Int).Add(l.held(), l.debt.read("totalSupply()").(*stdbig.Int))
	gap := new(stdbig.Int).Sub(backed, owned)
	if owned.Cmp(all) > 0 || all.Cmp(backed) > 0 || gap.Cmp(big(1000)) > 0 {
		l.t.Errorf("suppliers have %v, all together %v, and %v stand against it", owned, all, backed)
	}
}

// The lender of the genesis block, of whom nobody has the key.
var lender = common.HexToAddress("0x62cd2B7212BfF0ED42CeeF123e929033baE8d3a0")

// lendingStage is Base with Ana, who has 100,000 USDC, and Bob.
func lendingStage(t *testing.T) (l lending, ana, bob account) {
	t.Helper()
	p := start(t, t.TempDir())
	ana, bob = newAccount(t), newAccount(t)
	p.fund(t, "base", ana.address, "USDC", "100000")
	p.fund(t, "base", ana.address, "native", "10")
	p.fund(t, "base", bob.address, "native", "10")
	return p.chain(t, "base").lending("USDC"), ana, bob
}

// What is supplied grows by the rate that the pool says, second by second, can be taken out again by whoever holds the
// aTokens, and by nobody else.
func TestDevnet_LendingInterest(t *testing.T) {
	t.Parallel()
	l, ana, bob := lendingStage(t)
	amount := units("60000", 6)
	receipt := l.supply(ana, amount, ana.address)
	if l.pool.event(receipt, "Supply") != 1 || l.shares(ana.address).Cmp(amount) != 0 {
		t.Fatalf("after supplying %v: %v", amount, l.shares(ana.address))
	}
	since, rate := l.head().Time, l.data().CurrentLiquidityRate
	l.check(l.process.Mine(t.Context(), "base", 90))
	elapsed := int64(l.head().Time - since)
	want := new(stdbig.Int).Mul(amount, rate)
	want.Mul(want, big(elapsed)).Div(want, units("1", 27)).Div(want, big(365*24*3600))
	got := new(stdbig.Int).Sub(l.shares(ana.address), amount)
	if rate.Sign() == 0 || got.Sign() == 0 || got.Cmp(want) > 0 || got.Cmp(new(stdbig.Int).Sub(want, big(2))) < 0 {
		t.Errorf("%v in %d seconds at %v, want %v", got, elapsed, rate, want)
	}
	l.conserved(ana.address, lender)

	l.withdraw(ana, units("10000", 6), bob.address)
	if b := l.balanceOf(bob.address); b.Cmp(units("10000", 6)) != 0 {
		t.Errorf("Bob has %v", b)
	}
	l.pool.refused(bob.address, l.pool.pack(withdrawCall, l.address, big(1), bob.address), "none that the caller")
	l.supply(bob, units("10000", 6), ana.address)
	if l.shares(bob.address).Sign() != 0 || l.shares(ana.address).Cmp(amount) <= 0 {
		t.Errorf("of Bob's supply for Ana he has %v, she %v", l.shares(bob.address), l.shares(ana.address))
	}
	l.do(ana, l.aToken.address, nil, l.aToken.pack("transfer(address,uint256)", bob.address, units("5", 6)))
	if s := l.shares(bob.address); s.Cmp(units("5", 6)) < 0 {
		t.Errorf("Bob got %v aTokens", s)
	}
	l.conserved(ana.address, bob.address, lender)
	l.withdraw(ana, maxUint, ana.address)
	l.withdraw(bob, maxUint, bob.address)
	if b := l.balanceOf(ana.address); l.shares(ana.address).Sign() != 0 || b.Cmp(units("99995", 6)) <= 0 {
		t.Errorf("Ana ends with %v and %v aTokens", b, l.shares(ana.address))
	}
	l.conserved(lender)
	for _, call := range [][]byte{
		l.aToken.pack("mint(address,uint256,uint256)", bob.address, big(1), big(1)),
		l.aToken.pack("burn(address,uint256,uint256)", lender, big(1), big(1)),
		l.aToken.pack("pay(address,uint256)", bob.address, big(1)),
	} {
		l.aToken.refused(bob.address, call, "the caller is not the pool")
	}
	l.debt.refused(bob.address, l.debt.pack("burn(address,uint256,uint256)", lender, big(1), big(1)), "not the pool")
}

// The network's own coin goes to the pool and comes back by the gateway, which takes only what its caller has approved.
func TestDevnet_LendingCoin(t *testing.T) {
	t.Parallel()
	l, ana, bob := lendingStage(t)
	l = l.client.lending("WETH")
	deposit := l.gateway.pack("depositETH(address,address,uint16)", l.pool.address, ana.address, uint16(0))
	l.do(ana, l.gateway.address, units("4", 18), deposit)
	if s := l.shares(ana.address); s.Cmp(units("4", 18)) != 0 {
		t.Fatalf("after supplying 4 ETH: %v", s)
	}
	back := func(amount *stdbig.Int, to common.Address) []byte {
		return l.gateway.pack("withdrawETH(address,uint256,address)", l.pool.address, amount, to)
	}
	approve := func(amount *stdbig.Int) {
		l.do(ana, l.aToken.address, nil, l.aToken.pack("approve(address,uint256)", l.gateway.address, amount))
	}
	l.gateway.refused(ana.address, back(units("1", 18), ana.address), "exceeds allowance")
	approve(units("1", 18))
	to := newAccount(t).address
	l.do(ana, l.gateway.address, nil, back(units("1", 18), to))
	if b := l.balance(to); b.Cmp(units("1", 18)) != 0 {
		t.Errorf("1 ETH back is %v", b)
	}
	l.gateway.refused(ana.address, back(big(1), ana.address), "exceeds allowance")
	l.gateway.refused(bob.address, back(units("1", 18), bob.address), "exceeds allowance")
	l.check(l.process.Mine(t.Context(), "base", 20))
	approve(maxUint)
	l.do(ana, l.gateway.address, nil, back(maxUint, to))
	if b := l.balance(to); l.shares(ana.address).Sign() != 0 || b.Cmp(units("4", 18)) <= 0 {
		t.Errorf("all back is %v, and %v are left", b, l.shares(ana.address))
	}
	if b := l.balanceOf(l.gateway.address); b.Sign() != 0 || l.balance(l.gateway.address).Sign() != 0 {
		t.Errorf("the gateway keeps %v", b)
	}
	l.conserved(lender, l.gateway.address)
}

// Nobody borrows beyond his collateral, takes it away from below a debt, or borrows for somebody else.
func TestDevnet_LendingHealth(t *testing.T) {
	t.Parallel()
	l, ana, bob := lendingStage(t)
	l.supply(ana, units("1000", 6), ana.address)
	if a := l.account(ana.address); a[0].Cmp(units("1000", 8)) != 0 || a[2].Cmp(units("750", 8)) != 0 ||
		a[3].Int64() != 7800 || a[4].Int64() != 7500 || a[5].Cmp(maxUint) != 0 {
		t.Errorf("before a debt: %v", a)
	}
	borrow := func(amount *stdbig.Int, mode int64, of account) []byte {
		return l.pool.pack(borrowCall, l.address, amount, big(mode), uint16(0), of.address)
	}
	l.pool.refused(ana.address, borrow(units("751", 6), 2, ana), "does not cover")
	l.pool.refused(ana.address, borrow(units("1", 6), 1, ana), "only the variable rate")
	l.pool.refused(bob.address, borrow(units("1", 6), 2, ana), "nobody borrows for another")
	l.pool.refused(bob.address, borrow(units("1", 6), 2, bob), "does not cover")
	l.do(ana, l.pool.address, nil, borrow(units("700", 6), 2, ana))
	health := l.account(ana.address)[5]
	if health.Cmp(units("1.12", 18)) > 0 || health.Cmp(units("1.1", 18)) < 0 {
		t.Errorf("after borrowing 700 on 1000: health %v", health) // 780 / 700 is 1.114
	}
	l.pool.refused(ana.address, l.pool.pack(withdrawCall, l.address, units("200", 6), ana.address), "health factor")
	l.pool.refused(ana.address, l.pool.pack("setUserUseReserveAsCollateral(address,bool)", l.address, false), "health")
	l.aToken.refused(ana.address, l.aToken.pack("transfer(address,uint256)", bob.address, units("200", 6)), "health")
	l.withdraw(ana, units("50", 6), ana.address)
	l.conserved(ana.address, lender)

	l.check(l.process.Mine(t.Context(), "base", 30))
	owed := l.debt.read("balanceOf(address)", ana.address).(*stdbig.Int)
	if owed.Cmp(units("700", 6)) <= 0 {
		t.Errorf("no interest on a debt: %v", owed)
	}
	l.do(ana, l.address, nil, l.token.pack("approve(address,uint256)", l.pool.address, units("800", 6)))
	l.do(ana, l.pool.address, nil, l.pool.pack(repayCall, l.address, units("100", 6), big(2), ana.address))
	l.do(ana, l.pool.address, nil, l.pool.pack(repayCall, l.address, maxUint, big(2), ana.address))
	if a := l.account(ana.address); a[1].Sign() != 0 || a[5].Cmp(maxUint) != 0 {
		t.Errorf("after paying all back: %v", a)
	}
	l.do(ana, l.pool.address, nil, l.pool.pack("setUserUseReserveAsCollateral(address,bool)", l.address, false))
	if a := l.account(ana.address); a[0].Sign() != 0 {
		t.Errorf("what is no collateral counts as %v", a[0])
	}
	l.conserved(ana.address, lender)
}

// A pool lends every listed token, at the sandbox's prices.
func TestDevnet_LendingReserves(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	signed, err := prices.Table(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range chain.OfKind(chain.EVM, chain.Networks(chain.Sandbox)) {
		c := p.chain(t, n.Slug)
		for i, listed := range n.Tokens {
			l := c.lending(listed.Symbol)
			all := l.pool.read("getReservesList()").([]common.Address)
			if len(all) != len(n.Tokens) || all[i] != l.address || int(l.data().Id) != i {
				t.Errorf("%s: %v", n.Slug, all)
			}
			symbol := listed.Symbol
			if listed.Wraps != "" {
				symbol = listed.Wraps
			}
			got := l.pool.read("getAssetPrice(address)", l.address).(*stdbig.Int)
			if got.Cmp(usd(signed, symbol)) != 0 {
				t.Errorf("%s: %s is %v", n.Slug, symbol, got)
			}
			if s := l.aToken.read("symbol()"); s != "a"+listed.Symbol || l.data().CurrentLiquidityRate.Sign() == 0 {
				t.Errorf("%s: %v at %v", n.Slug, s, l.data().CurrentLiquidityRate)
			}
			l.conserved(lender)
		}
	}
}

func usd(r prices.Reading, symbol string) *stdbig.Int { return units(r.Prices[symbol], 8) }
