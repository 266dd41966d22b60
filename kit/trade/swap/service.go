package swap

import (
	"context"

	"github.com/railkit/railkit/chain/exchange"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/kit/signing/wallet"
)

// Exchanges find the best trade over the exchanges of a network. What they say of a price is not trusted: the minimum
// is made of it, the owner sees and stamps that, and the chain holds the trade to it.
type Exchanges interface {
	Quote(context.Context, exchange.Request) (exchange.Quote, error)
}

// Config wires a Service.
type Config struct {
	Store        transaction.DraftStore
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
