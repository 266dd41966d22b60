package payee

import (
	"context"

	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/page"
)

// List is a page of payees. With a fresh proof they are those of one sub-organization, and the proof is the enclave's
// current statement of its whole book.
type List struct {
	Items []PayeeView
	Proof *wire.Proof
}

// List lists payees.
func (s *Service) List(ctx context.Context, p auth.Principal, f Filter, fresh bool) (List, *page.Cursor, int, error) {
	var list List
	f, err := s.filter(ctx, p, f)
	if err == nil && fresh {
		f.SubOrganizationID, list.Proof, err = s.fetchAndSync(ctx, p.WorkspaceID, f.SubOrganizationID)
	}
	if err != nil {
		return list, nil, 0, err
	}
	rows, total, err := s.c.Store.Payees(ctx, f)
	for _, row := range rows {
		list.Items = append(list.Items, row.view())
	}
	return list, page.Next(f.Page, rows, total, Payee.cursor), total, err
}

func (s *Service) filter(ctx context.Context, p auth.Principal, f Filter) (Filter, error) {
	f.WorkspaceID = p.WorkspaceID
	if f.SubOrganizationID != "" {
		if _, err := s.c.Passkeys.SubOrganization(ctx, f.WorkspaceID, f.SubOrganizationID); err != nil {
			return f, err
		}
	}
	if f.Address == "" {
		return f, nil
	}
	address, _, ok := families.ParseAddress(f.Address)
	if !ok {
		return f, fault.Field("address", "must be an address")
	}
	f.Address = address
	return f, nil
}

// Get finds a payee, also a removed one. With a fresh proof the enclave states the book that it is in, or was.
func (s *Service) Get(ctx context.Context, p auth.Principal, id string, fresh bool) (PayeeView, error) {
	row, err := s.c.Store.Payee(ctx, p.WorkspaceID, id)
	if err != nil || !fresh {
		return row.view(), err
	}
	_, proof, err := s.fetchAndSync(ctx, p.WorkspaceID, row.SubOrganizationID)
	if err != nil {
		return PayeeView{}, err
	}
	if row, err = s.c.Store.Payee(ctx, p.WorkspaceID, id); err != nil {
		return PayeeView{}, err
	}
	v := row.view()
	v.Proof = proof
	return v, nil
}

// mostNames is how many payees are read for names beside addresses: the 500 that a book can have, and as many that were
// removed.
const mostNames = 1000

// Ever are the payees that a sub-organization has or had, as the rows have them. They decide nothing.
func (s *Service) Ever(ctx context.Context, workspaceID, subOrganizationID string) ([]Payee, error) {
	return s.c.Store.NewestPayeesOf(ctx, workspaceID, subOrganizationID, mostNames)
}

// Names is the book of a sub-organization as the rows have it, for names beside addresses. It decides nothing.
func (s *Service) Names(ctx context.Context, workspaceID, subOrganizationID string) (Book, error) {
	rows, err := s.Ever(ctx, workspaceID, subOrganizationID)
	return BookOf(rows), err
}
