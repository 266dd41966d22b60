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
	"github.com/railkit/railkit/rest"
)

// MayEnd refuses a member who may not end a wait or a freeze: one whose login is older than auth.FreshLogin, or who
// joined less than the wait ago. Say that a thief of an operator's key invites himself as an admin, after he has added
// a bank account: his first login would end its wait.
func MayEnd(member auth.Principal, wait time.Duration, now time.Time) error {
	if err := member.LoggedInJustNow(now); err != nil {
		return err
	}
	if now.Sub(member.JoinedAt) < wait {
		return ErrNewMember
	}
	return nil
}

// sawAccount tells whether an account is the one that was looked at.
func sawAccount(in rest.BankAccountConfirm, a Account) bool {
	at, err := time.Parse(time.RFC3339, in.UpdatedAt)
	return err == nil && clock.ISO(at) == clock.ISO(a.UpdatedAt)
}

// Confirm ends the cooling period of a new or changed account, for a member who may (MayEnd) and has seen the account
// as it is.
func (s *Service) Confirm(
	ctx context.Context, cmd *command.Command, recipientID, id string, in rest.BankAccountConfirm,
) (command.Answer, error) {
	return s.byMember(ctx, cmd, recipientID, id, in, "bank_account.confirm", alert.Confirmed, func(
		a *Account, now time.Time,
	) (bool, error) {
		switch {
		case a.Wanted != "": // nobody has seen yet what it will be
			return false, customer.ErrRegistering.After(time.Second)
		case !sawAccount(in, *a) && !a.confirmed(cmd.Principal.ID, now):
			return false, ErrChanged
		case !now.Before(a.PayableAt):
			return false, nil
		}
		a.PayableAt, a.ConfirmedBy, a.UpdatedAt = now, cmd.Principal.ID, now
		return true, nil
	})
}

// byMember makes a change that only a member may make, in person, after seeing the account. Orders that wait for the
// account are advanced.
func (s *Service) byMember(ctx context.Context, cmd *command.Command, recipientID, id string,
	in rest.BankAccountConfirm, action string,
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
		if err := MayEnd(cmd.Principal, s.cooling, now); err != nil {
			return command.Reply{}, err
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

// confirmed tells whether this member has already ended the cooling period, and no new one has begun.
func (a Account) confirmed(member string, now time.Time) bool {
	return a.ConfirmedBy == member && !now.Before(a.PayableAt)
}
