package signing_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/devnet"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// lane is an application on a network of its own, that mines when it is told to,
// behind a node that can be broken.
type lane struct {
	*apptest.App
	t     *testing.T
	c     *railkit.Client
	alice apptest.Owner
	chain chain.Network
	node  *apptest.Node

	mu   sync.Mutex
	late time.Duration
}

// newLane takes a network for the test alone.
func newLane(t *testing.T, slug string, options ...apptest.Option) *lane {
	t.Helper()
	apptest.Alone(t, slug)
	l := &lane{t: t}
	l.chain, _ = chain.BySlug(chain.Sandbox, slug)
	now := clock.Func(func() time.Time { l.mu.Lock(); defer l.mu.Unlock(); return time.Now().UTC().Add(l.late) })
	options = append(options, apptest.WithClock(now), func(c *apptest.Config) {
		l.node = apptest.NewNode(t, devnet.NewClient(c.DevnetURL).RPCURL(slug))
		c.RPCURLs[slug] = l.node.URL
	})
	l.App = apptest.Rig(t, options...)
	l.c = l.Client()
	l.alice = l.Fund(l.c, "alice@example.com")
	if _, err := l.c.Sandbox.Faucet(
		ctx, railkit.FaucetRequest{Chain: slug, Address: l.alice.Address.Address, Asset: "native", Amount: "100"},
	); err != nil {
		t.Fatal(err)
	}
	l.ok(l.Devnet.SetAutomine(ctx, slug, false))
	return l
}

func (l *lane) ok(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatalf("%v\n%s", err, l.Log.Tail(20))
	}
}

func (l *lane) mine() { l.t.Helper(); l.ok(l.Devnet.Mine(ctx, l.chain.Slug, 1)) }

// at sets the server's clock that much ahead; the enclave, which refuses bodies
// of the future, has its own.
func (l *lane) at(late time.Duration) { l.mu.Lock(); l.late = late; l.mu.Unlock() }

func (l *lane) payment(amount string) railkit.PrepareTransactionRequest {
	return railkit.PrepareTransactionRequest{
		Type: railkit.TransferNative, PayAgain: true, SignWith: l.alice.Address.Address, ChainID: l.chain.ChainID,
		To: receiver, Amount: amount,
	}
}

// pay sends some of the native coin.
func (l *lane) pay(amount string) *railkit.Transaction {
	l.t.Helper()
	sent, err := l.c.Transactions.Send(ctx, l.alice.Passkey, l.payment(amount))
	l.ok(err)
	return sent
}

// hold signs a payment and sends nothing.
func (l *lane) hold(req railkit.PrepareTransactionRequest) *railkit.Transaction {
	l.t.Helper()
	p, err := l.c.Transactions.Prepare(ctx, req)
	l.ok(err)
	return l.confirm(p, false)
}

func (l *lane) confirm(p *railkit.PreparedTransaction, broadcast bool) *railkit.Transaction {
	l.t.Helper()
	stamp, err := l.alice.Passkey.Stamp(p.UnsignedActivity.Body)
	l.ok(err)
	tx, err := l.c.Transactions.Confirm(ctx, railkit.ConfirmTransactionRequest{
		TransactionID: p.TransactionID, SignedActivity: p.Signed(stamp), Broadcast: &broadcast,
	})
	l.ok(err)
	return tx
}

// refused posts a prepare that must not be.
func (l *lane) refused(body map[string]any, status int, words string) {
	l.t.Helper()
	got := l.Do(l.Keys.BenchKey, "POST", "/v1/transactions/prepare", apptest.JSON(l.t, body))
	if got.Status != status || !strings.Contains(got.Body, words) {
		l.t.Errorf("%v: %d %s, want %d %q", body, got.Status, got.Body, status, words)
	}
}

func (l *lane) becomes(id, state, reason string) railkit.Transaction {
	l.t.Helper()
	var now railkit.Transaction
	apptest.Eventually(l.t, state+" "+reason, func() bool {
		now = status(l.t, l.c, id)
		return now.Status == state && strings.Contains(now.Reason, reason)
	})
	return now
}

// A payment whose fee is too low is stuck, says so, and is mined as another one.
func TestSigning_StuckThenSpedUp(t *testing.T) {
	t.Parallel()
	l := newLane(t, "arbitrum")
	first := l.pay("1")
	high := "0x174876e800" // 100 gwei
	l.node.Break("eth_getBlockByNumber", apptest.Gives(map[string]string{"baseFeePerGas": high}))
	l.at(6 * time.Minute)
	stuck := l.becomes(first.TransactionID, "broadcast", "replace it with type speed_up")
	if !stuck.Stuck {
		t.Errorf("stuck = %+v", stuck)
	}
	l.at(8 * time.Minute)
	lines := func() int { return strings.Count(l.Log.String(), "a transaction is stuck") }
	told := lines() // its job and this test may have found it at once
	for range 3 {
		_, err := l.Signing.Broadcasts.Follow(ctx, l.Keys.WorkspaceID, first.TransactionID)
		l.ok(err)
	}
	if n := lines(); told == 0 || n != told {
		t.Errorf("%d lines about it, then %d", told, n)
	}
	l.node.Break("eth_getBlockByNumber", nil)
	l.at(10 * time.Minute)
	_, err := l.Signing.Broadcasts.Follow(ctx, l.Keys.WorkspaceID, first.TransactionID)
	l.ok(err)
	if now := status(t, l.c, first.TransactionID); now.Stuck || now.Reason != "" {
		t.Errorf("the network is cheap again: %+v", now)
	}
	l.node.Break("eth_getTransactionByHash", apptest.Gives(nil)) // the node has lost it
	sends := l.node.Calls("eth_sendRawTransaction")
	_, err = l.Signing.Broadcasts.Follow(ctx, l.Keys.WorkspaceID, first.TransactionID)
	l.ok(err)
	if l.node.Calls("eth_sendRawTransaction") <= sends || count(t, l.App, "transactions WHERE attempts > 0") != 1 {
		t.Error("it was not sent again")
	}
	l.node.Break("eth_getTransactionByHash", nil)
	l.at(0)

	second, err := l.c.Transactions.SpeedUp(ctx, l.alice.Passkey, first)
	l.ok(err)
	if *second.Nonce != *first.Nonce || second.Replaces != first.TransactionID ||
		second.Type != "speed_up" || second.Amount != "1" || second.To != receiver {
		t.Errorf("the replacement = %+v", second)
	}
	if was := status(t, l.c, first.TransactionID); was.ReplacedBy != second.TransactionID ||
		was.Status != "broadcast" || was.Stuck || was.Reason != "" {
		t.Errorf("the replaced one = %+v", was)
	}
	l.mine()
	confirmed(t, l.App, l.c, second.TransactionID)
	l.becomes(first.TransactionID, "failed", "replaced by another transaction")
	l.refused(map[string]any{"type": "void", "replaces": first.TransactionID}, 409, second.TransactionID)
	l.refused(map[string]any{"type": "void", "replaces": second.TransactionID}, 409, "it is mined")
}

// What should not happen after all makes room for what waits behind it.
func TestSigning_VoidTakesItsPlace(t *testing.T) {
	t.Parallel()
	l := newLane(t, "optimism")
	first := l.hold(l.payment("1"))
	behind := l.pay("2")
	if len(behind.WaitsFor) != 1 || behind.WaitsFor[0] != first.TransactionID {
		t.Errorf("waits for %v", behind.WaitsFor)
	}
	p, err := l.c.Transactions.PrepareReplacement(ctx, railkit.ReplaceRequest{Type: railkit.TypeVoid, Replaces: first})
	l.ok(err)
	void := l.confirm(p, false)
	if void.To != l.alice.Address.Address ||
		void.Amount != "0" || void.Replaces != first.TransactionID || *void.Nonce != *first.Nonce {
		t.Errorf("the void = %+v", void)
	}
	if now := status(t, l.c, behind.TransactionID); len(now.WaitsFor) != 1 || now.WaitsFor[0] != void.TransactionID {
		t.Errorf("waits for %v", now.WaitsFor)
	}
	wantError(
		t, l.Do(l.Keys.BenchKey, "POST", "/v1/transactions/broadcast/"+first.TransactionID, ""), 409,
		"transaction_replaced",
	)
	wantError(
		t, l.Do(l.Keys.BenchKey, "POST", "/v1/transactions/broadcast/"+first.TransactionID+"/retry", ""), 409,
		"transaction_replaced",
	)
	_, err = l.c.Transactions.Broadcast(ctx, void.TransactionID)
	l.ok(err)
	if now := status(t, l.c, behind.TransactionID); len(now.WaitsFor) != 0 {
		t.Errorf("the void is sent, and it waits for %v", now.WaitsFor)
	}
	l.mine()
	confirmed(t, l.App, l.c, void.TransactionID)
	confirmed(t, l.App, l.c, behind.TransactionID)
	ended := l.becomes(first.TransactionID, "failed", "replaced by another transaction")
	if ended.ReplacedBy != void.TransactionID {
		t.Errorf("ended = %+v", ended)
	}
	page, err := l.c.Transactions.List(ctx, railkit.TransactionListOptions{Status: "failed"})
	if err != nil || len(page.Items) != 1 || page.Items[0].ReplacedBy != void.TransactionID {
		t.Errorf("listed = %+v, %v", page, err)
	}
}

// A chain may mine what was replaced, and a reorg may change its mind.
func TestSigning_ReplacedIsMinedAllTheSame(t *testing.T) {
	t.Parallel()
	l := newLane(t, "ethereum")
	first := l.pay("1")
	l.node.Break("eth_sendRawTransaction", apptest.Down) // the replacement never arrives
	second, err := l.c.Transactions.SpeedUp(ctx, l.alice.Passkey, first)
	l.ok(err)
	if second.Status != "pending" || !strings.Contains(second.Reason, "does not answer") {
		t.Errorf("the replacement = %+v", second)
	}
	third, err := l.c.Transactions.Void(ctx, l.alice.Passkey, second)
	l.ok(err)
	l.mine()
	confirmed(t, l.App, l.c, first.TransactionID)
	l.becomes(second.TransactionID, "failed", "the transaction it replaces was mined")
	l.becomes(third.TransactionID, "failed", "the transaction it replaces was mined")
	l.node.Break("eth_sendRawTransaction", nil)

	l.ok(l.Devnet.Reorg(ctx, l.chain.Slug, 1, true)) // its block is gone, and so is it
	_, err = l.Signing.Broadcasts.Follow(ctx, l.Keys.WorkspaceID, first.TransactionID)
	l.ok(err)
	l.becomes(first.TransactionID, "broadcast", "a reorg took its block away")
	l.becomes(third.TransactionID, "broadcast", "")
	l.mine()
	confirmed(t, l.App, l.c, third.TransactionID)
	l.becomes(first.TransactionID, "failed", "replaced by another transaction")
	l.becomes(second.TransactionID, "failed", "")
}

// A transaction that no node ever takes keeps its nonce from those behind it,
// until another one is signed for it.
func TestSigning_DeadOneFreesItsNonce(t *testing.T) {
	t.Parallel()
	l := newLane(t, "avalanche_c_chain")
	l.node.Break("eth_sendRawTransaction", apptest.Says("invalid sender"))
	dead := l.pay("1")
	l.becomes(dead.TransactionID, "failed", "refuses")
	l.node.Break("eth_sendRawTransaction", nil)
	behind := l.pay("2")
	if len(behind.WaitsFor) != 1 || behind.WaitsFor[0] != dead.TransactionID {
		t.Errorf("waits for %v", behind.WaitsFor)
	}
	l.node.Break("eth_sendRawTransaction", apptest.Says("replacement transaction underpriced"))
	instead, err := l.c.Transactions.SpeedUp(ctx, l.alice.Passkey, dead)
	l.ok(err)
	if instead.Status != "pending" || !strings.Contains(instead.Reason, "its fee is below what the network asks") {
		t.Errorf("underpriced = %+v", instead)
	}
	wantError(
		t, l.Do(l.Keys.BenchKey, "POST", "/v1/transactions/broadcast/"+instead.TransactionID, ""), 502, "node_refused",
	)
	l.node.Break("eth_sendRawTransaction", nil)
	l.becomes(instead.TransactionID, "broadcast", "")
	l.mine()
	confirmed(t, l.App, l.c, instead.TransactionID)
	confirmed(t, l.App, l.c, behind.TransactionID)
	if now := status(t, l.c, dead.TransactionID); now.Status != "failed" || now.ReplacedBy != instead.TransactionID {
		t.Errorf("the dead one = %+v", now)
	}
}
