package transaction

import (
	"context"
	"encoding/json"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/plan"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

// TransactionView is a transaction as the API shows it.
type TransactionView struct {
	TransactionID       string `json:"transactionId"`
	SignedTransaction   string `json:"signedTransaction,omitempty"`
	Signature           string `json:"signature,omitempty" doc:"Of agent_payment: signedTransaction, by the name that agents' programs read"`
	UnsignedTransaction string `json:"unsignedTransaction,omitempty"`
	Custody             string `json:"custody" enum:"enclave,external" doc:"external: signed outside, by the owner of from"`
	Status              State  `json:"status" enum:"awaiting_signature,awaiting_approval,pending,broadcast,confirmed,failed,cancelled,expired"`
	Type                string `json:"type" enum:"transfer_native,transfer_token,call,sign,speed_up,void,agent_payment" doc:"agent_payment: asked for by the agent whose wallet pays"`
	From                string `json:"from"`
	To                  string `json:"to"`
	Amount              string `json:"amount"`
	TokenAddress        string `json:"tokenAddress,omitempty"`
	ChainID             uint64 `json:"chainId,omitempty" doc:"Absent where transactions name no chain, as on Solana"`
	Network             string `json:"network"`
	rest.OnChain
	Reason       string          `json:"reason,omitempty"`
	ApprovalID   string          `json:"approvalId,omitempty" doc:"Of awaiting_approval: what its owners vote on"`
	Stuck        bool            `json:"stuck,omitempty" doc:"It pays less than the network asks, and waits until that changes or it is replaced"`
	Received     string          `json:"received,omitempty" doc:"Of a confirmed swap: what its receiver got by the token's own events, in the smallest unit; absent where it bought the network's coin"`
	ReceivedLess bool            `json:"receivedLess,omitempty" doc:"received is less than the stamped minimum: the token keeps a part of what is sent"`
	Replaces     string          `json:"replaces,omitempty" doc:"The transaction whose nonce it takes; of the two one is mined"`
	ReplacedBy   string          `json:"replacedBy,omitempty" doc:"The transaction that was signed for its nonce since; of the two one is mined"`
	WaitsFor     []string        `json:"waitsFor,omitempty" doc:"Transactions of the address with lower nonces that are not on the chain, the nearest 20: until each is sent, this one cannot be mined"`
	Fee          rest.NetworkFee `json:"fee"`
	ExpiresAt    string          `json:"expiresAt" format:"date-time"`
	CreatedAt    string          `json:"createdAt" format:"date-time"`
	UpdatedAt    string          `json:"updatedAt" format:"date-time"`
	Proof        *wire.Proof     `json:"proof,omitempty"`
}

func (t Transaction) view() TransactionView {
	v := TransactionView{
		TransactionID: t.ID, SignedTransaction: t.SignedTransaction, Custody: t.custody(), Status: t.State,
		Type: t.Type, From: t.From, To: t.To,
		Amount: t.Amount, TokenAddress: t.TokenAddress, ChainID: t.ChainID, Network: t.Chain,
		OnChain: rest.OnChain{
			Nonce: unsignedNonce(t.Nonce), LastHeight: t.LastHeight, EndsAt: t.endsAt(), TxHash: t.TxHash,
		},
		Reason: t.Reason, WaitsFor: t.WaitsFor, Fee: feeOf(t), ExpiresAt: clock.ISO(t.ExpiresAt),
		CreatedAt: clock.ISO(t.CreatedAt), UpdatedAt: clock.ISO(t.UpdatedAt),
		Stuck: t.IsStuck(), Replaces: t.Replaces, ReplacedBy: t.ReplacedBy, Received: t.Received,
		ReceivedLess: t.ReceivedLess,
	}
	if t.State == AwaitingApproval {
		v.ApprovalID = t.approvalID()
	}
	if t.Type == plan.AgentPayment {
		v.Signature = t.SignedTransaction
	}
	if t.SignedTransaction == "" {
		v.UnsignedTransaction = t.UnsignedTransaction
	}
	if t.Proof != "" {
		p := signer.Proof(t.Proof)
		v.Proof = &p
	}
	return v
}

// Get gives one transaction.
func (s *Service) Get(ctx context.Context, p auth.Principal, id string) (TransactionView, error) {
	t, err := s.c.Store.Transaction(ctx, p.WorkspaceID, id)
	if err != nil {
		return TransactionView{}, err
	}
	t.WaitsFor, err = s.c.Rows.WaitsFor(ctx, t)
	return t.view(), err
}

// List lists transactions, newest first.
func (s *Service) List(ctx context.Context, f Filter) ([]TransactionView, *page.Cursor, int, error) {
	rows, total, err := s.c.Store.Transactions(ctx, f)
	if err != nil {
		return nil, nil, 0, err
	}
	views := []TransactionView{}
	for _, t := range rows {
		views = append(views, t.view())
	}
	return views, page.Next(f.Page, rows, total, Transaction.cursor), total, nil
}

// reload answers with the row as another caller left it.
func (s *Service) reload(ctx context.Context, cmd *command.Command, t Transaction) (command.Answer, error) {
	now, err := s.c.Store.Transaction(ctx, t.WorkspaceID, t.ID)
	if err != nil {
		return command.Answer{}, err
	}
	switch now.State {
	case AwaitingApproval:
		return s.AnswerAgain(ctx, cmd, now, nil)
	case Awaiting, Cancelled:
		return command.Answer{}, ErrCancelled
	case Expired:
		return command.Answer{}, ErrExpired
	}
	return s.c.Rows.answer(ctx, cmd, now, "transaction.confirm")
}

// endsAt is when what is signed ends, where its bytes say so.
func (t Transaction) endsAt() *string {
	f, err := t.family()
	if err != nil || f.Form().Lifetime == 0 {
		return nil
	}
	raw, err := chain.ParseHex(t.SignedTransaction)
	if err != nil {
		return nil
	}
	tx, _, err := f.DecodeSigned(raw, "")
	if err != nil {
		return nil
	}
	return clock.ISOOrNil(time.UnixMilli(tx.Recent.Expires))
}

func unsignedNonce(n *int64) *uint64 {
	if n == nil {
		return nil
	}
	return new(uint64(*n))
}

func feeOf(t Transaction) (f rest.NetworkFee) {
	_ = json.Unmarshal([]byte(t.Fee), &f) // written by prepare
	return f
}

// IsStuck says that nothing but a replacement, or a cheaper network, helps.
func (t Transaction) IsStuck() bool {
	return t.Stuck && t.State == Broadcast && t.MinedAt.IsZero() && t.ReplacedBy == ""
}
