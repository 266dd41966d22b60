package decide

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/policy"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// maxPolicies is the bound per organization, as in the field.
const maxPolicies = 100

var errNoRule = errors.New("about an unknown rule or request")

// change decides about rules. What tightens happens at once, on anybody's word.
// What loosens happens on a stamp only where approvals are off, and waits for
// votes otherwise, and not at all while a recovery is under way.
func (c call) change(e Event, loosens bool) (Event, error) {
	if loosens && c.org.recovery != nil {
		return Event{}, refusal.ErrRecovering
	}
	if !loosens || c.by.voted || c.by.credential != nil && !c.org.config.Enabled {
		return e, nil
	}
	return c.hold(wire.ReasonLoosens)
}

func createPolicy(c call, p *wire.CreatePolicyParams) (Event, error) {
	w, ok := c.wallets[p.WalletID]
	if !ok || w.organizationID != c.org.ID {
		return Event{}, refusal.ErrAccount
	}
	if len(c.org.policies) >= maxPolicies {
		return Event{}, refusal.ErrBody.Msg("the sub-organization has 100 policies, the most there can be")
	}
	if err := c.checkRules(p.Rules, c.now); err != nil {
		return Event{}, err
	}
	made := wire.Policy{
		ID: newID(c.sub.Fingerprint, "policy"), WalletID: p.WalletID, Rules: p.Rules, CreatedAt: clock.ISO(c.now),
		UpdatedAt: clock.ISO(c.now),
	}
	e := Event{Kind: EventPolicy, Policy: &made, DelegatedMs: delegatedMs(wire.Rules{}, p.Rules, c)}
	return c.change(e, policy.Loosens(wire.Rules{}, p.Rules))
}

func updatePolicy(c call, p *wire.UpdatePolicyParams) (Event, error) {
	have, err := c.org.policy(p.PolicyID)
	if err != nil {
		return Event{}, err
	}
	if err := c.checkRules(p.Rules, c.now); err != nil {
		return Event{}, err
	}
	next := *have
	next.Rules, next.UpdatedAt = p.Rules, clock.ISO(c.now)
	e := Event{Kind: EventPolicy, Policy: &next, DelegatedMs: delegatedMs(have.Rules, p.Rules, c)}
	return c.change(e, policy.Loosens(have.Rules, p.Rules))
}

// delegatedMs is when a new delegation was shown to its owners, 0 where there is no new one: the time that stands in
// the body, since the host can hold a stamped body back. The delegation covers only what was listed before (see
// listedAt). A later change of the policy that leaves the delegation alone does not move it: such a change may need
// no stamp.
func delegatedMs(old, next wire.Rules, c call) int64 {
	if !policy.Delegates(old.Delegation, next.Delegation) {
		return 0
	}
	made, _ := millis(c.sub.Body.TimestampMs)
	return min(made.UnixMilli(), c.now.UnixMilli())
}

func deletePolicy(c call, p *wire.DeletePolicyParams) (Event, error) {
	have, err := c.org.policy(p.PolicyID)
	if err != nil {
		return Event{}, err
	}
	gone := *have
	return c.change(Event{Kind: EventPolicyDeleted, Policy: &gone}, true)
}

func (c *Constants) checkRules(r wire.Rules, now time.Time) error {
	if err := policy.Validate(r, c.Networks, now); err != nil {
		return refusal.ErrBody.Msg(err.Error())
	}
	return nil
}

func (o *organization) policy(id string) (*wire.Policy, error) {
	for _, p := range o.policies {
		if p.ID == id {
			return p, nil
		}
	}
	return nil, refusal.ErrPolicy
}

func changeConfig(c call, p *wire.ApprovalConfig) (Event, error) {
	n, ok := number(p.RequiredApprovers)
	if !ok || n == 0 {
		return Event{}, refusal.ErrBody.Msg("requiredApprovers is not a whole number of at least 1")
	}
	if n > uint64(c.org.users()) {
		return Event{}, refusal.ErrUsers
	}
	if _, err := policy.ParseUSD(p.ThresholdUSD); err != nil {
		return Event{}, refusal.ErrBody.Msg("thresholdUsd " + err.Error())
	}
	next := *p
	return c.change(Event{Kind: EventConfig, Config: &next}, loosensConfig(c.org.config, next))
}

func showConfig(c call, p *wire.ApprovalConfig) (*wire.Preview, error) {
	e, err := changeConfig(c, p)
	if err != nil {
		return nil, err
	}
	next := *p
	return &wire.Preview{ApprovalConfig: &next, Waits: e.waits()}, nil
}

// loosensConfig reports whether anything may happen after the change with less
// consent than before.
func loosensConfig(old, next wire.ApprovalConfig) bool {
	if !old.Enabled {
		return !next.Enabled && old != next // what is written for later is no tightening
	}
	was, _ := number(old.RequiredApprovers)
	will, _ := number(next.RequiredApprovers)
	before, err := policy.ParseUSD(old.ThresholdUSD)
	after, also := policy.ParseUSD(next.ThresholdUSD)
	return !next.Enabled || old.IncludeMessages && !next.IncludeMessages || will < was || err != nil ||
		also != nil || after > before
}

func applyPolicy(_ *State, org *organization, e Event) error {
	org.delegates(e)
	org.keep(*e.Policy)
	return nil
}

func applyPolicyDeleted(_ *State, org *organization, e Event) error {
	org.policies = slices.DeleteFunc(org.policies, func(p *wire.Policy) bool { return p.ID == e.Policy.ID })
	delete(org.names, e.Policy.ID)
	delete(org.delegated, e.Policy.ID)
	return nil
}

func applyConfig(_ *State, org *organization, e Event) error {
	org.config = *e.Config
	return nil
}

func applyVote(_ *State, org *organization, e Event) error {
	h, ok := org.held[e.Vote.Fingerprint]
	if !ok {
		return errNoRule
	}
	h.votes = with(h.votes, *e.Vote)
	return nil
}

// delegates notes when a policy's new delegation was made. Entries from before that was written down are all from
// before the first amendment: their own time will do.
func (o *organization) delegates(e Event) {
	var old *wire.Delegation
	if have, err := o.policy(e.Policy.ID); err == nil {
		old = have.Rules.Delegation
	}
	switch next := e.Policy.Rules.Delegation; {
	case next == nil:
		delete(o.delegated, e.Policy.ID)
	case policy.Delegates(old, next):
		o.delegated[e.Policy.ID] = cmp.Or(e.DelegatedMs, e.TimeMs)
	}
}

func (o *organization) keep(p wire.Policy) {
	o.name(&p)
	for i, have := range o.policies {
		if have.ID == p.ID {
			o.policies[i] = &p
			return
		}
	}
	o.policies = append(o.policies, &p)
}

// applyHold also forgets what has waited too long: it can never be executed.
func applyHold(_ *State, o *organization, e Event) error {
	expires, err := time.Parse(time.RFC3339, e.Held.ExpiresAt)
	if err != nil {
		return errNoRule
	}
	for fingerprint, h := range o.held {
		if h.expiresAtMs <= e.TimeMs {
			delete(o.held, fingerprint)
		}
	}
	o.held[e.Fingerprint] = &hold{Hold: *e.Held, expiresAtMs: expires.UnixMilli()}
	return nil
}

func (o *organization) configView() *wire.ApprovalConfig {
	c := o.config
	if c.RequiredApprovers == "" {
		c.ThresholdUSD, c.RequiredApprovers = "0", strconv.Itoa(1)
	}
	return &c
}
