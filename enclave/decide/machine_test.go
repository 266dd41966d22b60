package decide

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// parliament is a club beside what its members know of themselves: who agreed to
// what under which rules. It is told by what they did, never by the state.
type parliament struct {
	*club
	rt       *rapid.T
	users    map[string]string // passkey -> user
	enabled  bool
	required int
	words    string          // the rest of the configuration
	policies map[string]bool // id -> it refuses the payments here
	wishes   []*wish
}

// wish is a body that somebody wants executed.
type wish struct {
	Request
	loosens  bool                 // changes rules
	after    func()               // what it changes
	deadline time.Time            // while it waits
	state    EventKind            // empty: not yet asked for
	votes    map[string][2]string // user -> passkey and rules
}

// rules are all that a vote rests on.
func (p *parliament) rules() string {
	return fmt.Sprint(p.enabled, p.required, p.words, slices.Sorted(maps.Keys(p.policies)))
}

func (p *parliament) refuses() bool {
	return slices.Contains(slices.Collect(maps.Values(p.policies)), true)
}

func (p *parliament) consent(w *wish) bool {
	n := 0
	for user, vote := range w.votes {
		if p.users[vote[0]] == user && vote[1] == p.rules() {
			n++
		}
	}
	return n >= max(1, p.required) || !p.enabled && n >= 1
}

// expected is what has to come of a wish that is handed in by a passkey, or by nobody.
func (p *parliament) expected(w *wish, passkey string) EventKind {
	switch {
	case w.state == EventHeld && (!p.consent(w) || !p.now.Before(w.deadline)):
		return "past" // or refused as too late
	case w.state != "" && w.state != EventHeld:
		return "past"
	case !w.loosens && p.refuses():
		return EventDenied
	case w.state == EventHeld, passkey != "" && !p.enabled:
		return "done"
	}
	return EventHeld
}

func (p *parliament) submit(w *wish, passkey string) {
	want := p.expected(w, passkey)
	d, err := p.judge(passkey, w.Request)
	got := d.Event.Kind
	switch {
	case err == refusal.ErrPolicy && w.Body.Type == wire.DeletePolicy && want != "past": // another wish was faster
		return
	case err != nil && want != "past", err != nil && w.state != EventHeld:
		p.rt.Fatalf("%s by %q: %v, want %s", w.Body.Type, passkey, err, want)
	case err != nil, d.Past != nil:
		got = "past"
	case got == EventTransaction, got == EventConfig, got == EventPolicyDeleted:
		got = "done"
	}
	if got != want {
		p.rt.Fatalf("%s by %q: %s, want %s", w.Body.Type, passkey, got, want)
	}
	if d.Past != nil || err != nil {
		return
	}
	p.apply(d.Event)
	if w.state = d.Event.Kind; got == EventHeld {
		w.deadline = p.now.Add(30 * time.Minute)
	}
	if got == "done" && w.after != nil {
		w.after()
	}
}

func (p *parliament) passkey() string {
	if len(p.users) == 0 {
		return ""
	}
	return rapid.SampledFrom(slices.Sorted(maps.Keys(p.users))).Draw(p.rt, "passkey")
}

func (p *parliament) somebody() string {
	if rapid.Bool().Draw(p.rt, "stamped") {
		return p.passkey()
	}
	return ""
}

func (p *parliament) wish() *wish {
	if len(p.wishes) == 0 {
		p.rt.SkipNow()
	}
	return rapid.SampledFrom(p.wishes).Draw(p.rt, "wish")
}

func (p *parliament) add(w *wish) {
	w.votes = map[string][2]string{}
	p.wishes = append(p.wishes, w)
	p.submit(w, p.somebody())
}

func (p *parliament) pay(*rapid.T) {
	p.add(&wish{Request: p.payment()})
}

func (p *parliament) loosen(*rapid.T) {
	if ids := slices.Sorted(maps.Keys(p.policies)); len(ids) > 0 && rapid.Bool().Draw(p.rt, "policy") {
		id := rapid.SampledFrom(ids).Draw(p.rt, "id")
		p.add(&wish{
			Request: p.body(wire.DeletePolicy, wire.DeletePolicyParams{PolicyID: id}),
			loosens: true,
			after:   func() { delete(p.policies, id) },
		})
		return
	}
	// Never the same words twice.
	off := wire.ApprovalConfig{ThresholdUSD: fmt.Sprint(1000 + p.bodies), RequiredApprovers: "1"}
	p.add(&wish{Request: p.body(wire.UpdateApprovalConfig, off), loosens: true, after: func() {
		p.enabled, p.required, p.words = false, 0, off.ThresholdUSD
	}})
}

// tighten needs nobody's word.
func (p *parliament) tighten(*rapid.T) {
	if rapid.Bool().Draw(p.rt, "policy") {
		refuses := rapid.Bool().Draw(p.rt, "refuses")
		r := p.policy(map[bool]string{true: "polygon", false: "base"}[refuses])
		p.must(EventPolicy, p.somebody(), r)
		p.policies[newID(r.Fingerprint, "policy")] = refuses
		return
	}
	n := p.required + rapid.IntRange(0, 1).Draw(p.rt, "more")
	if n == 0 || n > len(p.distinct()) {
		return
	}
	p.must(EventConfig, p.somebody(), p.body(wire.UpdateApprovalConfig, config(true, fmt.Sprint(n))))
	p.enabled, p.required, p.words = true, n, ""
}

func (p *parliament) distinct() map[string]bool {
	all := map[string]bool{}
	for _, user := range p.users {
		all[user] = true
	}
	return all
}

func (p *parliament) agree(*rapid.T) {
	w, passkey := p.wish(), p.passkey()
	d, err := p.judge(passkey, p.vote(w.Fingerprint))
	open := w.state == EventHeld && p.now.Before(w.deadline)
	if (err == nil) != open {
		p.rt.Fatalf("a vote for what is %s: %v", w.state, err)
	}
	if err == nil {
		p.apply(d.Event)
		w.votes[p.users[passkey]] = [2]string{passkey, p.rules()}
	}
}

func (p *parliament) again(*rapid.T) { p.submit(p.wish(), p.somebody()) }

func (p *parliament) reject(*rapid.T) {
	w := p.wish()
	p.cancel(w.Fingerprint)
	if w.state == "" || w.state == EventHeld {
		w.state = EventCancelled
	}
}

func (p *parliament) wait(*rapid.T) {
	p.now = p.now.Add(time.Duration(rapid.IntRange(1, 900).Draw(p.rt, "seconds")) * time.Second)
}

// lose takes a passkey away where its user has another.
func (p *parliament) lose(*rapid.T) {
	passkey := p.passkey()
	for other, user := range p.users {
		if other != passkey && user == p.users[passkey] {
			p.leave(passkey)
			delete(p.users, passkey)
			return
		}
	}
}

func (p *parliament) restart(*rapid.T) {
	raw, err := p.Save("v1")
	if err != nil {
		p.rt.Fatal(err)
	}
	if p.State, err = Restore(constants(), "v1", raw); err != nil {
		p.rt.Fatal(err)
	}
}

// Whatever is asked for, voted for, taken back and forgotten, in any order:
// nothing happens without the consent that the rules ask for at that moment, and
// what has it happens.
func TestSigning_A05_NothingWithoutConsent(t *testing.T) {
	happened := map[EventKind]int{}
	rapid.Check(t, func(rt *rapid.T) {
		p := &parliament{
			club: newClub(t, "ann", "bob", "cid"), rt: rt, policies: map[string]bool{}, users: map[string]string{},
		}
		for _, user := range []string{"ann", "bob", "cid"} {
			p.join(user, user+"'s other", "other key of "+user)
			p.users[user], p.users[user+"'s other"] = user, user
		}
		rt.Repeat(map[string]func(*rapid.T){
			"pay": p.pay, "loosen": p.loosen, "tighten": p.tighten, "agree": p.agree, "agree too": p.agree,
			"again": p.again, "and again": p.again, "reject": p.reject, "wait": p.wait, "lose": p.lose,
			"restart": p.restart,
		})
		for _, w := range p.wishes {
			if happened[w.state]++; len(w.votes) > 0 &&
				(w.state == EventTransaction || w.state == EventConfig || w.state == EventPolicyDeleted) {
				happened["voted"]++
			}
		}
	})
	for _, kind := range []EventKind{
		EventTransaction, EventDenied, EventHeld, EventConfig, EventPolicyDeleted, EventCancelled, "voted",
	} {
		if happened[kind] == 0 && !testing.Short() { // with -short a fifth of the histories is drawn
			t.Errorf("%s never happened: the histories show too little", kind)
		}
	}
}
