package payout_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/solanatest"
	"github.com/railkit/railkit/internal/test/testwait"
	railkit "github.com/railkit/railkit/sdk/go"
)

// solanaBank is a withdrawal address on Solana whose refunds go to a wallet there, which has money.
type solanaBank struct {
	*bank
	owner apptest.Owner
}

func newSolanaBank(t *testing.T) *solanaBank {
	t.Helper()
	b := &bank{t: t, app: apptest.New(t, apptest.WithPartner(t), watching("solana"))}
	ctx, cancel := context.WithTimeout(t.Context(), 4*testwait.Bound)
	t.Cleanup(cancel)
	b.ctx, b.Client = ctx, b.app.Client()
	owner := b.app.Fund(b.Client, "ana@example.com")
	owner.Address = must(b.Addresses.Create(ctx, owner.Passkey, railkit.PrepareAccountRequest{
		WalletID: owner.Wallet.WalletID, Chain: "solana",
	}))(t)
	for asset, amount := range map[string]string{"native": "1", "USDC": "1000"} {
		must(b.Sandbox.Faucet(ctx, railkit.FaucetRequest{
			Chain: "solana", Address: owner.Address.Address, Asset: asset, Amount: amount,
		}))(t)
	}
	recipient, account := mexico(t, b.Client, "Ana Ruiz")
	b.recipient, b.address = recipient, must(b.WithdrawAddresses.Create(ctx, railkit.WithdrawAddressRequest{
		BeneficiaryAccountID: account, WalletID: owner.Wallet.WalletID, Chain: "solana",
	}))(t)
	return &solanaBank{b, owner}
}

// payment is one of USDC from the wallet to the withdrawal address, which the signer has to name so.
func (b *solanaBank) payment(amount, payee string) railkit.PrepareTransactionRequest {
	return railkit.PrepareTransactionRequest{
		Type: railkit.TransferToken, PayAgain: true, SignWith: b.owner.Address.Address, Network: "solana",
		To: b.address.Address, Amount: amount, TokenAddress: solanatest.Mint("USDC").String(), ExpectPayee: payee,
	}
}

func (b *solanaBank) pays(amount, payee string) *railkit.Transaction {
	b.t.Helper()
	return must(b.Transactions.Send(b.ctx, b.owner.Passkey, b.payment(amount, payee)))(b.t)
}

// A bank account is in the book of payees, and a quote for it waits. A wallet pays the address, which the signer says
// is the bank account's: that pays the order of the quote, as was promised.
func TestPayout_SolanaQuoteIsPaidByAWallet(t *testing.T) {
	t.Parallel()
	b := newSolanaBank(t)
	const name = "Ana Ruiz, STP 9719 MXN (USDC on Solana Devnet)"
	if b.address.Payee == nil || b.address.Payee.Name != name || b.address.ReturnAddress != b.owner.Address.Address {
		t.Fatalf("%+v, %+v", b.address, b.address.Payee)
	}
	p := must(b.Payees.AddPrepared(b.ctx, b.owner.Passkey, *b.address.Payee.Prepared))(t)
	if p.Kind != railkit.BankAccountPayee || p.Network != "solana" || p.Address != b.address.Address {
		t.Errorf("%+v", p)
	}
	if a := must(b.WithdrawAddresses.Get(b.ctx, b.address.ID))(t); a.Payee == nil || a.Payee.Status != "in_book" ||
		a.Payee.ID != p.ID {
		t.Errorf("%+v", a.Payee)
	}
	_, other := b.quoted("21")
	q, paid := b.quoted("25")
	want := railkit.DepositInstructions{
		Address: b.address.Address, Chain: "solana", Token: "usdc", Amount: "25.000000", ExpiresAt: q.ExpiresAt,
	}
	if paid.OrderStatus != "awaiting" || paid.DepositInstructions == nil || *paid.DepositInstructions != want {
		t.Fatalf("%+v, %+v", paid, paid.DepositInstructions)
	}
	sent := b.pays(paid.DepositInstructions.Amount, name)
	o := b.paid(paid.OrderID)
	if o.Destination.Amount != paid.NetAmount || o.Deposit == nil || o.Deposit.TxHash != sent.TxHash ||
		o.Deposit.From != b.owner.Address.Address || len(o.Labels) != 0 {
		t.Errorf("%+v, deposit %+v, promised %s", o.Order, o.Deposit, paid.NetAmount)
	}
	if waits := must(b.Orders.Get(b.ctx, other.OrderID))(t); waits.Status != "awaiting" {
		t.Errorf("the order of another amount is %s", waits.Status)
	}
	elsewhere := b.payment("1", name)
	elsewhere.To = solanatest.NewPerson().String()
	if _, err := b.Transactions.Prepare(b.ctx, elsewhere); err == nil {
		t.Error("somebody else passes for the bank account")
	}
	b.waits(name)
}

// waits wants who votes on a payment to be told the name of the bank account.
func (b *solanaBank) waits(name string) {
	b.t.Helper()
	yes := true
	must(b.Approvals.UpdateConfig(b.ctx, railkit.ApprovalConfigRequest{
		Enabled: &yes, ThresholdUSD: "0", SubOrganizationID: b.owner.Sub.SubOrganizationID,
	}))(b.t)
	_, err := b.Transactions.Send(b.ctx, b.owner.Passkey, b.payment("2", name))
	var queued *railkit.QueuedError
	if !errors.As(err, &queued) {
		b.t.Fatal(err)
	}
	a := must(b.Approvals.Get(b.ctx, queued.ApprovalID))(b.t)
	if a.Transaction == nil || a.Transaction.Payee == nil || a.Transaction.Payee.Name != name {
		b.t.Errorf("who votes is told %+v", a.Transaction)
	}
}

// Pesos that come to a recipient's CLABE become USDC at the withdrawal address on Solana, and go on to the bank in one
// order: whether a quote waits for them or not.
func TestPayout_SolanaBehindACLABE(t *testing.T) {
	t.Parallel()
	b := newSolanaBank(t)
	v := must(b.WithdrawAddresses.SetUpVirtualAccount(b.ctx, railkit.VirtualAccountRequest{
		BeneficiaryID: b.recipient, BeneficiaryAccountID: b.address.BeneficiaryAccountID,
	}))(t)
	q := must(b.Payments.Quote(b.ctx, railkit.QuoteRequest{
		BeneficiaryID: b.recipient, SourceAmount: "5000", SourceCurrency: "MXN", DestinationCurrency: "MXN",
		Chain: "solana",
	}))(t)
	quoted := must(b.Payments.Execute(b.ctx, railkit.ExecuteRequest{QuoteID: q.QuoteID, BeneficiaryID: b.recipient}))(t)
	if quoted.DepositInstructions == nil || quoted.DepositInstructions.CLABE != v.CLABE {
		t.Fatalf("%+v", quoted.DepositInstructions)
	}
	for _, amount := range []string{"5000", "700"} {
		came := must(b.Sandbox.BankDeposit(b.ctx, railkit.BankDepositRequest{Number: v.CLABE, Amount: amount}))(t)
		o := must(b.Orders.WaitSettlement(b.ctx, came.PartnerDepositID, look))(t)
		if o.Status != railkit.OrderCompleted || o.Type != "global_payment" || o.References.TrackingKey == "" ||
			!o.PayIn.SettlementFinal || (o.ID == quoted.OrderID) != (amount == "5000") {
			t.Errorf("%s: %+v, %+v", amount, o.Order, o.PayIn)
		}
		if _, err := solana.ParseSignature(o.PayIn.SettlementTxHash); err != nil {
			t.Errorf("%s came by %q: %v", amount, o.PayIn.SettlementTxHash, err)
		}
	}
	if d := drained(t, b.Client, b.address.ID, 2, "payment_processed"); d[0].DepositTxHash == d[1].DepositTxHash {
		t.Errorf("one transaction for two: %+v", d)
	}
}

// Each row of a batch is paid by the transfer of its amount.
func TestPayout_SolanaBatch(t *testing.T) {
	t.Parallel()
	b := newSolanaBank(t)
	var in railkit.BatchRequest
	for i := range 3 {
		in.Rows = append(in.Rows, railkit.BatchPayment{
			BeneficiaryID: b.recipient, Amount: fmt.Sprint(20 + 10*i), Currency: "USDC", Chain: "solana",
		})
	}
	batch := must(b.Batches.Execute(b.ctx, must(b.Batches.Preview(b.ctx, in))(t).ID))(t)
	if len(batch.Addresses) != 1 || batch.Addresses[0].Chain != "solana" || batch.Addresses[0].Transfers != 3 ||
		batch.Addresses[0].Amount != "90.000000" || batch.Addresses[0].Address != b.address.Address {
		t.Fatalf("%+v", batch.Addresses)
	}
	for _, i := range []int{2, 0, 1} {
		row := batch.Rows[i]
		sent := b.pays(row.DepositInstructions.Amount, "")
		if o := b.paid(row.OrderID); o.Deposit == nil || o.Deposit.TxHash != sent.TxHash || len(o.Labels) != 0 {
			t.Errorf("row %d: %+v, deposit %+v", i+1, o.Order, o.Deposit)
		}
	}
}

// Two transfers in one transaction to one address are one deposit of their sum: it pays one row, and no row twice.
func TestPayout_SolanaBatchInOneTransaction(t *testing.T) {
	t.Parallel()
	b := newSolanaBank(t)
	batch := must(b.Batches.Execute(b.ctx, must(b.Batches.Preview(b.ctx, railkit.BatchRequest{
		Rows: []railkit.BatchPayment{
			{BeneficiaryID: b.recipient, Amount: "20", Currency: "USDC"},
			{BeneficiaryID: b.recipient, Amount: "30", Currency: "USDC"},
		},
	}))(t).ID))(t)
	net := solanatest.At(t, b.app.Devnet.RPCURL("solana"))
	payer, mint := net.Rich(), solanatest.Mint("USDC")
	to := must(solana.ParseAddress(b.address.Address))(t)
	id := net.Send(payer, []solana.Instruction{
		solana.CreateAssociated(payer.Address, to, mint),
		solana.TransferToken(payer.Address, to, mint, 20_000_000, 6),
		solana.TransferToken(payer.Address, to, mint, 30_000_000, 6),
	})
	o := b.paid(must(b.Orders.WaitDeposit(b.ctx, id, look))(t).ID)
	if o.ID != batch.Rows[0].OrderID || o.Deposit.Amount != "50.000000" || o.Deposit.From != payer.String() ||
		!slices.Equal(o.Labels, []string{"over", "repriced"}) {
		t.Errorf("%+v, deposit %+v", o.Order, o.Deposit)
	}
	if other := must(b.Orders.Get(b.ctx, batch.Rows[1].OrderID))(t); other.Status != "awaiting" {
		t.Errorf("the other row is %s", other.Status)
	}
	if all := drained(t, b.Client, b.address.ID, 1, "payment_processed"); all[0].DepositTxHash != id {
		t.Errorf("%+v", all)
	}
}
