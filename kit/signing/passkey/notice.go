package passkey

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/record"
)

// JobNotice mails the users of a sub-organization that one of their passkeys can be backed up from now on.
const JobNotice job.Kind = "signing_passkey_notice"

// Notice is a mail that is owed to each user of a sub-organization: a passkey that was bound to one device is not any
// more, so that whoever has the account of its keychain can sign.
type Notice struct {
	WorkspaceID, ID   string
	SubOrganizationID string
	CredentialID      string
	Email             string // of the passkey's user
	NoticedAt         time.Time
	Mailed            bool
	UpdatedAt         time.Time
}

func (n Notice) job() job.Job { return job.Job{Kind: JobNotice, WorkspaceID: n.WorkspaceID, ID: n.ID} }

// NoticeTx is what notices need of a transaction of the database.
type NoticeTx interface {
	record.Queue
	InsertPasskeyNotice(context.Context, Notice) error // a second one with the same id: no-op
	// MovePasskeyNotice writes Mailed and UpdatedAt, unless it is mailed already.
	MovePasskeyNotice(context.Context, Notice) error
}

// NoticeStore is what notices need of a database.
type NoticeStore interface {
	PasskeyNotice(ctx context.Context, workspaceID, id string) (Notice, error)
	// that are not mailed, and were not touched since before then
	WaitingPasskeyNotices(ctx context.Context, before time.Time, limit int) ([]Notice, error)
	Passkeys(ctx context.Context, workspaceID, subOrganizationID string) ([]Passkey, error)
	record.Writer[NoticeTx]
}

// Notices mails what the enclave says about a passkey that stamped.
type Notices struct {
	store NoticeStore
	post  *mail.Post
	clock clock.Clock
}

// NewNotices makes Notices. Without a post they wait.
func NewNotices(s NoticeStore, p *mail.Post, c clock.Clock) *Notices { return &Notices{s, p, c} }

// Listening is the enclave, whose results are read for what they say about the passkey that stamped. All that the kit
// has the enclave execute goes through it, so that no way of stamping is forgotten.
func (s *Notices) Listening(e signer.Enclave) signer.Enclave { return listening{e, s} }

type listening struct {
	signer.Enclave
	notices *Notices
}

func (l listening) Submit(
	ctx context.Context, q wire.SubmitRequest, fingerprint string,
) (client.Outcome, error) {
	out, err := l.Enclave.Submit(ctx, q, fingerprint)
	return l.heard(ctx, out, err)
}

func (l listening) Outcome(ctx context.Context, fingerprint string) (client.Outcome, error) {
	out, err := l.Enclave.Outcome(ctx, fingerprint)
	return l.heard(ctx, out, err)
}

func (l listening) Cancel(ctx context.Context, fingerprint string) (client.Outcome, error) {
	out, err := l.Enclave.Cancel(ctx, fingerprint)
	return l.heard(ctx, out, err)
}

// heard notes what an outcome says before anybody acts on it. Where that fails the caller repeats the call, and gets
// the same outcome.
func (l listening) heard(ctx context.Context, out client.Outcome, err error) (client.Outcome, error) {
	if err == nil {
		err = l.notices.note(ctx, out.Statement)
	}
	return out, err
}

// note writes the notice of a passkey that became one that can be backed up. The other way nobody has to be warned of.
func (s *Notices) note(ctx context.Context, st wire.Statement) error {
	c := st.PasskeyChanged
	if c == nil || !c.BackupEligible {
		return nil
	}
	at, err := time.Parse(time.RFC3339, st.Time)
	if err != nil {
		return fmt.Errorf("reading the time of an enclave's statement: %w", err)
	}
	n := Notice{
		WorkspaceID: c.WorkspaceID, ID: record.DerivedID("passkey notice", c.WorkspaceID, st.Fingerprint),
		SubOrganizationID: st.OrganizationID, CredentialID: c.CredentialID, Email: c.Email, NoticedAt: at,
		UpdatedAt: s.clock.Now(),
	}
	return record.Do(ctx, s.store, n.WorkspaceID, func(ctx context.Context, tx NoticeTx) error {
		return errors.Join(tx.InsertPasskeyNotice(ctx, n), tx.Enqueue(ctx, n.job()))
	})
}

// Notify is the job of a notice: it mails each user once. After a crash, or where one of the mails fails, all are sent
// again under the same ids.
func (s *Notices) Notify(ctx context.Context, workspaceID, id string) error {
	n, err := s.store.PasskeyNotice(ctx, workspaceID, id)
	if errors.Is(err, fault.ErrNotFound) || err == nil && (n.Mailed || s.post == nil) {
		return nil
	}
	if err != nil {
		return err
	}
	users, err := s.users(ctx, n)
	if err == nil {
		err = s.post.DeliverAll(ctx, n.WorkspaceID, users, n.letter(), n.ID)
	}
	if err != nil {
		return err
	}
	n.Mailed, n.UpdatedAt = true, s.clock.Now()
	return record.Do(ctx, s.store, n.WorkspaceID, func(ctx context.Context, tx NoticeTx) error {
		return tx.MovePasskeyNotice(ctx, n)
	})
}

// users are the e-mail addresses of the sub-organization's passkeys.
func (s *Notices) users(ctx context.Context, n Notice) (all []string, err error) {
	keys, err := s.store.Passkeys(ctx, n.WorkspaceID, n.SubOrganizationID)
	for _, k := range keys {
		all = append(all, k.Email)
	}
	return all, err
}

// Sweep makes jobs of notices whose jobs were lost or have given up.
func (s *Notices) Sweep(ctx context.Context) error {
	if s.post == nil {
		return nil
	}
	rows, err := s.store.WaitingPasskeyNotices(ctx, s.clock.Now().Add(-record.SweepJobs), record.SlowBatch)
	if err != nil {
		return err
	}
	return record.Each(rows, func(n Notice) error {
		n.UpdatedAt = s.clock.Now()
		return record.Do(ctx, s.store, n.WorkspaceID, func(ctx context.Context, tx NoticeTx) error {
			return errors.Join(tx.MovePasskeyNotice(ctx, n), tx.Enqueue(ctx, n.job()))
		})
	})
}

func (n Notice) letter() mail.PasskeySynced {
	return mail.PasskeySynced{
		Credential: mail.Word(n.CredentialID), Email: mail.Address(n.Email), At: n.NoticedAt,
		SubOrganization: mail.Word(n.SubOrganizationID),
	}
}
