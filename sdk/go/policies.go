package railkit

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/rest"
)

// PoliciesService changes and reads the rules that the enclave holds signatures to, and reads what they denied.
type PoliciesService struct{ c *Client }

const policiesPath = "/v1/signing/policies"

// The rules of a policy, as server and client share them.
type (
	// Number is a JSON number, digit by digit.
	Number = rest.Number
	// PolicyRules are what a policy asks of each signing of its wallet.
	PolicyRules = rest.PolicyRules
	// AllowedContract names functions of a contract that may be called.
	AllowedContract = rest.AllowedContract
	// Delegation lets a wallet sign without a passkey, within its bounds.
	Delegation = rest.Delegation
)

// PolicyRequest makes a policy.
type PolicyRequest struct {
	Name           string          `json:"name"`
	WalletID       string          `json:"walletId"`
	Rules          PolicyRules     `json:"rules"`
	SignedActivity *SignedActivity `json:"signedActivity,omitempty"`
	ReturnTo
}

// RulesPatch changes rules by their JSON names: a value takes the place of what was
// there, nil takes it away, and what is not named stays.
type RulesPatch map[string]any

// PolicyUpdate changes a policy.
type PolicyUpdate struct {
	Name           string          `json:"name,omitempty"`
	Rules          RulesPatch      `json:"rules,omitempty"`
	SignedActivity *SignedActivity `json:"signedActivity,omitempty"`
	ReturnTo
}

// Policy is a policy as it stands.
type Policy struct {
	ID                string      `json:"id"`
	Name              string      `json:"name"`
	WalletID          string      `json:"walletId"`
	Rules             PolicyRules `json:"rules"`
	Status            string      `json:"status"` // active | deleted
	SubOrganizationID string      `json:"subOrganizationId"`
	CreatedAt         string      `json:"createdAt"`
	UpdatedAt         string      `json:"updatedAt"`
	Proof             *Proof      `json:"proof"`

	// Of a change that took a delegation away: what may still have an effect.
	Outstanding *Outstanding `json:"outstanding,omitempty"`
}

func (p *Policy) proof() *Proof { return p.Proof }

// Prepare gives what to stamp for a new policy. A bare Create is enough
// for whatever has no delegation and allows no raw digests.
func (s *PoliciesService) Prepare(ctx context.Context, req PolicyRequest) (*Prepared, error) {
	return creation.prepare(ctx, s.c, req, func(body *wire.Body, _ *Preview) error {
		var params wire.CreatePolicyParams
		if err := readParams(body, &params); err != nil {
			return err
		}
		if params.WalletID != req.WalletID {
			return tampered(ReasonBody, "the body is for another wallet than was asked for")
		}
		return matchRules(params.Rules, req.Rules)
	})
}

var creation = change{method: http.MethodPost, path: policiesPath, kind: wire.CreatePolicy}

// Create puts a policy on a wallet. WalletID is the enclave's id of it.
func (s *PoliciesService) Create(ctx context.Context, req PolicyRequest) (*Policy, error) {
	return makeChange(ctx, s.c, creation, req, req.SignedActivity, (*Policy).proof, func(p *Policy, st *opened) error {
		if err := matchPolicy(p, st); err != nil {
			return err
		}
		if p.WalletID != req.WalletID {
			return tampered(ReasonResult, "the policy is on another wallet than was asked for")
		}
		return matchRules(st.Result.Policy.Rules, req.Rules)
	})
}

func updating(id string) change {
	return change{method: http.MethodPatch, path: policiesPath + "/" + url.PathEscape(id), kind: wire.UpdatePolicy}
}

// PrepareUpdate gives what to stamp for other rules.
func (s *PoliciesService) PrepareUpdate(ctx context.Context, id string, req PolicyUpdate) (*Prepared, error) {
	return updating(id).prepare(ctx, s.c, req, func(body *wire.Body, _ *Preview) error {
		var params wire.UpdatePolicyParams
		if err := readParams(body, &params); err != nil {
			return err
		}
		if params.PolicyID != id {
			return tampered(ReasonBody, "the body is for another policy than was asked for")
		}
		return matchPatch(params.Rules, req.Rules)
	})
}

// Update changes rules. What only lowers or shortens happens without a stamp.
func (s *PoliciesService) Update(ctx context.Context, id string, req PolicyUpdate) (*Policy, error) {
	return makeChange(ctx, s.c, updating(id), req, req.SignedActivity, (*Policy).proof,
		func(p *Policy, st *opened) error {
			if err := matchPolicy(p, st); err != nil {
				return err
			}
			if p.ID != id {
				return tampered(ReasonResult, "the answer is another policy than was asked for")
			}
			if err := s.c.verify.ofPolicy(p.Outstanding, id); err != nil {
				return err
			}
			return matchPatch(st.Result.Policy.Rules, req.Rules)
		})
}

// Rename changes a policy's name, which is the server's alone.
func (s *PoliciesService) Rename(ctx context.Context, id, name string) (*Policy, error) {
	return data[Policy](ctx, s.c, http.MethodPatch, policiesPath+"/"+url.PathEscape(id), PolicyUpdate{Name: name})
}

// PrepareDeletion gives what to stamp for the end of a policy.
func (s *PoliciesService) PrepareDeletion(ctx context.Context, id string, back ...ReturnTo) (*Prepared, error) {
	return deleting(policiesPath, id, wire.DeletePolicy).prepare(ctx, s.c, bodyOf(back),
		func(body *wire.Body, _ *Preview) error {
			var params wire.DeletePolicyParams
			if err := readParams(body, &params); err != nil {
				return err
			}
			if params.PolicyID != id {
				return tampered(ReasonBody, "the body is for another policy than was asked for")
			}
			return nil
		})
}

// Delete takes a policy away: by a stamp, or by votes.
func (s *PoliciesService) Delete(ctx context.Context, id string, signed *SignedActivity) (*Policy, error) {
	ch := deleting(policiesPath, id, wire.DeletePolicy)
	return makeChange(ctx, s.c, ch, signedBody(signed), signed, (*Policy).proof, func(p *Policy, st *opened) error {
		if p.ID != id {
			return tampered(ReasonResult, "the answer is another policy than was asked for")
		}
		if err := s.c.verify.ofPolicy(p.Outstanding, id); err != nil {
			return err
		}
		return matchPolicy(p, st)
	})
}

// PolicyListOptions select policies.
type PolicyListOptions struct {
	ListOptions
	WalletID, SubOrganizationID string
}

// List reads one page of policies, as the server remembers them.
func (s *PoliciesService) List(ctx context.Context, o PolicyListOptions) (*Page[Policy], error) {
	q := filtered(o.query(), map[string]string{"walletId": o.WalletID, "subOrganizationId": o.SubOrganizationID})
	return list[Policy](ctx, s.c, policiesPath, q, nil)
}

// ListEnforced has the enclave say now which policies it holds a
// sub-organization to: the server can neither hide nor invent one.
func (s *PoliciesService) ListEnforced(ctx context.Context, subOrganizationID string) ([]wire.Policy, error) {
	st, err := stated[Policy](ctx, s.c, policiesPath, subOrganizationID)
	if err != nil {
		return nil, err
	}
	if st.State.ApprovalConfig == nil {
		return nil, errOtherStatement()
	}
	return st.State.Policies, nil
}

// matchPolicy holds an answer against the enclave's own words.
func matchPolicy(p *Policy, st *opened) error {
	w := st.Result.Policy
	if w == nil || w.ID != p.ID || w.WalletID != p.WalletID || st.OrganizationID != p.SubOrganizationID {
		return tampered(ReasonResult, "the answer names another policy than the enclave's")
	}
	return matchRules(w.Rules, p.Rules)
}

// matchRules holds rules of the enclave against those that were asked for: every member that one of them has.
func matchRules(w wire.Rules, asked PolicyRules) error {
	is, err := rulesStated(w)
	if err != nil {
		return err
	}
	want, err := members(asked)
	if err != nil {
		return err
	}
	if len(is) != len(want) {
		return tampered(ReasonBody, "the rules are others than were asked for")
	}
	return sameMembers(is, want)
}

// matchPatch is matchRules for what a patch names.
func matchPatch(w wire.Rules, asked RulesPatch) error {
	is, err := rulesStated(w)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(asked)
	if err != nil {
		return fmt.Errorf("railkit: encoding rules: %w", err)
	}
	var named PolicyRules
	if err := json.Unmarshal(raw, &named); err != nil {
		return fmt.Errorf("railkit: reading rules: %w", err)
	}
	want, err := members(named)
	if err != nil {
		return err
	}
	for name := range asked {
		if _, stays := want[name]; !stays && is[name] != "" {
			return tampered(ReasonBody, "the rules keep what was to be taken away")
		}
	}
	return sameMembers(is, want)
}

func sameMembers(is, want map[string]string) error {
	for name, value := range want {
		if is[name] != value {
			return tampered(ReasonBody, "the rules are others than were asked for")
		}
	}
	return nil
}

// What the calls send and answer: see package rest for the fields.
type (
	Denial                 = rest.Denial
	MinedNonce             = rest.MinedNonce
	OutstandingTransaction = rest.OutstandingTransaction
	FinalizedHeight        = rest.FinalizedHeight
	Voiding                = rest.Voiding
	VoidRequest            = rest.VoidRequest
)

// ListDenials reads one page of what rules refused to a wallet, newest first.
func (s *PoliciesService) ListDenials(ctx context.Context, walletID string, o ListOptions) (*Page[Denial], error) {
	return list[Denial](ctx, s.c, "/v1/signing/wallets/"+url.PathEscape(walletID)+"/denials", o.query(), nil)
}

// Outstanding is what was signed under a policy's delegation and may still have an
// effect on a chain.
type Outstanding struct {
	PolicyID string `json:"policyId"`
	OutstandingList
}

// OutstandingList is what was signed without a passkey and may still have an effect on a chain.
type OutstandingList struct {
	// Signed, and not mined as far as the server's nodes say.
	Transactions   []OutstandingTransaction   `json:"transactions"`
	Authorizations []OutstandingAuthorization `json:"authorizations"` // typed data that has not ended
	Mined          []MinedNonce               `json:"mined"`          // the server's word; ask a node of your own
	Finalized      []FinalizedHeight          `json:"finalized"`      // as mined, where transactions have no nonces
	Complete       bool                       `json:"complete"`       // false: these are the newest 2,000
	Proofs         []Proof                    `json:"proofs"`

	signed []wire.LentSigning
}

// Signed are the enclave's own words for all that is listed, from the proofs, with LastHeight and Standing.
func (o *OutstandingList) Signed() []wire.LentSigning { return o.signed }

// OutstandingAuthorization is typed data that others may hand in.
type OutstandingAuthorization struct {
	Type        string         `json:"type"`
	Network     string         `json:"network,omitempty"`
	From        string         `json:"from,omitempty"`
	Contract    string         `json:"contract,omitempty"`
	Nonces      []string       `json:"nonces"`
	EndsAt      *string        `json:"endsAt"` // nil: not known
	Effects     []chain.Effect `json:"effects"`
	AmountUSDC  string         `json:"amountUsdc"` // how much of it is USDC
	Digest      string         `json:"digest"`
	Fingerprint string         `json:"fingerprint"`
	SignedAt    string         `json:"signedAt"`
	Void        Voiding        `json:"void"`
}

// Outstanding lists what was signed under the delegation that a policy has or
// had, also when the policy is deleted. The enclave's proofs name all of it: the
// server can hide none, but for what it says is mined (Mined).
func (s *PoliciesService) Outstanding(ctx context.Context, policyID string) (*Outstanding, error) {
	r, err := send[Outstanding](ctx, s.c, request{
		method: http.MethodGet, path: policiesPath + "/" + url.PathEscape(policyID) + "/outstanding",
	})
	if err != nil {
		return nil, err
	}
	return checked(&r.Data, s.c.verify.freshList(
		&r.Data.OutstandingList, wire.LentRequest{PolicyID: policyID}, r.Data.PolicyID == policyID, r.Floor))
}

// freshList holds a list that was just asked for against the enclave's own. ofThat says that the answer names what was
// asked about. A client that does not verify takes any.
func (v *verifier) freshList(l *OutstandingList, q wire.LentRequest, ofThat bool, floor uint64) error {
	if v == nil {
		return nil
	}
	for i := range l.Proofs {
		if _, err := v.fresh(&l.Proofs[i], floor); err != nil {
			return err
		}
	}
	if len(l.Proofs) == 0 {
		return tampered(ReasonProof, "there is no proof of what was signed")
	}
	if !ofThat {
		return tampered(ReasonResult, "the list is of another policy or agent")
	}
	return v.outstanding(l, q)
}

// ofPolicy holds the list in the answer to a change against the enclave's own.
func (v *verifier) ofPolicy(o *Outstanding, policyID string) error {
	if o == nil {
		return nil
	}
	if o.PolicyID != policyID {
		return tampered(ReasonResult, "the list is of another policy")
	}
	return v.outstanding(&o.OutstandingList, wire.LentRequest{PolicyID: policyID})
}

// outstanding holds a list against the enclave's own: each entry is in both, and no
// page of the enclave's is left out.
func (v *verifier) outstanding(o *OutstandingList, of wire.LentRequest) error {
	before, signed := "", map[string]wire.LentSigning{}
	o.signed = nil
	for i := range o.Proofs {
		st, err := v.open(&o.Proofs[i], wire.KindState)
		if err != nil {
			return err
		}
		if st.State == nil || st.State.Lent == nil || st.State.Lent.PolicyID != of.PolicyID ||
			st.State.Lent.AgentID != of.AgentID || st.State.Lent.Before != before || i > 0 && before == "" {
			return tampered(ReasonResult, "the enclave's statement is not the next page of what it signed")
		}
		if !sameMined(st.State.Lent.Mined, o.Mined) {
			return tampered(ReasonResult, "the enclave left out more as mined than the answer says")
		}
		if !sameFinalized(st.State.Lent.Finalized, o.Finalized) {
			return tampered(ReasonResult, "the enclave left out more as final than the answer says")
		}
		o.signed = append(o.signed, st.State.Lent.Signed...)
		for _, x := range st.State.Lent.Signed {
			signed[x.Fingerprint] = x
		}
		before = st.State.Lent.More
	}
	if o.Complete != (before == "") {
		return tampered(ReasonResult, "the list says that it is whole and is not")
	}
	return o.match(signed)
}

func (o *OutstandingList) match(signed map[string]wire.LentSigning) error {
	differs := tampered(ReasonResult, "the list has other signings than the enclave's")
	if len(o.Transactions)+len(o.Authorizations) != len(signed) {
		return differs
	}
	for _, t := range o.Transactions {
		x := signed[t.Fingerprint]
		w := x.Transaction
		delete(signed, t.Fingerprint)
		if w == nil || w.TxHash != t.TxHash || w.Chain != t.Network || w.SignWith != t.From ||
			w.Nonce != nonceOf(t.Nonce) || w.LastHeight != heightOf(t.LastHeight) ||
			w.Expires != millisOf(t.EndsAt) || x.Standing != t.Standing ||
			t.AmountUSDC != usdc(x.USDC()) {
			return differs
		}
	}
	for _, a := range o.Authorizations {
		x, ok := signed[a.Fingerprint]
		delete(signed, a.Fingerprint)
		if !ok || x.Transaction != nil || x.Digest != a.Digest || a.AmountUSDC != usdc(x.USDC()) ||
			!a.says(x.Authorization) {
			return differs
		}
	}
	return nil
}

// nonceOf is a nonce as the enclave writes it, which has none for a network without nonces.
func nonceOf(nonce *uint64) string {
	if nonce == nil {
		return ""
	}
	return decimal(*nonce)
}

// heightOf is a last height in the same way: there is none where a transaction has a nonce, or can always be sent.
func heightOf(height *int64) string {
	if height == nil {
		return ""
	}
	return strconv.FormatInt(*height, 10)
}

// millisOf is an instant as the enclave writes when a transaction ends.
func millisOf(iso *string) string {
	if iso == nil {
		return ""
	}
	at, err := time.Parse(time.RFC3339, *iso)
	if err != nil {
		return *iso
	}
	return strconv.FormatInt(at.UnixMilli(), 10)
}

func (a OutstandingAuthorization) says(w *wire.Authorization) bool {
	ends := ""
	if a.EndsAt != nil {
		ends = *a.EndsAt
	}
	if w == nil {
		return a.Contract == "" && ends == ""
	}
	return a.Type == w.Type && a.Network == w.Chain && a.From == w.SignWith && a.Contract == w.Contract &&
		slices.Equal(a.Nonces, w.Nonces) &&
		ends == w.EndsAt && slices.Equal(a.Effects, w.Effects)
}

// usdc writes an amount in the smallest unit of USDC.
func usdc(micro *big.Int) string { return chain.FormatUnits(micro, 6) }

func sameMined(w []wire.MinedNonce, all []MinedNonce) bool {
	return slices.EqualFunc(w, all, func(w wire.MinedNonce, m MinedNonce) bool {
		return w.Chain == m.Network && w.Address == m.Address && w.Nonce == decimal(m.Nonce)
	})
}

func sameFinalized(w []wire.FinalizedHeight, all []FinalizedHeight) bool {
	return slices.EqualFunc(w, all, func(w wire.FinalizedHeight, f FinalizedHeight) bool {
		return w.Chain == f.Network && w.Height == strconv.FormatInt(f.Height, 10)
	})
}
