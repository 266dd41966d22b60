package railkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/rest"
)

// ApprovalsService votes on what waits for approval, and changes how many votes it takes.
type ApprovalsService struct{ c *Client }

const approvalsPath = "/v1/signing/approvals"

// Where an approval stands.
const (
	ApprovalPending  = "pending"
	ApprovalApproved = "approved" // enough votes; Transaction and Comment say what came of it
	ApprovalRejected = "rejected"
	ApprovalExpired  = "expired"
)

// Approval is a request that waits until enough users agree.
type Approval struct {
	ID                string               `json:"id"`
	Status            string               `json:"status"`
	Activity          string               `json:"activity"`
	Reason            string               `json:"reason"` // threshold | message | loosens | no_stamp
	Amount            string               `json:"amount,omitempty"`
	CostUSD           string               `json:"costUsd,omitempty"`
	Requester         string               `json:"requester"`
	RequesterUserID   string               `json:"requesterUserId,omitempty"`
	RequiredApprovers int                  `json:"requiredApprovers"`
	Approvals         []Vote               `json:"approvals"`
	Comment           string               `json:"comment,omitempty"`
	SubOrganizationID string               `json:"subOrganizationId"`
	WalletID          string               `json:"walletId,omitempty"`
	Payee             *NamedPayee          `json:"payee,omitempty"`   // who is to be added to the book, or removed
	AgentID           string               `json:"agentId,omitempty"` // whose payment it is, or what is changed
	AgentName         string               `json:"agentName,omitempty"`
	Destination       string               `json:"destination,omitempty"` // of an agent's payment: who is paid
	ActivityID        string               `json:"activityId,omitempty"`
	TransactionID     string               `json:"transactionId,omitempty"`
	Transaction       *ApprovedTransaction `json:"transaction,omitempty"`
	CreatedAt         string               `json:"createdAt"`
	ExpiresAt         string               `json:"expiresAt"`
	ResolvedAt        *string              `json:"resolvedAt"`
	Preview           *Proof               `json:"preview,omitempty"`
	Proof             Proof                `json:"proof"`            // that the enclave holds it
	Result            *Proof               `json:"result,omitempty"` // what the enclave made of it
	Vote              *Proof               `json:"vote,omitempty"`   // of the vote that was just counted
}

// Vote is a user's consent, as the enclave counts it.
type Vote struct {
	UserID       string `json:"userId"`
	Email        string `json:"email"`
	CredentialID string `json:"credentialId"`
	At           string `json:"at"`
}

// ApprovedTransaction is a body of the API: see package rest for its fields.
type ApprovedTransaction = rest.ApprovedTransaction

// ApprovalListOptions select approvals. Without a status those that wait.
type ApprovalListOptions struct {
	ListOptions
	Status            string // also "all"
	SubOrganizationID string
	WalletID          string
}

// List reads one page of approvals, newest first.
func (s *ApprovalsService) List(ctx context.Context, o ApprovalListOptions) (*Page[Approval], error) {
	q := filtered(o.query(), map[string]string{
		"status": o.Status, "subOrganizationId": o.SubOrganizationID, "walletId": o.WalletID,
	})
	return list(ctx, s.c, approvalsPath, q, func(a *Approval) error {
		_, err := s.check(a)
		return err
	})
}

// All walks all pages.
func (s *ApprovalsService) All(ctx context.Context, o ApprovalListOptions) iter.Seq2[Approval, error] {
	return each(o.ListOptions, func(page ListOptions) (*Page[Approval], error) {
		o.ListOptions = page
		return s.List(ctx, o)
	})
}

// Get reads one approval.
func (s *ApprovalsService) Get(ctx context.Context, id string) (*Approval, error) {
	a, _, err := s.get(ctx, id)
	return a, err
}

func (s *ApprovalsService) get(ctx context.Context, id string) (a *Approval, fingerprint string, err error) {
	r, err := send[Approval](ctx, s.c, request{method: http.MethodGet, path: approvalPath(id)})
	if err != nil {
		return nil, "", err
	}
	if s.c.verify != nil && r.Data.ID != id {
		return nil, "", tampered(ReasonResult, "the answer is another approval than was asked for")
	}
	fingerprint, err = s.check(&r.Data)
	if err != nil {
		return nil, "", err
	}
	return &r.Data, fingerprint, nil
}

func approvalPath(id string) string { return approvalsPath + "/" + url.PathEscape(id) }

// check holds an approval against the enclave's word that it holds that
// body, and a hash against its later word that it signed the same one.
func (s *ApprovalsService) check(a *Approval) (fingerprint string, err error) {
	if s.c.verify == nil {
		return "", nil
	}
	st, err := s.c.verify.open(&a.Proof, wire.KindResult)
	if err != nil {
		return "", err
	}
	if st.Outcome != wire.Held || st.Result == nil || st.Result.Approval == nil ||
		st.Result.Approval.Fingerprint != st.Fingerprint {
		return "", tampered(ReasonResult, "the enclave's statement is not about what waits")
	}
	w := st.Result.Approval
	if string(w.Activity) != a.Activity || w.Reason != a.Reason || w.RequesterUserID != a.RequesterUserID ||
		st.OrganizationID != a.SubOrganizationID {
		return "", tampered(ReasonResult, "the answer describes another request than the enclave holds")
	}
	if err := s.checkPayee(a, st.Fingerprint); err != nil {
		return "", err
	}
	if err := s.checkAgent(a, st.Fingerprint); err != nil {
		return "", err
	}
	return st.Fingerprint, s.checkExecuted(a, st)
}

// checkPayee holds the name beside an address against the enclave's preview of that body.
func (s *ApprovalsService) checkPayee(a *Approval, fingerprint string) error {
	named := a.Payee
	if a.Transaction != nil {
		named = a.Transaction.Payee
		if a.Payee != nil {
			return tampered(ReasonResult, "the answer names a payee to be added or removed, and is about a transaction")
		}
	}
	if named == nil {
		return nil
	}
	shown, err := s.shown(a, fingerprint)
	if err != nil {
		return err
	}
	payee := shown.Payee
	if a.Transaction != nil {
		payee = payeeAt(shown, a.Transaction.To)
	}
	if payee == nil || payee.ID != named.ID || payee.Name != named.Name {
		return tampered(ReasonPreview, "the answer names another payee than the enclave shows")
	}
	return nil
}

// shown is the enclave's preview of the body that waits.
func (s *ApprovalsService) shown(a *Approval, fingerprint string) (*Preview, error) {
	st, err := s.c.verify.open(a.Preview, wire.KindPreview)
	if err != nil {
		return nil, err
	}
	if st.Fingerprint != fingerprint || st.Preview == nil {
		return nil, tampered(ReasonFingerprint, "the preview is not of what waits")
	}
	return st.Preview, nil
}

// checkAgent holds the agent that asks, and whom it pays, against the enclave's preview of that body.
func (s *ApprovalsService) checkAgent(a *Approval, fingerprint string) error {
	if a.AgentID == "" && a.AgentName == "" && a.Destination == "" {
		return nil
	}
	shown, err := s.shown(a, fingerprint)
	if err != nil {
		return err
	}
	paid := slices.ContainsFunc(shown.Effects, func(e chain.Effect) bool { return sameAddress(e.To, a.Destination) })
	if shown.AgentID != a.AgentID || shown.AgentName != a.AgentName || a.Destination != "" && !paid {
		return tampered(ReasonPreview, "the answer names another agent or receiver than the enclave shows")
	}
	return nil
}

func (s *ApprovalsService) checkExecuted(a *Approval, held *opened) error {
	hash := ""
	if a.Transaction != nil {
		hash = a.Transaction.TxHash
	}
	if a.Result == nil && hash == "" {
		return nil
	}
	st, err := s.c.verify.open(a.Result, wire.KindResult)
	if err != nil {
		return err
	}
	if st.Fingerprint != held.Fingerprint || st.seq <= held.seq {
		return tampered(ReasonFingerprint, "the result is not of what waited")
	}
	if hash != "" && (st.Outcome != "" || st.Result == nil || st.Result.Transaction == nil ||
		st.Result.Transaction.TxHash != hash) {
		return tampered(ReasonResult, "the answer has another transaction than the enclave signed")
	}
	return nil
}

// PreparedVote is a vote that waits for its stamp. Shown.Held is what the request
// does, in the enclave's words: look at it before stamping.
type PreparedVote struct {
	ApprovalID string `json:"approvalId"`
	Prepared
}

// PrepareVote asks for the body of a vote and checks that it is for that approval
// and that the enclave shows what it does. Back, of which one is enough, is where the passkey page leads back to.
func (s *ApprovalsService) PrepareVote(ctx context.Context, id string, back ...ReturnTo) (*PreparedVote, error) {
	_, fingerprint, err := s.get(ctx, id)
	if err != nil {
		return nil, err
	}
	ask := request{method: http.MethodPost, path: approvalPath(id) + "/approve", query: preparing(), body: bodyOf(back)}
	return prepare[PreparedVote](ctx, s.c, ask, wire.ApproveActivity, func(body *wire.Body, shown *Preview) error {
		return matchVote(body, shown, fingerprint)
	})
}

func matchVote(body *wire.Body, shown *Preview, fingerprint string) error {
	var p wire.ApproveActivityParams
	if err := readParams(body, &p); err != nil {
		return err
	}
	if p.Fingerprint != fingerprint {
		return tampered(ReasonBody, "the vote is for another request than was asked for")
	}
	if shown.Approves == nil || shown.Held == nil || shown.Approves.Fingerprint != fingerprint ||
		shown.Approves.PolicySet != p.PolicySet {
		return tampered(ReasonPreview, "the enclave does not show what the vote is for")
	}
	return nil
}

// SubmitVote hands in the stamped vote. The last one has the request executed.
func (s *ApprovalsService) SubmitVote(ctx context.Context, id string, signed SignedActivity) (*Approval, error) {
	r, err := send[Approval](ctx, s.c, request{
		method: http.MethodPost, path: approvalPath(id) + "/approve",
		body: map[string]SignedActivity{"signedActivity": signed},
	})
	if err != nil {
		return nil, err
	}
	if s.c.verify == nil {
		return &r.Data, nil
	}
	fingerprint, err := s.check(&r.Data)
	if err != nil {
		return nil, err
	}
	st, err := s.c.verify.result(r.Data.Vote, signed.Body, wire.ApproveActivity)
	if err != nil {
		return nil, err
	}
	if st.Result.Approval == nil || st.Result.Approval.Fingerprint != fingerprint {
		return nil, tampered(ReasonResult, "the vote was counted for another request")
	}
	return &r.Data, nil
}

// Approve prepares a vote, has look decide by what the enclave shows, stamps and
// submits it.
func (s *ApprovalsService) Approve(
	ctx context.Context, pk Passkey, id string, look func(*Preview) error,
) (*Approval, error) {
	p, err := s.PrepareVote(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("preparing a vote: %w", err)
	}
	if p.Shown == nil {
		return nil, errors.New(
			"railkit: without proofs there is nothing to decide by; use Approvals.PrepareVote and Approvals.SubmitVote",
		)
	}
	if err := look(p.Shown.Held); err != nil {
		return nil, fmt.Errorf("deciding about an approval: %w", err)
	}
	signed, err := stamp(pk, p.Prepared)
	if err != nil {
		return nil, err
	}
	return s.SubmitVote(withoutKey(ctx), id, signed)
}

// Reject makes sure that the request is never executed. No passkey is asked.
func (s *ApprovalsService) Reject(ctx context.Context, id, reason string) (*Approval, error) {
	r, err := send[Approval](ctx, s.c, request{
		method: http.MethodPost, path: approvalPath(id) + "/reject", body: map[string]string{"reason": reason},
	})
	if err != nil {
		return nil, err
	}
	_, err = s.check(&r.Data)
	return checked(&r.Data, err)
}

// Wait polls until nothing is left to wait for: what was approved is
// executed, and a transaction has its hash or its end.
func (s *ApprovalsService) Wait(ctx context.Context, id string, every time.Duration) (*Approval, error) {
	for {
		a, err := s.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		if a.Status != ApprovalPending && a.ResolvedAt != nil {
			return a, nil
		}
		if err := s.c.retry.Sleep(ctx, every); err != nil {
			return a, fmt.Errorf("railkit: waiting for an approval that is %s: %w", a.Status, err)
		}
	}
}

const approvalConfigPath = "/v1/signing/approval-config"

// ApprovalConfigRequest changes when others have to agree. Nil fields stay.
type ApprovalConfigRequest struct {
	Enabled           *bool       `json:"enabled,omitempty"`
	ThresholdUSD      json.Number `json:"thresholdUsd,omitempty"`      // what costs more waits for votes
	RequiredApprovers int         `json:"requiredApprovers,omitempty"` // distinct users; 0: as it is
	// Every message waits for votes, also one that costs nothing.
	IncludeMessages   *bool           `json:"includeMessages,omitempty"`
	SubOrganizationID string          `json:"subOrganizationId,omitempty"`
	SignedActivity    *SignedActivity `json:"signedActivity,omitempty"`
	ReturnTo
}

// ApprovalConfig is when others have to agree.
type ApprovalConfig struct {
	Enabled           bool        `json:"enabled"`
	ThresholdUSD      json.Number `json:"thresholdUsd"`
	RequiredApprovers int         `json:"requiredApprovers"`
	IncludeMessages   bool        `json:"includeMessages"`
	TimeoutMinutes    int         `json:"timeoutMinutes"`
	SubOrganizationID string      `json:"subOrganizationId"`
	UpdatedAt         *string     `json:"updatedAt"` // nil: never set
	Proof             *Proof      `json:"proof,omitempty"`
}

func (a *ApprovalConfig) proof() *Proof { return a.Proof }

// GetConfig reads the configuration, with the enclave's word of now.
func (s *ApprovalsService) GetConfig(ctx context.Context, subOrganizationID string) (*ApprovalConfig, error) {
	q := url.Values{"proof": {"fresh"}}
	if subOrganizationID != "" {
		q.Set("subOrganizationId", subOrganizationID)
	}
	r, err := send[ApprovalConfig](ctx, s.c, request{method: http.MethodGet, path: approvalConfigPath, query: q})
	if err != nil {
		return nil, err
	}
	if s.c.verify == nil {
		return &r.Data, nil
	}
	st, err := s.c.verify.fresh(r.Data.Proof, r.Floor)
	if err != nil {
		return nil, err
	}
	return checked(&r.Data, matchConfig(&r.Data, st.State.ApprovalConfig, st.OrganizationID))
}

// PrepareConfig gives what to stamp for another configuration.
func (s *ApprovalsService) PrepareConfig(ctx context.Context, req ApprovalConfigRequest) (*Prepared, error) {
	return configChange(req).prepare(ctx, s.c, req, func(body *wire.Body, _ *Preview) error {
		var params wire.ApprovalConfig
		if err := readParams(body, &params); err != nil {
			return err
		}
		return req.match(params)
	})
}

// UpdateConfig changes the configuration. What only asks for more consent
// happens without a stamp.
func (s *ApprovalsService) UpdateConfig(ctx context.Context, req ApprovalConfigRequest) (*ApprovalConfig, error) {
	return makeChange(ctx, s.c, configChange(req), req, req.SignedActivity, (*ApprovalConfig).proof,
		func(a *ApprovalConfig, st *opened) error {
			if err := matchConfig(a, st.Result.ApprovalConfig, st.OrganizationID); err != nil {
				return err
			}
			if req.SubOrganizationID != "" && st.OrganizationID != req.SubOrganizationID {
				return tampered(ReasonResult, "the answer is about another sub-organization than was asked for")
			}
			return req.match(*st.Result.ApprovalConfig)
		})
}

func configChange(req ApprovalConfigRequest) change {
	return change{
		method: http.MethodPatch, path: approvalConfigPath, kind: wire.UpdateApprovalConfig, sub: req.SubOrganizationID,
	}
}

func (req ApprovalConfigRequest) match(w wire.ApprovalConfig) error {
	if req.IncludeMessages != nil && *req.IncludeMessages != w.IncludeMessages ||
		req.Enabled != nil && *req.Enabled != w.Enabled ||
		req.ThresholdUSD != "" && string(req.ThresholdUSD) != w.ThresholdUSD ||
		req.RequiredApprovers != 0 && strconv.Itoa(req.RequiredApprovers) != w.RequiredApprovers {
		return tampered(ReasonBody, "the configuration is another than was asked for")
	}
	return nil
}

func matchConfig(a *ApprovalConfig, w *wire.ApprovalConfig, subOrganizationID string) error {
	if w == nil || a.SubOrganizationID != subOrganizationID || a.Enabled != w.Enabled ||
		a.IncludeMessages != w.IncludeMessages || string(a.ThresholdUSD) != w.ThresholdUSD ||
		strconv.Itoa(a.RequiredApprovers) != w.RequiredApprovers {
		return tampered(ReasonResult, "the configuration is another than the enclave's")
	}
	return nil
}
