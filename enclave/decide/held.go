package decide

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// approvalLife is how long a request waits for its votes. At most maxHeld wait, of
// which at most maxBareHeld without a stamp: who has no passkey must not fill the
// queue of those who have one.
const (
	approvalLife = 30 * time.Minute
	maxHeld      = 200
	maxBareHeld  = 100
)

// hold is a body that waits, with the votes for it.
type hold struct {
	Hold
	expiresAtMs int64
	votes       []Vote // one per user, the last one
	void        bool   // a recovery began while it waited
}

// hold keeps a body for votes instead of executing it.
func (c call) hold(reason string) (Event, error) {
	if c.org.recovery != nil {
		return Event{}, refusal.ErrRecovering
	}
	_, again := c.org.held[c.sub.Fingerprint] // in a preview: it has its place
	if all, bare := c.org.waiting(c.now); !again && (all >= maxHeld || c.by.credential == nil && bare >= maxBareHeld) {
		return Event{}, refusal.ErrTooManyHeld
	}
	return Event{Kind: EventHeld, Held: &Hold{Approval: wire.Approval{
		Fingerprint: c.sub.Fingerprint, Activity: c.sub.Body.Type, Reason: reason, RequesterUserID: c.by.userID(),
		RequiredApprovers: strconv.Itoa(c.org.required()), PolicySet: c.org.policySet(),
		CreatedAt: clock.ISO(c.now), ExpiresAt: clock.ISO(c.now.Add(approvalLife)),
	}}}, nil
}

// waiting counts what waits now, and what of it nobody stamped.
func (o *organization) waiting(now time.Time) (all, bare int) {
	for _, h := range o.held {
		if h.over(now) || h.void {
			continue
		}
		all++
		if h.RequesterUserID == "" {
			bare++
		}
	}
	return all, bare
}

// over reports whether a request has waited too long.
func (h *hold) over(now time.Time) bool { return now.UnixMilli() >= h.expiresAtMs }

// required is how many users have to agree: one where approvals are off, since
// then one stamp is what any rule asks.
func (o *organization) required() int {
	if !o.config.Enabled {
		return 1
	}
	n, _ := number(o.config.RequiredApprovers) // was read when it was set
	return int(n)
}

// policySet names the rules in force. It is in every vote, and asked for so often
// that a policy's own name is made only once.
func (o *organization) policySet() string {
	raw, _ := json.Marshal(o.config) // strings and a boolean
	h := sha256.New()
	h.Write([]byte("railkit policy set v2|" + o.ID + "|" + strconv.Itoa(len(o.policies)) + "|"))
	for _, p := range o.policies {
		name := o.names[p.ID]
		h.Write(name[:])
	}
	h.Write(raw)
	return hex.EncodeToString(h.Sum(nil))
}

// name notes the name of a policy as it stands now.
func (o *organization) name(p *wire.Policy) {
	raw, _ := json.Marshal(p) // strings and booleans
	o.names[p.ID] = sha256.Sum256(raw)
}

// decideHeld executes what was held once the votes are there. Everything is
// judged anew, by the rules and passkeys of now; only the stamp and the time
// limit of the body are not asked for again.
func (s *State) decideHeld(sub Submission, past Past, now time.Time) (Decision, error) {
	org, ok := s.organizations[sub.Body.OrganizationID]
	if !ok {
		return Decision{}, refusal.ErrOrganization
	}
	c := call{s, org, sub, actor{voted: true}, now}
	if sub.Body.Type == wire.RecoverUser {
		return c.recovered(past)
	}
	h, ok := org.held[sub.Fingerprint]
	if ok && h.void {
		return Decision{}, refusal.ErrApprovalVoid
	}
	if !ok || len(org.counted(h)) < org.required() {
		return Decision{Past: &past}, nil
	}
	if h.over(now) {
		return Decision{}, refusal.ErrApprovalOver
	}
	e, err := c.judge()
	if err != nil {
		return Decision{}, err
	}
	standing := org.standing(h)
	e.OrganizationID, e.Approval = org.ID, &standing
	return Decision{Event: s.annotate(e, sub, now)}, nil
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
