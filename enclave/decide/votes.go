package decide

import (
	"strconv"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// counted are the votes that count: under the rules of now, by users who still
// have the passkey they voted with. A user counts once, and so does a key, whatever
// names it goes by.
func (o *organization) counted(h *hold) []wire.Vote {
	set, seen := o.policySet(), map[string]bool{}
	var all []wire.Vote
	if h.void {
		return nil
	}
	for _, v := range h.votes {
		c := o.credential(v.CredentialID)
		if v.PolicySet != set || c == nil || c.UserID != v.UserID || seen[v.UserID] || seen[c.PublicKey] {
			continue
		}
		seen[v.UserID], seen[c.PublicKey] = true, true
		all = append(all, v.Vote)
	}
	return all
}

// standing is how an approval stands now.
func (o *organization) standing(h *hold) wire.Approval {
	a := h.Approval
	a.PolicySet, a.RequiredApprovers, a.Votes = o.policySet(), strconv.Itoa(o.required()), o.counted(h)
	a.Approved = len(a.Votes) >= o.required()
	return a
}

// waitsFor finds what a vote is for.
func (o *organization) waitsFor(p *wire.ApproveActivityParams, now time.Time) (*hold, error) {
	h, err := o.open(p.Fingerprint, now)
	if err == nil && p.PolicySet != o.policySet() {
		return nil, refusal.ErrPolicySet
	}
	return h, err
}

// open finds what waits and can still be voted for.
func (o *organization) open(fingerprint string, now time.Time) (*hold, error) {
	h, ok := o.held[fingerprint]
	switch {
	case !ok:
		return nil, refusal.ErrApproval
	case h.void:
		return nil, refusal.ErrApprovalVoid
	case o.recovery != nil:
		return nil, refusal.ErrRecovering
	case h.over(now):
		return nil, refusal.ErrApprovalOver
	}
	return h, nil
}

func vote(c call, p *wire.ApproveActivityParams) (Event, error) {
	h, err := c.org.waitsFor(p, c.now)
	if err != nil {
		return Event{}, err
	}
	v := Vote{Fingerprint: p.Fingerprint, PolicySet: p.PolicySet, Vote: wire.Vote{
		UserID: c.by.userID(), Email: c.by.credential.Email, CredentialID: c.by.credential.CredentialID,
		At: clock.ISO(c.now),
	}}
	after := *h
	after.votes = with(h.votes, v)
	standing := c.org.standing(&after)
	return Event{Kind: EventVote, Vote: &v, Approval: &standing}, nil
}

// with puts a user's vote in the place of his earlier one.
func with(votes []Vote, v Vote) []Vote {
	var all []Vote
	for _, have := range votes {
		if have.UserID != v.UserID {
			all = append(all, have)
		}
	}
	return append(all, v)
}

// About says which body a vote is for. The enclave keeps no bodies that wait: who
// wants to see what a vote does brings the body again, and its fingerprint tells
// whether it is the one.
func (r Request) About(held string) (Request, error) {
	other, err := Parse(held)
	r.held = &other
	return r, err
}

// showVote shows what the vote is for and what that does, both as of now. A
// vote whose maker could not see that has no preview.
func showVote(c call, p *wire.ApproveActivityParams) (*wire.Preview, error) {
	h, err := c.org.waitsFor(p, c.now)
	if err != nil {
		return nil, err
	}
	if c.sub.held == nil || c.sub.held.Fingerprint != p.Fingerprint {
		return nil, refusal.ErrBody.Msg("the body that the vote is for did not come with it")
	}
	does, err := call{c.State, c.org, Submission{Request: *c.sub.held}, previewer, c.now}.show()
	if err != nil {
		return nil, err
	}
	standing := c.org.standing(h)
	does.ExpiresAt = standing.ExpiresAt
	return &wire.Preview{Approves: &standing, Held: does}, nil
}
