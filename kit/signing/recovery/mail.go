package recovery

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/mail"
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
		if s.c.Post == nil {
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
		err = errors.Join(err, s.c.Post.DeliverAll(ctx, r.WorkspaceID, contacts, r.letter(State(state)),
			"recovery notice", r.ID, state))
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
	letter := mail.RecoveryLink{Until: r.ExpiresAt, Bundle: mail.Link(r.Bundle)}
	if s.c.CeremonyOrigin != "" {
		letter.Link = mail.Link(s.c.CeremonyOrigin + "/#" + r.token() + "." + r.Bundle)
	}
	return s.c.Post.Deliver(ctx, r.WorkspaceID, r.Email, r.ID, letter)
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
	return append(all, sub.Email, r.Email), err
}

// letter tells that a recovery began, completed or was cancelled.
func (r Recovery) letter(of State) mail.Recovery {
	return mail.Recovery{
		Status: mail.Word(of), Email: mail.Address(r.Email), EmailOnly: r.EmailOnly, ReadyAt: r.ReadyAt,
		SubOrganization: mail.Word(r.SubOrganizationID), Recovery: mail.Word(r.ID),
	}
}
