package facilitator_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/internal/facilitator"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/internal/test/x402test"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/x402"
)

// late is the signer across the network, before which something happens once a settlement is written down.
type late struct {
	*facilitator.Remote
	before func()
}

func (s *late) Sign(ctx context.Context, request []byte) ([]byte, error) {
	if before := s.before; before != nil {
		s.before = nil
		before()
	}
	return s.Remote.Sign(ctx, request)
}

// A payment passes its simulation, and another one of its payer is mined before the signer is asked: it would fail now.
// The settlement is refused for good, and holds nobody else's.
func TestAgents_FacilitatorGivesBackWhatWouldFail(t *testing.T) {
	l := lend(t, apptest.Shared(t))
	c := x402test.NewChain(t)
	signer := &late{Remote: l.remote}
	f := c.FacilitatorOf(&x402test.Signer{}, func(config *facilitator.Config) { config.Signer = signer })
	seller, poor := x402test.NewKey(t).Address, c.Buyer("0.01")
	first, _, _ := c.Pay(poor, c.Offer("10000", seller))
	second, _, _ := c.Pay(poor, c.Offer("10000", seller))
	other := c.Facilitator()
	signer.before = func() {
		receipt, err := other.Settle(t.Context(), second)
		settled(t, receipt, err)
	}
	got, err := f.Settle(t.Context(), first)
	if err != nil || got.Success || got.ErrorReason != x402.ReasonSimulation || got.Transaction != "" {
		t.Errorf("%+v %v", got, err)
	}
	if f.Waiting() != 0 {
		t.Errorf("%d wait", f.Waiting())
	}
	honest, _, _ := c.Pay(c.Buyer("1"), c.Offer("10000", seller))
	receipt, err := f.Settle(t.Context(), honest)
	settled(t, receipt, err)
	all, err := l.client.Transactions.List(t.Context(), railkit.TransactionListOptions{Status: "cancelled"})
	if err != nil || len(all.Items) != 1 {
		t.Errorf("at the signer: %+v %v", all, err)
	}
}

// A settlement above what the delegation covers waits for votes at the signer. It is rejected there, so that no vote
// signs it later, and holds nobody else's.
func TestAgents_FacilitatorRejectsWhatWaitsForVotes(t *testing.T) {
	l := lend(t, apptest.Shared(t))
	c := x402test.NewChain(t)
	f := c.FacilitatorOf(&x402test.Signer{}, func(config *facilitator.Config) { config.Signer = l.remote })
	seller, rich := x402test.NewKey(t).Address, c.Buyer("30")
	dear, _, _ := c.Pay(rich, c.Offer("20000000", seller))
	got, err := f.Settle(t.Context(), dear)
	if err != nil || got.Success || got.ErrorReason != x402.ReasonInvalidTransaction || got.Transaction != "" {
		t.Errorf("%+v %v", got, err)
	}
	cheap, _, _ := c.Pay(rich, c.Offer("10000", seller))
	receipt, err := f.Settle(t.Context(), cheap)
	if settled(t, receipt, err); f.Waiting() != 0 || c.Balance(seller) != 10000 {
		t.Errorf("%d wait, the seller has %d", f.Waiting(), c.Balance(seller))
	}
	waits, err := l.client.Approvals.List(t.Context(), railkit.ApprovalListOptions{Status: railkit.ApprovalPending})
	if err != nil || len(waits.Items) != 0 {
		t.Errorf("something waits for votes: %+v %v", waits, err)
	}
}

// refuses has the signer refuse some signatures, each by an error.
func refuses(s *x402test.Signer, all ...error) {
	s.Fail = func() (bool, error) {
		if len(all) == 0 {
			return false, nil
		}
		err := all[0]
		all = all[1:]
		return false, err
	}
}

// What the signer does not sign, now or ever, is refused once nobody can have it signed any more, and leaves its nonce
// to the next payment. It may be asked again.
func TestAgents_FacilitatorGivesBack(t *testing.T) {
	c := x402test.NewChain(t)
	f, seller := c.Facilitator(), x402test.NewKey(t).Address
	buyer := c.Buyer("1")
	for _, refused := range []struct {
		err    error
		reason string
	}{
		{facilitator.ErrNotSigned, x402.ReasonInvalidTransaction},
		{facilitator.ErrRefused, x402.ReasonInvalidTransaction},
		{errors.Join(facilitator.ErrRefused, node.ErrReverts), x402.ReasonSimulation},
	} {
		r, _, _ := c.Pay(buyer, c.Offer("10000", seller))
		refuses(f.Signer, refused.err)
		got, err := f.Settle(t.Context(), r)
		if err != nil || got.Success || got.ErrorReason != refused.reason || got.Transaction != "" || f.Waiting() != 0 {
			t.Errorf("%v: %+v %v, %d wait", refused.err, got, err, f.Waiting())
		}
		refuses(f.Signer, errors.Join(facilitator.ErrRefused, facilitator.NextNonce(uint64(f.Signer.Signs))))
		receipt, err := f.Settle(t.Context(), r) // the first try is told another nonce
		settled(t, receipt, err)
	}
	if c.Balance(seller) != 30000 || f.Signer.Signs != 3 {
		t.Errorf("the seller has %d, %d signatures", c.Balance(seller), f.Signer.Signs)
	}
}

// deaf is a signer that never answers to the first request that it gets.
type deaf struct {
	*x402test.Signer
	to []byte
}

func (s *deaf) Sign(ctx context.Context, request []byte) ([]byte, error) {
	if s.to == nil {
		s.to = request
	}
	if bytes.Equal(s.to, request) {
		return nil, errLost
	}
	return s.Signer.Sign(ctx, request)
}

func (s *deaf) Cancel(ctx context.Context, request []byte) error {
	if bytes.Equal(s.to, request) {
		return errLost
	}
	return s.Signer.Cancel(ctx, request)
}

var errLost = errors.New("connection reset")

// A settlement to which the signer does not answer, nor to its cancellation, is not given back, also across a restart.
// Until Config.Held is over the others wait for it. Then the next one takes its nonce, and only that refuses the first.
func TestAgents_FacilitatorHoldsTheLineForAWhile(t *testing.T) {
	c := x402test.NewChain(t)
	signer := &deaf{Signer: &x402test.Signer{Key: x402test.NewKey(t)}}
	c.Give(signer.Address(), "native", "1")
	folder, held := t.TempDir(), time.Hour
	same := func(config *facilitator.Config) { config.Signer, config.Folder, config.Held = signer, folder, held }
	f, seller := c.FacilitatorOf(signer.Signer, same), x402test.NewKey(t).Address
	buyer := c.Buyer("1")
	r, _, _ := c.Pay(buyer, c.Offer("10000", seller))
	if got, err := f.Settle(t.Context(), r); !errors.Is(err, errLost) || got.Success || f.Waiting() != 1 {
		t.Fatalf("%+v %v, %d wait", got, err, f.Waiting())
	}
	next, _, _ := c.Pay(buyer, c.Offer("10000", seller))
	if _, err := f.Settle(t.Context(), next); !errors.Is(err, errLost) {
		t.Errorf("it did not wait for what may have been signed: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	held = time.Nanosecond
	g := c.FacilitatorOf(signer.Signer, same)
	if g.Waiting() != 1 {
		t.Errorf("%d wait", g.Waiting())
	}
	receipt, err := g.Settle(t.Context(), next)
	if settled(t, receipt, err); g.Waiting() != 0 {
		t.Errorf("%d wait", g.Waiting())
	}
	first, err := g.Settle(t.Context(), r) // once more, as a settlement of its own
	settled(t, first, err)
	if c.Balance(seller) != 20000 || signer.Signs != 2 {
		t.Errorf("the seller has %d, %d signatures\n%s", c.Balance(seller), signer.Signs, g.Log)
	}
}

// The answer to a signature is lost, and so late that the settlement is cancelled: it was signed, and its bytes are
// asked for again.
func TestAgents_FacilitatorCancelsTooLate(t *testing.T) {
	c := x402test.NewChain(t)
	f := c.Facilitator(func(config *facilitator.Config) { config.Held = time.Nanosecond })
	seller := x402test.NewKey(t).Address
	r, _, _ := c.Pay(c.Buyer("1"), c.Offer("10000", seller))
	lost := true
	f.Signer.Fail = func() (bool, error) {
		if lost {
			lost = false
			return true, errLost
		}
		return false, nil
	}
	receipt, err := f.Settle(t.Context(), r)
	if settled(t, receipt, err); c.Balance(seller) != 10000 || f.Signer.Signs != 1 {
		t.Errorf("the seller has %d, %d signatures", c.Balance(seller), f.Signer.Signs)
	}
}

// A buyer has money, or has let Permit2 take it, for one of two payments. The second one is refused before anybody
// signs it: mined after the first it would revert, and cost our gas. What others have open does not count, nor does
// what is mined.
func TestAgents_FacilitatorCountsWhatIsOpen(t *testing.T) {
	c := x402test.NewChain(t)
	f, seller := c.Facilitator(), x402test.NewKey(t).Address
	poor, frugal, other := c.Buyer("0.015"), c.Buyer("1"), c.Buyer("1")
	c.ApproveAmount(frugal, 15000)
	permit := c.Offer("10000", seller)
	permit.Extra.AssetTransferMethod = x402.Permit2
	c.Automine(false)
	defer c.Automine(true)
	f.Wait = time.Millisecond
	pay := func(k x402test.Key, o x402.Offer) (x402.Receipt, x402.Request) {
		r, _, _ := c.Pay(k, o)
		got, err := f.Settle(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return got, r
	}
	first, asked := pay(poor, c.Offer("10000", seller))
	second, _ := pay(poor, c.Offer("10000", seller))
	third, again := pay(poor, c.Offer("5000", seller))
	if !first.Pending() || second.ErrorReason != x402.ReasonBalance || !third.Pending() {
		t.Errorf("%+v, %+v, %+v", first, second, third)
	}
	first, _ = pay(frugal, permit)
	second, _ = pay(frugal, permit)
	third, _ = pay(frugal, c.Offer("10000", seller)) // needs no allowance
	if !first.Pending() || second.ErrorReason != x402.ReasonPermit2Allowance || !third.Pending() {
		t.Errorf("%+v, %+v, %+v", first, second, third)
	}
	if got, _ := pay(other, c.Offer("10000", seller)); !got.Pending() || f.Signer.Signs != 5 {
		t.Errorf("%+v, %d signatures", got, f.Signer.Signs)
	}
	c.Automine(true)
	f.Wait = testwait.Bound
	for _, r := range []x402.Request{asked, again} {
		receipt, err := f.Settle(t.Context(), r)
		settled(t, receipt, err)
	}
	c.Give(poor.Address, "USDC", "0.01")
	got, _ := pay(poor, c.Offer("10000", seller))
	settled(t, got, nil)
}
