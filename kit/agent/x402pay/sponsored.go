package x402pay

import (
	"context"
	"crypto/rand"
	"errors"
	"math/big"
	"strconv"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/x402"
)

// sponsored says that the payment is a transaction, of which Facilitator pays the fee and has the other signature.
func (p Payment) sponsored() bool { return p.Transfer == chain.Sponsored }

// sponsoredTransfer is the payment as nodes are asked about it, without the blockhash of today.
func (p Payment) sponsoredTransfer(t chain.Token) chain.SponsoredTransfer {
	return chain.SponsoredTransfer{
		From: p.From, To: p.PayTo, Token: t, Amount: big.NewInt(p.Micro), Sponsor: p.Facilitator, Memo: p.Memo,
	}
}

// readySponsored has the nodes try a payment before it is signed. Its memo is the seller's, or the agent's, or random:
// two payments alike within one block would be one transaction, which the chain takes once.
func (s *Service) readySponsored(ctx context.Context, w wanted, c x402.Choice) (r ready, err error) {
	if r.memo = c.Memo; r.memo == "" {
		r.memo = w.terms.Memo
	}
	if r.memo == "" {
		var random [16]byte
		if _, err := rand.Read(random[:]); err != nil {
			return r, err
		}
		r.memo = solana.RandomMemo(random)
	}
	p := Payment{
		Network: c.Network.Slug, From: w.agent.AddressOn(c.Network.Kind), PayTo: c.PayTo, Micro: c.Amount.Int64(),
		Facilitator: c.FeePayer, Memo: r.memo, Transfer: chain.Sponsored,
	}
	o, err := s.c.Planner.OfferSponsored(ctx, c.Network, p.sponsoredTransfer(c.Token))
	if err != nil {
		return r, err
	}
	r.since, r.volatile = o.Since, volatileOf(o)
	return r, nil
}

func volatileOf(o node.SponsoredOffer) *wire.Volatile {
	return &wire.Volatile{Blockhash: o.Blockhash, LastHeight: strconv.FormatInt(o.LastHeight, 10)}
}

// volatile is what the enclave adds to a payment when it signs: of a sponsored one a blockhash of now. An approval
// outlives a blockhash, so that it is asked for after the last vote. Nil: there is nothing to add.
func (s *Service) volatile(ctx context.Context, p Payment) (*wire.Volatile, error) {
	if !p.sponsored() {
		return nil, nil
	}
	n, token, ok := s.c.Nodes.USDC(p.Network)
	if !ok {
		return nil, errRow
	}
	asking, cancel := context.WithTimeout(ctx, nodes.AskTimeout)
	defer cancel()
	o, err := s.c.Planner.OfferSponsored(asking, n, p.sponsoredTransfer(token))
	if err != nil {
		return nil, err
	}
	return volatileOf(o), nil
}

// transacted takes over the transaction that the enclave has signed.
func (s *Service) transacted(p *Payment, t *wire.Transaction) (err error) {
	n, ok := s.c.Nodes.BySlug(p.Network)
	if t == nil || !ok {
		return errUnsigned
	}
	c, err := p.choice(n)
	if err != nil {
		return err
	}
	p.Signature, p.ValidBefore = t.SignedTransaction, p.UpdatedAt.Unix()+c.Seconds
	if p.LastHeight, err = strconv.ParseInt(t.LastHeight, 10, 64); err != nil {
		return err
	}
	_, _, err = p.sponsoredHeader(c) // it is the transaction of the offer
	return err
}

// sponsoredHeader is the header that pays: the transaction as the enclave has signed it. It is given out only if it is
// the very one of the offer.
func (p Payment) sponsoredHeader(c x402.Choice) (name, value string, err error) {
	raw, err := chain.ParseHex(p.Signature)
	if err != nil {
		return "", "", errRow
	}
	tx, err := solana.DecodeTransaction(raw)
	if err != nil || len(tx.Signatures) != 2 {
		return "", "", errors.Join(errRow, err)
	}
	c.Memo = p.Memo
	return x402.Payment{Choice: c, From: p.From, Blockhash: tx.Blockhash}.Header(tx.Signatures[1][:])
}

// toldOfSponsored is the payment as the nodes tell of it: settled or void where it is in a final block, unused where no
// block can have it any more by the word of every node.
func (s *Service) toldOfSponsored(ctx context.Context, p Payment) (Payment, error) {
	at, ok := s.c.Nodes.Expiring(p.Network)
	if !ok {
		return p, nodes.ErrNoNode
	}
	raw, err := chain.ParseHex(p.Signature)
	if err != nil {
		return p, errRow
	}
	o, err := at.Outcome(ctx, node.Sent{Signed: raw, Window: node.Window{Since: p.Since, LastHeight: p.LastHeight}})
	switch {
	case err != nil:
		return p, nodes.ErrNode.Because(err)
	case o.Denied:
		s.c.Log.ErrorContext(ctx, "nodes disagree about whether a payment by x402 is in a block", "payment", p.ID,
			"network", p.Network, "transaction", o.ID)
	case o.Landed && o.Succeeded:
		p.State, p.Tx, p.Moved = Settled, o.ID, p.Micro
	case o.Landed:
		p.State, p.Reason = Void, "its transaction "+o.ID+" failed on chain: "+o.Failed
	case o.Expired:
		p.State, p.Reason = Unused, "the seller did not take the money in time"
	}
	return p, nil
}
