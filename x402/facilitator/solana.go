package facilitator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/svm"
)

// Cluster is what is asked of a network of Solana. An error other than ErrReverted and ErrBlockhash is an outage:
// nothing is known then.
type Cluster interface {
	// Run tries a transaction as the chain is now, whose fee payer has not signed, and says when it can be in a block.
	Run(ctx context.Context, unsigned []byte) (Window, error)
	// Calls are the transfers that the programs of a transaction would call.
	Calls(ctx context.Context, unsigned []byte) ([]solana.Instruction, error)
}

// ErrBlockhash is a transaction whose blockhash no node knows: it is too old, or too new for all of them.
var ErrBlockhash = errors.New("no node knows the blockhash")

// Window is from when to when a transaction can be in a block: a slot before it, and the height of the last block. Left
// is for how many blocks more its blockhash counts; 0: nobody knows.
type Window struct{ Since, LastHeight, Left int64 }

// minLife is for how many blocks more a payment has to count when it is judged: a fifth of a blockhash's life. It is
// signed and sent within it. What would end before that is signed for nothing, and takes of what may be signed in a
// day.
const minLife = 30

// Sponsor judges payments on networks of Solana, whose fee one account pays. It looks first at what costs nothing: the
// request, scheme and network, the offer, the bytes of the transaction (x402/svm); then has the chain try it.
type Sponsor struct {
	clusters map[string]Cluster // by CAIP-2
	account  solana.Address
}

// NewSponsor makes a judge of the networks by their CAIP-2 ids.
func NewSponsor(clusters map[string]Cluster, account solana.Address) *Sponsor {
	return &Sponsor{clusters, account}
}

// Sponsored is a payment that can be settled: the transaction to sign and send, and what has to come of it.
type Sponsored struct {
	ID       string // names the money that moves
	Network  string // CAIP-2
	Unsigned []byte // with the payer's signature and without ours
	Window   Window
	Paid     svm.Paid
	Mint     solana.Address
	PayTo    solana.Address
	Wrapped  bool // a wallet that is a program pays: only what has arrived tells that it did

	payload x402.Payload
	offer   x402.Offer
	terms   svm.Terms
}

// Verify tells whether a payment pays an offer. An error is an outage.
func (s *Sponsor) Verify(ctx context.Context, r x402.Request) (x402.Verdict, error) {
	p, err := s.judge(ctx, r)
	v := x402.Verdict{Valid: err == nil, Payer: p.payer()}
	if reason, why, ok := reasonOf(err); ok {
		v.InvalidReason, v.InvalidReport = reason, why
		return v, nil
	}
	if err != nil {
		v.InvalidReason = x402.ReasonUnexpectedVerifyError
		err = fmt.Errorf("verifying a payment: %w", err)
	}
	return v, err
}

// Plan verifies a payment and says what to sign. Where there is nothing to sign, send is false and the receipt final.
func (s *Sponsor) Plan(ctx context.Context, r x402.Request) (p Sponsored, receipt x402.Receipt, send bool, err error) {
	p, err = s.judge(ctx, r)
	receipt = p.receipt("", "")
	if reason, why, ok := reasonOf(err); ok {
		receipt.ErrorReason, receipt.ErrorMessage = reason, why
		return p, receipt, false, nil
	}
	if err != nil {
		receipt.ErrorReason = x402.ReasonUnexpectedSettleError
		return p, receipt, false, fmt.Errorf("verifying a payment before its settlement: %w", err)
	}
	return p, receipt, true, nil
}

// Recall is a payment that was planned before. It judges nothing but what the bytes say.
func (s *Sponsor) Recall(r x402.Request) (Sponsored, error) { return s.read(r) }

// reasonOf is the word of a refusal, and a sentence where the word leaves open what the payer can do about it.
func reasonOf(err error) (word, why string, ok bool) {
	if word, ok := errors.AsType[svm.Refusal](err); ok {
		return string(word), "", true
	}
	if e, ok := errors.AsType[explained](err); ok {
		return string(e.refusal), e.why, true
	}
	short, ok := errors.AsType[refusal](err)
	return string(short), "", ok
}

type explained struct {
	refusal
	why string
}

// judge has the chain try what read lets through.
func (s *Sponsor) judge(ctx context.Context, r x402.Request) (p Sponsored, err error) {
	if p, err = s.read(r); err != nil {
		return p, err
	}
	cluster := s.clusters[p.Network]
	fails := x402.ReasonSVMSimulation
	if p.Wrapped {
		fails = x402.ReasonSVMWrappedFails
	}
	if p.Window, err = cluster.Run(ctx, p.Unsigned); err != nil {
		return p, failed(err, fails)
	}
	if left := p.Window.Left; left > 0 && left < minLife {
		return p, explained{refusal(fails), fmt.Sprintf("its blockhash counts for %d blocks more, and %d are needed: "+
			"sign it again with a newer one", left, minLife)}
	}
	if !p.Wrapped {
		return p, nil
	}
	inner, err := cluster.Calls(ctx, p.Unsigned)
	if err != nil {
		return p, failed(err, fails)
	}
	outer, err := p.payload.Transaction.Resolve()
	if err != nil {
		return p, err
	}
	p.Paid, err = svm.Calls(slices.Concat(outer, inner)).Match(p.terms)
	return p, err
}

// failed is why a trial failed, in the word that the scheme has for it.
func failed(err error, word string) error {
	switch {
	case errors.Is(err, ErrBlockhash):
		return explained{refusal(word), "BlockhashNotFound: no node knows its blockhash, which is too old or was " +
			"made up: sign it again with a newer one"}
	case errors.Is(err, ErrReverted):
		return refusal(word)
	}
	return err
}

// read does the checks that need no node.
func (s *Sponsor) read(r x402.Request) (p Sponsored, err error) {
	p.payload, p.offer, err = r.Parse()
	if errors.Is(err, x402.ErrTransaction) {
		return p, refusal(x402.ReasonSVMUndecoded)
	}
	for _, word := range []error{x402.ErrRequestVersion, x402.ErrRequestPayload, x402.ErrRequestOffer} {
		if errors.Is(err, word) {
			return p, refusal(word.Error())
		}
	}
	n, known := x402.ReadNetwork(p.offer.Dialect, p.offer.Network)
	p.Network = x402.NetworkID(n)
	switch {
	case p.offer.Scheme != x402.Exact:
		return p, refusal(x402.ReasonUnsupportedScheme)
	case p.payload.Scheme != p.offer.Scheme:
		return p, refusal(x402.ReasonInvalidScheme)
	case p.payload.Network != p.offer.Network:
		return p, refusal(x402.ReasonSVMNetwork)
	case !known || s.clusters[p.Network] == nil:
		return p, refusal(x402.ReasonInvalidNetwork)
	case p.payload.Transaction == nil:
		return p, refusal(x402.ReasonUnsupportedPayload)
	}
	if err := p.readOffer(n, s.account); err != nil {
		return p, err
	}
	return p, p.readTransaction()
}

func (p *Sponsored) readOffer(n chain.Network, account solana.Address) error {
	mint, err := solana.ParseAddress(p.offer.Asset)
	payTo, err2 := solana.ParseAddress(p.offer.PayTo)
	amount, err3 := chain.ParseUnits(p.offer.Amount, 0)
	_, canBePaid := x402.CanBePaid(n, p.offer.Asset, p.offer.PayTo)
	if errors.Join(err, err2, err3) != nil || !canBePaid || amount.Sign() == 0 || !amount.IsUint64() ||
		len(p.offer.Extra.Memo) > solana.MaxMemo {
		return refusal(x402.ReasonInvalidRequirements)
	}
	switch p.offer.Extra.FeePayer {
	case "":
		return refusal(x402.ReasonSVMNoFeePayer)
	case account.String():
	default:
		return refusal(x402.ReasonSVMNotManaged)
	}
	p.Mint, p.PayTo = mint, payTo
	p.terms = svm.Terms{
		FeePayer: account, Mint: mint, PayTo: payTo, Amount: amount.Uint64(), Memo: p.offer.Extra.Memo,
	}
	return nil
}

// readTransaction judges the bytes, of the known layout first. A signature of ours in them is left out: whoever has
// found the transaction on the chain may hand it in again.
func (p *Sponsored) readTransaction() (err error) {
	tx := *p.payload.Transaction
	tx.Signatures = slices.Clone(tx.Signatures)
	tx.Signatures[0] = solana.Signature{}
	p.ID = p.payload.ID()
	if p.Unsigned, err = tx.Encode(); err != nil {
		return refusal(x402.ReasonSVMUndecoded)
	}
	paid, layout, err := svm.Check(tx, p.terms)
	p.Paid = paid
	if err == nil || !layout {
		return err
	}
	wrapped := svm.CheckWrapped(tx, p.terms)
	if wrapped == svm.Refusal(x402.ReasonSVMProgram) {
		return err // it is no wallet's: the layout is what is wrong
	}
	p.Wrapped = true
	return wrapped
}

func (p Sponsored) payer() string {
	switch {
	case p.Paid.Authority != solana.Address{}:
		return p.Paid.Authority.String()
	case p.payload.Transaction != nil:
		return p.payload.Payer()
	}
	return ""
}

func (p Sponsored) receipt(id, reason string) x402.Receipt {
	return x402.Receipt{Payer: p.payer(), Transaction: id, Network: p.offer.Network, ErrorReason: reason}
}

// Unfunded is the receipt of a payment whose payer has the money for it, and not for those of his that are open as
// well.
func (p Sponsored) Unfunded() x402.Receipt { return p.receipt("", x402.ReasonInsufficientFunds) }

// NotSigned is the receipt of a payment whose transaction is not signed by us, and never will be.
func (p Sponsored) NotSigned() x402.Receipt {
	r := p.receipt("", x402.ReasonInvalidTransaction)
	r.ErrorMessage = "the facilitator's account does not sign it"
	return r
}

// Duplicate is the receipt of a payment that was settled for somebody else, by the transaction.
func (p Sponsored) Duplicate(id string) x402.Receipt {
	return p.receipt(id, x402.ReasonDuplicateSettlement)
}

// Pending is the receipt while the transaction is sent and in no final block.
func (p Sponsored) Pending(id string) x402.Receipt {
	return p.receipt(id, x402.ReasonSettlementPending)
}

// Expired is the receipt of a payment that no block has, and none will.
func (p Sponsored) Expired(id string) x402.Receipt {
	return p.receipt(id, x402.ReasonInvalidTransaction)
}

// Landed is the receipt of a transaction in a final block. Arrived is what the payee's account has more by it; nil
// where that was not asked for, as the bytes say it.
func (p Sponsored) Landed(id string, succeeded bool, arrived *big.Int) x402.Receipt {
	r := p.receipt(id, "")
	switch {
	case !succeeded:
		r.ErrorReason = x402.ReasonSVMFailed
	case arrived != nil && arrived.Cmp(new(big.Int).SetUint64(p.terms.Amount)) < 0:
		r.ErrorReason = x402.ReasonSVMNotConfirmed
	default:
		r.Success = true
	}
	return r
}

// Supported lists what is settled here.
func (s *Sponsor) Supported() x402.Supported {
	all := x402.Supported{Kinds: []x402.Kind{}, Signers: map[string][]string{"solana:*": {s.account.String()}}}
	extra := &x402.Extra{FeePayer: s.account.String(), Features: []byte(`{"smartWalletSupported":true}`)}
	for _, id := range slices.Sorted(maps.Keys(s.clusters)) {
		all.Kinds = append(all.Kinds, x402.Kind{Version: 2, Scheme: x402.Exact, Network: id, Extra: extra})
		n, _ := x402.ReadNetwork(x402.V2, id)
		if name, ok := x402.NameV1(n); ok {
			all.Kinds = append(all.Kinds, x402.Kind{Version: 1, Scheme: x402.Exact, Network: name, Extra: extra})
		}
	}
	return all
}
