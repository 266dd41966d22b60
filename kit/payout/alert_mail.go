package payout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/kit/payout/work"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/text"
	"github.com/railkit/railkit/platform/vault"
)

const (
	alertGap    = 5 * time.Minute // between two mails: what happens meanwhile stands in the second
	alertLife   = 7 * 24 * time.Hour
	alertListed = 50  // changes in a mail; its page shows more
	alertShown  = 500 // changes on a page
	alertAsking = 2 * time.Second
)

// MailAlerts is the job that mails a workspace's admins and managers of changed
// bank accounts: at once after five quiet minutes, else with all that came since
// the last mail. Of 400 changes within a minute the first is mailed at once, the
// other 399 together five minutes later.
func (s *Service) MailAlerts(ctx context.Context, workspaceID string) (again time.Duration, err error) {
	if s.mailer == nil { // the sweeper comes back
		return 0, nil
	}
	again, err = s.batchAlerts(ctx, workspaceID)
	if err != nil {
		return 0, err
	}
	mails, err := s.store.QueuedAlertMails(ctx, workspaceID)
	for _, m := range mails {
		err = errors.Join(err, s.mailAlert(ctx, m))
	}
	return again, err
}

// batchAlerts puts what waits into one mail to each member, if it is time for one.
func (s *Service) batchAlerts(ctx context.Context, workspaceID string) (again time.Duration, err error) {
	newest, err := s.store.NewestWaitingAlert(ctx, workspaceID)
	if err != nil || newest.IsZero() {
		return 0, err
	}
	last, err := s.store.LastAlertMail(ctx, workspaceID)
	if err != nil {
		return 0, err
	}
	now := s.clock.Now()
	if wait := last.Add(alertGap).Sub(now); wait > 0 {
		return wait, nil
	}
	readers, err := s.store.AlertReaders(ctx, workspaceID)
	if err != nil {
		return 0, err
	}
	err = work.Do(ctx, s.store, workspaceID, func(ctx context.Context, tx Tx) error {
		id := work.NewID()
		if any, err := tx.BatchAlerts(ctx, workspaceID, id); err != nil || !any {
			return err
		}
		for _, r := range readers {
			if err := tx.InsertAlertMail(ctx, s.newAlertMail(workspaceID, id, r, now)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	newest, err = s.store.NewestWaitingAlert(ctx, workspaceID)
	if err != nil || newest.IsZero() || now.Sub(newest) > mailAlone { // the sweeper comes back
		return 0, err
	}
	return alertAsking, nil // of an account that the partner is being asked about
}

func (s *Service) newAlertMail(workspaceID, id string, r AlertReader, now time.Time) AlertMail {
	token := auth.Secret()
	m := AlertMail{
		WorkspaceID: workspaceID, TokenHash: auth.Hash(token), ID: id, MemberID: r.MemberID, Email: r.Email,
		CreatedAt: now, ExpiresAt: now.Add(alertLife),
	}
	m.Sealed = s.vault.Seal(m.place(), []byte(token))
	return m
}

// place is where the token is sealed for.
func (m AlertMail) place() vault.Place {
	return vault.Place{WorkspaceID: m.WorkspaceID, Kind: "account_alert_mails", ID: m.ID, Field: "token " + m.TokenHash}
}

// mailAlert sends one mail, unless another job is sending it. After a crash while it
// was sent it is sent again: with the same link and the same message id.
func (s *Service) mailAlert(ctx context.Context, m AlertMail) error {
	now := s.clock.Now()
	err := work.Do(ctx, s.store, m.WorkspaceID, func(ctx context.Context, tx Tx) error { return tx.ClaimAlertMail(ctx, m, now, now.Add(-mailAlone)) })
	if err != nil {
		return work.IgnoreStale(err)
	}
	err = s.sendAlertMail(ctx, m)
	if err != nil {
		ctx := context.WithoutCancel(ctx)
		err = errors.Join(err, work.Do(ctx, s.store, m.WorkspaceID, func(ctx context.Context, tx Tx) error { return tx.ReleaseAlertMail(ctx, m) }))
	}
	return err
}

func (s *Service) sendAlertMail(ctx context.Context, m AlertMail) error {
	alerts, err := s.store.Alerts(ctx, m.WorkspaceID, m.ID, alertShown)
	if err != nil {
		return err
	}
	status := MailSent
	if len(alerts) > 0 {
		err = s.sendAlerts(ctx, m, alerts)
	}
	switch {
	case errors.Is(err, ErrMailRefused):
		status = MailFailed
		s.log.Error("a member is not mailed of a changed bank account: the mail server refuses", "workspace", m.WorkspaceID, "member", m.MemberID)
	case err != nil:
		return err
	}
	return work.Do(ctx, s.store, m.WorkspaceID, func(ctx context.Context, tx Tx) error { return tx.AlertMailed(ctx, m, status) })
}

func (s *Service) sendAlerts(ctx context.Context, m AlertMail, alerts []AlertShown) error {
	w, err := s.workspaces.Workspace(ctx, m.WorkspaceID)
	if err != nil {
		return err
	}
	members, err := s.memberNames(ctx, m.WorkspaceID)
	if err != nil {
		return err
	}
	token, err := s.vault.Open(m.place(), m.Sealed)
	if err != nil {
		return err
	}
	var body strings.Builder
	fmt.Fprintf(&body, "Bank accounts that %s pays to have changed.\n\n", text.InMail(w.Name))
	for _, a := range alerts[:min(len(alerts), alertListed)] {
		fmt.Fprintf(&body, "- %s\n", a.line(members))
	}
	if n := len(alerts) - alertListed; n > 0 {
		fmt.Fprintf(&body, "- and %d more\n", n)
	}
	body.WriteString("\nIf you do not know of a change, freeze the account: nothing is paid to it until a member of the workspace unfreezes it.\n")
	if s.invitePage != "" {
		fmt.Fprintf(&body, "This link can do that and nothing else, until %s UTC:\n\n%s/freeze#%s\n",
			m.ExpiresAt.UTC().Format("2 January 2006 15:04"), s.invitePage, token)
	} else {
		body.WriteString("This server has no page for it: archive the account instead.\n")
	}
	return s.mailer.Send(ctx, Mail{
		ID: uuid.NewSHA1(uuid.NameSpaceOID, []byte("alert "+m.TokenHash)).String(), To: m.Email, Subject: "A bank account has changed", Text: body.String(),
	})
}

// happened says in a few words what a change was.
var happened = map[AlertChange]string{
	AlertAdded: "added", AlertChanged: "changed", AlertArchived: "archived", AlertRestored: "brought back from the archive",
	AlertConfirmed: "confirmed, so that it is paid from now on", AlertUnfrozen: "unfrozen",
	AlertReturn: "refunds will go to another address", AlertReturnConfirmed: "refunds go to another address from now on",
}

// line is an alert as a mail shows it: what, who, when, and from where.
func (a AlertShown) line(members map[string]string) string {
	what := happened[a.Change]
	if a.Detail != "" {
		what += " (" + a.Detail + ")"
	}
	return fmt.Sprintf("%s, %s account ending in %s: %s, %s UTC, by %s, from %s",
		text.InMail(a.RecipientName), a.Account.Currency.Upper(), text.InMail(a.Account.Shown.LastFour), what,
		a.CreatedAt.UTC().Format("2 January 2006 15:04"), a.who(members), cmp.Or(a.RemoteIP, "an unknown address"))
}

// memberNames are the e-mails of admins and managers, by their ids.
func (s *Service) memberNames(ctx context.Context, workspaceID string) (map[string]string, error) {
	readers, err := s.store.AlertReaders(ctx, workspaceID)
	names := make(map[string]string, len(readers))
	for _, r := range readers {
		names[r.MemberID] = r.Email
	}
	return names, err
}

// who made a change: a member by its e-mail, if it is one still.
func (a Alert) who(members map[string]string) string {
	switch a.By {
	case auth.ByInvite:
		return "the recipient's invite"
	case auth.BySession:
		return "the member " + cmp.Or(members[a.ByID], a.ByID)
	}
	return "the API key " + a.ByID
}

// sweepAlerts makes jobs of what stands in no mail, and of mails that were not sent.
func (s *Service) sweepAlerts(ctx context.Context) error {
	if s.mailer == nil {
		return nil
	}
	rows, err := s.store.UnsentAlerts(ctx, s.clock.Now().Add(-mailAlone), work.Batch)
	if err != nil {
		return err
	}
	return work.Each(rows, func(workspaceID string) error {
		return s.store.Work(ctx, workspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
			again := alertJob(workspaceID)
			again.Anew = false
			return command.Audit{}, tx.Enqueue(ctx, again)
		})
	})
}
