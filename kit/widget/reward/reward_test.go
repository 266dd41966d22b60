package reward_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/kit/widget/miniapp"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	railkit "github.com/railkit/railkit/sdk/go"
)

var ctx = context.Background()

const (
	ana    = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
	carl   = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC" // refers
	dora   = "0x90F79bf6EB2c4f870365E785982E1f101E93b906" // refers, too
	wallet = "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65" // of the mini apps
	baseID = 84532
)

// tips are the actions of the mini app that is tipped: 0.01 coin or 1 USDC to Ana, and two calls of the token.
const tips = `{"type":"transfer","label":"Tip","chains":{"source":"base-sepolia"},"to":"` + ana + `","amount":0.01},
	{"type":"transfer","label":"Tip USDC","chains":{"source":"base-sepolia"},"to":"` + ana + `","amount":1,
		"token":"0x036CbD53842c5426634e7929541eC2318f3dCF7e"},
	{"type":"blockchain","label":"Allow","chains":{"source":"base-sepolia"},
		"address":"0x036CbD53842c5426634e7929541eC2318f3dCF7e","functionName":"nothing",
		"abi":[{"type":"function","name":"nothing","inputs":[]}]}`

// listed lists a mini app as the operator does.
func listed(t *testing.T, a *apptest.App, actions string) (id string) {
	t.Helper()
	order := &command.Command{
		Principal: auth.Principal{Kind: auth.Kind(audit.Operator), ID: "ops"}, Operation: "admin miniapp add",
		Render: func(r command.Reply) ([]byte, error) { return json.Marshal(r.Data) },
	}
	answer, err := miniapp.New(a.Store.Widgets(), chain.Sandbox, clock.System{}).Add(ctx, order, miniapp.Listing{
		Metadata: []byte(`{"url":"https://app.example/tip","icon":"https://app.example/tip.png","title":"Tip jar",
			"description":"A tip","actions":[` + actions + `]}`),
		Operator: "Ana Apps", Type: "Tips", Wallet: wallet, Chain: "base",
	})
	if err != nil {
		t.Fatal(err)
	}
	var made struct{ ID string }
	if err := json.Unmarshal(answer.Body, &made); err != nil {
		t.Fatal(err)
	}
	return made.ID
}

// coin is a payment of the network's own coin.
func coin(by apptest.Owner, to, amount string) railkit.PrepareTransactionRequest {
	return railkit.PrepareTransactionRequest{
		Type: railkit.TransferNative, PayAgain: true, SignWith: by.Address.Address, ChainID: baseID, To: to,
		Amount: amount,
	}
}

// paid sends a payment and waits until it is mined.
func paid(t *testing.T, c *railkit.Client, by apptest.Owner, p railkit.PrepareTransactionRequest) (hash string) {
	t.Helper()
	tx, err := c.Transactions.Send(ctx, by.Passkey, p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Transactions.WaitConfirmed(ctx, tx.TransactionID, 20*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	return tx.TxHash
}

// judged reports again until a report is counted or refused.
func judged(t *testing.T, c *railkit.Client, r railkit.ExecutionReport) (s railkit.ExecutionStatus) {
	t.Helper()
	apptest.Eventually(t, "the job judges "+r.TxHash, func() bool {
		got, err := c.Rewards.Report(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		s = got.Events[0]
		return s.State != "pending"
	})
	return s
}

// A tip counts once, though it is reported twenty times at once at two servers and with two referrers: the first report
// stays.
func TestWidget_ExecutionCountsOnce(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t, apptest.WithPostgres(t))
	c, other := a.Client(), a.Another().Client()
	app := listed(t, a, tips)
	if m, err := c.Rewards.Metrics(ctx, railkit.RewardsQuery{Address: carl}); err != nil || m.TotalExecutions != 0 ||
		*m.TotalVolume != "0" || m.Currency != nil || len(m.Events) != 0 || m.ReferredMiniApps == nil {
		t.Errorf("before any: %+v, %v", m, err)
	}
	alice := a.Fund(c, "alice@example.com")
	first := railkit.ExecutionReport{
		MiniAppID: strings.ToUpper(app), TxHash: paid(t, c, alice, coin(alice, ana, "0.02")),
		UserAddress: strings.ToLower(alice.Address.Address), ReferrerAddress: strings.ToLower(carl), ChainID: baseID,
	}
	if got, err := c.Rewards.Report(ctx, first, first); err != nil || got.Processed != 1 || len(got.Events) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			again, at := first, []*railkit.Client{c, other}[i%2]
			again.ReferrerAddress = dora
			if _, err := at.Rewards.Report(ctx, again); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := judged(t, c, first); got.State != "counted" || got.Reason != nil {
		t.Fatalf("%+v", got)
	}
	if got, err := c.Rewards.Report(ctx, first); err != nil || !got.Indexed {
		t.Errorf("%+v, %v", got, err)
	}
	m, err := c.Rewards.Metrics(ctx, railkit.RewardsQuery{Address: carl, TimeRange: "24h"})
	if err != nil || m.TotalExecutions != 1 || m.TotalEvents != 1 || *m.TotalVolume != "0.02" || *m.Currency != "ETH" ||
		len(m.TriggerIDs) != 1 || m.ReferredMiniApps[0].Executions != 1 || m.Events[0].TxHash != first.TxHash ||
		m.Events[0].Amount != "20000000000000000" || m.Events[0].UserAddress != alice.Address.Address {
		t.Errorf("%+v, %v", m, err)
	}
	if m, err := c.Rewards.Metrics(ctx, railkit.RewardsQuery{Address: dora}); err != nil || m.TotalExecutions != 0 {
		t.Errorf("who was named later: %+v, %v", m, err)
	}

	// A token's payment, whose user names himself: it counts for the mini app, and for no referrer.
	own := first
	own.TxHash, own.ReferrerAddress = paid(t, c, alice, alice.Payment(ana, "1.5")), alice.Address.Address
	if got := judged(t, c, own); got.State != "counted" {
		t.Errorf("%+v", got)
	}
	m, err = c.Rewards.Metrics(ctx, railkit.RewardsQuery{Address: alice.Address.Address})
	if err != nil || m.TotalExecutions != 0 {
		t.Errorf("who named himself: %+v, %v", m, err)
	}
	apps, err := c.Rewards.MiniApps(ctx, railkit.RewardsQuery{})
	if err != nil || len(apps.MiniApps) != 1 || apps.MiniApps[0].ID != app || apps.MiniApps[0].Stats.Executions != 2 ||
		len(apps.MiniApps[0].Stats.Volume) != 2 || len(apps.MiniApps[0].Stats.Fees) != 0 ||
		apps.GlobalStats[0].Volume[0].Formatted != "1.5" || apps.GlobalStats[0].Volume[1].Formatted != "0.02" {
		t.Errorf("%+v, %v", apps, err)
	}
	var audited int
	if err := a.Store.Writer().QueryRowContext(ctx,
		"SELECT COUNT(*) FROM audit WHERE action = 'execution.count'").Scan(&audited); err != nil || audited != 2 {
		t.Errorf("%d entries, %v", audited, err)
	}
	linesOf(t, a, app, first)
}

// linesOf pastes the lines of docs/rewards.md.
func linesOf(t *testing.T, a *apptest.App, app string, r railkit.ExecutionReport) {
	t.Helper()
	doc, err := os.ReadFile("../../../docs/rewards.md")
	if err != nil {
		t.Fatal(err)
	}
	for i, block := range strings.Split(string(doc), "```sh\n")[1:] {
		lines, _, _ := strings.Cut(block, "```")
		script := exec.Command("sh", "-eu", "-c", lines)
		script.Env = append(os.Environ(), "API="+a.BaseURL, "KEY="+a.Keys.BenchKey, "MINIAPP="+app, "TX="+r.TxHash,
			"USER_ADDRESS="+r.UserAddress, "REFERRER="+carl)
		out, err := script.Output()
		n := strings.Count(string(out), `"success":true`)
		if err != nil || n == 0 || n != strings.Count(lines, "curl") {
			t.Errorf("block %d: %v\n%s", i, err, out)
		}
	}
}

// Nothing counts but what the chain shows: not a transaction of somebody else, one that failed, one that pays too
// little or another address, one of another network, or one that nobody knows.
func TestWidget_ExecutionsThatDoNotCount(t *testing.T) {
	t.Parallel()
	var node *apptest.Node
	a := apptest.Rig(t, func(c *apptest.Config) {
		node = apptest.NewNode(t, c.RPCURLs["base"])
		c.RPCURLs["base"] = node.URL
	})
	c := a.Client()
	app := listed(t, a, tips)
	alice := a.Fund(c, "alice@example.com")
	mine := railkit.ExecutionReport{
		MiniAppID: app, UserAddress: alice.Address.Address, ReferrerAddress: carl, ChainID: baseID,
	}
	of := func(hash string) railkit.ExecutionReport {
		r := mine
		r.TxHash = hash
		return r
	}
	before := of(paid(t, c, alice, coin(alice, ana, "0.01")))
	before.UserAddress = ana
	node.Break("eth_estimateGas", apptest.Gives("0xffff"))
	failed, err := c.Transactions.Send(ctx, alice.Passkey, railkit.PrepareTransactionRequest{
		Type: "call", SignWith: alice.Address.Address, ChainID: baseID, To: apptest.USDC().Address,
		Data: "0x0a5e28a4",
	})
	if err != nil {
		t.Fatal(err)
	}
	node.Break("eth_estimateGas", nil)
	for name, r := range map[string]railkit.ExecutionReport{
		"of somebody else":       before,
		"failed":                 of(failed.TxHash),
		"pays another address":   of(paid(t, c, alice, coin(alice, carl, "0.01"))),
		"pays too little":        of(paid(t, c, alice, coin(alice, ana, "0.001"))),
		"too little of a token":  of(paid(t, c, alice, alice.Payment(ana, "0.5"))),
		"a token to another one": of(paid(t, c, alice, alice.Payment(carl, "2"))),
	} {
		if got := judged(t, c, r); got.State != "refused" || got.Reason == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
	// The right user may be named after a wrong one.
	before.UserAddress = alice.Address.Address
	if got := judged(t, c, before); got.State != "counted" {
		t.Errorf("reported anew: %+v", got)
	}
	expires(t, a, c, of(unknownHash(t)))
	if m, err := c.Rewards.Metrics(ctx, railkit.RewardsQuery{Address: carl}); err != nil || m.TotalExecutions != 1 {
		t.Errorf("%+v, %v", m, err)
	}

	elsewhere := before
	elsewhere.ChainID = 43113
	asks := listed(t, a, `{"type":"http","label":"Ask","path":"https://app.example/ask"}`)
	for want, r := range map[string]railkit.ExecutionReport{
		"execution_unverifiable": elsewhere,
		"not_found":              {MiniAppID: "nobody", TxHash: before.TxHash, UserAddress: ana, ChainID: baseID},
		"validation_failed":      {MiniAppID: app, TxHash: "0x12", UserAddress: ana, ChainID: baseID},
	} {
		if _, err := c.Rewards.Report(ctx, before, r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	elsewhere.MiniAppID, elsewhere.ChainID = asks, baseID
	_, err = c.Rewards.Report(ctx, elsewhere)
	if err == nil || !strings.Contains(err.Error(), "execution_unverifiable") {
		t.Errorf("of one whose server does all: %v", err)
	}
}

func unknownHash(t *testing.T) string {
	t.Helper()
	raw := make([]byte, 32)
	if _, err := rand.Read(raw); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("0x%x", raw)
}

// expires shows that a transaction that no block has is pending for a day, and then refused.
func expires(t *testing.T, a *apptest.App, c *railkit.Client, r railkit.ExecutionReport) {
	t.Helper()
	id := ""
	for _, back := range []time.Duration{0, 23 * time.Hour, 25 * time.Hour} {
		got, err := c.Rewards.Report(ctx, r)
		if err != nil || got.Events[0].State != "pending" {
			t.Fatalf("%s after: %+v, %v", back, got, err)
		}
		at := clock.Micros(time.Now().Add(-back))
		a.Edit("UPDATE mini_app_executions SET created_at = $1 WHERE tx_hash = $2", at, r.TxHash)
		if err := a.Store.Writer().QueryRowContext(ctx,
			"SELECT id FROM mini_app_executions WHERE tx_hash = $1", r.TxHash).Scan(&id); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Rewards.Verify(ctx, a.Keys.WorkspaceID, id); err != nil {
			t.Fatal(err)
		}
	}
	if got := stateOf(t, a, id); got != "refused" {
		t.Errorf("after a day: %s", got)
	}
}

func stateOf(t *testing.T, a *apptest.App, id string) (state string) {
	t.Helper()
	if err := a.Store.Writer().QueryRowContext(ctx,
		"SELECT state FROM mini_app_executions WHERE id = $1", id).Scan(&state); err != nil {
		t.Fatal(err)
	}
	return state
}

// A reorg takes the transaction away before it is deep enough: it stays pending, and counts where it is mined again.
func TestWidget_ExecutionInAReorg(t *testing.T) {
	t.Parallel()
	const slug = "optimism"
	apptest.Alone(t, slug)
	a := apptest.Rig(t, apptest.WithoutSweeper(), func(c *apptest.Config) {
		c.RPCURLs[slug] = strings.TrimSuffix(c.RPCURLs["base"], "base") + slug
	})
	c := a.Client()
	n, _ := chain.BySlug(chain.Sandbox, slug)
	app := listed(t, a, strings.ReplaceAll(strings.SplitN(tips, "},\n", 2)[0]+"}", "base-sepolia", n.CommonName()))
	alice := a.Fund(c, "alice@example.com")
	if _, err := c.Sandbox.Faucet(ctx, railkit.FaucetRequest{
		Chain: slug, Address: alice.Address.Address, Asset: "native", Amount: "1",
	}); err != nil {
		t.Fatal(err)
	}
	tip := coin(alice, ana, "0.01")
	tip.ChainID = n.ChainID
	r := railkit.ExecutionReport{
		MiniAppID: app, TxHash: paid(t, c, alice, tip), UserAddress: alice.Address.Address, ChainID: n.ChainID,
	}
	if err := a.Devnet.SetAutomine(ctx, slug, false); err != nil {
		t.Fatal(err)
	}
	if err := a.Devnet.Reorg(ctx, slug, 1, true); err != nil {
		t.Fatal(err)
	}
	got, err := c.Rewards.Report(ctx, r)
	if err != nil || got.Events[0].State != "pending" {
		t.Fatalf("%+v, %v", got, err)
	}
	var id string
	if err := a.Store.Writer().QueryRowContext(ctx, "SELECT id FROM mini_app_executions").Scan(&id); err != nil {
		t.Fatal(err)
	}
	if again, err := a.Rewards.Verify(ctx, a.Keys.WorkspaceID, id); err != nil || again == 0 ||
		stateOf(t, a, id) != "pending" {
		t.Errorf("while it is in no block: %s, %v", again, err)
	}
	if err := a.Devnet.SetAutomine(ctx, slug, true); err != nil {
		t.Fatal(err)
	}
	if err := a.Devnet.Mine(ctx, slug, 1); err != nil {
		t.Fatal(err)
	}
	if got := judged(t, c, r); got.State != "counted" {
		t.Errorf("mined again: %+v", got)
	}
}
