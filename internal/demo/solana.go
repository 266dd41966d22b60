package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	railkit "github.com/railkit/railkit/sdk/go"
)

// What the wallet does on Solana.
const (
	solanaSlug    = "solana"
	solanaToken   = "30"
	solanaPays    = "1"
	solanaPaid    = "20" // to a bank
	solanaDear    = "3"  // above solanaAsks
	solanaAsks    = "2"
	solanaFees    = "10000000" // lamports: 0.01 SOL, more than fee and rent together
	blockhashLife = 150        // blocks
)

// onSolana is the story's part on Solana. Its payee is a key that has no account there yet.
type onSolana struct {
	*story
	address, payee string
	mint           string
	shopper        *shopper
}

// solanaSteps are two and, once two passkeys have to agree, one more.
func solanaSteps(s *story) (first, later []step) {
	o := &onSolana{story: s}
	n, _ := chain.BySlug(chain.Sandbox, solanaSlug)
	usdc, _ := n.TokenBySymbol(token)
	o.mint = usdc.Address
	return []step{
			{"A Solana address gets " + solanaToken + " " + token, o.open},
			{solanaPays + " " + token + " opens the payee's account", o.pay},
			{solanaPaid + " " + token + " from Solana, to the same bank", o.payOut},
			{"An agent buys there, without any SOL", o.buy},
		}, []step{
			{"A vote outlives Solana's blockhash", o.outlive},
		}
}

// open has the passkey stamp an account, and the faucet pay to it. The wallet's seed is the one of before.
func (o *onSolana) open(ctx context.Context) (string, error) {
	account, err := o.client.Addresses.Create(ctx, o.passkey, railkit.PrepareAccountRequest{
		WalletID: o.wallet.WalletID, Chain: solanaSlug, Name: "On Solana",
	})
	if err != nil {
		return "", err
	}
	o.address = account.Address
	for _, gift := range [][2]string{{"native", fundNative}, {token, solanaToken}} {
		if _, err := o.client.Sandbox.Faucet(ctx, railkit.FaucetRequest{
			Chain: solanaSlug, Address: o.address, Asset: gift[0], Amount: gift[1],
		}); err != nil {
			return "", err
		}
	}
	return short(o.address) + " " + account.Path, o.wants(ctx, o.address, solanaToken)
}

// pay sends to somebody who has nothing on Solana: the account for the token is opened, within the stamped rent.
func (o *onSolana) pay(ctx context.Context) (string, error) {
	var key solana.Address
	for key == (solana.Address{}) || !key.OnCurve() {
		if _, err := rand.Read(key[:]); err != nil {
			return "", err
		}
	}
	o.payee = key.String()
	p, err := o.client.Transactions.Send(ctx, o.passkey, o.wish(solanaPays))
	if err != nil {
		return "", err
	}
	if _, err := o.client.Transactions.WaitConfirmed(ctx, p.TransactionID, o.Poll); err != nil {
		return "", err
	}
	return "payee 1, wallet 29 " + token, errors.Join(o.wants(ctx, o.payee, solanaPays),
		o.wants(ctx, o.address, "29"))
}

// payOut sends to an address on Solana that leads to the bank account of before: by SPEI, as from any other network.
func (o *onSolana) payOut(ctx context.Context) (string, error) {
	leads, err := o.client.WithdrawAddresses.Create(ctx, railkit.WithdrawAddressRequest{
		BeneficiaryAccountID: o.out.account.ID, WalletID: o.wallet.WalletID, Chain: solanaSlug, Currency: "usdc",
	})
	if err != nil {
		return "", err
	}
	if leads.ReturnAddress != o.address {
		return "", errors.New("refunds would go to another address than the wallet's on Solana")
	}
	wish := o.wish(solanaPaid)
	wish.To = leads.Address
	sent, err := o.client.Transactions.Send(ctx, o.passkey, wish)
	if err != nil {
		return "", err
	}
	paid, err := o.client.Orders.WaitDeposit(ctx, sent.TxHash, o.Poll)
	if err != nil {
		return "", err
	}
	if paid, err = o.arrived(ctx, paid.ID); err != nil {
		return "", err
	}
	return paid.Destination.Amount + " " + fiat + " by SPEI", o.wants(ctx, o.address, "9")
}

// buy has an agent on Solana, whose wallet has USDC and no SOL, buy of the honest shop: the shop's facilitator pays
// the network's fee.
func (o *onSolana) buy(ctx context.Context) (string, error) {
	o.shopper = &shopper{story: o.story, name: "Ada's shopper on Solana", on: solanaSlug}
	if _, err := o.shopper.hire(ctx); err != nil {
		return "", err
	}
	if err := o.shopper.getWeather(ctx); err != nil {
		return "", err
	}
	return "delivered, tx " + short(o.shopper.bought.Tx), o.wants(ctx, o.shopper.address, "0.09")
}

// wish is a payment on Solana.
func (o *onSolana) wish(amount string) railkit.PrepareTransactionRequest {
	return railkit.PrepareTransactionRequest{
		Type: railkit.TransferToken, SignWith: o.address, Network: solanaSlug, To: o.payee, Amount: amount,
		TokenAddress: o.mint, FeeLimit: solanaFees,
	}
}

// outlive has a payment wait for its votes until no block would take a message that was made when it was asked for. The
// enclave makes it with the last vote.
func (o *onSolana) outlive(ctx context.Context) (string, error) {
	if _, err := o.client.Approvals.UpdateConfig(ctx, railkit.ApprovalConfigRequest{
		ThresholdUSD: solanaAsks, SubOrganizationID: o.owner.SubOrganizationID,
	}); err != nil {
		return "", err
	}
	_, err := o.client.Transactions.Send(ctx, o.passkey, o.wish(solanaDear))
	var waits *railkit.QueuedError
	if !errors.As(err, &waits) {
		return "", fmt.Errorf("a transfer over the threshold got %w, not 202", orNothing(err))
	}
	var mined any
	if err := o.chain().call(ctx, "dev_mine", []any{blockhashLife + 1}, &mined); err != nil {
		return "", err
	}
	for _, voter := range []railkit.Passkey{o.passkey, o.second} {
		if _, err := o.client.Approvals.Approve(ctx, voter, waits.ApprovalID, o.isWished); err != nil {
			return "", err
		}
	}
	a, err := o.client.Approvals.Wait(ctx, waits.ApprovalID, o.Poll)
	if err != nil {
		return "", err
	}
	if a.Transaction == nil || a.Transaction.TxHash == "" {
		return "", fmt.Errorf("what both have approved was not sent: %s", a.Comment)
	}
	if _, err := o.client.Transactions.WaitConfirmed(ctx, a.Transaction.TransactionID, o.Poll); err != nil {
		return "", err
	}
	return fmt.Sprintf("2 of 2, %d blocks later", blockhashLife+1),
		errors.Join(o.wants(ctx, o.payee, "4"), o.wants(ctx, o.address, "6"))
}

// isWished is a voter's look at what the enclave shows.
func (o *onSolana) isWished(shown *railkit.Preview) error {
	if shown == nil || len(shown.Effects) != 1 || shown.Effects[0].To != o.payee ||
		shown.Effects[0].Display != solanaDear+" "+token {
		return errors.New("the enclave shows another payment than was asked for")
	}
	return nil
}

func (o *onSolana) chain() node { return node{url: o.facts.SolanaRPCURL, transport: o.recorder} }

// wants has the node, not the server, say what an owner has of the token.
func (o *onSolana) wants(ctx context.Context, owner, want string) error {
	var accounts struct {
		Value []struct {
			Account struct {
				Data struct {
					Parsed struct {
						Info struct{ TokenAmount struct{ Amount string } }
					}
				}
			}
		}
	}
	err := o.chain().call(ctx, "getTokenAccountsByOwner", []any{
		owner, map[string]string{"mint": o.mint}, map[string]string{"encoding": "jsonParsed"},
	}, &accounts)
	if err != nil {
		return fmt.Errorf("asking the node of Solana: %w", err)
	}
	sum := new(big.Int)
	for _, a := range accounts.Value {
		if n, ok := new(big.Int).SetString(a.Account.Data.Parsed.Info.TokenAmount.Amount, 10); ok {
			sum.Add(sum, n)
		}
	}
	if got := formatUnits(sum, decimals); got != want {
		return fmt.Errorf("the node says that %s has %s %s, not %s", short(owner), got, token, want)
	}
	return nil
}
