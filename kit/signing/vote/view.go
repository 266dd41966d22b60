package vote

import (
	"context"

	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/approval"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

// ApprovalView is an approval as the API shows it.
type ApprovalView struct {
	ID                string                    `json:"id"`
	Status            approval.State            `json:"status" enum:"pending,approved,rejected,expired" doc:"approved: enough votes; transaction and comment say what came of it"`
	Activity          string                    `json:"activity" doc:"What is asked for: ACTIVITY_TYPE_SIGN_INTENT, ..."`
	Reason            string                    `json:"reason" enum:"threshold,message,loosens,no_stamp" doc:"Why it waits"`
	Amount            string                    `json:"amount,omitempty" doc:"Of a transaction: decimal, in units of the asset"`
	CostUSD           string                    `json:"costUsd,omitempty" doc:"With the highest fee, where prices tell it"`
	Requester         string                    `json:"requester" doc:"The user whose stamp the request has, else the credential that brought it"`
	RequesterUserID   string                    `json:"requesterUserId,omitempty"`
	RequiredApprovers int                       `json:"requiredApprovers"`
	Approvals         []wire.Vote               `json:"approvals" doc:"The votes that count"`
	Comment           string                    `json:"comment,omitempty" doc:"Why it was rejected, or has not been executed"`
	SubOrganizationID string                    `json:"subOrganizationId"`
	WalletID          string                    `json:"walletId,omitempty" doc:"The wallet that is to sign"`
	Payee             *rest.NamedPayee          `json:"payee,omitempty" doc:"Who is to be added to the book of payees, or removed"`
	AgentID           string                    `json:"agentId,omitempty" doc:"Of an agent's payment, or of a change of an agent"`
	AgentName         string                    `json:"agentName,omitempty" doc:"In the enclave's words when it was prepared"`
	Destination       string                    `json:"destination,omitempty" doc:"Of an agent's payment: who is paid"`
	ActivityID        string                    `json:"activityId,omitempty" doc:"Of what is no transaction"`
	TransactionID     string                    `json:"transactionId,omitempty"`
	Transaction       *rest.ApprovedTransaction `json:"transaction,omitempty"`
	CreatedAt         string                    `json:"createdAt" format:"date-time"`
	ExpiresAt         string                    `json:"expiresAt" format:"date-time"`
	ResolvedAt        *string                   `json:"resolvedAt" format:"date-time"`
	Preview           *wire.Proof               `json:"preview,omitempty" doc:"What the enclave said that it does when it was prepared"`
	Proof             wire.Proof                `json:"proof" doc:"The enclave's, that it holds it"`
	Result            *wire.Proof               `json:"result,omitempty" doc:"The enclave's, of what it made of it once it was approved"`
	Vote              *wire.Proof               `json:"vote,omitempty" doc:"The enclave's, of the vote that was just counted"`
}

func approvalFields(a approval.Approval) ApprovalView {
	v := ApprovalView{
		ID: a.ID, Status: a.State, Activity: a.Activity, Reason: a.Reason, CostUSD: a.CostUSD,
		Requester:       a.RequesterUserID,
		RequesterUserID: a.RequesterUserID, RequiredApprovers: a.Required, Approvals: a.Votes, Comment: a.Comment,
		SubOrganizationID: a.SubOrganizationID, WalletID: a.WalletID, CreatedAt: clock.ISO(a.CreatedAt),
		ExpiresAt: clock.ISO(a.ExpiresAt), ResolvedAt: clock.ISOOrNil(a.ResolvedAt), Proof: signer.Proof(a.Proof),
	}
	if v.Requester == "" {
		v.Requester = a.RequestedBy
	}
	if v.Approvals == nil {
		v.Approvals = []wire.Vote{}
	}
	return v
}

// view shows an approval with its subject, as in the database or as about to be written.
func (s *Service) view(ctx context.Context, x execution) (ApprovalView, error) {
	v := approvalFields(x.Approval)
	v.Result = x.result
	if v.WalletID != "" {
		w, err := s.c.Store.Wallet(ctx, x.WorkspaceID, v.WalletID)
		if err != nil {
			return v, err
		}
		v.WalletID = w.EnclaveID // as every other call names the wallet
	}
	if x.Kind == approval.SubjectActivity {
		a, err := s.c.Store.Activity(ctx, x.WorkspaceID, x.Subject)
		v.ActivityID, v.Preview = a.ID, signer.Preview(a.Preview)
		shown := signer.Shown(a.Preview)
		v.Payee, v.AgentID, v.AgentName = nameOf(shown.Payee), shown.AgentID, shown.AgentName
		return v, err
	}
	t := x.after
	if t == nil {
		now, err := s.c.Store.Transaction(ctx, x.WorkspaceID, x.Subject)
		if err != nil {
			return v, err
		}
		t = &now
	}
	v.TransactionID, v.Amount, v.Preview = t.ID, t.Amount, signer.Preview(t.Preview)
	if t.Proof != "" {
		p := signer.Proof(t.Proof)
		v.Result = &p
	}
	shown := signer.Shown(t.Preview)
	if v.AgentID, v.AgentName = shown.AgentID, shown.AgentName; v.AgentID != "" {
		v.Destination = t.To
	}
	v.Transaction = &rest.ApprovedTransaction{
		TransactionID: t.ID, Status: string(t.State), TxHash: t.TxHash, Network: t.Chain, From: t.From, To: t.To,
		Payee: payeeAt(shown, t.To), TokenAddress: t.TokenAddress, Reason: t.Reason,
	}
	return v, nil
}

// payeeAt is the payee with an address, as the preview names it. The name is not read from the server's own rows: an
// intruder in the database could write any name there, but no preview that clients accept.
func payeeAt(shown wire.Preview, address string) *rest.NamedPayee {
	for _, c := range shown.Counterparties {
		if families.Lookup(c.Address) == families.Lookup(address) {
			return nameOf(c.Payee)
		}
	}
	return nil
}

func nameOf(p *wire.Payee) *rest.NamedPayee {
	if p == nil {
		return nil
	}
	return &rest.NamedPayee{ID: p.ID, Name: p.Name}
}

// List lists approvals, newest first, as the database has them.
func (s *Service) List(ctx context.Context, f approval.Filter) ([]ApprovalView, *page.Cursor, int, error) {
	if f.WalletID != "" {
		w, err := s.c.Store.Wallet(ctx, f.WorkspaceID, f.WalletID)
		if err != nil {
			return nil, nil, 0, err
		}
		f.WalletID = w.ID
	}
	if f.SubOrganizationID != "" {
		if _, err := s.c.Store.SubOrganization(ctx, f.WorkspaceID, f.SubOrganizationID); err != nil {
			return nil, nil, 0, err
		}
	}
	rows, total, err := s.c.Store.Approvals(ctx, f)
	if err != nil {
		return nil, nil, 0, err
	}
	views := []ApprovalView{}
	for _, a := range rows {
		v, err := s.view(ctx, execution{Approval: a})
		if err != nil {
			return nil, nil, 0, err
		}
		views = append(views, v)
	}
	return views, page.Next(f.Page, rows, total, approval.Approval.Cursor), total, nil
}

// Get returns one approval. While the approval is open, its state comes from the enclave: the row is only a copy.
func (s *Service) Get(ctx context.Context, p auth.Principal, id string) (ApprovalView, error) {
	a, err := s.c.Store.Approval(ctx, p.WorkspaceID, id)
	if err == nil {
		err = s.mayRead(ctx, p, a)
	}
	if err != nil {
		return ApprovalView{}, err
	}
	x := execution{Approval: a}
	switch {
	case a.Open():
		x = s.refresh(ctx, a)
	case a.Kind == approval.SubjectActivity && a.State == approval.Approved:
		out, err := s.c.Enclave.Outcome(ctx, a.Fingerprint)
		if err != nil {
			return ApprovalView{}, err
		}
		x.result = &out.Proof
	}
	return s.view(ctx, x)
}

// refresh is an approval by the enclave's statement. If that shows a change which a crash kept out of the database,
// the change is written.
func (s *Service) refresh(ctx context.Context, a approval.Approval) execution {
	x, err := s.askOutcome(ctx, a)
	if err == nil && (x.State != a.State || !x.Open()) {
		err = s.record(ctx, x)
	}
	if err != nil {
		s.c.Log.WarnContext(ctx, "asking the enclave about an approval failed", "approval", a.ID, "error", err)
		return execution{Approval: a}
	}
	return x
}
