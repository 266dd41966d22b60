package account

import (
	"context"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

// View is the account as the API shows it.
func (a Account) View() rest.BankAccount {
	v := rest.BankAccount{
		ID: a.ID, RecipientID: a.RecipientID, Currency: string(a.Currency), Rail: string(a.Rail), Country: a.Country,
		BankName: a.BankName,
		LastFour: a.Shown.LastFour, RoutingNumber: a.Shown.RoutingNumber, AccountType: a.Shown.AccountType,
		SortCode: a.Shown.SortCode,
		BIC:      a.Shown.BIC, LegalName: a.Shown.LegalName, Status: string(a.Registration), Reason: a.Reason,
		IsActive:  a.Active,
		PayableAt: clock.ISO(a.PayableAt), CreatedAt: clock.ISO(a.CreatedAt), UpdatedAt: clock.ISO(a.UpdatedAt),
	}
	if a.Registration == Provisioning {
		v.Status = string(Pending)
	}
	if !a.FrozenAt.IsZero() {
		v.FrozenAt = clock.ISO(a.FrozenAt)
	}
	if a.Address != (fiat.Address{}) {
		address := rest.PostalAddress(a.Address)
		v.Address = &address
	}
	return v
}

// List lists a recipient's bank accounts, newest first.
func (s *Service) List(
	ctx context.Context, p auth.Principal, recipientID string, archived bool, at page.Page,
) ([]rest.BankAccount, *page.Cursor, int, error) {
	r, err := s.store.Recipient(ctx, p.WorkspaceID, recipientID)
	if err != nil {
		return nil, nil, 0, err
	}
	rows, total, err := s.store.BankAccounts(ctx, Filter{
		WorkspaceID: p.WorkspaceID, RecipientIDs: []string{r.ID}, Archived: archived, Page: at,
	})
	if err != nil {
		return nil, nil, 0, err
	}
	return views(rows), nextPage(at, rows, total), total, nil
}

func views(rows []Account) []rest.BankAccount {
	all := make([]rest.BankAccount, len(rows))
	for i, a := range rows {
		all[i] = a.View()
	}
	return all
}

// ofRecipients reads all accounts of some recipients, by recipient.
func (s *Service) ofRecipients(ctx context.Context, f Filter) (map[string][]Account, error) {
	of := map[string][]Account{}
	for {
		rows, total, err := s.store.BankAccounts(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, a := range rows {
			of[a.RecipientID] = append(of[a.RecipientID], a)
		}
		if f.Page.After = nextPage(f.Page, rows, total); f.Page.After == nil {
			return of, nil
		}
	}
}

func nextPage(at page.Page, rows []Account, total int) *page.Cursor {
	return page.Next(at, rows, total, func(a Account) page.Cursor {
		return page.Cursor{CreatedAt: a.CreatedAt, ID: a.ID}
	})
}

// MostAccounts are read at once.
const MostAccounts = 1000

// ListByRecipient lists recipients with their bank accounts and what they were paid.
func (s *Service) ListByRecipient(
	ctx context.Context, p auth.Principal, f recipient.Filter, archived bool,
) ([]rest.RecipientWithAccounts, *page.Cursor, int, error) {
	f.WorkspaceID = p.WorkspaceID
	rows, total, err := s.store.Recipients(ctx, f)
	if err != nil || len(rows) == 0 {
		return []rest.RecipientWithAccounts{}, nil, total, err
	}
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	of, err := s.ofRecipients(ctx, Filter{
		WorkspaceID: p.WorkspaceID, RecipientIDs: ids, Archived: archived, Page: page.Page{Limit: MostAccounts},
	})
	if err != nil {
		return nil, nil, 0, err
	}
	paid, err := s.store.PaidTo(ctx, p.WorkspaceID, ids, year(s.clock.Now()))
	if err != nil {
		return nil, nil, 0, err
	}
	all := make([]rest.RecipientWithAccounts, len(rows))
	for i, r := range rows {
		all[i] = rest.RecipientWithAccounts{
			Recipient: r.View(), Accounts: views(of[r.ID]), Summary: paid[r.ID].view(),
		}
	}
	return all, recipient.NextPage(f.Page, rows, total), total, nil
}
