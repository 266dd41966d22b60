package decide

import (
	"slices"
	"strconv"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// delegationBook is what was signed without a passkey, by the delegation or the agent that it was signed for.
type delegationBook struct {
	delegated map[string]*delegatedSignings // by policy with a delegation, also when it is gone, and by agent
}

// delegatedSignings are those made under one delegation, or by one agent, that may still reach the chain, oldest first.
// They outlive the delegation and its policy: what was signed does, too.
type delegatedSignings struct {
	OrganizationID string                 `json:"organizationId"`
	Transactions   []delegatedTransaction `json:"transactions"`
	Messages       []delegatedMessage     `json:"messages"` // that have not ended
}

type delegatedTransaction struct {
	Seq     uint64 `json:"seq"` // of the journal entry
	Chain   string `json:"chain"`
	Address string `json:"address"`
	Nonce   uint64 `json:"nonce"`

	Unnumbered bool   `json:"unnumbered,omitempty"` // its network has no nonces
	LastHeight uint64 `json:"lastHeight,omitempty"` // as in Order
	Expires    int64  `json:"expires,omitempty"`    // as in Order
	Standing   bool   `json:"standing,omitempty"`   // as in Order
}

type delegatedMessage struct {
	Seq  uint64 `json:"seq"`
	Ends int64  `json:"ends"` // second since 1970; 0 of one from before that was noted: it stays
}

// inclusionGrace is how long after the end of what is signed, by the enclave's clock, a chain may still take it, since
// a block's time is its maker's: one that ends at 12:00 may be in a block until 12:15.
const inclusionGrace = 15 * time.Minute

// lentPage is how many signings one answer lists at most.
const lentPage = 100

func (m delegatedMessage) lasts(at time.Time) bool { return m.Ends == 0 || !over(m.Ends, at) }

// over reports whether no chain takes any more what ended at a second.
func over(ends int64, at time.Time) bool { return at.Unix() > ends+int64(inclusionGrace.Seconds()) }

func (b *delegationBook) lend(e Event, seq uint64) {
	if e.Spend == nil {
		return
	}
	to := e.Spend.DelegationID
	if a := e.Spend.Agent; a != nil {
		to = a.AgentID
	}
	if to == "" {
		return
	}
	l := b.delegated[to]
	if l == nil {
		l = &delegatedSignings{OrganizationID: e.OrganizationID}
		b.delegated[to] = l
	}
	if o := e.Transaction; o != nil {
		l.Transactions = append(l.Transactions, delegatedTransaction{
			Seq: seq, Chain: o.Chain, Address: o.SignWith, Nonce: o.Nonce,
			Unnumbered: o.Message != "", LastHeight: o.LastHeight, Expires: o.Expires,
			Standing: o.Standing,
		})
	}
	if o := e.Message; o != nil {
		at := time.UnixMilli(e.TimeMs)
		l.Messages = slices.DeleteFunc(l.Messages, func(m delegatedMessage) bool { return !m.lasts(at) })
		l.Messages = append(l.Messages, delegatedMessage{seq, o.ends()})
	}
}

func (o MessageOrder) ends() int64 {
	if o.Authorization == nil {
		return 0
	}
	at, err := time.Parse(time.RFC3339, o.Authorization.EndsAt)
	if err != nil {
		return 0
	}
	return at.Unix()
}

// describeLent lists what was signed under a policy's delegation, or for an agent, and may still reach the chain,
// newest first. Nonces that the server reports as mined are left out, and so is what ended below a finalized height
// that it reports; the answer repeats both, so that the reader can check.
func (s *State) describeLent(org *organization, q wire.LentRequest, now time.Time) (*wire.Lent, error) {
	l, err := s.signedUnder(org, q)
	if err != nil {
		return nil, err
	}
	before, ok := number(q.Before)
	if q.Before != "" && !ok {
		return nil, refusal.ErrBody.Msg("before is not a number")
	}
	past, err := s.passedOf(q)
	if err != nil {
		return nil, err
	}
	found := &wire.Lent{
		PolicyID: q.PolicyID, AgentID: q.AgentID, Mined: q.Mined, Finalized: q.Finalized, Before: q.Before,
		Senders: l.senders(),
	}
	seqs := l.stillPending(past, now)
	slices.Sort(seqs)
	slices.Reverse(seqs)
	for _, seq := range seqs {
		if q.Before != "" && seq >= before {
			continue
		}
		if len(found.Signed) == lentPage {
			found.More = found.Signed[lentPage-1].Seq
			break
		}
		found.Signed = append(found.Signed, wire.LentSigning{Seq: strconv.FormatUint(seq, 10)})
	}
	return found, nil
}

// signedUnder finds what was signed under the policy, or for the agent, that the request names.
func (b *delegationBook) signedUnder(org *organization, q wire.LentRequest) (l *delegatedSignings, err error) {
	if (q.PolicyID == "") == (q.AgentID == "") {
		return nil, refusal.ErrBody.Msg("lent names not exactly one of policyId and agentId")
	}
	if l = b.delegated[q.PolicyID+q.AgentID]; l != nil && l.OrganizationID == org.ID {
		return l, nil
	}
	if q.AgentID != "" {
		_, err = org.agent(q.AgentID)
	} else {
		_, err = org.policy(q.PolicyID)
	}
	return &delegatedSignings{}, err
}

// stillPending are the entries of what is neither mined nor over.
func (l *delegatedSignings) stillPending(past passed, now time.Time) (seqs []uint64) {
	for _, t := range l.Transactions {
		if !past.has(t, now) {
			seqs = append(seqs, t.Seq)
		}
	}
	for _, m := range l.Messages {
		if m.lasts(now) {
			seqs = append(seqs, m.Seq)
		}
	}
	return seqs
}

// passed is what the host says of networks: the mined nonces of addresses, and finalized heights by slug.
type passed struct {
	mined     map[nonceKey]uint64
	finalized map[string]uint64
}

// has reports whether a transaction is mined, or can be so no more. One that says when it ends is over by the enclave's
// clock. Of the others, one whose last height nobody knows stays: a network that stands still keeps old blockhashes
// alive, so that no clock ends it. What lets somebody take tokens stays too.
func (p passed) has(t delegatedTransaction, now time.Time) bool {
	switch {
	case t.Standing:
		return false
	case t.Expires > 0:
		return over(t.Expires/1000, now)
	case t.Unnumbered:
		return t.LastHeight > 0 && p.finalized[t.Chain] > t.LastHeight
	}
	return t.Nonce < p.mined[nonceKey{t.Chain, t.Address}]
}

func (c *Constants) passedOf(q wire.LentRequest) (passed, error) {
	p := passed{map[nonceKey]uint64{}, map[string]uint64{}}
	for _, f := range q.Finalized {
		n, ok := number(f.Height)
		if _, known := chain.WithSlug(c.Networks, f.Chain); !ok || !known {
			return p, refusal.ErrBody.Msg("finalized names an unknown chain, or a height that is not a number")
		}
		p.finalized[f.Chain] = n
	}
	for _, m := range q.Mined {
		n, ok := number(m.Nonce)
		network, known := chain.WithSlug(c.Networks, m.Chain)
		if !ok || !known {
			return p, refusal.ErrBody.Msg("mined names an unknown chain, or a nonce that is not a number")
		}
		p.mined[nonceKey{network.Slug, m.Address}] = n
	}
	return p, nil
}

// senders are the addresses that have sent under the delegation, once for each network.
func (l *delegatedSignings) senders() (all []wire.Sender) {
	for _, t := range l.Transactions {
		if at := (wire.Sender{Chain: t.Chain, Address: t.Address}); !slices.Contains(all, at) {
			all = append(all, at)
		}
	}
	return all
}
