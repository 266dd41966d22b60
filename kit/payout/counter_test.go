package payout_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/provision"
	"github.com/railkit/railkit/kit/payout/reference"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/command"
	railkit "github.com/railkit/railkit/sdk/go"
)

// counter is a server with a partner whose desk gives 18.4075 MXN for a USDC, and a
// recipient with a CLABE and a withdrawal address on base.
type counter struct {
	*apptest.App
	*railkit.Client
	t       *testing.T
	to      *railkit.Recipient
	account *railkit.BankAccount
	address withdraw.Address
}

func newCounter(t *testing.T, options ...apptest.Option) *counter {
	t.Helper()
	a := apptest.New(t, append([]apptest.Option{apptest.WithPartner(t), apptest.WithoutSweeper()}, options...)...)
	d := &counter{App: a, Client: a.Client(), t: t}
	d.rate("18.5", 0)
	d.to, d.account = d.recipient("Ana García", mexican)
	d.address = d.receive(d.account, "base", money.USDC)
	return d
}

// rate is what the desk's middle is from now on, and how old it says that is.
func (d *counter) rate(mxn string, age int64) {
	d.t.Helper()
	still := false
	err := d.Partner.SetDesk(d.t.Context(), control.Desk{
		PerUSD: map[string]string{"mxn": mxn}, BasisPoints: map[string]int64{"mxn": 50}, Drifting: &still,
		StaleForSeconds: &age,
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

// recipient makes one with a bank account that the partner has.
func (d *counter) recipient(name string, at railkit.BankAccountRequest) (*railkit.Recipient, *railkit.BankAccount) {
	d.t.Helper()
	r := must(d.Recipients.Create(d.t.Context(), person(name)))(d.t)
	return r, d.open(r, at)
}

func (d *counter) open(r *railkit.Recipient, at railkit.BankAccountRequest) *railkit.BankAccount {
	d.t.Helper()
	account := must(d.BankAccounts.Create(d.t.Context(), r.ID, at))(d.t)
	if account.Status != "active" {
		d.t.Fatalf("the account is %s", account.Status)
	}
	return account
}

func (d *counter) write(fn func(context.Context, payout.Tx) error) {
	d.t.Helper()
	err := d.Store.Payout().Work(d.t.Context(), d.Keys.WorkspaceID, func(
		ctx context.Context, tx payout.Tx,
	) (command.Audit, error) {
		return command.Audit{}, fn(ctx, tx)
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

// receive gives a bank account a withdrawal address, without asking the partner.
func (d *counter) receive(to *railkit.BankAccount, chain string, c money.Currency) withdraw.Address {
	d.t.Helper()
	now := time.Now()
	a := withdraw.Address{
		WorkspaceID: d.Keys.WorkspaceID, ID: uuid.NewString(), RecipientID: to.RecipientID, BankAccountID: to.ID,
		Chain: chain, Currency: c, Destination: money.Currency(to.Currency), Rail: fiat.Rail(to.Rail),
		Provision: provision.Provision{Status: provision.Active, Key: uuid.NewString(), KeyedAt: now},
		PartnerID: uuid.NewString(), Address: "0x00000000000000000000000000000000000000AA", CreatedAt: now,
		UpdatedAt: now,
	}
	d.write(func(ctx context.Context, tx payout.Tx) (err error) {
		if a.Reference, err = reference.New(ctx, tx, reference.OffRamp, a.WorkspaceID, a.ID, now); err != nil {
			return err
		}
		return tx.InsertWithdrawAddress(ctx, a)
	})
	return a
}

// lay puts stablecoin that belongs to no order on a withdrawal address.
func (d *counter) lay(a withdraw.Address, units string) {
	d.t.Helper()
	amount := must(money.Parse(units, a.Currency))(d.t)
	d.write(func(ctx context.Context, tx payout.Tx) error {
		return tx.Book(ctx, a.WorkspaceID, time.Now(),
			ledger.Op{Do: ledger.Record, Ref: uuid.NewString(), Kind: "deposit", Entries: []ledger.Entry{
				{Account: ledger.Chain(a.Chain), Amount: amount.Neg()}, {Account: ledger.Held(a.ID), Amount: amount},
			}})
	})
}

// withdrawAddress is that of a bank account on base.
func (d *counter) withdrawAddress(account string) (withdraw.Address, error) {
	return d.Store.Payout().WithdrawAddressOf(d.t.Context(), d.Keys.WorkspaceID, account, "base", money.USDC)
}

// held is what lies there.
func (d *counter) held(a withdraw.Address) string {
	d.t.Helper()
	return must(d.Store.Payout().Balance(
		d.t.Context(), a.WorkspaceID, ledger.Held(a.ID), a.Currency,
	))(d.t).Posted.String()
}

// quote asks for the counter's recipient.
func (d *counter) quote(amount, currency string) *railkit.Quote {
	d.t.Helper()
	return must(d.Payments.Quote(
		d.t.Context(), railkit.QuoteRequest{BeneficiaryID: d.to.ID, Amount: railkit.Number(amount), Currency: currency},
	))(d.t)
}

func (d *counter) execute(q *railkit.Quote) *railkit.Payment {
	d.t.Helper()
	return must(d.Payments.Execute(
		d.t.Context(), railkit.ExecuteRequest{QuoteID: q.QuoteID, BeneficiaryID: q.BeneficiaryID},
	))(d.t)
}

func (d *counter) post(path string, body any) apptest.Answer {
	d.t.Helper()
	return d.Do(d.Keys.BenchKey, "POST", path, apptest.JSON(d.t, body))
}
