// Package facilitator is the process railkit-facilitator: it verifies payments of x402 for shops and settles them, by
// the rules of x402/facilitator. It holds no key that signs transactions. The account that pays for gas is one of the
// signer's, and signs settlements under a delegation that its owner's passkey stamped (remote.go).
//
// In reading order: settler.go (one settlement for each payment), line.go (one nonce after the other), follow.go
// (until the block), journal.go (what a restart finds), http.go.
package facilitator

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/rpc"
	"github.com/railkit/railkit/chain/evm/signed"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/x402/facilitator"
)

// Node is what is asked of a network's node. chain/evm/rpc has it.
type Node interface {
	HasCode(ctx context.Context, at evm.Address) (bool, error)
	CallPending(ctx context.Context, from, to evm.Address, data []byte) ([]byte, error)
	Time(ctx context.Context) (time.Time, error)
	Preflight(ctx context.Context, f node.Flight) (node.Preflight, error)
	NextNonce(ctx context.Context, address string) (uint64, error)
	Send(ctx context.Context, signed []byte) error
	Mined(ctx context.Context, id string) (succeeded bool, logs []signed.Log, found bool, err error)
}

var _ Node = (*rpc.Client)(nil)

// Signer signs for the account that pays for gas. Its key is in another process.
type Signer interface {
	Address() evm.Address
	// Ask makes the request for a signature over exactly this transaction. Nothing is signed yet.
	Ask(ctx context.Context, tx evm.Tx) (request []byte, err error)
	// Sign has a request signed. The same request gets the same bytes, however often and whenever it is made.
	// ErrNotSigned: this request was not signed and will never be. NextNonce: likewise, and why. After any other
	// error nobody knows.
	Sign(ctx context.Context, request []byte) (raw []byte, err error)
}

// ErrNotSigned is a request that the signer refused for good.
var ErrNotSigned = errors.New("the signer does not sign it")

// NextNonce is a request that the signer refused because the account's next transaction has this nonce.
type NextNonce uint64

func (NextNonce) Error() string { return "the account's next transaction has another nonce" }

// Config is what a facilitator needs.
type Config struct {
	Nodes  map[uint64]Node // by chain id
	Signer Signer
	Folder string // of the journal
	Clock  clock.Clock
	Log    *slog.Logger
	// How long a settlement waits for its block before it answers settlement_pending; 0: 30 seconds.
	Wait time.Duration
	// How long a settlement is missed whose nonce is used, before it is lost; 0: 30 seconds. A node behind a balancer
	// may know the nonce and not the block yet.
	Lost time.Duration
}

// asked is a node as the judge asks it.
type asked struct {
	Node
	mu   sync.Mutex
	time time.Time // of the newest block, as it was
	at   time.Time
}

// timeFor is how long a block's time is good for. A payment that is judged has to have 6 seconds left.
const timeFor = 250 * time.Millisecond

// Time asks the node no more often than its answer changes.
func (a *asked) Time(ctx context.Context) (time.Time, error) {
	a.mu.Lock()
	known, fresh := a.time, time.Since(a.at) < timeFor
	a.mu.Unlock()
	if fresh {
		return known, nil
	}
	block, err := a.Node.Time(ctx)
	if err != nil {
		return block, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.time, a.at = block, time.Now()
	return block, nil
}

func (a *asked) Code(ctx context.Context, at evm.Address) (bool, error) { return a.HasCode(ctx, at) }

func (a *asked) Call(ctx context.Context, c facilitator.Call) ([]byte, error) {
	answer, err := a.CallPending(ctx, c.From, c.To, c.Data)
	if errors.Is(err, node.ErrReverts) {
		return nil, facilitator.ErrReverted
	}
	return answer, err
}
