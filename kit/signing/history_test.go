package signing_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/watch"
	railkit "github.com/railkit/railkit/sdk/go"
)

// lines waits until a wallet's history has so many lines, none of which is pending.
func lines(t *testing.T, c *railkit.Client, o apptest.Owner, n int) []railkit.WalletTransaction {
	t.Helper()
	var got *railkit.Page[railkit.WalletTransaction]
	apptest.Eventually(t, "the history is whole", func() bool {
		var err error
		if got, err = c.Wallets.ListTransactions(ctx, o.Wallet.WalletID, railkit.ListOptions{}); err != nil {
			t.Fatal(err)
		}
		for _, l := range got.Items {
			if l.Status == "pending" {
				return false
			}
		}
		return len(got.Items) >= n && got.Meta.Total >= n // two reads
	})
	if len(got.Items) != n || got.Meta.Total != n {
		t.Fatalf("%d lines of %d, want %d: %+v", len(got.Items), got.Meta.Total, n, got.Items)
	}
	return got.Items
}

// A wallet's history shows what came to it beside what it sent. What it sends
// to itself is there once.
func TestSigning_History(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice, bob := a.Fund(c, "alice@example.com"), a.Fund(c, "bob@example.com")
	funded := lines(t, c, alice, 1)[0]
	if funded.Type != "receive" || funded.Amount != "1000" ||
		funded.TokenSymbol != "USDC" || funded.To != alice.Address.Address || funded.Network != "base" ||
		funded.Status != "confirmed" || funded.BlockNumber == 0 ||
		len(funded.TxHash) != 66 || funded.Counterparty != funded.From || funded.From == "" {
		t.Errorf("what the faucet gave: %+v", funded)
	}
	lines(t, c, bob, 1)
	paid, err := c.Transactions.Send(ctx, alice.Passkey, alice.Payment(bob.Address.Address, "2.5"))
	if err != nil {
		t.Fatal(err)
	}
	for owner, want := range map[*apptest.Owner]string{&alice: "send", &bob: "receive"} {
		line := lines(t, c, *owner, 2)[0]
		if line.Type != want || line.TxHash != paid.TxHash ||
			line.From != alice.Address.Address || line.To != bob.Address.Address || line.Amount != "2.5" {
			t.Errorf("%s: %+v", want, line)
		}
	}
	itself := alice.Payment(alice.Address.Address, "1")
	itself.AllowContract = true
	if _, err := c.Transactions.Send(ctx, alice.Passkey, itself); err != nil {
		t.Fatal(err)
	}
	if all := lines(t, c, alice, 3); all[0].Type != "send" || all[0].Amount != "1" {
		t.Errorf("to itself: %+v", all[0])
	}
	path := "/v1/signing/wallets/" + alice.Wallet.WalletID + "/transactions?"
	key := a.Keys.BenchKey
	whole := list(t, a, key, path).ids
	var paged []string
	for cursor := ""; ; {
		part := list(t, a, key, path+"limit=1&cursor="+cursor)
		paged = append(paged, part.ids...)
		if cursor = part.next; cursor == "" || part.all != 3 {
			break
		}
	}
	same(t, "page by page", paged, whole)
	same(t, "in", list(t, a, key, path+"direction=in").ids, whole[2:])
	same(t, "out", list(t, a, key, path+"direction=out&status=confirmed&tokenSymbol=USDC").ids, whole[:2])
	same(t, "of another token", list(t, a, key, path+"tokenSymbol=USDT").ids, []string{})
}

// withdrawals is what a transaction of the payout kit has.
type withdrawals interface {
	ListWithdrawAddress(ctx context.Context, address, workspaceID, id string) error
}

// deposits is an application that watches one network, which is the test's own,
// and wants a depth of three there.
type deposits struct {
	*apptest.App
	t          *testing.T
	slug, node string
}

func depositsOn(t *testing.T, slug string) deposits {
	t.Helper()
	apptest.Alone(t, slug)
	d := deposits{t: t, slug: slug}
	d.App = apptest.Rig(t, func(c *apptest.Config) {
		d.node = strings.TrimSuffix(c.RPCURLs["base"], "base") + slug
		c.RPCURLs, c.WatchDepth = map[string]string{slug: d.node}, 3
	})
	return d
}

func (d deposits) withdrawTo(address string) {
	d.t.Helper()
	err := d.Store.Signing().Work(ctx, d.Keys.WorkspaceID, func(
		ctx context.Context, tx signing.Tx,
	) (command.Audit, error) {
		return command.Audit{}, tx.(withdrawals).ListWithdrawAddress(ctx, address, d.Keys.WorkspaceID, "withdraw-1")
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d deposits) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// becomes waits until the one deposit is in a state.
func (d deposits) becomes(what string, state watch.State) (x watch.Transfer) {
	d.t.Helper()
	apptest.Eventually(d.t, what, func() bool {
		all, total, err := d.Store.Watch().TransfersOf(ctx, d.Keys.WorkspaceID, "withdraw-1", page.Page{Limit: 5})
		if err != nil || total > 1 {
			d.t.Fatalf("%d transfers, %v", total, err)
		}
		if total == 1 {
			x = all[0]
		}
		return x.State == state
	})
	return x
}

// ask calls the node itself.
func (d deposits) ask(method, param string) (result string) {
	d.t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":["` + param + `"]}`
	res, err := http.Post(d.node, "application/json", strings.NewReader(body))
	d.must(err)
	defer res.Body.Close()
	var answer struct{ Result string }
	d.must(json.NewDecoder(res.Body).Decode(&answer))
	if answer.Result == "" {
		d.t.Fatalf("%s: no result", method)
	}
	return answer.Result
}

// The watcher on a real chain: a deposit is seen, taken away by a reorg, mined
// again from the same bytes, and final three deep, through a restart of the
// server, and is one row all along.
func TestPayout_S6_OnARealChain(t *testing.T) {
	t.Parallel()
	d := depositsOn(t, "avalanche_c_chain")
	to := randomAddress(t)
	d.withdrawTo(to)
	d.must(d.Devnet.Mine(ctx, d.slug, 1))
	_, err := d.Client().Sandbox.Faucet(
		ctx, railkit.FaucetRequest{Chain: d.slug, Address: to, Asset: "USDC", Amount: "25"},
	)
	d.must(err)
	first := d.becomes("the deposit is seen", watch.Seen)
	raw := d.ask("eth_getRawTransactionByHash", first.Tx)

	d.must(d.Devnet.SetAutomine(ctx, d.slug, false))
	d.must(d.Devnet.Reorg(ctx, d.slug, 1, true))
	d.becomes("a reorg takes it away", watch.Dropped)
	d.StopServer()
	d.ask("eth_sendRawTransaction", raw)
	d.must(d.Devnet.Mine(ctx, d.slug, 1))
	d.StartServer()
	again := d.becomes("it is mined again", watch.Seen)
	if again.ID != first.ID || again.BlockHash == first.BlockHash || again.Amount != "25000000" {
		t.Errorf("first %+v\nagain %+v", first, again)
	}
	d.must(d.Devnet.Mine(ctx, d.slug, 1))
	apptest.Eventually(t, "the watcher is two deep", func() bool {
		head, _, err := d.Store.Watch().Head(ctx, d.slug)
		return err == nil && again.Confirmations(head.Number) == 2
	})
	d.becomes("two are not three", watch.Seen)
	d.must(d.Devnet.Mine(ctx, d.slug, 1))
	if last := d.becomes("it is final", watch.Final); last.ID != first.ID || last.FinalAt.IsZero() {
		t.Errorf("last %+v", last)
	}
}
