package exchange_test

import (
	"context"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/params"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/devnet"
	"github.com/railkit/railkit/chain/evm/rpc"
	"github.com/railkit/railkit/chain/exchange"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/internal/test/testbin"
	"github.com/railkit/railkit/internal/test/testwait"
)

// What the tests call beside routers.
const interfaces = `[
{"type":"function","name":"balanceOf","inputs":[{"name":"a","type":"address"}],
 "outputs":[{"name":"","type":"uint256"}],"stateMutability":"view"},
{"type":"function","name":"approve","inputs":[{"name":"a","type":"address"},{"name":"n","type":"uint256"}]},
{"type":"function","name":"deposit","inputs":[]},
{"type":"function","name":"getAmountsOut","inputs":[{"name":"in","type":"uint256"},{"name":"path","type":"address[]"}],
 "outputs":[{"name":"","type":"uint256[]"}],"stateMutability":"view"},
{"type":"function","name":"getPair","inputs":[{"name":"a","type":"address"},{"name":"b","type":"address"}],
 "outputs":[{"name":"","type":"address"}],"stateMutability":"view"},
{"type":"function","name":"getReserves","inputs":[],"outputs":[{"name":"a","type":"uint112"},
 {"name":"b","type":"uint112"},{"name":"c","type":"uint32"}],"stateMutability":"view"}]`

var calls = func() abi.ABI {
	parsed, err := abi.JSON(strings.NewReader(interfaces))
	if err != nil {
		panic(err) // a constant
	}
	return parsed
}()

// venue is an exchange on a chain of the devnet, and somebody who trades there.
type venue struct {
	*ethclient.Client
	t       *testing.T
	network chain.Network
	market  chain.Market
	devnet  *devnet.Client
	service *exchange.Service
	tries   node.Caller
	account
}

// open gives the exchange of a protocol. coin is its wrapped coin, where that is not the listed one.
func open(t *testing.T, slug, protocol string, coin *common.Address, trader account) venue {
	t.Helper()
	url, err := testbin.Devnet()
	if err != nil {
		t.Fatal(err)
	}
	n, _ := chain.BySlug(chain.Sandbox, slug)
	if coin != nil {
		n.Tokens[len(n.Tokens)-1].Address = coin.Hex()
	}
	v := venue{t: t, network: n, devnet: devnet.NewClient(url), account: trader}
	for _, m := range chain.Markets(n) {
		if m.Protocol == protocol {
			v.market = m
		}
	}
	v.Client, err = ethclient.DialContext(t.Context(), v.devnet.RPCURL(slug))
	v.check(err)
	t.Cleanup(v.Client.Close)
	client, err := rpc.Dial(t.Context(), v.devnet.RPCURL(slug), n)
	v.check(err)
	t.Cleanup(client.Close)
	v.service, v.tries = exchange.New([]chain.Network{n}, one{client}), client
	v.faucet("native", "100000")
	return v
}

// one is a platform that runs one node.
type one struct{ node node.Caller }

func (o one) Caller(string) (node.Caller, error) { return o.node, nil }

func (v venue) check(err error) {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
}

func (v venue) faucet(asset, amount string) {
	v.t.Helper()
	_, err := v.devnet.Faucet(v.t.Context(), v.network.Slug, v.address.Hex(), asset, amount)
	v.check(err)
}

func (v venue) token(symbol string) common.Address {
	v.t.Helper()
	token, ok := v.network.TokenBySymbol(symbol)
	if !ok {
		v.t.Fatalf("%s is not listed", symbol)
	}
	return common.HexToAddress(token.Address)
}

func (v venue) coin() common.Address {
	token, _ := v.network.Wrapped()
	return common.HexToAddress(token.Address)
}

// send sends a transaction, waits for its block and wants it to succeed. No to makes a contract.
func (v venue) send(to *common.Address, value *big.Int, data []byte) *types.Receipt {
	v.t.Helper()
	nonce, err := v.PendingNonceAt(v.t.Context(), v.address)
	v.check(err)
	id := new(big.Int).SetUint64(v.network.ChainID)
	signed, err := types.SignNewTx(v.key, types.NewPragueSigner(id), &types.DynamicFeeTx{
		ChainID: id, Nonce: nonce, To: to, Value: value, Data: data, Gas: 10_000_000,
		GasTipCap: big.NewInt(1), GasFeeCap: big.NewInt(100 * params.GWei),
	})
	v.check(err)
	limit := testwait.Bound
	receipt, err := v.SendTransactionSync(v.t.Context(), signed, &limit)
	v.check(err)
	if receipt.Status != types.ReceiptStatusSuccessful {
		asked := ethereum.CallMsg{From: v.address, To: to, Value: value, Data: data}
		_, err := v.CallContract(v.t.Context(), asked, nil)
		v.t.Fatalf("a transaction failed: %v", err)
	}
	return receipt
}

func (v venue) pack(method string, args ...any) []byte {
	v.t.Helper()
	data, err := calls.Pack(method, args...)
	v.check(err)
	return data
}

// read calls a method of the interfaces above and gives its results.
func (v venue) read(at common.Address, method string, args ...any) []any {
	v.t.Helper()
	out, err := v.CallContract(v.t.Context(), ethereum.CallMsg{To: &at, Data: v.pack(method, args...)}, nil)
	v.check(err)
	values, err := calls.Unpack(method, out)
	v.check(err)
	return values
}

// has is what the trader has of an asset.
func (v venue) has(asset chain.Token) *big.Int {
	v.t.Helper()
	if asset.Address == "" {
		n, err := v.BalanceAt(v.t.Context(), v.address, nil)
		v.check(err)
		return n
	}
	return v.read(common.HexToAddress(asset.Address), "balanceOf", v.address)[0].(*big.Int)
}

// ready gives the trader both dollars and wrapped coin, and lets the router take them.
func (v venue) ready() {
	v.t.Helper()
	v.faucet("USDC", "1000000")
	v.faucet("USDT", "1000000")
	coin := v.coin()
	v.send(&coin, whole(50_000, 18), v.pack("deposit"))
	for _, token := range []common.Address{v.token("USDC"), v.token("USDT"), coin} {
		v.allow(token, common.HexToAddress(v.market.Router))
	}
}

func (v venue) allow(token, spender common.Address) {
	v.t.Helper()
	v.send(&token, new(big.Int), v.pack("approve", spender, whole(1, 40)))
}

// whole is so many whole units.
func whole(n int64, decimals int) *big.Int {
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
	return unit.Mul(unit, big.NewInt(n))
}

func (v venue) quote(in exchange.Request) exchange.Quote {
	v.t.Helper()
	in.Chain, in.Protocol = v.network.Slug, v.market.Protocol
	q, err := v.service.Quote(context.WithoutCancel(v.t.Context()), in)
	v.check(err)
	return q
}
