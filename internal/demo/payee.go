package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	railkit "github.com/railkit/railkit/sdk/go"
)

// bindPayee has the passkey bind the withdrawal address to the bank account behind it. The answer that gave the address
// had what to stamp with it.
func (s *story) bindPayee(ctx context.Context) (string, error) {
	bound := s.out.address.Payee
	if bound == nil || bound.Prepared == nil {
		return "", errors.New("the withdrawal address came without a payee to be stamped")
	}
	shown := bound.Prepared.Shown.Payee
	if b := shown.BankAccount; b == nil || b.LastFour != s.out.account.LastFour || b.Currency != fiat {
		return "", fmt.Errorf("the signer shows another bank account: %+v", b)
	}
	added, err := s.client.Payees.AddPrepared(ctx, s.passkey, *bound.Prepared)
	if err != nil {
		return "", err
	}
	s.out.payee = added.Name
	return added.BankAccount.Owner + ", …" + added.BankAccount.LastFour + ", stamped", nil
}

// swapAddress is what a server does that was taken over: it shows an address that begins and ends like the withdrawal
// address, and asks for a payment to it. The signer's own preview says whose it is not.
func (s *story) swapAddress(ctx context.Context) (string, error) {
	wish := s.transfer("1")
	wish.To = lookAlike(s.out.address.Address)
	p, err := s.client.Transactions.Prepare(ctx, wish)
	if err != nil {
		return "", err
	}
	words := wish.To + " is not " + s.out.payee
	warned := slices.ContainsFunc(p.Shown.Warnings, func(w string) bool {
		return strings.HasPrefix(strings.ToLower(w), strings.ToLower(words))
	})
	if known := p.Shown.Counterparties; len(known) != 1 || known[0].Payee != nil || !warned {
		return "", fmt.Errorf("the signer does not warn of %s: %q", wish.To, p.Shown.Warnings)
	}
	wish.ExpectPayee = s.out.payee
	if _, err := s.client.Transactions.Prepare(ctx, wish); !railkit.IsTampered(err) {
		return "", fmt.Errorf("a client that expects %s got %w", s.out.payee, orNothing(err))
	}
	return "not " + payee + ", says the signer", s.cancelWaiting(ctx)
}

// lookAlike is an address with the same four characters at each end, and others between them.
func lookAlike(address string) string {
	middle := strings.Repeat("0", len(address)-len("0x")-8)
	return strings.ToLower(address[:6] + middle + address[len(address)-4:])
}
