package link

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// JobOriginMail mails a workspace's admins that a return origin was registered.
const JobOriginMail job.Kind = "signing_return_origin_mail"

// mostOrigins is how many return origins a workspace may have.
const mostOrigins = 20

// ErrReturnOrigins refuses one more return origin.
var ErrReturnOrigins = fault.Define(fault.Conflict, "return_origins_full",
	"The workspace has 20 return origins already; remove one first",
	"A workspace registers at most 20 origins that the passkey page may lead back to")

// Origin is one that the passkey page may lead back to. Once removed it stays as a row, so that a mail about it that is
// still owed is sent: whoever registered it against the admins' will cannot hide it by removing it.
type Origin struct {
	WorkspaceID, ID string // the id is made of workspace and origin
	Origin          string
	CreatedBy       string // member
	CreatedAt       time.Time
	RemovedAt       time.Time // zero: it counts
	Mailed          bool
	UpdatedAt       time.Time
}

func originID(workspaceID, origin string) string {
	return record.DerivedID("return origin", workspaceID, origin)
}

func (o Origin) job() job.Job {
	return job.Job{Kind: JobOriginMail, WorkspaceID: o.WorkspaceID, ID: o.ID}
}

func (o Origin) view() rest.ReturnOrigin {
	return rest.ReturnOrigin{ID: o.ID, Origin: o.Origin, CreatedBy: o.CreatedBy, CreatedAt: clock.ISO(o.CreatedAt)}
}

// registered reads a look-up: an origin that is missing or was removed is ErrReturnOrigin.
func registered(origin string, o Origin, err error) error {
	if errors.Is(err, fault.ErrNotFound) || err == nil && !o.RemovedAt.IsZero() {
		return ErrReturnOrigin.Msg(origin)
	}
	return err
}

// AddOrigin registers an origin for a member who has just logged in: whoever has stolen a key, or found an open
// session, could otherwise have the page lead people to a page of his. An origin that is registered already stays as
// it is.
func (s *Links) AddOrigin(
	ctx context.Context, cmd *command.Command, in rest.ReturnOriginRequest,
) (command.Answer, error) {
	origin, path, err := s.originOf("origin", in.Origin)
	if err == nil && path != "" {
		err = fault.Field("origin", "must end with the host or the port: no path, no slash")
	}
	now := s.Clock.Now()
	if err == nil {
		err = cmd.Principal.LoggedInJustNow(now)
	}
	if err != nil {
		return command.Answer{}, err
	}
	ws := cmd.Principal.WorkspaceID
	o := Origin{
		WorkspaceID: ws, ID: originID(ws, origin), Origin: origin, CreatedBy: cmd.Principal.ID, CreatedAt: now,
		UpdatedAt: now,
	}
	return s.Store.Commit(ctx, cmd, func(ctx context.Context, tx OriginTx) (command.Reply, error) {
		return addOrigin(ctx, tx, o)
	})
}

func addOrigin(ctx context.Context, tx OriginTx, o Origin) (command.Reply, error) {
	reply := command.Reply{
		Status: 201, Message: "Return origin registered", Audit: command.Audit{
			Action: "return_origin.add", Resource: o.ID, Detail: map[string]string{"origin": o.Origin},
		},
	}
	has, err := tx.CountReturnOrigins(ctx, o.WorkspaceID)
	if err != nil {
		return reply, err
	}
	known, err := tx.ReturnOrigin(ctx, o.WorkspaceID, o.ID)
	err = registered(o.Origin, known, err)
	switch {
	case err == nil:
		reply.Data = known.view()
		return reply, nil
	case !errors.Is(err, ErrReturnOrigin):
		return reply, err
	case has >= mostOrigins:
		return reply, ErrReturnOrigins
	}
	reply.Data = o.view()
	return reply, errors.Join(tx.InsertReturnOrigin(ctx, o), tx.Enqueue(ctx, o.job()))
}

// Origins lists a workspace's return origins, oldest first: all of them, since they are few.
func (s *Links) Origins(ctx context.Context, p auth.Principal) ([]rest.ReturnOrigin, error) {
	rows, err := s.Store.ReturnOrigins(ctx, p.WorkspaceID)
	all := make([]rest.ReturnOrigin, 0, len(rows))
	for _, o := range rows {
		all = append(all, o.view())
	}
	return all, err
}

// RemoveOrigin has the page lead back to an origin no more, also from links that are open. One that was removed before
// is answered the same.
func (s *Links) RemoveOrigin(ctx context.Context, cmd *command.Command, id string) (command.Answer, error) {
	ws, now := cmd.Principal.WorkspaceID, s.Clock.Now()
	return s.Store.Commit(ctx, cmd, func(ctx context.Context, tx OriginTx) (command.Reply, error) {
		o, err := tx.ReturnOrigin(ctx, ws, id)
		if errors.Is(err, fault.ErrNotFound) {
			err = fault.Missing("Return origin")
		}
		if err != nil {
			return command.Reply{}, err
		}
		return command.Reply{
			Status: 200, Message: "Return origin removed",
			Data: rest.RemovedReturnOrigin{ID: o.ID, Origin: o.Origin, Removed: true},
			Audit: command.Audit{
				Action: "return_origin.remove", Resource: o.ID, Detail: map[string]string{"origin": o.Origin},
			},
		}, record.UnlessStale(tx.RemoveReturnOrigin(ctx, ws, id, now))
	})
}

// MailOrigin is the job of an origin that was registered: it mails each admin once. After a crash, or where one of the
// mails fails, all are sent again under the same ids. Without a mail server the mail waits.
func (s *Links) MailOrigin(ctx context.Context, workspaceID, id string) error {
	o, err := s.Store.ReturnOrigin(ctx, workspaceID, id)
	if errors.Is(err, fault.ErrNotFound) || err == nil && (o.Mailed || s.Post == nil) {
		return nil
	}
	if err != nil {
		return err
	}
	admins, err := s.Store.AdminEmails(ctx, workspaceID)
	if err == nil {
		err = s.Post.DeliverAll(ctx, workspaceID, admins, o.letter(), o.ID, clock.ISO(o.CreatedAt))
	}
	if err != nil {
		return err
	}
	o.Mailed, o.UpdatedAt = true, s.Clock.Now()
	return record.Do(ctx, s.Store, workspaceID, func(ctx context.Context, tx OriginTx) error {
		return tx.NoteReturnOriginMail(ctx, o)
	})
}

func (o Origin) letter() mail.ReturnOrigin {
	return mail.ReturnOrigin{
		Origin: mail.Word(o.Origin), At: o.CreatedAt, By: mail.Word(o.CreatedBy), OriginID: mail.Word(o.ID),
	}
}

// Sweep makes jobs of mails whose jobs were lost or have given up.
func (s *Links) Sweep(ctx context.Context) error {
	if s.Post == nil {
		return nil
	}
	rows, err := s.Store.UnmailedReturnOrigins(ctx, s.Clock.Now().Add(-record.SweepJobs), record.SlowBatch)
	if err != nil {
		return err
	}
	return record.Each(rows, func(o Origin) error {
		o.UpdatedAt = s.Clock.Now()
		return record.Do(ctx, s.Store, o.WorkspaceID, func(ctx context.Context, tx OriginTx) error {
			return errors.Join(tx.NoteReturnOriginMail(ctx, o), tx.Enqueue(ctx, o.job()))
		})
	})
}
