package transaction

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

// leaveAlone is how long the broadcast job waits for the request that stored the
// signed bytes to send them itself.
const leaveAlone = nodes.SendTimeout + time.Second

// confirmExternal keeps what was signed outside, and then sends it. The order
// keeps every crash harmless: once the bytes are stored no cancel comes through,
// and the broadcast job sends what this call does not.
func (s *Service) confirmExternal(ctx context.Context, cmd *command.Command, t Transaction,
	in ConfirmTransactionInput,
) (command.Answer, error) {
	raw, err := signedOutside(t, in.SignedTransaction)
	if err != nil {
		return command.Answer{}, err
	}
	if t.State == Awaiting {
		if s.c.Clock.Now().After(t.ExpiresAt) {
			return command.Answer{}, ErrExpired
		}
		if t, err = s.keepSigned(ctx, cmd, t, raw, in.Broadcast != nil && !*in.Broadcast); err != nil {
			return command.Answer{}, err
		}
	}
	if t.SignedTransaction != chain.Hex(raw) {
		return command.Answer{}, ErrNotAwaiting // another signature came first, and stays
	}
	if t.State == Pending && !t.Held {
		return s.sendExternal(ctx, cmd, t)
	}
	if t.WaitsFor, err = s.c.Rows.WaitsFor(ctx, t); err != nil {
		return command.Answer{}, err
	}
	return s.c.Rows.answer(ctx, cmd, t, "transaction.confirm")
}

// signedOutside reads signed bytes and refuses all but the prepared transaction
// under its sender's signature.
func signedOutside(t Transaction, signed string) ([]byte, error) {
	raw, err := chain.ParseHex(signed)
	if err != nil {
		return nil, ErrSignedBytes.Because(err)
	}
	family, err := t.family()
	if err != nil {
		return nil, err
	}
	tx, sig, err := family.DecodeSigned(raw, t.From)
	if err != nil {
		return nil, ErrSignedBytes.Because(err)
	}
	prepared, err := unsigned(t)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(tx.Payload, prepared.Payload) {
		return nil, ErrSignedOther
	}
	if err := family.Verify(t.From, tx.Payload, sig); err != nil {
		return nil, ErrSigner.Because(err)
	}
	return raw, nil
}

// keepSigned is the first of the two commits. It gives the row as it is now,
// which may be as another caller left it.
func (s *Service) keepSigned(ctx context.Context, cmd *command.Command, t Transaction, raw []byte,
	held bool,
) (Transaction, error) {
	change, err := externalChange(t, raw, held, s.c.Clock.Now())
	if err != nil {
		return t, err
	}
	err = s.c.Store.Work(ctx, t.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		audit := command.Audit{Action: "transaction.keep", Resource: t.ID,
			Detail: map[string]string{"txHash": *change.TxHash, "apiKeyId": cmd.Principal.ID}}
		err := tx.MoveTransaction(ctx, t.WorkspaceID, t.ID, []State{Awaiting}, Pending, change)
		if err != nil || held {
			return audit, err
		}
		return audit, tx.Enqueue(ctx, job.Job{Kind: JobBroadcast, WorkspaceID: t.WorkspaceID, ID: t.ID,
			RunAt: change.Now.Add(leaveAlone)})
	})
	if errors.Is(err, record.ErrStale) { // another caller was faster
		if t, err = s.c.Store.Transaction(ctx, t.WorkspaceID, t.ID); err != nil {
			return t, err
		}
		return t, t.refusal()
	}
	t.Apply(Pending, change)
	return t, err
}

func externalChange(t Transaction, raw []byte, held bool, now time.Time) (Change, error) {
	family, err := t.family()
	if err != nil {
		return Change{}, err
	}
	tx, err := unsigned(t)
	if err != nil {
		return Change{}, err
	}
	signed, hash := chain.Hex(raw), family.ID(raw)
	look := now.Add(LookSoonest)
	c := Change{Now: now, LookAt: &look, SignedTransaction: &signed, TxHash: &hash, Held: &held}
	if family.Form().Nonces {
		c.Nonce = new(int64(tx.Nonce)) // prepare took none that is larger
	}
	return c, nil
}

// sendExternal is the one try at the node and the second commit. Of several
// callers each tries: the same bytes twice are sent once.
func (s *Service) sendExternal(ctx context.Context, cmd *command.Command, t Transaction) (command.Answer, error) {
	held := false
	change := Change{Now: s.c.Clock.Now(), SignedTransaction: &t.SignedTransaction, Held: &held}
	to := s.SendOnce(ctx, t, &change)
	t.Apply(to, change)
	var err error
	if t.WaitsFor, err = s.c.Rows.WaitsFor(ctx, t); err != nil {
		return command.Answer{}, err
	}
	a, err := s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		if err := tx.MoveTransaction(ctx, t.WorkspaceID, t.ID, []State{Pending}, to, change); err != nil {
			return command.Reply{}, err
		}
		return t.reply("transaction.sign"), EnqueueNext(ctx, tx, t)
	})
	if errors.Is(err, record.ErrStale) {
		return s.reload(ctx, cmd, t)
	}
	return a, err
}
