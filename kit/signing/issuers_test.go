package signing_test

import (
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/issuer"
	railkit "github.com/railkit/railkit/sdk/go"
)

// oftenLooked has the nodes asked who issues each token many times a second.
func oftenLooked(c *app.Config) { c.IssuersEvery = 50 * time.Millisecond }

// issuerOf is the row of USDC.
func (w *solWorld) issuerOf() issuer.Issuer {
	w.t.Helper()
	i, err := issuer.Find(ctx, w.Store.Issuers(), "solana", "USDC")
	if err != nil {
		w.t.Fatal(err)
	}
	return i
}

// accept is the operator's word about what he saw.
func (w *solWorld) accept(i issuer.Issuer) {
	w.t.Helper()
	cmd := &command.Command{
		Principal: auth.Principal{Kind: "operator", ID: "ada", Tenant: auth.Tenant{WorkspaceID: issuer.Platform}},
		Operation: "admin token accept", Render: func(command.Reply) ([]byte, error) { return nil, nil },
	}
	if err := issuer.Accept(ctx, w.Store.Issuers(), cmd, i, i.Seen.Hash(), "looked", time.Now()); err != nil {
		w.t.Fatal(err)
	}
}

// incoming is the status of what came to an owner, by its amount.
func (w *solWorld) incoming(o apptest.Owner) map[string]string {
	w.t.Helper()
	lines, err := w.c.Wallets.ListTransactions(ctx, o.Wallet.WalletID, railkit.ListOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	all := map[string]string{}
	for _, l := range lines.Items {
		all[l.Amount+" "+l.TokenSymbol] = l.Status
	}
	return all
}

// Once somebody else may freeze a token, nobody is paid in it, neither what is prepared nor what was, and nobody is
// credited, until the operator has accepted it. Another token goes on, and what came meanwhile is there afterwards.
func TestSigning_SolanaIssuerChanges(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t, oftenLooked)
	bob := w.owner("issuer-bob@example.com")
	id, signed := w.prepared("2")
	kept := w.issuerOf()
	w.Control("a", "dev_setAuthority", w.mint, "freeze", bob.Address.Address)
	apptest.Eventually(t, "the change is noticed", func() bool { return len(w.issuerOf().Changed()) == 1 })
	got := w.Do(w.Keys.BenchKey, "POST", "/v1/transactions/prepare", apptest.JSON(t, w.pay(solPayee, "1")))
	for _, part := range []string{`"token_issuer_changed"`, "USDC on solana", "freeze authority was ", ", is " +
		bob.Address.Address, "railkit admin token accept --network solana --token " + w.mint + " --hash sha256:"} {
		if got.Status != 409 || !strings.Contains(got.Body, part) {
			t.Errorf("%d %s does not say %q", got.Status, got.Body, part)
		}
	}
	if got := w.confirm(id, signed, true); got.Status != 409 || !strings.Contains(got.Body, "token_issuer_changed") {
		t.Errorf("confirmed: %d %s", got.Status, got.Body)
	}
	w.Control("a", "dev_faucet", bob.Address.Address, "USDC", "7")
	got = w.Do(w.Keys.BenchKey, "POST", "/v1/transactions/sign?prepare=true", apptest.JSON(t, map[string]any{
		"signWith": w.alice.Address.Address, "type": "TRANSACTION_TYPE_SOLANA",
		"unsignedTransaction": chain.Hex(w.exactly(bob.Address.Address, w.tokens)),
	}))
	if got.Status != 409 || !strings.Contains(got.Body, "token_issuer_changed") {
		t.Errorf("exact bytes: %d %s", got.Status, got.Body)
	}
	w.Control("a", "dev_faucet", bob.Address.Address, "USDT", "8")
	coins := w.pay(solPayee, "0.01")
	coins.Type, coins.TokenAddress = railkit.TransferNative, ""
	sent, err := w.c.Transactions.Send(ctx, w.alice.Passkey, coins)
	if err != nil {
		t.Fatalf("SOL is not paid either: %v\n%s", err, w.Log)
	}
	w.becomes(sent.TransactionID, "confirmed")
	credited := func(what string) func() bool {
		return func() bool { return w.incoming(bob)[what] == "confirmed" }
	}
	apptest.Eventually(t, "the other token is credited", credited("8 USDT"))
	if all := w.incoming(bob); all["7 USDC"] != "pending" {
		t.Errorf("what came of the held one: %v", all)
	}
	w.accept(w.issuerOf())
	apptest.Eventually(t, "what was held is credited", credited("7 USDC"))
	if got := w.confirm(id, signed, true); got.Status != 200 {
		t.Errorf("confirmed afterwards: %d %s", got.Status, got.Body)
	}
	if _, err := w.c.Transactions.Send(ctx, w.alice.Passkey, w.pay(solPayee, "1")); err != nil {
		t.Errorf("paid afterwards: %v", err)
	}
	if w.issuerOf().Kept == kept.Kept {
		t.Error("what was accepted is not kept")
	}
}

// tokens is an instruction that pays the smallest unit of USDC.
func (w *solWorld) tokens(from, payee solana.Address) solana.Instruction {
	mint, err := solana.ParseAddress(w.mint)
	if err != nil {
		w.t.Fatal(err)
	}
	return solana.TransferToken(from, payee, mint, 1, 6)
}

// What was signed before the change is answered again as it was, so that nobody pays twice.
func TestSigning_SolanaIssuerChangesAfterSigning(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t, oftenLooked)
	id, signed := w.prepared("2")
	first := w.confirm(id, signed, true)
	w.Control("a", "dev_setAuthority", w.mint, "mint", solPayee)
	apptest.Eventually(t, "the change is noticed", func() bool { return len(w.issuerOf().Changed()) == 1 })
	again := w.confirm(id, signed, true)
	if first.Status != 200 || again.Status != 200 || w.txHash(again.Body) != w.txHash(first.Body) {
		t.Errorf("%d %s, %d %s", first.Status, first.Body, again.Status, again.Body)
	}
	w.becomes(id, "confirmed")
}

func (w *solWorld) txHash(body string) string {
	_, rest, _ := strings.Cut(body, `"txHash":"`)
	hash, _, _ := strings.Cut(rest, `"`)
	return hash
}

// At first sight all nodes have to say the same. One that is away later keeps nobody from paying; one that contradicts
// the others does.
func TestSigning_SolanaIssuerByItsNodes(t *testing.T) {
	t.Parallel()
	var b *apptest.Node
	w := startSolWorld(t, func(t testing.TB, options ...apptest.Option) *apptest.App {
		return apptest.Rig(t, append(options, oftenLooked, func(c *app.Config) {
			urls := strings.Fields(c.RPCURLs["solana"])
			b = apptest.NewNode(t, urls[1])
			b.Break("getAccountInfo", apptest.Down)
			c.RPCURLs["solana"] = urls[0] + " " + b.URL
		})...)
	})
	prepared := func() apptest.Answer {
		return w.Do(w.Keys.BenchKey, "POST", "/v1/transactions/prepare", apptest.JSON(t, w.pay(solPayee, "1")))
	}
	becomes := func(what string, status int, words ...string) {
		t.Helper()
		var got apptest.Answer
		apptest.Eventually(t, what, func() bool { got = prepared(); return got.Status == status })
		for _, part := range words {
			if !strings.Contains(got.Body, part) {
				t.Errorf("%s: %s does not say %q", what, got.Body, part)
			}
		}
	}
	becomes("one is away at first sight", 502, `"token_issuer_unknown"`, "every node has to answer")
	b.Break("getAccountInfo", nil)
	becomes("all are there", 200)
	b.Break("getAccountInfo", apptest.Down)
	becomes("one is away later", 200)
	b.Break("getAccountInfo", nil)
	w.Control("b", "dev_setView", map[string]any{"behind": 1})
	w.Control("a", "dev_setAuthority", w.mint, "freeze", solPayee)
	becomes("two contradict each other", 502, `"token_issuer_unknown"`, "the nodes contradict each other")
	w.Control("b", "dev_setView", map[string]any{})
	becomes("both have it", 409, `"token_issuer_changed"`)
}
