package facilitator

import (
	"context"
	"time"

	railkit "github.com/railkit/railkit/sdk/go"
)

// Loan is what an owner lets a facilitator do with a wallet's accounts.
type Loan struct {
	WalletID  string
	PublicKey string // of the facilitator's key
	Until     time.Time
	// What is settled, with its fee: of one payment, and of a day.
	MaxValueUSD, DailyUSD railkit.Number
}

// Lend makes the policy under whose delegation a facilitator's key has the wallet settle payments, and nothing else.
// The passkey stamps it.
func Lend(ctx context.Context, c *railkit.Client, pk railkit.Passkey, l Loan) (*railkit.Policy, error) {
	req := railkit.PolicyRequest{
		Name: "x402 facilitator", WalletID: l.WalletID,
		Rules: railkit.PolicyRules{Delegation: &railkit.Delegation{
			PublicKey: l.PublicKey, ExpiresAt: l.Until.UTC().Format(time.RFC3339), MaxValueUSD: l.MaxValueUSD,
			DailyUSD: l.DailyUSD, SettlementsOnly: true,
		}},
	}
	prepared, err := c.Policies.Prepare(ctx, req)
	if err != nil {
		return nil, err
	}
	signed, err := prepared.Stamp(pk)
	if err != nil {
		return nil, err
	}
	req.SignedActivity = &signed
	return c.Policies.Create(ctx, req)
}
