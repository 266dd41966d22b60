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
	lent map[string]*lent // by policy with a delegation, also when it is gone, and by agent
}

// lent is what was signed under one delegation, or for one agent, oldest first. It
// outlives the delegation and its policy: what was signed does, too.
type lent struct {
	OrganizationID string        `json:"organizationId"`
	Transactions   []lentNonce   `json:"transactions"`
	Messages       []lentMessage `json:"messages"` // that have not ended
}

type lentNonce struct {
	Seq     uint64 `json:"seq"` // of the journal entry
	Chain   string `json:"chain"`
	Address string `json:"address"`
	Nonce   uint64 `json:"nonce"`
}

type lentMessage struct {
	Seq  uint64 `json:"seq"`
	Ends int64  `json:"ends"` // second since 1970; 0 of one from before that was noted: it stays
}

// landing is how long after the end of a message, by the enclave's clock, a chain
// may still take it: a block's time is its maker's.
const landing = 15 * time.Minute

// lentPage is how many signings one answer lists at most.
const lentPage = 100

func (m lentMessage) lasts(at time.Time) bool {
	return m.Ends == 0 || at.Unix() <= m.Ends+int64(landing.Seconds())
}

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
	l := b.lent[to]
	if l == nil {
		l = &lent{OrganizationID: e.OrganizationID}
		b.lent[to] = l
	}
	if o := e.Transaction; o != nil {
		l.Transactions = append(l.Transactions, lentNonce{seq, o.Chain, o.SignWith, o.Nonce})
	}
	if o := e.Message; o != nil {
		at := time.UnixMilli(e.TimeMs)
		l.Messages = slices.DeleteFunc(l.Messages, func(m lentMessage) bool { return !m.lasts(at) })
		l.Messages = append(l.Messages, lentMessage{seq, o.ends()})
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

// describeLent lists what was signed under a policy's delegation, or for an agent,
// and may still land, newest first. What the node has mined the host says: it is left out, and
// named in the answer.
func (s *State) describeLent(org *organization, q wire.LentRequest, now time.Time) (*wire.Lent, error) {
	l, err := s.lentTo(org, q)
	if err != nil {
		return nil, err
	}
	before, ok := number(q.Before)
	if q.Before != "" && !ok {
		return nil, refusal.ErrBody.Msg("before is not a number")
	}
	mined, err := s.minedOf(q.Mined)
	if err != nil {
		return nil, err
	}
	found := &wire.Lent{
		PolicyID: q.PolicyID, AgentID: q.AgentID, Mined: q.Mined, Before: q.Before, Senders: l.senders(),
	}
	seqs := l.landing(mined, now)
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

// lentTo finds what was signed under the policy, or for the agent, that the request names.
func (b *delegationBook) lentTo(org *organization, q wire.LentRequest) (l *lent, err error) {
	if (q.PolicyID == "") == (q.AgentID == "") {
		return nil, refusal.ErrBody.Msg("lent names not exactly one of policyId and agentId")
	}
	if l = b.lent[q.PolicyID+q.AgentID]; l != nil && l.OrganizationID == org.ID {
		return l, nil
	}
	if q.AgentID != "" {
		_, err = org.agent(q.AgentID)
	} else {
		_, err = org.policy(q.PolicyID)
	}
	return &lent{}, err
}

// landing are the entries of what is neither mined nor over.
func (l *lent) landing(mined map[nonceKey]uint64, now time.Time) (seqs []uint64) {
	for _, t := range l.Transactions {
		if t.Nonce >= mined[nonceKey{t.Chain, t.Address}] {
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

func (c *Constants) minedOf(all []wire.MinedNonce) (map[nonceKey]uint64, error) {
	mined := map[nonceKey]uint64{}
	for _, m := range all {
		n, ok := number(m.Nonce)
		network, known := chain.WithSlug(c.Networks, m.Chain)
		if !ok || !known {
			return nil, refusal.ErrBody.Msg("mined names an unknown chain, or a nonce that is not a number")
		}
		mined[nonceKey{network.Slug, m.Address}] = n
	}
	return mined, nil
}

// senders are the addresses that have sent under the delegation, once for each network.
func (l *lent) senders() (all []wire.Sender) {
	for _, t := range l.Transactions {
		if at := (wire.Sender{Chain: t.Chain, Address: t.Address}); !slices.Contains(all, at) {
			all = append(all, at)
		}
	}
	return all
}
