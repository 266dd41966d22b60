package railkit_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/passkey"
)

// sandbox is a server of the sandbox with a workspace of its own.
func sandbox() *apptest.App { return apptest.Shared(apptest.Example{}) }

// From nothing to a sent payment. Every step is verified against the enclave's
// key before the next one begins.
func Example() {
	ctx := context.Background()
	server := sandbox() // in its place: the address, key and enclave key of your server
	client, err := railkit.New(railkit.Config{
		BaseURL: server.BaseURL, APIKey: server.Keys.APIKey, EnclaveKey: server.EnclaveKey,
	})
	if err != nil {
		log.Fatal(err)
	}
	pk := railkit.FromAuthenticator(passkey.New(server.Origin)) // in its place: the user's browser

	user, err := client.SubOrganizations.Create(ctx, pk, railkit.RegisterParams{Email: "ada@example.com", Name: "Ada"})
	if err != nil {
		log.Fatal(err)
	}
	wallet, err := client.Wallets.Create(ctx, pk, railkit.PrepareWalletRequest{
		WalletName: "Main", SubOrganizationID: user.SubOrganizationID,
	})
	if err != nil {
		log.Fatal(err)
	}
	account, err := client.Addresses.Create(ctx, pk, railkit.PrepareAccountRequest{
		WalletID: wallet.WalletID, Chain: "base",
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, asset := range []string{"native", "USDC"} { // sandbox only
		if _, err := client.Sandbox.Faucet(ctx, railkit.FaucetRequest{
			Chain: "base", Address: account.Address, Asset: asset, Amount: "100",
		}); err != nil {
			log.Fatal(err)
		}
	}
	sent, err := client.Transactions.Send(ctx, pk, railkit.PrepareTransactionRequest{
		Type: railkit.TransferToken, SignWith: account.Address, ChainID: 84532,
		To: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", Amount: "25.50", TokenAddress: apptest.USDC().Address,
		FeeLimit: "100000000000000", // wei
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sent.Status)
	done, err := client.Transactions.WaitConfirmed(ctx, sent.TransactionID, 100*time.Millisecond)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(done.Status)
	// Output:
	// broadcast
	// confirmed
}

// Where a browser stamps, prepare and confirm are two calls. What the page
// shows comes out of Shown, which is verified.
func ExampleTransactionsService_Prepare() {
	show := func(ctx context.Context, client *railkit.Client, from string) error {
		p, err := client.Transactions.Prepare(ctx, railkit.PrepareTransactionRequest{
			Type: railkit.TransferNative, SignWith: from, ChainID: 84532,
			To: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", Amount: "0.01",
		})
		if err != nil {
			return err
		}
		for _, effect := range p.Shown.Effects {
			fmt.Println(effect.Kind, effect.Display, "to", effect.To)
		}
		return nil // send p.UnsignedActivity.Body to the browser, and its stamp to Transactions.Confirm
	}
	_ = show
}

// What went wrong decides what to do.
func ExampleTamperError() {
	handle := func(err error) string {
		var tamper *railkit.TamperError
		switch {
		case errors.As(err, &tamper):
			return "stop, and tell a person: " + string(tamper.Reason)
		case railkit.IsRateLimited(err), railkit.IsUnavailable(err):
			return "try again later"
		case railkit.IsUnprocessable(err):
			return "the request breaks a rule"
		}
		return "other"
	}
	fmt.Println(handle(&railkit.TamperError{
		Reason: railkit.ReasonOwners, Detail: "a passkey that is not known here can sign for it",
	}))
	// Output: stop, and tell a person: owners
}

// A process that dies between two steps does not pay twice if it kept the key.
func ExampleWithIdempotencyKey() {
	pay := func(ctx context.Context, client *railkit.Client, pk railkit.Passkey, storedKey string,
		req railkit.PrepareTransactionRequest,
	) error {
		_, err := client.Transactions.Send(railkit.WithIdempotencyKey(ctx, storedKey), pk, req)
		return err
	}
	_ = pay
}
