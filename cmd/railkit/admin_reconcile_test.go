package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/payout"
	cmd "github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/store"
	"github.com/railkit/railkit/store/storetest"
)

func TestReconcile(t *testing.T) {
	for engine, r := range records(t) {
		t.Run(engine, func(t *testing.T) {
			err := store.Payout{Store: r.Store}.Work(t.Context(), "ws-1", func(ctx context.Context, tx payout.Tx) (cmd.Audit, error) {
				o, detected := storetest.Deposited("ws-1", "o1", "w1", time.Now())
				o, err := storetest.Walk(ctx, tx, o, detected)
				if err == nil {
					_, err = storetest.Walk(ctx, tx, o, storetest.Paid(o, time.Now())...)
				}
				return cmd.Audit{}, err
			})
			if err != nil {
				t.Fatal(err)
			}
			look := func(more ...string) (string, error) {
				var out bytes.Buffer
				err := reconcile(t.Context(), stdio{out: &out, err: &out}, append(r.flags, more...))
				return out.String(), err
			}
			if out, err := look(); err != nil || out != "# 1 orders, 13 ledger entries, 1 workspaces, 0 differences\n" {
				t.Fatalf("%v: %s", err, out)
			}
			if _, err := r.Writer().ExecContext(t.Context(), "UPDATE ledger_balances SET posted = 1 WHERE account = 'order:o1'"); err != nil {
				t.Fatal(err)
			}
			out, err := look("--workspace", "ws-1")
			if err == nil || !strings.Contains(out, "0.000001 more") || !strings.Contains(out, "OFR-20261121-o1, completed, its own") {
				t.Errorf("%v: %s", err, out)
			}
			if out, err := look("--workspace", "ws-2"); err != nil || !strings.HasPrefix(out, "# 0 orders") {
				t.Errorf("another workspace: %v: %s", err, out)
			}
		})
	}
}
