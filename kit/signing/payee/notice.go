package payee

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/signing/mail"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/text"
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
// again under the same ids, so that a mail client can drop the copies. Without a mailer the notice waits.
func (s *Service) Notify(ctx context.Context, workspaceID, id string) error {
	n, err := s.c.Store.PayeeNotice(ctx, workspaceID, id)
	if errors.Is(err, fault.ErrNotFound) || err == nil && (n.Mailed || s.c.Mailer == nil) {
		return nil
	}
	if err != nil {
		return err
	}
	users, err := s.emails(ctx, n)
	if err != nil {
		return err
	}
	for _, to := range users {
		err = errors.Join(err, mail.Send(ctx, s.c.Mailer, s.c.Log, n.mailTo(to)))
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

// emails are those of the sub-organization's users, each once.
func (s *Service) emails(ctx context.Context, n Notice) (all []string, err error) {
	keys, err := s.c.Store.Passkeys(ctx, n.WorkspaceID, n.SubOrganizationID)
	for _, k := range keys {
		all = append(all, k.Email)
	}
	slices.SortFunc(all, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	return slices.CompactFunc(all, strings.EqualFold), err
}

// Sweep makes jobs of notices whose jobs were lost or have given up.
func (s *Service) Sweep(ctx context.Context) error {
	if s.c.Mailer == nil {
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

// mailTo is the mail to one of the users. It has no link, so that a phishing mail cannot imitate it.
func (n Notice) mailTo(email string) mail.Message {
	m := mail.Message{ID: record.DerivedID(n.ID, strings.ToLower(email)), To: email}
	when, advice := "Added", "If this is not wanted, have the payee removed, with a passkey of the wallet, and see which passkeys the wallet has: "+
		"one of them, or enough votes, added it. Compare the whole address with one that you have from the payee itself."
	m.Subject = "A payee was added to your wallet's book"
	at := n.AddedAt
	if n.RemovedAt != "" {
		m.Subject = "A payee was removed from your wallet's book"
		when, at = "Removed", n.RemovedAt
		advice = "What waited for votes to pay it is void.\n\nIf this is not wanted, see which passkeys the wallet has: one of them, or enough votes, removed it. " +
			"Add the payee again only with an address that you have from the payee itself."
	}
	m.Text = fmt.Sprintf("%s.\n\nName: %s\nStands for: %s\nNetwork: %s\nAddress: %s\n%s: %s\n\n%s\n\nSub-organization %s, payee %s.\n",
		m.Subject, text.InMail(n.Name), n.standsFor(), n.Chain, n.Address, when, written(at), advice,
		n.SubOrganizationID, n.Payee.ID)
	return m
}

// standsFor says in words what is behind the address.
func (n Notice) standsFor() string {
	switch b := n.BankAccount; {
	case b != nil:
		return fmt.Sprintf("a withdrawal address: what arrives is paid out to the bank account that ends in %s, of %s at %s, in %s",
			text.InMail(b.LastFour), text.InMail(b.Owner), text.InMail(b.Bank), b.Currency)
	case n.Kind == wire.ContractPayee:
		return "a contract"
	}
	return "a wallet"
}

// written is a time of the enclave as mails show it.
func written(at string) string {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return at
	}
	return t.UTC().Format("2 January 2006 15:04:05") + " UTC"
}
