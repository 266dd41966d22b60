package trigger

import (
	"context"
	"crypto/rand"
	"fmt"
	"math/big"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/passkey"
)

const (
	network = "base"
	token   = "USDC"
	arrives = "100"
	// receiver is an address of nobody.
	receiver = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
	// The cents have the sandbox's bank send it back: docs/partner.md.
	comesBack = "40.02"
)

// Flows lists what can be triggered.
var Flows = []Flow{
	{Type: "recipient.created", Does: "makes a recipient", run: func(ctx context.Context, s *sandbox) (string, error) {
		r, err := s.recipient(ctx)
		return idOf(r, err, func() string { return r.ID })
	}},
	{Type: "bank_account.created", Does: "adds a bank account in Mexico to a new recipient",
		run: func(ctx context.Context, s *sandbox) (string, error) {
			a, err := s.account(ctx)
			return idOf(a, err, func() string { return a.ID })
		}},
	{Type: "withdraw_address.active", Does: "makes an address whose deposits go to a new bank account",
		run: func(ctx context.Context, s *sandbox) (string, error) {
			a, err := s.address(ctx, "")
			return idOf(a, err, func() string { return a.ID })
		}},
	{Type: "quote.created", Does: "asks what a payout costs",
		run: func(ctx context.Context, s *sandbox) (string, error) {
			q, _, err := s.quote(ctx)
			return idOf(q, err, func() string { return q.QuoteID })
		}},
	{Type: "order.created", Does: "has 100 USDC arrive at a new withdrawal address", run: deposits},
	{Type: "order.payment_submitted", Does: "the same, and waits until the bank is asked", run: deposits},
	{Type: "order.completed", Does: "the same, and waits until the bank has the money", run: deposits},
	{Type: "order.returned", Does: "has 40.02 USDC arrive, which the bank sends back, and a new wallet gets",
		wallet: true, run: returns},
	{Type: "order.canceled", Does: "executes a quote and cancels its order", run: cancels},
	{Type: "wallet.created", Does: "makes a wallet with a new passkey", wallet: true,
		run: func(ctx context.Context, s *sandbox) (string, error) {
			o, err := s.owner(ctx)
			return idOf(o, err, func() string { return o.organization })
		}},
	{Type: "transfer.final", Does: "has the faucet pay 10 USDC to a new wallet", wallet: true,
		run: func(ctx context.Context, s *sandbox) (string, error) {
			o, err := s.funded(ctx)
			return idOf(o, err, func() string { return o.address })
		}},
	{Type: "transaction.confirmed", Does: "pays 1 USDC from a new wallet", wallet: true, run: pays},
}

// idOf is the id of what was made.
func idOf[T any](_ *T, err error, id func() string) (string, error) {
	if err != nil {
		return "", err
	}
	return id(), nil
}

func (s *sandbox) recipient(ctx context.Context) (*railkit.Recipient, error) {
	s.Says("a recipient in Mexico")
	return s.Client.Recipients.Create(ctx, railkit.RecipientRequest{
		Name: "Ana Ruiz", OwnerType: "individual",
		Address: railkit.PostalAddress{Street: "Av. Reforma 1", City: "CDMX", PostalCode: "06600", Country: "MX"},
	})
}

func (s *sandbox) account(ctx context.Context) (*railkit.BankAccount, error) {
	r, err := s.recipient(ctx)
	if err != nil {
		return nil, err
	}
	number, err := newCLABE()
	if err != nil {
		return nil, err
	}
	s.Says("a bank account, with the CLABE " + number)
	return s.Client.BankAccounts.Create(ctx, r.ID, railkit.BankAccountRequest{
		Currency: "mxn", Country: "MX", CLABE: number,
	})
}

// newCLABE is a number of an account that nobody has yet, with the check digit that fits.
func newCLABE() (string, error) {
	n, err := rand.Int(rand.Reader, big.NewInt(1e11))
	if err != nil {
		return "", err
	}
	number, sum := fmt.Sprintf("032180%011d", n), 0
	for i, digit := range number {
		sum += int(digit-'0') * []int{3, 7, 1}[i%3] % 10
	}
	return fmt.Sprint(number, (10-sum%10)%10), nil
}

// address leads to a new bank account. What the bank sends back goes to the wallet, if there is one.
func (s *sandbox) address(ctx context.Context, walletID string) (*railkit.WithdrawAddress, error) {
	a, err := s.account(ctx)
	if err != nil {
		return nil, err
	}
	s.Says("an address whose deposits go to that account")
	return s.Client.WithdrawAddresses.Create(ctx, railkit.WithdrawAddressRequest{
		BeneficiaryAccountID: a.ID, WalletID: walletID, Chain: network, Currency: "usdc",
	})
}

// deposits has money arrive at a new withdrawal address. What becomes of it is the bank's.
func deposits(ctx context.Context, s *sandbox) (string, error) { return s.deposit(ctx, arrives, "") }

// returns is deposits of an amount that the bank sends back.
func returns(ctx context.Context, s *sandbox) (string, error) {
	o, err := s.owner(ctx)
	if err != nil {
		return "", err
	}
	return s.deposit(ctx, comesBack, o.wallet)
}

func (s *sandbox) deposit(ctx context.Context, amount, walletID string) (string, error) {
	a, err := s.address(ctx, walletID)
	if err != nil {
		return "", err
	}
	s.Says(amount + " " + token + " arrive there")
	sent, err := s.Client.Sandbox.Deposit(ctx, railkit.DepositRequest{WithdrawAddressID: a.ID, Amount: amount})
	if err != nil {
		return "", err
	}
	o, err := s.Client.Orders.WaitDeposit(ctx, sent.TxHash, 0)
	return idOf(o, err, func() string { return o.ID })
}

func (s *sandbox) quote(ctx context.Context) (q *railkit.Quote, recipientID string, err error) {
	a, err := s.address(ctx, "")
	if err != nil {
		return nil, "", err
	}
	s.Says("a quote for 25 " + token)
	q, err = s.Client.Payments.Quote(ctx, railkit.QuoteRequest{
		BeneficiaryID: a.BeneficiaryID, Amount: "25", Currency: token,
	})
	return q, a.BeneficiaryID, err
}

func cancels(ctx context.Context, s *sandbox) (string, error) {
	q, recipientID, err := s.quote(ctx)
	if err != nil {
		return "", err
	}
	p, err := s.Client.Payments.Execute(ctx, railkit.ExecuteRequest{QuoteID: q.QuoteID, BeneficiaryID: recipientID})
	if err != nil {
		return "", err
	}
	s.Says("its order is canceled")
	o, err := s.Client.Orders.Cancel(ctx, p.OrderID)
	return idOf(o, err, func() string { return o.ID })
}

// owner has a wallet and an address, whose passkey is gone when the run ends.
type owner struct {
	passkey                       railkit.Passkey
	organization, wallet, address string
}

func (s *sandbox) owner(ctx context.Context) (*owner, error) {
	s.Says("a passkey that registers, and a wallet")
	o := &owner{passkey: railkit.FromAuthenticator(passkey.New(s.CeremonyOrigin))}
	who, err := s.Client.SubOrganizations.Create(ctx, o.passkey, railkit.RegisterParams{
		Email: "trigger-" + uuid.NewString() + "@example.com", Name: "Trigger", Label: "railkit trigger",
	})
	if err != nil {
		return nil, err
	}
	w, err := s.Client.Wallets.Create(ctx, o.passkey, railkit.PrepareWalletRequest{
		WalletName: "railkit trigger", SubOrganizationID: who.SubOrganizationID,
	})
	if err != nil {
		return nil, err
	}
	a, err := s.Client.Addresses.Create(ctx, o.passkey, railkit.PrepareAccountRequest{
		WalletID: w.WalletID, Chain: network, Name: "Trigger", Path: "m/44'/60'/0'/0/0",
	})
	if err != nil {
		return nil, err
	}
	o.organization, o.wallet, o.address = who.SubOrganizationID, w.WalletID, a.Address
	return o, nil
}

// funded is an owner to whom the faucet has sent money that is on its way.
func (s *sandbox) funded(ctx context.Context) (*owner, error) {
	o, err := s.owner(ctx)
	if err != nil {
		return nil, err
	}
	s.Says("the faucet pays to it")
	for asset, amount := range map[string]string{"native": "1", token: "10"} {
		if _, err := s.Client.Sandbox.Faucet(ctx, railkit.FaucetRequest{
			Chain: network, Address: o.address, Asset: asset, Amount: amount,
		}); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func pays(ctx context.Context, s *sandbox) (string, error) {
	o, err := s.funded(ctx)
	if err != nil {
		return "", err
	}
	if _, err := s.wait(ctx, "transfer.final", o.address); err != nil {
		return "", err
	}
	n, _ := chain.BySlug(chain.Sandbox, network)
	usdc, _ := n.TokenBySymbol(token)
	s.Says("1 " + token + " is stamped and sent")
	sent, err := s.Client.Transactions.Send(ctx, o.passkey, railkit.PrepareTransactionRequest{
		Type: railkit.TransferToken, SignWith: o.address, ChainID: n.ChainID, To: receiver, Amount: "1",
		TokenAddress: usdc.Address,
	})
	return idOf(sent, err, func() string { return sent.TransactionID })
}
