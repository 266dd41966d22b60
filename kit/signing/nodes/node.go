package nodes

import (
	"context"
	"errors"
	"math/big"
)

// Node is what the kit asks of an EVM node. Nothing that a node says is trusted
// with more than liveness: what is signed is stamped, and ids are computed here.
type Node interface {
	Preflight(ctx context.Context, f Flight) (Preflight, error)
	MinedNonce(ctx context.Context, address string) (uint64, error)
	PendingNonce(ctx context.Context, address string) (uint64, error) // also counts what waits in the node's pool
	// ErrRefused, ErrNonceUsed, ErrUnderpriced, ErrNoFunds; nil where the node knows it already
	Send(ctx context.Context, signed []byte) error
	Fee(ctx context.Context) (NetworkFee, error)
	Receipt(ctx context.Context, hash string) (Receipt, bool, error)
	Known(ctx context.Context, hash string) (bool, error) // mined, or waiting in the node's pool
	Head(ctx context.Context) (uint64, error)
	// of the block that has the number now
	BlockHash(ctx context.Context, number uint64) (hash string, found bool, err error)
}

// Errors of a Node. Any other error is an outage, and the call is tried again.
var (
	ErrReverts   = errors.New("the call would revert")
	ErrRefused   = errors.New("the node refuses the transaction for good")
	ErrNonceUsed = errors.New("the nonce is used up")
	// These may pass: fees fall, what has the place may go, and money may come.
	ErrUnderpriced = errors.New("the fee is too low for the node")
	ErrNoFunds     = errors.New("the sender cannot pay for the transaction")
)

// Flight is a transaction about which a node is asked before it is signed.
type Flight struct {
	From, To string // no To: a contract is made
	Value    *big.Int
	Data     []byte
	Token    string // contract of a token that leaves; may be empty
	Estimate bool   // the gas that it needs
}

// Preflight is what a node says of it, all at one time.
type Preflight struct {
	MinedNonce   uint64
	Fee          NetworkFee
	Balance      *big.Int
	TokenBalance *big.Int // of Token
	Gas          uint64   // where it was to be estimated
	GasError     error    // ErrReverts: the contract refuses
	WeiPerByte   *big.Int // not the node's word but the enclave's: see weiPerByte
}

// GasNeeded is what the node says that the transaction needs, or why it would fail.
func (p Preflight) GasNeeded() (uint64, error) {
	switch {
	case errors.Is(p.GasError, ErrReverts):
		return 0, ErrWouldFail.Because(p.GasError)
	case p.GasError != nil:
		return 0, ErrNode.Because(p.GasError)
	}
	return p.Gas, nil
}

// NetworkFee is what a node asks for a place in the next block, per gas.
type NetworkFee struct {
	Base     *big.Int // of the last block
	Max      *big.Int // proposed maximum
	Priority *big.Int // proposed tip
}

// Receipt is a mined transaction.
type Receipt struct {
	Succeeded   bool
	BlockNumber uint64
	BlockHash   string
}
