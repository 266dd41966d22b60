package admin

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/order"
	cmd "github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/store/storetest/payouttest"
)

// An order that no gate lets through is listed, and ends on an operator's word.
func TestPayout_AdminOrders(t *testing.T) {
	for engine, r := range records(t) {
		t.Run(engine, func(t *testing.T) {
			err := r.Store.Payout().Work(t.Context(), "ws-1",
				func(ctx context.Context, tx payout.Tx) (cmd.Audit, error) {
					now := time.Now()
					o, detected := payouttest.Deposited("ws-1", "o1", "w1", now)
					o, err := payouttest.Walk(ctx, tx, o, detected)
					if err == nil {
						confirmed := detected
						confirmed.Kind = order.DepositConfirmed
						_, err = payouttest.Walk(ctx, tx, o, confirmed, order.Event{
							Kind: order.ReviewOpened, By: order.System, At: now, Reason: "rate_moved",
						})
					}
					return cmd.Audit{}, err
				})
			if err != nil {
				t.Fatal(err)
			}
			do := func(command func(context.Context, cli.Env, []string) error, args ...string) (string, error) {
				var out bytes.Buffer
				err := command(t.Context(), cli.Env{Out: &out, Err: &out}, append(args, r.flags...))
				return out.String(), err
			}
			if out, err := do(listStuck); err != nil ||
				!strings.Contains(out, "OFR-20261121-o1  in_review  rate_moved") {
				t.Errorf("%v: %s", err, out)
			}
			if _, err := do(giveBack, "--workspace", "ws-1"); err == nil || !strings.Contains(err.Error(), "--order") {
				t.Errorf("of which order: %v", err)
			}
			if _, err := do(retryRefund, "--workspace", "ws-1", "--order", "OFR-20261121-o1"); err == nil ||
				!strings.Contains(err.Error(), "waits for nothing") {
				t.Errorf("there is no refund: %v", err)
			}
			if out, err := do(giveBack, "--workspace", "ws-1", "--order", "OFR-20261121-o1"); err != nil ||
				!strings.HasPrefix(out, "OFR-20261121-o1 is ") {
				t.Errorf("%v: %s", err, out)
			}
			for _, command := range []func(context.Context, cli.Env, []string) error{coverDeposit, dropDeposit} {
				if _, err := do(command, "--workspace", "ws-1", "--order", "OFR-20261121-o1"); err == nil ||
					!strings.Contains(err.Error(), "waits for nothing") {
					t.Errorf("its deposit is there: %v", err)
				}
			}
			if out, err := do(listStuck, "--workspace", "ws-1"); err != nil || strings.Contains(out, "in_review") {
				t.Errorf("afterwards: %v: %s", err, out)
			}
		})
	}
}

// An order that screening holds is listed with its hits, and goes on when somebody answers for it.
func TestPayout_AdminReleasesOrder(t *testing.T) {
	for engine, r := range records(t) {
		t.Run(engine, func(t *testing.T) {
			err := r.Store.Payout().Work(t.Context(), "ws-1",
				func(ctx context.Context, tx payout.Tx) (cmd.Audit, error) {
					now := time.Now()
					o, detected := payouttest.Deposited("ws-1", "o1", "w1", now)
					o, err := payouttest.Walk(ctx, tx, o, detected)
					if err != nil {
						return cmd.Audit{}, err
					}
					confirmed := detected
					confirmed.Kind = order.DepositConfirmed
					_, err = payouttest.Walk(ctx, tx, o, confirmed, order.Event{
						Kind: order.ReviewOpened, By: order.System, At: now, Reason: order.HoldScreening,
						Hits: []order.Hit{{Role: "sender", Kind: "address", Entry: "sdn-3"}},
					})
					return cmd.Audit{}, err
				})
			if err != nil {
				t.Fatal(err)
			}
			do := func(command func(context.Context, cli.Env, []string) error, args ...string) (string, error) {
				var out bytes.Buffer
				err := command(t.Context(), cli.Env{Out: &out, Err: &out}, append(args, r.flags...))
				return out.String(), err
			}
			if out, err := do(listStuck); err != nil ||
				!strings.Contains(out, "in_review  screening (sender address: sdn-3)") {
				t.Errorf("%v: %s", err, out)
			}
			this := []string{"--workspace", "ws-1", "--order", "OFR-20261121-o1", "--by", "Carla"}
			if _, err := do(release, this...); err == nil || !strings.Contains(err.Error(), "--reason: must be given") {
				t.Errorf("without a reason: %v", err)
			}
			this = append(this, "--reason", "another person")
			if out, err := do(release, this...); err != nil || out != "OFR-20261121-o1 is funds_received\n" {
				t.Errorf("%v: %s", err, out)
			}
			if _, err := do(release, this...); err == nil || !strings.Contains(err.Error(), "waits for nothing") {
				t.Errorf("twice: %v", err)
			}
		})
	}
}
