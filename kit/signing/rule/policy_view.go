package rule

import (
	"context"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

// PolicyView is a policy as the API shows it.
type PolicyView struct {
	ID                string           `json:"id"`
	Name              string           `json:"name"`
	WalletID          string           `json:"walletId" doc:"The enclave's id of the wallet"`
	Rules             rest.PolicyRules `json:"rules"`
	Status            string           `json:"status" enum:"active,deleted"`
	SubOrganizationID string           `json:"subOrganizationId"`
	CreatedAt         string           `json:"createdAt" format:"date-time"`
	UpdatedAt         string           `json:"updatedAt" format:"date-time"`
	Proof             wire.Proof       `json:"proof" doc:"Of the enclave, when it took the rules"`

	Outstanding *Outstanding `json:"outstanding,omitempty" doc:"Of a change that took a delegation away, or put another in its place: what was signed under it and may still have an effect. Later: GET /v1/signing/policies/{id}/outstanding"`
}

func (p Policy) view() PolicyView {
	v := PolicyView{
		ID: p.ID, Name: p.title(), WalletID: p.Policy.WalletID, Rules: rulesOf(p.Policy.Rules), Status: "active",
		SubOrganizationID: p.SubOrganizationID,
		CreatedAt:         p.Policy.CreatedAt, UpdatedAt: p.Policy.UpdatedAt, Proof: signer.Proof(p.Proof),
	}
	if p.Deleted {
		v.Status = "deleted"
	}
	return v
}

// title is the policy's name, or a default if the row was restored from the enclave, which has no names.
func (p Policy) title() string {
	if p.Name == "" {
		return "Policy"
	}
	return p.Name
}

func (p Policy) cursor() page.Cursor { return page.Cursor{CreatedAt: p.CreatedAt, ID: p.ID} }

// PolicyList is a page of policies. With a fresh proof they are those of one sub-organization, and the proof is the
// enclave's current statement of all its policies.
type PolicyList struct {
	Items []PolicyView
	Proof *wire.Proof
}

// Policies lists policies. The walletID of the filter is either id of a wallet.
func (s *Service) Policies(ctx context.Context, p auth.Principal, f PolicyFilter,
	fresh bool,
) (PolicyList, *page.Cursor, int, error) {
	var list PolicyList
	f, err := s.policyFilter(ctx, p, f)
	if err == nil && fresh {
		f.SubOrganizationID, list.Proof, err = s.fetchAndSyncRules(ctx, p.WorkspaceID, f.SubOrganizationID)
	}
	if err != nil {
		return list, nil, 0, err
	}
	rows, total, err := s.c.Store.Policies(ctx, f)
	for _, row := range rows {
		list.Items = append(list.Items, row.view())
	}
	return list, page.Next(f.Page, rows, total, Policy.cursor), total, err
}

func (s *Service) policyFilter(ctx context.Context, p auth.Principal, f PolicyFilter) (PolicyFilter, error) {
	f.WorkspaceID = p.WorkspaceID
	if f.SubOrganizationID != "" {
		if _, err := s.c.Store.SubOrganization(ctx, f.WorkspaceID, f.SubOrganizationID); err != nil {
			return f, err
		}
	}
	if f.WalletID == "" {
		return f, nil
	}
	w, err := s.c.Store.Wallet(ctx, f.WorkspaceID, f.WalletID)
	if err == nil && f.SubOrganizationID != "" && w.SubOrganizationID != f.SubOrganizationID {
		err = fault.Missing("Wallet")
	}
	f.WalletID, f.SubOrganizationID = w.ID, w.SubOrganizationID
	return f, err
}
