package signing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/platform/command"
)

// ConfirmTransactionInput is a stamped transaction.
type ConfirmTransactionInput struct {
	TransactionID  string  `json:"transactionId" format:"uuid"`
	SignedActivity Stamped `json:"signedActivity"`
	Broadcast      *bool   `json:"broadcast,omitempty" doc:"Default true; with false the signed transaction waits for POST broadcast"`
}

// ConfirmTransaction has the enclave sign, tries one node once, and commits.
// The order keeps every crash harmless: what the enclave signed it signs again
// the same, and the sweeper finds what was signed and not committed.
func (s *Service) ConfirmTransaction(ctx context.Context, cmd *command.Command, in ConfirmTransactionInput) (command.Answer, error) {
	t, err := s.store.Transaction(ctx, cmd.Principal.WorkspaceID, in.TransactionID)
	if err != nil {
		return command.Answer{}, err
	}
	same := in.SignedActivity.Body == t.Body
	switch {
	case t.State == Cancelled:
		return command.Answer{}, ErrTransactionCancelled
	case t.State == Expired:
		return command.Answer{}, ErrTransactionExpired
	case t.State == Awaiting && !same:
		return command.Answer{}, ErrStampedBody
	case t.State != Awaiting && !same:
		return command.Answer{}, ErrNotAwaiting
	case t.State != Awaiting:
		return s.answer(ctx, cmd, t, "transaction.confirm") // the same stamped body again: the first result
	}
	held := in.Broadcast != nil && !*in.Broadcast
	if held != t.Held {
		// Written down first: should a crash keep the result out of the database,
		// the sweeper does with it what its owner wanted last.
		if err := s.move(ctx, t, []State{Awaiting}, Awaiting, TransactionChange{Now: t.UpdatedAt, Held: &held}, ""); err != nil {
			return command.Answer{}, err
		}
	}
	out, err := s.execute(ctx, t, in.SignedActivity.Stamp)
	if err != nil {
		return command.Answer{}, err
	}
	return s.settle(ctx, cmd, t, out, in.SignedActivity.Stamp, held)
}

// execute checks at the node what the enclave cannot see, so that no nonce goes
// to a transaction that cannot be mined, and has the enclave sign.
func (s *Service) execute(ctx context.Context, t Transaction, stamp wire.Stamp) (client.Outcome, error) {
	volatile, err := s.volatile(ctx, t)
	if err != nil {
		return s.firstResult(ctx, t, err)
	}
	out, err := s.enclave.Submit(ctx, wire.SubmitRequest{Body: t.Body, Stamp: &stamp, Volatile: &volatile}, t.Fingerprint)
	if err == nil && out.State == wire.Cancelled {
		err = ErrTransactionCancelled
	}
	return out, err
}

// firstResult is for the retry after a crash: what was signed is the answer,
// whatever the node says by now. It may have spent the balance already, and who
// is told so pays twice.
func (s *Service) firstResult(ctx context.Context, t Transaction, refusal error) (client.Outcome, error) {
	out, err := s.enclave.Outcome(ctx, t.Fingerprint)
	if err != nil || out.State != wire.Done {
		return client.Outcome{}, refusal
	}
	return out, nil
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
	floor, err := node.MinedNonce(ctx, t.From)
	if err != nil {
		return wire.Volatile{}, ErrNode.Because(err)
	}
	if t.Type != ExactBytes {
		if err := reprice(ctx, node, &tx, feeOf(t)); err != nil {
			return wire.Volatile{}, err
		}
	}
	network, _ := s.networkBySlug(t.Chain)
	if err := s.mineable(ctx, node, plan{from: from, network: network, tx: tx}); err != nil {
		return wire.Volatile{}, err
	}
	v := wire.Volatile{NonceFloor: strconv.FormatUint(floor, 10)}
	if t.Type != ExactBytes {
		v.MaxFeePerGas, v.MaxPriorityFeePerGas = tx.MaxFeePerGas.String(), tx.MaxPriorityFeePerGas.String()
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
func reprice(ctx context.Context, node Node, tx *evm.Tx, fee Fee) error {
	now, err := node.Fee(ctx)
	if err != nil {
		return ErrNode.Because(err)
	}
	if tx.MaxFeePerGas.Cmp(new(big.Int).Add(now.Base, tx.MaxPriorityFeePerGas)) < 0 {
		tx.MaxFeePerGas, tx.MaxPriorityFeePerGas = now.Max, now.Priority
		if most := mostPerGas(fee); most.Cmp(now.Max) < 0 && most.Cmp(new(big.Int).Add(now.Base, now.Priority)) >= 0 {
			tx.MaxFeePerGas = most
		}
	}
	return nil
}

func mostPerGas(f Fee) *big.Int {
	total, ok := new(big.Int).SetString(f.MaxTotalFee, 10)
	gas, also := new(big.Int).SetString(f.GasLimit, 10)
	if !ok || !also || gas.Sign() == 0 {
		return new(big.Int)
	}
	return total.Div(total, gas)
}

// mineable refuses what the chain would refuse, before a nonce is spent on it.
func (s *Service) mineable(ctx context.Context, node Node, p plan) error {
	if err := s.covers(ctx, node, p); err != nil {
		return err
	}
	if p.tx.To == nil || len(p.tx.Data) == 0 {
		return nil
	}
	gas, err := estimate(ctx, node, p.from, p.tx)
	if err != nil {
		return err
	}
	if gas > p.tx.GasLimit {
		return ErrGas
	}
	return nil
}

// covers holds the balances against what leaves: value, fee, and a listed token.
func (s *Service) covers(ctx context.Context, node Node, p plan) error {
	native, err := node.Balance(ctx, p.from.String())
	if err != nil {
		return ErrNode.Because(err)
	}
	if native.Cmp(p.tx.MaxCost()) < 0 {
		return ErrInsufficientBalance
	}
	for _, e := range p.tx.Effects(p.from, p.network) {
		if e.Kind != chain.Transfer || e.Symbol == "" || e.Asset == "native" || e.From != p.from.String() {
			continue
		}
		held, err := node.TokenBalance(ctx, e.Asset, p.from.String())
		if err != nil {
			return ErrNode.Because(err)
		}
		if amount, ok := new(big.Int).SetString(e.Amount, 10); ok && held.Cmp(amount) < 0 {
			return ErrInsufficientBalance
		}
	}
	return nil
}

// settle sends what was signed, once, and commits it as what it then is.
func (s *Service) settle(ctx context.Context, cmd *command.Command, t Transaction, out client.Outcome, stamp wire.Stamp, held bool) (command.Answer, error) {
	change, err := s.signedChange(out, held)
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
		if err := tx.MoveTransaction(ctx, t.WorkspaceID, t.ID, from, to, change); err != nil {
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
	return TransactionChange{
		Now: s.clock.Now(), Nonce: &nonce, SignedTransaction: &signed.SignedTransaction, TxHash: &signed.TxHash, Proof: &proof, Held: &held,
	}, err
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
	none := ""
	c.BroadcastAt, c.Reason = &c.Now, &none
	return Broadcast
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
	case t.State == Broadcast, t.State == Failed && t.MinedAt.IsZero():
		return tx.Enqueue(ctx, Job{Kind: JobConfirm, WorkspaceID: t.WorkspaceID, ID: t.ID})
	case t.State == Pending && !t.Held:
		return tx.Enqueue(ctx, Job{Kind: JobBroadcast, WorkspaceID: t.WorkspaceID, ID: t.ID})
	}
	return nil
}

func feeOf(t Transaction) (f Fee) {
	_ = json.Unmarshal([]byte(t.Fee), &f) // written by prepare
	return f
}
