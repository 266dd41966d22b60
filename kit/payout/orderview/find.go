package orderview

import (
	"context"
	"errors"
	"strings"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/platform/page"
)

// find finds an order to be shown, by its id or any of its references. The id or reference of a
// withdrawal address finds the newest of its orders. To change an order, use FindOne, which
// accepts no such name.
func (s *Service) find(ctx context.Context, workspaceID, name string) (order.Order, error) {
	o, err := s.store.Order(ctx, workspaceID, name)
	if !errors.Is(err, fault.ErrNotFound) {
		return o, err
	}
	rows, failed := s.newestOfAddress(ctx, workspaceID, name)
	switch {
	case failed != nil:
		return o, failed
	case len(rows) == 0:
		return o, err
	}
	return rows[0], nil
}

// newestOfAddress lists the newest order of the withdrawal address with the name, or none.
func (s *Service) newestOfAddress(ctx context.Context, workspaceID, name string) ([]order.Order, error) {
	id, err := s.addressNamed(ctx, workspaceID, name)
	if err != nil || id == "" { // an empty id would select the orders of every address
		return nil, err
	}
	return s.store.Orders(
		ctx, Filter{WorkspaceID: workspaceID, WithdrawAddressID: id, Page: page.Page{Limit: 1}},
	)
}

// addressNamed is the id of the workspace's withdrawal address with that reference. If there is
// none, it is the name itself, which may be an id.
func (s *Service) addressNamed(ctx context.Context, workspaceID, name string) (string, error) {
	of, id, err := s.store.OrderOf(ctx, order.ClaimReference, strings.ToUpper(strings.TrimSpace(name)))
	if errors.Is(err, fault.ErrNotFound) || err == nil && of != workspaceID {
		return order.Folded(name), nil
	}
	return id, err
}

// ofAddress replaces the reference of a withdrawal address in a filter by the address's id, so that the filter
// selects all orders of the address.
func (s *Service) ofAddress(ctx context.Context, f Filter) (Filter, error) {
	var others []string
	for _, name := range f.References {
		id, err := s.addressNamed(ctx, f.WorkspaceID, name)
		if err != nil {
			return f, err
		}
		_, err = s.store.WithdrawAddress(ctx, f.WorkspaceID, id)
		switch {
		case err == nil && (f.WithdrawAddressID == "" || f.WithdrawAddressID == id):
			f.WithdrawAddressID = id
		case err == nil || errors.Is(err, fault.ErrNotFound):
			others = append(others, name)
		default:
			return f, err
		}
	}
	f.References = others
	return f, nil
}

var errSeveral = fault.Define(fault.Conflict, "order_not_unique",
	"The reference names several orders; name one by its own reference or its id",
	"A transaction that paid two withdrawal addresses, say, names an order of each; what changes an order has to name it alone")

// FindOne finds an order to be changed. It refuses a reference that several orders have, such as the hash of a
// transaction that paid two withdrawal addresses.
func (s *Service) FindOne(ctx context.Context, workspaceID, idOrReference string) (order.Order, error) {
	o, err := s.store.Order(ctx, workspaceID, idOrReference)
	if err != nil || o.ID == order.ID(idOrReference) || order.Folded(o.Reference) == order.Folded(idOrReference) {
		return o, err
	}
	all, err := s.store.Orders(
		ctx, Filter{WorkspaceID: workspaceID, References: []string{idOrReference}, Page: page.Page{Limit: 2}},
	)
	if err == nil && len(all) > 1 {
		err = errSeveral
	}
	return o, err
}
