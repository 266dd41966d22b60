package activity

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/denial"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
)

// PreparedTTL is how long a prepared request waits for its stamp.
const PreparedTTL = 15 * time.Minute

// Draft is a body on its way to being prepared. The caller sets the fields up to
// Held, and Prepare the others.
type Draft struct {
	Kind   wire.ActivityType
	Link   link.Kind // the page on which a passkey stamps it; "": none does
	Owner  Owner
	Params any
	URL    string // where the stamped body is to be sent
	ID     string // of the activity, or of the transaction
	Held   string // of a vote: the body that it is for

	NotBefore time.Time // see Change

	Now  time.Time
	Body string
	Prepared
	link link.Ceremony // of the page on which it can be stamped
}

// Expires is when the prepared body can no longer be stamped.
func (d Draft) Expires() time.Time { return d.Now.Add(PreparedTTL) }

// Activity is the row of the prepared body.
func (d Draft) Activity() (Activity, error) {
	preview, err := signer.Text(d.Preview)
	return Activity{
		WorkspaceID: d.Owner.WorkspaceID, ID: d.ID, Kind: string(d.Kind), SubOrganizationID: d.Owner.ID,
		Body: d.Body, Fingerprint: d.Fingerprint, Preview: preview, State: Awaiting, CreatedAt: d.Now,
		ExpiresAt: d.Expires(),
	}, err
}

// InsertLink writes the link of the page on which the body can be stamped, where
// there is a page. Back is where that leads once the link has ended; nil: nowhere.
func (d Draft) InsertLink(ctx context.Context, tx link.Tx, back *command.Return) error {
	return d.link.Insert(ctx, tx, back)
}

// Write writes the body of a draft. Nobody is asked about it yet.
func (s *Service) Write(d *Draft) error {
	d.Now = s.c.Clock.Now()
	if d.Now.Before(d.NotBefore) {
		d.Now = d.NotBefore
	}
	params, err := signer.Encode(d.Params)
	if err != nil {
		return err
	}
	body, err := signer.Encode(wire.Body{
		Type: d.Kind, Environment: string(s.c.Environment), OrganizationID: d.Owner.ID, ActivityID: d.ID,
		TimestampMs: signer.Millis(d.Now), ExpiresAtMs: signer.Millis(d.Expires()), Parameters: params,
	})
	if err != nil {
		return err
	}
	d.Body, d.Fingerprint = string(body), wire.Fingerprint(string(body))
	return nil
}

// Prepare writes the body and has the enclave say what it does. What a rule refuses
// is refused here, before anybody is asked for a stamp.
func (s *Service) Prepare(ctx context.Context, d *Draft) error {
	if err := s.Write(d); err != nil {
		return err
	}
	proof, st, err := s.preview(ctx, *d)
	if err != nil {
		return err
	}
	if refused := st.Preview.Denial; refused != nil {
		r := denial.Refused{WorkspaceID: d.Owner.WorkspaceID, SubOrganizationID: d.Owner.ID,
			Fingerprint: d.Fingerprint}
		return denial.Deny(ctx, s.c.Denials, s.c.Store.Work, r, *refused, nil)
	}
	allow, err := s.c.Passkeys.AllowCredentials(ctx, d.Owner)
	if err != nil {
		return err
	}
	d.Prepared = Prepared{
		UnsignedActivity: rest.UnsignedActivity{
			URL: d.URL, OrganizationID: d.Owner.ID, TimestampMs: signer.Millis(d.Now), Body: d.Body,
		},
		Fingerprint: d.Fingerprint, Challenge: wire.Digest(d.Body),
		ExpiresAt: clock.ISO(d.Expires()), AllowCredentials: allow, Preview: rest.Proof(proof),
	}
	if d.Link != "" {
		d.link, d.CeremonyURL = s.c.Links.New(link.Ceremony{
			WorkspaceID: d.Owner.WorkspaceID, Kind: d.Link, Subject: d.ID, CreatedAt: d.Now, ExpiresAt: d.Expires(),
		})
	}
	return nil
}

func (s *Service) preview(ctx context.Context, d Draft) (wire.Proof, wire.Statement, error) {
	if d.Held != "" {
		return s.c.Enclave.PreviewVote(ctx, d.Body, d.Held)
	}
	return s.c.Enclave.Preview(ctx, d.Body)
}

// Keep writes a prepared body with its link by the server itself, without a caller's command.
func (s *Service) Keep(ctx context.Context, a Activity, d Draft, action string) error {
	return s.c.Store.Work(ctx, a.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{Action: action, Resource: a.ID},
			errors.Join(tx.InsertActivity(ctx, a), d.InsertLink(ctx, tx, nil))
	})
}

// Commit commits a prepared body with its link, and answers with the view.
func (s *Service) Commit(ctx context.Context, cmd *command.Command, a Activity, d Draft, view any,
	action string,
) (command.Answer, error) {
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{
			Status: 200, Data: view, Audit: command.Audit{Action: action, Resource: a.ID},
		}, errors.Join(tx.InsertActivity(ctx, a), d.InsertLink(ctx, tx, cmd.Return))
	})
}
