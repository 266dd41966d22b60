package signing_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// noAnswer is an answer that is no answer of a node.
func noAnswer(status int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(status)
		fmt.Fprint(w, text)
	}
}

// receipts is a node that makes up the receipt of every transaction.
func receipts(made func(hash string) any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			ID     json.RawMessage
			Params []string
		}
		_ = json.NewDecoder(r.Body).Decode(&call) // without an id the client gives up, as it should
		_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": call.ID, "result": made(call.Params[0])})
	}
}

func receipt(hash, status, number, block string) any {
	return map[string]any{
		"transactionHash": hash, "status": status, "blockNumber": number, "blockHash": block, "gasUsed": "0x5208",
	}
}

var nobodys = "0x" + strings.Repeat("99", 32)

// chainFault is one row: what the node does with one method, the state and the
// reason that confirm answers, and the state in which the row stays for as long
// as the node goes on. Afterwards the node is well, and every row is paid once.
type chainFault struct {
	name, method string
	does         http.HandlerFunc
	says, reason string
	stays        string
}

func sendFaults(node *apptest.Node, release <-chan struct{}) []chainFault {
	const away, refused, cheap, poor = "the node does not answer", "the node refuses the transaction",
		"its fee is below what the network asks", "the address cannot pay for it now"
	const send = "eth_sendRawTransaction"
	return []chainFault{
		{"another hash", send, apptest.Gives(nobodys), "pending", away, "pending"},
		{"no hash", send, apptest.Gives(nil), "pending", away, "pending"},
		{"taken, and an error said", send, node.TakesAndSays("internal error"), "pending", away, ""},
		{"taken, and called known", send, node.TakesAndSays("already known"), "broadcast", "", ""},
		{"taken, and its nonce called used", send, node.TakesAndSays("nonce too low"), "", "", ""},
		{"called known, and unknown", send, apptest.Says("already known"), "broadcast", "", "broadcast"},
		{
			"nonce called used by nobody", send, apptest.Says("nonce too low"), "pending",
			"another transaction used the nonce", "pending",
		},
		{"underpriced", send, apptest.Says("transaction underpriced"), "pending", cheap, "pending"},
		{
			"replacement underpriced", send, apptest.Says("replacement transaction underpriced"), "pending", cheap,
			"pending",
		},
		{"no funds", send, apptest.Says("insufficient funds for gas * price + value"), "pending", poor, "pending"},
		{"pool full", send, apptest.Says("txpool is full"), "pending", away, "pending"},
		{
			"of another chain", send, apptest.Says("invalid chain id for signer: have 84532 want 1"), "pending", away,
			"pending",
		},
		{"intrinsic gas", send, apptest.Says("intrinsic gas too low"), "pending", refused, "failed"},
		{"invalid sender", send, apptest.Says("invalid sender"), "pending", refused, "failed"},
		{"down", send, apptest.Down, "pending", away, "pending"},
		{"an HTML page", send, noAnswer(200, "<html>"), "pending", away, "pending"},
		{"too many requests", send, noAnswer(429, "slow down"), "pending", away, "pending"},
		{"half of an answer", send, noAnswer(200, `{"jsonrpc":"2.0","id":1,"result":"0x`), "pending", away, "pending"},
		{"hanging", send, apptest.Waits(release), "pending", away, "pending"},
	}
}

func receiptFaults() []chainFault {
	const look = "eth_getTransactionReceipt"
	made := func(status, number, block string) http.HandlerFunc {
		return receipts(func(hash string) any { return receipt(hash, status, number, block) })
	}
	return []chainFault{
		{"no receipt", look, apptest.Gives(nil), "broadcast", "", "broadcast"},
		{"receipts down", look, apptest.Down, "broadcast", "", "broadcast"},
		{"another's receipt", look, receipts(func(string) any {
			return receipt(nobodys, "0x1", "0x1", nobodys)
		}), "broadcast", "", "broadcast"},
		{"a receipt of a block not in the chain", look, made("0x1", "0x1", nobodys), "broadcast", "", "broadcast"},
		{"failed in a block not in the chain", look, made("0x0", "0x1", nobodys), "broadcast", "", "broadcast"},
		{"a receipt of a block to come", look, made("0x1", "0xffffff", nobodys), "broadcast", "", "broadcast"},
		{"a block number out of range", look, made("0x1", "0xffffffffffffffff", nobodys), "broadcast", "", "broadcast"},
		{"a negative block number", look, made("0x1", "-0x1", nobodys), "broadcast", "", "broadcast"},
		{"a receipt of nulls", look, receipts(func(hash string) any {
			return map[string]any{"transactionHash": hash, "status": nil}
		}), "broadcast", "", "broadcast"},
		{"a page for a receipt", look, noAnswer(200, "<html>"), "broadcast", "", "broadcast"},
		{"no head", "eth_blockNumber", apptest.Gives("0x"), "broadcast", "", "broadcast"},
		{"a head far behind", "eth_blockNumber", apptest.Gives("0x0"), "broadcast", "", "broadcast"},
	}
}

// Whatever the node says of a signed transaction: it is never signed again, it
// comes to no wrong end, and once the node is well it is paid, once.
func TestSigning_H04_ChainFaults(t *testing.T) {
	t.Parallel()
	a, node, _ := throughNode(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	release := make(chan struct{})
	defer close(release)
	for i, f := range append(sendFaults(node, release), receiptFaults()...) {
		payee, amount := randomAddress(t), fmt.Sprintf("1.%02d", i)
		p, err := c.Transactions.Prepare(ctx, alice.Payment(payee, amount))
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		stamp, err := alice.Passkey.Stamp(p.UnsignedActivity.Body)
		if err != nil {
			t.Fatal(err)
		}
		sent := confirmBroken(t, a, node, f, confirmBody(t, p.TransactionID, p.Signed(stamp)))
		staysBroken(t, a, c, f, p.TransactionID)
		node.Break(f.method, nil)
		// What the node says that it has, and has not, is sent again after a while.
		edit(
			t, a, "UPDATE transactions SET updated_at = $1 WHERE id = $2", clock.Micros(time.Now().Add(-time.Minute)),
			p.TransactionID,
		)
		if f.stays == "failed" {
			if got := a.Do(
				a.Keys.BenchKey, "POST", "/v1/transactions/broadcast/"+p.TransactionID+"/retry", "",
			); got.Status != 200 {
				t.Errorf("%s: retry: %d %s", f.name, got.Status, got.Body)
			}
		}
		settles(t, a, c, f.name, p.TransactionID)
		now := status(t, c, p.TransactionID)
		if now.SignedTransaction != sent || *now.Nonce != uint64(i) || now.Reason != "" {
			t.Errorf(
				"%s: in the end nonce %d, reason %q, other bytes %v", f.name, *now.Nonce, now.Reason,
				now.SignedTransaction != sent,
			)
		}
		if got := a.HoldsUSDC("base", payee); got != 1_000_000+int64(i)*10_000 {
			t.Errorf("%s: %d units arrived of %s", f.name, got, amount)
		}
	}
}

// confirmBroken confirms while the node misbehaves and gives the signed bytes. An answer of 200 came within the 30 s
// that the server gives every call, also where the node hangs.
func confirmBroken(t *testing.T, a *apptest.App, node *apptest.Node, f chainFault, body string) string {
	t.Helper()
	node.Break(f.method, f.does)
	got := a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", body)
	var answer struct {
		Data struct{ Status, Reason, SignedTransaction string }
	}
	if err := json.Unmarshal([]byte(got.Body), &answer); err != nil || got.Status != 200 {
		t.Fatalf("%s: %d %s", f.name, got.Status, got.Body)
	}
	if f.says != "" && (answer.Data.Status != f.says || !strings.HasSuffix(answer.Data.Reason, f.reason)) {
		t.Errorf(
			"%s: confirm says %s (%s), want %s (%s)", f.name, answer.Data.Status, answer.Data.Reason, f.says, f.reason,
		)
	}
	return answer.Data.SignedTransaction
}

// staysBroken has both jobs work while the node misbehaves.
func staysBroken(t *testing.T, a *apptest.App, c *railkit.Client, f chainFault, id string) {
	t.Helper()
	if f.stays == "" {
		return
	}
	for range 2 {
		_ = a.Signing.Broadcasts.Deliver(ctx, a.Keys.WorkspaceID, id) // an error asks for the next try
		if _, err := a.Signing.Broadcasts.Follow(ctx, a.Keys.WorkspaceID, id); err != nil {
			t.Errorf("%s: %v", f.name, err)
		}
	}
	if now := status(t, c, id); now.Status != f.stays {
		t.Errorf("%s: it is %s (%s), want %s", f.name, now.Status, now.Reason, f.stays)
	}
}

// settles does the jobs' work until the row is confirmed.
func settles(t *testing.T, a *apptest.App, c *railkit.Client, name, id string) {
	t.Helper()
	apptest.Eventually(t, name+": confirmed in the end", func() bool {
		_ = a.Signing.Broadcasts.Deliver(ctx, a.Keys.WorkspaceID, id) // the next round tells
		_, err := a.Signing.Broadcasts.Follow(ctx, a.Keys.WorkspaceID, id)
		return err == nil && status(t, c, id).Status == "confirmed"
	})
}
