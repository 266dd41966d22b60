package fiattest

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/money"
)

// Faults holds a partner's client to what may go wrong on the way: each is met as
// what it is, and afterwards the same key has one effect.
func Faults(t *testing.T, open Open) {
	for name, test := range map[string]func(*customer){
		"Once": faultsOnce, "Burst": faultsBurst, "RetryAfter": retryAfter, "UnknownState": unknownState,
		"IDReused": idReused, "NotItsWord": notItsWord, "OfDeposits": depositFaults,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(newCustomer(t, open))
		})
	}
}

func (c *customer) breaks(f control.Fault) {
	c.t.Helper()
	if err := c.Control.Fault(c.t.Context(), f); err != nil {
		c.t.Fatal(err)
	}
}

// meets is for a call that meets the fault: what is slow is given up after a second, and else nothing, since a busy
// machine may be slow too.
func (c *customer) meets(f control.Fault) context.Context {
	if f.Kind != "slow" {
		return c.t.Context()
	}
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Second) // given up, as said
	c.t.Cleanup(cancel)
	return ctx
}

func faultsOnce(c *customer) {
	c.credit(500_000_000)
	for i, f := range []struct {
		control.Fault
		want error
	}{
		{control.Fault{Kind: "unavailable"}, fiat.ErrUnavailable},
		{control.Fault{Kind: "unavailable", Status: 500}, fiat.ErrUnavailable},
		{control.Fault{Kind: "unavailable", RetryAfter: 2}, fiat.ErrBusy},
		{control.Fault{Kind: "rate_limited", RetryAfter: 3}, fiat.ErrBusy},
		{control.Fault{Kind: "slow", DelayMs: 20_000}, fiat.ErrUnavailable},
		{control.Fault{Kind: "truncated"}, fiat.ErrAnswer},
		{control.Fault{Kind: "lost_answer"}, fiat.ErrUnavailable},
		{control.Fault{Kind: "amount_mismatch"}, fiat.ErrAnswer},
		{control.Fault{Kind: "currency_mismatch"}, fiat.ErrAnswer},
	} {
		f.Times, f.Method, f.Path = 1, http.MethodPost, "/v0/transfers"
		c.breaks(f.Fault)
		if f.Kind == "lost_answer" { // Go itself asks again, once
			c.breaks(f.Fault)
		}
		q, key := c.payout(), uuid.NewString()
		if f.Kind == "amount_mismatch" {
			q.Gross, q.Net = money.Amount{}, money.Of(18_000, money.MXN)
		}
		_, err := c.CreateTransfer(c.meets(f.Fault), key, q)
		c.fails(f.Kind, err, f.want)
		made, err := c.CreateTransfer(c.t.Context(), key, q)
		if err != nil {
			c.t.Fatalf("%s: asked again: %v", f.Kind, err)
		}
		c.reaches(made.ID, fiat.TransferProcessed)
		c.Keep(q.Reference, 1)
		if all, err := c.Bench.Transfers(c.t.Context(), c.id, time.Time{}); err != nil || len(all) != i+1 {
			c.t.Errorf("%s: %d transfers (%v), want %d", f.Kind, len(all), err, i+1)
		}
	}
}

// However long it fails, the outcome stays unknown, and then the key has one effect.
func faultsBurst(c *customer) {
	c.credit(50_000_000)
	c.breaks(control.Fault{Kind: "unavailable", Status: 502, Times: 6, Path: "/v0/transfers"})
	q, key := c.payout(), uuid.NewString()
	for range 6 {
		_, err := c.CreateTransfer(c.t.Context(), key, q)
		c.fails("in a burst", err, fiat.ErrUnavailable)
	}
	if _, err := c.CreateTransfer(c.t.Context(), key, q); err != nil {
		c.t.Error(err)
	}
	c.holds("after it", 40_000_000)
}

// When to come back is told.
func retryAfter(c *customer) {
	c.breaks(control.Fault{Kind: "rate_limited", RetryAfter: 3, Times: 1})
	_, err := c.Rate(c.t.Context(), money.USDC, money.MXN)
	var busy *fiat.Busy
	if !errors.As(err, &busy) || busy.After != 3*time.Second {
		c.t.Errorf("%v", err)
	}
}

// A word that nobody knows is neither paid nor failed.
func unknownState(c *customer) {
	c.credit(50_000_000)
	made := c.pays(c.payout())
	c.breaks(control.Fault{Kind: "unknown_state", Path: "/v0/transfers/", Times: 1})
	if is, err := c.Transfer(c.t.Context(), made.ID); err != nil || is.State != fiat.TransferInReview {
		c.t.Errorf("%+v %v", is, err)
	}
	c.reaches(made.ID, fiat.TransferProcessed)
}

// A second payout under the first one's id is seen by its reference: an answer
// about it is none about the first.
func idReused(c *customer) {
	c.credit(50_000_000)
	first := c.payout()
	made := c.pays(first)
	c.breaks(control.Fault{Kind: "id_reused", Times: 1, Method: http.MethodPost})
	second := c.payout()
	again, err := c.CreateTransfer(c.t.Context(), uuid.NewString(), second)
	if err != nil || again.ID != made.ID {
		c.t.Fatalf("%+v %v, made was %s", again, err, made.ID)
	}
	is, err := c.Transfer(c.t.Context(), again.ID)
	if err != nil || is.Check(first) != nil || is.Check(second) == nil {
		c.t.Errorf("%+v %v", is, err)
	}
}

// What says that there is nothing, and is not the partner, is no answer: neither of a
// payment that was made, nor of the list that it is on.
func notItsWord(c *customer) {
	c.credit(500_000_000)
	q, key := c.payout(), uuid.NewString()
	post := control.Fault{Times: 1, Method: http.MethodPost, Path: "/v0/transfers"}
	lost := post
	lost.Kind = "lost_answer"
	c.breaks(lost)
	c.breaks(lost) // Go itself asks again, once
	_, err := c.CreateTransfer(c.t.Context(), key, q)
	c.fails("a lost yes", err, fiat.ErrUnavailable)
	post.Kind = "no_route"
	c.breaks(post)
	_, err = c.CreateTransfer(c.t.Context(), key, q)
	c.fails("asked again", err, fiat.ErrAnswer)
	c.breaks(control.Fault{Kind: "no_route", Times: 1, Method: http.MethodGet, Path: "/transfers"})
	_, err = c.TransferOf(c.t.Context(), c.id, q.Reference, time.Now().Add(-time.Hour))
	c.fails("looked for", err, fiat.ErrAnswer)
	if is, err := c.TransferOf(c.t.Context(), c.id, q.Reference,
		time.Now().Add(-time.Hour)); err != nil || is.Check(q) != nil {
		c.t.Errorf("found: %+v %v", is, err)
	}
	c.holds("after it", 490_000_000)
}
