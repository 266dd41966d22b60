package demo

import (
	"context"
	"errors"
	"fmt"
	"net/http"

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
	second, err := s.secondUser(ctx)
	if err != nil {
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
	for _, voter := range []railkit.Passkey{s.passkey, second} {
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
