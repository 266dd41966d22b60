package decide

import (
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// A signing that waits is executed once the last vote is there, and then once.
func TestSigning_A01_HeldThenExecuted(t *testing.T) {
	c := governed(t, "2", "ann", "bob", "cid")
	pay := c.payment()
	c.must(EventHeld, "ann", pay)
	c.must("past", "", pay)
	c.must("past", "bob", pay) // a stamp on the request is no vote
	if a := c.standing(pay.Fingerprint); a.Approved || len(a.Votes) != 0 || a.Reason != wire.ReasonThreshold ||
		a.RequesterUserID != "ann" {
		t.Errorf("before any vote: %+v", a)
	}
	c.must(EventVote, "ann", c.vote(pay.Fingerprint))
	c.must("past", "", pay)
	c.must(EventVote, "cid", c.vote(pay.Fingerprint))
	if a := c.standing(pay.Fingerprint); !a.Approved || len(a.Votes) != 2 {
		t.Errorf("after two votes: %+v", a)
	}
	d, err := c.judge("", pay)
	if err != nil || d.Event.Kind != EventTransaction || d.Event.Approval == nil || !d.Event.Approval.Approved ||
		d.Event.Stamp != nil {
		t.Fatalf("%+v, %v", d.Event, err)
	}
	c.apply(d.Event)
	c.must("past", "", pay)
	if past, _ := c.Outcome(pay.Fingerprint); past.Held || past.Cancelled {
		t.Errorf("%+v", past)
	}
	c.refused("a vote after the execution", refusal.ErrApproval, "bob", c.vote(pay.Fingerprint))
}

// Users count, not passkeys, stamps, names of one key or repetitions.
func TestSigning_A06_EachCountsOnce(t *testing.T) {
	for what, vote := range map[string]func(c *club, fingerprint string){
		"one user with two passkeys": func(c *club, fp string) {
			c.join("ann", "ann's other", "other key of ann")
			c.must(EventVote, "ann", c.vote(fp))
			c.must(EventVote, "ann's other", c.vote(fp))
		},
		"one key under two names": func(c *club, fp string) {
			c.join("eve", "eve", "key of ann")
			c.must(EventVote, "ann", c.vote(fp))
			c.must(EventVote, "eve", c.vote(fp))
		},
		"one user twice": func(c *club, fp string) {
			c.must(EventVote, "ann", c.vote(fp))
			c.must(EventVote, "ann", c.vote(fp))
		},
		"one vote twice": func(c *club, fp string) {
			v := c.vote(fp)
			c.must(EventVote, "ann", v)
			c.must("past", "ann", v)
			c.must("past", "bob", v)
		},
		"the requester's stamp and a vote": func(c *club, fp string) { c.must(EventVote, "bob", c.vote(fp)) },
	} {
		c := governed(t, "2", "ann", "bob")
		pay := c.payment()
		c.must(EventHeld, "ann", pay)
		vote(c, pay.Fingerprint)
		if a := c.standing(pay.Fingerprint); len(a.Votes) != 1 || a.Approved {
			t.Errorf("%s: %+v", what, a.Votes)
		}
		c.must("past", "ann", pay)
	}
}

// What was voted for under other rules, or with a passkey that is gone, counts no more.
func TestSigning_A05_VotesOfAnotherTime(t *testing.T) {
	for what, change := range map[string]func(c *club){
		"a passkey removed":      func(c *club) { c.leave("ann") },
		"another user's passkey": func(c *club) { c.credentials[encode([]byte("ann"))].UserID = "eve" },
		"more approvers required": func(c *club) {
			c.must(EventConfig, "", c.body(wire.UpdateApprovalConfig, config(true, "3")))
		},
		"a lower threshold": func(c *club) {
			c.must(EventConfig, "", c.body(wire.UpdateApprovalConfig, wire.ApprovalConfig{
				Enabled: true, ThresholdUSD: "99.999999", RequiredApprovers: "2",
			}))
		},
		"a policy added": func(c *club) {
			c.must(EventPolicy, "", c.body(wire.CreatePolicy, wire.CreatePolicyParams{
				WalletID: c.wallet, Rules: wire.Rules{AllowedChains: []string{"base"}},
			}))
		},
	} {
		c := governed(t, "2", "ann", "bob", "cid")
		pay, late := c.payment(), c.payment()
		c.must(EventHeld, "", pay)
		c.must(EventHeld, "", late)
		stale := c.vote(late.Fingerprint)
		c.must(EventVote, "ann", c.vote(pay.Fingerprint))
		c.must(EventVote, "bob", c.vote(pay.Fingerprint))
		before := c.set()
		change(c)
		c.must("past", "", pay)
		if a := c.standing(pay.Fingerprint); a.Approved || len(a.Votes) > 1 || a.PolicySet != c.set() {
			t.Errorf("%s: %+v", what, a)
		}
		if c.set() != before {
			c.refused(what+", and a vote from before", refusal.ErrPolicySet, "cid", stale)
		}
		for _, user := range []string{"bob", "cid"} {
			c.must(EventVote, user, c.vote(pay.Fingerprint))
		}
		if a := c.standing(pay.Fingerprint); len(a.Votes) != 2 {
			t.Errorf("%s: voted again: %+v", what, a.Votes)
		}
	}
}

// A lower number that the members agreed on holds for what waits already, and the
// votes from before it do not.
func TestSigning_A09_FewerApproversWhileItWaits(t *testing.T) {
	c := governed(t, "2", "ann", "bob")
	pay, fewer := c.payment(), c.body(wire.UpdateApprovalConfig, config(true, "1"))
	c.must(EventHeld, "ann", pay)
	c.must(EventVote, "ann", c.vote(pay.Fingerprint))
	c.must(EventHeld, "ann", fewer)
	c.must(EventVote, "ann", c.vote(fewer.Fingerprint))
	c.must("past", "ann", fewer)
	c.must(EventVote, "bob", c.vote(fewer.Fingerprint))
	c.must(EventConfig, "", fewer)
	c.must("past", "", pay)
	c.must(EventVote, "bob", c.vote(pay.Fingerprint))
	c.must(EventTransaction, "", pay)
}

func TestSigning_A07_VotesOutOfPlace(t *testing.T) {
	c := governed(t, "1", "ann", "bob")
	pay, other, gone := c.payment(), c.payment(), c.payment()
	early := c.vote(pay.Fingerprint)
	c.refused("before the request", refusal.ErrApproval, "ann", early)
	for _, r := range []Request{pay, other, gone} {
		c.must(EventHeld, "", r)
	}
	c.must(EventVote, "ann", c.vote(other.Fingerprint))
	if a := c.standing(pay.Fingerprint); len(a.Votes) != 0 {
		t.Errorf("a vote for another request counts: %+v", a.Votes)
	}
	c.refused("without a stamp", refusal.ErrUnstamped, "", c.vote(pay.Fingerprint))
	c.refused("of a stranger", refusal.ErrStamp, "eve", c.vote(pay.Fingerprint))
	c.refused("for a request that is none", refusal.ErrApproval, "ann", c.vote("sha256:00"))
	c.refused("under rules that never were", refusal.ErrPolicySet, "ann",
		c.body(wire.ApproveActivity, wire.ApproveActivityParams{Fingerprint: pay.Fingerprint, PolicySet: "00"}))
	key := Submission{Request: c.vote(pay.Fingerprint), Key: recipient}
	if _, err := c.Decide(key, c.now); !errors.Is(err, refusal.ErrStamp) {
		t.Errorf("under an API key's stamp: %v", err)
	}
	if e := c.cancel(gone.Fingerprint); e.OrganizationID != c.org {
		t.Errorf("the rejection names no sub-organization: %+v", e)
	}
	c.refused("after the rejection", refusal.ErrApproval, "ann", c.vote(gone.Fingerprint))
	if past, _ := c.Outcome(gone.Fingerprint); !past.Cancelled || past.Held {
		t.Errorf("%+v", past)
	}
	c.must("past", "ann", gone)
	c.now = c.now.Add(approvalLife)
	c.refused("too late", refusal.ErrApprovalOver, "ann", c.vote(pay.Fingerprint))
	c.refused("executed too late", refusal.ErrApprovalOver, "", other)
	c.must("past", "", pay)
	if _, err := c.Describe(wire.StateRequest{
		OrganizationID: c.org, Approval: other.Fingerprint,
	}, c.now); !errors.Is(err, refusal.ErrApprovalOver) {
		t.Errorf("described after its time: %v", err)
	}
	next := c.payment()
	c.must(EventHeld, "", next) // forgets what is over
	c.must("past", "", other)
	c.refused("long after", refusal.ErrApproval, "ann", c.vote(other.Fingerprint))
	c.must(EventVote, "ann", c.vote(next.Fingerprint))
	c.must(EventTransaction, "", next)
}

// The votes of one organization mean nothing to another.
func TestSigning_A07_VoteOfAnotherOrganization(t *testing.T) {
	c := governed(t, "1", "ann", "bob")
	pay := c.payment()
	c.must(EventHeld, "", pay)
	vote := c.vote(pay.Fingerprint)
	c.apply(Event{Kind: EventOrganization, Created: &Created{
		SubOrganization: wire.SubOrganization{ID: "other", WorkspaceID: "w", UserID: "eve"},
		Credential: wire.Credential{
			CredentialID: encode([]byte("eve")), PublicKey: encode([]byte("key of eve")), UserID: "eve", Email: "eve",
		},
	}})
	c.refused("a stamp of another organization's passkey", refusal.ErrStamp, "eve", vote)
	c.org = "other"
	c.refused("a body of another organization", refusal.ErrApproval, "eve", c.vote(pay.Fingerprint))
}

// Who has no passkey cannot fill the queue of those who have one.
func TestSigning_A11_QueueIsBounded(t *testing.T) {
	c := governed(t, "1", "ann")
	for range maxBareHeld {
		c.must(EventHeld, "", c.payment())
	}
	c.refused("one more without a stamp", refusal.ErrTooManyHeld, "", c.payment())
	rule := c.body(wire.UpdateRecovery, wire.UpdateRecoveryParams{EmailOnlyRecovery: true})
	if p, err := c.Preview(rule, c.now); err != nil || p.Waits == nil {
		t.Errorf("the preview of what somebody will stamp: %v", err)
	}
	var last Request
	for range maxHeld - maxBareHeld {
		last = c.payment()
		c.must(EventHeld, "ann", last)
	}
	c.refused("one more", refusal.ErrTooManyHeld, "ann", c.payment())
	c.cancel(last.Fingerprint)
	c.must(EventHeld, "ann", c.payment())
	c.now = c.now.Add(approvalLife)
	c.must(EventHeld, "", c.payment())
	if n := len(c.organizations[c.org].held); n != 1 {
		t.Errorf("%d are kept, of which 1 waits", n)
	}
}

// A vote shows what it is for, as it is now, and has no preview where it cannot.
func TestSigning_A10_VoteShowsWhatItIsFor(t *testing.T) {
	c := governed(t, "2", "ann", "bob")
	pay, other := c.payment(), c.payment()
	c.must(EventHeld, "ann", pay)
	c.must(EventVote, "ann", c.vote(pay.Fingerprint))
	c.now = c.now.Add(20 * time.Minute) // the body's own time is over
	vote := c.vote(pay.Fingerprint)
	if _, err := c.Preview(vote, c.now); !errors.Is(err, refusal.ErrBody) {
		t.Errorf("without the body: %v", err)
	}
	if wrong, err := vote.About(other.Raw); err != nil {
		t.Error(err)
	} else if _, err := c.Preview(wrong, c.now); !errors.Is(err, refusal.ErrBody) {
		t.Errorf("with another body: %v", err)
	}
	if _, err := vote.About(pay.Raw + " "); err != nil {
		t.Error(err)
	}
	asked, err := vote.About(pay.Raw)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := c.Preview(asked, c.now)
	if err != nil {
		t.Fatal(err)
	}
	if a := shown.Approves; a == nil || a.Fingerprint != pay.Fingerprint || len(a.Votes) != 1 ||
		a.RequesterUserID != "ann" || a.Approved {
		t.Errorf("approves %+v", a)
	}
	if h := shown.Held; h == nil || h.SignWith != pay.params.(*wire.SignTransactionParams).SignWith ||
		len(h.Effects) != 1 || h.ExpiresAt != shown.Approves.ExpiresAt {
		t.Errorf("does %+v", h)
	}
	c.cancel(pay.Fingerprint)
	if _, err := c.Preview(asked, c.now); !errors.Is(err, refusal.ErrApproval) {
		t.Errorf("after the rejection: %v", err)
	}
}

// The rules are named under the lock, several times for each vote: whoever may
// write rules, and needs no stamp for it, must not make that dear for all others.
func TestSigning_A11_NamingTheRulesIsCheap(t *testing.T) {
	c := governed(t, "1", "ann")
	rules := wire.Rules{}
	for i := range byte(80) {
		rules.AllowedContracts = append(rules.AllowedContracts, wire.AllowedContract{
			Chain: "base", Address: evm.Address{1, i}.String(),
		})
		for j := range 100 {
			all := &rules.AllowedContracts[i].Selectors
			*all = append(*all, fmt.Sprintf("0x%08x", j))
		}
	}
	seen := map[string]bool{c.set(): true}
	for range 20 {
		c.must(EventPolicy, "", c.body(wire.CreatePolicy, wire.CreatePolicyParams{WalletID: c.wallet, Rules: rules}))
		if seen[c.set()] {
			t.Fatal("other rules have the name of earlier ones")
		}
		seen[c.set()] = true
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c.set()
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 100_000 {
		t.Errorf("it takes %d bytes", used)
	}
}

func TestSigning_A09_Bounds(t *testing.T) {
	c := newClub(t, "ann", "bob")
	for _, n := range []string{"", "0", "-1", "+1", "01", "1.0", "1e0", "1e400", "NaN", "18446744073709551616", " 1"} {
		c.refused("approvers "+n, refusal.ErrBody, "ann", c.body(wire.UpdateApprovalConfig, config(true, n)))
	}
	c.refused("more approvers than users", refusal.ErrUsers, "ann",
		c.body(wire.UpdateApprovalConfig, config(true, "3")))
	c.join("bob", "bob's other", "other key of bob")
	c.refused("more approvers than users, with as many passkeys", refusal.ErrUsers, "ann",
		c.body(wire.UpdateApprovalConfig, config(true, "3")))
	for _, usd := range []string{
		"", "-1", "1e400", "NaN", "Inf", "0x10", "1,5", "0.0000001", " 1", "99999999999999999999",
	} {
		p := wire.ApprovalConfig{Enabled: true, ThresholdUSD: usd, RequiredApprovers: "1"}
		c.refused("threshold "+usd, refusal.ErrBody, "ann", c.body(wire.UpdateApprovalConfig, p))
	}
}

// What tightens needs nobody. What loosens needs a stamp, or the votes.
func TestSigning_A09_WhatLoosens(t *testing.T) {
	on := func(usd, n string) wire.ApprovalConfig {
		return wire.ApprovalConfig{Enabled: true, ThresholdUSD: usd, RequiredApprovers: n}
	}
	off := wire.ApprovalConfig{ThresholdUSD: "100", RequiredApprovers: "2"}
	texts := func(usd string) wire.ApprovalConfig {
		c := on(usd, "2")
		c.IncludeMessages = true
		return c
	}
	for what, tc := range map[string]struct {
		old, next wire.ApprovalConfig
		loosens   bool
	}{
		"switched on":                        {wire.ApprovalConfig{}, on("100", "2"), false},
		"the same":                           {on("100", "2"), on("100", "2"), false},
		"a lower threshold":                  {on("100", "2"), on("99", "2"), false},
		"more approvers":                     {on("100", "1"), on("100", "2"), false},
		"both":                               {on("100", "1"), on("0", "2"), false},
		"off":                                {on("100", "2"), off, true},
		"fewer approvers":                    {on("100", "2"), on("100", "1"), true},
		"a higher threshold":                 {on("100", "2"), on("100.000001", "2"), true},
		"more approvers, a higher threshold": {on("100", "1"), on("101", "2"), true},
		"a lower threshold, fewer approvers": {on("100", "2"), on("0", "1"), true},
		"messages included":                  {on("100", "2"), texts("100"), false},
		"messages left out":                  {texts("100"), on("100", "2"), true},
		"messages left out, a lower limit":   {texts("100"), on("1", "2"), true},
		"messages included, a higher limit":  {on("100", "2"), texts("101"), true},
		"other words while off":              {wire.ApprovalConfig{}, off, true},
	} {
		if got := loosensConfig(tc.old, tc.next); got != tc.loosens {
			t.Errorf("%s: loosens = %v", what, got)
		}
	}
	c := newClub(t, "ann", "bob")
	loose := c.body(wire.UpdateApprovalConfig, off)
	c.must(EventHeld, "", loose)
	c.must(EventVote, "bob", c.vote(loose.Fingerprint)) // approvals are off: one stamp, later
	c.must(EventConfig, "", loose)
	c.must(EventConfig, "", c.body(wire.UpdateApprovalConfig, config(true, "2")))
	end := c.body(wire.UpdateApprovalConfig, off)
	shown, err := c.Preview(end, c.now)
	if err != nil || shown.Waits == nil || shown.Waits.Reason != wire.ReasonLoosens || *shown.ApprovalConfig != off {
		t.Errorf("shown %+v, %v", shown, err)
	}
	c.must(EventHeld, "ann", end)
	c.must(EventVote, "ann", c.vote(end.Fingerprint))
	c.must("past", "ann", end)
	c.must(EventVote, "bob", c.vote(end.Fingerprint))
	c.must(EventConfig, "", end)
	c.must(EventConfig, "ann", c.body(wire.UpdateApprovalConfig, config(false, "1")))
}
