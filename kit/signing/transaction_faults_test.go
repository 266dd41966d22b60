package signing_test

import (
	"encoding/json"
	"errors"
	"math/big"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// sweepTime is longer than the sweeper leaves a row alone.
const sweepTime = 20 * time.Second

// laterClock is a clock that the test puts forward.
type laterClock struct{ by atomic.Int64 }

func (l *laterClock) now() time.Time          { return time.Now().UTC().Add(time.Duration(l.by.Load())) }
func (l *laterClock) forward(d time.Duration) { l.by.Add(int64(d)) }

// throughNode is an application without sweeper whose base node the test can break.
func throughNode(t *testing.T) (*apptest.App, *apptest.Node, *laterClock) {
	t.Helper()
	var node *apptest.Node
	late := &laterClock{}
	a := apptest.Rig(t, apptest.WithoutSweeper(), apptest.WithClock(clock.Func(late.now)), func(c *apptest.Config) {
		node = apptest.NewNode(t, c.RPCURLs["base"])
		c.RPCURLs["base"] = node.URL
	})
	return a, node, late
}

func status(t *testing.T, c *railkit.Client, id string) railkit.Transaction {
	t.Helper()
	now, err := c.Transactions.Get(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	return *now
}

// A transaction prepared with broadcast:false is not sent: not by a job, not by the sweeper, and not after a crash.
func TestSigning_HeldStaysHeld(t *testing.T) {
	t.Parallel()
	a, node, late := throughNode(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	before := node.Calls("eth_sendRawTransaction")
	id, signed := prepared(t, c, alice, "1.5")
	no := false
	if _, err := c.Transactions.Confirm(
		ctx, railkit.ConfirmTransactionRequest{TransactionID: id, SignedActivity: signed, Broadcast: &no},
	); err != nil {
		t.Fatal(err)
	}
	work := func(when string) {
		t.Helper()
		late.forward(3 * time.Minute)
		if err := a.Signing.Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		if err := a.Signing.Broadcasts.Deliver(ctx, a.Keys.WorkspaceID, id); err != nil {
			t.Fatal(err)
		}
		if now := status(t, c, id); now.Status != "pending" ||
			now.TxHash == "" || node.Calls("eth_sendRawTransaction") != before {
			t.Errorf("%s: %s, sent %d times", when, now.Status, node.Calls("eth_sendRawTransaction")-before)
		}
		if n := count(t, a, "river_job WHERE kind = 'signing_broadcast'"); n != 0 {
			t.Errorf("%s: %d broadcast jobs", when, n)
		}
	}
	work("minutes later")
	// The crash: what was signed never came into the database.
	edit(t, a, "UPDATE transactions SET state = 'awaiting_signature', signed_transaction = '', tx_hash = '', nonce = NULL, proof = ''")
	work("after a crash")
	if sent, err := c.Transactions.Broadcast(ctx, id); err != nil || sent.Status != "broadcast" {
		t.Fatalf("when asked for: %+v, %v", sent, err)
	}
	confirmed(t, a, c, id)
}

// Whether a transaction is to be sent is written before it is signed where confirm says otherwise than prepare did, and
// not at all where it says the same.
func TestSigning_HeldIsWrittenWhereItChanges(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t, apptest.WithoutSweeper())
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	refuse(t, a, "UPDATE", "transactions", "NEW.state = 'awaiting_signature'")
	for _, prepared := range []bool{true, false} {
		for _, confirmed := range []bool{true, false} {
			req := alice.Payment(receiver, "1")
			req.Broadcast = &prepared
			p, err := c.Transactions.Prepare(ctx, req)
			if err != nil {
				t.Fatal(err)
			}
			stamp, err := alice.Passkey.Stamp(p.UnsignedActivity.Body)
			if err != nil {
				t.Fatal(err)
			}
			got := a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", apptest.JSON(t, map[string]any{
				"transactionId": p.TransactionID, "signedActivity": p.Signed(stamp), "broadcast": confirmed,
			}))
			out, err := a.Signing.Enclave.Outcome(ctx, wire.Fingerprint(p.UnsignedActivity.Body))
			if err != nil {
				t.Fatal(err)
			}
			if signed := out.State == wire.Done; signed != (prepared == confirmed) || signed != (got.Status == 200) {
				t.Errorf("prepared %t, confirmed %t: %s, and %d", prepared, confirmed, out.State, got.Status)
			}
		}
	}
}

// A crash after the signature leaves to the sweeper what prepare said, where confirm said the same.
func TestSigning_HeldSincePrepare(t *testing.T) {
	t.Parallel()
	a, node, late := throughNode(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	before := node.Calls("eth_sendRawTransaction")
	req := alice.Payment(receiver, "1")
	req.Broadcast = new(false)
	p, err := c.Transactions.Prepare(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	stamp, err := alice.Passkey.Stamp(p.UnsignedActivity.Body)
	if err != nil {
		t.Fatal(err)
	}
	allow := refuse(t, a, "INSERT", "audit", "NEW.action = 'transaction.sign'")
	wantError(t, a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", apptest.JSON(t, map[string]any{
		"transactionId": p.TransactionID, "signedActivity": p.Signed(stamp), "broadcast": false,
	})), 500, "internal")
	allow()
	late.forward(sweepTime)
	if err := a.Signing.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	sent, jobs := node.Calls("eth_sendRawTransaction")-before, count(t, a, "river_job WHERE kind = 'signing_broadcast'")
	if now := status(t, c, p.TransactionID); now.Status != "pending" || now.TxHash == "" || sent != 0 || jobs != 0 {
		t.Errorf("it is %s, was sent %d times, and %d jobs send it", now.Status, sent, jobs)
	}
}

// A reorg removes the block: the transaction is broadcast again, with the same bytes.
func TestSigning_ReorgMovesBack(t *testing.T) {
	t.Parallel()
	apptest.Alone(t, "polygon")
	a := apptest.Rig(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	polygon, _ := chain.BySlug(chain.Sandbox, "polygon")
	for _, asset := range []string{"native", "USDC"} {
		if _, err := c.Sandbox.Faucet(
			ctx, railkit.FaucetRequest{Chain: "polygon", Address: alice.Address.Address, Asset: asset, Amount: "100"},
		); err != nil {
			t.Fatal(err)
		}
	}
	usdc, _ := polygon.TokenBySymbol("USDC")
	pay := alice.Payment(receiver, "3")
	pay.ChainID, pay.TokenAddress = polygon.ChainID, usdc.Address
	sent, err := c.Transactions.Send(ctx, alice.Passkey, pay)
	if err != nil {
		t.Fatal(err)
	}
	confirmed(t, a, c, sent.TransactionID)

	if err := a.Devnet.SetAutomine(ctx, "polygon", false); err != nil {
		t.Fatal(err)
	}
	if err := a.Devnet.Reorg(ctx, "polygon", 1, true); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Signing.Broadcasts.Follow(ctx, a.Keys.WorkspaceID, sent.TransactionID); err != nil {
		t.Fatal(err)
	}
	back, err := c.Transactions.GetBroadcast(ctx, sent.TransactionID)
	if err != nil || back.Status != "broadcast" ||
		back.BlockNumber != nil || back.ConfirmedAt != nil || back.Confirmations != 0 || back.Reason == "" {
		t.Errorf("after the reorg: %+v, %v", back, err)
	}
	if n := count(t, a, "audit WHERE action = 'transaction.reorg' AND resource = $1", sent.TransactionID); n != 1 {
		t.Errorf("%d audit rows of the reorg", n)
	}
	if err := a.Devnet.SetAutomine(ctx, "polygon", true); err != nil {
		t.Fatal(err)
	}
	if err := a.Devnet.Mine(ctx, "polygon", 1); err != nil {
		t.Fatal(err)
	}
	confirmed(t, a, c, sent.TransactionID)
	again := status(t, c, sent.TransactionID)
	if again.TxHash != sent.TxHash || again.SignedTransaction != sent.SignedTransaction || again.Reason != "" {
		t.Errorf("confirmed again: %+v", again)
	}
}

// Two workers on one row: the later one changes nothing.
func TestSigning_LateWorkerChangesNothing(t *testing.T) {
	t.Parallel()
	a, node, _ := throughNode(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	for _, s := range []struct{ meanwhile, says string }{
		{"confirmed", "already known"}, // another worker sent it, and it was mined
		{"broadcast", "invalid sender"},
		{"broadcast", "nonce too low"},
	} {
		id := waitingForNode(t, a, c, node, alice)
		node.Break("eth_sendRawTransaction", func(w http.ResponseWriter, r *http.Request) {
			edit(t, a, "UPDATE transactions SET state = $1, attempts = 100 WHERE id = $2 AND state = 'pending'", s.meanwhile, id)
			apptest.Says(s.says)(w, r)
		})
		if err := a.Signing.Broadcasts.Deliver(ctx, a.Keys.WorkspaceID, id); err != nil {
			t.Logf("%s: %v", s.says, err)
		}
		if now := status(t, c, id); now.Status != s.meanwhile {
			t.Errorf("%s, while the node says %q: now %s (%s)", s.meanwhile, s.says, now.Status, now.Reason)
		}
		node.Break("eth_sendRawTransaction", nil)
	}
}

// waitingForNode is a signed transaction that no node has taken.
func waitingForNode(t *testing.T, a *apptest.App, c *railkit.Client, node *apptest.Node, o apptest.Owner) string {
	t.Helper()
	node.Break("eth_sendRawTransaction", apptest.Down)
	id, signed := prepared(t, c, o, "1")
	got := a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", confirmBody(t, id, signed))
	if got.Status != 200 || !strings.Contains(got.Body, `"status":"pending"`) {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	return id
}

// "nonce too low" may mean that the transaction itself was mined. Reported as failed, it might be paid a second time.
func TestSigning_UsedNonceIsNoFailureYet(t *testing.T) {
	t.Parallel()
	a, node, _ := throughNode(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	id := waitingForNode(t, a, c, node, alice)
	node.Break("eth_sendRawTransaction", apptest.Says("nonce too low"))
	node.Break("eth_getTransactionReceipt", apptest.Down)
	for range 10 {
		if err := a.Signing.Broadcasts.Deliver(ctx, a.Keys.WorkspaceID, id); err == nil {
			t.Error("nobody knows, and no other try is asked for")
		}
	}
	if now := status(t, c, id); now.Status != "pending" {
		t.Fatalf("while the receipt cannot be read: %s (%s)", now.Status, now.Reason)
	}
	node.Break("eth_getTransactionReceipt", nil) // a node that lags behind the others has none either
	node.Break("eth_getTransactionCount", apptest.Gives("0x1"))
	if err := a.Signing.Broadcasts.Deliver(ctx, a.Keys.WorkspaceID, id); err == nil {
		t.Error("given up at the first look: what failed otherwise before counts for nothing")
	}
	node.Break("eth_getTransactionCount", nil)
	for range 10 {
		if err := a.Signing.Broadcasts.Deliver(ctx, a.Keys.WorkspaceID, id); err == nil {
			t.Error("given up, while the node itself counts no transaction of the nonce")
		}
	}
	node.Break("eth_getTransactionCount", apptest.Gives("0x1"))
	apptest.Eventually(t, "it is given up in the end", func() bool {
		_ = a.Signing.Broadcasts.Deliver(ctx, a.Keys.WorkspaceID, id) // an error asks for the next try
		return status(t, c, id).Status == "failed"
	})
}

// stampedFee is the most that the body allows.
func stampedFee(t *testing.T, body string) *wire.Volatile {
	t.Helper()
	var b wire.Body
	var p wire.SignIntentParams
	if err := errors.Join(json.Unmarshal([]byte(body), &b), json.Unmarshal(b.Parameters, &p)); err != nil {
		t.Fatal(err)
	}
	total, _ := new(big.Int).SetString(p.MaxTotalFee, 10)
	gas, _ := new(big.Int).SetString(p.GasLimit, 10)
	return &wire.Volatile{
		MaxFeePerGas: total.Div(total, gas).String(), MaxPriorityFeePerGas: "1000000", NonceFloor: "0",
	}
}

// signDirectly has the enclave sign, as a server does that then crashes.
func signDirectly(t *testing.T, a *apptest.App, signed railkit.SignedActivity) string {
	t.Helper()
	enclave := client.New(a.EnclaveSock, a.EnclaveKey)
	defer enclave.Close()
	stamp := wire.Stamp(signed.Stamp)
	out, err := enclave.Submit(ctx, wire.SubmitRequest{
		Body: signed.Body, Stamp: &stamp, Volatile: stampedFee(t, signed.Body),
	}, railkit.Fingerprint(signed.Body))
	if err != nil {
		t.Fatal(err)
	}
	return out.Statement.Result.Transaction.TxHash
}

// After a crash the retry gets the first result, whatever the node answers by then: after "insufficient balance" the
// owner might pay again.
func TestSigning_RetryAfterACrashAsksNoNode(t *testing.T) {
	t.Parallel()
	a, node, _ := throughNode(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	id, signed := prepared(t, c, alice, "1")
	hash := signDirectly(t, a, signed)
	node.Break("eth_getBalance", apptest.Gives("0x0"))
	got := a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", confirmBody(t, id, signed))
	if got.Status != 200 || txHash(got) != hash {
		t.Errorf("the retry: %d %s", got.Status, got.Body)
	}
	node.Break("eth_getBalance", nil)
	confirmed(t, a, c, id)
}

// The sweeper may be faster than the request that it recovers. The answer still has the broadcast transaction.
func TestSigning_SweeperBeforeTheCommit(t *testing.T) {
	t.Parallel()
	a, node, late := throughNode(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	id, signed := prepared(t, c, alice, "1")
	late.forward(sweepTime) // owners take their time to stamp
	var swept atomic.Bool
	node.Break("eth_sendRawTransaction", func(w http.ResponseWriter, r *http.Request) {
		if swept.CompareAndSwap(false, true) {
			if err := a.Signing.Sweep(ctx); err != nil {
				t.Error(err)
			}
		}
		apptest.Says("already known")(w, r)
	})
	got := a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", confirmBody(t, id, signed))
	if got.Status != 200 || !strings.Contains(got.Body, `"status":"broadcast"`) {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	if n := count(t, a, "audit WHERE action = 'transaction.recover'"); n != 1 {
		t.Fatalf("the sweeper recovered %d rows", n)
	}
}

func TestSigning_ConfirmAgainWithAnotherBody(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	first, signed := prepared(t, c, alice, "1")
	second, other := prepared(t, c, alice, "2")
	confirm := func(id string, s railkit.SignedActivity) apptest.Answer {
		return a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", confirmBody(t, id, s))
	}
	if got := confirm(first, signed); got.Status != 200 {
		t.Fatal(got.Body)
	}
	wantError(t, confirm(first, other), 409, "not_awaiting_signature")
	if _, err := c.Transactions.Cancel(ctx, second); err != nil {
		t.Fatal(err)
	}
	wantError(t, confirm(second, signed), 409, "transaction_cancelled")
}

// The fee rose, and the stamped maximum still covers it: the transaction is signed.
func TestSigning_FeeUpToTheStampedMaximum(t *testing.T) {
	t.Parallel()
	a, node, _ := throughNode(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	node.Break("eth_maxPriorityFeePerGas", apptest.Gives("0x3b9aca00")) // 1 gwei
	// 10 gwei: at most 31.5 is stamped
	node.Break("eth_getBlockByNumber", apptest.Gives(map[string]string{"baseFeePerGas": "0x2540be400"}))
	id, signed := prepared(t, c, alice, "1")
	node.Break("eth_getBlockByNumber", apptest.Gives(map[string]string{"baseFeePerGas": "0x5d21dba00"})) // 25 gwei
	if got := a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", confirmBody(t, id, signed)); got.Status != 200 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	node.Break("eth_getBlockByNumber", nil) // a node without blocks has no transaction in one
	confirmed(t, a, c, id)
}
