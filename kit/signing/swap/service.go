package swap

import (
	"context"

	"github.com/railkit/railkit/chain/exchange"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/platform/record"
)

// Exchanges find the best trade over the exchanges of a network. What they say of a price is not trusted: the minimum
// is made of it, the owner sees and stamps that, and the chain holds the trade to it.
type Exchanges interface {
	Quote(context.Context, exchange.Request) (exchange.Quote, error)
}

// Tx is what swaps need of a transaction of the database.
type Tx interface {
	link.Tx
	InsertTransaction(context.Context, transaction.Transaction) error
}

// Store is what swaps need of a database.
type Store interface {
	Transaction(ctx context.Context, workspaceID, id string) (transaction.Transaction, error)
	record.Writer[Tx]
}

// Config wires a Service.
type Config struct {
	Store        Store
	Exchanges    Exchanges
	Nodes        *nodes.Set
	Wallets      *wallet.Service
	Transactions *transaction.Service
	Clock        clock.Clock
}

// Service prepares and confirms swaps.
type Service struct{ c Config }

// New makes it.
func New(c Config) *Service { return &Service{c} }
