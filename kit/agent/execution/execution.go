// Package execution calls skills for agents and API keys. A skill that costs something is called for a payment by x402,
// which goes to whoever the skill names as payTo: the platform asks for it (402), has a facilitator verify it, calls
// the skill, has the facilitator settle it, and only then gives the skill's answer out.
//
// What a payment buys is a row, so that any server can go on where another one died:
//
//	(none)  -> claimed   a request has the payment, until an instant; a later one takes a claim over that is past it
//	claimed -> (none)    the payment does not pay, or the skill answered with nothing that is sold: nothing was taken
//	claimed -> called    the skill's answer is kept, before the payment is handed in for settlement
//	called  -> settled   the facilitator says that the money moved, and the answer goes out
//
// The row's key is what the payment moves, so that one payment is in one row whatever it was sent for, and it is bound
// to the first call that it came with: caller, skill and input. The same call again with the same payment goes on with
// the row. Once the skill's answer is kept, the skill is not called again. Any other call with the payment is refused.
//
// Read execution.go for the row, service.go for who may call what, sell.go for the order, then errors.go.
package execution

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/vault"
	"github.com/railkit/railkit/x402"
)

// State is how far a purchase has come.
type State string

// The states.
const (
	Claimed State = "claimed" // a request is at work with the payment
	Called  State = "called"  // the skill has answered; the payment is, or was, handed in
	Settled State = "settled" // the money moved
)

// How long things take at most.
const (
	calling  = time.Minute      // from a claim until the skill's answer is kept; the parts of it end sooner
	settling = 2 * time.Minute  // from then until the settlement has an end
	keeps    = 24 * time.Hour   // an answer that was paid for
	outlives = time.Hour        // a purchase its payment, whose end the chain's clock decides
	longest  = 20 * time.Second // a skill's answer is waited for
)

// Purchase is a call of a skill that a payment pays for.
type Purchase struct {
	Payment              string // what it moves: network, way, payer and nonce
	WorkspaceID, Caller  string // Caller is an agent, or "" for the workspace's API keys
	SkillID, Input       string // Input is a hash
	Claim                string // of the request that is at work with it
	State                State
	Asked                string    // x402.Request as JSON: what the facilitator is asked
	Answer               string    // sealed; "": there is none yet, or it was forgotten
	Receipt              string    // x402.Receipt as JSON, of Settled
	BusyUntil            time.Time // the claim is taken over from then on
	EndsAt               time.Time // nobody can use the payment from then on
	CreatedAt, UpdatedAt time.Time
}

// Store keeps purchases.
type Store interface {
	record.Writer[Tx]
	SkillPurchase(ctx context.Context, payment string) (Purchase, error)
	// SweepSkillPurchases forgets answers that were made before an instant, and at another one the purchases whose end
	// it is past, and claims that nobody has gone on with.
	SweepSkillPurchases(ctx context.Context, answersBefore, now time.Time) error
}

// Tx writes them. Each method but the first is record.ErrStale where the purchase is no longer as it was read.
type Tx interface {
	// ClaimSkillPurchase is record.ErrStale where the payment has a row already.
	ClaimSkillPurchase(context.Context, Purchase) error
	// TakeSkillPurchase has a purchase under another claim, which holds it until another instant, and its request.
	TakeSkillPurchase(ctx context.Context, was, is Purchase) error
	// MoveSkillPurchase writes state, answer, receipt and end of a purchase that is held by its claim.
	MoveSkillPurchase(ctx context.Context, p Purchase, from State) error
	// DropSkillPurchase forgets a claimed one, for which nothing was taken.
	DropSkillPurchase(context.Context, Purchase) error
}

func (p Purchase) place() vault.Place {
	return vault.Place{WorkspaceID: p.WorkspaceID, Kind: "skill_purchases", ID: p.Payment, Field: "answer"}
}

// isOf tells whether a purchase is of a call.
func (p Purchase) isOf(c call) bool {
	return p.WorkspaceID == c.workspaceID && p.Caller == c.caller && p.SkillID == c.skillID && p.Input == c.hash
}

// call is what somebody wants to be called.
type call struct {
	workspaceID, caller, skillID, hash string
	input                              map[string]any
}

func callOf(p auth.Principal, skillID string, input map[string]any) (call, error) {
	if input == nil {
		input = map[string]any{}
	}
	raw, err := json.Marshal(input) // its members in the order of their names
	if err != nil {
		return call{}, fault.Field("input", "must be a JSON object")
	}
	sum := sha256.Sum256(raw)
	c := call{workspaceID: p.WorkspaceID, skillID: skillID, hash: hex.EncodeToString(sum[:]), input: input}
	if p.Kind == auth.ByAgent {
		c.caller = p.ID
	}
	return c, nil
}

// latest is the last instant that a database of ours has.
var latest = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// endOf is when nobody can use a payment, or ask for its answer, any more. A transaction on Solana does not say it: its
// blockhash is too old long before its answer is forgotten.
func endOf(payment x402.Payload, now time.Time) time.Time {
	end := latest
	if payment.Transaction != nil {
		end = now
	} else if seconds := payment.End(); seconds.Cmp(big.NewInt(latest.Unix())) < 0 {
		end = time.Unix(seconds.Int64(), 0)
	}
	if soonest := now.Add(keeps); end.Before(soonest) {
		end = soonest
	}
	return end.Add(outlives)
}
