package kyb

import (
	"context"
	"errors"

	"github.com/railkit/railkit/platform/mail"
)

// SendMails tells each admin of a decision. It may run twice: a mail that was sent is not sent again, but for one whose
// sending a crash kept from being noted, which has the same message id.
func (s *Service) SendMails(ctx context.Context, workspaceID, decisionID string) error {
	if s.c.Post == nil {
		return nil
	}
	waiting, err := s.c.Store.Mails(ctx, workspaceID, decisionID)
	for _, m := range waiting {
		sent := s.c.Post.Send(ctx, workspaceID, m.Email, m.DecisionID+"."+m.MemberID, mail.KYBDecision{
			Business: mail.Name(m.WorkspaceName), State: mail.Word(m.State), Reason: mail.Name(m.Reason),
			Link: s.c.Dashboard.Page("kyb"),
		})
		refused := errors.Is(sent, mail.ErrRefused)
		if sent == nil || refused {
			sent = s.c.Store.Mailed(ctx, m, refused)
		}
		err = errors.Join(err, sent)
	}
	return err
}
