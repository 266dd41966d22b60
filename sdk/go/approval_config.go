package railkit

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"github.com/railkit/railkit/enclave/wire"
)

const approvalConfigPath = "/v1/signing/approval-config"

// ApprovalConfigRequest changes when others have to agree. Nil fields stay.
type ApprovalConfigRequest struct {
	Enabled           *bool           `json:"enabled,omitempty"`
	ThresholdUSD      json.Number     `json:"thresholdUsd,omitempty"`      // what costs more waits for votes
	RequiredApprovers int             `json:"requiredApprovers,omitempty"` // distinct users; 0: as it is
	IncludeMessages   *bool           `json:"includeMessages,omitempty"`   // every message waits for votes, also one that costs nothing
	SubOrganizationID string          `json:"subOrganizationId,omitempty"`
	SignedActivity    *SignedActivity `json:"signedActivity,omitempty"`
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

// GetApprovalConfig reads the configuration, with the enclave's word of now.
func (c *Client) GetApprovalConfig(ctx context.Context, subOrganizationID string) (*ApprovalConfig, error) {
	q := url.Values{"proof": {"fresh"}}
	if subOrganizationID != "" {
		q.Set("subOrganizationId", subOrganizationID)
	}
	r, err := send[ApprovalConfig](ctx, c, request{method: http.MethodGet, path: approvalConfigPath, query: q})
	if err != nil {
		return nil, err
	}
	if c.verify == nil {
		return &r.Data, nil
	}
	st, err := c.verify.fresh(r.Data.Proof, r.Floor)
	if err != nil {
		return nil, err
	}
	return checked(&r.Data, matchConfig(&r.Data, st.State.ApprovalConfig, st.OrganizationID))
}

// PrepareApprovalConfig gives what to stamp for another configuration.
func (c *Client) PrepareApprovalConfig(ctx context.Context, req ApprovalConfigRequest) (*Prepared, error) {
	return configChange(req).prepare(ctx, c, req, func(body *wire.Body, _ *Preview) error {
		var params wire.ApprovalConfig
		if err := readParams(body, &params); err != nil {
			return err
		}
		return req.match(params)
	})
}

// UpdateApprovalConfig changes the configuration. What only asks for more consent
// happens without a stamp.
func (c *Client) UpdateApprovalConfig(ctx context.Context, req ApprovalConfigRequest) (*ApprovalConfig, error) {
	return makeChange(ctx, c, configChange(req), req, req.SignedActivity, (*ApprovalConfig).proof, func(a *ApprovalConfig, st *opened) error {
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
	return change{method: http.MethodPatch, path: approvalConfigPath, kind: wire.UpdateApprovalConfig, sub: req.SubOrganizationID}
}

func (req ApprovalConfigRequest) match(w wire.ApprovalConfig) error {
	if req.IncludeMessages != nil && *req.IncludeMessages != w.IncludeMessages || req.Enabled != nil && *req.Enabled != w.Enabled || req.ThresholdUSD != "" && string(req.ThresholdUSD) != w.ThresholdUSD ||
		req.RequiredApprovers != 0 && strconv.Itoa(req.RequiredApprovers) != w.RequiredApprovers {
		return tampered(ReasonBody, "the configuration is another than was asked for")
	}
	return nil
}

func matchConfig(a *ApprovalConfig, w *wire.ApprovalConfig, subOrganizationID string) error {
	if w == nil || a.SubOrganizationID != subOrganizationID || a.Enabled != w.Enabled || a.IncludeMessages != w.IncludeMessages || string(a.ThresholdUSD) != w.ThresholdUSD ||
		strconv.Itoa(a.RequiredApprovers) != w.RequiredApprovers {
		return tampered(ReasonResult, "the configuration is another than the enclave's")
	}
	return nil
}
