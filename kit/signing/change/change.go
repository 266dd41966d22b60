package change

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

// Do runs a change, in whichever of its three forms the call comes.
func (s *Service) Do(ctx context.Context, cmd *command.Command, c activity.Change,
	how activity.Stamping,
) (command.Answer, error) {
	if how.Prepare && how.SignedActivity != nil {
		return command.Answer{}, fault.Field("signedActivity", "must not be given with prepare=true")
	}
	if how.Prepare {
		return s.prepare(ctx, cmd, c)
	}
	if how.SignedActivity == nil {
		a, err := s.unstampedRow(ctx, cmd, c)
		if err != nil {
			return command.Answer{}, err
		}
		return s.submit(ctx, cmd, a, nil)
	}
	a, err := s.stampedRow(ctx, cmd, c, *how.SignedActivity)
	if err != nil {
		return command.Answer{}, err
	}
	return s.submit(ctx, cmd, a, &how.SignedActivity.Stamp)
}

func (s *Service) prepare(ctx context.Context, cmd *command.Command, c activity.Change) (command.Answer, error) {
	a, d, err := s.draft(ctx, c, record.NewID())
	if err != nil {
		return command.Answer{}, err
	}
	return s.activities.Commit(ctx, cmd, a, d, d.Prepared, s.prepareAction(c))
}

// Prepare prepares a change without a command of its own, in a transaction of its own.
func (s *Service) Prepare(ctx context.Context, c activity.Change) (activity.Prepared, error) {
	a, d, err := s.draft(ctx, c, record.NewID())
	if err != nil {
		return activity.Prepared{}, err
	}
	return d.Prepared, s.activities.Keep(ctx, a, d, s.prepareAction(c))
}

// Draft has the enclave preview a change that becomes part of another answer, and gives the row of its body.
func (s *Service) Draft(ctx context.Context, c activity.Change) (activity.Activity, activity.Draft, error) {
	return s.draft(ctx, c, record.NewID())
}

func (s *Service) prepareAction(c activity.Change) string {
	return s.kinds[c.Kind].Action + ".prepare"
}

// draft has the enclave preview a change, and gives the row of its body.
func (s *Service) draft(ctx context.Context, c activity.Change, id string) (activity.Activity, activity.Draft, error) {
	d := c.Draft(id, s.kinds[c.Kind].Link)
	if err := s.activities.Prepare(ctx, &d); err != nil {
		return activity.Activity{}, d, err
	}
	a, err := c.Activity(d)
	return a, d, err
}

// stampedRow finds the prepared row of a body that came back stamped.
func (s *Service) stampedRow(ctx context.Context, cmd *command.Command, c activity.Change,
	in activity.Stamped,
) (activity.Activity, error) {
	var body wire.Body
	if err := json.Unmarshal([]byte(in.Body), &body); err != nil {
		return activity.Activity{}, activity.ErrStampedBody
	}
	a, err := s.store.Activity(ctx, cmd.Principal.WorkspaceID, body.ActivityID)
	if errors.Is(err, fault.ErrNotFound) {
		err = activity.ErrStampedBody
	}
	if err == nil && (a.Body != in.Body || a.Kind != string(c.Kind) || !c.AskedBy(body)) {
		err = activity.ErrStampedBody
	}
	return a, err
}

// unstampedRow finds or writes the row of a call without a stamp, before the
// enclave hears of it. Under one Idempotency-Key there is one body, so that a
// retry after a crash gets the enclave's first result.
func (s *Service) unstampedRow(ctx context.Context, cmd *command.Command,
	c activity.Change,
) (activity.Activity, error) {
	id := record.NewID()
	if cmd.Key != nil {
		id = bareID(cmd)
		a, err := s.store.Activity(ctx, cmd.Principal.WorkspaceID, id)
		if !errors.Is(err, fault.ErrNotFound) {
			return a, err
		}
	}
	a, _, err := s.draft(ctx, c, id)
	if err != nil {
		return s.others(ctx, cmd, id, err)
	}
	err = s.store.Work(ctx, a.WorkspaceID, func(ctx context.Context, tx activity.Tx) (command.Audit, error) {
		return command.Audit{}, tx.InsertActivity(ctx, a)
	})
	if err != nil {
		return a, err
	}
	return s.store.Activity(ctx, a.WorkspaceID, a.ID) // a caller beside this one may have been faster
}

// others finds the row that another server has written under the same Idempotency-Key since this one looked. The signer
// refuses a draft then, of what that server's call has taken away or made already.
func (s *Service) others(
	ctx context.Context, cmd *command.Command, id string, refusal error,
) (activity.Activity, error) {
	if cmd.Key == nil {
		return activity.Activity{}, refusal
	}
	a, err := s.store.Activity(ctx, cmd.Principal.WorkspaceID, id)
	if errors.Is(err, fault.ErrNotFound) {
		err = refusal
	}
	return a, err
}

// Confirm has the enclave execute a prepared body that came back by the
// passkey page. The page knows nothing but the body: what it is for is in its row.
func (s *Service) Confirm(ctx context.Context, cmd *command.Command, id string,
	stamp wire.Stamp,
) (command.Answer, error) {
	a, err := s.store.Activity(ctx, cmd.Principal.WorkspaceID, id)
	if err != nil {
		return command.Answer{}, err
	}
	if s.kinds[wire.ActivityType(a.Kind)].Reply == nil {
		return command.Answer{}, activity.ErrStampedBody
	}
	if cmd.Ceremony == nil { // the page hands on the address of its own link, which was checked
		if err := s.links.CheckReturn(ctx, a.WorkspaceID, cmd.Return); err != nil {
			return command.Answer{}, err
		}
	}
	return s.submit(ctx, cmd, a, &stamp)
}

// submit brings the body to the enclave and commits what the enclave made of it.
func (s *Service) submit(ctx context.Context, cmd *command.Command, a activity.Activity,
	stamp *wire.Stamp,
) (command.Answer, error) {
	if a.State == activity.Expired || a.State == activity.Cancelled {
		return command.Answer{}, activity.ErrRequestExpired
	}
	out, err := s.enclave.Submit(ctx, wire.SubmitRequest{Body: a.Body, Stamp: stamp}, a.Fingerprint)
	if err != nil {
		return command.Answer{}, err
	}
	kind := s.kinds[wire.ActivityType(a.Kind)]
	switch out.State {
	case wire.Held:
		return s.hold(ctx, cmd, kind.Action, a, stamp, out)
	case wire.Done:
		return s.commitDone(ctx, cmd, kind, a, stamp, out)
	case wire.Denied:
		return command.Answer{}, s.activities.Deny(ctx, a, out)
	}
	return command.Answer{}, activity.ErrRequestExpired
}

// further is an answer with rows of its own: a body that is to be stamped next. They are written together with what the
// enclave has done, so that calls beside one another leave the rows of one.
type further interface {
	Insert(ctx context.Context, tx activity.Tx, back *command.Return) error
}

func (s *Service) commitDone(
	ctx context.Context, cmd *command.Command, kind activity.Kind, a activity.Activity, stamp *wire.Stamp,
	out client.Outcome,
) (command.Answer, error) {
	view, err := kind.Reply(ctx, a, out)
	if err != nil {
		return command.Answer{}, err
	}
	audit := command.Audit{Resource: a.ID}
	if kind.Audit != nil {
		if audit, err = kind.Audit(ctx, a, out); err != nil {
			return command.Answer{}, err
		}
	}
	audit.Action = kind.Action
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx activity.Tx) (command.Reply, error) {
		if next, ok := view.(further); ok {
			back, err := s.links.StillReturn(ctx, tx, a.WorkspaceID, cmd.Return)
			if err == nil {
				err = next.Insert(ctx, tx, back)
			}
			if err != nil {
				return command.Reply{}, err
			}
		}
		s.activities.TouchPasskey(tx, a.WorkspaceID, a.SubOrganizationID, stamp)
		return command.Reply{
			Status: kind.Status, Message: kind.Message, Data: view, Audit: audit,
		}, s.Finish(ctx, tx, a, out)
	})
}

// hold commits that the enclave holds a body for votes.
func (s *Service) hold(ctx context.Context, cmd *command.Command, action string, a activity.Activity, stamp *wire.Stamp,
	out client.Outcome,
) (command.Answer, error) {
	approval, err := s.activities.Approval(ctx, &a, out)
	if err != nil {
		return command.Answer{}, err
	}
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx activity.Tx) (command.Reply, error) {
		s.activities.TouchPasskey(tx, a.WorkspaceID, a.SubOrganizationID, stamp)
		return approval.Queued(action), s.activities.Hold(ctx, tx, cmd, a, approval)
	})
}
