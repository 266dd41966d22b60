package facilitator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/signed"
	"github.com/railkit/railkit/x402"
)

// Plan is a payment that can be settled: the call to send, and what its transaction has to show.
type Plan struct {
	ID      string // names the money that moves: two plans with one ID are one settlement
	ChainID uint64
	Call    Call

	payment payment
}

// Draw is what a settlement takes of its payer. Whoever has several open needs the money for all of them.
type Draw struct {
	From, Asset evm.Address
	Amount      *big.Int
	Permit      bool // by Permit2: his allowance for it has to suffice as well
}

// Draw is what the plan takes.
func (p Plan) Draw() Draw {
	return Draw{p.payment.payload.From(), p.payment.asset, p.payment.amount, p.payment.permit}
}

// Mined is a transaction in a block.
type Mined struct {
	Hash    string
	Success bool
	Logs    []signed.Log
}

// Plan verifies a payment again and says what to send. Where there is nothing to send, sent is false and the receipt
// is final: a refusal, or a payment of nothing under the scheme upto.
//
// Of the scheme upto the offer's amount is what the shop charges now. What was signed is the ceiling.
func (j *Judge) Plan(ctx context.Context, r x402.Request) (plan Plan, receipt x402.Receipt, send bool, err error) {
	p, err := j.read(r)
	var call Call
	if err == nil {
		amount := p.amount
		if p.offer.Scheme == x402.Upto {
			amount = p.payload.Permit.Amount
		}
		if p.amount.Cmp(amount) > 0 {
			err = refusal(x402.ReasonUptoExceeds)
		} else {
			call, err = j.judge(ctx, p, amount)
		}
	}
	receipt = x402.Receipt{Network: p.offer.Network}
	if p.chain != nil {
		receipt.Payer = p.payload.Payer()
	}
	if refused, ok := errors.AsType[refusal](err); ok {
		receipt.ErrorReason, receipt.ErrorMessage = string(refused), p.report(refused)
		return plan, receipt, false, nil
	}
	if err != nil {
		receipt.ErrorReason = x402.ReasonUnexpectedSettleError
		return plan, receipt, false, fmt.Errorf("verifying a payment before its settlement: %w", err)
	}
	if p.amount.Sign() == 0 {
		receipt.Success, receipt.Amount = true, "0"
		return plan, receipt, false, nil
	}
	return Plan{ID: p.payload.ID(), ChainID: p.id, Call: call, payment: p}, receipt, true, nil
}

// Recall is the plan of a payment that was planned before, for its receipts. It judges nothing: the payment may be
// settled by now, or over.
func (j *Judge) Recall(r x402.Request) (Plan, error) {
	p, err := j.read(r)
	if err != nil {
		return Plan{}, err
	}
	return Plan{ID: p.payload.ID(), ChainID: p.id, payment: p}, nil
}

// Fails is the receipt of a payment whose call does not run, after it did when it was judged. Nothing was sent.
func (p Plan) Fails() x402.Receipt {
	r := p.receipt("")
	r.ErrorReason = x402.ReasonSimulation
	if p.payment.permit {
		r.ErrorReason = x402.ReasonPermit2Simulation
	}
	return r
}

// Unfunded is the receipt of a payment whose payer has the money for it, and not for those of his that are open as
// well. Nothing was sent.
func (p Plan) Unfunded() x402.Receipt {
	r := p.receipt("")
	r.ErrorReason = x402.ReasonBalance
	if p.payment.permit {
		r.ErrorReason = x402.ReasonPermit2Balance
	}
	return r
}

// Unapproved is likewise that of a payment by Permit2 whose payer has approved too little for all of them.
func (p Plan) Unapproved() x402.Receipt {
	r := p.receipt("")
	r.ErrorReason = x402.ReasonPermit2Allowance
	return r
}

// Unsigned is the receipt of a payment whose transaction is not signed, and never will be, for no fault of the payment.
func (p Plan) Unsigned() x402.Receipt {
	r := p.receipt("")
	r.ErrorReason, r.ErrorMessage = x402.ReasonInvalidTransaction, "the facilitator's account does not sign it"
	return r
}

// Duplicate is the receipt of a payment that was settled for somebody else, by the transaction.
func (p Plan) Duplicate(hash string) x402.Receipt {
	r := p.receipt(hash)
	r.ErrorReason = x402.ReasonDuplicateSettlement
	return r
}

// Lost is the receipt of a payment whose transaction can be mined no more, without having been.
func (p Plan) Lost(hash string) x402.Receipt {
	r := p.receipt(hash)
	r.ErrorReason = x402.ReasonInvalidTransaction
	return r
}

// Pending is the receipt while the transaction is sent and not in a block.
func (p Plan) Pending(hash string) x402.Receipt {
	r := p.receipt(hash)
	r.ErrorReason = x402.ReasonSettlementPending
	return r
}

// Receipt is what a mined transaction says of the payment. That it succeeded is not enough: some tokens do nothing
// on a nonce that is used, and do not fail.
func (p Plan) Receipt(tx Mined) x402.Receipt {
	r := p.receipt(tx.Hash)
	from := p.payment.payload.From()
	switch {
	case !tx.Success:
		r.ErrorReason = p.payment.word(x402.ReasonTransactionFailed, x402.ReasonUptoTransaction)
	case !signed.Transferred(tx.Logs, p.payment.asset, from, p.payment.payTo, p.payment.amount):
		r.ErrorReason = x402.ReasonTransferEvent
	default:
		r.Success = true
	}
	return r
}

func (p Plan) receipt(hash string) x402.Receipt {
	r := x402.Receipt{
		Payer: p.payment.payload.Payer(), Transaction: hash, Network: p.payment.offer.Network,
	}
	if p.payment.offer.Scheme == x402.Upto {
		r.Amount = p.payment.amount.String()
	}
	return r
}

// Supported lists what is settled here.
func (j *Judge) Supported() x402.Supported {
	s := x402.Supported{Kinds: []x402.Kind{}, Extensions: []string{}, Signers: map[string][]string{}}
	for _, id := range slices.Sorted(maps.Keys(j.chains)) {
		n := chain.Network{Kind: chain.EVM, ChainID: id}
		s.Kinds = append(s.Kinds,
			x402.Kind{Version: 2, Scheme: x402.Exact, Network: x402.NetworkID(n)},
			x402.Kind{Version: 2, Scheme: x402.Upto, Network: x402.NetworkID(n),
				Extra: &x402.Extra{FacilitatorAddress: j.signers[0].String()}})
		if name, ok := x402.NameV1(n); ok {
			s.Kinds = append(s.Kinds, x402.Kind{Version: 1, Scheme: x402.Exact, Network: name})
		}
	}
	s.Signers["eip155:*"] = texts(j.signers)
	return s
}

func texts(all []evm.Address) (out []string) {
	for _, a := range all {
		out = append(out, a.String())
	}
	return out
}
