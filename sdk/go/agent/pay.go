package agent

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/rest"
	railkit "github.com/railkit/railkit/sdk/go"
)

const codeInvalidAuth = "invalid_auth" // of a signature that is wrong or was used

const (
	longestAsk = 15 * time.Second // of one question after a decision, which the API answers once there is one
	askEvery   = 5 * time.Second  // and not more often, should the API answer at once
)

// Pay pays once, whatever becomes of the answers. Above the agent's threshold it waits for the owner's decision, for
// ApprovalTimeout at most. Errors: ErrKilled, ErrStopped, ErrUnreachable, ErrClosed, BudgetError, RejectedError,
// ApprovalTimeoutError, UnknownError, and railkit.Error for all else that the API refuses.
func (r *Runtime) Pay(ctx context.Context, p railkit.AgentPayment) (*railkit.Transaction, error) {
	return r.PayOnce(ctx, uuid.NewString(), p)
}

// PayOnce is Pay under a key of the caller's, a UUID v4: called again with it within 24 hours, also by another process
// after a crash, it gives the outcome of the first call and pays nothing more.
func (r *Runtime) PayOnce(ctx context.Context, key string, p railkit.AgentPayment) (*railkit.Transaction, error) {
	if err := r.begin(ctx, key); err != nil {
		return nil, err
	}
	tx, err := r.pay(ctx, key, p)
	if err != nil {
		return nil, r.learn(err)
	}
	r.Track(railkit.AgentEvent{
		ID: "payment-" + key, Type: typePayment, Recipient: p.Destination, // with this id it counts once
		Metadata: map[string]any{
			"transactionId": tx.TransactionID, "txHash": tx.TxHash, "amount": p.Amount, "token": p.TokenMint,
			"network": p.Cluster,
		},
	})
	return tx, nil
}

// begin says whether a payment may be asked for, under this key.
func (r *Runtime) begin(ctx context.Context, key string) error {
	if id, err := uuid.Parse(key); err != nil || id.Version() != 4 {
		return errors.New("agent: the key of a payment must be a UUID v4")
	}
	return r.ready(ctx)
}

// learn keeps that the agent was killed, where an error says so.
func (r *Runtime) learn(err error) error {
	if errors.Is(err, ErrKilled) {
		r.know(err)
	}
	return err
}

func (r *Runtime) pay(ctx context.Context, key string, p railkit.AgentPayment) (*railkit.Transaction, error) {
	keyed := railkit.WithIdempotencyKey(ctx, key)
	tx, queued, err := insist(keyed, r, key, func() (*railkit.Transaction, error) {
		tx, err := r.client.Pay(keyed, p)
		if err == nil && tx.TransactionID == "" {
			err = errors.New("agent: the answer names no transaction")
		}
		return tx, err
	})
	if queued == nil {
		return tx, err
	}
	a, err := r.await(ctx, key, queued.ApprovalID)
	if err != nil {
		return nil, err
	}
	return transactionOf(key, a, p)
}

// insist asks until there is an answer that stands, or that a payment waits for its owner. All tries are the same
// request, so that one of them pays at most.
func insist[T any](
	ctx context.Context, r *Runtime, key string, ask func() (*T, error),
) (*T, *railkit.QueuedError, error) {
	unknown := false
	for attempt := 1; ; attempt++ {
		answer, err := ask()
		var queued *railkit.QueuedError
		switch {
		case err == nil:
			return answer, nil, nil
		case errors.As(err, &queued) && queued.ApprovalID != "":
			return nil, queued, nil
		}
		unknown = unknown || mayHavePaid(err)
		wait, again := pause(err, attempt)
		if again && r.sleep(ctx, wait) == nil {
			continue
		}
		if err = refusal(err); unknown {
			err = &UnknownError{Key: key, Err: err}
		}
		return nil, nil, err
	}
}

// mayHavePaid says that an error leaves open whether the payment was made.
func mayHavePaid(err error) bool {
	var answer *railkit.Error
	if !errors.As(err, &answer) {
		return true
	}
	return !slices.Contains(unpaid, answer.Code) && (answer.Status >= http.StatusInternalServerError ||
		answer.Status == http.StatusConflict || // an earlier try is under way
		answer.Code == codeInvalidAuth) // or this one came twice, by something between, and was executed
}

// unpaid are refusals whose status would leave open whether the payment was made. Asking again changes none of them.
var unpaid = []string{"kill_switch_active", "x402_offers_unreadable", "x402_payment_over"}

// pause says whether a payment is tried again, and after how long: 1, 2, 4 s and up to half of that more, or what the
// API asks for.
func pause(err error, attempt int) (time.Duration, bool) {
	wait := time.Second << (attempt - 1)
	wait += rand.N(wait / 2)
	again := true
	var answer *railkit.Error
	if errors.As(err, &answer) {
		wait = max(wait, answer.RetryAfter)
		again = answer.Status == http.StatusTooManyRequests ||
			answer.Status >= http.StatusInternalServerError && !slices.Contains(unpaid, answer.Code) ||
			answer.Status == http.StatusConflict && answer.RetryAfter > 0 || answer.Code == codeInvalidAuth
	}
	return wait, again && attempt < mostAttempts && wait <= mostPause
}

// await waits until the owner decides, and gives the approval if it was given.
func (r *Runtime) await(ctx context.Context, key, id string) (*railkit.Approval, error) {
	waiting, cancel := context.WithTimeout(ctx, r.cfg.ApprovalTimeout)
	defer cancel()
	defer context.AfterFunc(r.live, cancel)()
	for {
		began := time.Now()
		a, err := r.client.Approval(waiting, id, longestAsk)
		if err == nil && a.ID == id && a.Status != railkit.ApprovalPending && a.ResolvedAt != nil {
			if a.Status == railkit.ApprovalExpired && r.killedNow() {
				return nil, fmt.Errorf("%w: approval %s is void", ErrKilled, id)
			}
			return decided(key, a)
		}
		wait := askEvery - time.Since(began)
		var answer *railkit.Error
		if errors.As(err, &answer) {
			if final(answer.Status) {
				return nil, &UnknownError{Key: key, ApprovalID: id, Err: refusal(err)}
			}
			wait = max(wait, answer.RetryAfter)
		}
		if r.sleep(waiting, wait) != nil {
			break
		}
	}
	switch {
	case r.live.Err() != nil:
		return nil, &UnknownError{Key: key, ApprovalID: id, Err: context.Cause(r.live)}
	case ctx.Err() != nil:
		return nil, &UnknownError{Key: key, ApprovalID: id, Err: ctx.Err()}
	}
	return nil, &ApprovalTimeoutError{ApprovalID: id, Key: key}
}

// final says that asking again would get the same answer.
func final(status int) bool {
	return status >= http.StatusBadRequest && status < http.StatusInternalServerError &&
		status != http.StatusTooManyRequests
}

// decided gives an approval that was given, or why there is none.
func decided(key string, a *railkit.Approval) (*railkit.Approval, error) {
	switch a.Status {
	case railkit.ApprovalApproved:
		return a, nil
	case railkit.ApprovalExpired:
		return nil, &ApprovalTimeoutError{ApprovalID: a.ID, Key: key, Expired: true}
	case railkit.ApprovalRejected:
		return nil, &RejectedError{ApprovalID: a.ID, Reason: a.Comment}
	}
	return nil, &UnknownError{Key: key, ApprovalID: a.ID, Err: errors.New("agent: the decision is not known here")}
}

// transactionOf is the transaction that was approved.
func transactionOf(key string, a *railkit.Approval, p railkit.AgentPayment) (*railkit.Transaction, error) {
	t := a.Transaction
	switch {
	case t == nil || t.TransactionID == "":
		err := errors.New("agent: the decision names no transaction")
		return nil, &UnknownError{Key: key, ApprovalID: a.ID, Err: err}
	case t.Status == "failed" && t.TxHash == "" || t.Status == "cancelled" || t.Status == "expired":
		return nil, &RejectedError{ApprovalID: a.ID, Reason: t.Status + " " + t.Reason}
	}
	return &railkit.Transaction{
		TransactionID: t.TransactionID, Type: "agent_payment", Status: t.Status, Reason: t.Reason, ApprovalID: a.ID,
		From: t.From, To: p.Destination, Amount: a.Amount, TokenAddress: t.TokenAddress,
		OnChain: rest.OnChain{TxHash: t.TxHash},
		Network: t.Network, CreatedAt: a.CreatedAt,
	}, nil
}
