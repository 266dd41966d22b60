package railkit_test

import (
	"context"
	"fmt"
	"log"
	"time"

	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/passkey"
)

// payouts is a client of the sandbox, and a user's passkey.
func payouts() (*railkit.Client, railkit.Passkey) {
	server := sandbox() // in its place: the address, key and enclave key of your server
	client, err := railkit.New(railkit.Config{
		BaseURL: server.BaseURL, APIKey: server.Keys.APIKey, EnclaveKey: server.EnclaveKey,
	})
	if err != nil {
		log.Fatal(err)
	}
	return client, railkit.FromAuthenticator(passkey.New(server.Origin)) // in its place: the user's browser
}

// wallet makes a wallet with an address on base.
func wallet(ctx context.Context, client *railkit.Client, pk railkit.Passkey) (id string) {
	user, err := client.SubOrganizations.Create(ctx, pk, railkit.RegisterParams{Email: "ana@example.com", Name: "Ana"})
	if err != nil {
		log.Fatal(err)
	}
	made, err := client.Wallets.Create(ctx, pk, railkit.PrepareWalletRequest{
		WalletName: "Savings", SubOrganizationID: user.SubOrganizationID,
	})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := client.Addresses.Create(ctx, pk, railkit.PrepareAccountRequest{
		WalletID: made.WalletID, Chain: "base",
	}); err != nil {
		log.Fatal(err)
	}
	return made.WalletID
}

// mexican makes a recipient with a CLABE, and the address that leads to it. What the bank
// sends back goes to the wallet.
func mexican(ctx context.Context, client *railkit.Client, walletID string) (
	recipientID string, address *railkit.WithdrawAddress,
) {
	recipient, err := client.Recipients.Create(ctx, railkit.RecipientRequest{
		Name: "Ana Ruiz", OwnerType: "individual",
		Address: railkit.PostalAddress{Street: "Av. Reforma 1", City: "CDMX", Country: "MX"},
	})
	if err != nil {
		log.Fatal(err)
	}
	account, err := client.BankAccounts.Create(ctx, recipient.ID, railkit.BankAccountRequest{
		Currency: "mxn", Country: "MX", CLABE: "032180000118359719",
	})
	if err != nil {
		log.Fatal(err)
	}
	address, err = client.WithdrawAddresses.Create(ctx, railkit.WithdrawAddressRequest{
		BeneficiaryAccountID: account.ID, WalletID: walletID, Chain: "base", Currency: "usdc",
	})
	if err != nil {
		log.Fatal(err)
	}
	return recipient.ID, address
}

// What arrives at a withdrawal address goes to the bank by itself, at the rate of
// the day.
func ExampleOrdersService_WaitDeposit() {
	client, _ := payouts()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute) // bounds the waiting
	defer cancel()
	_, address := mexican(ctx, client, "")

	// In production somebody sends to address.Address; here the sandbox does.
	sent, err := client.Sandbox.Deposit(ctx, railkit.DepositRequest{WithdrawAddressID: address.ID, Amount: "100"})
	if err != nil {
		log.Fatal(err)
	}
	order, err := client.Orders.WaitDeposit(ctx, sent.TxHash, 200*time.Millisecond)
	if err != nil {
		log.Fatal(err)
	}
	order, err = client.Orders.Wait(ctx, order.Reference, 200*time.Millisecond)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(order.Status, order.Destination.Amount, order.Destination.Currency, "by", order.Destination.Rail)
	// Output: completed 1787.44 mxn by spei
}

// A quote holds a price: exactly what it says has to be sent before it ends, and
// exactly what it says arrives.
func ExamplePaymentsService_Execute() {
	client, _ := payouts()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	recipientID, address := mexican(ctx, client, "")

	quote, err := client.Payments.Quote(ctx, railkit.QuoteRequest{
		BeneficiaryID: recipientID, Amount: "1787.44", Currency: "MXN",
	})
	if err != nil {
		log.Fatal(err)
	}
	payment, err := client.Payments.Execute(ctx, railkit.ExecuteRequest{
		QuoteID: quote.QuoteID, BeneficiaryID: recipientID,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("send", payment.DepositInstructions.Amount, payment.DepositInstructions.Token,
		"for", quote.NetAmount, "MXN")
	if _, err := client.Sandbox.Deposit(ctx, railkit.DepositRequest{
		WithdrawAddressID: address.ID, Amount: payment.DepositInstructions.Amount,
	}); err != nil {
		log.Fatal(err)
	}
	order, err := client.Orders.Wait(ctx, payment.Reference, 200*time.Millisecond)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(order.Status)
	// Output:
	// send 99.999841 usdc for 1787.44 MXN
	// completed
}

// A bank can send a payment back, also days later. It is refunded by itself, to
// the wallet that the withdrawal address names.
func ExampleOrdersService_WaitRefund() {
	client, pk := payouts()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	_, address := mexican(ctx, client, wallet(ctx, client, pk))
	sent, err := client.Sandbox.Deposit(ctx, railkit.DepositRequest{WithdrawAddressID: address.ID, Amount: "100"})
	if err != nil {
		log.Fatal(err)
	}
	order, err := client.Orders.WaitDeposit(ctx, sent.TxHash, 200*time.Millisecond)
	if err != nil {
		log.Fatal(err)
	}
	order, err = client.Orders.Wait(ctx, order.Reference, 200*time.Millisecond)
	if err != nil {
		log.Fatal(err)
	}
	// Sandbox only: the bank sends it back.
	if err := client.Sandbox.ReturnOrder(ctx, order.Reference, railkit.BankReason{}); err != nil {
		log.Fatal(err)
	}
	order, err = client.Orders.WaitRefund(ctx, order.Reference, 200*time.Millisecond)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(order.Status, order.Refund.Status, order.Refund.Amount)
	// Output: returned completed 99.250000
}
