package signing

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/denial"
	"github.com/railkit/railkit/kit/signing/rule"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Policy finds one, also where it is deleted.
func (s ruleReads) Policy(ctx context.Context, workspaceID, id string) (rule.Policy, error) {
	row, err := s.db.Read.Policy(ctx, workspaceID, id)
	return sqldb.One("Policy", row, err, policyRow)
}

// PoliciesOf lists a sub-organization's policies, also those that are deleted.
func (s ruleReads) PoliciesOf(ctx context.Context, workspaceID, subOrganizationID string) ([]rule.Policy, error) {
	rows, err := s.db.Read.PoliciesOf(ctx, workspaceID, subOrganizationID)
	return sqldb.Many(rows, err, policyRow)
}

// Policies lists a page of policies that stand and counts all that the filter selects.
func (s ruleReads) Policies(ctx context.Context, f rule.PolicyFilter) ([]rule.Policy, int, error) {
	q := s.db.Query(1).Add(" AND deleted = 0").Equal(
		"sub_organization_id", f.SubOrganizationID,
	).Equal("wallet_id", f.WalletID)
	total, err := db.New(q).CountPolicies(ctx, f.WorkspaceID)
	if err != nil {
		return nil, 0, sqldb.Reading("counting policies", err)
	}
	rows, err := db.New(q.Newest(f.Page)).ListPolicies(ctx, f.WorkspaceID)
	return sqldb.Listed(total, rows, err, policyRow)
}

// ApprovalConfig finds what the enclave last said of a sub-organization.
func (s ruleReads) ApprovalConfig(
	ctx context.Context, workspaceID, subOrganizationID string,
) (rule.ApprovalConfig, error) {
	row, err := s.db.Read.ApprovalConfig(ctx, workspaceID, subOrganizationID)
	return sqldb.One("Approval configuration", row, err, configRow)
}

// Denials lists a page of what rules refused and counts all that the filter selects.
func (s ruleReads) Denials(ctx context.Context, f denial.Filter) ([]denial.Denial, int, error) {
	q := s.db.Query(1).Equal("wallet_id", f.WalletID).Equal("layer", f.Layer).Equal("severity", f.Severity)
	total, err := db.New(q).CountDenials(ctx, f.WorkspaceID)
	if err != nil {
		return nil, 0, sqldb.Reading("counting denials", err)
	}
	rows, err := db.New(q.Newest(f.Page)).ListDenials(ctx, f.WorkspaceID)
	return sqldb.Listed(total, rows, err, denialRow)
}

func (t tx) KeepPolicy(ctx context.Context, p rule.Policy) error {
	text, err := json.Marshal(p.Policy)
	if err != nil {
		return sqldb.Doing("encoding a policy", err)
	}
	n, err := t.Q.KeepPolicy(ctx, db.KeepPolicyParams{
		WorkspaceID: p.WorkspaceID, ID: p.ID, SubOrganizationID: p.SubOrganizationID, WalletID: p.WalletID,
		Name:   p.Name,
		Policy: string(text), Proof: p.Proof, Seq: p.Seq, Deleted: sqldb.Flag(p.Deleted),
		CreatedAt: sqldb.Micros(p.CreatedAt), Replaces: p.Replaces,
	})
	kind := event.PolicyChanged
	if p.Deleted {
		kind = event.PolicyDeleted
	}
	err = t.Told("keeping a policy", n, err, event.Change{
		Type: kind, WorkspaceID: p.WorkspaceID, Object: p.ID,
		Data: rest.EventPolicy{SubOrganizationID: p.SubOrganizationID, WalletID: p.WalletID, Name: p.Name},
	})
	if err != nil || p.Name == "" {
		return err
	}
	return sqldb.Doing("naming a policy", t.Q.NamePolicy(ctx, p.WorkspaceID, p.ID, p.Name))
}

func (t tx) RenamePolicy(ctx context.Context, workspaceID, id, name string) error {
	n, err := t.Q.RenamePolicy(ctx, workspaceID, id, name)
	if err == nil && n == 0 {
		return fault.Missing("Policy")
	}
	return t.Told("renaming a policy", n, err, event.Change{
		Type: event.PolicyChanged, WorkspaceID: workspaceID, Object: id, Data: rest.EventPolicy{Name: name},
	})
}

func (t tx) KeepApprovalConfig(ctx context.Context, c rule.ApprovalConfig) error {
	text, err := json.Marshal(c.Config)
	if err != nil {
		return sqldb.Doing("encoding an approval configuration", err)
	}
	n, err := t.Q.KeepConfig(ctx, db.KeepConfigParams{
		WorkspaceID: c.WorkspaceID, SubOrganizationID: c.SubOrganizationID, Config: string(text), Proof: c.Proof,
		Seq: c.Seq, UpdatedAt: sqldb.Micros(c.UpdatedAt), Replaces: c.Replaces,
	})
	return t.Told("keeping an approval configuration", n, err, event.Change{
		Type: event.ConfigChanged, WorkspaceID: c.WorkspaceID, Object: c.SubOrganizationID,
		Data: rest.EventApprovalConfig{SubOrganizationID: c.SubOrganizationID},
	})
}

func (t tx) InsertDenial(ctx context.Context, d denial.Denial) error {
	n, err := t.Q.InsertDenial(ctx, db.InsertDenialParams{
		WorkspaceID: d.WorkspaceID, ID: d.ID, SubOrganizationID: d.SubOrganizationID, WalletID: d.WalletID,
		TransactionID: d.TransactionID,
		PolicyID:      d.PolicyID, Layer: d.Layer, Rule: d.Rule, Severity: d.Severity, Field: d.Field,
		Observed:  d.Observed,
		LimitedTo: d.Limit, Payee: d.Payee, CreatedAt: sqldb.Micros(d.CreatedAt),
	})
	return t.Told("inserting a denial", n, err, event.Change{
		Type: event.DenialCreated, WorkspaceID: d.WorkspaceID, Object: d.ID, Data: rest.EventDenial{
			Rule: d.Rule, PolicyID: d.PolicyID, SubOrganizationID: d.SubOrganizationID, WalletID: d.WalletID,
			TransactionID: d.TransactionID, Field: d.Field, Observed: d.Observed, Limit: d.Limit,
		},
	})
}

func policyRow(r db.Policy) (rule.Policy, error) {
	p := rule.Policy{
		WorkspaceID: r.WorkspaceID, ID: r.ID, SubOrganizationID: r.SubOrganizationID, WalletID: r.WalletID,
		Name:  r.Name,
		Proof: r.Proof, Seq: r.Seq, Deleted: r.Deleted != 0, CreatedAt: sqldb.Instant(r.CreatedAt),
	}
	return p, stored("policy", r.Policy, &p.Policy)
}

func configRow(r db.ApprovalConfig) (rule.ApprovalConfig, error) {
	c := rule.ApprovalConfig{
		WorkspaceID: r.WorkspaceID, SubOrganizationID: r.SubOrganizationID, Proof: r.Proof, Seq: r.Seq,
		UpdatedAt: sqldb.Instant(r.UpdatedAt),
	}
	return c, stored("approval configuration", r.Config, &c.Config)
}

func stored[T wire.Policy | wire.ApprovalConfig](what, text string, v *T) error {
	if err := json.Unmarshal([]byte(text), v); err != nil {
		return fmt.Errorf("reading a stored %s: %w", what, err)
	}
	return nil
}

func denialRow(r db.Denial) (denial.Denial, error) {
	return denial.Denial{
		WorkspaceID: r.WorkspaceID, ID: r.ID, SubOrganizationID: r.SubOrganizationID, WalletID: r.WalletID,
		TransactionID: r.TransactionID,
		PolicyID:      r.PolicyID, Layer: r.Layer, Rule: r.Rule, Severity: r.Severity, Field: r.Field,
		Observed: r.Observed,
		Limit:    r.LimitedTo, Payee: r.Payee, CreatedAt: sqldb.Instant(r.CreatedAt),
	}, nil
}
