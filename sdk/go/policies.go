package railkit

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/railkit/railkit/enclave/wire"
)

const policiesPath = "/v1/signing/policies"

// PolicyRules are what a policy asks of each signing of its wallet. What is absent
// does not restrict. Amounts are numbers of USD, digit by digit.
type PolicyRules struct {
	MaxValueUSD         json.Number       `json:"maxValueUsd,omitempty"` // of one transaction, its highest fee included
	DailyUSD            json.Number       `json:"dailyUsd,omitempty"`
	MonthlyUSD          json.Number       `json:"monthlyUsd,omitempty"`
	AllowedDestinations []string          `json:"allowedDestinations,omitempty"`
	AllowedChains       []string          `json:"allowedChains,omitempty"` // slugs
	AllowedTokens       []string          `json:"allowedTokens,omitempty"` // symbols, or addresses of contracts
	AllowedContracts    []AllowedContract `json:"allowedContracts,omitempty"`
	AllowRawDigests     bool              `json:"allowRawDigests,omitempty"`
	Delegation          *Delegation       `json:"delegation,omitempty"`
}

// AllowedContract names functions of a contract that may be called.
type AllowedContract = wire.AllowedContract

// Delegation lets a wallet sign without a passkey, within its bounds.
type Delegation struct {
	PublicKey           string      `json:"publicKey,omitempty"`          // P-256, compressed hex; needed unless AnyRequest is true
	AnyRequest          bool        `json:"anyRequest,omitempty"`         // any request of the server: whoever takes it over signs within the limits
	ExpiresAt           string      `json:"expiresAt"`                    // ISO 8601, at most 90 days ahead
	MaxValiditySeconds  int         `json:"maxValiditySeconds,omitempty"` // of typed data, up to 86400; 0: 4 hours
	MaxValueUSD         json.Number `json:"maxValueUsd"`
	DailyUSD            json.Number `json:"dailyUsd"`
	AllowedDestinations []string    `json:"allowedDestinations"`
}

// PolicyRequest makes a policy.
type PolicyRequest struct {
	Name           string          `json:"name"`
	WalletID       string          `json:"walletId"`
	Rules          PolicyRules     `json:"rules"`
	SignedActivity *SignedActivity `json:"signedActivity,omitempty"`
}

// RulesPatch changes rules by their JSON names: a value takes the place of what was
// there, nil takes it away, and what is not named stays.
type RulesPatch map[string]any

// PolicyUpdate changes a policy.
type PolicyUpdate struct {
	Name           string          `json:"name,omitempty"`
	Rules          RulesPatch      `json:"rules,omitempty"`
	SignedActivity *SignedActivity `json:"signedActivity,omitempty"`
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

	Outstanding *Outstanding `json:"outstanding,omitempty"` // of a change that took a delegation away: what may still have an effect
}

func (p *Policy) proof() *Proof { return p.Proof }

// PreparePolicy gives what to stamp for a new policy. A bare CreatePolicy is enough
// for whatever has no delegation and allows no raw digests.
func (c *Client) PreparePolicy(ctx context.Context, req PolicyRequest) (*Prepared, error) {
	return creation.prepare(ctx, c, req, func(body *wire.Body, _ *Preview) error {
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

// CreatePolicy puts a policy on a wallet. WalletID is the enclave's id of it.
func (c *Client) CreatePolicy(ctx context.Context, req PolicyRequest) (*Policy, error) {
	return makeChange(ctx, c, creation, req, req.SignedActivity, (*Policy).proof, func(p *Policy, st *opened) error {
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

// PreparePolicyUpdate gives what to stamp for other rules.
func (c *Client) PreparePolicyUpdate(ctx context.Context, id string, req PolicyUpdate) (*Prepared, error) {
	return updating(id).prepare(ctx, c, req, func(body *wire.Body, _ *Preview) error {
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

// UpdatePolicy changes rules. What only lowers or shortens happens without a stamp.
func (c *Client) UpdatePolicy(ctx context.Context, id string, req PolicyUpdate) (*Policy, error) {
	return makeChange(ctx, c, updating(id), req, req.SignedActivity, (*Policy).proof, func(p *Policy, st *opened) error {
		if err := matchPolicy(p, st); err != nil {
			return err
		}
		if p.ID != id {
			return tampered(ReasonResult, "the answer is another policy than was asked for")
		}
		if err := c.verify.outstanding(p.Outstanding, id); err != nil {
			return err
		}
		return matchPatch(st.Result.Policy.Rules, req.Rules)
	})
}

// RenamePolicy changes a policy's name, which is the server's alone.
func (c *Client) RenamePolicy(ctx context.Context, id, name string) (*Policy, error) {
	r, err := send[Policy](ctx, c, request{method: http.MethodPatch, path: policiesPath + "/" + url.PathEscape(id), body: PolicyUpdate{Name: name}})
	if err != nil {
		return nil, err
	}
	return &r.Data, nil
}

// PreparePolicyDeletion gives what to stamp for the end of a policy.
func (c *Client) PreparePolicyDeletion(ctx context.Context, id string) (*Prepared, error) {
	return deleting(policiesPath, id, wire.DeletePolicy).prepare(ctx, c, nil, func(body *wire.Body, _ *Preview) error {
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

// DeletePolicy takes a policy away: by a stamp, or by votes.
func (c *Client) DeletePolicy(ctx context.Context, id string, signed *SignedActivity) (*Policy, error) {
	ch := deleting(policiesPath, id, wire.DeletePolicy)
	return makeChange(ctx, c, ch, signedBody(signed), signed, (*Policy).proof, func(p *Policy, st *opened) error {
		if p.ID != id {
			return tampered(ReasonResult, "the answer is another policy than was asked for")
		}
		if err := c.verify.outstanding(p.Outstanding, id); err != nil {
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

// ListPolicies reads one page of policies, as the server remembers them.
func (c *Client) ListPolicies(ctx context.Context, o PolicyListOptions) (*Page[Policy], error) {
	q := o.query()
	for name, value := range map[string]string{"walletId": o.WalletID, "subOrganizationId": o.SubOrganizationID} {
		if value != "" {
			q.Set(name, value)
		}
	}
	r, err := send[[]Policy](ctx, c, request{method: http.MethodGet, path: policiesPath, query: q})
	if err != nil {
		return nil, err
	}
	return &Page[Policy]{Items: r.Data, Meta: r.Meta}, nil
}

// EnforcedPolicies has the enclave say now which policies it holds a
// sub-organization to: the server can neither hide nor invent one.
func (c *Client) EnforcedPolicies(ctx context.Context, subOrganizationID string) ([]wire.Policy, error) {
	q := url.Values{"proof": {"fresh"}, "subOrganizationId": {subOrganizationID}}
	r, err := send[[]Policy](ctx, c, request{method: http.MethodGet, path: policiesPath, query: q})
	if err != nil {
		return nil, err
	}
	if c.verify == nil {
		return nil, tampered(ReasonProof, "this client has no key to check it with")
	}
	st, err := c.verify.fresh(r.Meta.Proof, r.Floor)
	if err != nil {
		return nil, err
	}
	if st.OrganizationID != subOrganizationID || st.State.ApprovalConfig == nil {
		return nil, tampered(ReasonResult, "the enclave's statement is about something else")
	}
	return st.State.Policies, nil
}

// Denial is what a rule refused to a wallet.
type Denial struct {
	ID            string `json:"id"`
	Layer         string `json:"layer"` // enclave | platform
	Rule          string `json:"rule"`
	Severity      string `json:"severity"`
	Detail        string `json:"detail"`
	Field         string `json:"field"`
	Observed      string `json:"observed"`
	Limit         string `json:"limit"`
	PolicyID      string `json:"policyId,omitempty"`
	TransactionID string `json:"transactionId,omitempty"`
	WalletID      string `json:"walletId"`
	Timestamp     string `json:"timestamp"`
}

// ListDenials reads one page of what rules refused to a wallet, newest first.
func (c *Client) ListDenials(ctx context.Context, walletID string, o ListOptions) (*Page[Denial], error) {
	r, err := send[[]Denial](ctx, c, request{
		method: http.MethodGet, path: "/v1/signing/wallets/" + url.PathEscape(walletID) + "/denials", query: o.query(),
	})
	if err != nil {
		return nil, err
	}
	return &Page[Denial]{Items: r.Data, Meta: r.Meta}, nil
}
