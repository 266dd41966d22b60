package payout_test

import (
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// What becomes of an order's payment can be said, and the order follows.
func TestPayout_SandboxSteersOrders(t *testing.T) {
	t.Parallel()
	b := bankOn(t, "base", apptest.WithPartner(t))
	ctx := b.ctx
	// two leave a minute late, one is reviewed
	fails, late, held := b.comes("10.04"), b.comes("20.04"), b.comes("30.03")
	for _, o := range []*railkit.OrderDetail{fails, late, held} {
		b.atPartner(o.ID)
	}
	b.did(b.Sandbox.FailOrder(ctx, fails.Reference, railkit.BankReason{Code: "01"}))
	if o := must(b.Orders.WaitRefund(ctx, fails.ID, look))(t); o.Status != railkit.OrderReturned ||
		o.Failure.ReturnCode != "01" || o.Refund.Status != railkit.RefundCompleted {
		t.Errorf("failed: %+v, %+v", o.Failure, o.Refund)
	}
	b.did(b.Sandbox.ClearOrder(ctx, held.ID))
	if o := must(b.Orders.Wait(ctx, held.ID, look))(t); o.Status != railkit.OrderCompleted {
		t.Errorf("cleared: %+v", o.Order)
	}
	b.did(b.Sandbox.ReturnOrder(ctx, held.ID, railkit.BankReason{}))
	if o := must(b.Orders.WaitRefund(ctx, held.ID, look))(t); o.Status != railkit.OrderReturned ||
		o.Failure.ReturnCode == "" || o.Refund.Status != railkit.RefundCompleted {
		t.Errorf("sent back: %+v, %+v", o.Failure, o.Refund)
	}
	b.did(b.Sandbox.DelayOrder(ctx, late.ID, time.Hour))
	b.did(b.Sandbox.Advance(ctx, 10*time.Minute))
	if o := must(b.Orders.Get(ctx, late.ID))(t); o.Ended() {
		t.Errorf("after ten minutes of an hour: %+v", o.Order)
	}
	wantError(
		t, "a code of no rail", b.Sandbox.FailOrder(ctx, late.ID, railkit.BankReason{Code: "R99"}), 400,
		"validation_failed",
	)
	b.did(b.Sandbox.Advance(ctx, time.Hour))
	if o := must(b.Orders.Wait(ctx, late.ID, look))(t); o.Status != railkit.OrderCompleted {
		t.Errorf("after the hour: %+v", o.Order)
	}
	wantError(
		t, "failing what has arrived", b.Sandbox.FailOrder(ctx, late.ID, railkit.BankReason{}), 409,
		"sandbox_wrong_state",
	)
	wantError(t, "clearing what is not held", b.Sandbox.ClearOrder(ctx, late.ID), 409, "sandbox_wrong_state")
	wantError(t, "an order of nobody", b.Sandbox.ClearOrder(ctx, "OFR-20261121-0000"), 404, "not_found")
}
