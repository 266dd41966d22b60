package decide

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
)

// sent is a signing under a delegation of the club.
func (c *club) sent(policyID string, e Event) {
	c.t.Helper()
	e.TimeMs, e.OrganizationID = c.now.UnixMilli(), c.org
	e.Fingerprint = wire.Fingerprint(strconv.FormatUint(c.seq, 10))
	e.Spend = &Spend{WalletID: c.wallet, DelegationID: policyID}
	c.apply(e)
}

func (c *club) order(nonce uint64) Event {
	return Event{Kind: EventTransaction, Transaction: &Order{
		SignWith: c.address, WalletID: c.wallet, Chain: "base", ChainID: 84532, Nonce: nonce,
	}}
}

func (c *club) permission(ends time.Duration) Event {
	o := &MessageOrder{SignWith: c.address, WalletID: c.wallet}
	if ends != 0 {
		o.Authorization = &wire.Authorization{EndsAt: clock.ISO(c.now.Add(ends))}
	}
	return Event{Kind: EventMessage, Message: o}
}

func (c *club) lentSeqs(q wire.LentRequest) (seqs []string, more string) {
	c.t.Helper()
	r, err := c.Describe(wire.StateRequest{OrganizationID: c.org, Lent: &q}, c.now)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, x := range r.Lent.Signed {
		seqs = append(seqs, x.Seq)
	}
	return seqs, r.Lent.More
}

// A message is told until a quarter of an hour after its end, one without a known
// end for good: it is from before ends were written down.
func TestSigning_LentMessagesEnd(t *testing.T) {
	c := newClub(t, "ann")
	c.sent("p", c.permission(time.Hour))
	first := strconv.FormatUint(c.seq, 10)
	c.sent("p", c.permission(0))
	endless := strconv.FormatUint(c.seq, 10)
	c.now = c.now.Add(75 * time.Minute)
	if got, _ := c.lentSeqs(wire.LentRequest{PolicyID: "p"}); !slices.Equal(got, []string{endless, first}) {
		t.Errorf("just before: %v", got)
	}
	c.now = c.now.Add(time.Second)
	if got, _ := c.lentSeqs(wire.LentRequest{PolicyID: "p"}); !slices.Equal(got, []string{endless}) {
		t.Errorf("afterwards: %v", got)
	}
	c.sent("p", c.permission(time.Hour))
	if n := len(c.State.delegated["p"].Messages); n != 2 {
		t.Errorf("%d are kept", n)
	}
}

func TestSigning_LentPages(t *testing.T) {
	c := newClub(t, "ann")
	for n := range uint64(lentPage + 2) {
		c.sent("p", c.order(n))
	}
	page, more := c.lentSeqs(wire.LentRequest{PolicyID: "p"})
	rest, end := c.lentSeqs(wire.LentRequest{PolicyID: "p", Before: more})
	if len(page) != lentPage || more != page[lentPage-1] || len(rest) != 2 || end != "" ||
		slices.Contains(page, rest[0]) {
		t.Errorf("%d and %d, %q, %q", len(page), len(rest), more, end)
	}
	mined := []wire.MinedNonce{{Chain: "base", Address: c.address, Nonce: strconv.Itoa(lentPage + 1)}}
	if last, _ := c.lentSeqs(wire.LentRequest{PolicyID: "p", Mined: mined}); len(last) != 1 || last[0] != page[0] {
		t.Errorf("when all but one are mined: %v", last)
	}
	for what, q := range map[string]wire.LentRequest{
		"chain": {PolicyID: "p", Mined: []wire.MinedNonce{{Chain: "mars", Nonce: "1"}}}, "nonce": {PolicyID: "p",
			Mined: []wire.MinedNonce{{Chain: "base", Nonce: "-1"}}},
		"page": {PolicyID: "p", Before: "x"}, "policy": {PolicyID: "q"},
	} {
		if _, err := c.Describe(wire.StateRequest{OrganizationID: c.org, Lent: &q}, c.now); err == nil {
			t.Errorf("another %s is taken", what)
		}
	}
}

// An older signer let exact bytes leave nonces out. The gap is filled first, and
// the nonces beyond it are not used twice.
func TestSigning_OldGapsAreFilled(t *testing.T) {
	c := newClub(t, "ann")
	for _, n := range []uint64{0, 2} {
		c.sent("p", c.order(n))
	}
	for _, want := range []uint64{1, 3} {
		got, err := c.next(nonceKey{"base", c.address}, 0, false)
		if err != nil || got != want {
			t.Fatalf("next is %d, %v, want %d", got, err, want)
		}
		c.sent("p", c.order(got))
	}
}
