package admin

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/agent/killswitch"
)

// The operator stops all agents from a shell; servers of the database see it at their next call.
func TestAgents_AdminKillSwitch(t *testing.T) {
	for engine, r := range records(t) {
		t.Run(engine, func(t *testing.T) {
			server := killswitch.New(r.Store.Agents().Switch())
			do := func(command func(context.Context, cli.Env, []string) error, args ...string) (string, error) {
				var out bytes.Buffer
				err := command(t.Context(), cli.Env{Out: &out, Err: &out}, append(args, r.flags...))
				return out.String(), err
			}
			if out, err := do(showSwitch); err != nil || out != "off: agents pay within their budgets\n" {
				t.Errorf("%v: %s", err, out)
			}
			if _, err := do(stopAgents); err == nil || !strings.Contains(err.Error(), "--reason: must be given") {
				t.Errorf("without a reason: %v", err)
			}
			for _, c := range []struct {
				command func(context.Context, cli.Env, []string) error
				word    string
			}{
				{stopAgents, "on: no agent pays, since 2"},
				{releaseAgents, "off: agents pay within their budgets, since 2"},
			} {
				if out, err := do(c.command, "--reason", "a bad model"); err != nil || !strings.HasPrefix(out, c.word) {
					t.Errorf("%v: %s, want %s", err, out, c.word)
				}
				if out, err := do(showSwitch); err != nil || !strings.HasPrefix(out, c.word) {
					t.Errorf("afterwards: %v: %s", err, out)
				}
				f, stopped := fault.As(server.Open(t.Context()))
				if on := strings.HasPrefix(c.word, "on"); stopped != on || on && f.Code != "kill_switch_active" {
					t.Errorf("a server, %s: %v", c.word, f)
				}
			}
			var n int
			err := r.Store.Writer().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM audit WHERE workspace_id = $1 "+
				"AND actor = 'operator' AND action = 'agents.kill_switch' AND detail LIKE '%a bad model%'",
				killswitch.Platform).Scan(&n)
			if err != nil || n != 2 {
				t.Errorf("%d entries, %v", n, err)
			}
		})
	}
}
