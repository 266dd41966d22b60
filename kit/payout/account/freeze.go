package account

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/kit/payout/alert"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// Freeze stops payments to an account by the link of an alert mail, and drops pending changes of its return addresses.
// A link works once for each account: after a member has unfrozen the account, it cannot freeze it again.
func (s *Service) Freeze(
	ctx context.Context, cmd *command.Command, m alert.Mail, accountID string,
) (command.Answer, error) {
	if err := s.alerts.About(ctx, m, accountID); err != nil {
		return command.Answer{}, err
	}
	cmd.Principal = auth.Principal{Tenant: auth.Tenant{WorkspaceID: m.WorkspaceID}, Kind: auth.ByAlert, ID: m.MemberID}
	now := s.clock.Now()
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		a, err := tx.HoldBankAccount(ctx, m.WorkspaceID, accountID)
		if err != nil {
			return command.Reply{}, err
		}
		used := tx.UseAlerts(ctx, m.WorkspaceID, m.ID, accountID, now)
		if err = record.UnlessStale(used); used == nil && a.FrozenAt.IsZero() {
			a.FrozenAt, a.UpdatedAt = now, now
			err = errors.Join(tx.UpdateBankAccount(ctx, a), tx.DropReturnChanges(ctx, a.WorkspaceID, a.ID, now))
		}
		return command.Reply{
			Status: 200, Message: "Bank account frozen",
			Data:  rest.AccountFrozen{AccountID: a.ID, Frozen: !a.FrozenAt.IsZero()},
			Audit: auditOf(a, "bank_account.freeze"),
		}, err
	})
}

// Unfreeze allows payments to a frozen account again. The same conditions hold for the member as with Confirm.
func (s *Service) Unfreeze(
	ctx context.Context, cmd *command.Command, recipientID, id string, in rest.BankAccountConfirm,
) (command.Answer, error) {
	return s.byMember(ctx, cmd, recipientID, id, in, "bank_account.unfreeze", alert.Unfrozen, func(
		a *Account, now time.Time,
	) (bool, error) {
		switch {
		case a.FrozenAt.IsZero():
			return false, nil
		case !sawAccount(in, *a):
			return false, ErrChanged
		}
		a.FrozenAt, a.UpdatedAt = time.Time{}, now
		return true, nil
	})
}
