// Package x402pay pays sellers by x402 for agents. The agent signs what it wants (a URL and the most that it may cost,
// or a recipient), the seller's offer says what is to be paid, and the enclave signs a transfer that keeps to both and
// to the owner's limits. The seller hands the transfer in.
//
// A payment is an activity of the enclave, and a row here with the same id:
//
//	prepared -> signed    the enclave has signed; the row says so before the seller hears of it
//	prepared -> (deleted) refused, rejected or over
//	signed   -> settled   the chain says that the transfer moved the money
//	signed   -> unused    the chain is past the transfer's end, and the money is where it was
//	signed   -> void      it is used up, and by no movement of money: its nonce is, or its transaction failed
//
// Only the chain decides: a seller may hang, or say that it failed and take the money later, or say that it was paid
// and lie. Until the chain has told, the same signed transfer is sent again, and never another one for the same call.
//
// The enclave counts what it signs, and takes nobody's word that a transfer came to nothing. What was signed for an
// unused payment is not lost for that: the next payment of the agent has its nonce, for which the enclave counts only
// what is more. At most one of the two ever moves money. A transaction without a nonce stays counted.
//
// Read payment.go for the row, offer.go for how a seller is asked and an offer chosen, pay.go for the order, deliver.go
// for how the seller is paid, follow.go for how the chain is asked, sponsored.go for what is otherwise where the
// payment is a transaction, and view.go for lists.
package x402pay

import (
	"context"
	"errors"
	"log/slog"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/agent/call"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/fetch"
	"github.com/railkit/railkit/platform/vault"
)

// paysIn is the token that agents pay with: their limits are counted in it.
const paysIn = "USDC"

// Job asks the chain what became of a payment.
const Job job.Kind = "x402_payment"

// What a caller is told.
var (
	ErrNoOffer = fault.Define(fault.Unprocessable, "x402_no_offer", "No offer of the seller fits",
		"Every offer is above the amount, to somebody else, or of a network, token or scheme that is not paid here; "+
			"details.skipped says of each why")
	ErrOffers = fault.Define(fault.Upstream, "x402_offers_unreadable", "The seller's offers cannot be read",
		"The seller answered 402 with offers that break their form, or that are for another server")
	ErrEmpty = fault.Define(fault.Unprocessable, "x402_offers_empty", "The seller offers no way to pay",
		"The seller answered 402 by x402 with an empty list of offers (accepts): nobody can pay it now")
	ErrNotX402 = fault.Define(fault.Unprocessable, "x402_not_offered", "The seller asks for money, but not by x402",
		"The seller answered 402 without the header PAYMENT-REQUIRED and without x402Version in its body")
	ErrL402 = fault.Define(fault.Unprocessable, "l402_not_paid",
		"The seller takes Lightning (L402), which agents do not pay",
		"The seller answered 402 with WWW-Authenticate: L402 (or LSAT) and without an offer of x402")
	ErrAllowance = fault.Define(fault.Unprocessable, "permit2_allowance_required",
		"The agent's wallet has not allowed Permit2 to take this amount of USDC",
		"The seller's offer moves the money by Permit2, which takes it only up to an allowance of the wallet on the chain; "+
			"details has what it is and what the offer asks for, and in prepare the body for POST /v1/transactions/prepare "+
			"with which the owner gives it. Nothing was signed")
	ErrBalance = fault.Define(fault.PaymentRequired, "insufficient_wallet_balance",
		"The agent's wallet has too little USDC",
		"The agent's wallet has less USDC on the network than the offer asks for; its owner can fund it")
	ErrWaits = fault.Define(fault.Conflict, "x402_payment_waits", "The payment waits for approval",
		"paymentId names a payment that nobody has approved yet; GET /v1/signing/approvals/{id} tells when")
	ErrOver = fault.Define(fault.Conflict, "x402_payment_over", "The payment can no longer be sent to its seller",
		"The signed transfer has ended, or was never signed; begin a new payment")

	errRow = errors.New("a payment's row cannot be read")
)

// Service pays sellers.
type Service struct {
	c     Config
	calls *call.Caller[Tx]
}

// Config wires a Service.
type Config struct {
	Store      Store
	Enclave    signer.Enclave
	Activities *activity.Service
	Planner    Planner
	Nodes      *nodes.Set
	Budget     call.Budget
	Client     *fetch.Client // asks sellers
	Sponsors   Sponsors      // of the platform's facilitator; nil: there is none
	Vault      *vault.Vault  // seals what sellers are asked
	Clock      clock.Clock
	Log        *slog.Logger
}

// Planner has the nodes try what is to be signed.
type Planner interface {
	OfferSponsored(context.Context, chain.Network, chain.SponsoredTransfer) (node.SponsoredOffer, error)
}

// Sponsors tells who pays the fee of what a facilitator settles on a network.
type Sponsors interface {
	Of(context.Context, chain.Network) (address string, err error)
}

// Kinds are the bodies under which agents buy. What came of one is in the purchase's own row, which follow.go writes.
func (s *Service) Kinds() []activity.Kind {
	return []activity.Kind{{
		Type: wire.AgentX402,
		Volatile: func(ctx context.Context, a activity.Activity) (*wire.Volatile, error) {
			p, err := s.c.Store.X402Payment(ctx, a.WorkspaceID, a.ID)
			if err != nil {
				return nil, err
			}
			return s.volatile(ctx, p)
		},
	}}
}

// New makes a Service.
func New(c Config) *Service {
	return &Service{
		c: c,
		calls: &call.Caller[Tx]{
			Store: c.Store, Enclave: c.Enclave, Budget: c.Budget, Clock: c.Clock, Log: c.Log,
		},
	}
}
