package decide

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
)

// approvalLife is how long a request waits for its votes, and maxHeld how many wait.
const (
	approvalLife = 30 * time.Minute
	maxHeld      = 200
)

// hold is a body that waits, with the votes for it.
type hold struct {
	Hold
	expiresAtMs int64
	votes       []Vote // one per user, the last one
}

// hold keeps a body for votes instead of executing it.
func (o *organization) hold(sub Submission, reason string, by actor, now time.Time) (Event, error) {
	if o.waiting(now) >= maxHeld {
		return Event{}, ErrTooManyHeld
	}
	return Event{Kind: EventHeld, Held: &Hold{Approval: wire.Approval{
		Fingerprint: sub.Fingerprint, Activity: sub.Body.Type, Reason: reason, RequesterUserID: by.userID(),
		RequiredApprovers: strconv.Itoa(o.required()), PolicySet: o.policySet(),
		CreatedAt: clock.ISO(now), ExpiresAt: clock.ISO(now.Add(approvalLife)),
	}}}, nil
}

func (o *organization) waiting(now time.Time) (n int) {
	for _, h := range o.held {
		if now.UnixMilli() < h.expiresAtMs {
			n++
		}
	}
	return n
}

// required is how many users have to agree: one where approvals are off, since
// then one stamp is what any rule asks.
func (o *organization) required() int {
	if !o.config.Enabled {
		return 1
	}
	n, _ := number(o.config.RequiredApprovers) // was read when it was set
	return int(n)
}

// policySet names the rules in force. It is in every vote.
func (o *organization) policySet() string {
	rules := struct {
		Policies []*wire.Policy
		Config   wire.ApprovalConfig
	}{o.policies, o.config}
	raw, _ := json.Marshal(rules) // strings and booleans
	sum := sha256.Sum256(append([]byte("railkit policy set v1|"+o.ID+"|"), raw...))
	return hex.EncodeToString(sum[:])
}

// decideHeld executes what was held once the votes are there. Everything is
// judged anew, by the rules and passkeys of now; only the stamp and the time
// limit of the body are not asked for again.
func (s *State) decideHeld(sub Submission, past Past, now time.Time) (Decision, error) {
	org, ok := s.organizations[sub.Body.OrganizationID]
	if !ok {
		return Decision{}, ErrOrganization
	}
	h, ok := org.held[sub.Fingerprint]
	if !ok || len(org.counted(h)) < org.required() {
		return Decision{Past: &past}, nil
	}
	if now.UnixMilli() >= h.expiresAtMs {
		return Decision{}, ErrApprovalOver
	}
	e, err := s.decideFor(org, sub, actor{voted: true}, now)
	if err != nil {
		return Decision{}, err
	}
	standing := org.standing(h)
	e.OrganizationID, e.Approval = org.ID, &standing
	return Decision{Event: e.by(sub, now)}, nil
}

// counted are the votes that count: under the rules of now, by users who still
// have the passkey they voted with. A user counts once.
func (o *organization) counted(h *hold) []wire.Vote {
	set, users := o.policySet(), map[string]bool{}
	var all []wire.Vote
	for _, v := range h.votes {
		c := o.credential(v.CredentialID)
		if v.PolicySet != set || c == nil || c.UserID != v.UserID || users[v.UserID] {
			continue
		}
		users[v.UserID] = true
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

func (o *organization) credential(id string) *credential {
	for _, c := range o.credentials {
		if c.CredentialID == id {
			return c
		}
	}
	return nil
}

func (o *organization) users() int {
	ids := map[string]bool{}
	for _, c := range o.credentials {
		ids[c.UserID] = true
	}
	return len(ids)
}

// waitsFor finds what a vote is for.
func (o *organization) waitsFor(p *wire.ApproveActivityParams, now time.Time) (*hold, error) {
	h, ok := o.held[p.Fingerprint]
	if !ok {
		return nil, ErrApproval
	}
	if now.UnixMilli() >= h.expiresAtMs {
		return nil, ErrApprovalOver
	}
	if p.PolicySet != o.policySet() {
		return nil, ErrPolicySet
	}
	return h, nil
}

func (s *State) decideVote(org *organization, p *wire.ApproveActivityParams, by actor, now time.Time) (Event, error) {
	h, err := org.waitsFor(p, now)
	if err != nil {
		return Event{}, err
	}
	v := Vote{Fingerprint: p.Fingerprint, PolicySet: p.PolicySet, Vote: wire.Vote{
		UserID: by.userID(), Email: by.credential.Email, CredentialID: by.credential.CredentialID, At: clock.ISO(now),
	}}
	after := *h
	after.votes = with(h.votes, v)
	standing := org.standing(&after)
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
