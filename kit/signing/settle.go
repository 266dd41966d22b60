package signing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/command"
)

// settle sends what was signed, once, and commits it as what it then is.
func (s *Service) settle(ctx context.Context, cmd *command.Command, t Transaction, out client.Outcome, stamp *wire.Stamp) (command.Answer, error) {
	change, err := s.signedChange(out, t.Held)
	if err != nil {
		return command.Answer{}, err
	}
	to, from := s.sendOnce(ctx, t, &change), []State{Awaiting}
	if to == Broadcast {
		from = append(from, Pending) // the sweeper was faster, and the node took it now
	}
	t.apply(to, change)
	if t.waitsFor, err = s.waitsFor(ctx, t); err != nil {
		return command.Answer{}, err
	}
	a, err := s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		if err := errors.Join(t.succeed(ctx, tx, change), tx.MoveTransaction(ctx, t.WorkspaceID, t.ID, from, to, change)); err != nil {
			return command.Reply{}, err
		}
		return t.reply("transaction.sign"), errors.Join(s.used(ctx, tx, t.WorkspaceID, t.SubOrganizationID, stamp), enqueueNext(ctx, tx, t))
	})
	if errors.Is(err, ErrStale) { // another caller committed the same result, or the sweeper did
		return s.reload(ctx, cmd, t)
	}
	return a, err
}

// signedChange is what a row learns from the enclave's result.
func (s *Service) signedChange(out client.Outcome, held bool) (TransactionChange, error) {
	signed, err := signedOf(out)
	if err != nil {
		return TransactionChange{}, err
	}
	nonce, err := strconv.ParseInt(signed.Nonce, 10, 64)
	if err != nil {
		return TransactionChange{}, fmt.Errorf("reading a signed transaction's nonce: %w", err)
	}
	proof, err := text(out.Proof)
	now := s.clock.Now()
	look := now.Add(lookSoonest)
	return TransactionChange{
		Now: now, LookAt: &look, Nonce: &nonce, SignedTransaction: &signed.SignedTransaction, TxHash: &signed.TxHash, Proof: &proof, Held: &held,
	}, err
}

func signedOf(out client.Outcome) (*wire.Transaction, error) {
	if out.State != wire.Done || out.Statement.Result == nil || out.Statement.Result.Transaction == nil {
		return nil, errors.New("the enclave's answer to a transaction holds none")
	}
	signed := out.Statement.Result.Transaction
	raw, err := evm.ParseHex(signed.SignedTransaction)
	if err != nil {
		return nil, fmt.Errorf("reading a signed transaction: %w", err)
	}
	if id := evm.ID(raw); signed.TxHash != evm.Hex(id[:]) {
		return nil, errors.New("the enclave's transaction hash is not that of its bytes")
	}
	return signed, nil
}

// apply is what MoveTransaction does to the row.
func (t *Transaction) apply(to State, c TransactionChange) {
	t.State, t.UpdatedAt = to, c.Now
	set(&t.Reason, c.Reason)
	set(&t.Held, c.Held)
	set(&t.Stuck, c.Stuck)
	set(&t.SignedTransaction, c.SignedTransaction)
	set(&t.TxHash, c.TxHash)
	set(&t.Proof, c.Proof)
	set(&t.BlockNumber, c.BlockNumber)
	set(&t.BlockHash, c.BlockHash)
	set(&t.Confirmations, c.Confirmations)
	set(&t.BroadcastAt, c.BroadcastAt)
	set(&t.MinedAt, c.MinedAt)
	set(&t.ConfirmedAt, c.ConfirmedAt)
	set(&t.FailedAt, c.FailedAt)
	set(&t.Attempts, c.Attempts)
	set(&t.LookAt, c.LookAt)
	set(&t.NonceUsedHead, c.NonceUsedHead)
	if c.Nonce != nil {
		t.Nonce = c.Nonce
	}
}

func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

// enqueueNext asks for the work that the row now waits for.
func enqueueNext(ctx context.Context, tx Tx, t Transaction) error {
	switch {
	case t.State == Broadcast, t.State == Failed && t.MinedAt.IsZero() && t.TxHash != "":
		return tx.Enqueue(ctx, job.Job{Kind: JobConfirm, WorkspaceID: t.WorkspaceID, ID: t.ID})
	case t.State == Pending && !t.Held && t.ReplacedBy == "":
		return tx.Enqueue(ctx, job.Job{Kind: JobBroadcast, WorkspaceID: t.WorkspaceID, ID: t.ID})
	}
	return nil
}

func feeOf(t Transaction) (f Fee) {
	_ = json.Unmarshal([]byte(t.Fee), &f) // written by prepare
	return f
}
