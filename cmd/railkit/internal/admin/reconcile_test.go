package admin

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/kit/payout"
	cmd "github.com/railkit/railkit/platform/command"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/store/storetest/payouttest"
)

func TestReconcile(t *testing.T) {
	for engine, r := range records(t) {
		t.Run(engine, func(t *testing.T) {
			err := r.Store.Payout().Work(t.Context(), "ws-1",
				func(ctx context.Context, tx payout.Tx) (cmd.Audit, error) {
					o, detected := payouttest.Deposited("ws-1", "o1", "w1", time.Now())
					o, err := payouttest.Walk(ctx, tx, o, detected)
					if err == nil {
						_, err = payouttest.Walk(ctx, tx, o, payouttest.Paid(o, time.Now())...)
					}
					return cmd.Audit{}, err
				})
			if err != nil {
				t.Fatal(err)
			}
			look := func(more ...string) (string, error) {
				var out bytes.Buffer
				err := reconcileBooks(t.Context(), cli.Env{Out: &out, Err: &out}, append(r.flags, more...))
				return out.String(), err
			}
			none := "# 1 orders, 13 ledger entries, 1 workspaces, 0 differences\n" +
				"# not compared with a partner: no --partner-url names one\n"
			if out, err := look(); err != nil || out != none {
				t.Fatalf("%v: %s", err, out)
			}
			if _, err := r.Writer().ExecContext(t.Context(),
				"UPDATE ledger_balances SET posted = 1 WHERE account = 'order:o1'"); err != nil {
				t.Fatal(err)
			}
			out, err := look("--workspace", "ws-1")
			if err == nil || !strings.Contains(out, "0.000001 more") ||
				!strings.Contains(out, "OFR-20261121-o1, completed, its own") {
				t.Errorf("%v: %s", err, out)
			}
			if out, err := look("--workspace", "ws-2"); err != nil || !strings.HasPrefix(out, "# 0 orders") {
				t.Errorf("another workspace: %v: %s", err, out)
			}
		})
	}
}

// With the settings of a server that has a partner, the command asks that and the
// chain too: a real payout fits on all sides, and what a chain does not have is found.
func TestPayout_ReconcileWithPartner(t *testing.T) {
	a := apptest.New(t, apptest.WithPartner(t))
	api, ctx := a.Client(), t.Context()
	who, err := api.Recipients.Create(ctx, railkit.RecipientRequest{
		Name: "Ana Ruiz", OwnerType: "individual",
		Address: railkit.PostalAddress{Street: "Av. Reforma 1", City: "CDMX", Country: "MX"},
	})
	if err != nil {
		t.Fatal(err)
	}
	account, err := api.BankAccounts.Create(ctx, who.ID, railkit.BankAccountRequest{
		Currency: "mxn", Country: "MX", CLABE: "032180000118359719",
	})
	if err != nil {
		t.Fatal(err)
	}
	to, err := api.WithdrawAddresses.Create(ctx, railkit.WithdrawAddressRequest{BeneficiaryAccountID: account.ID})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := api.Sandbox.Faucet(ctx, railkit.FaucetRequest{
		Chain: "base", Address: to.Address, Asset: "USDC", Amount: "100",
	}); err != nil {
		t.Fatal(err)
	}
	apptest.Eventually(t, "the deposit is paid out", func() bool {
		drains, err := api.WithdrawAddresses.ListDrains(ctx, to.ID, railkit.ListOptions{})
		return err == nil && len(drains.Items) == 1 && drains.Items[0].Status == "payment_processed"
	})
	c, s := a.Config(), beside(t, a)
	t.Setenv("RAILKIT_PARTNER_KEY", c.PartnerKey)
	s.settings = append(s.settings, "--partner-url", c.PartnerURL, "--rpc", "base="+c.RPCURLs["base"])
	if out, _ := s.must("reconcile"); !strings.HasSuffix(
		out, "# 1 wallets and account numbers at the partner, 0 differences, 0 under way\n"+
			"# 1 addresses at the partner, 0 that no row has",
	) {
		t.Error(out)
	}
	if _, err := a.Store.Writer().ExecContext(ctx,
		"UPDATE transfers SET block_hash = '0x1' WHERE owner_kind = 'withdraw'"); err != nil {
		t.Fatal(err)
	}
	code, out, said := s.run("reconcile", "--workspace", a.Keys.WorkspaceID)
	if code != 1 || !strings.Contains(out, "not on the node's chain") || !strings.Contains(out, a.Keys.WorkspaceID) ||
		!strings.Contains(said, "differ in 1 places") {
		t.Errorf("%d %s%s", code, out, said)
	}
	s.settings = append(s.settings[:len(s.settings)-2], "--rpc", "polygon="+c.RPCURLs["base"])
	if code, out, _ := s.run("reconcile"); code != 1 ||
		!strings.Contains(out, "asking the node of base: there is no node of it") {
		t.Errorf("%d %s", code, out)
	}
	for _, forget := range []string{ // as if an older database were put back
		"UPDATE withdraw_addresses SET partner_id = 'another', bank_account_id = 'another'",
		"DELETE FROM withdraw_directory",
	} {
		if _, err := a.Store.Writer().ExecContext(ctx, forget); err != nil {
			t.Fatal(err)
		}
	}
	code, out, _ = s.run("reconcile")
	if code != 1 || !strings.Contains(out, to.Address) ||
		!strings.Contains(out, "1 addresses at the partner, 1 that no row has") {
		t.Errorf("an address that no row has: %d %s", code, out)
	}
	take := beside(t, a)
	take.must("withdraw-address", "take-over", "--workspace", a.Keys.WorkspaceID, "--bank-account", account.ID,
		"--address", to.Address, "--partner-url", c.PartnerURL)
	if _, out, _ := s.run("reconcile"); !strings.Contains(out, "1 addresses at the partner, 0 that no row has") {
		t.Errorf("taken over: %s", out)
	}
}
