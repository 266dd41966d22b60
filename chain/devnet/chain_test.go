package devnet_test

import (
	"crypto/ecdsa"
	"errors"
	stdbig "math/big"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/devnet/contracts"
	"github.com/railkit/railkit/internal/test/testwait"
)

func big(n int64) *stdbig.Int { return stdbig.NewInt(n) }

// units reads decimal text that is known to be good.
func units(text string, decimals int) *stdbig.Int {
	whole, part, _ := strings.Cut(text, ".")
	n, _ := new(stdbig.Int).SetString(whole+part+strings.Repeat("0", decimals-len(part)), 10)
	return n
}

// account is a key outside the node.
type account struct {
	key     *ecdsa.PrivateKey
	address common.Address
}

func newAccount(t *testing.T) account {
	t.Helper()
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	return account{key, crypto.PubkeyToAddress(key.PublicKey)}
}

func (p *process) must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		p.kill(t) // only then is what it said complete
		t.Fatalf("%v\n%s", err, p.stderr.Bytes())
	}
}

func (p *process) fund(t *testing.T, slug string, to common.Address, asset, amount string) common.Hash {
	t.Helper()
	hash, err := p.Faucet(t.Context(), slug, to.Hex(), asset, amount)
	p.must(t, err)
	return common.HexToHash(hash)
}

// client is a chain as any tool sees it, by plain JSON-RPC.
type client struct {
	*ethclient.Client
	process *process
	t       *testing.T
	network chain.Network
}

func (p *process) chain(t *testing.T, slug string) *client {
	t.Helper()
	network, ok := chain.BySlug(chain.Sandbox, slug)
	if !ok {
		t.Fatalf("no network %s", slug)
	}
	c, err := ethclient.DialContext(t.Context(), p.RPCURL(slug))
	p.must(t, err)
	t.Cleanup(c.Close)
	return &client{Client: c, process: p, t: t, network: network}
}

func (c *client) check(err error) {
	c.t.Helper()
	c.process.must(c.t, err)
}

func (c *client) balance(of common.Address) *stdbig.Int {
	c.t.Helper()
	got, err := c.BalanceAt(c.t.Context(), of, nil)
	c.check(err)
	return got
}

func (c *client) receipt(hash common.Hash) *types.Receipt {
	c.t.Helper()
	got, err := c.TransactionReceipt(c.t.Context(), hash)
	c.check(err)
	return got
}

func (c *client) head() *types.Header {
	c.t.Helper()
	got, err := c.HeaderByNumber(c.t.Context(), nil)
	c.check(err)
	return got
}

func (c *client) pending() uint {
	c.t.Helper()
	got, err := c.PendingTransactionCount(c.t.Context())
	c.check(err)
	return got
}

// until polls a condition.
func (c *client) until(what string, holds func() bool) {
	c.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.After(testwait.Bound)
	for !holds() {
		select {
		case <-tick.C:
		case <-late:
			c.t.Fatalf("%s: does not come", what)
		}
	}
}

// signed is a transaction of an account with its next nonce.
func (c *client) signed(from account, to common.Address, value *stdbig.Int, data []byte) *types.Transaction {
	c.t.Helper()
	nonce, err := c.PendingNonceAt(c.t.Context(), from.address)
	c.check(err)
	return c.sign(from, &types.DynamicFeeTx{
		Nonce: nonce, To: &to, Value: value, Data: data, Gas: 200_000,
		GasTipCap: big(1), GasFeeCap: big(10 * params.GWei),
	})
}

func (c *client) sign(from account, tx *types.DynamicFeeTx) *types.Transaction {
	c.t.Helper()
	tx.ChainID = new(stdbig.Int).SetUint64(c.network.ChainID)
	got, err := types.SignNewTx(from.key, types.NewPragueSigner(tx.ChainID), tx)
	c.check(err)
	return got
}

// send sends and waits until the transaction is mined.
func (c *client) send(tx *types.Transaction) *types.Receipt {
	c.t.Helper()
	limit := patience
	receipt, err := c.SendTransactionSync(c.t.Context(), tx, &limit)
	c.check(err)
	return receipt
}

// contract is one of the first block's, called through its checked-in interface.
type contract struct {
	*client
	address common.Address
	abi     abi.ABI
}

func (c *client) contract(address common.Address, compiled *contracts.Contract, err error) contract {
	c.t.Helper()
	c.check(err)
	parsed, err := abi.JSON(strings.NewReader(string(compiled.ABI)))
	c.check(err)
	return contract{client: c, address: address, abi: parsed}
}

// token is a token contract of the network.
type token struct {
	contract
	listed chain.Token
}

func (c *client) token(symbol string) token {
	c.t.Helper()
	listed, ok := c.network.TokenBySymbol(symbol)
	if !ok {
		c.t.Fatalf("%s is not listed", symbol)
	}
	compiled, err := contracts.Token()
	return token{c.contract(common.HexToAddress(listed.Address), compiled, err), listed}
}

func (c *client) usdc() token { return c.token("USDC") }

// pack encodes a call by the method's full signature, which tells overloads apart.
func (k contract) pack(signature string, args ...any) []byte {
	k.t.Helper()
	method, err := k.abi.MethodById(crypto.Keccak256([]byte(signature))[:4])
	k.check(err)
	packed, err := method.Inputs.Pack(args...)
	k.check(err)
	return append(method.ID, packed...)
}

// read calls a method without arguments, or with some, and gives its first result.
func (k contract) read(signature string, args ...any) any {
	k.t.Helper()
	return k.readAll(signature, args...)[0]
}

func (k contract) readAll(signature string, args ...any) []any {
	k.t.Helper()
	data := k.pack(signature, args...)
	out, err := k.CallContract(k.t.Context(), ethereum.CallMsg{To: &k.address, Data: data}, nil)
	k.check(err)
	method, err := k.abi.MethodById(data[:4])
	k.check(err)
	values, err := method.Outputs.Unpack(out)
	k.check(err)
	return values
}

func (k token) balanceOf(who common.Address) *stdbig.Int {
	k.t.Helper()
	return k.read("balanceOf(address)", who).(*stdbig.Int)
}

// refused tries a call and wants it reverted with the reason.
func (k contract) refused(from common.Address, data []byte, reason string) {
	k.t.Helper()
	_, err := k.CallContract(k.t.Context(), ethereum.CallMsg{From: from, To: &k.address, Data: data}, nil)
	var answer rpc.DataError
	if !errors.As(err, &answer) || !strings.Contains(err.Error(), reason) {
		k.t.Errorf("want a revert with %q, got %v", reason, err)
	}
}

func (k contract) event(receipt *types.Receipt, name string) int {
	n := 0
	for _, l := range receipt.Logs {
		if l.Address == k.address && l.Topics[0] == k.abi.Events[name].ID {
			n++
		}
	}
	return n
}

func succeeded(t *testing.T, r *types.Receipt) {
	t.Helper()
	if r.Status != types.ReceiptStatusSuccessful {
		t.Fatalf("transaction %v failed", r.TxHash)
	}
}
