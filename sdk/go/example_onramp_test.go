package railkit_test

import (
	"context"
	"fmt"
	"log"
	"time"

	railkit "github.com/railkit/railkit/sdk/go"
)

// Pesos that somebody sends to the account number of a wallet become USDC in it.
func ExampleDepositAccountsService_WaitSettlement() {
	client, pk := payouts()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute) // bounds the waiting
	defer cancel()
	account, err := client.DepositAccounts.Create(ctx, railkit.DepositAccountRequest{
		WalletID: wallet(ctx, client, pk), SourceCurrency: "mxn", DestinationCurrency: "usdc",
	})
	if err != nil {
		log.Fatal(err)
	}
	// In production a customer pays the CLABE in account.SourceDepositInstructions; here the sandbox does.
	if _, err := client.Sandbox.BankDeposit(ctx, railkit.BankDepositRequest{
		Number: account.SourceDepositInstructions.CLABE, Amount: "5000.00", SenderName: "Bruno Gil",
	}); err != nil {
		log.Fatal(err)
	}
	order, err := client.DepositAccounts.WaitSettlement(ctx, account.ID, time.Time{}, 200*time.Millisecond)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(order.Status, order.NetAmount, order.Destination.Currency, "from", order.PayIn.Sender)
	// Output: completed 271.838403 usdc from Bruno Gil
}

// A bank may take its money back, before the coins are sent or long after.
func ExampleOrdersService_WaitSettlement() {
	client, pk := payouts()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	account, err := client.DepositAccounts.Create(ctx, railkit.DepositAccountRequest{
		WalletID: wallet(ctx, client, pk), SourceCurrency: "mxn",
	})
	if err != nil {
		log.Fatal(err)
	}
	came, err := client.Sandbox.BankDeposit(ctx, railkit.BankDepositRequest{
		DepositAccountID: account.ID, Amount: "1000.01", // in the sandbox, a bank takes back what ends in .01
	})
	if err != nil {
		log.Fatal(err)
	}
	// The bank's own reference finds the order, too: came.Trace.
	order, err := client.Orders.WaitSettlement(ctx, came.PartnerDepositID, 200*time.Millisecond)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(order.Status, order.PayIn.ReturnedAmount, order.PayIn.Currency)
	// Output: returned 1000.01 mxn
}
