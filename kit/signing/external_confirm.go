package signing

import (
	"context"
	"errors"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/command"
)

// check refuses a confirm that brings both or neither.
func (in ConfirmTransactionInput) check() error {
	switch {
	case in.SignedActivity == nil && in.SignedTransaction == "":
		return fault.Field("signedActivity", "is required, or signedTransaction where custody is external")
	case in.SignedActivity != nil && in.SignedTransaction != "":
		return fault.Field("signedTransaction", "must not come together with signedActivity")
	}
	return nil
}

// suits refuses the one's signature for the other's transaction, and any for
// one that can no longer be signed.
func (in ConfirmTransactionInput) suits(t Transaction) error {
	switch {
	case t.external() && in.SignedActivity != nil:
		return ErrCustodyExternal
	case !t.external() && in.SignedActivity == nil:
		return ErrCustodyEnclave
	}
	return t.refusal()
}

// confirmExternal keeps what was signed outside, and then sends it. The order
// keeps every crash harmless: once the bytes are stored no cancel comes through,
// and the broadcast job sends what this call does not.
func (s *Service) confirmExternal(ctx context.Context, cmd *command.Command, t Transaction, in ConfirmTransactionInput) (command.Answer, error) {
	raw, err := signedOutside(t, in.SignedTransaction)
	if err != nil {
		return command.Answer{}, err
	}
	if t.State == Awaiting {
		if s.clock.Now().After(t.ExpiresAt) {
			return command.Answer{}, ErrTransactionExpired
		}
		if t, err = s.keepSigned(ctx, cmd, t, raw, in.Broadcast != nil && !*in.Broadcast); err != nil {
			return command.Answer{}, err
		}
	}
	if t.SignedTransaction != evm.Hex(raw) {
		return command.Answer{}, ErrNotAwaiting // another signature came first, and stays
	}
	if t.State != Pending || t.Held {
		return s.answerExternal(ctx, cmd, t)
	}
	return s.sendExternal(ctx, cmd, t)
}

// signedOutside reads signed bytes and refuses all but the prepared transaction
// under its sender's signature.
func signedOutside(t Transaction, signed string) ([]byte, error) {
	raw, err := evm.ParseHex(signed)
	if err != nil {
		return nil, ErrSignedBytes.Because(err)
	}
	tx, sig, err := evm.DecodeSigned(raw)
	if err != nil {
		return nil, ErrSignedBytes.Because(err)
	}
	prepared, err := unsignedOf(t)
	if err != nil {
		return nil, err
	}
	digest := tx.Digest()
	if digest != prepared.Digest() {
		return nil, ErrSignedOther
	}
	from, err := evm.ParseAddress(t.From)
	if err != nil {
		return nil, err
	}
	if err := evm.Verify(from, digest, sig); err != nil {
		return nil, ErrSigner.Because(err)
	}
	return raw, nil
}

// keepSigned is the first of the two commits. It gives the row as it is now,
// which may be as another caller left it.
func (s *Service) keepSigned(ctx context.Context, cmd *command.Command, t Transaction, raw []byte, held bool) (Transaction, error) {
	change, err := s.externalChange(t, raw, held)
	if err != nil {
		return t, err
	}
	err = s.store.Work(ctx, t.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		audit := command.Audit{Action: "transaction.keep", Resource: t.ID, Detail: map[string]string{"txHash": *change.TxHash, "apiKeyId": cmd.Principal.ID}}
		err := tx.MoveTransaction(ctx, t.WorkspaceID, t.ID, []State{Awaiting}, Pending, change)
		if err != nil || held {
			return audit, err
		}
		return audit, tx.Enqueue(ctx, job.Job{Kind: JobBroadcast, WorkspaceID: t.WorkspaceID, ID: t.ID, RunAt: change.Now.Add(leaveAlone)})
	})
	if errors.Is(err, ErrStale) {
		return s.overtaken(ctx, t)
	}
	t.apply(Pending, change)
	return t, err
}

func (s *Service) externalChange(t Transaction, raw []byte, held bool) (TransactionChange, error) {
	tx, err := unsignedOf(t)
	if err != nil {
		return TransactionChange{}, err
	}
	nonce := int64(tx.Nonce) // prepare took none that is larger
	id, signed := evm.ID(raw), evm.Hex(raw)
	hash, now := evm.Hex(id[:]), s.clock.Now()
	look := now.Add(lookSoonest)
	return TransactionChange{Now: now, LookAt: &look, Nonce: &nonce, SignedTransaction: &signed, TxHash: &hash, Held: &held}, nil
}

// overtaken is for the caller who lost the race for the row.
func (s *Service) overtaken(ctx context.Context, t Transaction) (Transaction, error) {
	now, err := s.store.Transaction(ctx, t.WorkspaceID, t.ID)
	if err != nil {
		return now, err
	}
	return now, now.refusal()
}

// refusal is why a transaction can no longer be signed at all.
func (t Transaction) refusal() error {
	switch t.State {
	case Cancelled:
		return ErrTransactionCancelled
	case Expired:
		return ErrTransactionExpired
	}
	return nil
}

func (s *Service) answerExternal(ctx context.Context, cmd *command.Command, t Transaction) (command.Answer, error) {
	var err error
	if t.waitsFor, err = s.waitsFor(ctx, t); err != nil {
		return command.Answer{}, err
	}
	return s.answer(ctx, cmd, t, "transaction.confirm")
}

// sendExternal is the one try at the node and the second commit. Of several
// callers each tries: the same bytes twice are sent once.
func (s *Service) sendExternal(ctx context.Context, cmd *command.Command, t Transaction) (command.Answer, error) {
	held := false
	change := TransactionChange{Now: s.clock.Now(), SignedTransaction: &t.SignedTransaction, Held: &held}
	to := s.sendOnce(ctx, t, &change)
	t.apply(to, change)
	var err error
	if t.waitsFor, err = s.waitsFor(ctx, t); err != nil {
		return command.Answer{}, err
	}
	a, err := s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		if err := tx.MoveTransaction(ctx, t.WorkspaceID, t.ID, []State{Pending}, to, change); err != nil {
			return command.Reply{}, err
		}
		return t.reply("transaction.sign"), enqueueNext(ctx, tx, t)
	})
	if errors.Is(err, ErrStale) {
		return s.reload(ctx, cmd, t)
	}
	return a, err
}

// sweepExternal lets time run out. Nobody has to be asked: what was signed
// outside counts from the moment it is stored.
func (s *Service) sweepExternal(ctx context.Context, t Transaction) error {
	now := s.clock.Now()
	if !now.After(t.ExpiresAt) {
		return nil
	}
	why := "no signature within 15 minutes"
	return s.move(ctx, t, From(Expired), Expired, TransactionChange{Now: now, Reason: &why}, "transaction.expired")
}

// outrun finds out that another transaction took the nonce of one that was sent.
// The enclave signs no nonce twice unasked; the owner of a key may. A node that
// says so for half a minute has had the time to index its last block, and whoever
// is told "failed" of what was mined pays twice.
func (s *Service) outrun(ctx context.Context, t Transaction) (bool, error) {
	if !t.external() || t.Nonce == nil {
		return false, nil
	}
	node, err := s.node(t.Chain)
	if err != nil {
		return false, err
	}
	mined, err := node.MinedNonce(ctx, t.From)
	if err != nil || mined <= uint64(*t.Nonce) {
		return false, nil // an outage of the node is no news
	}
	now, attempts := s.clock.Now(), t.Attempts+1
	if now.Sub(t.UpdatedAt) < pollSlow {
		return true, nil // since the last look
	}
	change := TransactionChange{Now: now, Attempts: &attempts}
	if attempts < nonceTries {
		return true, s.move(ctx, t, []State{Broadcast}, Broadcast, change, "")
	}
	why := reasonOf(ErrNonceUsed)
	change.Reason, change.FailedAt = &why, &now
	return true, s.move(ctx, t, []State{Broadcast}, Failed, change, "transaction.failed")
}
