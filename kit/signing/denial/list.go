package denial

import (
	"context"
	"fmt"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

// Filter selects denials, newest first. Zero fields do not filter.
type Filter struct {
	WorkspaceID     string
	WalletID        string // local id
	Layer, Severity string
	Page            page.Page
}

func (d Denial) view(walletID string) rest.Denial {
	return rest.Denial{
		ID: d.ID, Layer: d.Layer, Rule: d.Rule, Severity: d.Severity, Field: d.Field, Observed: d.Observed,
		Limit: d.Limit, Payee: d.Payee, Detail: d.detail(),
		PolicyID: d.PolicyID, TransactionID: d.TransactionID, WalletID: walletID, Timestamp: clock.ISO(d.CreatedAt),
	}
}

// detail is the denial in one line, as in "payeesOnly: to is 0x…, allowed is the book of payees".
func (d Denial) detail() string {
	observed := d.Observed
	if d.Payee != "" {
		observed = fmt.Sprintf("%s (payee %s)", d.Observed, d.Payee)
	}
	return fmt.Sprintf("%s: %s is %s, allowed is %s", d.Rule, d.Field, observed, d.Limit)
}

func (d Denial) cursor() page.Cursor { return page.Cursor{CreatedAt: d.CreatedAt, ID: d.ID} }

// List lists what rules refused to a wallet, newest first.
func (s *Service) List(ctx context.Context, walletID string, f Filter) ([]rest.Denial, *page.Cursor, int, error) {
	localID, enclaveID, err := s.store.WalletIDs(ctx, f.WorkspaceID, walletID)
	if err != nil {
		return nil, nil, 0, err
	}
	f.WalletID = localID
	rows, total, err := s.store.Denials(ctx, f)
	views := []rest.Denial{}
	for _, d := range rows {
		views = append(views, d.view(enclaveID))
	}
	return views, page.Next(f.Page, rows, total, Denial.cursor), total, err
}
