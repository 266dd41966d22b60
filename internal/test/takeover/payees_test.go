package takeover

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/railkit/railkit/enclave/wire"
)

// friend is a payee as its owners mean it: the address that they got from the friend.
type friend struct {
	name, address string
	since         time.Time
	contract      bool // its calls are wanted, and nothing is to be sent to it
}

// asRead is a name as an eye reads it in a hurry.
func asRead(name string) string {
	return strings.NewReplacer("С", "C", "а", "a", "о", "o", ".", "").Replace(name)
}

// met notes a payee that the owners agreed on, and know to be in the book; or that they removed.
func (s *society) met(p wire.Payee) {
	if p.RemovedAt == "" {
		s.friends = append(s.friends, friend{p.Name, p.Address, time.Now(), p.Kind == wire.ContractPayee})
		return
	}
	s.friends = slices.DeleteFunc(s.friends, func(f friend) bool { return f.address == p.Address })
}

// forget drops the votes for payments to a payee that the owners removed: they voted for the name.
func (l *ledger) forget(s *society, address string) {
	for fp, raw := range l.bodies {
		body, _ := decode[wire.Body]([]byte(raw))
		x, ok := decode[wire.SignIntentParams](body.Parameters)
		if ok && body.Type == wire.SignIntent && x.To == address {
			delete(s.votes, fp)
		}
	}
}

// knows reports whether an address is of a friend, and for so long.
func (s *society) knows(address common.Address, hours string) bool {
	cooling, _ := time.ParseDuration(hours + "h")
	return slices.ContainsFunc(s.friends, func(f friend) bool {
		return common.HexToAddress(f.address) == address && time.Since(f.since) >= cooling
	})
}

// meant is that a body is to pay one of the owners' friends, whatever address is in it.
func (l *ledger) meant(p *person, body, name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.societies[p.org].friends {
		if f.name == name {
			l.recipients[wire.Fingerprint(body)] = common.HexToAddress(f.address)
		}
	}
}

// binds adds a payee on the network of all payments here.
func binds(name, address string) wire.AddPayeeParams {
	return wire.AddPayeeParams{Name: name, Chain: "base", Address: address, Kind: wire.WalletPayee}
}

// shown is the signer's own preview of a body; an empty one where it refuses.
func (h *host) shown(body string) wire.Preview {
	var proof wire.Proof
	var st wire.Statement
	err := h.call(wire.MPreview, wire.PreviewRequest{Body: body}, &proof)
	if err == nil {
		err = json.Unmarshal([]byte(proof.Payload), &st)
	}
	if err != nil || st.Preview == nil {
		return wire.Preview{}
	}
	return *st.Preview
}

// named is the name that the signer's own preview gives to the recipient of a body.
func (h *host) named(body string) string {
	all := h.shown(body).Counterparties
	if len(all) != 1 || all[0].Payee == nil {
		return ""
	}
	return all[0].Payee.Name
}

// byName stamps a payment only if the page names its recipient so, and reads no digits.
func (p *person) byName(name, body string) {
	p.h.t.Helper()
	if asRead(p.h.named(body)) != name {
		return
	}
	p.h.ledger.meant(p, body, name)
	_, _, _ = p.h.submit(body, p.agree(body))
}

// together has both members vote for what one of them stamped, and hands it in.
func (h *host) together(p, q *person, kind wire.ActivityType, params any) wire.Result {
	h.t.Helper()
	body := p.body(kind, params)
	_, _, _ = h.submit(body, p.agree(body))
	p.vote(body)
	q.vote(body)
	_, r, err := h.submit(body, nil)
	if err != nil || r.Payee == nil {
		h.t.Fatalf("%s: %v", kind, err)
	}
	h.ledger.enacted(p.org, r)
	return r
}

// payees are the attacks on the book of payees: P.
var payees = []attack{
	{"P01", "an address of the actor's before there is a payee", "payeesOnly", func(h *host) {
		p := h.newcomer()
		p.must(wire.CreatePolicy, wire.CreatePolicyParams{WalletID: p.wallet, Rules: wire.Rules{PayeesOnly: true}})
		body := p.pays(robber)
		_, _, _ = h.submit(body, p.agree(body))
	}},
	{"P01", "an address of the actor's in the place of a payee's", "payeeAddress", func(h *host) {
		p := h.newcomer()
		p.must(wire.AddPayee, binds("Carol", shop))
		p.byName("Carol", p.pays(robber))
	}},
	{"P02", "a payee bound to another address by one of two", "payeeVotes", func(h *host) {
		p, q := h.family("0", "2")
		bound := h.together(p, q, wire.AddPayee, binds("Carol", shop))
		remove := p.body(wire.RemovePayee, wire.RemovePayeeParams{PayeeID: bound.Payee.ID})
		_, _, _ = h.submit(remove, p.agree(remove))
		add := p.body(wire.AddPayee, binds("Carol", robber))
		_, _, _ = h.submit(add, p.agree(add))
		body := p.pays(robber)
		p.byName("Carol", body)
		if asRead(h.named(body)) == "Carol" {
			p.vote(body)
			q.vote(body)
		}
		_, _, _ = h.submit(body, nil)
	}},
	{"P03", "a name that looks like a payee's", "payeeNames", func(h *host) {
		p := h.newcomer()
		p.must(wire.AddPayee, binds("Carol", shop))
		add := p.body(wire.AddPayee, binds("Саrоl", robber)) // three letters are Cyrillic
		_, _, _ = h.submit(add, p.agree(add))
		p.byName("Carol", p.pays(robber))
	}},
	{"P03", "a payee's name with a dot more", "payeeNames", func(h *host) {
		p := h.newcomer()
		p.must(wire.AddPayee, binds("Carol", shop))
		add := p.body(wire.AddPayee, binds("Carol.", robber))
		_, _, _ = h.submit(add, p.agree(add))
		p.byName("Carol", p.pays(robber))
	}},
	{"P04", "a payee that was removed", "payeeRemoved", func(h *host) {
		p := h.newcomer()
		p.must(wire.CreatePolicy, wire.CreatePolicyParams{WalletID: p.wallet, Rules: wire.Rules{PayeesOnly: true}})
		_, bound := p.must(wire.AddPayee, binds("Carol", shop))
		p.must(wire.RemovePayee, wire.RemovePayeeParams{PayeeID: bound.Payee.ID})
		body := p.pays(shop)
		_, _, _ = h.submit(body, p.agree(body))
	}},
	{"P05", "a restart in the place of a payee's cooling", "payeeCooling", amended(func(p *person) {
		p.must(wire.CreatePolicy, wire.CreatePolicyParams{WalletID: p.wallet, Rules: wire.Rules{
			PayeesOnly: true, PayeeCoolingHours: "1",
		}})
		p.must(wire.AddPayee, binds("Carol", shop))
	}, func(p *person) {
		body := p.pays(shop)
		_, _, _ = p.h.submit(body, p.agree(body))
	}, addUSDX)},
	{"P06", "a payment whose payee was removed before the votes", "payeeVoid", func(h *host) {
		p, q := h.family("0", "2")
		bound := h.together(p, q, wire.AddPayee, binds("Carol", shop))
		body := p.pays(shop)
		_, _, _ = h.submit(body, p.agree(body))
		p.vote(body)
		h.together(p, q, wire.RemovePayee, wire.RemovePayeeParams{PayeeID: bound.Payee.ID})
		q.vote(body)
		_, _, _ = h.submit(body, nil)
	}},
	{"P08", "a payee under a delegation that was removed", "payeeDelegation", func(h *host) {
		p := h.newcomer()
		_, bound := p.must(wire.AddPayee, binds("Carol", shop))
		p.must(wire.CreatePolicy, wire.CreatePolicyParams{WalletID: p.wallet, Rules: wire.Rules{
			Delegation: &wire.Delegation{
				AnyRequest: true, ExpiresAtMs: millis(time.Now().Add(time.Hour)), MaxValueUSD: "50",
				DailyUSD: "50", PayeesOnly: true,
			},
		}})
		p.must(wire.RemovePayee, wire.RemovePayeeParams{PayeeID: bound.Payee.ID})
		_, _, _ = h.submit(p.exact(shop, 0), nil)
	}},
}
