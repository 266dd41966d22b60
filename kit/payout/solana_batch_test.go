package payout_test

import (
	"fmt"
	"testing"

	"github.com/railkit/railkit/money"
	railkit "github.com/railkit/railkit/sdk/go"
)

// A bank account with withdrawal addresses on Solana in both stablecoins is quoted and paid in each: by a quote that
// names coin or chain, and by a batch from a CSV. The desk stands still, so that what is promised is what arrives.
func TestPayout_SolanaInBothStablecoins(t *testing.T) {
	t.Parallel()
	b := newSolanaBank(t)
	usdt := must(b.WithdrawAddresses.Create(b.ctx, railkit.WithdrawAddressRequest{
		BeneficiaryAccountID: b.address.BeneficiaryAccountID, WalletID: b.owner.Wallet.WalletID, Chain: "solana",
		Currency: "usdt",
	}))(t)
	if usdt.Address == "" || usdt.Currency != string(money.USDT) || usdt.ReturnAddress != b.owner.Address.Address {
		t.Fatalf("%+v", usdt)
	}
	q := must(b.Payments.Quote(b.ctx, railkit.QuoteRequest{
		BeneficiaryID: b.recipient, Amount: "25", Currency: "USDT", Chain: "solana",
	}))(t)
	paid := must(b.Payments.Execute(b.ctx, railkit.ExecuteRequest{QuoteID: q.QuoteID, BeneficiaryID: b.recipient}))(t)
	if q.Chain != "solana" || q.Token != "usdt" || q.WithdrawAddress != usdt.Address ||
		paid.DepositInstructions == nil || paid.DepositInstructions.Address != usdt.Address ||
		paid.DepositInstructions.Token != "usdt" {
		t.Fatalf("%+v\n%+v", q, paid)
	}
	b.arrives(usdt.ID, paid.DepositInstructions.Amount, paid.OrderID, paid.NetAmount)
	b.batchBothWays(usdt)
}

// batchBothWays pays two rows of a CSV on Solana, and tries one for whom there is no address there.
func (b *solanaBank) batchBothWays(usdt *railkit.WithdrawAddress) {
	b.t.Helper()
	bare, _ := mexico(b.t, b.Client, "Bea Ruiz")
	file := "reference,beneficiaryId,amount,currency,chain,token\n" +
		fmt.Sprintf("S-1,%s,40,USDC,solana,usdc\nS-2,%s,500,MXN,solana,usdt\n", b.recipient, b.recipient)
	wrong := must(b.Batches.PreviewCSV(b.ctx, fmt.Appendf([]byte(file), "S-3,%s,40,USDC,solana,usdc\n", bare)))(b.t)
	if wrong.Executable || len(wrong.Errors) != 1 || wrong.Errors[0].Row != 3 || wrong.Errors[0].Field != "chain" ||
		wrong.Errors[0].Code != "withdraw_address_missing" {
		b.t.Errorf("somebody without an address on Solana: %+v", wrong.Errors)
	}
	preview := must(b.Batches.PreviewCSV(b.ctx, []byte(file)))(b.t)
	if !preview.Executable || len(preview.Rows) != 2 {
		b.t.Fatalf("%+v", preview)
	}
	done := must(b.Batches.Execute(b.ctx, preview.ID))(b.t)
	for i, want := range []*railkit.WithdrawAddress{b.address, usdt} {
		row := done.Rows[i]
		in := row.DepositInstructions
		if row.Chain != "solana" || in == nil || in.Chain != "solana" || in.Address != want.Address ||
			in.Token != want.Currency {
			b.t.Fatalf("row %d: %+v, %+v", i+1, row, in)
		}
		b.arrives(want.ID, in.Amount, row.OrderID, row.NetAmount)
	}
}

// arrives sends what an order waits for, and waits until the bank has what was promised.
func (b *solanaBank) arrives(addressID, amount, orderID, net string) {
	b.t.Helper()
	must(b.Sandbox.Deposit(b.ctx, railkit.DepositRequest{WithdrawAddressID: addressID, Amount: amount}))(b.t)
	if o := b.paid(orderID); o.Destination.Amount != net || len(o.Labels) != 0 {
		b.t.Errorf("%+v, promised were %s", o.Order, net)
	}
}
