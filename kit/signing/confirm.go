package signing

import (
	"context"
	"fmt"
	"math/big"
	"strconv"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/platform/command"
)

// ConfirmTransactionInput is a stamped transaction.
type ConfirmTransactionInput struct {
	TransactionID     string   `json:"transactionId" format:"uuid"`
	SignedActivity    *Stamped `json:"signedActivity,omitempty" doc:"Where custody is enclave"`
	SignedTransaction string   `json:"signedTransaction,omitempty" minLength:"2" maxLength:"262146" doc:"Where custody is external: hex of unsignedTransaction with its signature"`
	Broadcast         *bool    `json:"broadcast,omitempty" doc:"Default true; with false the signed transaction waits for POST broadcast"`
}

// ConfirmTransaction has the enclave sign, tries one node once, and commits.
// The order keeps every crash harmless: what the enclave signed it signs again
// the same, and the sweeper finds what was signed and not committed.
func (s *Service) ConfirmTransaction(ctx context.Context, cmd *command.Command, in ConfirmTransactionInput) (command.Answer, error) {
	if err := in.check(); err != nil {
		return command.Answer{}, err
	}
	t, err := s.store.Transaction(ctx, cmd.Principal.WorkspaceID, in.TransactionID)
	if err != nil {
		return command.Answer{}, err
	}
	if err := in.suits(t); err != nil {
		return command.Answer{}, err
	}
	if t.external() {
		return s.confirmExternal(ctx, cmd, t, in)
	}
	same := in.SignedActivity.Body == t.Body
	switch {
	case t.State == Awaiting && !same:
		return command.Answer{}, ErrStampedBody
	case t.State != Awaiting && !same:
		return command.Answer{}, ErrNotAwaiting
	case t.State != Awaiting:
		return s.firstAnswer(ctx, cmd, t, &in.SignedActivity.Stamp)
	}
	held := in.Broadcast != nil && !*in.Broadcast
	if in.Broadcast == nil && cmd.Ceremony != nil {
		held = t.Held // as it was prepared: the page has no say in it
	}
	return s.sign(ctx, cmd, t, &in.SignedActivity.Stamp, held)
}

// firstAnswer is for the same stamped body again: the first result, where the
// enclave knows the stamp as one for the body.
func (s *Service) firstAnswer(ctx context.Context, cmd *command.Command, t Transaction, stamp *wire.Stamp) (command.Answer, error) {
	if stamp != nil {
		if _, err := s.before(ctx, t, stamp); err != nil {
			return command.Answer{}, err
		}
	}
	if t.State == AwaitingApproval {
		a, err := s.store.Approval(ctx, t.WorkspaceID, t.approvalID())
		if err != nil {
			return command.Answer{}, err
		}
		return s.store.Commit(ctx, cmd, func(context.Context, Tx) (command.Reply, error) { return a.queued("transaction.sign"), nil })
	}
	if d := t.denial(); d != nil {
		return command.Answer{}, denied(d)
	}
	return s.answer(ctx, cmd, t, "transaction.confirm")
}

// sign has the enclave execute a transaction's body, on whoever's word it comes,
// and commits what it made of it.
func (s *Service) sign(ctx context.Context, cmd *command.Command, t Transaction, stamp *wire.Stamp, held bool) (command.Answer, error) {
	out, err := s.execute(ctx, t, stamp, held)
	if err != nil {
		return command.Answer{}, err
	}
	t.Held = held
	switch out.State {
	case wire.Held:
		return s.queueTransaction(ctx, cmd, t, out, stamp)
	case wire.Denied:
		return command.Answer{}, s.endDenied(ctx, t, out)
	}
	return s.settle(ctx, cmd, t, out, stamp)
}

// execute checks at the node what the enclave cannot see, so that no nonce goes
// to a transaction that cannot be mined, and has the enclave sign. What the owner
// wants done with the result is written down meanwhile, and before the enclave.
func (s *Service) execute(ctx context.Context, t Transaction, stamp *wire.Stamp, held bool) (client.Outcome, error) {
	written := make(chan error, 1)
	go func() { written <- s.writeHeld(ctx, t, held) }()
	volatile, err := s.ask(ctx, t)
	if err := <-written; err != nil {
		return client.Outcome{}, err
	}
	return s.submit(ctx, t, stamp, volatile, err)
}

// ask is volatile, within the time that a request has for the node.
func (s *Service) ask(ctx context.Context, t Transaction) (wire.Volatile, error) {
	asking, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	return s.volatile(asking, t)
}

func (s *Service) submit(ctx context.Context, t Transaction, stamp *wire.Stamp, v wire.Volatile, refusal error) (client.Outcome, error) {
	if refusal != nil {
		return s.firstResult(ctx, t, stamp, refusal)
	}
	out, err := s.enclave.Submit(ctx, wire.SubmitRequest{Body: t.Body, Stamp: stamp, Volatile: &v}, t.Fingerprint)
	if err == nil && out.State == wire.Cancelled {
		err = ErrTransactionCancelled
	}
	return out, err
}

// writeHeld writes down whether the result is to be sent: should a crash keep it
// out of the database, the sweeper does with it what its owner wanted last.
func (s *Service) writeHeld(ctx context.Context, t Transaction, held bool) error {
	if held == t.Held {
		return nil
	}
	return s.move(ctx, t, []State{Awaiting}, Awaiting, TransactionChange{Now: t.UpdatedAt, Held: &held}, "")
}

// firstResult is for the retry after a crash: what was signed is the answer,
// whatever the node says by now. It may have spent the balance already, and who
// is told so pays twice.
func (s *Service) firstResult(ctx context.Context, t Transaction, stamp *wire.Stamp, refusal error) (client.Outcome, error) {
	out, err := s.before(ctx, t, stamp)
	first := out.State == wire.Done || out.State == wire.Denied || out.State == wire.Held && t.State == Awaiting
	if err != nil || !first {
		return client.Outcome{}, refusal
	}
	return out, nil
}

// before asks the enclave what became of a body, and to check the stamp that
// came with it, if any.
func (s *Service) before(ctx context.Context, t Transaction, stamp *wire.Stamp) (client.Outcome, error) {
	if stamp == nil {
		return s.enclave.Outcome(ctx, t.Fingerprint)
	}
	return s.enclave.Submit(ctx, wire.SubmitRequest{Body: t.Body, Stamp: stamp, Again: true}, t.Fingerprint)
}

// volatile is what the host adds: the prepared fee while it still holds, else
// what the network asks now, and the mined nonce.
func (s *Service) volatile(ctx context.Context, t Transaction) (wire.Volatile, error) {
	node, err := s.node(t.Chain)
	if err != nil {
		return wire.Volatile{}, err
	}
	tx, err := unsignedOf(t)
	if err != nil {
		return wire.Volatile{}, err
	}
	from, err := evm.ParseAddress(t.From)
	if err != nil {
		return wire.Volatile{}, err
	}
	network, _ := s.networkBySlug(t.Chain)
	p := plan{from: from, network: network, tx: tx}
	now, err := s.preflight(ctx, p, node, p.calls())
	if err != nil {
		return wire.Volatile{}, err
	}
	if t.Type != ExactBytes {
		prepared := p.tx
		reprice(&p.tx, feeOf(t), now.Fee)
		t.keepBid(&p.tx, prepared)
	}
	if err := p.mineable(now); err != nil {
		return wire.Volatile{}, err
	}
	v := wire.Volatile{NonceFloor: strconv.FormatUint(now.MinedNonce, 10)}
	if t.Type != ExactBytes {
		v.MaxFeePerGas, v.MaxPriorityFeePerGas = p.tx.MaxFeePerGas.String(), p.tx.MaxPriorityFeePerGas.String()
	}
	return v, nil
}

func unsignedOf(t Transaction) (evm.Tx, error) {
	raw, err := evm.ParseHex(t.UnsignedTransaction)
	if err != nil {
		return evm.Tx{}, fmt.Errorf("reading the prepared transaction: %w", err)
	}
	return evm.DecodeUnsigned(raw)
}

// reprice keeps the prepared fee unless the chain moved on past it. What was
// stamped is the most, and enough where the next block takes it.
func reprice(tx *evm.Tx, fee Fee, now NetworkFee) {
	if tx.MaxFeePerGas.Cmp(new(big.Int).Add(now.Base, tx.MaxPriorityFeePerGas)) >= 0 {
		return
	}
	tx.MaxFeePerGas, tx.MaxPriorityFeePerGas = now.Max, now.Priority
	if most := mostPerGas(fee); most.Cmp(now.Max) < 0 && most.Cmp(new(big.Int).Add(now.Base, now.Priority)) >= 0 {
		tx.MaxFeePerGas = most
	}
}

func mostPerGas(f Fee) *big.Int {
	total, ok := new(big.Int).SetString(f.MaxTotalFee, 10)
	gas, also := new(big.Int).SetString(f.GasLimit, 10)
	if !ok || !also || gas.Sign() == 0 {
		return new(big.Int)
	}
	return total.Div(total, gas)
}

// sendOnce is the one try inside the request. It says what the row then is.
func (s *Service) sendOnce(ctx context.Context, t Transaction, c *TransactionChange) State {
	if *c.Held {
		return Pending
	}
	if err := s.send(ctx, t.Chain, *c.SignedTransaction); err != nil {
		s.log.Warn("broadcast failed; the job goes on trying", "transaction", t.ID, "error", err)
		why := "not sent yet: " + reasonOf(err)
		c.Reason = &why
		return Pending
	}
	none, zero := "", 0
	c.BroadcastAt, c.Reason, c.Attempts = &c.Now, &none, &zero
	return Broadcast
}
