// Package facilitator judges payments of x402 for shops: whether a payment pays an offer, what is sent to settle it,
// and what a mined transaction says of it. It sends nothing itself.
//
// A payment is judged in this order, and the first check that fails gives the reason. What costs nothing comes
// before what asks a node.
//
//  1. The request: version, payload and offer can be read.
//  2. Scheme and network: known, served here, and the same in payload and offer.
//  3. The offer: amount, asset and payTo can be read, payTo can use the token, and it has the token's EIP-712 domain
//     where it needs one.
//  4. The terms that were signed: spender, receiver, facilitator, amount, token.
//  5. The time: at least 6 seconds are left, and it has begun.
//  6. The asset, and Permit2's proxy, are contracts.
//  7. The signature: an account's, or one that the payer's contract takes (ERC-1271).
//  8. The call that would settle it runs. Where it does not, a few questions find the reason.
package facilitator

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/signed"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/x402"
)

// Chain is what is asked of one network. An error other than ErrReverted is an outage: nothing is known then.
type Chain interface {
	// Code reports whether a contract is at the address.
	Code(ctx context.Context, at evm.Address) (bool, error)
	// Call runs a call as it would run in the next block, and changes nothing. Asked of an older block than the next,
	// a payment that has just begun would seem not to have.
	Call(ctx context.Context, c Call) (answer []byte, err error)
	// Time is the time of the newest block.
	Time(ctx context.Context) (time.Time, error)
}

// Call is a call of a contract.
type Call struct {
	From, To evm.Address
	Data     []byte
}

// ErrReverted is a call that the contract refused.
var ErrReverted = errors.New("call reverted")

// minLeft is what a payment must have left when it is judged: until it is mined some seconds pass.
const minLeft = 6

// Judge judges payments on some networks.
type Judge struct {
	chains  map[uint64]Chain
	signers []evm.Address
	clock   clock.Clock

	mu        sync.Mutex
	contracts map[contract]time.Time // seen with code, until then
}

type contract struct {
	chain uint64
	at    evm.Address
}

// A contract is looked at again after contractsFor; more than maxContracts are not remembered.
const (
	contractsFor = 15 * time.Minute
	maxContracts = 4096
)

// New makes a judge of the networks by chain id. The signers are the accounts that settle; the first of them is the
// one that calls are tried as.
func New(chains map[uint64]Chain, signers []evm.Address, c clock.Clock) (*Judge, error) {
	if len(chains) == 0 || len(signers) == 0 {
		return nil, errors.New("a facilitator needs a network and an account that settles")
	}
	return &Judge{chains: chains, signers: signers, clock: c, contracts: map[contract]time.Time{}}, nil
}

// payment is a request that was read.
type payment struct {
	payload x402.Payload
	offer   x402.Offer
	chain   Chain
	id      uint64
	asset   evm.Address
	payTo   evm.Address
	amount  *big.Int // what the offer asks for; of the scheme upto what is charged
	permit  bool     // by Permit2
}

// refusal is a reason in the field's words.
type refusal string

func (r refusal) Error() string { return string(r) }

// Verify tells whether a payment pays an offer. An error is an outage: the verdict then says unexpected_verify_error,
// and is true of nothing.
func (j *Judge) Verify(ctx context.Context, r x402.Request) (x402.Verdict, error) {
	p, err := j.read(r)
	if err == nil {
		_, err = j.judge(ctx, p, p.amount)
	}
	v := x402.Verdict{Valid: err == nil}
	if p.chain != nil {
		v.Payer = p.payload.Payer()
	}
	if refused, ok := errors.AsType[refusal](err); ok {
		v.InvalidReason, v.InvalidReport = string(refused), p.report(refused)
		return v, nil
	}
	if err != nil {
		v.InvalidReason = x402.ReasonUnexpectedVerifyError
		return v, fmt.Errorf("verifying a payment: %w", err)
	}
	return v, nil
}

// report tells people which network it is that nothing is settled on here.
func (p payment) report(r refusal) string {
	if r != x402.ReasonInvalidNetwork {
		return ""
	}
	return "network " + strconv.Quote(p.offer.Network) + " is none on which payments are settled here"
}

// read does the checks 1 to 3.
func (j *Judge) read(r x402.Request) (p payment, err error) {
	payload, offer, err := r.Parse()
	for _, word := range []error{x402.ErrRequestVersion, x402.ErrRequestPayload, x402.ErrRequestOffer} {
		if errors.Is(err, word) {
			return p, refusal(word.Error())
		}
	}
	p = payment{payload: payload, offer: offer, permit: offer.Method() == x402.Permit2}
	switch {
	case offer.Scheme != x402.Exact && (offer.Scheme != x402.Upto || offer.Dialect != x402.V2):
		return p, refusal(x402.ReasonUnsupportedScheme)
	case payload.Scheme != offer.Scheme:
		return p, refusal(p.word(x402.ReasonInvalidScheme, x402.ReasonUptoScheme))
	case payload.Network != offer.Network:
		return p, refusal(p.word(x402.ReasonNetwork, x402.ReasonUptoNetwork))
	}
	n, known := x402.ReadNetwork(offer.Dialect, offer.Network)
	p.id = n.ChainID
	if p.chain = j.chains[p.id]; !known || p.chain == nil {
		return p, refusal(x402.ReasonInvalidNetwork)
	}
	return p, p.readOffer(n)
}

// word is the first word for the scheme exact and the second for upto.
func (p payment) word(exact, upto string) string {
	if p.offer.Scheme == x402.Upto {
		return upto
	}
	return exact
}

func (p *payment) readOffer(n chain.Network) (err error) {
	var err2, err3 error
	p.asset, err = evm.ParseAddress(p.offer.Asset)
	p.payTo, err2 = evm.ParseAddress(p.offer.PayTo)
	p.amount, err3 = chain.ParseUnits(p.offer.Amount, 0)
	_, canBePaid := x402.CanBePaid(n, p.offer.Asset, p.offer.PayTo)
	nothing := p.offer.Scheme == x402.Exact && err3 == nil && p.amount.Sign() == 0
	if errors.Join(err, err2, err3) != nil || !canBePaid || nothing {
		return refusal(x402.ReasonInvalidRequirements)
	}
	signs := p.offer.Method() == x402.EIP3009 && p.payload.Authorization != nil
	if p.permit != (p.payload.Permit != nil) || !signs && !p.permit {
		return refusal(x402.ReasonUnsupportedPayload)
	}
	if !p.permit && (p.offer.Extra.Name == "" || p.offer.Extra.Version == "") {
		return refusal(x402.ReasonMissingDomain)
	}
	return nil
}

// domain is the token's, as the offer says. Where it says it wrong, the token refuses the call.
func (p payment) domain() signed.Domain {
	return signed.Domain{
		Name: p.offer.Extra.Name, Version: p.offer.Extra.Version, ChainID: p.id, Contract: p.asset,
	}
}

// judge does the checks 4 to 8, and gives the call that settles. amount is what has to be signed; of the scheme upto
// it may be more than the offer's amount, which is then what is charged.
func (j *Judge) judge(ctx context.Context, p payment, amount *big.Int) (call Call, err error) {
	terms, contracts := p.authorizationTerms, []evm.Address{p.asset}
	if p.permit {
		terms, contracts = p.permitTerms, append(contracts, p.payload.Permit.Spender())
	}
	if err := terms(amount, j.signers); err != nil {
		return call, err
	}
	if err := j.inTime(ctx, p); err != nil {
		return call, err
	}
	for i, at := range contracts {
		if found, err := j.isContract(ctx, p, at); err != nil {
			return call, err
		} else if !found {
			return call, refusal([]string{x402.ReasonAssetNotDeployed, x402.ReasonPermit2Proxy}[i])
		}
	}
	signature, err := j.signature(ctx, p)
	if err != nil || p.amount.Sign() == 0 { // nothing is sent for a charge of nothing
		return call, err
	}
	call = j.settleCall(p, signature)
	if _, err = p.chain.Call(ctx, call); errors.Is(err, ErrReverted) {
		err = p.diagnose(ctx)
	}
	return call, err
}

func (p payment) authorizationTerms(amount *big.Int, _ []evm.Address) error {
	a := p.payload.Authorization
	switch {
	case a.To != p.payTo:
		return refusal(x402.ReasonRecipient)
	case a.Value.Cmp(amount) != 0: // more would be a gift by mistake
		return refusal(x402.ReasonValue)
	}
	return nil
}

func (p payment) permitTerms(amount *big.Int, signers []evm.Address) error {
	t := p.payload.Permit
	wantUpto := p.offer.Scheme == x402.Upto
	switch {
	case wantUpto && !slices.Contains(signers, t.Facilitator):
		return refusal(x402.ReasonUptoFacilitator)
	case p.payload.Spender != t.Spender() || t.Upto() != wantUpto:
		return refusal(x402.ReasonPermit2Spender)
	case t.To != p.payTo:
		return refusal(x402.ReasonPermit2Recipient)
	case t.Amount.Cmp(amount) != 0:
		return refusal(x402.ReasonPermit2Amount)
	case t.Token != p.asset:
		return refusal(x402.ReasonPermit2Token)
	}
	return nil
}

// inTime goes by the later of our clock and the chain's: a chain may run ahead, and one without payments stand still.
func (j *Judge) inTime(ctx context.Context, p payment) error {
	block, err := p.chain.Time(ctx)
	if err != nil {
		return err
	}
	now := max(j.clock.Now().Unix(), block.Unix())
	after, late, early := p.payload.After(), x402.ReasonValidBefore, x402.ReasonValidAfter
	if p.permit {
		late, early = x402.ReasonPermit2Deadline, x402.ReasonPermit2NotYet
	}
	switch {
	case p.payload.End().Cmp(big.NewInt(now+minLeft)) < 0:
		return refusal(late)
	case after.Cmp(big.NewInt(now)) > 0:
		return refusal(early)
	}
	return nil
}

func (j *Judge) isContract(ctx context.Context, p payment, at evm.Address) (bool, error) {
	key, now := contract{p.id, at}, j.clock.Now()
	j.mu.Lock()
	known := j.contracts[key].After(now)
	j.mu.Unlock()
	if known {
		return true, nil
	}
	found, err := p.chain.Code(ctx, at)
	if err != nil || !found {
		return false, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.contracts) >= maxContracts {
		clear(j.contracts)
	}
	j.contracts[key] = now.Add(contractsFor)
	return true, nil
}
