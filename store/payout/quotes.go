package payout

import (
	"context"
	"errors"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/kit/payout/quote"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Quote finds one.
func (s orderReads) Quote(ctx context.Context, workspaceID, id string) (quote.Quote, error) {
	row, err := s.db.Read.Quote(ctx, workspaceID, id)
	return sqldb.One("Quote", row, err, quoteRow)
}

var quoteRows = &sqldb.Set[db.InsertQuotesParams]{What: "inserting a quote", Insert: (*db.Queries).InsertQuotes}

func (t *orderTx) InsertQuote(_ context.Context, q quote.Quote) error {
	t.Tell(event.Change{Type: event.QuoteCreated, WorkspaceID: q.WorkspaceID, Object: q.ID, Data: rest.EventQuote{
		RecipientID: q.RecipientID, BankAccountID: q.BankAccountID, Amount: q.Terms.Gross.String(),
		Currency: string(q.Terms.Gross.Currency), NetAmount: q.Terms.Net.String(),
		NetCurrency: string(q.Terms.Net.Currency), Rate: q.Terms.Rate.String(), ExpiresAt: clock.ISO(q.ExpiresAt),
	}})
	quoteRows.Put(t.Tx, db.InsertQuotesParams{
		WorkspaceID: q.WorkspaceID, ID: q.ID, RecipientID: q.RecipientID, BankAccountID: q.BankAccountID,
		WithdrawAddressID: q.WithdrawAddressID,
		Asked:             q.Asked.Minor, AskedCurrency: string(q.Asked.Currency),
		Source: string(q.Terms.Gross.Currency), Destination: string(q.Terms.Net.Currency), Gross: q.Terms.Gross.Minor,
		NetworkFee: q.Terms.Network.Minor, PlatformFee: q.Terms.Platform.Minor, Net: q.Terms.Net.Minor,
		Midmarket: q.Midmarket.String(), Sell: q.Terms.Rate.String(), Spread: q.Spread,
		PublishedAt: sqldb.Micros(q.PublishedAt), FetchedAt: sqldb.Micros(q.FetchedAt),
		CreatedAt: sqldb.Micros(q.CreatedAt), ExpiresAt: sqldb.Micros(q.ExpiresAt),
		Funding: q.Funding.Minor, FundingCurrency: string(q.Funding.Currency),
	})
	return nil
}

// Quoted finds one with what it is for.
func (s orderReads) Quoted(ctx context.Context, workspaceID, id string) (quote.Quoted, error) {
	row, err := s.db.Read.Quoted(ctx, workspaceID, id)
	return sqldb.One("Quote", row, err, quotedRow)
}

func quotedRow(r db.QuotedRow) (of quote.Quoted, err error) {
	var wrong [4]error
	of.Quote, wrong[0] = quoteRow(r.Quote)
	of.Recipient, wrong[1] = recipientRow(r.Recipient)
	of.Account, wrong[2] = bankAccount(r.BankAccount)
	of.Address, wrong[3] = withdrawAddress(r.WithdrawAddress)
	if err = errors.Join(wrong[:]...); err == nil && r.Executed != "" {
		var o order.Order
		o, err = orderRow(r.Executed)
		of.Executed = &o
	}
	return of, err
}

// HoldBalance reads what a guarded account has, which nobody changes until the
// transaction ends. One that never had anything has nothing to hold.
func (t *orderTx) HoldBalance(
	ctx context.Context, workspaceID string, a ledger.Account, c money.Currency,
) (ledger.Balance, error) {
	row, err := t.Q.HoldBalance(ctx, workspaceID, string(a), string(c))
	if err != nil && !sqldb.None(err) {
		return ledger.Balance{}, sqldb.Reading("holding a balance", err)
	}
	return ledger.Balance{
		Account: a, Posted: money.Of(row.Posted, c), PendingIn: money.Of(row.PendingIn, c),
		PendingOut: money.Of(row.PendingOut, c),
	}, nil
}

func quoteRow(r db.Quote) (quote.Quote, error) {
	mid, wrongMid := money.ParseRate(r.Midmarket)
	sell, wrongSell := money.ParseRate(r.Sell)
	source, destination := money.Currency(r.Source), money.Currency(r.Destination)
	return quote.Quote{
		WorkspaceID: r.WorkspaceID, ID: r.ID, RecipientID: r.RecipientID, BankAccountID: r.BankAccountID,
		WithdrawAddressID: r.WithdrawAddressID,
		Asked:             money.Of(r.Asked, money.Currency(r.AskedCurrency)),
		Terms: order.Terms{
			Gross: money.Of(r.Gross, source), Network: money.Of(r.NetworkFee, source),
			Platform: money.Of(r.PlatformFee, source),
			Rate:     sell, Net: money.Of(r.Net, destination), Quoted: r.Funding == 0,
		},
		Funding:   money.Of(r.Funding, money.Currency(r.FundingCurrency)),
		Midmarket: mid, Spread: r.Spread, PublishedAt: sqldb.Instant(r.PublishedAt),
		FetchedAt: sqldb.Instant(r.FetchedAt),
		CreatedAt: sqldb.Instant(r.CreatedAt), ExpiresAt: sqldb.Instant(r.ExpiresAt),
	}, sqldb.Doing("reading a stored quote", errors.Join(wrongMid, wrongSell))
}

// QuoteRates finds the rates of a quote.
func (s orderReads) QuoteRates(ctx context.Context, workspaceID, id string) (orderview.Rates, error) {
	q, err := s.Quote(ctx, workspaceID, id)
	return orderview.Rates{
		Midmarket: q.Midmarket, Sell: q.Terms.Rate, Spread: q.Spread, FetchedAt: q.FetchedAt,
		PublishedAt: q.PublishedAt,
	}, err
}
