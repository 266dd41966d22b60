package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/railkit/railkit/chain"
	nodes "github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana"
	solanarpc "github.com/railkit/railkit/chain/solana/rpc"
	railkit "github.com/railkit/railkit/sdk/go"
)

// What the wallet does on Solana and nowhere else.
const (
	solanaPaid    = "20" // to a bank
	solanaDear    = "3"  // above solanaAsks
	solanaAsks    = "2"
	blockhashLife = 150 // blocks
)

// onSolana is the story's part on Solana. Its payee is a key that has no account there yet: the account for the token
// is opened, within the stamped rent.
type onSolana struct {
	*place
	shopper *shopper
}

// solanaSteps are those of every place, two more and, once two passkeys have to agree, another one.
func solanaSteps(s *story) (first, later []step) {
	o := &onSolana{place: &place{
		story: s, slug: "solana", name: "Solana", token: token, coins: fundNative,
		paying: placePays + " " + token + " opens the payee's account",
		fees:   "10000000", // lamports: 0.01 SOL, more than fee and rent together
		url:    func(f Facts) string { return f.SolanaRPCURL }, newPayee: newOnSolana,
		dial: func(u string, n chain.Network) (nodes.Client, error) { return solanarpc.DialAll(u, n) },
		told: func(context.Context, node, *railkit.Transaction) (string, error) {
			return "payee " + placePays + ", wallet " + placeLeft + " " + token, nil
		},
	}}
	return append(o.steps(),
			step{solanaPaid + " " + token + " from Solana, to the same bank", o.payOut},
			step{"An agent buys there, without any SOL", o.buy},
		), []step{
			{"A vote outlives Solana's blockhash", o.outlive},
		}
}

// newOnSolana is the address of somebody who has nothing.
func newOnSolana() (string, error) {
	var key solana.Address
	for key == (solana.Address{}) || !key.OnCurve() {
		if _, err := rand.Read(key[:]); err != nil {
			return "", err
		}
	}
	return key.String(), nil
}

// payOut sends to an address on Solana that leads to the bank account of before: by SPEI, as from any other network.
func (o *onSolana) payOut(ctx context.Context) (string, error) {
	leads, err := o.client.WithdrawAddresses.Create(ctx, railkit.WithdrawAddressRequest{
		BeneficiaryAccountID: o.out.account.ID, WalletID: o.wallet.WalletID, Chain: o.slug, Currency: "usdc",
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
	o.shopper = &shopper{story: o.story, name: "Ada's shopper on Solana", on: o.slug}
	if _, err := o.shopper.hire(ctx); err != nil {
		return "", err
	}
	if err := o.shopper.getWeather(ctx); err != nil {
		return "", err
	}
	return "delivered, tx " + short(o.shopper.bought.Tx), o.wants(ctx, o.shopper.address, "0.09")
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
	if err := o.mine(ctx, blockhashLife+1); err != nil {
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
