// Package x402 is the protocol by which a server asks for a payment with status 402 and a client pays within the
// request: versions 1 and 2 of x402, what a buyer reads of MPP ("WWW-Authenticate: Payment"), and the fields of an
// older dialect. It reads and writes headers and bodies, chooses an offer, and builds the payment for it. It signs
// nothing and asks nobody.
//
// In reading order: codec.go (headers), offer.go and offers.go (what is asked for), choose.go (which offer is
// taken), payment.go (what is signed, and the header that pays), payload.go (what a shop reads of it), receipt.go,
// facilitator.go (the bodies between shop and facilitator), reasons.go.
//
// x402/facilitator judges payments, x402/shop sells handlers of net/http.
package x402

import "github.com/railkit/railkit/chain"

// Dialect is a way of writing offers and payments.
type Dialect string

// The dialects.
const (
	V1  Dialect = "x402 v1"
	V2  Dialect = "x402 v2"
	MPP Dialect = "mpp"   // the HTTP authentication scheme "Payment", method evm, intent charge
	Old Dialect = "older" // paymentRequirement in the body: paid as V1
)

// Version is the number in x402Version, or 0 where the dialect has none.
func (d Dialect) Version() int {
	switch d {
	case V1, Old:
		return 1
	case V2:
		return 2
	}
	return 0
}

// The headers, in net/http's spelling.
const (
	HeaderRequired  = "Payment-Required"   // the offers of V2
	HeaderPayment   = "Payment-Signature"  // a payment of V2
	HeaderReceipt   = "Payment-Response"   // the receipt of V2
	HeaderPaymentV1 = "X-Payment"          // a payment of V1
	HeaderReceiptV1 = "X-Payment-Response" // the receipt of V1

	HeaderIdentifier = "Payment-Identifier" // of POST /settle: the shop's name of one sale
)

// The schemes that are understood.
const (
	Exact = "exact" // the amount moves, or nothing
	Upto  = "upto"  // at most the amount moves: the shop says how much, after it has served
)

// Method is how a token is moved by a signature of its owner's that somebody else hands in.
type Method string

// The methods. An offer names none but the first two.
const (
	EIP3009   Method = chain.EIP3009   // EVM: the token checks the signature itself
	Permit2   Method = chain.Permit2   // EVM: the payer has approved the contract Permit2 for the token before
	Sponsored Method = chain.Sponsored // Solana: a whole transaction, whose fee extra.feePayer pays
)
