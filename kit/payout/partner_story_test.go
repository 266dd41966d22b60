package payout_test

import (
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// The same with the sandbox's own partner, which is a process of its own.
func TestPayout_BankAccountsAtTheSandbox(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c, ctx := a.Client(), t.Context()
	ana := must(c.Recipients.Create(ctx, person("Ana García")))(t)
	for rail, req := range map[string]railkit.BankAccountRequest{
		"spei": mexican, "sepa": {IBAN: "DE89370400440532013000", BIC: "AGBMDEMM"},
		"faster_payments": {SortCode: "202959", AccountNumber: "63748472"},
		"pix":             {PixKey: "fulano@example.com", TaxID: "39053344705"},
		"ach": {AccountNumber: "1234567890", RoutingNumber: "111000025", AccountType: "checking",
			Address: &railkit.PostalAddress{
				Street: "S 1", City: "Austin", State: "TX", PostalCode: "78701", Country: "US",
			}},
	} {
		got, err := c.BankAccounts.Create(ctx, ana.ID, req)
		if err != nil || got.Status != "active" || got.Rail != rail {
			t.Errorf("%s: %+v, %v", rail, got, err)
		}
	}
	slow := must(c.Recipients.Create(ctx, person("Pending Payee")))(t)
	if got := must(c.BankAccounts.Create(ctx, slow.ID, mexican))(t); got.Status != "pending" {
		t.Errorf("%+v", got)
	}
	wrong := must(c.Recipients.Create(ctx, person("Rejected Payee")))(t)
	if got := must(c.BankAccounts.Create(ctx, wrong.ID, mexican))(t); got.Status != "rejected" || got.Reason == "" {
		t.Errorf("%+v", got)
	}
	for r := range c.BankAccounts.All(ctx, ana.ID, railkit.BankAccountListOptions{}) {
		if r.Rail != "ach" {
			continue
		}
		got := must(c.BankAccounts.Update(ctx, ana.ID, r.ID, railkit.BankAccountUpdate{RoutingNumber: "011000015"}))(t)
		if got.RoutingNumber != "011000015" || got.Status != "active" {
			t.Errorf("%+v", got)
		}
	}
	waits := must(c.BankAccounts.List(ctx, slow.ID, railkit.BankAccountListOptions{}))(t).Items[0]
	row := must(a.Store.Payout().BankAccount(ctx, a.Keys.WorkspaceID, waits.ID))(t)
	if err := a.Partner.Decide(ctx, row.PartnerID, "active", ""); err != nil {
		t.Fatal(err)
	}
	apptest.Eventually(t, "the pending account is active", func() bool {
		return must(c.BankAccounts.List(ctx, slow.ID, railkit.BankAccountListOptions{}))(t).Items[0].Status == "active"
	})
}
