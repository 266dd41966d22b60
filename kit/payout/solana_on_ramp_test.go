package payout_test

import (
	"context"
	"testing"

	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/solanatest"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/money"
	railkit "github.com/railkit/railkit/sdk/go"
)

// Money that comes by bank becomes coins on Solana, at the owner's address of a wallet that had nothing there: no SOL,
// and no token account. The order ends when the watcher has the coins, by the transaction in its own spelling.
func TestPayout_SolanaDepositAccount(t *testing.T) {
	t.Parallel()
	a := apptest.New(t, apptest.WithPartner(t), watching("solana"))
	c := a.Client()
	ctx, cancel := context.WithTimeout(t.Context(), 4*testwait.Bound)
	defer cancel()
	owner := a.Fund(c, "ana@example.com")
	asked := railkit.DepositAccountRequest{
		WalletID: owner.Wallet.WalletID, SourceCurrency: "mxn", DestinationCurrency: "usdt", Chain: "solana",
	}
	got := a.Do(a.Keys.BenchKey, "POST", depositPath, apptest.JSON(t, asked))
	wantCode(t, "a wallet without an address there", got, 400, "validation_failed", "accounts/prepare makes one")
	at := must(c.Addresses.Create(ctx, owner.Passkey, railkit.PrepareAccountRequest{
		WalletID: owner.Wallet.WalletID, Chain: "solana",
	}))(t).Address
	account := must(c.DepositAccounts.Create(ctx, asked))(t)
	if account.DestinationAddress != at || account.DestinationPaymentRail != "solana" ||
		account.SourceDepositInstructions == nil || account.SourceDepositInstructions.CLABE == "" {
		t.Fatalf("%+v", account)
	}
	came := must(c.Sandbox.BankDeposit(ctx, railkit.BankDepositRequest{
		DepositAccountID: account.ID, Amount: "5000", SenderName: "Ana Ruiz",
	}))(t)
	o := must(c.Orders.WaitSettlement(ctx, came.PartnerDepositID, look))(t)
	if o.Status != railkit.OrderCompleted || !o.PayIn.SettlementFinal {
		t.Fatalf("%+v, %+v", o.Order, o.PayIn)
	}
	if _, err := solana.ParseSignature(o.PayIn.SettlementTxHash); err != nil {
		t.Errorf("the transaction %q: %v", o.PayIn.SettlementTxHash, err)
	}
	if again := must(c.Orders.Get(ctx, o.PayIn.SettlementTxHash))(t); again.ID != o.ID {
		t.Errorf("by its transaction: %+v", again)
	}
	net := solanatest.At(t, a.Devnet.RPCURL("solana"))
	if held := net.Holds(at, "USDT"); money.Of(held, money.USDT).String() != o.Destination.Amount || held == 0 {
		t.Errorf("%d arrived of %s", held, o.Destination.Amount)
	}
	quoted := must(c.Payments.QuoteOnRamp(ctx, railkit.OnRampQuoteRequest{
		SourceAmount: "5000", SourceCurrency: "mxn", DestinationCurrency: "usdt", Chain: "solana",
	}))(t)
	if quoted.DestinationAmount != o.Destination.Amount {
		t.Errorf("quoted are %s, and %s came", quoted.DestinationAmount, o.Destination.Amount)
	}
}
