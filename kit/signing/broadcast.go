package signing

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
)

// sendTimeout bounds the one try at the node inside a request: the signed bytes
// are safe, and a job goes on trying.
const sendTimeout = 3 * time.Second

// askTimeout bounds all that one request asks a node before anything is signed: a
// node that is slow each time is as good as none.
const askTimeout = 10 * time.Second

// send gives the bytes to a node. A node that has them already is a success; so
// is a nonce that this very transaction used.
func (s *Service) send(ctx context.Context, slug, signed string) error {
	node, err := s.node(slug)
	if err != nil {
		return err
	}
	raw, err := evm.ParseHex(signed)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	err = node.Send(ctx, raw)
	if errors.Is(err, ErrNonceUsed) {
		id := evm.ID(raw)
		_, found, lookErr := node.Receipt(ctx, evm.Hex(id[:]))
		if lookErr != nil {
			return lookErr // whose nonce it was is not known
		}
		if found {
			return nil
		}
	}
	return err
}

// reasonOf is what a caller may read about a failed try. A node's own words stay in the log.
func reasonOf(err error) string {
	switch {
	case errors.Is(err, ErrRefused):
		return "the node refuses the transaction"
	case errors.Is(err, ErrNonceUsed):
		return "another transaction used the nonce"
	case errors.Is(err, ErrUnderpriced):
		return lowFee
	case errors.Is(err, ErrNoFunds):
		return "the address cannot pay for it now"
	}
	return "the node does not answer"
}

// BroadcastView is where a transaction stands on its way into the chain.
type BroadcastView struct {
	TransactionID string  `json:"transactionId"`
	TxHash        string  `json:"txHash"`
	Status        State   `json:"status" enum:"pending,broadcast,confirmed,failed"`
	Network       string  `json:"network"`
	BroadcastedAt *string `json:"broadcastedAt" format:"date-time"`
	ConfirmedAt   *string `json:"confirmedAt" format:"date-time"`
	BlockNumber   *int64  `json:"blockNumber"`
	Confirmations int64   `json:"confirmations"`
	Reason        string  `json:"reason,omitempty"`

	Stuck      bool   `json:"stuck,omitempty" doc:"It pays less than the network asks, and waits until that changes or it is replaced"`
	ReplacedBy string `json:"replacedBy,omitempty" doc:"The transaction that was signed for its nonce since; of the two one is mined"`

	WaitsFor []string `json:"waitsFor,omitempty" doc:"Transactions of the address with lower nonces that are not on the chain, the nearest 20: until each is sent, this one cannot be mined"`
}

func (t Transaction) broadcastView() BroadcastView {
	v := BroadcastView{
		TransactionID: t.ID, TxHash: t.TxHash, Status: t.State, Network: t.Chain, BroadcastedAt: isoOrNil(t.BroadcastAt),
		ConfirmedAt: isoOrNil(t.ConfirmedAt), Confirmations: t.Confirmations, Reason: t.Reason,
		WaitsFor: t.waitsFor, Stuck: t.stuck(), ReplacedBy: t.ReplacedBy,
	}
	if !t.MinedAt.IsZero() {
		v.BlockNumber = &t.BlockNumber
	}
	return v
}

// signed finds a transaction that has a signature.
func (s *Service) signed(ctx context.Context, workspaceID, id string) (Transaction, error) {
	t, err := s.store.Transaction(ctx, workspaceID, id)
	if err != nil {
		return t, err
	}
	if t.SignedTransaction == "" {
		return t, ErrNotSigned
	}
	t.waitsFor, err = s.waitsFor(ctx, t)
	return t, err
}

// BroadcastStatus tells where a signed transaction stands.
func (s *Service) BroadcastStatus(ctx context.Context, p auth.Principal, id string) (BroadcastView, error) {
	t, err := s.signed(ctx, p.WorkspaceID, id)
	if err != nil {
		return BroadcastView{}, err
	}
	return t.broadcastView(), nil
}

// BroadcastTransaction sends a signed transaction. One that was sent already is
// answered as it stands: sending twice is sending once.
func (s *Service) BroadcastTransaction(ctx context.Context, cmd *command.Command, id string) (command.Answer, error) {
	t, err := s.signed(ctx, cmd.Principal.WorkspaceID, id)
	if err != nil {
		return command.Answer{}, err
	}
	if t.State != Pending {
		return s.answerBroadcast(ctx, cmd, t)
	}
	if err := t.replaced(); err != nil {
		return command.Answer{}, err
	}
	return s.sendNow(ctx, cmd, t)
}

// RetryBroadcast sends a transaction again that could not be sent: the same
// bytes, since no others were ever stamped.
func (s *Service) RetryBroadcast(ctx context.Context, cmd *command.Command, id string) (command.Answer, error) {
	t, err := s.signed(ctx, cmd.Principal.WorkspaceID, id)
	if err != nil {
		return command.Answer{}, err
	}
	switch {
	case t.State == Failed && !t.MinedAt.IsZero():
		return command.Answer{}, ErrReverted
	case t.State != Failed && t.State != Pending:
		return command.Answer{}, ErrNotFailed
	case t.ReplacedBy != "":
		return command.Answer{}, t.replaced()
	}
	return s.sendNow(ctx, cmd, t)
}

// sendNow sends what waits or has failed, and commits it as sent.
func (s *Service) sendNow(ctx context.Context, cmd *command.Command, t Transaction) (command.Answer, error) {
	if err := s.send(ctx, t.Chain, t.SignedTransaction); err != nil {
		if errors.Is(err, ErrRefused) || errors.Is(err, ErrNonceUsed) {
			return command.Answer{}, ErrNodeRefused.Because(err)
		}
		return command.Answer{}, notSent(err)
	}
	from, change := []State{t.State}, s.sentChange()
	t.apply(Broadcast, change)
	a, err := s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		if err := tx.MoveTransaction(ctx, t.WorkspaceID, t.ID, from, Broadcast, change); err != nil {
			return command.Reply{}, err
		}
		return t.broadcastReply(), enqueueNext(ctx, tx, t)
	})
	if errors.Is(err, ErrStale) {
		if t, err = s.signed(ctx, t.WorkspaceID, t.ID); err != nil {
			return command.Answer{}, err
		}
		return s.answerBroadcast(ctx, cmd, t)
	}
	return a, err
}

func (s *Service) sentChange() TransactionChange {
	now, none, no, never, zero := s.clock.Now(), "", false, time.Time{}, 0
	return TransactionChange{Now: now, BroadcastAt: &now, Reason: &none, Held: &no, FailedAt: &never, Attempts: &zero, Stuck: &no}
}

func (t Transaction) broadcastReply() command.Reply {
	return command.Reply{
		Status: 200, Data: t.broadcastView(),
		Audit: command.Audit{Action: "transaction.broadcast", Resource: t.ID, Detail: map[string]string{"txHash": t.TxHash}},
	}
}

func (s *Service) answerBroadcast(ctx context.Context, cmd *command.Command, t Transaction) (command.Answer, error) {
	return s.store.Commit(ctx, cmd, func(context.Context, Tx) (command.Reply, error) { return t.broadcastReply(), nil })
}

// CancelTransaction makes sure that a prepared transaction is never signed. The
// enclave hears of it first: what it has cancelled no stamp brings back, and
// what it has signed no cancel takes back.
func (s *Service) CancelTransaction(ctx context.Context, cmd *command.Command, id string) (command.Answer, error) {
	t, err := s.store.Transaction(ctx, cmd.Principal.WorkspaceID, id)
	if err != nil {
		return command.Answer{}, err
	}
	if t.State == Cancelled {
		return s.answer(ctx, cmd, t, "transaction.cancel")
	}
	if t.State != Awaiting {
		return command.Answer{}, ErrNotAwaiting
	}
	if err := s.forbid(ctx, t); err != nil {
		return command.Answer{}, err
	}
	why := "cancelled by the caller"
	change := TransactionChange{Now: s.clock.Now(), Reason: &why}
	t.apply(Cancelled, change)
	a, err := s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return t.reply("transaction.cancel"), tx.MoveTransaction(ctx, t.WorkspaceID, t.ID, From(Cancelled), Cancelled, change)
	})
	if errors.Is(err, ErrStale) {
		return s.answerCancelled(ctx, cmd, t)
	}
	return a, err
}

// forbid has the enclave never sign. What is signed outside it has no part in.
func (s *Service) forbid(ctx context.Context, t Transaction) error {
	if t.external() {
		return nil
	}
	// What waits for votes is rejected, not cancelled: its row may not say so yet.
	out, err := s.enclave.Outcome(ctx, t.Fingerprint)
	if err == nil && out.State == wire.Unknown {
		out, err = s.enclave.Cancel(ctx, t.Fingerprint)
	}
	if err == nil && out.State != wire.Cancelled {
		err = ErrNotAwaiting // a stamp came first
	}
	return err
}

// answerCancelled is for the caller who lost a race of two cancels, or of a
// cancel and the clock.
func (s *Service) answerCancelled(ctx context.Context, cmd *command.Command, t Transaction) (command.Answer, error) {
	now, err := s.store.Transaction(ctx, t.WorkspaceID, t.ID)
	if err != nil {
		return command.Answer{}, err
	}
	if now.State != Cancelled {
		return command.Answer{}, ErrNotAwaiting
	}
	return s.answer(ctx, cmd, now, "transaction.cancel")
}
