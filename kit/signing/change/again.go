package change

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

// Again is for a call that takes something away, which is not found. The call's first try may have taken it: the
// enclave did it, and the commit was lost, or the sweeper made it. Then the body of that try comes once more, gets the
// enclave's first result, and the caller the answer that it should have had. Else the answer is missing, what the
// look-up said.
func (s *Service) Again(
	ctx context.Context, cmd *command.Command, g activity.Gone, how activity.Stamping, missing error,
) (command.Answer, error) {
	if f, ok := fault.As(missing); !ok || f.Kind != fault.NotFound || how.Prepare {
		return command.Answer{}, missing
	}
	a, stamp, err := s.firstTry(ctx, cmd, g, how.SignedActivity)
	if errors.Is(err, fault.ErrNotFound) {
		return command.Answer{}, missing
	}
	if err != nil {
		return command.Answer{}, err
	}
	return s.submit(ctx, cmd, a, stamp)
}

// firstTry finds the row of the call's own body: by its Idempotency-Key where it has no stamp, else by the stamped
// body.
func (s *Service) firstTry(
	ctx context.Context, cmd *command.Command, g activity.Gone, in *activity.Stamped,
) (activity.Activity, *wire.Stamp, error) {
	none := fault.Missing("Activity")
	if in == nil {
		if cmd.Key == nil {
			return activity.Activity{}, nil, none
		}
		a, err := s.store.Activity(ctx, cmd.Principal.WorkspaceID, bareID(cmd))
		return a, nil, err
	}
	var body wire.Body
	if json.Unmarshal([]byte(in.Body), &body) != nil {
		return activity.Activity{}, nil, none
	}
	// Asked of every body, also of one about something else: of what is another workspace's no more is asked than of
	// what is nobody's.
	a, err := s.store.Activity(ctx, cmd.Principal.WorkspaceID, body.ActivityID)
	if err == nil && (a.Body != in.Body || body.Type != g.Kind || !g.Is(body.Parameters)) {
		err = none
	}
	return a, &in.Stamp, err
}

// bareID is the id of the body that a call without a stamp has under its Idempotency-Key.
func bareID(cmd *command.Command) string {
	return record.DerivedID("bare", cmd.Principal.WorkspaceID, cmd.Key.Hash, cmd.Key.Request)
}
