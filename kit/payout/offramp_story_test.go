package payout_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/kit/payout/order"
	railkit "github.com/railkit/railkit/sdk/go"
)

// mexico is a recipient with a CLABE.
func mexico(t *testing.T, c *railkit.Client, name string) (recipient, account string) {
	t.Helper()
	r := must(c.Recipients.Create(t.Context(), person(name)))(t)
	a, err := c.BankAccounts.Create(
		t.Context(), r.ID,
		railkit.BankAccountRequest{Currency: "mxn", Country: "MX", CLABE: "032180000118359719", BankName: "STP"},
	)
	if err != nil || a.Status != "active" {
		t.Fatalf("%+v, %#v", a, err)
	}
	return r.ID, a.ID
}

// pays sends USDC from the owner's wallet.
func pays(t *testing.T, a *apptest.App, c *railkit.Client, o apptest.Owner, to, amount string) {
	t.Helper()
	if _, err := c.Sandbox.Faucet(
		t.Context(), railkit.FaucetRequest{Chain: "base", Address: to, Asset: "USDC", Amount: amount},
	); err != nil {
		t.Fatal(err)
	}
}

// The whole way over the public API: a real chain, a partner in its own process, a
// bank in Mexico. What comes back from it goes to the wallet.
func TestPayout_OffRampStory(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	owner := a.Fund(c, "ana@example.com")
	_, account := mexico(t, c, "Ana Ruiz")
	address := must(c.WithdrawAddresses.Create(
		t.Context(), railkit.WithdrawAddressRequest{BeneficiaryAccountID: account, WalletID: owner.Wallet.WalletID},
	))(t)
	if address.ReturnAddress != owner.Address.Address ||
		address.DestinationPaymentRail != "spei" || address.Status != "active" {
		t.Errorf("%+v", address)
	}
	if again := must(c.WithdrawAddresses.Create(
		t.Context(), railkit.WithdrawAddressRequest{BeneficiaryAccountID: account},
	))(t); again.WithdrawAddress != address.WithdrawAddress || again.Payee != nil || address.Payee == nil {
		t.Errorf("%+v\nat first %+v", again, address)
	}
	pays(t, a, c, owner, address.Address, "100")
	d := drained(t, c, address.ID, 1, "payment_processed")[0]
	if d.Amount != "100" ||
		d.Destination.TrackingKey == "" || d.Destination.Amount == "" || len(d.Fees) != 2 || d.OrderReference == "" {
		t.Errorf("%+v", d)
	}
	timeline := must(a.App.Payout.Orders.Timeline(t.Context(), a.Keys.WorkspaceID, d.OrderID))(t)
	var kinds []order.Kind
	for _, e := range timeline {
		kinds = append(kinds, e.Kind)
	}
	if want := []order.Kind{
		order.DepositDetected, order.DepositConfirmed, order.PayoutReserved, order.FiatSubmitted, order.FiatReceived,
	}; !slices.Equal(kinds, want) {
		t.Errorf("the timeline is %v", kinds)
	}
	paid := must(c.Recipients.ListWithAccounts(t.Context(), railkit.RecipientListOptions{}, false))(t).Items[0].Summary
	last := timeline[len(timeline)-1].At
	want := railkit.RecipientSummary{
		Total: "100.000000", Payments: 1, LastAt: new(clock.ISO(last)), LastAmount: new("100.000000"),
		Currency: "USD",
	}
	if last.UTC().Year() != time.Now().UTC().Year() {
		want.Total, want.Payments = "0.000000", 0 // the year has just ended
	}
	if !reflect.DeepEqual(paid, want) {
		t.Errorf("the recipient was paid %+v, want %+v", paid, want)
	}
}

// drained waits until an address has so many drains, the last of them in a state.
func drained(t *testing.T, c *railkit.Client, address string, n int, status string) (all []railkit.Drain) {
	t.Helper()
	testwait.Until(t, fmt.Sprintf("drain %d of %s is %s", n, address, status), func() bool {
		all = must(c.WithdrawAddresses.ListDrains(t.Context(), address, railkit.ListOptions{}))(t).Items
		return len(all) == n && all[n-1].Status == status
	})
	return all
}

// A quote is paid as it was promised, whichever way the rate moves until then, and
// by the partner's own ledger the wallet gives its gross: no more, and no less.
func TestPayout_QuoteTakesItsGross(t *testing.T) {
	t.Parallel()
	a := apptest.New(t, apptest.WithPartner(t))
	d := &counter{App: a, Client: a.Client(), t: t}
	d.rate("18.5", 0)
	d.to, d.account = d.recipient("Ana García", mexican)
	address := must(d.WithdrawAddresses.Create(
		t.Context(), railkit.WithdrawAddressRequest{BeneficiaryAccountID: d.account.ID},
	))(t)
	for i, moved := range []string{"18.45", "18.6"} {
		d.rate("18.5", 0)
		p := d.execute(d.quote("100", "USDC"))
		d.rate(moved, 0)
		pays(t, a, d.Client, apptest.Owner{}, address.Address, "100")
		drain := drained(t, d.Client, address.ID, i+1, "payment_processed")[i]
		if drain.OrderReference != p.Reference || drain.Destination.Amount != p.NetAmount {
			t.Errorf("%+v\nwant %+v", drain, p)
		}
		detail := must(d.Orders.Get(t.Context(), p.OrderID))(t)
		if e := detail.Explanation; e.Drift == "0.000000" || e.Platform != "0.250000" || e.Network != "0.500000" {
			t.Errorf("%+v", e)
		}
	}
	for _, at := range must(a.Partner.Ledger(t.Context(), ""))(t).Accounts {
		if strings.HasPrefix(at.Account, "wallet:") && !strings.HasPrefix(at.Balance, "0.000000") {
			t.Errorf("the wallet has %s %s left", at.Balance, at.Currency)
		}
	}
}

// What cannot be set up says why.
func TestPayout_OffRampRefusals(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	recipient, account := mexico(t, c, "Ana Ruiz")
	const setup = "/v1/payout/accounts/setup/"
	post := func(path string, body map[string]string) apptest.Answer {
		body["beneficiaryId"], body["beneficiaryAccountId"] = recipient, account
		return a.Do(a.Keys.BenchKey, "POST", path, apptest.JSON(t, body))
	}
	liquid := func(chain, currency string) apptest.Answer {
		return post(setup+"liquidation-address", map[string]string{"chain": chain, "currency": currency})
	}
	wantCode(t, "USDT on base", liquid("base", "usdt"), 400, "pair_unsupported", "USDT is not issued on base")
	wantCode(t, "no node of solana", liquid("solana", "usdc"), 503, "chain_not_watched", "")
	wantCode(t, "tron", liquid("tron", "usdt"), 400, "validation_failed", "chain must be one of")
	wantCode(t, "no node", liquid("arbitrum", "usdc"), 503, "chain_not_watched", "")
	wantCode(
		t, "no address yet", post(setup+"virtual-account", map[string]string{}), 400, "withdraw_address_required", "",
	)
	if _, err := c.Recipients.SetStatus(
		t.Context(), recipient, railkit.RecipientStatusRequest{Status: "archived"},
	); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "archived", liquid("base", "usdc"), 422, "recipient_archived", "")
	if _, err := c.Recipients.SetStatus(
		t.Context(), recipient, railkit.RecipientStatusRequest{Status: "active"},
	); err != nil {
		t.Fatal(err)
	}
	if made, known := liquid("base", "usdc"), liquid("base", "usdc"); made.Status != 201 || known.Status != 200 {
		t.Errorf("%d and %d", made.Status, known.Status)
	}
	v := must(c.WithdrawAddresses.SetUpVirtualAccount(
		t.Context(), railkit.VirtualAccountRequest{BeneficiaryID: recipient, BeneficiaryAccountID: account},
	))(t)
	if len(v.CLABE) != 18 || v.Currency != "MXN" || v.BeneficiaryID != recipient {
		t.Errorf("%+v", v)
	}
	snake := a.Do(a.Keys.BenchKey, "POST", "/v1/payout/offramp/withdraw-addresses",
		apptest.JSON(t, map[string]string{"beneficiary_account_id": account, "stablecoin": "usdc"}))
	if snake.Status != 200 {
		t.Errorf("the second dialect: %d %s", snake.Status, snake.Body)
	}
}
