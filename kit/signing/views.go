package signing

import (
	"context"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
)

// TransactionView is a transaction as the API shows it.
type TransactionView struct {
	TransactionID       string      `json:"transactionId"`
	SignedTransaction   string      `json:"signedTransaction,omitempty"`
	UnsignedTransaction string      `json:"unsignedTransaction,omitempty"`
	Custody             string      `json:"custody" enum:"enclave,external" doc:"external: signed outside, by the owner of from"`
	Status              State       `json:"status" enum:"awaiting_signature,awaiting_approval,pending,broadcast,confirmed,failed,cancelled,expired"`
	Type                string      `json:"type" enum:"transfer_native,transfer_token,call,sign,speed_up,void"`
	From                string      `json:"from"`
	To                  string      `json:"to"`
	Amount              string      `json:"amount"`
	TokenAddress        string      `json:"tokenAddress,omitempty"`
	ChainID             uint64      `json:"chainId"`
	Network             string      `json:"network"`
	Nonce               *int64      `json:"nonce,omitempty"`
	TxHash              string      `json:"txHash,omitempty"`
	Reason              string      `json:"reason,omitempty"`
	ApprovalID          string      `json:"approvalId,omitempty" doc:"Of awaiting_approval: what its owners vote on"`
	Stuck               bool        `json:"stuck,omitempty" doc:"It pays less than the network asks, and waits until that changes or it is replaced"`
	Replaces            string      `json:"replaces,omitempty" doc:"The transaction whose nonce it takes; of the two one is mined"`
	ReplacedBy          string      `json:"replacedBy,omitempty" doc:"The transaction that was signed for its nonce since; of the two one is mined"`
	WaitsFor            []string    `json:"waitsFor,omitempty" doc:"Transactions of the address with lower nonces that are not on the chain, the nearest 20: until each is sent, this one cannot be mined"`
	Fee                 Fee         `json:"fee"`
	ExpiresAt           string      `json:"expiresAt" format:"date-time"`
	CreatedAt           string      `json:"createdAt" format:"date-time"`
	UpdatedAt           string      `json:"updatedAt" format:"date-time"`
	Proof               *wire.Proof `json:"proof,omitempty"`
}

func (t Transaction) view() TransactionView {
	v := TransactionView{
		TransactionID: t.ID, SignedTransaction: t.SignedTransaction, Custody: t.custody(), Status: t.State, Type: t.Type, From: t.From, To: t.To,
		Amount: t.Amount, TokenAddress: t.TokenAddress, ChainID: t.ChainID, Network: t.Chain, Nonce: t.Nonce, TxHash: t.TxHash,
		Reason: t.Reason, WaitsFor: t.waitsFor, Fee: feeOf(t), ExpiresAt: clock.ISO(t.ExpiresAt), CreatedAt: clock.ISO(t.CreatedAt), UpdatedAt: clock.ISO(t.UpdatedAt),
		Stuck: t.stuck(), Replaces: t.Replaces, ReplacedBy: t.ReplacedBy,
	}
	if t.State == AwaitingApproval {
		v.ApprovalID = t.approvalID()
	}
	if t.SignedTransaction == "" {
		v.UnsignedTransaction = t.UnsignedTransaction
	}
	if t.Proof != "" {
		p := proofOf(t.Proof)
		v.Proof = &p
	}
	return v
}

func (t Transaction) reply(action string) command.Reply {
	return command.Reply{
		Status: 200, Data: t.view(),
		Audit: command.Audit{Action: action, Resource: t.ID, Detail: map[string]string{"status": string(t.State), "txHash": t.TxHash}},
	}
}

// answer commits nothing but the answer: the row is already what was asked for.
func (s *Service) answer(ctx context.Context, cmd *command.Command, t Transaction, action string) (command.Answer, error) {
	return s.store.Commit(ctx, cmd, func(context.Context, Tx) (command.Reply, error) { return t.reply(action), nil })
}

// reload answers with the row as another caller left it.
func (s *Service) reload(ctx context.Context, cmd *command.Command, t Transaction) (command.Answer, error) {
	now, err := s.store.Transaction(ctx, t.WorkspaceID, t.ID)
	if err != nil {
		return command.Answer{}, err
	}
	switch now.State {
	case AwaitingApproval:
		return s.firstAnswer(ctx, cmd, now, nil)
	case Awaiting, Cancelled:
		return command.Answer{}, ErrTransactionCancelled
	case Expired:
		return command.Answer{}, ErrTransactionExpired
	}
	return s.answer(ctx, cmd, now, "transaction.confirm")
}

// Transaction gives one transaction.
func (s *Service) Transaction(ctx context.Context, p auth.Principal, id string) (TransactionView, error) {
	t, err := s.store.Transaction(ctx, p.WorkspaceID, id)
	if err != nil {
		return TransactionView{}, err
	}
	t.waitsFor, err = s.waitsFor(ctx, t)
	return t.view(), err
}

// waitsFor lists what has to be sent before a transaction can be mined: those of
// the same address that were signed for lower nonces and are on no chain. Of
// siblings that is the newest, unless an older one is on its way or mined.
func (s *Service) waitsFor(ctx context.Context, t Transaction) ([]string, error) {
	if t.Nonce == nil || !t.MinedAt.IsZero() {
		return nil, nil
	}
	if t.external() {
		return s.waitsOutside(ctx, t)
	}
	return s.store.Unsent(ctx, t.WorkspaceID, t.Chain, t.From, *t.Nonce)
}

// waitsOutside is waitsFor where the owner signs outside: the nonce of one that
// failed may be another transaction's by now.
func (s *Service) waitsOutside(ctx context.Context, t Transaction) ([]string, error) {
	rows, _, err := s.store.Transactions(ctx, TransactionFilter{
		WorkspaceID: t.WorkspaceID, From: t.From, States: []State{Pending}, Page: Page{Limit: 200},
	})
	var ids []string
	for _, o := range rows {
		if o.Chain == t.Chain && o.Nonce != nil && *o.Nonce < *t.Nonce && o.MinedAt.IsZero() {
			ids = append(ids, o.ID)
		}
	}
	return ids, err
}

// Transactions lists transactions, newest first.
func (s *Service) Transactions(ctx context.Context, f TransactionFilter) ([]TransactionView, *Cursor, int, error) {
	rows, total, err := s.store.Transactions(ctx, f)
	if err != nil {
		return nil, nil, 0, err
	}
	views := []TransactionView{}
	for _, t := range rows {
		views = append(views, t.view())
	}
	return views, page.Next(f.Page, rows, total, Transaction.cursor), total, nil
}

func (t Transaction) cursor() Cursor { return Cursor{CreatedAt: t.CreatedAt, ID: t.ID} }
