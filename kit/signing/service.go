// Package signing is the signing kit: passkeys, wallets, addresses and
// transactions. It prepares, passes on and remembers; the enclave decides.
package signing

import (
	"context"
	"errors"
	"log/slog"
	"math/big"
	"sync"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
)

// Enclave is what the kit asks of the enclave; client.Client answers.
type Enclave interface {
	Info(ctx context.Context) (wire.InfoReply, error)
	Challenge(ctx context.Context, workspaceID, email string) (wire.ChallengeReply, error)
	Recovery(ctx context.Context, q wire.RecoveryRequest) (wire.RecoveryReply, error)
	Preview(ctx context.Context, body string) (wire.Proof, wire.Statement, error)
	PreviewVote(ctx context.Context, body, held string) (wire.Proof, wire.Statement, error)
	Submit(ctx context.Context, q wire.SubmitRequest, fingerprint string) (client.Outcome, error)
	Cancel(ctx context.Context, fingerprint string) (client.Outcome, error)
	Outcome(ctx context.Context, fingerprint string) (client.Outcome, error)
	State(ctx context.Context, q wire.StateRequest) (wire.Proof, error)
	Heads(ctx context.Context, seqs []string) (wire.Proof, error)
}

// Node is what the kit asks of an EVM node. Nothing that a node says is trusted
// with more than liveness: what is signed is stamped, and ids are computed here.
type Node interface {
	Preflight(ctx context.Context, f Flight) (Preflight, error)
	MinedNonce(ctx context.Context, address string) (uint64, error)
	PendingNonce(ctx context.Context, address string) (uint64, error) // also counts what waits in the node's pool
	Send(ctx context.Context, signed []byte) error                    // ErrRefused, ErrNonceUsed, ErrUnderpriced, ErrNoFunds; nil where the node knows it already
	Fee(ctx context.Context) (NetworkFee, error)
	Receipt(ctx context.Context, hash string) (Receipt, bool, error)
	Known(ctx context.Context, hash string) (bool, error) // mined, or waiting in the node's pool
	Head(ctx context.Context) (uint64, error)
	BlockHash(ctx context.Context, number uint64) (hash string, found bool, err error) // of the block that has the number now
}

// What a Node's errors mean. Every other error is an outage: try again.
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

// Service is the kit.
type Service struct {
	store          Store
	enclave        Enclave
	nodes          map[string]Node // by slug
	networks       []chain.Network
	env            chain.Environment
	rpID           string
	ceremonyOrigin string
	mailer         Mailer
	clock          clock.Clock
	log            *slog.Logger

	sweeping          sync.Mutex
	sweptTransactions Cursor // where the next sweep goes on
	sweptActivities   Cursor
	sweptApprovals    map[ApprovalState]Cursor
}

// Config wires a Service.
type Config struct {
	Store          Store
	Enclave        Enclave
	Nodes          map[string]Node
	Environment    chain.Environment
	Networks       []chain.Network
	RPID           string
	CeremonyOrigin string // of the passkey page; empty: there is none, and no answer links to it
	Mailer         Mailer // nil: mail waits until there is one
	Clock          clock.Clock
	Log            *slog.Logger
}

// New makes the kit.
func New(c Config) *Service {
	return &Service{
		store: c.Store, enclave: c.Enclave, nodes: c.Nodes, networks: c.Networks, env: c.Environment, rpID: c.RPID,
		ceremonyOrigin: c.CeremonyOrigin, mailer: c.Mailer, sweptApprovals: map[ApprovalState]Cursor{},
		clock: c.Clock, log: c.Log,
	}
}

// newID is the id of a new row: UUIDv7, so that rows lie in the order of time.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

// derivedID is the id of a row that mirrors something of the enclave: a table
// that is rebuilt from the journal gets the same ids, and a retry after a crash
// writes the same row.
func derivedID(parts ...string) string {
	id := uuid.NameSpaceOID
	for _, p := range parts {
		id = uuid.NewSHA1(id, []byte(p))
	}
	return id.String()
}

func (s *Service) networkBySlug(slug string) (chain.Network, bool) {
	return chain.WithSlug(s.networks, slug)
}

func (s *Service) networkByID(id uint64) (chain.Network, bool) {
	return chain.WithChainID(s.networks, id)
}

func (s *Service) node(slug string) (Node, error) {
	n, ok := s.nodes[slug]
	if !ok {
		return nil, ErrNoNode
	}
	return n, nil
}
