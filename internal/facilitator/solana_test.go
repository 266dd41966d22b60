package facilitator_test

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/rpc"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/facilitator"
	"github.com/railkit/railkit/internal/test/solanatest"
	"github.com/railkit/railkit/internal/test/testlog"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/shop"
)

// cluster is a chain of Solana with two nodes, a buyer with 10 USDC, a seller with a token account, and the account
// that pays the fees.
type cluster struct {
	*testing.T
	url, folder string
	network     chain.Network
	nodes       *rpc.Network
	signer      *bytesSigner
	by          facilitator.BytesSigner // signer, or another one
	buyer       ed25519.PrivateKey
	seller      solana.Address
	nonce       byte
	log         *testlog.Log
	wait        time.Duration // of the next facilitator for a settlement's end; 0: as long as a busy machine takes
}

// soon is no time for any settlement: what is under way is told to be pending, on the fastest machine too.
const soon = time.Nanosecond

func solanaKey(n int) ed25519.PrivateKey { return ed25519.NewKeyFromSeed(fmt.Appendf(nil, "%032d", n)) }

func solanaOf(k ed25519.PrivateKey) solana.Address {
	return solana.Address(k.Public().(ed25519.PublicKey))
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	n := solanatest.Network()
	at, _ := solanatest.New(t)
	c := &cluster{
		T: t, url: at.URL, folder: t.TempDir(), network: n, buyer: solanaKey(1), seller: solanaOf(solanaKey(2)),
		signer: &bytesSigner{key: solanaKey(3)}, log: &testlog.Log{},
	}
	var err error
	if c.nodes, err = rpc.DialAll(at.URL+"/a "+at.URL+"/b", n); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.nodes.Close)
	c.by = c.signer
	c.control("a", "requestAirdrop", c.signer.Account().String(), 1_000_000_000)
	c.control("a", "dev_faucet", solanaOf(c.buyer).String(), "USDC", "10")
	c.control("a", "dev_faucet", c.seller.String(), "USDC", "1")
	return c
}

// control changes the chain, or what one node says of it.
func (c *cluster) control(node, method string, params ...any) {
	c.Helper()
	solanatest.At(c, c.url+"/"+node).Ask(nil, method, params...)
}

// open starts a facilitator on the folder, as often as one likes, one after the other.
func (c *cluster) open() *facilitator.Facilitator {
	c.Helper()
	return c.openWith(map[string]facilitator.Cluster{x402.NetworkID(c.network): c.nodes})
}

func (c *cluster) openWith(clusters map[string]facilitator.Cluster) *facilitator.Facilitator {
	c.Helper()
	f, err := facilitator.Open(c.Context(), facilitator.Config{
		Folder: c.folder, Clock: clock.System{}, Log: slog.New(slog.NewTextHandler(c.log, nil)),
		Wait: cmp.Or(c.wait, testwait.Bound),
		Sponsor: &facilitator.SponsorConfig{
			Clusters: clusters, Signer: c.by,
		},
	})
	if err != nil {
		c.Fatal(err)
	}
	return f
}

func (c *cluster) serve() *facilitator.Facilitator {
	c.Helper()
	f := c.open()
	c.Cleanup(func() {
		if err := f.Close(); err != nil {
			c.Error(err)
		}
	})
	return f
}

// settles asks until a settlement has ended, for a facilitator that waits for none.
func (c *cluster) settles(f *facilitator.Facilitator, r x402.Request) (receipt x402.Receipt, err error) {
	c.Helper()
	testwait.Until(c, "the settlement ends", func() bool {
		receipt, err = f.Settle(c.Context(), r)
		return err != nil || !receipt.Pending()
	})
	return receipt, err
}

func (c *cluster) offer(amount string) x402.Offer {
	o := shop.Exactly(c.network, c.network.Tokens[0], amount, c.seller.String())
	o.Extra.FeePayer = c.by.Account().String()
	return o
}

// pay is what a facilitator is asked of a new payment for an offer.
func (c *cluster) pay(o x402.Offer) x402.Request {
	c.Helper()
	choice, skipped, ok := x402.Choose(x402.Offers{Dialect: o.Dialect, List: []x402.Offer{o}}, x402.Wants{
		Networks: []chain.Network{c.network}, Tokens: []string{"USDC"}, Methods: []x402.Method{x402.Sponsored},
		Max: big.NewInt(1 << 40),
	})
	if !ok {
		c.Fatalf("%+v", skipped)
	}
	c.nonce++
	p := choice.Pay(solanaOf(c.buyer).String(), [32]byte{c.nonce}, time.Now())
	p.Blockhash = c.blockhash()
	raw, err := p.ToSign()
	if err != nil {
		c.Fatal(err)
	}
	_, value, err := p.Header(ed25519.Sign(c.buyer, raw))
	if err != nil {
		c.Fatal(err)
	}
	payload, err := x402.DecodeHeader(value)
	if err != nil {
		c.Fatal(err)
	}
	offer, err := json.Marshal(o)
	if err != nil {
		c.Fatal(err)
	}
	return x402.Request{Version: o.Dialect.Version(), Payload: payload, Requirements: offer}
}

func (c *cluster) blockhash() [32]byte {
	c.Helper()
	client, err := rpc.Dial(c.url+"/a", c.network)
	if err != nil {
		c.Fatal(err)
	}
	defer client.Close()
	b, err := client.Blockhash(c.Context())
	if err != nil {
		c.Fatal(err)
	}
	return b.Hash
}

// has is what the seller has, beside the 1 USDC that he began with.
func (c *cluster) has() int64 {
	c.Helper()
	held, err := c.nodes.Balances(c.Context(), []string{c.seller.String()}, []string{c.network.Tokens[0].Address})
	if err != nil {
		c.Fatal(err)
	}
	return held[0].Tokens[0].Int64() - 1_000_000
}

// bytesSigner has the key at hand. It may keep silent, or refuse.
type bytesSigner struct {
	key ed25519.PrivateKey

	mu     sync.Mutex
	answer error // in place of a signature
	signed int
}

func (s *bytesSigner) Account() solana.Address { return solanaOf(s.key) }

func (s *bytesSigner) AskBytes(_ context.Context, unsigned []byte) ([]byte, error) {
	return json.Marshal(unsigned)
}

func (s *bytesSigner) says(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = err
}

func (s *bytesSigner) SignBytes(_ context.Context, request []byte) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answer != nil {
		return nil, s.answer
	}
	var unsigned []byte
	if err := json.Unmarshal(request, &unsigned); err != nil {
		return nil, err
	}
	tx, err := solana.DecodeTransaction(unsigned)
	if err != nil {
		return nil, err
	}
	message, err := tx.Message.Encode()
	if err != nil {
		return nil, err
	}
	if tx, err = tx.Attach(solanaOf(s.key), solana.Signature(ed25519.Sign(s.key, message))); err != nil {
		return nil, err
	}
	s.signed++
	return tx.Encode()
}

func (s *bytesSigner) Cancel(context.Context, []byte) error { return nil }

// A payment settles once: success is said after a final block, once, and then it is a duplicate, also after a restart.
func TestAgents_SolanaSettlesOnce(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	f := c.open()
	r := c.pay(c.offer("10000"))
	if v, err := f.Verify(t.Context(), r); err != nil || !v.Valid || v.Payer != solanaOf(c.buyer).String() {
		t.Fatalf("%+v, %v", v, err)
	}
	receipt, err := f.Settle(t.Context(), r)
	if err != nil || !receipt.Success || receipt.Transaction == "" || c.has() != 10_000 {
		t.Fatalf("%+v, %v, the seller has %d", receipt, err, c.has())
	}
	o, found, err := c.nodes.Receipt(t.Context(), receipt.Transaction)
	if err != nil || !found || !o.Succeeded {
		t.Errorf("success was said of %+v, %v", o, err)
	}
	again := func(f *facilitator.Facilitator) {
		got, err := f.Settle(t.Context(), r)
		if err != nil || got.Success || got.ErrorReason != x402.ReasonDuplicateSettlement ||
			got.Transaction != receipt.Transaction {
			t.Errorf("again: %+v, %v", got, err)
		}
	}
	again(f)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	again(c.serve())
	if c.has() != 10_000 || c.signer.signed != 1 {
		t.Errorf("the seller has %d, and %d were signed", c.has(), c.signer.signed)
	}
}

// Ten shops ask at once: one hears of success.
func TestAgents_SolanaSettlesOnceAtOnce(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	f, r := c.serve(), c.pay(c.offer("10000"))
	var all sync.WaitGroup
	var mu sync.Mutex
	told := 0
	for range 10 {
		all.Go(func() {
			receipt, err := f.Settle(t.Context(), r)
			mu.Lock()
			defer mu.Unlock()
			if err != nil || !receipt.Success && receipt.ErrorReason != x402.ReasonDuplicateSettlement {
				t.Errorf("%+v, %v", receipt, err)
			}
			if receipt.Success {
				told++
			}
		})
	}
	all.Wait()
	if told != 1 || c.has() != 10_000 {
		t.Errorf("success was said %d times, the seller has %d", told, c.has())
	}
}

// What is wrong with a payment is said by the words of the scheme, and nothing is signed.
func TestAgents_SolanaRefuses(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	f := c.serve()
	with := func(change func(o *x402.Offer)) x402.Request {
		r := c.pay(c.offer("10000"))
		o := c.offer("10000")
		change(&o)
		raw, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		r.Requirements = raw
		return r
	}
	poor, nobody := newBuyer(c, 9), solanaOf(solanaKey(8)).String()
	const mainnet = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"
	for name, tc := range map[string]struct {
		r    x402.Request
		want string
	}{
		"more":            {with(func(o *x402.Offer) { o.Amount = "10001" }), x402.ReasonSVMAmount},
		"another seller":  {with(func(o *x402.Offer) { o.PayTo = nobody }), x402.ReasonSVMRecipient},
		"another mint":    {with(func(o *x402.Offer) { o.Asset = c.network.Tokens[1].Address }), x402.ReasonSVMMint},
		"no fee payer":    {with(func(o *x402.Offer) { o.Extra.FeePayer = "" }), x402.ReasonSVMNoFeePayer},
		"another's fee":   {with(func(o *x402.Offer) { o.Extra.FeePayer = o.PayTo }), x402.ReasonSVMNotManaged},
		"another memo":    {with(func(o *x402.Offer) { o.Extra.Memo = "order-1" }), x402.ReasonSVMMemo},
		"another network": {with(func(o *x402.Offer) { o.Network = mainnet }), x402.ReasonSVMNetwork},
		"no money":        {poor, x402.ReasonSVMSimulation},
	} {
		v, err := f.Verify(t.Context(), tc.r)
		if err != nil || v.Valid || v.InvalidReason != tc.want {
			t.Errorf("%s: %+v, %v, want %s", name, v, err, tc.want)
		}
		receipt, err := f.Settle(t.Context(), tc.r)
		if err != nil || receipt.Success || receipt.ErrorReason != tc.want {
			t.Errorf("%s: %+v, %v, want %s", name, receipt, err, tc.want)
		}
	}
	if c.signer.signed != 0 {
		t.Errorf("%d were signed", c.signer.signed)
	}
}

// newBuyer is a payment of somebody without tokens.
func newBuyer(c *cluster, n int) x402.Request {
	rich := c.buyer
	defer func() { c.buyer = rich }()
	c.buyer = solanaKey(n)
	return c.pay(c.offer("10000"))
}

// One payment without an end stays where it is, and the others go on.
func TestAgents_SolanaStuckHoldsNobodyBack(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	c.wait = soon
	f := c.serve()
	c.signer.says(errors.New("no answer"))
	if receipt, err := f.Settle(t.Context(), c.pay(c.offer("10000"))); err == nil {
		t.Fatalf("nobody signed: %+v", receipt)
	}
	if f.Waiting() != 1 {
		t.Fatalf("%d wait", f.Waiting())
	}
	c.signer.says(nil)
	receipt, err := c.settles(f, c.pay(c.offer("20000")))
	if err != nil || !receipt.Success {
		t.Errorf("%+v, %v", receipt, err)
	}
	testwait.Until(t, "the first one is signed and settled", func() bool { return c.has() == 30_000 })
}

// A transaction that no block takes ends once its blockhash is too old for every node, and not before.
func TestAgents_SolanaExpires(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	c.wait = soon
	f := c.serve()
	r := c.pay(c.offer("10000"))
	hash := solana.Address(c.blockhash())
	for _, node := range []string{"a", "b"} {
		c.control(node, "dev_setView", map[string]any{"loses": true})
	}
	receipt, err := f.Settle(t.Context(), r)
	if err != nil || !receipt.Pending() {
		t.Fatalf("%+v, %v", receipt, err)
	}
	c.control("a", "dev_expire", hash.String())
	c.control("a", "dev_mine", 200) // a blockhash may have been newer than the newest final one
	testwait.Until(t, "it has expired", func() bool { return f.Waiting() == 0 })
	receipt, err = f.Settle(t.Context(), r)
	if err != nil || receipt.Success || receipt.ErrorReason != x402.ReasonInvalidTransaction ||
		receipt.Transaction == "" {
		t.Errorf("%+v, %v", receipt, err)
	}
}

// A restart finds what was under way: written down and not signed, or signed and not sent.
func TestAgents_SolanaRestarts(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(c *cluster){
		"not signed": func(c *cluster) { c.signer.says(errors.New("no answer")) },
		"not sent": func(c *cluster) {
			for _, node := range []string{"a", "b"} {
				c.control(node, "dev_setView", map[string]any{"loses": true})
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t)
			c.wait = soon
			f, r := c.open(), c.pay(c.offer("10000"))
			before(c)
			if receipt, err := f.Settle(t.Context(), r); err == nil && receipt.Success {
				t.Fatalf("%+v", receipt)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			c.signer.says(nil)
			for _, node := range []string{"a", "b"} {
				c.control(node, "dev_setView", map[string]any{})
			}
			c.wait = 0
			f = c.serve()
			receipt, err := f.Settle(t.Context(), r)
			if err != nil || !receipt.Success || c.has() != 10_000 {
				t.Errorf("%+v, %v, the seller has %d", receipt, err, c.has())
			}
		})
	}
}

// What the signer refuses for good is refused, and the payment is as if nobody had asked.
func TestAgents_SolanaNotSigned(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	f, r := c.serve(), c.pay(c.offer("10000"))
	c.signer.says(facilitator.ErrRefused)
	receipt, err := f.Settle(t.Context(), r)
	if err != nil || receipt.Success || receipt.ErrorReason != x402.ReasonInvalidTransaction || f.Waiting() != 0 {
		t.Errorf("%+v, %v", receipt, err)
	}
	c.signer.says(nil)
	if receipt, err = f.Settle(t.Context(), r); err != nil || !receipt.Success {
		t.Errorf("asked again: %+v, %v", receipt, err)
	}
}

// A payer's open payments share his balance.
func TestAgents_SolanaSharesTheBalance(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	c.wait = soon
	f := c.serve()
	one, two := c.pay(c.offer("6000000")), c.pay(c.offer("6000000"))
	for _, node := range []string{"a", "b"} {
		c.control(node, "dev_setView", map[string]any{"loses": true})
	}
	if receipt, err := f.Settle(t.Context(), one); err != nil || !receipt.Pending() {
		t.Fatalf("%+v, %v", receipt, err)
	}
	receipt, err := f.Settle(t.Context(), two)
	if err != nil || receipt.ErrorReason != x402.ReasonInsufficientFunds {
		t.Errorf("%+v, %v", receipt, err)
	}
}

// The facilitator names its networks, who pays the fee, and that wallets which are programs may pay; and says when its
// account runs out of SOL.
func TestAgents_SolanaSupportedAndHealth(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	f := c.serve()
	s := f.Supported()
	if len(s.Kinds) != 2 || s.Kinds[0].Network != x402.NetworkID(c.network) || s.Kinds[1].Network != "solana-devnet" ||
		s.Kinds[0].Extra.FeePayer != c.signer.Account().String() || len(s.Signers["solana:*"]) != 1 {
		t.Errorf("%+v", s)
	}
	if h := f.Health(t.Context()); !h.Ready {
		t.Errorf("%+v", h)
	}
	c.signer.key = solanaKey(77)
	if h := f.Health(t.Context()); h.Ready || len(h.Faults) != 1 {
		t.Errorf("without SOL: %+v", h)
	}
}
