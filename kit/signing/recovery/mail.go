package recovery

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/railkit/railkit/kit/signing/mail"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

// mailOwed sends the link and the notices of a recovery that were not sent yet. A second try sends the same mails
// under the same ids, so that a mail client can drop the copy.
func (s *Service) mailOwed(ctx context.Context, workspaceID, id string) error {
	r, err := s.c.Store.Recovery(ctx, workspaceID, id)
	if err != nil || r.Bundle == "" && r.Owed == "" {
		return err
	}
	if r.SubOrganizationID != "" && (r.links() || r.Owed != "") {
		if s.c.Mailer == nil {
			return nil // the sweeper comes back to it once there is one
		}
		if err := s.sendOwed(ctx, r); err != nil {
			return err
		}
	}
	r.UpdatedAt = s.c.Clock.Now()
	err = s.c.Store.Work(ctx, r.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{}, tx.MailedRecovery(ctx, r, "")
	})
	if errors.Is(err, record.ErrStale) { // something else is owed since
		return s.c.Store.Work(ctx, r.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
			return command.Audit{}, tx.Enqueue(ctx, r.job())
		})
	}
	return err
}

// links says that the link of a recovery is still to be mailed.
func (r Recovery) links() bool { return r.Bundle != "" && r.State == Requested }

func (s *Service) sendOwed(ctx context.Context, r Recovery) error {
	if r.links() {
		if err := s.sendLink(ctx, r); err != nil {
			return err
		}
	}
	if r.Owed == "" {
		return nil
	}
	contacts, err := s.contacts(ctx, r)
	if err != nil {
		return err
	}
	for _, state := range strings.Split(strings.TrimPrefix(r.Owed, ","), ",") {
		for _, to := range contacts {
			err = errors.Join(err, s.sendOne(ctx, s.noticeMail(r, State(state), to)))
		}
	}
	return err
}

// mostLinks is how many links one workspace mails to one address in an hour of the clock. A caller who starts
// recoveries must not fill a stranger's mailbox.
const mostLinks = 5

// sendLink mails the link, or leaves it where the address had five in this hour. The caller has his answer by then,
// and it is the same in both cases.
func (s *Service) sendLink(ctx context.Context, r Recovery) error {
	n, err := s.c.Store.EarlierRecoveries(ctx, r, r.CreatedAt.Truncate(time.Hour))
	if err != nil {
		return err
	}
	if n >= mostLinks {
		s.c.Log.WarnContext(ctx,
			"the link of a recovery is not mailed: its address had enough of them in this hour", "workspace",
			r.WorkspaceID, "recovery", r.ID)
		return nil
	}
	return s.sendOne(ctx, s.linkMail(r))
}

func (s *Service) sendOne(ctx context.Context, m mail.Message) error {
	return mail.Send(ctx, s.c.Mailer, s.c.Log, m)
}

// contacts are the people who hear of a recovery: the workspace's admins, and every user of the sub-organization. Any
// of them could be robbed by it.
func (s *Service) contacts(ctx context.Context, r Recovery) ([]string, error) {
	all, err := s.c.Store.AdminEmails(ctx, r.WorkspaceID)
	if err != nil {
		return nil, err
	}
	sub, err := s.c.Store.SubOrganization(ctx, r.WorkspaceID, r.SubOrganizationID)
	if err != nil {
		return nil, err
	}
	keys, err := s.c.Store.Passkeys(ctx, r.WorkspaceID, r.SubOrganizationID)
	for _, k := range keys {
		all = append(all, k.Email)
	}
	all = append(all, sub.Email, r.Email)
	slices.SortFunc(all, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	return slices.CompactFunc(all, strings.EqualFold), err
}

func (s *Service) linkMail(r Recovery) mail.Message {
	link := "Bundle: " + r.Bundle
	if s.c.CeremonyOrigin != "" {
		link = s.c.CeremonyOrigin + "/#" + r.token() + "." + r.Bundle
	}
	return mail.Message{
		ID: r.ID, To: r.Email, Subject: "Recover your wallet",
		Text: fmt.Sprintf("Somebody asked to recover your wallet with a new passkey.\n\nOpen this link in the browser in which you asked. It works once, until %s UTC:\n\n%s\n\n"+
			"You will be asked for your recovery code. Give it to nobody else.\n\nIf you did not ask, ignore this mail: nothing happens without the link.\n",
			r.ExpiresAt.UTC().Format("2 January 2006 15:04"), link),
	}
}

// noticeMail tells one of the contacts that a recovery began, completed or was cancelled. It has no link, so that a
// phishing mail cannot imitate it.
func (s *Service) noticeMail(r Recovery, of State, to string) mail.Message {
	m := mail.Message{ID: record.DerivedID("recovery notice", r.ID, string(of), strings.ToLower(to)), To: to}
	by := "It was confirmed with the recovery code."
	if r.EmailOnly {
		by = "It was confirmed by e-mail alone, without a recovery code."
	}
	switch of {
	case Pending:
		m.Subject = "A wallet is about to get a new passkey"
		m.Text = fmt.Sprintf("A new passkey for %s is about to be added by recovery. %s\n\nIt can sign from %s UTC on.\n\n"+
			"If this is not wanted, cancel it before then, with any passkey of the wallet, where you use the wallet.\n",
			r.Email, by, r.ReadyAt.UTC().Format("2 January 2006 15:04:05"))
	case Completed:
		m.Subject = "A wallet has a new passkey"
		m.Text = fmt.Sprintf("A new passkey for %s was added by recovery. %s\n\nAddresses and keys have not changed.\n",
			r.Email, by)
	default:
		m.Subject = "The recovery of a wallet was cancelled"
		m.Text = fmt.Sprintf("The new passkey for %s will not be added: the recovery was cancelled.\n", r.Email)
	}
	m.Text += fmt.Sprintf("\nSub-organization %s, recovery %s.\n", r.SubOrganizationID, r.ID)
	return m
}
