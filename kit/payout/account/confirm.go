package account

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/alert"
	"github.com/railkit/railkit/kit/payout/customer"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
)

// FreshLogin is how old the login may be that confirms a bank account.
const FreshLogin = 5 * time.Minute

// Confirm says which account a member looked at. Who is no member is
// told that first, and so it is checked here that it is given.
type Confirm struct {
	UpdatedAt string `json:"updatedAt,omitempty" format:"date-time" doc:"Required: the account's, as the member saw it; where it has changed since then the answer is 409"`
}

// saw tells whether an account is the one that was looked at.
func (in Confirm) saw(a Account) bool {
	at, err := time.Parse(time.RFC3339, in.UpdatedAt)
	return err == nil && clock.ISO(at) == clock.ISO(a.UpdatedAt)
}

// Confirm ends the wait before a new or changed account is paid, on the
// word of a member who has just logged in with a passkey and seen what is paid.
func (s *Service) Confirm(
	ctx context.Context, cmd *command.Command, recipientID, id string, in Confirm,
) (command.Answer, error) {
	return s.byMember(ctx, cmd, recipientID, id, in, "bank_account.confirm", alert.Confirmed, func(
		a *Account, now time.Time,
	) (bool, error) {
		switch {
		case a.Wanted != "": // nobody has seen yet what it will be
			return false, customer.ErrRegistering.After(time.Second)
		case !in.saw(*a) && !a.confirmed(cmd.Principal.ID, now):
			return false, ErrChanged
		case !now.Before(a.PayableAt):
			return false, nil
		}
		a.PayableAt, a.ConfirmedBy, a.UpdatedAt = now, cmd.Principal.ID, now
		return true, nil
	})
}

// byMember is a change of an account that only a member makes, in person, having
// seen the account. What waits for the account is looked at.
func (s *Service) byMember(ctx context.Context, cmd *command.Command, recipientID, id string, in Confirm, action string,
	word alert.Change, change func(*Account, time.Time) (bool, error),
) (command.Answer, error) {
	if cmd.Principal.Kind != auth.BySession {
		return command.Answer{}, ErrConfirmByMember
	}
	if in.UpdatedAt == "" {
		return command.Answer{}, fault.Field("updatedAt", "is required")
	}
	wake, err := s.waiting(ctx, cmd.Principal.WorkspaceID, id)
	if err != nil {
		return command.Answer{}, err
	}
	now := s.clock.Now()
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		a, err := hold(ctx, tx, cmd.Principal.WorkspaceID, recipientID, id)
		if err != nil {
			return command.Reply{}, err
		}
		if now.Sub(cmd.Principal.LoggedInAt) > FreshLogin {
			return command.Reply{}, ErrLoginNotFresh
		}
		did, err := change(&a, now)
		if err != nil {
			return command.Reply{}, err
		}
		reply := replyOf(a, 200, "Bank account "+string(word))
		reply.Audit = auditOf(a, action)
		if did {
			err = alert.Raise(ctx, tx, alert.New(cmd, now, a.WorkspaceID, a.ID, word, ""))
		}
		return reply, errors.Join(err, update(ctx, tx, a, wake))
	})
}

// confirmed tells whether a member ended the wait already, and nothing began another.
func (a Account) confirmed(member string, now time.Time) bool {
	return a.ConfirmedBy == member && !now.Before(a.PayableAt)
}
