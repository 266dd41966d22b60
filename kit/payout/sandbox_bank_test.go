package payout_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
)

// A bank transfer reaches an account by its id or by its number, and becomes coins in the wallet.
func TestPayout_SandboxBankDeposit(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	ctx, cancel := context.WithTimeout(t.Context(), 4*testwait.Bound)
	defer cancel()
	owner := a.Fund(c, "ana@example.com")
	made := map[string]*railkit.DepositAccount{}
	for _, currency := range []string{"usd", "eur", "mxn", "brl", "gbp"} {
		made[currency] = must(c.DepositAccounts.Create(ctx, railkit.DepositAccountRequest{
			WalletID: owner.Wallet.WalletID, SourceCurrency: currency,
		}))(t)
		came, err := c.Sandbox.BankDeposit(ctx, railkit.BankDepositRequest{
			Number: bankNumber(*made[currency]), Amount: "1000",
		})
		if err != nil || came.Amount != "1000.00" || came.Currency != currency || came.Rail == "" || came.Trace == "" {
			t.Errorf("%s: %+v, %v", currency, came, err)
		}
	}
	mxn := made["mxn"]
	came := must(c.Sandbox.BankDeposit(ctx, railkit.BankDepositRequest{
		DepositAccountID: mxn.ID, Amount: "5000", SenderName: "Ana Ruiz",
	}))(t)
	for _, name := range []string{came.PartnerDepositID, came.Trace} {
		o := must(c.Orders.WaitSettlement(ctx, name, look))(t)
		if o.Status != railkit.OrderCompleted || !o.PayIn.SettlementFinal || o.PayIn.Sender != "Ana Ruiz" ||
			o.DepositAccountID != mxn.ID || o.Source.Amount != "5000.00" {
			t.Errorf("%+v, %+v", o.Order, o.PayIn)
		}
	}
	refusesBankDeposits(t, a, bankNumber(*mxn))
}

func refusesBankDeposits(t *testing.T, a *apptest.App, number string) {
	t.Helper()
	call := func(key, body string) apptest.Answer {
		return a.Do(key, "POST", sandboxPath+"simulate-bank-deposit", body)
	}
	pays := func(amount string) string { return `{"number":"` + number + `","amount":"` + amount + `"}` }
	for what, r := range map[string]struct{ body, field string }{
		"nothing named":  {`{"amount":"1"}`, "depositAccountId"},
		"two named":      {`{"number":"1","virtualAccountId":"2","amount":"1"}`, "depositAccountId"},
		"nothing sent":   {pays("0"), "amount"},
		"half a centavo": {pays("1.005"), "amount"},
	} {
		wantCode(t, what, call(a.Keys.BenchKey, r.body), 400, "validation_failed", r.field)
	}
	for _, by := range []string{"number", "depositAccountId", "virtualAccountId"} {
		got := call(a.Keys.BenchKey, `{"`+by+`":"646180157000000004","amount":"1"}`)
		wantCode(t, by+" of nobody", got, 404, "not_found", "")
	}
	_, other := a.NewWorkspace([]auth.Scope{auth.Integrator}, auth.Payout)
	wantCode(t, "a number of another workspace", call(other, pays("100")), 404, "not_found", "")
}

// A bank transfer to a recipient's CLABE goes on to the recipient's bank, in one order.
func TestPayout_SandboxBankDepositToARecipient(t *testing.T) {
	t.Parallel()
	b := bankOn(t, "base", apptest.WithPartner(t))
	v := must(b.WithdrawAddresses.SetUpVirtualAccount(b.ctx, railkit.VirtualAccountRequest{
		BeneficiaryID: b.recipient, BeneficiaryAccountID: b.address.BeneficiaryAccountID,
	}))(t)
	for _, to := range []railkit.BankDepositRequest{{VirtualAccountID: v.ID}, {Number: v.CLABE}} {
		to.Amount = "5000"
		came := must(b.Sandbox.BankDeposit(b.ctx, to))(t)
		o := must(b.Orders.WaitSettlement(b.ctx, came.PartnerDepositID, look))(t)
		if o.Status != railkit.OrderCompleted || o.Type != "global_payment" || o.References.TrackingKey == "" ||
			!o.PayIn.SettlementFinal {
			t.Errorf("%+v, %+v", o.Order, o.PayIn)
		}
	}
}

// A recipient's CLABE leads to one withdrawal address: a quote for another one cannot be paid for by bank.
func TestPayout_ByBank_AnotherChain(t *testing.T) {
	t.Parallel()
	b := bankOn(t, "base", apptest.WithPartner(t), watching("polygon"))
	account := b.address.BeneficiaryAccountID
	must(b.WithdrawAddresses.SetUpVirtualAccount(b.ctx, railkit.VirtualAccountRequest{
		BeneficiaryID: b.recipient, BeneficiaryAccountID: account,
	}))(t)
	must(b.WithdrawAddresses.Create(b.ctx, railkit.WithdrawAddressRequest{
		BeneficiaryAccountID: account, Chain: "polygon",
	}))(t)
	q := must(b.Payments.Quote(b.ctx, railkit.QuoteRequest{
		BeneficiaryID: b.recipient, SourceAmount: "5000", SourceCurrency: "MXN", DestinationCurrency: "MXN",
		Chain: "polygon",
	}))(t)
	_, err := b.Payments.Execute(b.ctx, railkit.ExecuteRequest{QuoteID: q.QuoteID, BeneficiaryID: b.recipient})
	if refused := (*railkit.Error)(nil); !errors.As(err, &refused) || refused.Code != "account_number_elsewhere" {
		t.Errorf("%v, want account_number_elsewhere", err)
	}
}

// What becomes of a bank transfer can be said, and its order follows.
func TestPayout_SandboxSteersBankDeposits(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	ctx, cancel := context.WithTimeout(t.Context(), 4*testwait.Bound)
	defer cancel()
	owner := a.Fund(c, "ana@example.com")
	account := must(c.DepositAccounts.Create(ctx, railkit.DepositAccountRequest{
		WalletID: owner.Wallet.WalletID, SourceCurrency: "mxn",
	}))(t)
	// pays has an amount arrive, and waits until its order is as it should be.
	pays := func(amount string) string {
		return must(c.Sandbox.BankDeposit(ctx, railkit.BankDepositRequest{
			DepositAccountID: account.ID, Amount: amount,
		}))(t).PartnerDepositID
	}
	becomes := func(id, status string) *railkit.OrderDetail {
		t.Helper()
		for {
			o, err := c.Orders.Get(ctx, id)
			if err == nil && o.Status == status {
				return o
			}
			if ctx.Err() != nil {
				t.Fatalf("it is not %s: %+v, %v", status, o, err)
			}
			time.Sleep(look) // between two looks
		}
	}
	cleared, refused := pays("1000.03"), pays("2000.03")
	becomes(cleared, "in_review")
	becomes(refused, "in_review")
	if err := c.Sandbox.ClearOrder(ctx, cleared); err != nil {
		t.Error(err)
	}
	if err := c.Sandbox.ReturnOrder(ctx, refused, railkit.BankReason{Reason: "not expected"}); err != nil {
		t.Error(err)
	}
	o := must(c.Orders.WaitSettlement(ctx, cleared, look))(t)
	if o.Status != railkit.OrderCompleted {
		t.Errorf("cleared: %+v", o.Order)
	}
	o = must(c.Orders.WaitSettlement(ctx, refused, look))(t)
	if o.Status != railkit.OrderReturned || o.PayIn.ReturnedAmount != "2000.03" || o.PayIn.Receivable != "" {
		t.Errorf("sent back: %+v, %+v", o.Order, o.PayIn)
	}
	wantError(t, "cleared twice", c.Sandbox.ClearOrder(ctx, cleared), 409, "sandbox_wrong_state")
	wantError(t, "delayed", c.Sandbox.DelayOrder(ctx, cleared, time.Hour), 409, "sandbox_wrong_state")
	wantError(t, "failed", c.Sandbox.FailOrder(ctx, cleared, railkit.BankReason{}), 409, "sandbox_wrong_state")

	if err := c.Sandbox.ReturnOrder(ctx, cleared, railkit.BankReason{}); err != nil {
		t.Fatal(err)
	}
	if o = becomes(cleared, railkit.OrderReturned); o.PayIn.Receivable != "1000.03" {
		t.Errorf("taken back after the coins: %+v", o.PayIn)
	}
}
