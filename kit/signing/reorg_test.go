package signing_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// reorgChain is a network of the test's own, with money for the owner.
func reorgChain(t *testing.T, slug string) (*apptest.App, *railkit.Client, apptest.Owner, chain.Network) {
	t.Helper()
	apptest.Alone(t, slug)
	a := apptest.Rig(t, apptest.WithoutSweeper(), func(c *apptest.Config) {
		c.RPCURLs[slug] = strings.TrimSuffix(c.RPCURLs["base"], "base") + slug
	})
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	for _, asset := range []string{"native", "USDC"} {
		if _, err := c.Sandbox.Faucet(
			ctx, railkit.FaucetRequest{Chain: slug, Address: alice.Address.Address, Asset: asset, Amount: "100"},
		); err != nil {
			t.Fatal(err)
		}
	}
	n, _ := chain.BySlug(chain.Sandbox, slug)
	return a, c, alice, n
}

// A reorg takes a confirmed transaction into another block, or away; a deep one
// takes several. The rows follow, and in the end every payment is made once.
func TestSigning_H06_Reorgs(t *testing.T) {
	t.Parallel()
	const slug = "optimism"
	a, c, alice, network := reorgChain(t, slug)
	usdc, _ := network.TokenBySymbol("USDC")
	for _, r := range []struct {
		name   string
		blocks int // on top of the transaction
		depth  int
		drop   bool
		back   string // the state as the new branch is seen
	}{
		{"into another block", 0, 1, false, "confirmed"},
		{"dropped", 0, 1, true, "broadcast"},
		{"deep, into another block", 3, 4, false, "confirmed"},
		{"deep, dropped", 3, 4, true, "broadcast"},
		{"above it", 3, 2, true, "confirmed"},
	} {
		payee := randomAddress(t)
		pay := alice.Payment(payee, "3")
		pay.ChainID, pay.TokenAddress = network.ChainID, usdc.Address
		sent, err := c.Transactions.Send(ctx, alice.Passkey, pay)
		if err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		id := sent.TransactionID
		confirmed(t, a, c, id)
		if err := a.Devnet.SetAutomine(ctx, slug, false); err != nil {
			t.Fatal(err)
		}
		if r.blocks > 0 {
			if err := a.Devnet.Mine(ctx, slug, r.blocks); err != nil {
				t.Fatal(err)
			}
		}
		before := blockOf(t, a, id)
		if err := a.Devnet.Reorg(ctx, slug, r.depth, r.drop); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Signing.Broadcasts.Follow(ctx, a.Keys.WorkspaceID, id); err != nil {
			t.Fatal(err)
		}
		now, err := c.Transactions.GetBroadcast(ctx, id)
		if err != nil || now.Status != r.back || (now.BlockNumber == nil) != (r.back == "broadcast") {
			t.Errorf("%s: %+v, %v", r.name, now, err)
		}
		if same := blockOf(t, a, id) == before; same != (r.name == "above it") {
			t.Errorf("%s: the block's hash stayed: %v", r.name, same)
		}
		if err := a.Devnet.SetAutomine(ctx, slug, true); err != nil {
			t.Fatal(err)
		}
		if err := a.Devnet.Mine(ctx, slug, 1); err != nil {
			t.Fatal(err)
		}
		settles(t, a, c, r.name, id)
		if again := status(t, c, id); again.TxHash != sent.TxHash || again.SignedTransaction != sent.SignedTransaction {
			t.Errorf("%s: other bytes", r.name)
		}
		if got := a.HoldsUSDC(slug, payee); got != 3_000_000 {
			t.Errorf("%s: %d units arrived", r.name, got)
		}
	}
}

func blockOf(t *testing.T, a *apptest.App, id string) (hash string) {
	t.Helper()
	if err := a.Store.Writer().QueryRowContext(
		ctx, "SELECT block_hash FROM transactions WHERE id = $1", id,
	).Scan(&hash); err != nil {
		t.Fatal(err)
	}
	return hash
}

// A node that hangs, or is slow each time, holds up no request for as long as the 30 s that the server gives every call
// (else the answer would be 503), and nothing is signed on its account.
func TestSigning_H04_SlowNode(t *testing.T) {
	t.Parallel()
	a, node, _ := throughNode(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	id, signed := prepared(t, c, alice, "1")
	release := make(chan struct{})
	defer close(release)
	node.Break("*", apptest.Waits(release))
	wantError(
		t, a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/prepare", apptest.JSON(t, alice.Payment(receiver, "1"))),
		502, "node_unreachable",
	)
	wantError(
		t, a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", confirmBody(t, id, signed)), 502,
		"node_unreachable",
	)
	node.Break("*", lagging(a.Devnet.RPCURL("base"), release))
	got := a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/prepare", apptest.JSON(t, alice.Payment(receiver, "1")))
	if got.Status != 200 && got.Field("error") != "node_unreachable" {
		t.Errorf("slow each time: %d %s", got.Status, got.Body)
	}
	node.Break("*", nil)
	if now := status(t, c, id); now.Status != "awaiting_signature" || now.Nonce != nil {
		t.Errorf("meanwhile: %+v", now)
	}
	if got := a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", confirmBody(t, id, signed)); got.Status != 200 {
		t.Errorf("the same stamp once the node is well: %d %s", got.Status, got.Body)
	}
	confirmed(t, a, c, id)
}

// lagging is a node that answers rightly and takes nearly as long as it may.
func lagging(target string, release <-chan struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(2900 * time.Millisecond): // a slow one
		case <-release:
		}
		resp, err := http.Post(target, "application/json", r.Body)
		if err != nil {
			apptest.Down(w, r)
			return
		}
		defer resp.Body.Close()
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.Copy(w, resp.Body) // the client sees a short answer
	}
}

// A node of another chain gets nothing to send, whenever it comes to stand
// behind the URL, and the operator reads which one it is.
func TestSigning_H04_NodeOfAnotherChain(t *testing.T) {
	t.Parallel()
	a, node, _ := throughNode(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	id, signed := prepared(t, c, alice, "1")

	// It was another from the start.
	a.StopServer()
	node.Break("eth_chainId", apptest.Gives("0x1"))
	a.StartServer()
	c = a.Client()
	apptest.Eventually(t, "the log says so", func() bool {
		return strings.Contains(a.Log.String(), "a node is on another chain") &&
			strings.Contains(a.Log.String(), "base says chain id 1, not 84532")
	})
	confirm := func() apptest.Answer {
		return a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", confirmBody(t, id, signed))
	}
	wantError(t, confirm(), 502, "node_unreachable")
	wantError(
		t, a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/prepare", apptest.JSON(t, alice.Payment(receiver, "1"))),
		502, "node_unreachable",
	)

	// It becomes another as the transaction is sent.
	node.Break("eth_chainId", nil)
	node.Break("eth_sendRawTransaction", apptest.Says("invalid chain id for signer: have 84532 want 1"))
	if got := confirm(); got.Status != 200 || !strings.Contains(got.Body, `"status":"pending"`) {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	node.Break("eth_chainId", apptest.Gives("0x1"))
	before := node.Calls("eth_sendRawTransaction")
	for range 10 {
		if err := a.Signing.Broadcasts.Deliver(ctx, a.Keys.WorkspaceID, id); err == nil ||
			!strings.Contains(err.Error(), "on another chain") {
			t.Errorf("broadcast: %v", err)
		}
	}
	if now := status(t, c, id); now.Status != "pending" {
		t.Errorf("meanwhile: %s (%s)", now.Status, now.Reason)
	}
	if n := node.Calls("eth_sendRawTransaction") - before; n > 3 { // the request's and the job's were under way
		t.Errorf("sent %d times more", n)
	}
	node.Break("eth_chainId", nil)
	node.Break("eth_sendRawTransaction", nil)
	confirmed(t, a, c, id)
}

// A reorg may put a payment before the first coins of its payee, where it takes more gas than the node said: to write
// down that an address has something costs more than to change how much. It is paid all the same, once.
func TestSigning_ReorgBeforeThePayeesFirstCoins(t *testing.T) {
	t.Parallel()
	const slug = "ethereum"
	a, c, alice, network := reorgChain(t, slug)
	usdc, _ := network.TokenBySymbol("USDC")
	payee := randomAddress(t)
	if _, err := c.Sandbox.Faucet(
		ctx, railkit.FaucetRequest{Chain: slug, Address: payee, Asset: "USDC", Amount: "1"},
	); err != nil {
		t.Fatal(err)
	}
	pay := alice.Payment(payee, "3")
	pay.ChainID, pay.TokenAddress = network.ChainID, usdc.Address
	sent, err := c.Transactions.Send(ctx, alice.Passkey, pay)
	if err != nil {
		t.Fatal(err)
	}
	confirmed(t, a, c, sent.TransactionID)
	if err := a.Devnet.SetAutomine(ctx, slug, false); err != nil {
		t.Fatal(err)
	}
	if err := a.Devnet.Reorg(ctx, slug, 2, true); err != nil {
		t.Fatal(err)
	}
	if got := a.HoldsUSDC(slug, payee); got != 0 {
		t.Fatalf("the payee still has %d units", got)
	}
	if _, err := a.Signing.Broadcasts.Follow(ctx, a.Keys.WorkspaceID, sent.TransactionID); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(a.Devnet.SetAutomine(ctx, slug, true), a.Devnet.Mine(ctx, slug, 1)); err != nil {
		t.Fatal(err)
	}
	settles(t, a, c, "before the payee's first coins", sent.TransactionID)
	if got := a.HoldsUSDC(slug, payee); got != 3_000_000 {
		t.Errorf("%d units arrived", got)
	}
}
