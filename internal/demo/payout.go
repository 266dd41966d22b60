package demo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/railkit/railkit/money"
	railkit "github.com/railkit/railkit/sdk/go"
)

// Who is paid, and what.
const (
	payee      = "Ana Ruiz"
	clabe      = "032180000118359719" // a test number; its check digit fits
	paid       = "100"                // of the token
	quoted     = "1000"               // of the payee's currency
	sentBack   = "40.02"              // a magic amount: the sandbox's bank sends it back
	notWanted  = "25"
	fiat       = "MXN"
	notPayable = "Order already settled"
)

// payouts are what the steps about the bank in Mexico hand on.
type payouts struct {
	recipient string
	account   *railkit.BankAccount
	address   *railkit.WithdrawAddress
	payee     string               // name of the address in the book of payees
	first     *railkit.OrderDetail // the one that is shown line by line
	opened    time.Time
	before    money.Amount // that the wallet had
	statement *statement
}

func (s *story) payoutSteps() []step {
	return []step{
		{"A recipient in Mexico, with a CLABE", s.addPayee},
		{"The address that leads to that bank", s.addAddress},
		{"The passkey makes it a payee, by name", s.bindPayee},
		{"Another address, alike at both ends", s.swapAddress},
		{paid + " " + token + " go there, and on to the bank", s.payOut},
		{"A quote: exactly " + quoted + " " + fiat + " arrive", s.payQuoted},
		{"A bank sends " + sentBack + " " + token + " back", s.refund},
		{"An order is canceled", s.cancel},
	}
}

func (s *story) addPayee(ctx context.Context) (string, error) {
	r, err := s.client.Recipients.Create(ctx, railkit.RecipientRequest{
		Name: payee, OwnerType: "individual",
		Address: railkit.PostalAddress{Street: "Av. Reforma 1", City: "CDMX", PostalCode: "06600", Country: "MX"},
	})
	if err != nil {
		return "", err
	}
	s.out.recipient = r.ID
	s.out.account, err = s.client.BankAccounts.Create(ctx, r.ID, railkit.BankAccountRequest{
		Currency: "mxn", Country: "MX", CLABE: clabe,
	})
	if err != nil {
		return "", err
	}
	if s.out.account.Status != "active" {
		return "", fmt.Errorf("the bank account is %s", s.out.account.Status)
	}
	return payee + ", …" + s.out.account.LastFour + ", " + s.out.account.Status, nil
}

// addAddress sets up where the money goes, with the wallet as the place of refunds.
func (s *story) addAddress(ctx context.Context) (string, error) {
	var err error
	s.out.address, err = s.client.WithdrawAddresses.Create(ctx, railkit.WithdrawAddressRequest{
		BeneficiaryAccountID: s.out.account.ID, WalletID: s.wallet.WalletID, Chain: network, Currency: "usdc",
	})
	if err != nil {
		return "", err
	}
	if s.out.address.ReturnAddress != s.account.Address {
		return "", errors.New("refunds would go to another address than the wallet's")
	}
	s.out.opened = time.Now()
	s.out.before, err = s.usdc(ctx)
	return short(s.out.address.Address) + " on " + network, err
}

// send pays to the withdrawal address under the passkey's stamp, and gives the
// order that the deposit pays for.
func (s *story) send(ctx context.Context, amount string) (*railkit.OrderDetail, error) {
	wish := s.transfer(amount)
	wish.To, wish.ExpectPayee = s.out.address.Address, s.out.payee
	sent, err := s.client.Transactions.Send(ctx, s.passkey, wish)
	if err != nil {
		return nil, err
	}
	return s.client.Orders.WaitDeposit(ctx, sent.TxHash, s.Poll)
}

// payOut sends, and does nothing else: what arrives goes to the bank by itself.
func (s *story) payOut(ctx context.Context) (string, error) {
	o, err := s.send(ctx, paid)
	if err != nil {
		return "", err
	}
	if s.out.first, err = s.arrived(ctx, o.ID); err != nil {
		return "", err
	}
	return s.out.first.Destination.Amount + " " + fiat + " by SPEI", nil
}

// arrived waits until the bank has it.
func (s *story) arrived(ctx context.Context, id string) (*railkit.OrderDetail, error) {
	o, err := s.client.Orders.Wait(ctx, id, s.Poll)
	if err == nil && (o.Status != railkit.OrderCompleted || o.References.TrackingKey == "" || o.Explanation == nil) {
		err = fmt.Errorf("the order is %s, with the tracking key %q", o.Status, o.References.TrackingKey)
	}
	return o, err
}

// execute accepts a quote.
func (s *story) execute(ctx context.Context, q railkit.QuoteRequest) (*railkit.Payment, error) {
	q.BeneficiaryID = s.out.recipient
	quote, err := s.client.Payments.Quote(ctx, q)
	if err != nil {
		return nil, err
	}
	p, err := s.client.Payments.Execute(ctx, railkit.ExecuteRequest{
		QuoteID: quote.QuoteID, BeneficiaryID: s.out.recipient,
	})
	if err == nil && p.DepositInstructions == nil {
		err = errors.New("an executed quote does not say what to send where")
	}
	return p, err
}

func (s *story) payQuoted(ctx context.Context) (string, error) {
	p, err := s.execute(ctx, railkit.QuoteRequest{Amount: quoted, Currency: fiat})
	if err != nil {
		return "", err
	}
	sent, err := s.send(ctx, p.DepositInstructions.Amount)
	if err != nil {
		return "", err
	}
	o, err := s.arrived(ctx, sent.ID)
	if err != nil {
		return "", err
	}
	if o.Reference != p.Reference || o.Destination.Amount != quoted+".00" {
		return "", fmt.Errorf("%s %s arrived for %s", o.Destination.Amount, fiat, o.Reference)
	}
	return "for " + p.DepositInstructions.Amount + " " + token, nil
}

// refund is about a payment that the bank sends back after it has arrived. What
// comes back goes to the wallet by itself.
func (s *story) refund(ctx context.Context) (string, error) {
	o, err := s.send(ctx, sentBack)
	if err != nil {
		return "", err
	}
	if o, err = s.client.Orders.WaitRefund(ctx, o.ID, s.Poll); err != nil {
		return "", err
	}
	if o.Refund.Status != railkit.RefundCompleted || o.Refund.Address != s.account.Address || o.Failure == nil {
		return "", fmt.Errorf("the refund is %s, to %s", o.Refund.Status, o.Refund.Address)
	}
	return o.Refund.Amount + " " + token + " refunded", nil
}

func (s *story) cancel(ctx context.Context) (string, error) {
	p, err := s.execute(ctx, railkit.QuoteRequest{Amount: notWanted, Currency: token})
	if err != nil {
		return "", err
	}
	o, err := s.client.Orders.Cancel(ctx, p.Reference)
	if err != nil {
		return "", err
	}
	if o.Status != railkit.OrderCanceled {
		return "", fmt.Errorf("the order is %s", o.Status)
	}
	_, err = s.client.Orders.Cancel(ctx, s.out.first.Reference)
	var answer *railkit.Error
	if !errors.As(err, &answer) || answer.Status != http.StatusUnprocessableEntity || answer.Message != notPayable {
		return "", fmt.Errorf("canceling what is paid got %w, not 422 %s", orNothing(err), notPayable)
	}
	return o.Reference, nil
}
