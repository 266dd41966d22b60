package payout

import (
	"context"
	"time"

	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
)

// freshLogin is how old the login may be that confirms a bank account.
const freshLogin = 5 * time.Minute

// ConfirmBankAccount ends the wait before a new or changed account is paid, on the
// word of a member who has just logged in with a passkey.
func (s *Service) ConfirmBankAccount(ctx context.Context, cmd *command.Command, recipientID, id string) (command.Answer, error) {
	if cmd.Principal.Kind != auth.BySession {
		return command.Answer{}, ErrConfirmByMember
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
		if a.Wanted != "" { // nobody has seen yet what it will be
			return command.Reply{}, ErrRegistering.After(time.Second)
		}
		if now.Before(a.PayableAt) {
			a.PayableAt, a.ConfirmedBy, a.UpdatedAt = now, cmd.Principal.ID, now
		}
		reply := accountReply(a, 200, "Bank account confirmed")
		reply.Audit = accountAudit(a, "bank_account.confirm")
		return reply, openAccount(ctx, tx, a, waiting)
	})
}
