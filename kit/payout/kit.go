// Package payout is the payout kit: recipients and their bank accounts, and what is paid
// out to them. The partner holds the money and reaches the banks; what it is told to do,
// and when, is decided here.
//
// Each noun has a package of its own below this one, with its lifecycle in the package's
// comment. This package only wires them. From the top down, each knows those below it:
//
//	operator, payment, invite, sandbox, reconcile   decide, pay, and check
//	batch                                           many payments at once
//	refund, arrival, payin, quote                   move orders on
//	statement                                       says what was held, and what moved it
//	transfer, orderview                             ask the partner; find and show orders
//	screen                                          who must not be paid
//	depositaccount, virtual, withdraw               where money arrives
//	account                                         where money goes
//	alert, customer, notice, recipient              who is told, and who is paid
//	provision, reference, mail                      what they have in common
//	order, ledger, match, price, fx                 pure: rules and arithmetic
package payout

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/alert"
	"github.com/railkit/railkit/kit/payout/arrival"
	"github.com/railkit/railkit/kit/payout/batch"
	"github.com/railkit/railkit/kit/payout/customer"
	"github.com/railkit/railkit/kit/payout/depositaccount"
	"github.com/railkit/railkit/kit/payout/fx"
	"github.com/railkit/railkit/kit/payout/invite"
	"github.com/railkit/railkit/kit/payout/notice"
	"github.com/railkit/railkit/kit/payout/operator"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/kit/payout/pair"
	"github.com/railkit/railkit/kit/payout/payin"
	"github.com/railkit/railkit/kit/payout/payment"
	"github.com/railkit/railkit/kit/payout/price"
	"github.com/railkit/railkit/kit/payout/quote"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/kit/payout/refund"
	"github.com/railkit/railkit/kit/payout/sandbox"
	"github.com/railkit/railkit/kit/payout/screen"
	"github.com/railkit/railkit/kit/payout/statement"
	"github.com/railkit/railkit/kit/payout/transfer"
	"github.com/railkit/railkit/kit/payout/virtual"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/vault"
	"github.com/railkit/railkit/platform/workspace"
)

// Stores are what the nouns need of a database. The database has one for each.
type Stores struct {
	Customers  customer.Store
	Recipients recipient.Store
	Alerts     alert.Store
	Accounts   account.Store
	Addresses  withdraw.Store
	Virtuals   virtual.Store
	Deposits   depositaccount.Store
	Orders     orderview.Store
	Arrivals   arrival.Store
	PayIns     payin.Store
	Quotes     quote.Store
	Batches    batch.Store
	Transfers  transfer.Store
	Payments   payment.Store
	Operator   operator.Store
	Invites    invite.Store
	Notices    notice.Store
	Sandbox    sandbox.Store
	Statements statement.Store
}

// Tx is all that the kit writes in a transaction of the database. A noun gets its own part of it.
type Tx interface {
	account.Tx
	alert.Tx
	arrival.Tx
	batch.Tx
	customer.Tx
	depositaccount.Tx
	invite.Tx
	notice.Tx
	operator.Tx
	payin.Tx
	payment.Tx
	quote.Tx
	recipient.Tx
	virtual.Tx
	withdraw.Tx
}

// Kit is the payout kit, by noun.
type Kit struct {
	Customers  *customer.Service
	Recipients *recipient.Service
	Alerts     *alert.Service
	Accounts   *account.Service
	Addresses  *withdraw.Service
	Virtuals   *virtual.Service
	Deposits   *depositaccount.Service
	Orders     *orderview.Service
	Arrivals   *arrival.Service
	PayIns     *payin.Service
	Quotes     *quote.Service
	Batches    *batch.Service
	Transfers  *transfer.Service
	Refunds    *refund.Service
	Payments   *payment.Service
	Operator   *operator.Service
	Invites    *invite.Service
	Sandbox    *sandbox.Service
	Statements *statement.Service
}

// Config wires a Kit.
type Config struct {
	Stores     Stores
	Partner    fiat.Partner // nil: nothing that needs it can be done
	Workspaces workspace.Reader
	Vault      *vault.Vault
	Cooling    time.Duration // for which a new, changed or restored bank account is not paid, nor a return address used
	Clock      clock.Clock
	Log        *slog.Logger
	InvitePage string     // address of the page that invites lead to; "": nobody can be invited
	Post       *mail.Post // nil: mail waits until there is one

	Transfers   Transfers
	Wallets     withdraw.Wallets
	Payees      withdraw.Payees
	Proofs      depositaccount.Wallets // where the signer proved that the wallets are
	Rates       payment.Rates
	Fees        price.Fees
	Deposits    price.Deposits  // what deposits of fiat money may be, and cost
	Screening   *screen.Service // of names and addresses; nil: nobody is asked
	Band        int64           // basis points that the partner's rates may be apart; 0: any
	Least       money.Amount    // deposits of less are dust
	Quoting     quote.Settings
	Chains      []string // that are watched
	Environment chain.Environment
	Depth       int // of every network, instead of its own
}

// Transfers reads the transfers that the watcher wrote.
type Transfers interface {
	arrival.Transfers
	payin.Transfers
}

// New makes the kit, from the lowest noun up.
func New(c Config) *Kit {
	band, pairs := fx.Band{Points: c.Band, Log: c.Log}, pair.Pairs{Environment: c.Environment, Watched: c.Chains}
	var k Kit
	k.Customers = customer.New(c.Stores.Customers, c.Partner, c.Workspaces, c.Clock)
	k.Recipients = recipient.New(
		c.Stores.Recipients, payment.WaitingForRecipient(c.Stores.Payments), c.Cooling, c.Clock,
	)
	k.Alerts = alert.NewService(alert.Config{
		Store: c.Stores.Alerts, Workspaces: c.Workspaces, Vault: c.Vault, InvitePage: c.InvitePage, Post: c.Post,
		Clock: c.Clock, Log: c.Log,
	})
	k.Accounts = account.New(account.Config{
		Store: c.Stores.Accounts, Partner: c.Partner, Customers: k.Customers, Alerts: k.Alerts,
		Waiting: payment.WaitingForAccount(c.Stores.Payments), Vault: c.Vault, Cooling: c.Cooling, Clock: c.Clock,
		Log: c.Log,
	})
	k.Addresses = withdraw.New(withdraw.Config{
		Store: c.Stores.Addresses, Partner: c.Partner, Customers: k.Customers, Accounts: k.Accounts, Wallets: c.Wallets,
		Payees: c.Payees, Pairs: pairs, Cooling: c.Cooling, Clock: c.Clock, Log: c.Log,
	})
	k.Virtuals = virtual.New(c.Stores.Virtuals, c.Partner, k.Accounts, c.Deposits, c.Clock, c.Log)
	k.Deposits = depositaccount.New(depositaccount.Config{
		Store: c.Stores.Deposits, Partner: c.Partner, Customers: k.Customers, Wallets: c.Proofs, Limits: c.Deposits,
		Vault: c.Vault, Pairs: pairs, Clock: c.Clock, Log: c.Log,
	})
	k.Orders = orderview.New(c.Stores.Orders, c.Clock)
	k.PayIns = payin.New(payin.Config{
		Store: c.Stores.PayIns, Partner: c.Partner, Accounts: k.Accounts, Deposits: k.Deposits,
		Transfers: c.Transfers, Rates: c.Rates, Screening: c.Screening, Limits: c.Deposits, Band: c.Band,
		Environment: c.Environment,
		Depth:       c.Depth, Clock: c.Clock, Log: c.Log,
	})
	k.Arrivals = arrival.New(arrival.Config{
		Store: c.Stores.Arrivals, Transfers: c.Transfers, Accounts: k.Accounts, Coming: k.PayIns, Least: c.Least,
		Environment: c.Environment,
		Depth:       c.Depth, Clock: c.Clock, Log: c.Log,
	})
	k.Quotes = quote.New(quote.Config{
		Store: c.Stores.Quotes, Addresses: k.Addresses, Virtuals: k.Virtuals, Pairs: pairs, Rates: c.Rates,
		Fees: c.Fees, Band: band, Least: c.Least,
		Deposits: c.Deposits, Settings: c.Quoting, Clock: c.Clock,
	})
	k.Batches = batch.New(c.Stores.Batches, k.Quotes, c.Clock)
	k.Transfers = transfer.New(c.Stores.Transfers, c.Partner, band, c.Screening, c.Clock, c.Log)
	k.Refunds = refund.New(c.Stores.Transfers, k.Transfers, c.Clock, c.Log)
	k.Payments = payment.New(payment.Config{
		Store: c.Stores.Payments, Workspaces: c.Workspaces, Accounts: k.Accounts, Arrivals: k.Arrivals,
		PayIns: k.PayIns, Transfers: k.Transfers,
		Refunds: k.Refunds, Rates: c.Rates, Fees: c.Fees, Band: band, Clock: c.Clock, Log: c.Log,
	})
	k.Operator = operator.New(c.Stores.Operator, k.Orders, k.Transfers, c.Clock)
	k.Invites = invite.New(invite.Config{
		Store: c.Stores.Invites, Workspaces: c.Workspaces, Accounts: k.Accounts, Vault: c.Vault, Page: c.InvitePage,
		Post: c.Post, Clock: c.Clock, Log: c.Log,
	})
	k.Sandbox = sandbox.New(c.Stores.Sandbox, k.Deposits)
	k.Statements = statement.New(c.Stores.Statements)
	return &k
}

// Follow says which noun looks after which of the partner's objects. Customers are asked
// about by the sweeper.
func (k *Kit) Follow() notice.Follow {
	return notice.Follow{
		Transfer: k.Payments.TransferChanged, Drain: k.Payments.DrainSeen, Account: k.Accounts.Noticed,
		Virtual:  k.PayIns.Noticed,
		Customer: func(context.Context, string) error { return nil },
	}
}

// Sweep finds the rows that have waited too long, and does what they wait for.
func (k *Kit) Sweep(ctx context.Context) error {
	return errors.Join(
		k.Accounts.Sweep(ctx), k.Payments.Sweep(ctx), k.Arrivals.Sweep(ctx), k.Addresses.Sweep(ctx),
		k.Virtuals.Sweep(ctx), k.Deposits.Sweep(ctx), k.PayIns.Sweep(ctx),
		k.Invites.Sweep(ctx), k.Alerts.Sweep(ctx),
	)
}
