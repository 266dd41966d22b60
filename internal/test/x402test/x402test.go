// Package x402test gives tests what a payment by x402 needs: a chain, a facilitator with an account that pays for gas,
// and buyers who have money. The account's key is the test's own, in the place of the signer.
package x402test

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/devnet"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/rpc"
	"github.com/railkit/railkit/chain/evm/signed"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/facilitator"
	"github.com/railkit/railkit/internal/supervise"
	"github.com/railkit/railkit/internal/test/testbin"
	"github.com/railkit/railkit/internal/test/testlog"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/shop"
)

// Slug is the network on which everything is.
const Slug = "base"

// Chain is the sandbox's chain of one network.
type Chain struct {
	URL     string // of the devnet
	Devnet  *devnet.Client
	Network chain.Network
	USDC    chain.Token
	Node    *rpc.Client
	t       testing.TB
}

// NewChain is the chain that all tests of the process share.
func NewChain(t testing.TB) *Chain {
	t.Helper()
	url, err := testbin.Devnet()
	if err != nil {
		t.Fatal(err)
	}
	return ChainAt(t, url)
}

// OwnChain is a chain that no other test makes blocks of. It waits where its blocks would run ahead of the clock by
// more than lead: buyers go by the clock, and a facilitator by the later of clock and chain.
func OwnChain(t testing.TB, lead time.Duration) *Chain {
	t.Helper()
	path, err := testbin.Path("railkit-devnet")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	group := supervise.New(io.Discard)
	t.Cleanup(group.Kill)
	child, err := group.Start(t.Context(), supervise.Spec{
		Name: "devnet", Path: path, Once: true,
		Args: func(supervise.Facts) []string {
			return []string{"--data", dir, "--addr", "127.0.0.1:0", "--lead", lead.String()}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return ChainAt(t, "http://"+child.Facts().Text("addr"))
}

// ChainAt is the chain of a devnet that runs already.
func ChainAt(t testing.TB, url string) *Chain {
	t.Helper()
	c := &Chain{URL: url, Devnet: devnet.NewClient(url), t: t}
	c.Network, _ = chain.BySlug(chain.Sandbox, Slug)
	c.USDC, _ = c.Network.TokenBySymbol("USDC")
	err := c.Devnet.Open(t.Context(), Slug)
	if err != nil {
		t.Fatal(err)
	}
	if c.Node, err = rpc.Dial(t.Context(), c.Devnet.RPCURL(Slug), c.Network); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Node.Close)
	return c
}

// Give is the faucet.
func (c *Chain) Give(to evm.Address, asset, amount string) {
	c.t.Helper()
	if _, err := c.Devnet.Faucet(c.t.Context(), Slug, to.String(), asset, amount); err != nil {
		c.t.Fatal(err)
	}
}

// Now is the later of the clock and the newest block's time: blocks of a busy devnet run ahead.
func (c *Chain) Now() time.Time {
	c.t.Helper()
	block, err := c.Node.Time(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	if now := time.Now(); now.After(block) {
		return now
	}
	return block
}

// Balance is what an address has, in millionths of a USDC.
func (c *Chain) Balance(of evm.Address) int64 {
	c.t.Helper()
	n, err := c.Node.TokenBalance(context.WithoutCancel(c.t.Context()), c.USDC.Address, of.String())
	if err != nil {
		c.t.Fatal(err)
	}
	return n.Int64()
}

// Offer is one of an amount, in millionths of a USDC, by EIP-3009.
func (c *Chain) Offer(amount string, payTo evm.Address) x402.Offer {
	return shop.Exactly(c.Network, c.USDC, amount, payTo.String())
}

// Key is an account outside of everything.
type Key struct {
	Secret  []byte
	Address evm.Address
}

// NewKey makes one.
func NewKey(t testing.TB) Key {
	t.Helper()
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails
	sig, err := evm.Sign(secret, [32]byte{1})
	if err != nil {
		t.Fatal(err)
	}
	at, err := evm.RecoverAddress([32]byte{1}, sig)
	if err != nil {
		t.Fatal(err)
	}
	return Key{secret, at}
}

// Buyer makes an account with an amount of USDC.
func (c *Chain) Buyer(amount string) Key {
	c.t.Helper()
	k := NewKey(c.t)
	c.Give(k.Address, "USDC", amount)
	return k
}

// Approve lets Permit2 take USDC of the account, as its owner does once.
func (c *Chain) Approve(k Key) {
	c.t.Helper()
	c.ApproveAmount(k, 1<<40)
}

// ApproveAmount lets Permit2 take an amount, in millionths of a USDC.
func (c *Chain) ApproveAmount(k Key, amount int64) {
	c.t.Helper()
	c.Give(k.Address, "native", "0.1")
	ctx := c.t.Context()
	token, err := evm.ParseAddress(c.USDC.Address)
	if err != nil {
		c.t.Fatal(err)
	}
	fee, err := c.Node.Fee(ctx)
	if err != nil {
		c.t.Fatal(err)
	}
	nonce, err := c.Node.NextNonce(ctx, k.Address.String())
	if err != nil {
		c.t.Fatal(err)
	}
	data, err := evm.EncodeTransfer(evm.Permit2Address(), big.NewInt(amount))
	if err != nil {
		c.t.Fatal(err)
	}
	copy(data, []byte{0x09, 0x5e, 0xa7, 0xb3}) // approve(address,uint256), which has the same arguments
	raw, err := evm.SignTx(evm.Tx{
		Type: evm.DynamicFee, ChainID: c.Network.ChainID, Nonce: nonce, MaxFeePerGas: fee.Max,
		MaxPriorityFeePerGas: fee.Priority, GasLimit: 100_000, To: &token, Value: new(big.Int), Data: data,
	}, k.Secret, k.Address)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := c.Node.Send(ctx, raw); err != nil {
		c.t.Fatal(err)
	}
	sum := evm.ID(raw)
	c.mined(chain.Hex(sum[:]))
}

func (c *Chain) mined(hash string) {
	c.t.Helper()
	testwait.Until(c.t, hash+" is mined", func() bool {
		ok, _, found, err := c.Node.Mined(c.t.Context(), hash)
		if err != nil || found && !ok {
			c.t.Fatalf("%s: %v %v", hash, ok, err)
		}
		return found
	})
}

// Pay signs a payment for an offer, under a new nonce, and gives it as header and as what a facilitator is asked.
func (c *Chain) Pay(k Key, o x402.Offer) (r x402.Request, name, value string) {
	c.t.Helper()
	choice, skipped, ok := x402.Choose(x402.Offers{Dialect: o.Dialect, List: []x402.Offer{o}}, x402.Wants{
		Networks: []chain.Network{c.Network}, Tokens: []string{"USDC"},
		Methods: []x402.Method{x402.EIP3009, x402.Permit2}, Upto: true, Max: big.NewInt(1 << 40),
	})
	if !ok {
		c.t.Fatalf("%+v", skipped)
	}
	var nonce [32]byte
	_, _ = rand.Read(nonce[:]) // never fails
	p := choice.Pay(k.Address.String(), nonce, c.Now())
	digest, err := p.ToSign()
	if err != nil {
		c.t.Fatal(err)
	}
	sig, err := evm.Sign(k.Secret, [32]byte(digest))
	if err != nil {
		c.t.Fatal(err)
	}
	if name, value, err = p.Header(signed.WriteSignature(sig)); err != nil {
		c.t.Fatal(err)
	}
	return c.Ask(o, value), name, value
}

// Ask is what a shop asks its facilitator of a payment for an offer.
func (c *Chain) Ask(o x402.Offer, header string) x402.Request {
	c.t.Helper()
	raw, err := x402.DecodeHeader(header)
	if err != nil {
		c.t.Fatal(err)
	}
	offer, err := json.Marshal(o)
	if err != nil {
		c.t.Fatal(err)
	}
	return x402.Request{Version: o.Dialect.Version(), Payload: raw, Requirements: offer}
}

// Facilitator is a running one.
type Facilitator struct {
	*facilitator.Facilitator
	URL    string
	Signer *Signer
	Log    *testlog.Log
}

// Facilitator starts one whose account has coins for gas.
func (c *Chain) Facilitator(changes ...func(*facilitator.Config)) *Facilitator {
	c.t.Helper()
	s := &Signer{Key: NewKey(c.t)}
	c.Give(s.Key.Address, "native", "1")
	return c.FacilitatorOf(s, changes...)
}

// FacilitatorOf starts one with a signer.
func (c *Chain) FacilitatorOf(s *Signer, changes ...func(*facilitator.Config)) *Facilitator {
	c.t.Helper()
	log := &testlog.Log{}
	config := facilitator.Config{
		Nodes: map[uint64]facilitator.Node{c.Network.ChainID: c.Node}, Signer: s, Folder: c.t.TempDir(),
		Clock: clock.System{}, Log: slog.New(slog.NewJSONHandler(log, nil)), Wait: time.Minute, // for a busy machine
	}
	for _, change := range changes {
		change(&config)
	}
	f, err := facilitator.Open(c.t.Context(), config)
	if err != nil {
		c.t.Fatal(err)
	}
	server := httptest.NewServer(f.Handler())
	c.t.Cleanup(func() {
		server.Close()
		if err := f.Close(); err != nil {
			c.t.Error(err)
		}
	})
	return &Facilitator{Facilitator: f, URL: server.URL, Signer: s, Log: log}
}

// Client asks the facilitator over HTTP, as shops do.
func (f *Facilitator) Client(t testing.TB) *shop.Client {
	t.Helper()
	c, err := shop.NewClient(f.URL, shop.Timeouts{})
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", f.URL, err))
	}
	return c
}

// Automine says whether the chain makes a block of each transaction that comes.
func (c *Chain) Automine(on bool) {
	c.t.Helper()
	if err := c.Devnet.SetAutomine(context.WithoutCancel(c.t.Context()), Slug, on); err != nil {
		c.t.Fatal(err)
	}
}

// Status is what a handler answers to a request with a value of the header Authorization.
func Status(h http.Handler, method, path, authorization string) int {
	r := httptest.NewRequest(method, path, nil)
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code
}
