// Package facilitator is the process railkit-facilitator: it verifies payments of x402 for shops and settles them, by
// the rules of x402/facilitator. It holds no key that signs transactions. The account that pays for gas is one of the
// signer's, and signs settlements under a delegation that its owner's passkey stamped (remote.go).
//
// On Solana another account of the signer pays the fees of what payers have signed, and nothing else (sponsor.go,
// sponsored.go).
//
// In reading order: settler.go (one settlement for each payment), told.go (success is said once), line.go (one nonce
// after the other), unsigned.go (what the signer does not sign), draw.go (what a payer has left), follow.go (until the
// block), journal.go (what a restart finds), http.go, health.go, and stuck.go for operators.
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
	// Call runs a call in the state of the newest block.
	Call(ctx context.Context, c node.ContractCall) ([]byte, error)
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
	// ErrNotSigned: this request was not signed and will never be. ErrRefused: it was not signed now, and may be when
	// somebody asks again; beside it may be node.ErrReverts or a NextNonce, which say why. After any other error nobody
	// knows.
	Sign(ctx context.Context, request []byte) (raw []byte, err error)
	// Cancel makes sure that a request is never signed. ErrSigned: it was before; Sign has the bytes. After any other
	// error nobody knows.
	Cancel(ctx context.Context, request []byte) error
}

// What a Signer says of a request.
var (
	ErrNotSigned = errors.New("the signer does not sign it")
	ErrRefused   = errors.New("the signer does not sign it now")
	ErrSigned    = errors.New("the signer has signed it")
)

// NextNonce says that the account's next transaction has this nonce.
type NextNonce uint64

func (NextNonce) Error() string { return "the account's next transaction has another nonce" }

// Config is what a facilitator needs.
type Config struct {
	Nodes   map[uint64]Node // by chain id
	Signer  Signer          // nil where there are no Nodes
	Folder  string          // of the journal
	Clock   clock.Clock
	Log     *slog.Logger
	Sponsor *SponsorConfig // on Solana; nil: nothing is settled there
	// How long a settlement waits for its block before it answers settlement_pending; 0: 30 seconds.
	Wait time.Duration
	// How long a settlement is missed whose nonce is used, before it is lost; 0: 30 seconds. A node behind a balancer
	// may know the nonce and not the block yet.
	Lost time.Duration
	// How long a settlement that the signer does not answer holds others back, before it is cancelled; 0: a minute.
	Held time.Duration
}

// cachedNode is a node whose newest block is asked for four times a second at most.
type cachedNode struct {
	Node
	mu   sync.Mutex
	time time.Time // of the newest block, as it was
	at   time.Time
}

// timeFor is how long a block's time is good for. A payment that is judged has to have 6 seconds left.
const timeFor = 250 * time.Millisecond

// Time asks the node no more often than its answer changes.
func (a *cachedNode) Time(ctx context.Context) (time.Time, error) {
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

func (a *cachedNode) Code(ctx context.Context, at evm.Address) (bool, error) {
	return a.HasCode(ctx, at)
}

func (a *cachedNode) Call(ctx context.Context, c facilitator.Call) ([]byte, error) {
	answer, err := a.CallPending(ctx, c.From, c.To, c.Data)
	if errors.Is(err, node.ErrReverts) {
		return nil, facilitator.ErrReverted
	}
	return answer, err
}
