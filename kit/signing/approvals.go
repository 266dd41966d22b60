package signing

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
)

// ApprovalView is an approval as the API shows it.
type ApprovalView struct {
	ID                string               `json:"id"`
	Status            ApprovalState        `json:"status" enum:"pending,approved,rejected,expired" doc:"approved: enough votes; transaction and comment say what came of it"`
	Activity          string               `json:"activity" doc:"What is asked for: ACTIVITY_TYPE_SIGN_INTENT, ..."`
	Reason            string               `json:"reason" enum:"threshold,message,loosens,no_stamp" doc:"Why it waits"`
	Amount            string               `json:"amount,omitempty" doc:"Of a transaction: decimal, in units of the asset"`
	CostUSD           string               `json:"costUsd,omitempty" doc:"With the highest fee, where prices tell it"`
	Requester         string               `json:"requester" doc:"The user whose stamp the request has, else the credential that brought it"`
	RequesterUserID   string               `json:"requesterUserId,omitempty"`
	RequiredApprovers int                  `json:"requiredApprovers"`
	Approvals         []wire.Vote          `json:"approvals" doc:"The votes that count"`
	Comment           string               `json:"comment,omitempty" doc:"Why it was rejected, or has not been executed"`
	SubOrganizationID string               `json:"subOrganizationId"`
	WalletID          string               `json:"walletId,omitempty" doc:"Local id of the wallet that is to sign"`
	ActivityID        string               `json:"activityId,omitempty" doc:"Of what is no transaction"`
	TransactionID     string               `json:"transactionId,omitempty"`
	Transaction       *ApprovedTransaction `json:"transaction,omitempty"`
	CreatedAt         string               `json:"createdAt" format:"date-time"`
	ExpiresAt         string               `json:"expiresAt" format:"date-time"`
	ResolvedAt        *string              `json:"resolvedAt" format:"date-time"`
	Preview           *wire.Proof          `json:"preview,omitempty" doc:"What the enclave said that it does when it was prepared"`
	Proof             wire.Proof           `json:"proof" doc:"The enclave's, that it holds it"`
	Result            *wire.Proof          `json:"result,omitempty" doc:"The enclave's, of what it made of it once it was approved"`
	Vote              *wire.Proof          `json:"vote,omitempty" doc:"The enclave's, of the vote that was just counted"`
}

// ApprovedTransaction is where the transaction of an approval stands.
type ApprovedTransaction struct {
	TransactionID string `json:"transactionId"`
	Status        State  `json:"status" enum:"awaiting_approval,pending,broadcast,confirmed,failed,cancelled,expired"`
	TxHash        string `json:"txHash,omitempty"`
	Network       string `json:"network"`
	From          string `json:"from"`
	To            string `json:"to"`
	TokenAddress  string `json:"tokenAddress,omitempty"`
	Reason        string `json:"reason,omitempty"`
}

// approvalView shows an approval with its subject, as it is or is about to be.
func (s *Service) approvalView(ctx context.Context, x execution) (ApprovalView, error) {
	v := x.view()
	v.Result = x.result
	if x.Kind == SubjectActivity {
		a, err := s.store.Activity(ctx, x.WorkspaceID, x.Subject)
		v.ActivityID, v.Preview = a.ID, previewOf(a.Preview)
		return v, err
	}
	t := x.after
	if t == nil {
		now, err := s.store.Transaction(ctx, x.WorkspaceID, x.Subject)
		if err != nil {
			return v, err
		}
		t = &now
	}
	v.TransactionID, v.Amount, v.Preview = t.ID, t.Amount, previewOf(t.Preview)
	if t.Proof != "" {
		p := proofOf(t.Proof)
		v.Result = &p
	}
	v.Transaction = &ApprovedTransaction{
		TransactionID: t.ID, Status: t.State, TxHash: t.TxHash, Network: t.Chain, From: t.From, To: t.To, TokenAddress: t.TokenAddress, Reason: t.Reason,
	}
	return v, nil
}

func previewOf(text string) *wire.Proof {
	var p wire.Proof
	if json.Unmarshal([]byte(text), &p) != nil || p.Payload == "" {
		return nil
	}
	return &p
}

func (a Approval) view() ApprovalView {
	v := ApprovalView{
		ID: a.ID, Status: a.State, Activity: a.Activity, Reason: a.Reason, CostUSD: a.CostUSD, Requester: a.RequesterUserID,
		RequesterUserID: a.RequesterUserID, RequiredApprovers: a.Required, Approvals: a.Votes, Comment: a.Comment,
		SubOrganizationID: a.SubOrganizationID, WalletID: a.WalletID, CreatedAt: clock.ISO(a.CreatedAt), ExpiresAt: clock.ISO(a.ExpiresAt),
		ResolvedAt: isoOrNil(a.ResolvedAt), Proof: proofOf(a.Proof),
	}
	if v.Requester == "" {
		v.Requester = a.RequestedBy
	}
	if v.Approvals == nil {
		v.Approvals = []wire.Vote{}
	}
	return v
}

func (a Approval) cursor() Cursor { return Cursor{CreatedAt: a.CreatedAt, ID: a.ID} }

// Approvals lists approvals, newest first, as the database has them.
func (s *Service) Approvals(ctx context.Context, f ApprovalFilter) ([]ApprovalView, *Cursor, int, error) {
	if f.WalletID != "" {
		w, err := s.store.Wallet(ctx, f.WorkspaceID, f.WalletID)
		if err != nil {
			return nil, nil, 0, err
		}
		f.WalletID = w.ID
	}
	if f.SubOrganizationID != "" {
		if _, err := s.store.SubOrganization(ctx, f.WorkspaceID, f.SubOrganizationID); err != nil {
			return nil, nil, 0, err
		}
	}
	rows, total, err := s.store.Approvals(ctx, f)
	if err != nil {
		return nil, nil, 0, err
	}
	views := []ApprovalView{}
	for _, a := range rows {
		v, err := s.approvalView(ctx, execution{Approval: a})
		if err != nil {
			return nil, nil, 0, err
		}
		views = append(views, v)
	}
	return views, page.Next(f.Page, rows, total, Approval.cursor), total, nil
}

// Approval gives one approval. While it waits the enclave says how it stands:
// the rows are only a memory of that.
func (s *Service) Approval(ctx context.Context, p auth.Principal, id string) (ApprovalView, error) {
	a, err := s.store.Approval(ctx, p.WorkspaceID, id)
	if err != nil {
		return ApprovalView{}, err
	}
	x := execution{Approval: a}
	switch {
	case a.open():
		x = s.refresh(ctx, a)
	case a.Kind == SubjectActivity && a.State == ApprovalApproved:
		out, err := s.enclave.Outcome(ctx, a.Fingerprint)
		if err != nil {
			return ApprovalView{}, err
		}
		x.result = &out.Proof
	}
	return s.approvalView(ctx, x)
}

// refresh is an approval as the enclave knows it. What it tells of a change that
// a crash kept out of the database is written down.
func (s *Service) refresh(ctx context.Context, a Approval) execution {
	x, err := s.look(ctx, a)
	if err == nil && (x.State != a.State || !x.open()) {
		err = s.record(ctx, x)
	}
	if err != nil {
		s.log.Warn("asking the enclave about an approval failed", "approval", a.ID, "error", err)
		return execution{Approval: a}
	}
	return x
}

// RejectInput says why.
type RejectInput struct {
	Reason string `json:"reason,omitempty" maxLength:"500"`
}

// Reject makes sure that what waits is never executed. It only tightens, so that
// an API key is enough. The enclave hears of it first.
func (s *Service) Reject(ctx context.Context, cmd *command.Command, id string, in RejectInput) (command.Answer, error) {
	a, err := s.store.Approval(ctx, cmd.Principal.WorkspaceID, id)
	if err != nil {
		return command.Answer{}, err
	}
	if a.State == ApprovalRejected {
		return s.answerRejected(ctx, cmd, execution{Approval: a})
	}
	if !a.open() {
		return command.Answer{}, a.resolved()
	}
	out, err := s.enclave.Cancel(ctx, a.Fingerprint)
	if err != nil {
		return command.Answer{}, err
	}
	if out.State != wire.Cancelled { // the last vote came first
		return command.Answer{}, s.gone(ctx, a)
	}
	answer, err := s.answerRejected(ctx, cmd, s.ended(a, a.State, ApprovalRejected, in.Reason))
	if !errors.Is(err, ErrStale) {
		return answer, err
	}
	if a, err = s.store.Approval(ctx, a.WorkspaceID, a.ID); err != nil {
		return command.Answer{}, err
	}
	if a.State != ApprovalRejected {
		return command.Answer{}, a.resolved()
	}
	return s.answerRejected(ctx, cmd, execution{Approval: a})
}

// answerRejected commits a rejection, or answers with the one that there was.
func (s *Service) answerRejected(ctx context.Context, cmd *command.Command, x execution) (command.Answer, error) {
	view, err := s.approvalView(ctx, x)
	if err != nil {
		return command.Answer{}, err
	}
	if view.Transaction != nil && x.from != "" {
		view.Transaction.Status, view.Transaction.Reason = Cancelled, cmp.Or(x.Comment, "rejected")
	}
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		reply := command.Reply{
			Status: 201, Message: "Rejected", Data: view,
			Audit: command.Audit{Action: "approval.reject", Resource: x.Subject, Detail: map[string]string{"approvalId": x.ID, "reason": x.Comment}},
		}
		if x.from == "" {
			return reply, nil
		}
		return reply, x.into(ctx, tx, s.clock.Now())
	})
}
