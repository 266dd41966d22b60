package soak

import (
	"fmt"
	mrand "math/rand/v2"
	"reflect"
	"testing"
	"time"
)

// act is what one step of the plan does.
type act string

const (
	sendCoins   act = "coins"   // stablecoin to a withdrawal address
	quote       act = "quote"   // a payment is quoted, executed and funded
	cancel      act = "cancel"  // or canceled instead
	leave       act = "leave"   // or never funded
	sendFiat    act = "fiat"    // a bank transfer to a deposit account
	sendToCLABE act = "clabe"   // a bank transfer to a recipient's CLABE
	byBank      act = "by-bank" // a payment is quoted in pesos, and the bank transfer for it is sent
	batch       act = "batch"   // three payments together, of which two are funded
	pay         act = "pay"     // coins of the wallet to a withdrawal address
)

// step is one thing that a client or a depositor does.
type step struct {
	at      time.Duration
	what    act
	payee   int    // which recipient
	account int    // which deposit account of the network
	chain   string // none of what goes from bank to bank
	units   int64  // of money
	cents   int64  // of which the partner knows what to do with the payment (fiat/sandbox, magic.go)
}

// amount has the cents that decide what becomes of it.
func (s step) amount() string { return fmt.Sprintf("%d.%02d", s.units, s.cents) }

// trouble is what breaks.
type trouble string

const (
	killServer  trouble = "kill server"
	killPartner trouble = "kill partner"
	killEnclave trouble = "kill enclave"
	killChain   trouble = "kill chain"
	killDB      trouble = "kill database"
	reorg       trouble = "reorg"
	expire      trouble = "expire" // what was signed on Solana and is in no block dies
	badNotices  trouble = "notices"
	badAnswers  trouble = "answers"
)

// disturbance is one of them.
type disturbance struct {
	at    time.Duration
	what  trouble
	n     int // how deep, or how often
	which int // of several ways
}

// chains are one network on which blocks are replaced, and one on which what is final stays, and on which a transaction
// that is late dies.
var chains = []string{"base", "solana"}

const (
	payees     = 3
	stepEvery  = 500 * time.Millisecond
	breakEvery = 900 * time.Millisecond
)

// planOf is all that happens in a run of some length. A longer one with the same seed begins with the same steps.
func planOf(seed uint64, length time.Duration) ([]step, []disturbance) {
	return steps(mrand.New(mrand.NewPCG(seed, 0)), length), disturbances(mrand.New(mrand.NewPCG(seed, 1)), length)
}

func steps(dice *mrand.Rand, length time.Duration) (all []step) {
	acts := bag[act]{of: []act{
		sendCoins, sendCoins, quote, quote, cancel, leave, sendFiat, sendFiat, sendFiat, sendFiat, sendFiat,
		sendFiat, sendToCLABE, sendToCLABE, sendToCLABE, byBank, byBank, batch, pay, pay,
	}}
	// Deposits end in every way that the partner has. Payouts fail, come back, wait for its review, and are late.
	in := bag[int64]{of: []int64{0, 0, 0, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 8, 9}}
	clabe := bag[int64]{of: []int64{0, 0, 0, 0, 1, 2, 3, 4}}
	out := bag[int64]{of: []int64{0, 0, 0, 0, 0, 1, 2, 3, 4}}
	on := map[act]*bag[string]{} // so that each act happens on each
	for at := between(dice, stepEvery); at < length; at += between(dice, stepEvery) {
		s := step{
			at: at, what: acts.take(dice), payee: dice.IntN(payees), account: dice.IntN(len(fiats)),
			units: 150 + dice.Int64N(600),
		}
		if s.what != sendToCLABE && s.what != byBank {
			if on[s.what] == nil {
				on[s.what] = &bag[string]{of: chains}
			}
			s.chain = on[s.what].take(dice)
		}
		switch s.what {
		case sendFiat:
			s.cents = in.take(dice)
		case sendToCLABE:
			s.cents = clabe.take(dice)
		case sendCoins:
			s.cents = out.take(dice)
		case quote, cancel, leave, batch, pay:
			s.units = 20 + s.units%80
		}
		all = append(all, s)
	}
	return all
}

// calmFrom is when the processes of a long run are left alone: whether their memory grows shows only in one that lives
// for long. Notices, answers and blocks go on failing.
func calmFrom(length time.Duration) time.Duration {
	if length < 10*time.Minute {
		return length
	}
	return length / 2
}

func disturbances(dice *mrand.Rand, length time.Duration) (all []disturbance) {
	kinds := bag[trouble]{of: []trouble{
		killServer, killServer, killServer, killPartner, killPartner, killEnclave, killChain, killDB, reorg, reorg,
		expire, expire, badNotices, badNotices, badNotices, badAnswers, badAnswers, badAnswers,
	}}
	for at := between(dice, breakEvery); at < length; at += between(dice, breakEvery) {
		d := disturbance{at: at, what: kinds.take(dice), n: 1 + dice.IntN(4), which: dice.IntN(60)}
		if at > calmFrom(length) && d.what.kills() {
			continue
		}
		all = append(all, d)
	}
	return all
}

func (w trouble) kills() bool {
	switch w {
	case killServer, killPartner, killEnclave, killChain, killDB:
		return true
	}
	return false
}

// between is a while of this length on average.
func between(dice *mrand.Rand, average time.Duration) time.Duration {
	return average/2 + time.Duration(dice.Int64N(int64(average)))
}

// bag gives each thing once, in some order, before any thing again: so a short run has seen all of them too.
type bag[T any] struct{ of, left []T }

func (b *bag[T]) take(dice *mrand.Rand) T {
	if len(b.left) == 0 {
		b.left = append(b.left, b.of...)
	}
	i := dice.IntN(len(b.left))
	one := b.left[i]
	b.left[i] = b.left[len(b.left)-1]
	b.left = b.left[:len(b.left)-1]
	return one
}

// A seed gives one plan, and the short form does all that the long one does.
func TestPlan(t *testing.T) {
	t.Parallel()
	some, breaks := planOf(7, shortForm)
	again, breaksAgain := planOf(7, shortForm)
	if !reflect.DeepEqual(some, again) || !reflect.DeepEqual(breaks, breaksAgain) {
		t.Error("one seed gives two plans")
	}
	long, _ := planOf(7, 10*shortForm)
	if !reflect.DeepEqual(some, long[:len(some)]) {
		t.Error("a longer run begins otherwise")
	}
	acts, troubles, cents := map[string]bool{}, map[trouble]bool{}, map[int64]bool{}
	for _, s := range some {
		acts[string(s.what)+" "+s.chain] = true
		if s.what == sendFiat {
			cents[s.cents] = true
		}
	}
	for _, d := range breaks {
		troubles[d.what] = true
	}
	if len(acts) != 2+7*len(chains) || len(troubles) != 9 || len(cents) != 10 {
		t.Errorf("%v, %v, deposits with cents %v", acts, troubles, cents)
	}
}
