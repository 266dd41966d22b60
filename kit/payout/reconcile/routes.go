package reconcile

import (
	"context"
	"errors"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/customer"
	"github.com/railkit/railkit/kit/payout/withdraw"
)

// RouteStore reads which addresses the partner made for us, by our rows.
type RouteStore interface {
	// PartnerCustomers lists what workspaces are at the partner.
	PartnerCustomers(ctx context.Context) ([]customer.Customer, error)
	WithdrawAddressByPartner(ctx context.Context, partnerID string) (withdraw.Address, error)
}

// Stray is an address at the partner, with the wallet behind it, that no row has: it was made after the copy of a
// database that was put back, or outside this system. What arrives there is in no order.
type Stray struct {
	WorkspaceID string
	withdraw.Made
}

// Strays lists them, of one workspace or of all. list gives the addresses that the partner has of a customer.
func Strays(
	ctx context.Context, s RouteStore, workspaceID string,
	list func(ctx context.Context, customerID string) ([]withdraw.Made, error),
) (strays []Stray, looked int, err error) {
	customers, err := s.PartnerCustomers(ctx)
	if err != nil {
		return nil, 0, err
	}
	for _, c := range customers {
		if workspaceID != "" && c.WorkspaceID != workspaceID {
			continue
		}
		all, err := list(ctx, c.CustomerID)
		if err != nil {
			return strays, looked, err
		}
		for _, made := range all {
			looked++
			_, err := s.WithdrawAddressByPartner(ctx, made.PartnerID)
			if errors.Is(err, fault.ErrNotFound) {
				strays = append(strays, Stray{c.WorkspaceID, made})
			} else if err != nil {
				return strays, looked, err
			}
		}
	}
	return strays, looked, nil
}
