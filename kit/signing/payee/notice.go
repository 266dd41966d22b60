package payee

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/record"
)

// JobNotice mails the users of a sub-organization that a payee was added or removed.
const JobNotice job.Kind = "signing_payee_notice"

// Notice is a mail that is owed to each user of a sub-organization: a payee was added or, where it has a time of
// removal, removed. It is written with the change, in one transaction, and says what the enclave said then.
type Notice struct {
	WorkspaceID, ID   string
	SubOrganizationID string
	wire.Payee
	Mailed    bool
	UpdatedAt time.Time
}

func (s *Service) noticeOf(p Payee) Notice {
	return Notice{
		WorkspaceID: p.WorkspaceID, ID: record.DerivedID("payee notice", p.WorkspaceID, p.ID, p.RemovedAt),
		SubOrganizationID: p.SubOrganizationID, Payee: p.Payee, UpdatedAt: s.c.Clock.Now(),
	}
}

func (n Notice) job() job.Job { return job.Job{Kind: JobNotice, WorkspaceID: n.WorkspaceID, ID: n.ID} }

// Notify is the job of a notice: it mails each user once. After a crash, or where one of the mails fails, all are sent
// again under the same ids, so that a mail client can drop the copies. Without a post the notice waits.
func (s *Service) Notify(ctx context.Context, workspaceID, id string) error {
	n, err := s.c.Store.PayeeNotice(ctx, workspaceID, id)
	if errors.Is(err, fault.ErrNotFound) || err == nil && (n.Mailed || s.c.Post == nil) {
		return nil
	}
	if err != nil {
		return err
	}
	users, err := s.emails(ctx, n)
	if err == nil {
		err = s.c.Post.DeliverAll(ctx, n.WorkspaceID, users, n.letter(), n.ID)
	}
	if err != nil {
		return err
	}
	n.Mailed, n.UpdatedAt = true, s.c.Clock.Now()
	return s.keep(ctx, n)
}

func (s *Service) keep(ctx context.Context, n Notice) error {
	return record.Do(ctx, s.c.Store, n.WorkspaceID, func(ctx context.Context, tx Tx) error {
		return tx.MovePayeeNotice(ctx, n)
	})
}

// emails are those of the sub-organization's passkeys.
func (s *Service) emails(ctx context.Context, n Notice) (all []string, err error) {
	keys, err := s.c.Store.Passkeys(ctx, n.WorkspaceID, n.SubOrganizationID)
	for _, k := range keys {
		all = append(all, k.Email)
	}
	return all, err
}

// Sweep makes jobs of notices whose jobs were lost or have given up.
func (s *Service) Sweep(ctx context.Context) error {
	if s.c.Post == nil {
		return nil
	}
	rows, err := s.c.Store.WaitingPayeeNotices(ctx, s.c.Clock.Now().Add(-record.SweepJobs), record.SlowBatch)
	if err != nil {
		return err
	}
	return record.Each(rows, func(n Notice) error {
		n.UpdatedAt = s.c.Clock.Now()
		return record.Do(ctx, s.c.Store, n.WorkspaceID, func(ctx context.Context, tx Tx) error {
			return errors.Join(tx.MovePayeeNotice(ctx, n), tx.Enqueue(ctx, n.job()))
		})
	})
}

func (n Notice) letter() mail.Payee {
	l := mail.Payee{
		Removed: n.RemovedAt != "", Name: mail.Name(n.Name), Contract: n.Kind == wire.ContractPayee,
		Chain: mail.Word(n.Chain), Address: mail.Word(n.Address), SubOrganization: mail.Word(n.SubOrganizationID),
		Payee: mail.Word(n.Payee.ID),
	}
	l.At, _ = time.Parse(time.RFC3339, cmp.Or(n.RemovedAt, n.AddedAt)) // the enclave's own form
	if b := n.BankAccount; b != nil {
		l.BankAccount = &mail.PayeeBankAccount{
			LastFour: mail.Word(b.LastFour), Owner: mail.Name(b.Owner), Bank: mail.Name(b.Bank),
			Currency: mail.Word(b.Currency),
		}
	}
	return l
}
