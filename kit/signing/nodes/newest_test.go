package nodes_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/kit/signing/nodes"
)

// head is a node that counts what it is asked.
type head struct {
	nodes.Numbered
	mu           sync.Mutex
	block        string
	balance      int64
	fails        error // of the call
	looks, asked int
	during       func() // while it is asked
}

func (h *head) Latest(context.Context) (node.Header, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.looks++
	return node.Header{Hash: h.block}, nil
}

func (h *head) Preflight(_ context.Context, f node.Flight) (node.Preflight, error) {
	h.mu.Lock()
	h.asked++
	p := node.Preflight{Block: h.block, Balance: big.NewInt(h.balance), NextNonce: 7, GasError: h.fails}
	if f.Estimate && h.fails == nil {
		p.Gas = 21_000
	}
	during := h.during
	h.mu.Unlock()
	if during != nil {
		during()
	}
	return p, nil
}

func (h *head) Send(context.Context, []byte) error { return nil }

func (h *head) set(change func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change()
}

const slug = "base"

// set is a node behind the port.
func set() (*head, *nodes.Set) {
	h := &head{block: "0xa", balance: 100}
	return h, nodes.NewSet(chain.Networks(chain.Sandbox), map[string]nodes.Node{slug: h})
}

const alice, bob = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"

func flight(from string, amount int64, estimate bool) node.Flight {
	return node.Flight{From: from, To: bob, Value: big.NewInt(amount), Data: []byte{1}, Estimate: estimate}
}

// asks tells what one question cost, and whether it was answered by what is kept.
func (h *head) asks(t *testing.T, s *nodes.Set, f node.Flight) (cost string, p node.Preflight) {
	t.Helper()
	h.mu.Lock()
	looks, asked := h.looks, h.asked
	h.mu.Unlock()
	p, kept, err := s.Preflight(t.Context(), slug, f)
	if err != nil {
		t.Fatal(err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if kept != (h.asked == asked) {
		t.Errorf("kept is %t, after %d questions", kept, h.asked-asked)
	}
	return fmt.Sprintf("looks %d, asks %d", h.looks-looks, h.asked-asked), p
}

// What is said of a block is asked once, and that it is the newest once in a while.
func TestAskedOnceABlock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, s := set()
		for _, step := range []struct {
			what   string
			before func()
			flight node.Flight
			want   string
		}{
			{"prepared", nil, flight(alice, 1, true), "looks 0, asks 1"},
			{"confirmed at once", nil, flight(alice, 1, true), "looks 0, asks 0"},
			{"the spelling of its address", nil, flight("0x70997970c51812dc3a010c7d01b50e0d17dc79c8", 1, true),
				"looks 0, asks 0"},
			{"what needs no estimate", nil, flight(alice, 2, false), "looks 0, asks 0"},
			{"another call", nil, flight(alice, 2, true), "looks 0, asks 1"},
			{"another address", nil, flight(bob, 1, true), "looks 0, asks 1"},
			{"another token", nil, node.Flight{From: alice, Token: bob}, "looks 0, asks 1"},
			{"later, and no block came", func() { time.Sleep(time.Second) }, flight(alice, 1, true), "looks 1, asks 0"},
			{"at once after it", nil, flight(bob, 1, true), "looks 0, asks 0"},
			{"a block came", func() { time.Sleep(time.Second); h.block = "0xb" }, flight(alice, 1, true),
				"looks 1, asks 1"},
			{"of which nothing is known of others", nil, flight(bob, 1, true), "looks 0, asks 1"},
			{"a reorg to the block before", func() { time.Sleep(time.Second); h.block = "0xa" }, flight(alice, 1, true),
				"looks 1, asks 1"},
			{"a node that names no block", func() { time.Sleep(time.Second); h.block = "" }, flight(alice, 1, true),
				"looks 1, asks 1"},
			{"and again", nil, flight(alice, 1, true), "looks 0, asks 1"},
		} {
			if step.before != nil {
				h.set(step.before)
			}
			got, p := h.asks(t, s, step.flight)
			if got != step.want || p.NextNonce != 7 || step.flight.Estimate != (p.Gas > 0) {
				t.Errorf("%s: %s, %+v", step.what, got, p)
			}
		}
	})
}

// A call that would fail is tried again.
func TestFailureIsNotKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, s := set()
		h.fails = node.ErrReverts
		if _, p := h.asks(t, s, flight(alice, 1, true)); !errors.Is(p.GasError, node.ErrReverts) {
			t.Fatalf("%+v", p)
		}
		h.fails = nil
		if got, p := h.asks(t, s, flight(alice, 1, true)); got != "looks 0, asks 1" || p.Gas == 0 || p.GasError != nil {
			t.Errorf("%s, %+v", got, p)
		}
	})
}

// What this server sends of an address changes what the node says of it, and so does what is asked anew.
func TestOwnTransactions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, s := set()
		h.asks(t, s, flight(alice, 1, true))
		h.asks(t, s, flight(bob, 1, true))
		h.set(func() { h.balance = 1 })
		if err := s.Send(t.Context(), slug, alice, "0x01"); err != nil {
			t.Fatal(err)
		}
		if got, p := h.asks(t, s, flight(alice, 1, true)); got != "looks 0, asks 1" || p.Balance.Int64() != 1 {
			t.Errorf("the sender: %s, %s", got, p.Balance)
		}
		if got, p := h.asks(t, s, flight(bob, 1, true)); got != "looks 0, asks 0" || p.Balance.Int64() != 100 {
			t.Errorf("another one: %s, %s", got, p.Balance)
		}
		if p, err := s.PreflightAnew(t.Context(), slug, flight(bob, 1, true)); err != nil || p.Balance.Int64() != 1 {
			t.Errorf("asked anew: %+v, %v", p, err)
		}
		if got, p := h.asks(t, s, flight(bob, 1, true)); got != "looks 0, asks 0" || p.Balance.Int64() != 1 {
			t.Errorf("and after: %s, %s", got, p.Balance)
		}
	})
}

// An answer that was on its way while this server sent something is not kept.
func TestSentMeanwhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, s := set()
		h.during = func() { _ = s.Send(t.Context(), slug, alice, "0x01") }
		h.asks(t, s, flight(alice, 1, true))
		h.during = nil
		if got, _ := h.asks(t, s, flight(alice, 1, true)); got != "looks 0, asks 1" {
			t.Error(got)
		}
	})
}

// Callers with one question share its answer, which none of them takes for one of now. One who goes away leaves it to
// the others.
func TestOneQuestionOfMany(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, s := set()
		release := make(chan struct{})
		h.during = func() { <-release }
		first, leave := context.WithCancel(t.Context())
		gone := make(chan error)
		go func() {
			_, _, err := s.Preflight(first, slug, flight(alice, 1, true))
			gone <- err
		}()
		synctest.Wait()
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				p, kept, err := s.Preflight(t.Context(), slug, flight(alice, 1, true))
				if err != nil || !kept || p.Balance.Int64() != 100 {
					t.Errorf("%+v, kept %t, %v", p, kept, err)
				}
			})
		}
		synctest.Wait()
		leave()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("who went away: %v", err)
		}
		close(release)
		all.Wait()
		if h.asked != 1 {
			t.Errorf("%d questions", h.asked)
		}
	})
}

// What is kept of one block is bounded.
func TestKeptIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, s := set()
		for i := range int64(200) {
			h.asks(t, s, flight(alice, i, true))
		}
		kept := 0
		for i := range int64(200) {
			if got, _ := h.asks(t, s, flight(alice, i, false)); got == "looks 0, asks 0" {
				kept++
			}
		}
		if kept != 200 { // of the address itself there is one entry
			t.Errorf("%d are kept", kept)
		}
		h.asked = 0
		for i := range int64(200) {
			if _, _, err := s.Preflight(t.Context(), slug, flight(alice, i, true)); err != nil {
				t.Fatal(err)
			}
		}
		if h.asked < 200-64 {
			t.Errorf("%d of 200 calls are kept", 200-h.asked)
		}
	})
}
