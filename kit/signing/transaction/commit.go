package transaction

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

// commitSigned sends what was signed, once, and commits it as what it then is.
func (s *Service) commitSigned(ctx context.Context, cmd *command.Command, t Transaction, out client.Outcome,
	stamp *wire.Stamp,
) (command.Answer, error) {
	change, err := t.SignedChange(out, s.c.Clock.Now())
	if err != nil {
		return command.Answer{}, err
	}
	to, from := s.SendOnce(ctx, t, &change), []State{Awaiting}
	if to == Broadcast {
		from = append(from, Pending) // the sweeper was faster, and the node took it now
	}
	t.Apply(to, change)
	if t.WaitsFor, err = s.c.Rows.WaitsFor(ctx, t); err != nil {
		return command.Answer{}, err
	}
	a, err := s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		if err := errors.Join(t.Succeed(ctx, tx, change),
			tx.MoveTransaction(ctx, t.WorkspaceID, t.ID, from, to, change)); err != nil {
			return command.Reply{}, err
		}
		s.c.Activities.TouchPasskey(tx, t.WorkspaceID, t.SubOrganizationID, stamp)
		return t.reply("transaction.sign"), EnqueueNext(ctx, tx, t)
	})
	if errors.Is(err, record.ErrStale) { // another caller committed the same result, or the sweeper did
		return s.reload(ctx, cmd, t)
	}
	return a, err
}

// SignedChange is what a row learns from the enclave's result.
func (t Transaction) SignedChange(out client.Outcome, now time.Time) (Change, error) {
	signed, err := t.signedOf(out)
	if err != nil {
		return Change{}, err
	}
	nonce, err := optional(signed.Nonce)
	if err != nil {
		return Change{}, fmt.Errorf("reading a signed transaction's nonce: %w", err)
	}
	height, err := optional(signed.LastHeight)
	if err != nil {
		return Change{}, fmt.Errorf("reading a signed transaction's last height: %w", err)
	}
	proof, err := signer.Text(out.Proof)
	look := now.Add(LookSoonest)
	return Change{
		Now: now, LookAt: &look, Nonce: nonce, LastHeight: height,
		SignedTransaction: &signed.SignedTransaction, TxHash: &signed.TxHash,
		Proof: &proof, Held: &t.Held,
	}, err
}

// optional is a number that is not there on every network.
func optional(text string) (*int64, error) {
	if text == "" {
		return nil, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return &n, err
}

func (t Transaction) signedOf(out client.Outcome) (*wire.Transaction, error) {
	if out.State != wire.Done || out.Statement.Result == nil || out.Statement.Result.Transaction == nil {
		return nil, errors.New("the enclave's answer to a transaction holds none")
	}
	signed := out.Statement.Result.Transaction
	raw, err := chain.ParseHex(signed.SignedTransaction)
	if err != nil {
		return nil, fmt.Errorf("reading a signed transaction: %w", err)
	}
	family, err := t.family()
	if err != nil {
		return nil, err
	}
	if signed.TxHash != family.ID(raw) {
		return nil, errors.New("the enclave's transaction hash is not that of its bytes")
	}
	return signed, nil
}

// SendOnce is the one try inside the request. It says what the row then is.
func (s *Service) SendOnce(ctx context.Context, t Transaction, c *Change) State {
	if *c.Held {
		return Pending
	}
	if err := s.c.Nodes.Send(ctx, t.Chain, t.From, *c.SignedTransaction); err != nil {
		s.c.Log.WarnContext(ctx, "broadcast failed; the job goes on trying", "transaction", t.ID, "error", err)
		why := "not sent yet: " + nodes.Reason(err)
		c.Reason = &why
		return Pending
	}
	none, zero := "", 0
	c.BroadcastAt, c.Reason, c.Attempts = &c.Now, &none, &zero
	return Broadcast
}

const (
	LookSoonest = 10 * time.Second // between two looks at one transaction
	lookSlowest = 10 * time.Minute
)

// Look is that the chain was asked for a transaction that is not sent.
type Look struct {
	WorkspaceID, ID string
	CreatedAt       time.Time // when the transaction was
	NonceUsedHead   int64     // from now on
}

// Next is when it is asked next: a tenth of the transaction's age later, after 10 seconds at first, after 10 minutes at
// last.
func (l Look) Next(now time.Time) time.Time {
	return now.Add(min(max(LookSoonest, now.Sub(l.CreatedAt)/10), lookSlowest))
}
