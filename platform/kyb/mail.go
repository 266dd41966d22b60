package kyb

import (
	"context"
	"errors"
	"strings"

	"github.com/railkit/railkit/platform/notify"
	"github.com/railkit/railkit/text"
)

// SendMails tells each admin of a decision. It may run twice: a mail that was sent is not sent again, but for one whose
// sending a crash kept from being noted, which has the same message id.
func (s *Service) SendMails(ctx context.Context, workspaceID, decisionID string) error {
	if s.c.Mailer == nil {
		return nil
	}
	waiting, err := s.c.Store.Mails(ctx, workspaceID, decisionID)
	for _, m := range waiting {
		sent := s.c.Mailer.Send(ctx, message(m, s.c.Origin))
		refused := errors.Is(sent, notify.ErrRefused)
		if sent == nil || refused {
			sent = s.c.Store.Mailed(ctx, m, refused)
		}
		err = errors.Join(err, sent)
	}
	return err
}

// decisions are how a mail tells each of them.
var decisions = map[State]string{
	Approved: "is approved: the payout kit is open", Rejected: "is rejected",
	MoreInformation: "needs more information: change the form and submit it again",
}

func message(m Mail, dashboard string) notify.Message {
	lines := []string{"The check of the business of " + text.InMail(m.WorkspaceName) + " " + decisions[m.State] + "."}
	if m.Reason != "" {
		lines = append(lines, "Reason: "+text.InMail(m.Reason))
	}
	if dashboard != "" {
		lines = append(lines, "The form is in the dashboard: "+dashboard)
	}
	return notify.Message{
		ID: m.DecisionID + "." + m.MemberID, To: m.Email, Subject: "The check of your business",
		Text: strings.Join(lines, "\n\n") + "\n",
	}
}
