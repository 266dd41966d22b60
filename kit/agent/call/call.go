// Package call has the enclave execute what an agent asks for on its own word: the agent's signature stands where
// a passkey's stamp would. The order keeps a crash between any two steps harmless:
//
//  1. the row of the activity, which waits, so that the enclave can be asked about its body later, and in the same
//     transaction the price of the call, held in the agent's budget;
//  2. the enclave, which executes the body, lets it wait for votes, or refuses it;
//  3. the commit of the caller, and the price is captured; or the row is ended, and the price is free again.
//
// What a crash leaves after 1 or 2 the sweepers of activities and budgets settle by the enclave's word.
//
// Under one Idempotency-Key there is one operation. The agent signs each try anew, with another timestamp, so that each
// try has another body: a body whose try was cut off before the enclave heard of it is cancelled there, and only then
// the next try writes its own.
package call

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/agent/budget"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/idempotency"
	"github.com/railkit/railkit/platform/record"
)

const (
	// Patience is how long a try may be on its way to the enclave: longer than a request waits for node and enclave.
	// Only after that another try under the same key takes its place.
	Patience = 20 * time.Second
	// RetryAfter is when the slower of two tries may find the answer of the other one.
	RetryAfter = 2 * time.Second

	mostTries = 20 // of a call under one Idempotency-Key that end before the enclave executes one
)

// Tx is what a call needs of a transaction of the database.
type Tx interface {
	budget.HoldTx
	InsertActivity(context.Context, activity.Activity) error
	MoveActivity(
		ctx context.Context, workspaceID, id string, from, to activity.State, walletID string, now time.Time,
	) error
}

// Store is what calls need of a database.
type Store[T Tx] interface {
	Activity(ctx context.Context, workspaceID, id string) (activity.Activity, error)
	record.Writer[T]
}

// Budget counts an agent's calls. The agent kit has it.
type Budget interface {
	// Open refuses where agents of the workspace may pay nothing, whatever their budgets and votes are.
	Open(ctx context.Context, workspaceID string) error
	// Running refuses a new call of an agent that is stopped.
	Running(context.Context, wire.AgentReply) error
	// Hold admits a call: its price is kept until it is captured or void. The same id again only changes the
	// fingerprint.
	Hold(ctx context.Context, a wire.AgentReply, id, fingerprint string) error
	// HoldNew is Hold in the transaction that writes the call; record.ErrStale where the id has a hold. What it refuses
	// undoes the transaction, and Refused then says it.
	HoldNew(ctx context.Context, tx budget.HoldTx, a wire.AgentReply, id, fingerprint string) error
	Refused(ctx context.Context, a wire.AgentReply, err error) error
	Capture(ctx context.Context, workspaceID, id string) error
	Void(ctx context.Context, workspaceID, id string) error
}

// Caller brings agents' calls to the enclave.
type Caller[T Tx] struct {
	Store   Store[T]
	Enclave signer.Enclave
	Budget  Budget
	Clock   clock.Clock
	Log     *slog.Logger
}

// Call is what an agent asks for.
type Call[T Tx] struct {
	Name  string // of the operation, of which ids are made
	Agent wire.AgentReply
	// Draft writes the body, which carries the agent's request as the agent signed it.
	Draft func(ctx context.Context, id string) (activity.Activity, error)
	// Volatile is what the server adds when the body is executed, asked for anew with each try; nil: nothing.
	Volatile func(ctx context.Context) (*wire.Volatile, error)
	// Beside writes what belongs to the activity, in the same transaction; Drop takes it away once the call is refused.
	Beside, Drop func(ctx context.Context, tx T, a activity.Activity) error
}

// Do has the enclave execute a call, once under an Idempotency-Key: the outcome is Done or Held. The caller commits it,
// and captures its price in that transaction (budget.CaptureIn), or afterwards.
func (c *Caller[T]) Do(
	ctx context.Context, cmd *command.Command, q Call[T],
) (a activity.Activity, out client.Outcome, err error) {
	a, out, err = c.find(ctx, cmd, q)
	if err != nil || out.State != wire.Unknown {
		return a, out, err
	}
	out, err = c.submit(ctx, cmd, q, a)
	if err == nil && out.State == wire.Cancelled { // another try under the key took its place
		return a, out, idempotency.ErrInFlight.After(RetryAfter)
	}
	if f, ok := fault.As(err); ok && f.Refusal() { // else nobody knows: the sweepers find out
		c.drop(ctx, q, a)
	}
	return a, out, err
}

// triesAlike is how often a message is made anew that was signed before, for another call.
const triesAlike = 3

// submit brings the body to the enclave. One like another may make the very message that was signed for that one, and
// is made again with what the server adds then.
func (c *Caller[T]) submit(
	ctx context.Context, cmd *command.Command, q Call[T], a activity.Activity,
) (out client.Outcome, err error) {
	in := wire.SubmitRequest{
		Body: a.Body, Stamp: &wire.Stamp{HeaderName: wire.AgentStamp, HeaderValue: cmd.Principal.Claim.MAC},
	}
	for n := 0; ; n++ {
		if q.Volatile != nil {
			if in.Volatile, err = q.Volatile(ctx); err != nil {
				return out, err
			}
		}
		out, err = c.Enclave.Submit(ctx, in, a.Fingerprint)
		if in.Volatile == nil || !errors.Is(err, refusal.ErrAlreadySigned) || n == triesAlike {
			return out, err
		}
	}
}

// Capture counts the price of a call that did its work.
func (c *Caller[T]) Capture(ctx context.Context, a activity.Activity) {
	if err := c.Budget.Capture(ctx, a.WorkspaceID, a.ID); err != nil {
		c.Log.WarnContext(ctx,
			"capturing the price of a call failed; the sweeper does it", "activity", a.ID, "error", err)
	}
}

// WithoutAccount says what an agent's owner does where its wallet has no account for a network.
func WithoutAccount(a wire.AgentReply, n chain.Network) string {
	return "must be one for which the agent's wallet has an account: its owner adds one for " + n.Slug +
		" by POST /v1/signing/wallets/accounts/prepare with walletId " + a.WalletID
}

// find finds what a call under the same key has had executed before, or that it waits for votes. Else it writes the row
// of a new body; then the outcome is Unknown.
func (c *Caller[T]) find(
	ctx context.Context, cmd *command.Command, q Call[T],
) (a activity.Activity, out client.Outcome, err error) {
	id := record.NewID()
	for n := 0; cmd.Key != nil; n++ {
		id = record.DerivedID(q.Name, q.Agent.WorkspaceID, cmd.Key.Hash, cmd.Key.Request, strconv.Itoa(n))
		a, err = c.Store.Activity(ctx, q.Agent.WorkspaceID, id)
		if errors.Is(err, fault.ErrNotFound) {
			break
		}
		if err == nil && n == mostTries {
			err = activity.ErrRequestExpired
		}
		if err != nil {
			return a, out, err
		}
		if a.State == activity.Expired || a.State == activity.Cancelled {
			continue
		}
		if out, err = c.ended(ctx, a); err != nil || out.State != wire.Cancelled {
			return a, out, err
		}
	}
	if a, err = q.Draft(ctx, id); err == nil {
		err = c.insert(ctx, q, a)
	}
	return a, client.Outcome{State: wire.Unknown}, err
}

// ended is what became of a body that another try under the same key has written. A try that may still be on its way to
// the enclave is left alone.
func (c *Caller[T]) ended(ctx context.Context, a activity.Activity) (client.Outcome, error) {
	out, err := c.Enclave.Outcome(ctx, a.Fingerprint)
	if err != nil || out.State != wire.Unknown {
		return out, err
	}
	if c.Clock.Now().Sub(a.CreatedAt) < Patience {
		return out, idempotency.ErrInFlight.After(RetryAfter)
	}
	return c.Enclave.Cancel(ctx, a.Fingerprint)
}

// errSlower undoes the transaction of a try whose row another one under the key has written.
var errSlower = idempotency.ErrInFlight.After(RetryAfter)

// insert writes the row of a body and holds the price of its call, unless another try under the same key was faster: a
// row of that one is not written over, and its hold stays for its own body. Both are on disk before the enclave hears
// of the body: what it may have signed nobody could ask for otherwise, and it would be paid by no budget.
func (c *Caller[T]) insert(ctx context.Context, q Call[T], a activity.Activity) error {
	if err := c.Budget.Open(ctx, a.WorkspaceID); err != nil {
		return err
	}
	err := record.Do(ctx, c.Store, a.WorkspaceID, func(ctx context.Context, tx T) error {
		if err := tx.InsertActivity(ctx, a); err != nil {
			return err
		}
		if q.Beside != nil {
			if err := q.Beside(ctx, tx, a); err != nil {
				return err
			}
		}
		return c.Budget.HoldNew(ctx, tx, q.Agent, a.ID, a.Fingerprint)
	})
	if is, found := c.Store.Activity(ctx, a.WorkspaceID, a.ID); found == nil && is.Fingerprint != a.Fingerprint {
		return errSlower
	}
	return c.Budget.Refused(ctx, q.Agent, err)
}

// drop ends the row of a body that was refused, and frees the price of the call.
func (c *Caller[T]) drop(ctx context.Context, q Call[T], a activity.Activity) {
	err := record.Do(ctx, c.Store, a.WorkspaceID, func(ctx context.Context, tx T) error {
		if err := tx.MoveActivity(ctx, a.WorkspaceID, a.ID, activity.Awaiting, activity.Expired, a.WalletID,
			c.Clock.Now()); err != nil || q.Drop == nil {
			return err
		}
		return q.Drop(ctx, tx, a)
	})
	if err = record.UnlessStale(err); err == nil {
		err = c.Budget.Void(ctx, a.WorkspaceID, a.ID)
	}
	if err != nil {
		c.Log.WarnContext(ctx, "forgetting a refused call failed; the sweepers do it", "activity", a.ID, "error", err)
	}
}
