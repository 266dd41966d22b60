package signing_test

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/internal/test/x402test"
	railkit "github.com/railkit/railkit/sdk/go"
)

// What an address has, and what went to and from it, is the chain's: also of an address that is nobody's wallet.
func TestSigning_Balances(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	stranger := x402test.NewKey(t).Address.String()
	none, err := c.Balances.Token(ctx, "base", strings.ToLower(stranger), "USDC")
	if err != nil || none.Balance != "0" || none.Formatted != "0" || none.Decimals != 6 || none.Chain != "base" {
		t.Fatalf("%+v, %v", none, err)
	}
	if all, err := c.Balances.Activity(ctx, "base", stranger, 0, 0); err != nil || len(all) != 0 {
		t.Errorf("of an address without any: %+v, %v", all, err)
	}
	for _, amount := range []string{"1.5", "0.000001"} {
		tx, err := c.Transactions.Send(ctx, alice.Passkey, alice.Payment(stranger, amount))
		if err != nil {
			t.Fatal(err)
		}
		testwait.Until(t, amount, func() bool {
			got, err := c.Transactions.Get(ctx, tx.TransactionID)
			return err == nil && got.Status == "confirmed"
		})
	}
	has, err := c.Balances.Token(ctx, "base-sepolia", stranger, "USDC")
	if err != nil || has.Balance != "1500001" || has.Formatted != "1.500001" {
		t.Errorf("%+v, %v", has, err)
	}
	all, err := c.Balances.Activity(ctx, "84532", stranger, 1, 0)
	if err != nil || len(all) != 2 || all[0].Amount != "1" || all[1].Formatted != "1.5" || all[0].Direction != "in" ||
		all[0].From != alice.Address.Address || all[0].BlockNumber <= all[1].BlockNumber || all[0].Timestamp == "" {
		t.Errorf("%+v, %v", all, err)
	}
	poison(t, c, a.Fund(c, "mallory@example.com"), alice.Address.Address, "1111"+strings.ToLower(stranger[6:]))
	out, err := c.Balances.Activity(ctx, "base", alice.Address.Address, 1, 1)
	if err != nil || len(out) != 1 || out[0].Direction != "out" || out[0].TxHash != all[0].TxHash {
		t.Errorf("%+v, %v", out, err)
	}
	for field, ask := range map[string]func() error{
		"chain": func() error { _, err := c.Balances.Token(ctx, "8453", stranger, "USDC"); return err },
		"address": func() error {
			_, err := c.Balances.Activity(ctx, "base", stranger[:41], 0, 0)
			return err
		},
		"symbol": func() error { _, err := c.Balances.Token(ctx, "base", stranger, "USDT"); return err },
		"days":   func() error { _, err := c.Balances.Activity(ctx, "base", stranger, 31, 0); return err },
	} {
		e := new(railkit.Error)
		if !errors.As(ask(), &e) || e.Status != 400 || !strings.Contains(e.Message, field) {
			t.Errorf("%s: %+v", field, e)
		}
	}
}

// A wallet is told at once what it has on every network; a node that is away leaves its own network without an answer.
func TestSigning_WalletBalances(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	has, err := c.Balances.Wallet(ctx, alice.Wallet.WalletID, strings.ToLower(alice.Address.Address))
	if err != nil || has.WalletID != alice.Wallet.WalletID || has.AddressesLeftOut != 0 {
		t.Fatalf("%+v, %v", has, err)
	}
	i := slices.IndexFunc(has.Networks, func(n railkit.NetworkBalances) bool { return n.Chain == "base" })
	if i < 0 {
		t.Fatalf("%+v", has.Networks)
	}
	base := has.Networks[i]
	if base.Error != nil || base.ChainID != 84532 || base.AsOf == "" || len(base.Balances) != 2 {
		t.Fatalf("%+v", base)
	}
	coin, usdc := base.Balances[0], base.Balances[1]
	if coin.Symbol != "ETH" || coin.TokenAddress != "" || coin.Balance == "0" || usdc.Symbol != "USDC" ||
		usdc.Formatted != "1000" || usdc.Balance != "1000000000" || usdc.Address != alice.Address.Address {
		t.Errorf("%+v", base.Balances)
	}
	_, err = c.Balances.Wallet(ctx, alice.Wallet.WalletID, x402test.NewKey(t).Address.String())
	if e := new(railkit.Error); !errors.As(err, &e) || e.Status != 404 {
		t.Errorf("an address of nobody's: %v", err)
	}
	_, err = c.Balances.Wallet(ctx, "wal_unknown", "")
	if e := new(railkit.Error); !errors.As(err, &e) || e.Status != 404 {
		t.Errorf("a wallet of nobody's: %v", err)
	}
}

// poison has somebody write a transfer of nothing from a victim to an address that looks like one that it paid. No
// allowance is needed for that.
func poison(t *testing.T, c *railkit.Client, by apptest.Owner, victim, like string) {
	t.Helper()
	const transferFrom, pad = "0x23b872dd", "000000000000000000000000"
	tx, err := c.Transactions.Send(ctx, by.Passkey, railkit.PrepareTransactionRequest{
		Type: railkit.Call, SignWith: by.Address.Address, ChainID: 84532, To: apptest.USDC().Address,
		Data: transferFrom + pad + victim[2:] + pad + like + strings.Repeat("0", 64),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Transactions.WaitConfirmed(ctx, tx.TransactionID, 20*time.Millisecond); err != nil {
		t.Fatal(err)
	}
}

// The curl lines of docs/balances.md work when they are pasted.
func TestSigning_BalanceLinesOfTheDocumentation(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	alice := a.Fund(a.Client(), "alice@example.com")
	script := exec.Command("sh", "-eu", "-c", shellLines(t, "../../docs/balances.md", "/balance"))
	script.Env = append(os.Environ(), "API="+a.BaseURL, "KEY="+a.Keys.APIKey, "ADDRESS="+alice.Address.Address,
		"WALLET="+alice.Wallet.WalletID)
	out, err := script.CombinedOutput()
	if text := string(out); err != nil || strings.Count(text, `"success":true`) != 3 ||
		!strings.Contains(text, `"formatted":"1000"`) || !strings.Contains(text, `"direction":"in"`) {
		t.Errorf("%v\n%s", err, out)
	}
}
