package payout

import (
	"context"
	"errors"

	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/alert"
	"github.com/railkit/railkit/kit/payout/customer"
	"github.com/railkit/railkit/kit/payout/notice"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/kit/payout/virtual"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/platform/command"
)

// ErrTaken is the claim of something that is another order's: a transfer that
// pays for two, or a partner that answers two calls with one payout.
var ErrTaken = errors.New("payout: it is another order's")

// Store is what the kit needs of a database, in whole operations. Reads see
// committed rows only; every write happens inside Commit or Work. What is not
// there is fault.Missing.
type Store interface {
	Customers() customer.Store
	Recipients() recipient.Store
	Alerts() alert.Store
	Accounts() account.Store
	Addresses() withdraw.Store
	Virtuals() virtual.Store
	Notices() notice.Store

	OrderStore
	DrainStore
	QuoteStore
	InviteStore
	Recipient(ctx context.Context, workspaceID, id string) (recipient.Recipient, error)
	BankAccount(ctx context.Context, workspaceID, id string) (account.Account, error)
	// Payable finds a recipient with the bank accounts in use, newest first; no
	// recipient where there are none.
	Payable(ctx context.Context, workspaceID, recipientID string, limit int) (recipient.Recipient, []account.Account, error)
	WithdrawAddress(ctx context.Context, workspaceID, id string) (withdraw.Address, error)
	WithdrawAddressByPartner(ctx context.Context, partnerID string) (withdraw.Address, error)
	// WithdrawAddressesOf lists those of a bank account, oldest first.
	WithdrawAddressesOf(ctx context.Context, workspaceID, bankAccountID string) ([]withdraw.Address, error)

	// Commit runs fn in one transaction, adds the audit row and, where the
	// command has a key, the idempotency row, and answers with the rendered
	// bytes. Where another call with that key committed first, nothing of fn
	// remains and the first one's answer is returned. fn may run more than once.
	Commit(ctx context.Context, cmd *command.Command, fn func(context.Context, Tx) (command.Reply, error)) (command.Answer, error)
	// Work is Commit for the server's own jobs: no caller, no key. The audit
	// row, where fn names an action, has the system as the actor.
	Work(ctx context.Context, workspaceID string, fn func(context.Context, Tx) (command.Audit, error)) error
}

// Tx is the writing half, good inside one Commit or Work. A compare-and-swap
// that finds another state answers work.ErrStale.
type Tx interface {
	recipient.Tx
	customer.Tx
	OrderTx
	withdraw.Tx
	virtual.Tx
	DrainTx
	account.Tx
	notice.Tx
	QuoteTx
	InviteTx
	alert.Tx

	Enqueue(ctx context.Context, j job.Job) error // runs only if the transaction commits
}
