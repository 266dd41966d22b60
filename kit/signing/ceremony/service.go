// Package ceremony is what the passkey page does with a link: it opens the link to see what it is for, and finishes it
// with a stamp or a new passkey, or declines. Finishing calls the same code as the API's confirm call: package wallet
// for a new wallet, package vote for a vote, and so on.
//
// A link has the state of the row that it is for (subject.go): once the transaction is signed, say, its link is over.
// Read open.go, finish.go, decline.go and then subject.go; back.go says where the page leads once the link has ended,
// and journal.go lets a page detect a replaced journal.
package ceremony

import (
	"context"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/approval"
	"github.com/railkit/railkit/kit/signing/change"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/recovery"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/kit/signing/vote"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/platform/record"
)

// Tx is what a ceremony needs of a transaction of the database.
type Tx interface {
	TryCeremony(ctx context.Context, tokenHash, given string) error // finished: record.ErrStale
	// DeclineCeremony finishes a link on which nothing else was handed in; any other: record.ErrStale.
	DeclineCeremony(context.Context, link.Decline) error
	MoveActivity(
		ctx context.Context, workspaceID, id string, from, to activity.State, walletID string, now time.Time,
	) error
	MoveTransaction(
		ctx context.Context, workspaceID, id string, from []transaction.State, to transaction.State,
		c transaction.Change,
	) error
}

// Store is what ceremonies need of a database.
type Store interface {
	Ceremony(ctx context.Context, tokenHash string) (link.Ceremony, error)
	Activity(ctx context.Context, workspaceID, id string) (activity.Activity, error)
	Transaction(ctx context.Context, workspaceID, id string) (transaction.Transaction, error)
	Approval(ctx context.Context, workspaceID, id string) (approval.Approval, error)
	Recovery(ctx context.Context, workspaceID, id string) (recovery.Recovery, error)
	Wallet(ctx context.Context, workspaceID, idOrEnclaveID string) (wallet.Wallet, error)
	Passkeys(ctx context.Context, workspaceID, subOrganizationID string) ([]passkey.Passkey, error)
	record.Writer[Tx]
}

// Service opens and finishes links.
type Service struct{ c Config }

// Config wires a Service.
type Config struct {
	Store        Store
	Enclave      signer.Enclave
	Links        *link.Links
	Activities   *activity.Service
	Passkeys     *passkey.Service
	Wallets      *wallet.Service
	Transactions *transaction.Service
	Recoveries   *recovery.Service
	Changes      *change.Service
	Votes        *vote.Service
	Environment  chain.Environment
	RPID         string
	Clock        clock.Clock
}

// New makes a Service.
func New(c Config) *Service { return &Service{c} }
