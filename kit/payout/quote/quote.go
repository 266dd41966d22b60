// Package quote says what a payout costs, and turns a quote into an order.
//
// A quote holds its price for a few minutes, by the database's clock, and is never
// changed. Executing it makes an order, once: calling it again answers with the same
// order. Say that a quote is for 100 USDC. If the withdrawal address has 120 USDC free, the order takes 100 of them at
// once. If it has nothing, the order waits for a deposit until the quote expires. If it has 40, the call is refused. A
// payment can also be made without a quote, by naming source and destination (execute_once.go); and a price can be
// estimated without a recipient.
//
// Read quote.go, input.go (the one amount of a request), target.go (recipient, bank account and withdrawal address of
// a request), execute.go, execute_once.go, by_bank.go (a quote that a bank transfer pays for), checker.go (many
// payments at once), estimate.go, on_ramp.go (what a deposit gives), arrival.go, view.go.
package quote

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/fx"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/kit/payout/pair"
	"github.com/railkit/railkit/kit/payout/price"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/kit/payout/reference"
	"github.com/railkit/railkit/kit/payout/virtual"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// Quote is the price of a payout, with its expiry. It is never changed.
type Quote struct {
	WorkspaceID, ID                               string
	RecipientID, BankAccountID, WithdrawAddressID string
	Asked                                         money.Amount // what the caller named
	Funding                                       money.Amount // by bank transfer; zero: stablecoin pays
	Terms                                         order.Terms
	Midmarket                                     money.Rate
	Spread                                        int64     // basis points between it and the rate of the terms
	PublishedAt                                   time.Time // by the partner's clock
	FetchedAt                                     time.Time // by ours
	CreatedAt, ExpiresAt                          time.Time // by the database's
}

// Quoted is a quote with the present rows that it refers to.
type Quoted struct {
	Quote     Quote
	Recipient recipient.Recipient
	Account   account.Account
	Address   withdraw.Address
	Executed  *order.Order // what it became; nil: nothing yet
	Number    string       // where the bank transfer goes, of a quote that one pays for
}

// payable is nil if the quote can be executed. If the recipient is archived or the account closed right after this
// check, the order is held before its payout.
func (q Quoted) payable() error {
	if q.Recipient.Status != recipient.Active {
		return errRecipient
	}
	return q.Account.Usable()
}

// Store keeps quotes, and reads what they are for.
type Store interface {
	record.Writer[Tx]
	Quoted(ctx context.Context, workspaceID, id string) (Quoted, error)
	// Payable finds a recipient with the bank accounts in use, newest first, and their withdrawal addresses, oldest
	// first; no recipient where there are no accounts, and no address where one of the accounts has none.
	Payable(
		ctx context.Context, workspaceID, recipientID string, limit int,
	) (recipient.Recipient, []account.Account, []withdraw.Address, error)
	Recipient(ctx context.Context, workspaceID, id string) (recipient.Recipient, error)
	BankAccount(ctx context.Context, workspaceID, id string) (account.Account, error)
	// WithdrawAddressesOf lists those of a bank account, oldest first.
	WithdrawAddressesOf(ctx context.Context, workspaceID, bankAccountID string) ([]withdraw.Address, error)
	// Balance is what an account of the ledger has.
	Balance(ctx context.Context, workspaceID string, a ledger.Account, c money.Currency) (ledger.Balance, error)
}

// Tx writes a quote, and the order that it becomes.
type Tx interface {
	InsertQuote(context.Context, Quote) error
	// HoldBalance reads the balance of a guarded ledger account and locks it until the transaction ends.
	HoldBalance(ctx context.Context, workspaceID string, a ledger.Account, c money.Currency) (ledger.Balance, error)
	// Now is the time by the database's clock, which all servers share.
	Now(context.Context) (time.Time, error)
	orderview.Tx
	reference.Claims
}

// Rates are the partner's, fresh enough to quote.
type Rates interface {
	Rate(ctx context.Context, from, to money.Currency) (fx.Rate, error)
}

// Settings is how quotes are made.
type Settings struct {
	Life time.Duration
	Most money.Amount // that one may be for, of any stablecoin
}

// Service quotes payouts, and turns quotes into orders.
type Service struct{ c Config }

// Config wires a Service.
type Config struct {
	Store     Store
	Addresses *withdraw.Service
	Virtuals  *virtual.Service
	Pairs     pair.Pairs // that an estimate may name
	Rates     Rates
	Fees      price.Fees
	Band      fx.Band
	Least     money.Amount // that a payout may be
	Deposits  price.Deposits
	Settings  Settings
	Clock     clock.Clock
}

// New makes it.
func New(c Config) *Service { return &Service{c} }

// The errors of quotes.
var (
	errRateStale = fault.Define(fault.Unavailable, "rate_stale", "There is no fresh exchange rate",
		"The partner's rates do not come, are older than a price may be, or far from its own middle rate; repeat the request after Retry-After")
	errRecipient = fault.Define(fault.Unprocessable, "recipient_not_found", "Recipient not found",
		"No active recipient of this workspace has the id: it is another's, archived or not the quote's")
	errNothingLeft = fault.Define(fault.Unprocessable, "amount_too_small",
		"The amount is too small: nothing is left after the fees",
		"After the fees not even the smallest unit of the bank account's currency is left")
	errLimits = fault.Define(fault.Unprocessable, "amount_out_of_bounds", "The amount must be from %s to %s",
		"What leaves is below the least or above the most that one payout may be; `details` names both")
)

// Create prices a payout and stores the price for a few minutes.
func (s *Service) Create(ctx context.Context, cmd *command.Command, in rest.QuoteRequest) (command.Answer, error) {
	ask, err := readAsked(in)
	if err != nil {
		return command.Answer{}, err
	}
	t, err := s.target(ctx, cmd.Principal.WorkspaceID, in, ask)
	if err != nil {
		return command.Answer{}, err
	}
	q, err := s.price(ctx, ask, t)
	if err != nil {
		return command.Answer{}, err
	}
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		q, err := s.insertQuote(ctx, tx, q)
		if err != nil {
			return command.Reply{}, err
		}
		view, err := s.view(q, t)
		return command.Reply{
			Status: 200, Message: "Quote created", Data: view,
			Audit: command.Audit{Action: "quote.create", Resource: q.ID},
		}, err
	})
}

// insertQuote stores a quote. Its life begins by the database's clock.
func (s *Service) insertQuote(ctx context.Context, tx Tx, q Quote) (Quote, error) {
	now, end, err := s.Life(ctx, tx)
	if err != nil {
		return q, err
	}
	q.CreatedAt, q.ExpiresAt = now, end
	return q, tx.InsertQuote(ctx, q)
}

// Life is the time by the database's clock, and when a quote that is made then expires.
func (s *Service) Life(ctx context.Context, tx Tx) (now, end time.Time, err error) {
	now, err = tx.Now(ctx)
	return now, now.Add(s.c.Settings.Life), err
}

// price makes a quote for a target.
func (s *Service) price(ctx context.Context, ask asked, t target) (Quote, error) {
	ask = ask.of(t.own())
	if ask.byBank() {
		return s.priceByBank(ctx, ask, t)
	}
	if err := ask.fits(t.token(), t.own()); err != nil {
		return Quote{}, err
	}
	rate, terms, err := s.quoteTerms(ctx, ask, t.token(), t.own())
	if err != nil {
		return Quote{}, err
	}
	terms.Quoted = true
	return s.quoteOf(ask, t, rate, terms), nil
}

// quoteOf is a quote before it is stored.
func (s *Service) quoteOf(ask asked, t target, rate fx.Rate, terms order.Terms) Quote {
	return Quote{
		WorkspaceID: t.address.WorkspaceID, ID: record.NewID(), RecipientID: t.recipient.ID,
		BankAccountID:     t.account.ID,
		WithdrawAddressID: t.address.ID, Asked: ask.amount, Terms: terms, Midmarket: rate.Midmarket,
		Spread:      rate.Spread(),
		PublishedAt: rate.At, FetchedAt: rate.FetchedAt,
	}
}

// quoteTerms prices at the current rate.
func (s *Service) quoteTerms(ctx context.Context, ask asked, token, own money.Currency) (fx.Rate, order.Terms, error) {
	rate, err := s.rate(ctx, token, own)
	if err != nil {
		return fx.Rate{}, order.Terms{}, err
	}
	terms, err := ask.terms(s.c.Fees, rate.Sell, token, own)
	if err != nil {
		return fx.Rate{}, order.Terms{}, s.unpriced(err, token)
	}
	if l := s.limits(token); terms.Gross.Minor < l.from.Minor || terms.Gross.Minor > l.to.Minor {
		return fx.Rate{}, order.Terms{}, s.outside(token)
	}
	return rate, terms, nil
}

// unpriced says why there is no price.
func (s *Service) unpriced(err error, token money.Currency) error {
	switch {
	case errors.Is(err, price.ErrNothing):
		return errNothingLeft.Because(err)
	case errors.Is(err, money.ErrRange):
		return s.outside(token)
	}
	return err
}

// rate is the current one, if it may make a price.
func (s *Service) rate(ctx context.Context, from, to money.Currency) (fx.Rate, error) {
	rate, err := s.c.Rates.Rate(ctx, from, to)
	if errors.Is(err, fx.ErrStale) {
		err = errRateStale.Because(err).After(retryRate(err))
	}
	if err == nil && s.c.Band.OffMiddle(ctx, rate) {
		err = errRateStale.After(retryRate(nil))
	}
	return rate, err
}

// limits are the least and the most that one payout may be.
type limits struct{ from, to money.Amount }

func (s *Service) limits(c money.Currency) limits {
	return limits{money.Of(s.c.Least.Minor, c), money.Of(s.c.Settings.Most.Minor, c)}
}

func (s *Service) outside(c money.Currency) error {
	l := s.limits(c)
	return errLimits.Msg(
		l.from.Display(), l.to.Display(),
	).With("minimum", l.from.String()).With("maximum", l.to.String()).With("currency", c.Upper())
}

// retryRate is the Retry-After of a call that got no rate.
func retryRate(err error) time.Duration {
	if f, ok := fault.As(fiat.Fault(err)); ok && f.RetryAfter > 0 {
		return f.RetryAfter
	}
	return 5 * time.Second
}
