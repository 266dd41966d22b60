package signing

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
)

// Policy is the server's memory of a policy that the enclave enforces. Only its
// name is the server's own.
type Policy struct {
	WorkspaceID, ID   string
	SubOrganizationID string
	WalletID          string // local id
	Name              string
	Policy            wire.Policy
	Proof             string // JSON of wire.Proof
	Seq               int64  // of the entry of the enclave's journal that it rests on
	Deleted           bool
	CreatedAt         time.Time
}

// PolicyFilter selects policies that stand, newest first. Zero fields do not filter.
type PolicyFilter struct {
	WorkspaceID       string
	SubOrganizationID string
	WalletID          string // local id
	Page              Page
}

// PolicyInput is a new policy.
type PolicyInput struct {
	Name           string   `json:"name" minLength:"1" maxLength:"100"`
	WalletID       string   `json:"walletId" minLength:"1" maxLength:"64"`
	Rules          Rules    `json:"rules"`
	SignedActivity *Stamped `json:"signedActivity,omitempty" doc:"What prepare=true answered, stamped"`
}

// PolicyChange changes a policy.
type PolicyChange struct {
	Name           string      `json:"name,omitempty" minLength:"1" maxLength:"100" doc:"The server's alone: changing only this needs no stamp"`
	Rules          *RulesPatch `json:"rules,omitempty" doc:"Members that are named replace those of the policy, null takes one away; the others stay"`
	SignedActivity *Stamped    `json:"signedActivity,omitempty" doc:"What prepare=true answered, stamped"`
}

// StampInput is all that a DELETE may carry.
type StampInput struct {
	SignedActivity *Stamped `json:"signedActivity,omitempty" doc:"What prepare=true answered, stamped"`
}

// CreatePolicy puts a policy on a wallet.
func (s *Service) CreatePolicy(ctx context.Context, cmd *command.Command, in PolicyInput, prepare bool) (command.Answer, error) {
	w, sub, err := s.walletOwner(ctx, cmd.Principal.WorkspaceID, in.WalletID)
	if err != nil {
		return command.Answer{}, err
	}
	rules, err := in.Rules.wire()
	if err != nil {
		return command.Answer{}, err
	}
	c := s.changes()[wire.CreatePolicy]
	c.sub, c.wallet, c.name, c.url = sub, w.ID, in.Name, policiesURL
	c.params = wire.CreatePolicyParams{WalletID: w.EnclaveID, Rules: rules}
	return s.do(ctx, cmd, c, Stamping{prepare, in.SignedActivity})
}

const policiesURL = "/v1/signing/policies"

func (s *Service) walletOwner(ctx context.Context, workspaceID, id string) (Wallet, SubOrganization, error) {
	w, err := s.store.Wallet(ctx, workspaceID, id)
	if err != nil {
		return w, SubOrganization{}, err
	}
	sub, err := s.store.SubOrganization(ctx, workspaceID, w.SubOrganizationID)
	return w, sub, err
}

// UpdatePolicy changes a policy's name, which is free, or its rules.
func (s *Service) UpdatePolicy(ctx context.Context, cmd *command.Command, id string, in PolicyChange, prepare bool) (command.Answer, error) {
	how := Stamping{prepare, in.SignedActivity}
	p, err := s.policy(ctx, cmd.Principal.WorkspaceID, id, how)
	if err != nil {
		return command.Answer{}, err
	}
	if in.Rules == nil {
		return s.renamePolicy(ctx, cmd, p, in.Name, how)
	}
	before, err := s.rulesBefore(ctx, p, how)
	if err != nil {
		return command.Answer{}, err
	}
	next, err := in.Rules.applied(rulesOf(before))
	if err != nil {
		return command.Answer{}, err
	}
	rules, err := next.wire()
	if err != nil {
		return command.Answer{}, err
	}
	c := s.policyChange(wire.UpdatePolicy, p, in.Name)
	c.params = wire.UpdatePolicyParams{PolicyID: p.ID, Rules: rules}
	return s.do(ctx, cmd, c, how)
}

// DeletePolicy takes a policy away.
func (s *Service) DeletePolicy(ctx context.Context, cmd *command.Command, id string, in StampInput, prepare bool) (command.Answer, error) {
	how := Stamping{prepare, in.SignedActivity}
	p, err := s.policy(ctx, cmd.Principal.WorkspaceID, id, how)
	if err != nil {
		return command.Answer{}, err
	}
	c := s.policyChange(wire.DeletePolicy, p, "")
	c.params = wire.DeletePolicyParams{PolicyID: p.ID}
	return s.do(ctx, cmd, c, how)
}

func (s *Service) policyChange(kind wire.ActivityType, p Policy, name string) change {
	c := s.changes()[kind]
	c.sub, c.wallet, c.name = SubOrganization{WorkspaceID: p.WorkspaceID, ID: p.SubOrganizationID}, p.WalletID, name
	c.url = policiesURL + "/" + p.ID
	return c
}

// policy finds one that stands. Who stamps may be asking again for what was done
// already, and gets its first answer.
func (s *Service) policy(ctx context.Context, workspaceID, id string, how Stamping) (Policy, error) {
	p, err := s.store.Policy(ctx, workspaceID, id)
	if err == nil && p.Deleted && how.SignedActivity == nil {
		return p, fault.Missing("Policy")
	}
	return p, err
}

// rulesBefore are the rules that a change starts from: those in the enclave. What
// comes stamped names all of the rules itself, and is held against the call only in
// what the call names, so that the same call may come again once it is done.
func (s *Service) rulesBefore(ctx context.Context, p Policy, how Stamping) (wire.Rules, error) {
	if how.SignedActivity != nil {
		var params wire.UpdatePolicyParams
		err := stampedParams(how.SignedActivity, &params)
		return params.Rules, err
	}
	st, _, err := s.enforced(ctx, p.SubOrganizationID)
	if err != nil {
		return wire.Rules{}, err
	}
	for _, have := range st.State.Policies {
		if have.ID == p.ID {
			return have.Rules, nil
		}
	}
	return wire.Rules{}, fault.Missing("Policy")
}

func stampedParams(in *Stamped, params any) error {
	var body wire.Body
	if json.Unmarshal([]byte(in.Body), &body) != nil || json.Unmarshal(body.Parameters, params) != nil {
		return ErrStampedBody
	}
	return nil
}

func (s *Service) renamePolicy(ctx context.Context, cmd *command.Command, p Policy, name string, how Stamping) (command.Answer, error) {
	switch {
	case name == "":
		return command.Answer{}, fault.Field("rules", "is required where there is no name")
	case how.Prepare:
		return command.Answer{}, fault.Field("prepare", "must not be given for a name, which needs no stamp")
	case how.SignedActivity != nil:
		return command.Answer{}, fault.Field("signedActivity", "must not be given for a name, which needs no stamp")
	}
	before := p.title()
	p.Name = name
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{Status: 200, Data: p.view(), Audit: command.Audit{
			Action: "policy.rename", Resource: p.ID, Before: map[string]any{"name": before}, After: map[string]any{"name": name},
		}}, tx.RenamePolicy(ctx, p.WorkspaceID, p.ID, name)
	})
}

// policyOf reads a policy out of what the enclave did.
func policyOf(a Activity, out client.Outcome) (Policy, error) {
	r := out.Statement.Result
	if r == nil || r.Policy == nil {
		return Policy{}, errors.New("the enclave's answer about a policy names none")
	}
	p, err := policyFrom(*r.Policy, out.Statement, out.Proof)
	p.WorkspaceID, p.WalletID, p.Name = a.WorkspaceID, a.WalletID, a.Name
	p.Deleted = wire.ActivityType(a.Kind) == wire.DeletePolicy
	return p, err
}

func policyFrom(w wire.Policy, st wire.Statement, proof wire.Proof) (Policy, error) {
	created, err := time.Parse(time.RFC3339, w.CreatedAt)
	if err != nil {
		return Policy{}, fmt.Errorf("reading a policy's time: %w", err)
	}
	seq, raw, err := entryOf(st, proof)
	return Policy{ID: w.ID, SubOrganizationID: st.OrganizationID, Policy: w, Proof: raw, Seq: seq, CreatedAt: created}, err
}

// entryOf is where in the journal a statement stands, and its proof as it is kept.
func entryOf(st wire.Statement, proof wire.Proof) (seq int64, raw string, err error) {
	if seq, err = strconv.ParseInt(st.Seq, 10, 64); err != nil {
		return 0, "", fmt.Errorf("reading the seq of a statement: %w", err)
	}
	raw, err = text(proof)
	return seq, raw, err
}

// finishPolicy writes what the enclave did. Of two changes at once the enclave's
// order counts and not that of the commits.
func (s *Service) finishPolicy(ctx context.Context, tx Tx, a Activity, out client.Outcome) error {
	p, err := policyOf(a, out)
	if err != nil {
		return err
	}
	if err := tx.KeepPolicy(ctx, p); err != nil {
		return err
	}
	return s.done(ctx, tx, a)
}

func (s *Service) policyMade(ctx context.Context, a Activity, out client.Outcome) (any, error) {
	p, err := policyOf(a, out)
	if err != nil {
		return nil, err
	}
	known, err := s.knownPolicy(ctx, p)
	if err != nil {
		return nil, err
	}
	p.Name = cmp.Or(p.Name, known.Name)
	v := p.view()
	v.Outstanding = s.afterRevoking(ctx, a, out, p, known)
	return v, nil
}

func (s *Service) knownPolicy(ctx context.Context, p Policy) (Policy, error) {
	known, err := s.store.Policy(ctx, p.WorkspaceID, p.ID)
	if errors.Is(err, fault.ErrNotFound) {
		return Policy{}, nil
	}
	return known, err
}

func (s *Service) policyAudit(action string) func(context.Context, Activity, client.Outcome) (command.Audit, error) {
	return func(ctx context.Context, a Activity, out client.Outcome) (command.Audit, error) {
		p, err := policyOf(a, out)
		if err != nil {
			return command.Audit{}, err
		}
		known, err := s.knownPolicy(ctx, p)
		audit := command.Audit{Action: action, Resource: p.ID}
		if known.ID != "" {
			audit.Before = map[string]any{"rules": rulesOf(known.Policy.Rules)}
		}
		if !p.Deleted {
			audit.After = map[string]any{"rules": rulesOf(p.Policy.Rules)}
		}
		return audit, err
	}
}

// PolicyView is a policy as the API shows it.
type PolicyView struct {
	ID                string     `json:"id"`
	Name              string     `json:"name"`
	WalletID          string     `json:"walletId" doc:"The enclave's id of the wallet"`
	Rules             Rules      `json:"rules"`
	Status            string     `json:"status" enum:"active,deleted"`
	SubOrganizationID string     `json:"subOrganizationId"`
	CreatedAt         string     `json:"createdAt" format:"date-time"`
	UpdatedAt         string     `json:"updatedAt" format:"date-time"`
	Proof             wire.Proof `json:"proof" doc:"Of the enclave, when it took the rules"`

	Outstanding *Outstanding `json:"outstanding,omitempty" doc:"Of a change that took a delegation away, or put another in its place: what was signed under it and may still have an effect. Later: GET /v1/signing/policies/{id}/outstanding"`
}

func (p Policy) view() PolicyView {
	v := PolicyView{
		ID: p.ID, Name: p.title(), WalletID: p.Policy.WalletID, Rules: rulesOf(p.Policy.Rules), Status: "active", SubOrganizationID: p.SubOrganizationID,
		CreatedAt: p.Policy.CreatedAt, UpdatedAt: p.Policy.UpdatedAt, Proof: proofOf(p.Proof),
	}
	if p.Deleted {
		v.Status = "deleted"
	}
	return v
}

// title is a name also for what only the enclave remembered.
func (p Policy) title() string {
	if p.Name == "" {
		return "Policy"
	}
	return p.Name
}

func (p Policy) cursor() Cursor { return Cursor{CreatedAt: p.CreatedAt, ID: p.ID} }

// PolicyList is a page of policies. With a fresh proof they are those of one
// sub-organization, and the proof is the enclave's word on all of them now.
type PolicyList struct {
	Items []PolicyView
	Proof *wire.Proof
}

// Policies lists policies. The walletID of the filter is either id of a wallet.
func (s *Service) Policies(ctx context.Context, p auth.Principal, f PolicyFilter, fresh bool) (PolicyList, *Cursor, int, error) {
	var list PolicyList
	f, err := s.policyFilter(ctx, p, f)
	if err == nil && fresh {
		f.SubOrganizationID, list.Proof, err = s.freshRules(ctx, p.WorkspaceID, f.SubOrganizationID)
	}
	if err != nil {
		return list, nil, 0, err
	}
	rows, total, err := s.store.Policies(ctx, f)
	for _, row := range rows {
		list.Items = append(list.Items, row.view())
	}
	return list, page.Next(f.Page, rows, total, Policy.cursor), total, err
}

func (s *Service) policyFilter(ctx context.Context, p auth.Principal, f PolicyFilter) (PolicyFilter, error) {
	f.WorkspaceID = p.WorkspaceID
	if f.SubOrganizationID != "" {
		if _, err := s.store.SubOrganization(ctx, f.WorkspaceID, f.SubOrganizationID); err != nil {
			return f, err
		}
	}
	if f.WalletID == "" {
		return f, nil
	}
	w, err := s.store.Wallet(ctx, f.WorkspaceID, f.WalletID)
	if err == nil && f.SubOrganizationID != "" && w.SubOrganizationID != f.SubOrganizationID {
		err = fault.Missing("Wallet")
	}
	f.WalletID, f.SubOrganizationID = w.ID, w.SubOrganizationID
	return f, err
}
