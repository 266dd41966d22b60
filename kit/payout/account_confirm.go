package payout

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
)

// freshLogin is how old the login may be that confirms a bank account.
const freshLogin = 5 * time.Minute

// BankAccountConfirm says which account a member looked at. Who is no member is
// told that first, and so it is checked here that it is given.
type BankAccountConfirm struct {
	UpdatedAt string `json:"updatedAt,omitempty" format:"date-time" doc:"Required: the account's, as the member saw it; where it has changed since then the answer is 409"`
}

// saw tells whether an account is the one that was looked at.
func (in BankAccountConfirm) saw(a BankAccount) bool {
	at, err := time.Parse(time.RFC3339, in.UpdatedAt)
	return err == nil && clock.ISO(at) == clock.ISO(a.UpdatedAt)
}

// confirmed tells whether a member ended the wait already, and nothing began another.
func (a BankAccount) confirmed(member string, now time.Time) bool {
	return a.ConfirmedBy == member && !now.Before(a.PayableAt)
}

// ConfirmBankAccount ends the wait before a new or changed account is paid, on the
// word of a member who has just logged in with a passkey and seen what is paid.
func (s *Service) ConfirmBankAccount(ctx context.Context, cmd *command.Command, recipientID, id string, in BankAccountConfirm) (command.Answer, error) {
	return s.byMember(ctx, cmd, recipientID, id, in, "bank_account.confirm", AlertConfirmed, func(a *BankAccount, now time.Time) (bool, error) {
		switch {
		case a.Wanted != "": // nobody has seen yet what it will be
			return false, ErrRegistering.After(time.Second)
		case !in.saw(*a) && !a.confirmed(cmd.Principal.ID, now):
			return false, ErrAccountChanged
		case !now.Before(a.PayableAt):
			return false, nil
		}
		a.PayableAt, a.ConfirmedBy, a.UpdatedAt = now, cmd.Principal.ID, now
		return true, nil
	})
}

// byMember is a change of an account that only a member makes, in person, having
// seen the account. What waits for the account is looked at.
func (s *Service) byMember(ctx context.Context, cmd *command.Command, recipientID, id string, in BankAccountConfirm, action string,
	word AlertChange, change func(*BankAccount, time.Time) (bool, error),
) (command.Answer, error) {
	if cmd.Principal.Kind != auth.BySession {
		return command.Answer{}, ErrConfirmByMember
	}
	if in.UpdatedAt == "" {
		return command.Answer{}, fault.Field("updatedAt", "is required")
	}
	waiting, err := s.atGate(ctx, OrderFilter{WorkspaceID: cmd.Principal.WorkspaceID, BankAccountID: id})
	if err != nil {
		return command.Answer{}, err
	}
	now := s.clock.Now()
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		a, err := holdAccount(ctx, tx, cmd.Principal.WorkspaceID, recipientID, id)
		if err != nil {
			return command.Reply{}, err
		}
		if now.Sub(cmd.Principal.LoggedInAt) > freshLogin {
			return command.Reply{}, ErrLoginNotFresh
		}
		did, err := change(&a, now)
		if err != nil {
			return command.Reply{}, err
		}
		reply := accountReply(a, 200, "Bank account "+string(word))
		reply.Audit = accountAudit(a, action)
		if did {
			err = raise(ctx, tx, s.alert(cmd, a.WorkspaceID, a.ID, word, ""))
		}
		return reply, errors.Join(err, openAccount(ctx, tx, a, waiting))
	})
}
