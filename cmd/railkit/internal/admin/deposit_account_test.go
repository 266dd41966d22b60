package admin

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/kit/payout"
	cmd "github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/store/storetest/payouttest"
)

// An operator lists deposit accounts and switches them; a running server tells the partner.
func TestPayout_AdminDepositAccounts(t *testing.T) {
	for engine, r := range records(t) {
		t.Run(engine, func(t *testing.T) {
			err := r.Store.Payout().Work(t.Context(), "ws-1",
				func(ctx context.Context, tx payout.Tx) (cmd.Audit, error) {
					return cmd.Audit{}, payouttest.AddDepositAccount(ctx, tx, "ws-1", "d-1")
				})
			if err != nil {
				t.Fatal(err)
			}
			do := func(command func(context.Context, cli.Env, []string) error, args ...string) string {
				var out bytes.Buffer
				if err := command(t.Context(), cli.Env{Out: &out, Err: &out}, append(args, r.flags...)); err != nil {
					return err.Error()
				}
				return out.String()
			}
			one := []string{"--workspace", "ws-1", "--account", "d-1"}
			for i, step := range []struct {
				run  func(context.Context, cli.Env, []string) error
				args []string
				says []string
			}{
				{listDepositAccounts, nil, []string{"ONR-d-1", "active", "va-d-1", "mxn"}},
				{listDepositAccounts, []string{"--workspace", "another"}, []string{"REFERENCE"}},
				{deactivateAccount, []string{"--workspace", "ws-1"}, []string{"--account: must be given"}},
				{deactivateAccount, []string{"--workspace", "ws-2", "--account", "d-1"}, []string{"there is none"}},
				{deactivateAccount, one, []string{"ONR-d-1 is deactivated", "tells the partner"}},
				{deactivateAccount, one, []string{"ONR-d-1 is deactivated", "tells the partner"}},
				{listDepositAccounts, nil, []string{"deactivated  deactivated"}},
				{reactivateAccount, one, []string{"ONR-d-1 is active"}},
			} {
				out := do(step.run, step.args...)
				for _, text := range step.says {
					if !strings.Contains(out, text) {
						t.Errorf("step %d: no %q in %s", i, text, out)
					}
				}
			}
		})
	}
}
