package decide

import (
	"testing"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

func (c *club) policy(chains ...string) Request {
	return c.body(wire.CreatePolicy, wire.CreatePolicyParams{
		WalletID: c.wallet, Rules: wire.Rules{AllowedChains: chains},
	})
}

// A denial is final for its body, whatever becomes of the rule.
func TestSigning_E00_DenialIsFinal(t *testing.T) {
	c := newClub(t, "ann")
	rule := c.policy("polygon")
	c.must(EventPolicy, "", rule)
	id := c.organizations[c.org].policies[0].ID
	pay := c.payment()
	d, err := c.judge("ann", pay)
	if err != nil || d.Event.Kind != EventDenied || d.Event.Spend != nil || d.Event.Transaction != nil {
		t.Fatalf("%+v, %v", d.Event, err)
	}
	if why := d.Event.Denial; why.PolicyID != id || why.WalletID != c.wallet || why.Rule != "allowedChains" ||
		why.Observed != "base" || why.Limit != "polygon" {
		t.Errorf("denied because of %+v", why)
	}
	c.apply(d.Event)
	c.must(EventPolicyDeleted, "ann", c.body(wire.DeletePolicy, wire.DeletePolicyParams{PolicyID: id}))
	c.must("past", "ann", pay)
	c.must("past", "", pay)
	if past, _ := c.Outcome(pay.Fingerprint); past.Cancelled || past.Held {
		t.Errorf("%+v", past)
	}
	if d := c.Cancel(pay.Fingerprint, c.now); d.Past == nil {
		t.Error("a denied body was cancelled")
	}
	c.must(EventTransaction, "ann", c.payment())
}

// Votes do not lift a rule: what they agreed on is judged by the rules of then.
func TestSigning_A05_VotedForAndDenied(t *testing.T) {
	c := governed(t, "1", "ann", "bob")
	pay := c.payment()
	c.must(EventHeld, "ann", pay)
	c.must(EventPolicy, "", c.policy("polygon"))
	c.must(EventVote, "bob", c.vote(pay.Fingerprint))
	d, err := c.judge("", pay)
	if err != nil || d.Event.Kind != EventDenied || d.Event.Approval == nil || len(d.Event.Approval.Votes) != 1 {
		t.Fatalf("%+v, %v", d.Event, err)
	}
	c.apply(d.Event)
	c.must("past", "", pay)
	c.refused("a vote after the denial", refusal.ErrApproval, "ann", c.vote(pay.Fingerprint))
}

// What a rule refuses does not wait first, so that nobody is asked in vain.
func TestSigning_A05_DeniedBeforeItWaits(t *testing.T) {
	c := governed(t, "1", "ann")
	c.must(EventPolicy, "", c.policy("polygon"))
	c.must(EventDenied, "ann", c.payment())
	c.must(EventDenied, "", c.payment())
}
