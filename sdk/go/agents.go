package railkit

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/rest"
)

const agentsPath = "/v1/agents"

// AgentsService reads what agents may do.
type AgentsService struct{ c *Client }

// What the calls send and answer: see package rest for the fields.
type (
	AgentState          = rest.AgentState
	AgentRequest        = rest.PrepareAgentRequest
	AgentBudget         = rest.AgentAmounts
	AgentReach          = rest.AgentReach
	AgentBudgetStatus   = rest.AgentBudget
	AgentBudgetLayers   = rest.AgentBudgetLayers
	AgentBudgetLayer    = rest.AgentBudgetLayer
	AgentPaymentsBudget = rest.AgentPaymentsBudget
	ReportedEvents      = rest.ReportedEvents
	ReportedEvent       = rest.ReportedEvent
	AgentAnalytics      = rest.AgentAnalytics
	AgentActivity       = rest.AgentActivity
	AgentUsage          = rest.AgentUsage
	AgentLayerUsage     = rest.AgentLayerUsage
	AgentDay            = rest.AgentDay
	AgentAuditEntry     = rest.AgentAuditEntry
	AuditActor          = rest.AuditActor
	AgentAddress        = rest.AgentAddress
)

// Status tells what an agent of the workspace may do.
func (s *AgentsService) Status(ctx context.Context, agentID string) (*AgentState, error) {
	return data[AgentState](ctx, s.c, http.MethodGet, "/v1/agents/"+url.PathEscape(agentID)+"/status", nil)
}

func agentPath(agentID, path string) string { return agentsPath + "/" + url.PathEscape(agentID) + path }

// PreparedAgent waits for the stamp that makes the agent.
type PreparedAgent struct {
	AgentRequestID string `json:"agentRequestId"`
	Prepared
}

// PreparedAgentPolicies waits for the stamp that gives an agent its limits and its secret.
type PreparedAgentPolicies struct {
	AgentID           string `json:"agentId"`
	PoliciesRequestID string `json:"policiesRequestId"`
	Prepared
	Proof *Proof `json:"proof,omitempty"` // of ConfirmUser: the enclave's, that it made the agent
}

// AgentChange is an agent as it stands after a change.
type AgentChange struct {
	AgentID    string      `json:"agentId"`
	Name       string      `json:"name"`
	Status     string      `json:"status"` // pending_policies | active | draining | suspended | killed
	KillSwitch bool        `json:"killSwitch"`
	Limits     *AgentRules `json:"limits,omitempty"`
	Proof      *Proof      `json:"proof"`

	// Of an activation and of a rotation: shown once, in one of the two forms.
	AgentSecret  string             `json:"agentSecret,omitempty"`
	SealedSecret *wire.SealedSecret `json:"sealedSecret,omitempty"`
}

func (a *AgentChange) proof() *Proof { return a.Proof }

// AgentRules are all limits of an agent.
type AgentRules struct {
	AgentBudget
	AgentReach
}

// Agent is an agent as it stands.
type Agent struct {
	ID                string      `json:"id"`
	Name              string      `json:"name"`
	Description       string      `json:"description,omitempty"`
	Status            string      `json:"status"`
	KillSwitch        bool        `json:"killSwitch"`
	AllStopped        bool        `json:"allStopped"` // by the kill switch of its sub-organization
	SubOrganizationID string      `json:"subOrganizationId"`
	WalletID          string      `json:"walletId,omitempty"`
	WalletAddress     string      `json:"walletAddress,omitempty"` // its first
	Limits            *AgentRules `json:"limits,omitempty"`
	CreatedAt         string      `json:"createdAt"`
	rest.AgentAddresses

	// The enclave's statement with the newest sealed secret: Client.VerifyProof opens it, OpenAgentSecret reads it.
	SecretProof *Proof `json:"secretProof,omitempty"`
}

// Create makes an agent in both rounds, each verified and stamped. Where it fails after the first, the error names the
// agent: PreparePolicies goes on with it, Delete takes it away.
func (s *AgentsService) Create(ctx context.Context, pk Passkey, req AgentRequest) (*AgentChange, error) {
	p, err := s.Prepare(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("preparing an agent: %w", err)
	}
	signed, err := stamp(pk, p.Prepared)
	if err != nil {
		return nil, err
	}
	ctx = withoutKey(ctx)
	next, err := s.ConfirmUser(ctx, p.AgentRequestID, req, signed)
	if err != nil {
		return nil, err
	}
	if signed, err = stamp(pk, next.Prepared); err != nil {
		return nil, fmt.Errorf("agent %s waits for its limits: %w", next.AgentID, err)
	}
	made, err := s.ConfirmPolicies(ctx, next.PoliciesRequestID, signed)
	if err != nil {
		return nil, fmt.Errorf("agent %s waits for its limits: %w", next.AgentID, err)
	}
	return made, nil
}

// Prepare gives what to stamp for a new agent.
func (s *AgentsService) Prepare(ctx context.Context, req AgentRequest) (*PreparedAgent, error) {
	ask := request{method: http.MethodPost, path: agentsPath + "/prepare", body: req}
	return prepare[PreparedAgent](ctx, s.c, ask, wire.CreateAgent, func(body *wire.Body, _ *Preview) error {
		var params wire.CreateAgentParams
		if err := readParams(body, &params); err != nil {
			return err
		}
		if params.AgentName != req.Name || !matchOrganization(body, req.SubOrganizationID) {
			return tampered(ReasonBody, "the body makes another agent than was asked for")
		}
		return s.c.matchNetworks(params.Networks, req)
	})
}

// matchNetworks holds the networks that the wallet of a new agent is for against those on which it shall pay. Without
// any it is for EVM networks, which alone have chain ids.
func (c *Client) matchNetworks(is []string, req AgentRequest) error {
	asked, err := c.agentNetworks(req)
	if err != nil || slices.Equal(is, asked) {
		return err
	}
	numbered := req.AllowedChains == nil && req.ChainID != 0
	if is == nil && (numbered || !slices.ContainsFunc(asked, func(slug string) bool { return !c.isEVM(slug) })) {
		return nil
	}
	return tampered(ReasonBody, "the agent's wallet is for other networks than was asked for")
}

// isEVM reports whether a slug names EVM networks only: a client without an environment knows one in each.
func (c *Client) isEVM(slug string) bool {
	named := slices.DeleteFunc(slices.Clone(c.networks), func(n chain.Network) bool { return n.Slug != slug })
	return len(named) > 0 && len(chain.OfKind(chain.EVM, named)) == len(named)
}

// agentNetworks are those on which a new agent shall pay: where none is named, Solana.
func (c *Client) agentNetworks(req AgentRequest) ([]string, error) {
	switch {
	case req.AllowedChains != nil:
		return req.AllowedChains, nil
	case req.ChainID == 0:
		return []string{"solana"}, nil
	}
	n, err := c.network(req.ChainID, "")
	return []string{n.Slug}, err
}

// ConfirmUser hands in the stamp that makes the agent, and gives what to stamp for its limits: those of the request.
func (s *AgentsService) ConfirmUser(
	ctx context.Context, agentRequestID string, req AgentRequest, signed SignedActivity,
) (*PreparedAgentPolicies, error) {
	body := map[string]any{"agentRequestId": agentRequestID, "signedActivity": signed}
	if req.ReturnURL != "" {
		body["returnUrl"], body["state"] = req.ReturnURL, req.State
	}
	p, err := s.policies(ctx, req, request{method: http.MethodPost, path: agentsPath + "/confirm-user", body: body})
	if err != nil || s.c.verify == nil {
		return p, err
	}
	if p.Proof == nil {
		return nil, tampered(ReasonResult, "there is no proof that the agent was made")
	}
	st, err := s.c.VerifyProof(*p.Proof)
	if err != nil {
		return nil, err
	}
	if st.Result == nil || st.Result.Agent == nil || st.Result.Agent.ID != p.AgentID ||
		st.Fingerprint != "sha256:"+Challenge(signed.Body) {
		return nil, tampered(ReasonResult, "the answer is about another agent than was made")
	}
	return p, nil
}

// PreparePolicies gives what to stamp for an agent's limits again. They are those of the request that made it.
func (s *AgentsService) PreparePolicies(
	ctx context.Context, agentID string, req AgentRequest,
) (*PreparedAgentPolicies, error) {
	path := agentsPath + "/" + url.PathEscape(agentID) + "/prepare-policies"
	return s.policies(ctx, req, request{method: http.MethodPost, path: path, body: req.ReturnTo})
}

func (s *AgentsService) policies(
	ctx context.Context, req AgentRequest, ask request,
) (*PreparedAgentPolicies, error) {
	return prepare[PreparedAgentPolicies](ctx, s.c, ask, wire.ActivateAgent, func(body *wire.Body, _ *Preview) error {
		var params wire.ActivateAgentParams
		if err := readParams(body, &params); err != nil {
			return err
		}
		if params.RecipientPublicKey != req.RecipientPublicKey {
			return tampered(ReasonBody, "the secret is for another recipient than was asked for")
		}
		return s.matchNew(params.Limits, req)
	})
}

// matchNew holds the limits of an activation against those that were asked for, with what the API adds to them.
func (s *AgentsService) matchNew(l wire.AgentLimits, req AgentRequest) error {
	var err error
	if req.AllowedChains, err = s.c.agentNetworks(req); err != nil {
		return err
	}
	b := &req.Budget
	b.PerTxUSDC = cmp.Or(b.PerTxUSDC, b.PaymentsMonthlyUSDC)
	b.ApprovalThresholdUSDC = cmp.Or(b.ApprovalThresholdUSDC, b.PerTxUSDC)
	b.MaxFeeUSD = cmp.Or(b.MaxFeeUSD, "1")
	if len(req.AllowedRecipients) == 0 && !req.AnyRecipient {
		req.PayeesOnly = true
	}
	if req.AllowedHosts == nil {
		req.AllowedHosts = []string{} // nothing was asked for: none
	}
	req.MaxWallets = cmp.Or(req.MaxWallets, new(int))
	req.RequireHTTPSignature = cmp.Or(req.RequireHTTPSignature, new(bool))
	return matchAgentLimits(l, req.Budget, req.AgentReach)
}

// sameHost says whether a host that was asked for is the one that the limits have.
func sameHost(has, asked string) bool { return has == wire.ListedHost(asked) }

// matchAgentLimits holds limits against those that were asked for, as far as these name them.
func matchAgentLimits(l wire.AgentLimits, b AgentBudget, r AgentReach) error {
	for _, f := range []struct {
		name, is string
		asked    Number
	}{
		{"infraMonthlyUsd", l.InfraMonthlyUSD, b.InfraMonthlyUSD},
		{"tokensMonthlyUsd", l.TokensMonthlyUSD, b.TokensMonthlyUSD},
		{"paymentsMonthlyUsdc", l.PaymentsMonthlyUSDC, b.PaymentsMonthlyUSDC},
		{"perTxUsdc", l.PerTxUSDC, b.PerTxUSDC},
		{"approvalThresholdUsdc", l.ApprovalThresholdUSDC, b.ApprovalThresholdUSDC},
		{"maxFeeUsd", l.MaxFeeUSD, b.MaxFeeUSD},
	} {
		if f.asked != "" && f.is != string(f.asked) {
			return tampered(ReasonBody, "%s is %s, and %s was asked for", f.name, f.is, f.asked)
		}
	}
	whom := len(r.AllowedRecipients) > 0 || r.PayeesOnly || r.AnyRecipient
	if r.AllowedChains != nil && !slices.Equal(l.AllowedChains, r.AllowedChains) ||
		whom && (l.PayeesOnly != r.PayeesOnly || l.AnyRecipient != r.AnyRecipient ||
			!slices.EqualFunc(l.AllowedRecipients, r.AllowedRecipients, sameAddress)) ||
		r.RequireHTTPSignature != nil && l.RequireHTTPSignature != *r.RequireHTTPSignature ||
		r.MaxWallets != nil && intOrZero(l.MaxWallets) != *r.MaxWallets ||
		r.AllowedHosts != nil && !slices.EqualFunc(l.AllowedHosts, r.AllowedHosts, sameHost) ||
		r.PayeeCoolingHours != 0 && intOrZero(l.PayeeCoolingHours) != r.PayeeCoolingHours {
		return tampered(ReasonBody, "the agent pays on other networks, to others at other hosts or in other ways than was asked for")
	}
	return nil
}

// ConfirmPolicies hands in the stamp that activates the agent. The answer has its secret.
func (s *AgentsService) ConfirmPolicies(
	ctx context.Context, policiesRequestID string, signed SignedActivity,
) (*AgentChange, error) {
	ch := change{method: http.MethodPost, path: agentsPath + "/confirm-policies", kind: wire.ActivateAgent}
	body := map[string]any{"policiesRequestId": policiesRequestID, "signedActivity": signed}
	return makeChange(ctx, s.c, ch, body, &signed, (*AgentChange).proof, matchAgentChange(""))
}

// matchAgentChange holds an answer against the enclave's result, and against the agent that was asked about.
func matchAgentChange(agentID string) func(*AgentChange, *opened) error {
	return func(a *AgentChange, st *opened) error {
		is := st.Result.Agent
		if is == nil || is.ID != a.AgentID || string(is.Status) != a.Status || agentID != "" && is.ID != agentID {
			return tampered(ReasonResult, "the answer is another agent than the enclave's")
		}
		return nil
	}
}

// Delete takes away an agent that was never activated.
func (s *AgentsService) Delete(ctx context.Context, agentID string) (*AgentChange, error) {
	return makeChange(ctx, s.c, deleting(agentsPath, agentID, wire.DeleteAgent), nil, nil, (*AgentChange).proof,
		matchAgentChange(agentID))
}

// List lists agents, newest first.
func (s *AgentsService) List(ctx context.Context, o ListOptions) (*Page[Agent], error) {
	return list[Agent](ctx, s.c, agentsPath, o.query(), func(*Agent) error { return nil })
}

// All goes through all pages.
func (s *AgentsService) All(ctx context.Context, o ListOptions) iter.Seq2[Agent, error] {
	return each(o, func(o ListOptions) (*Page[Agent], error) { return s.List(ctx, o) })
}

// Get finds an agent.
func (s *AgentsService) Get(ctx context.Context, agentID string) (*Agent, error) {
	return data[Agent](ctx, s.c, http.MethodGet, agentsPath+"/"+url.PathEscape(agentID), nil)
}

// AgentBudgetChange changes some of an agent's limits.
type AgentBudgetChange struct {
	AgentBudget
	AgentReach
	SignedActivity *SignedActivity `json:"signedActivity,omitempty"`
	ReturnTo
}

func changing(method, agentID, path string, kind wire.ActivityType) change {
	return change{method: method, path: agentsPath + "/" + url.PathEscape(agentID) + path, kind: kind}
}

// PrepareBudget gives what to stamp for other limits. Lower ones need no stamp.
func (s *AgentsService) PrepareBudget(ctx context.Context, agentID string, req AgentBudgetChange) (*Prepared, error) {
	ch := changing(http.MethodPost, agentID, "/budget", wire.SetAgentLimits)
	return ch.prepare(ctx, s.c, req, func(body *wire.Body, _ *Preview) error {
		var params wire.SetAgentLimitsParams
		if err := readParams(body, &params); err != nil {
			return err
		}
		if params.AgentID != agentID {
			return tampered(ReasonBody, "the body is for another agent")
		}
		return matchAgentLimits(params.Limits, req.AgentBudget, req.AgentReach)
	})
}

// SetBudget changes an agent's limits.
func (s *AgentsService) SetBudget(ctx context.Context, agentID string, req AgentBudgetChange) (*AgentChange, error) {
	return makeChange(ctx, s.c, changing(http.MethodPost, agentID, "/budget", wire.SetAgentLimits), req,
		req.SignedActivity, (*AgentChange).proof, matchAgentChange(agentID))
}

// AgentStatusChange sets an agent's status.
type AgentStatusChange struct {
	Status         string          `json:"status"` // active | suspended | draining | killed
	SignedActivity *SignedActivity `json:"signedActivity,omitempty"`
	ReturnTo
}

// PrepareStatus gives what to stamp for another status. Only going back towards active needs a stamp.
func (s *AgentsService) PrepareStatus(
	ctx context.Context, agentID, status string, back ...ReturnTo,
) (*Prepared, error) {
	ch := changing(http.MethodPatch, agentID, "/status", wire.SetAgentStatus)
	asked := AgentStatusChange{Status: status}
	if len(back) > 0 {
		asked.ReturnTo = back[0]
	}
	return ch.prepare(ctx, s.c, asked, func(body *wire.Body, _ *Preview) error {
		var params wire.SetAgentStatusParams
		if err := readParams(body, &params); err != nil {
			return err
		}
		if params.AgentID != agentID || string(params.Status) != status {
			return tampered(ReasonBody, "the body is for another agent or status")
		}
		return nil
	})
}

// SetStatus halts an agent, lets it go on, or ends it.
func (s *AgentsService) SetStatus(ctx context.Context, agentID string, req AgentStatusChange) (*AgentChange, error) {
	return makeChange(ctx, s.c, changing(http.MethodPatch, agentID, "/status", wire.SetAgentStatus), req,
		req.SignedActivity, (*AgentChange).proof, matchAgentChange(agentID))
}

// Pause halts an agent. SetStatus lets it go on.
func (s *AgentsService) Pause(ctx context.Context, agentID string) (*AgentChange, error) {
	return s.bare(ctx, agentID, "/pause")
}

// Kill ends an agent, for good.
func (s *AgentsService) Kill(ctx context.Context, agentID string) (*AgentChange, error) {
	return s.bare(ctx, agentID, "/kill")
}

func (s *AgentsService) bare(ctx context.Context, agentID, path string) (*AgentChange, error) {
	return makeChange(ctx, s.c, changing(http.MethodPost, agentID, path, wire.SetAgentStatus), nil, nil,
		(*AgentChange).proof, matchAgentChange(agentID))
}

// AgentRotation asks for a new secret.
type AgentRotation struct {
	RecipientPublicKey string          `json:"recipientPublicKey,omitempty"` // see AgentRecipient
	SignedActivity     *SignedActivity `json:"signedActivity,omitempty"`
	ReturnTo
}

// PrepareRotation gives what to stamp for a new secret.
func (s *AgentsService) PrepareRotation(ctx context.Context, agentID string, req AgentRotation) (*Prepared, error) {
	ch := changing(http.MethodPost, agentID, "/rotate", wire.RotateAgentSecret)
	return ch.prepare(ctx, s.c, req, func(body *wire.Body, _ *Preview) error {
		var params wire.RotateAgentSecretParams
		if err := readParams(body, &params); err != nil {
			return err
		}
		if params.AgentID != agentID || params.RecipientPublicKey != req.RecipientPublicKey {
			return tampered(ReasonBody, "the body is for another agent or recipient")
		}
		return nil
	})
}

// Rotate ends an agent's secret at once, and makes another one.
func (s *AgentsService) Rotate(ctx context.Context, agentID string, req AgentRotation) (*AgentChange, error) {
	return makeChange(ctx, s.c, changing(http.MethodPost, agentID, "/rotate", wire.RotateAgentSecret), req,
		req.SignedActivity, (*AgentChange).proof, matchAgentChange(agentID))
}

// KillSwitchChange stops the payments of all agents of a sub-organization, or allows them again.
type KillSwitchChange struct {
	SubOrganizationID string          `json:"subOrganizationId,omitempty"`
	On                bool            `json:"on"`
	SignedActivity    *SignedActivity `json:"signedActivity,omitempty"`
	ReturnTo
}

// KillSwitch is the switch as it stands.
type KillSwitch struct {
	SubOrganizationID string `json:"subOrganizationId"`
	On                bool   `json:"on"`
	Proof             *Proof `json:"proof"`
}

var killSwitch = change{method: http.MethodPost, path: agentsPath + "/kill-switch", kind: wire.SetKillSwitch}

// PrepareKillSwitch gives what to stamp to let the agents pay again.
func (s *AgentsService) PrepareKillSwitch(ctx context.Context, req KillSwitchChange) (*Prepared, error) {
	ch := killSwitch
	ch.sub = req.SubOrganizationID
	return ch.prepare(ctx, s.c, req, func(body *wire.Body, _ *Preview) error {
		var params wire.SetKillSwitchParams
		if err := readParams(body, &params); err != nil {
			return err
		}
		if params.On != req.On {
			return tampered(ReasonBody, "the body turns the switch the other way")
		}
		return nil
	})
}

// SetKillSwitch turns the switch. Stopping needs no stamp.
func (s *AgentsService) SetKillSwitch(ctx context.Context, req KillSwitchChange) (*KillSwitch, error) {
	return makeChange(ctx, s.c, killSwitch, req, req.SignedActivity, func(k *KillSwitch) *Proof { return k.Proof },
		func(k *KillSwitch, st *opened) error {
			if st.Result.KillSwitch == nil || *st.Result.KillSwitch != k.On || k.On != req.On {
				return tampered(ReasonResult, "the answer is not the enclave's switch")
			}
			return nil
		})
}
