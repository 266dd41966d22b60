package enclave

import (
	"reflect"
	"strconv"
	"sync"
	"testing"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// seat is a user whose organization asks for votes.
type seat struct {
	*world
	owner
	address string
}

func newSeat(t *testing.T) *seat {
	t.Helper()
	w := newWorldWith(t, Options{every: 1 << 40})
	s := &seat{world: w, owner: w.register("alice@example.com")}
	s.address = w.wallet(s.owner, "Main").Address
	w.must(s.owner, w.fresh(s.owner, wire.UpdateApprovalConfig, wire.ApprovalConfig{
		Enabled: true, ThresholdUSD: "0", RequiredApprovers: "1",
	}))
	return s
}

func (s *seat) submit(q wire.SubmitRequest, want wire.OutcomeState) wire.Statement {
	s.t.Helper()
	out, err := s.Submit(q)
	if err != nil {
		s.t.Fatal(err)
	}
	st := s.statement(out.Proof)
	if out.State != want || (want == wire.Held || want == wire.Denied) != (st.Outcome == want) {
		s.t.Fatalf("%s, proved %q, want %s", out.State, st.Outcome, want)
	}
	return st
}

// held makes a payment that waits.
func (s *seat) held() (again wire.SubmitRequest, st wire.Statement) {
	s.t.Helper()
	body := s.body(s.fresh(s.owner, wire.SignIntent, payment(s.address)))
	again = wire.SubmitRequest{Body: body, Volatile: volatile(0)}
	st = s.submit(wire.SubmitRequest{Body: body, Stamp: s.stamp(s.owner, body), Volatile: volatile(0)}, wire.Held)
	if a := st.Result.Approval; a == nil || a.Fingerprint != wire.Fingerprint(body) || st.Result.Transaction != nil {
		s.t.Fatalf("held as %+v", st.Result)
	}
	return again, st
}

func (s *seat) voteFor(st wire.Statement) wire.SubmitRequest {
	s.t.Helper()
	body := s.body(s.fresh(s.owner, wire.ApproveActivity, wire.ApproveActivityParams{
		Fingerprint: st.Fingerprint, PolicySet: st.Result.Approval.PolicySet,
	}))
	return wire.SubmitRequest{Body: body, Stamp: s.stamp(s.owner, body)}
}

// A payment that has its votes is executed once, however many hand it in.
func TestSigning_A08_ExecutedOnceByFifty(t *testing.T) {
	s := newSeat(t)
	pay, st := s.held()
	vote := s.voteFor(st)
	voted := s.submit(vote, wire.Done)
	if a := voted.Result.Approval; !a.Approved || len(a.Votes) != 1 || a.Fingerprint != st.Fingerprint {
		t.Fatalf("the vote says %+v", a)
	}
	before, proofs := s.journal.Position().Seq, make([]wire.Proof, 50)
	var all sync.WaitGroup
	for i := range proofs {
		all.Go(func() {
			q := pay
			q.Volatile = volatile(0)
			q.Volatile.MaxFeePerGas = strconv.Itoa(1_000_000_000 + i) // as from so many servers
			if out, err := s.Submit(q); err != nil || out.State != wire.Done {
				t.Errorf("%v, %v", out.State, err)
			} else {
				proofs[i] = *out.Proof
			}
		})
	}
	all.Wait()
	if made := s.journal.Position().Seq - before; made != 1 {
		t.Errorf("%d entries", made)
	}
	for _, p := range proofs {
		if p != proofs[0] {
			t.Fatal("two results of one body")
		}
	}
	done := s.statement(&proofs[0])
	if a := done.Result.Approval; a == nil || !a.Approved || done.Result.Transaction == nil {
		t.Errorf("done as %+v", done.Result)
	}
	if number(t, done.Seq) <= number(t, voted.Seq) || number(t, voted.Seq) <= number(t, st.Seq) {
		t.Errorf("held at %s, voted at %s, done at %s", st.Seq, voted.Seq, done.Seq)
	}
	if again := s.submit(vote, wire.Done); again.Seq != voted.Seq {
		t.Error("the vote counted twice")
	}
}

func number(t *testing.T, text string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The vote, the execution and the rejection at once: what waits ends in one way,
// and everybody is told the same.
func TestSigning_A08_VoteAgainstRejection(t *testing.T) {
	s := newSeat(t)
	seen := map[wire.OutcomeState]int{}
	for range 30 {
		pay, st := s.held()
		vote, fp := s.voteFor(st), wire.FingerprintRequest{Fingerprint: st.Fingerprint}
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := s.Submit(vote); err == nil {
				_, _ = s.Submit(pay)
			}
		})
		all.Go(func() { _, _ = s.Submit(pay) })
		var rejected wire.OutcomeReply
		all.Go(func() { rejected, _ = s.Cancel(fp) })
		all.Wait()
		end, err := s.Outcome(fp)
		if err != nil || end.State != rejected.State || *end.Proof != *rejected.Proof {
			t.Fatalf("ended as %s, the rejection was told %s, %v", end.State, rejected.State, err)
		}
		if signed := s.statement(end.Proof).Result; (end.State == wire.Done) != (signed != nil &&
			signed.Transaction != nil) {
			t.Errorf("%s with %+v", end.State, signed)
		}
		if late, err := s.Submit(pay); err != nil || *late.Proof != *end.Proof {
			t.Errorf("afterwards %s, %v", late.State, err)
		}
		seen[end.State]++
	}
	if seen[wire.Done]+seen[wire.Cancelled] != 30 {
		t.Errorf("ended as %v", seen)
	}
}

// What waits, and the votes for it, outlive restarts, with a checkpoint and without.
func TestSigning_K04_HeldAcrossRestarts(t *testing.T) {
	for _, kept := range []bool{false, true} {
		s := newSeat(t)
		over := func() {
			t.Helper()
			if kept {
				s.checkpointNow()
			}
			s.reopen()
		}
		pay, st := s.held()
		lost, _ := s.held()
		over()
		if again := s.submit(pay, wire.Held); again.Seq != st.Seq {
			t.Error("held a second time")
		}
		voted := s.submit(s.voteFor(st), wire.Done)
		over()
		proof, err := s.State(wire.StateRequest{OrganizationID: s.org, Approval: st.Fingerprint, Rules: true})
		if err != nil {
			t.Fatal(err)
		}
		now := s.statement(&proof).State
		if !reflect.DeepEqual(now.Approval, voted.Result.Approval) ||
			!now.ApprovalConfig.Enabled || now.Policies != nil {
			t.Errorf("stands as %+v under %+v", now.Approval, now.ApprovalConfig)
		}
		done := s.submit(pay, wire.Done)
		over()
		if again := s.submit(pay, wire.Done); again.Seq != done.Seq || !reflect.DeepEqual(again.Result, done.Result) {
			t.Error("done a second time")
		}
		s.submit(lost, wire.Held)
		_, err = s.State(wire.StateRequest{OrganizationID: s.org, Approval: st.Fingerprint})
		refused(t, "what does not wait any more", err, refusal.ErrApproval)
	}
}

// The host's fee and nonce floor are no part of what was agreed on: a refusal
// because of them is not the end.
func TestSigning_A05_VolatileRefusalIsNotFinal(t *testing.T) {
	s := newSeat(t)
	pay, st := s.held()
	s.submit(s.voteFor(st), wire.Done)
	dear := pay
	dear.Volatile = &wire.Volatile{MaxFeePerGas: "2000000000000", MaxPriorityFeePerGas: "1", NonceFloor: "0"}
	_, err := s.Submit(dear)
	refused(t, "above the maximum", err, refusal.ErrFee)
	ahead := pay
	ahead.Volatile = volatile(7)
	_, err = s.Submit(ahead)
	refused(t, "a nonce from nowhere", err, refusal.ErrFloor)
	s.submit(pay, wire.Done)
}

// A denial is told the same for ever.
func TestSigning_E00_DenialIsProved(t *testing.T) {
	s := newSeat(t)
	wallet := s.statement(s.state(wire.StateRequest{
		OrganizationID: s.org, Address: s.address,
	})).State.Accounts[0].WalletID
	rule := s.body(s.fresh(s.owner, wire.CreatePolicy, wire.CreatePolicyParams{
		WalletID: wallet, Rules: wire.Rules{AllowedChains: []string{"polygon"}},
	}))
	s.submit(wire.SubmitRequest{Body: rule}, wire.Done) // tightens: nobody's stamp
	body := s.body(s.fresh(s.owner, wire.SignIntent, payment(s.address)))
	q := wire.SubmitRequest{Body: body, Stamp: s.stamp(s.owner, body), Volatile: volatile(0)}
	denied := s.submit(q, wire.Denied)
	if d := denied.Result.Denial; d == nil || d.Rule != "allowedChains" || denied.Result.Transaction != nil {
		t.Errorf("%+v", denied.Result)
	}
	s.reopen()
	if again := s.submit(wire.SubmitRequest{Body: body}, wire.Denied); !reflect.DeepEqual(again, denied) {
		t.Errorf("again %+v", again)
	}
	if out, err := s.Cancel(wire.FingerprintRequest{Fingerprint: denied.Fingerprint}); err != nil ||
		out.State != wire.Denied {
		t.Errorf("cancelled: %v, %v", out.State, err)
	}
}

func (s *seat) state(q wire.StateRequest) *wire.Proof {
	s.t.Helper()
	p, err := s.State(q)
	if err != nil {
		s.t.Fatal(err)
	}
	return &p
}
