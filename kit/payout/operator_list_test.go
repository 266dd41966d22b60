package payout_test

import (
	"slices"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/watch"
)

// Everything about money on its way in that docs/onramp.md leaves to an operator is in the operator's list.
func TestPayout_PayIn_WhatWaitsForAnOperatorIsListed(t *testing.T) {
	t.Parallel()
	sent := []fiat.ActivityType{fiat.FundsReceived, fiat.PaymentProcessed}
	for name, happens := range map[string]func(r *rig, account string){
		"the partner reviews it": func(r *rig, a string) { r.tells(a, "d1", fiat.FundsReceived, fiat.FundsInReview) },
		"it cannot be sent back": func(r *rig, a string) {
			r.tells(a, "d1", fiat.FundsReceived, fiat.RefundInFlight, fiat.RefundFailed)
		},
		"the partner is silent": func(r *rig, a string) {
			r.tells(a, "d1", fiat.FundsReceived)
			r.notice(a)
			r.clock.move(25 * time.Hour)
		},
		"the partner corrects the amount": func(r *rig, a string) {
			r.tells(a, "d1", fiat.FundsReceived)
			r.notice(a)
			r.clock.move(time.Second)
			r.desk.happens(a, fiat.Activity{
				Type: fiat.FundsReceived, DepositID: "d1", Amount: pesosOf(499_900), Rail: fiat.SPEI,
			})
		},
		"no coins come": func(r *rig, a string) {
			r.tells(a, "d1", sent...)
			r.notice(a)
			r.clock.move(11 * time.Minute)
		},
		"other coins come": func(r *rig, a string) {
			r.tells(a, "d1", sent...)
			r.coins("t1", money.Of(coinsOfPayIn.Minor-10_000, money.USDC), watch.Final)
		},
		"the coins are sent twice": func(r *rig, a string) {
			r.tells(a, "d1", sent...)
			r.notice(a)
			r.coins("t1", coinsOfPayIn, watch.Final)
			r.follow("d1")
			r.desk.happens(a, fiat.Activity{
				Type: fiat.PaymentProcessed, DepositID: "d1", Amount: coinsOfPayIn, Fee: feeOfPayIn, Hash: "0xagain",
			})
		},
		"the bank takes it back after the coins": func(r *rig, a string) {
			r.tells(a, "d1", sent...)
			r.coins("t1", coinsOfPayIn, watch.Final)
			r.notice(a)
			r.follow("d1")
			r.tells(a, "d1", fiat.Refunded)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			a := r.depositRow(pesos())
			happens(r, a.PartnerID)
			r.notice(a.PartnerID)
			r.listed(r.follow("d1"))
		})
	}
}

// A recipient is paid, and the depositor's bank takes the pesos back.
func TestPayout_PayIn_ACompletedPaymentTakenBackIsListed(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	clabe, o := r.pays()
	r.desk.moves(fiat.TransferProcessed, 0)
	o, _ = r.advance(o.ID)
	r.want("at the bank", o, order.Completed)
	r.tells(clabe, "d1", fiat.Refunded)
	r.notice(clabe)
	o = r.order(o.ID)
	r.want("taken back", o, order.Completed)
	r.listed(o)
}

// listed wants an order in the operator's list.
func (r *rig) listed(o order.Order) {
	r.t.Helper()
	all, _, _, err := r.Operator.Stuck(r.t.Context(), ws, pageOf(9))
	if err != nil || !slices.ContainsFunc(all, func(s order.Order) bool { return s.ID == o.ID }) {
		r.t.Errorf("%s (%s, delay %q, labels %v) is not in the list of %d: %v", o.Status, o.PayIn.Status, o.Delay,
			o.Labels, len(all), err)
	}
}
