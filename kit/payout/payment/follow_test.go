package payment

import (
	"context"
	"errors"
	"testing"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/payout/notice"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/platform/command"
)

// claims knows whose a transfer is, and counts jobs; everything else of a store is not asked for.
type claims struct {
	Store
	Tx
	of   map[string][2]string
	jobs []job.Job
}

func (c *claims) Commit(
	context.Context, *command.Command, func(context.Context, Tx) (command.Reply, error),
) (a command.Answer, _ error) {
	return a, nil
}

func (c *claims) Work(ctx context.Context, _ string, fn func(context.Context, Tx) (command.Audit, error)) error {
	_, err := fn(ctx, c)
	return err
}

func (c *claims) Enqueue(_ context.Context, j job.Job) error {
	c.jobs = append(c.jobs, j)
	return nil
}

func (c *claims) OrderOf(_ context.Context, kind order.ClaimKind, id string) (workspaceID, orderID string, err error) {
	o, ok := c.of[id]
	if !ok || kind != order.ClaimPayout {
		return "", "", fault.Missing("Order")
	}
	return o[0], o[1], nil
}

// A notice about a payout has its order's work done now, beside what waits.
func TestPayout_TransferChanged(t *testing.T) {
	s := &claims{of: map[string][2]string{"tr-1": {"ws", "o-1"}}}
	kit := New(Config{Store: s})
	if err := kit.TransferChanged(t.Context(), "tr-1"); err != nil ||
		len(s.jobs) != 1 || s.jobs[0] != (job.Job{Kind: Job, WorkspaceID: "ws", ID: "o-1", Anew: true}) {
		t.Errorf("%v %v", err, s.jobs)
	}
	if err := kit.TransferChanged(t.Context(), "tr-2"); !errors.Is(err, notice.ErrUnknownObject) || len(s.jobs) != 1 {
		t.Errorf("%v %v", err, s.jobs)
	}
}
