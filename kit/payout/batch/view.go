package batch

import (
	"context"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/kit/payout/quote"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

// List lists a workspace's batches, newest first.
func (s *Service) List(
	ctx context.Context, p auth.Principal, at page.Page,
) ([]rest.Batch, *page.Cursor, int, error) {
	rows, total, err := s.store.Batches(ctx, p.WorkspaceID, at)
	if err != nil {
		return nil, nil, 0, err
	}
	views := make([]rest.Batch, len(rows))
	for i, b := range rows {
		views[i] = b.view(s.clock.Now())
	}
	return views, page.Next(at, rows, total, func(b Batch) page.Cursor {
		return page.Cursor{CreatedAt: b.CreatedAt, ID: b.ID}
	}), total, nil
}

// Get is a batch with a part of its rows.
func (s *Service) Get(ctx context.Context, p auth.Principal, id string, offset, limit int) (rest.BatchDetail, error) {
	b, err := s.store.Batch(ctx, p.WorkspaceID, id)
	if err != nil {
		return rest.BatchDetail{}, err
	}
	rows, err := s.store.BatchRows(ctx, p.WorkspaceID, b.ID, offset, limit)
	return detail(b, rows, s.clock.Now()), err
}

// view is the batch as the API shows it without its rows.
func (b Batch) view(now time.Time) rest.Batch {
	v := rest.Batch{
		ID: b.ID, Status: string(b.Status), RowCount: b.RowCount, WrongRows: b.WrongRows,
		RowsPaidBefore: countRepeats(b.Content.Warnings),
		Sources:        b.Content.Sources, Destinations: b.Content.Destinations,
		CreatedAt: clock.ISO(b.CreatedAt), ExpiresAt: clock.ISO(b.ExpiresAt),
	}
	switch {
	case b.Status == Executed:
		v.ExecutedAt = clock.ISO(b.EndedAt)
	case b.Status == Canceled:
		v.CanceledAt = clock.ISO(b.EndedAt)
	case b.Status == Ready && !now.Before(b.ExpiresAt):
		v.Status = expired
	}
	v.Executable = v.Status == string(Ready)
	return v
}

// How deposits have to be sent.
const (
	oneForEach = "Send one deposit for each row, of exactly its amount, so that it is final before expiresAt."
	notDivided = " Several rows share an address: one deposit of their sum is not divided among them. It would be paid out as " +
		"one payment at the rate of the day, and the other rows' orders would expire."
)

// detail is the batch with rows as the API shows it.
func detail(b Batch, rows []Row, now time.Time) rest.BatchDetail {
	v := rest.BatchDetail{
		Batch: b.view(now), Errors: listOf(b.Content.Errors), Warnings: listOf(b.Content.Warnings),
		Addresses: listOf(b.Content.Addresses), Rows: make([]rest.BatchRow, len(rows)),
	}
	for i, r := range rows {
		v.Rows[i] = r.view()
	}
	if len(v.Addresses) > 0 && (v.Executable || b.Status == Executed) {
		v.Funding = oneForEach
	}
	for _, a := range v.Addresses {
		if v.Funding == oneForEach && a.Transfers > 1 {
			v.Funding += notDivided
		}
	}
	return v
}

// listOf is a list that is not null in JSON.
func listOf[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

// view is the row as it was previewed, with its order as it is now.
func (r Row) view() rest.BatchRow {
	v := r.Shown
	if r.Order != nil {
		p := orderview.PaymentOf(*r.Order)
		v.OrderID, v.OrderReference, v.OrderStatus = p.OrderID, p.Reference, p.OrderStatus
		v.DepositInstructions = p.DepositInstructions
	}
	return v
}

// shown is a row as it was asked for.
func shown(n int, in rest.BatchPayment) rest.BatchRow {
	return rest.BatchRow{
		Row: n, Line: in.Line, Reference: in.Reference, BeneficiaryID: in.BeneficiaryID,
		BeneficiaryAccountID: in.BeneficiaryAccountID, Amount: in.Amount, Currency: in.Currency,
		Chain: in.Chain, Token: in.Token,
	}
}

// price adds whom a row pays, and its price.
func price(v *rest.BatchRow, q quote.Quoted) error {
	t := q.Quote.Terms
	fee, err := t.Fee()
	v.BeneficiaryName, v.BeneficiaryAccountID = q.Recipient.Name, q.Account.ID
	v.AccountLast4, v.Rail = q.Account.Shown.LastFour, string(q.Account.Rail)
	v.SourceAmount, v.SourceCurrency, v.Fees = t.Gross.String(), t.Gross.Currency.Upper(), fee.String()
	v.Rate, v.NetAmount, v.DestinationCurrency = t.Rate.String(), t.Net.String(), t.Net.Currency.Upper()
	v.Chain, v.Token, v.WithdrawAddressID = q.Address.Chain, string(q.Address.Currency), q.Address.ID
	return err
}
