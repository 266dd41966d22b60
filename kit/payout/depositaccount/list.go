package depositaccount

import (
	"context"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/provision"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

// List lists the accounts of a workspace, newest first, with where the page after this one begins.
func (s *Service) List(
	ctx context.Context, p auth.Principal, at page.Page,
) ([]rest.DepositAccount, *page.Cursor, int, error) {
	rows, total, err := s.c.Store.DepositAccounts(ctx, p.WorkspaceID, at)
	if err != nil {
		return nil, nil, 0, err
	}
	views := make([]rest.DepositAccount, len(rows))
	for i, a := range rows {
		if views[i], err = s.View(ctx, a); err != nil {
			return nil, nil, 0, err
		}
	}
	return views, page.Next(at, rows, total, Account.cursor), total, nil
}

func (a Account) cursor() page.Cursor { return page.Cursor{CreatedAt: a.CreatedAt, ID: a.ID} }

// Get is the account with the id.
func (s *Service) Get(ctx context.Context, p auth.Principal, id string) (rest.DepositAccount, error) {
	a, err := s.c.Store.DepositAccount(ctx, p.WorkspaceID, id)
	if err != nil {
		return rest.DepositAccount{}, err
	}
	return s.View(ctx, a)
}

// Find is the row of an account that the partner has created.
func (s *Service) Find(ctx context.Context, workspaceID, id string) (Account, error) {
	a, err := s.c.Store.DepositAccount(ctx, workspaceID, id)
	if err == nil && a.Status != provision.Active {
		err = fault.Missing("Deposit account")
	}
	return a, err
}

// Rows lists a page of accounts for the operator, of one workspace or of all, newest first.
func (s *Service) Rows(ctx context.Context, workspaceID string, at page.Page) ([]Account, *page.Cursor, error) {
	rows, err := s.c.Store.AllDepositAccounts(ctx, workspaceID, at)
	if err != nil || len(rows) < at.Limit || len(rows) == 0 {
		return rows, nil, err
	}
	next := rows[len(rows)-1].cursor()
	return rows, &next, nil
}

// Events lists what happened at an account, oldest first, with where the page after this one begins.
func (s *Service) Events(
	ctx context.Context, p auth.Principal, id string, at page.Page,
) ([]rest.DepositEvent, *page.Cursor, int, error) {
	a, err := s.c.Store.DepositAccount(ctx, p.WorkspaceID, id)
	if err != nil {
		return nil, nil, 0, err
	}
	rows, total, err := s.c.Store.DepositEvents(ctx, a.WorkspaceID, a.ID, at)
	if err != nil {
		return nil, nil, 0, err
	}
	views := make([]rest.DepositEvent, len(rows))
	for i, e := range rows {
		views[i] = e.View()
	}
	return views, page.Next(at, rows, total, Event.cursor), total, nil
}
