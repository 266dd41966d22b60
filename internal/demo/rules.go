package demo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/passkey"
)

// What the owner's rules say.
const (
	limitUSD     = "50" // of one transaction
	tooMuch      = "60"
	thresholdUSD = "20" // above it both users have to agree
	dear         = "22"
	secondEmail  = "grace@example.com"
)

// limit puts a policy on the wallet and wants to see what it refuses, and why.
func (s *story) limit(ctx context.Context) (string, error) {
	_, err := s.client.Policies.Create(ctx, railkit.PolicyRequest{
		Name: "No more than " + limitUSD + " USD at once", WalletID: s.wallet.WalletID,
		Rules: railkit.PolicyRules{MaxValueUSD: limitUSD},
	})
	if err != nil {
		return "", err
	}
	_, err = s.client.Transactions.Prepare(ctx, s.transfer(tooMuch))
	var answer *railkit.Error
	if !errors.As(err, &answer) || answer.Status != http.StatusUnprocessableEntity || answer.Code != "policy_denied" {
		return "", fmt.Errorf("a transfer over the limit got %w, not 422 policy_denied", orNothing(err))
	}
	denials, err := s.client.Policies.ListDenials(ctx, s.wallet.WalletID, railkit.ListOptions{})
	if err != nil {
		return "", err
	}
	if len(denials.Items) != 1 || denials.Items[0].Rule != "maxValueUsd" || denials.Items[0].Limit != limitUSD {
		return "", fmt.Errorf("the wallet's denials are %+v", denials.Items)
	}
	return denials.Items[0].Rule + ": " + cents(denials.Items[0].Observed) + " > " +
		denials.Items[0].Limit, s.nothingMoved(ctx)
}

// agree adds a second user, and asks both for what is dear. Nobody calls anything
// after the last vote: the payment goes out by itself.
func (s *story) agree(ctx context.Context) (string, error) {
	var err error
	if s.second, err = s.secondUser(ctx); err != nil {
		return "", err
	}
	on := true
	_, err = s.client.Approvals.UpdateConfig(ctx, railkit.ApprovalConfigRequest{
		Enabled: &on, ThresholdUSD: thresholdUSD, RequiredApprovers: 2, SubOrganizationID: s.owner.SubOrganizationID,
	})
	if err != nil {
		return "", err
	}
	_, err = s.client.Transactions.Send(ctx, s.passkey, s.transfer(dear))
	var waits *railkit.QueuedError
	if !errors.As(err, &waits) {
		return "", fmt.Errorf("a transfer over the threshold got %w, not 202", orNothing(err))
	}
	for _, voter := range []railkit.Passkey{s.passkey, s.second} {
		if _, err := s.client.Approvals.Approve(ctx, voter, waits.ApprovalID, s.isDear); err != nil {
			return "", err
		}
	}
	a, err := s.client.Approvals.Wait(ctx, waits.ApprovalID, s.Poll)
	if err != nil {
		return "", err
	}
	if a.Transaction == nil || a.Transaction.TxHash == "" {
		return "", fmt.Errorf("what both have approved was not sent: %s", a.Comment)
	}
	if _, err := s.client.Transactions.WaitConfirmed(ctx, a.Transaction.TransactionID, s.Poll); err != nil {
		return "", err
	}
	s.received, err = s.node().tokenBalance(ctx, s.facts.Tokens[token], s.receiver)
	return "2 of 2, tx " + short(a.Transaction.TxHash), err
}

func (s *story) secondUser(ctx context.Context) (railkit.Passkey, error) {
	second := railkit.FromAuthenticator(passkey.New(s.facts.CeremonyOrigin))
	_, err := s.client.Passkeys.Create(ctx, s.passkey, second, railkit.AddPasskeyRequest{
		SubOrganizationID: s.owner.SubOrganizationID, Email: secondEmail, Label: "Grace's passkey",
	})
	return second, err
}

// isDear is a voter's look at what the enclave shows.
func (s *story) isDear(shown *railkit.Preview) error {
	if shown == nil || len(shown.Effects) != 1 || shown.Effects[0].To == "" ||
		shown.Effects[0].Display != dear+" "+token {
		return errors.New("the enclave shows another payment than was asked for")
	}
	return nil
}

// cents cuts an amount of USD to what a line has room for.
func cents(usd string) string {
	for i := range usd {
		if usd[i] == '.' {
			return usd[:min(len(usd), i+3)]
		}
	}
	return usd
}

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
