package railkit

import (
	"context"
	"fmt"
)

// RegisterParams say who a new sub-organization is for.
type RegisterParams struct {
	Email             string
	Name              string
	Label             string
	RecoveryPublicKey string // P-256, compressed hex; without it no recovery
}

// CreateSubOrganization creates a passkey and registers it. The proof says that
// this passkey owns the new sub-organization, or the call fails. Each call makes
// a new passkey, so a caller's idempotency key has no meaning here.
func (c *Client) CreateSubOrganization(ctx context.Context, pk Passkey, p RegisterParams) (*Registration, error) {
	challenge, err := c.PasskeyChallenge(withoutKey(ctx), p.Email)
	if err != nil {
		return nil, fmt.Errorf("asking for a challenge: %w", err)
	}
	attestation, err := pk.Create(challenge.Options)
	if err != nil {
		return nil, fmt.Errorf("creating a passkey: %w", err)
	}
	return c.RegisterPasskey(withoutKey(ctx), RegisterRequest{
		Email: p.Email, Name: p.Name, Label: p.Label, EncodedChallenge: challenge.EncodedChallenge,
		Attestation: attestation, RecoveryPublicKey: p.RecoveryPublicKey,
	})
}

// CreateWallet prepares, verifies, stamps and confirms a wallet.
func (c *Client) CreateWallet(ctx context.Context, pk Passkey, req PrepareWalletRequest) (*CreatedWallet, error) {
	p, err := c.PrepareWallet(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("preparing a wallet: %w", err)
	}
	signed, err := stamp(pk, p.Prepared)
	if err != nil {
		return nil, err
	}
	return c.ConfirmWallet(withoutKey(ctx), ConfirmWalletRequest{WalletRequestID: p.WalletRequestID, SignedActivity: signed})
}

// CreateAccount prepares, verifies, stamps and confirms a further address.
func (c *Client) CreateAccount(ctx context.Context, pk Passkey, req PrepareAccountRequest) (*Address, error) {
	p, err := c.PrepareAccount(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("preparing an address: %w", err)
	}
	signed, err := stamp(pk, p.Prepared)
	if err != nil {
		return nil, err
	}
	return c.ConfirmAccount(withoutKey(ctx), ConfirmAccountRequest{WalletAccountRequestID: p.WalletAccountRequestID, SignedActivity: signed})
}

// SendTransaction prepares, verifies, stamps and confirms a transaction.
func (c *Client) SendTransaction(ctx context.Context, pk Passkey, req PrepareTransactionRequest) (*Transaction, error) {
	p, err := c.PrepareTransaction(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("preparing a transaction: %w", err)
	}
	signed, err := stamp(pk, p.Prepared)
	if err != nil {
		return nil, err
	}
	return c.ConfirmTransaction(withoutKey(ctx), ConfirmTransactionRequest{TransactionID: p.TransactionID, SignedActivity: signed})
}

func stamp(pk Passkey, p Prepared) (SignedActivity, error) {
	s, err := pk.Stamp(p.UnsignedActivity.Body, p.credentialIDs()...)
	if err != nil {
		return SignedActivity{}, fmt.Errorf("stamping: %w", err)
	}
	return p.Signed(s), nil
}
