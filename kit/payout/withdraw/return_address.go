package withdraw

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/alert"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// ReturnChange is a waiting change of the return address, which takes effect at At. Address
// is empty if no change is waiting.
type ReturnChange struct {
	WalletID, Address string
	At                time.Time
}

// At is the row at an instant: if the waiting change is due by then, its wallet and address
// replace the old ones.
func (a Address) At(now time.Time) Address {
	if a.Next.Address != "" && !now.Before(a.Next.At) {
		a.WalletID, a.ReturnAddress, a.Next = a.Next.WalletID, a.Next.Address, ReturnChange{}
	}
	return a
}

// namedWallet is the wallet that gets the refunds or, where no wallet was named before, the one that will.
func (a Address) namedWallet() string { return cmp.Or(a.WalletID, a.Next.WalletID) }

// returnsTo is nil if walletID is empty or the wallet that was named for the refunds, else ErrOtherReturn.
// A request to create an address that exists never changes its return address: a stolen API key
// could otherwise send other people's refunds to the thief's wallet.
func (a Address) returnsTo(walletID string) error {
	if walletID != "" && a.namedWallet() != walletID {
		return ErrOtherReturn
	}
	return nil
}

// returnAudit is the return address and the waiting one, for the audit record.
func (a Address) returnAudit() map[string]any {
	return map[string]any{"returnAddress": a.ReturnAddress, "pendingReturnAddress": a.Next.Address}
}

// walletOn finds a wallet of the workspace and refuses one without an address on the chain.
func (s *Service) walletOn(ctx context.Context, workspaceID, walletID, chain string) (id, address string, err error) {
	id, address, err = s.c.Wallets.AddressOn(ctx, workspaceID, walletID, chain)
	if err == nil && address == "" {
		err = fault.Field("walletId", "must be a wallet with an address on the chain")
	}
	return id, address, err
}

// naming is what the transaction that inserts an address has to do if the caller names a wallet for its refunds: it
// refuses that for a frozen bank account, and alerts the members. It is nil if no wallet is named.
func (s *Service) naming(cmd *command.Command, a Address) func(context.Context, Tx) error {
	if a.namedWallet() == "" {
		return nil
	}
	return func(ctx context.Context, tx Tx) error {
		if err := unlessFrozen(ctx, tx, alert.ReturnChanged, a); err != nil {
			return err
		}
		return s.raise(ctx, tx, cmd, alert.ReturnChanged, a, a.CreatedAt)
	}
}

// raise alerts the members of a return address, or of a waiting one.
func (s *Service) raise(
	ctx context.Context, tx Tx, cmd *command.Command, change alert.Change, a Address, now time.Time,
) error {
	detail := cmp.Or(a.Next.Address, a.ReturnAddress)
	return alert.Raise(ctx, tx, alert.New(cmd, now, a.WorkspaceID, a.BankAccountID, change, detail))
}

// ChangeReturn changes the return address to that of another wallet, after a waiting period as
// long as that of a new bank account. The change is for orders created after it takes effect;
// existing orders keep the return address that they were created with.
func (s *Service) ChangeReturn(
	ctx context.Context, cmd *command.Command, id string, in rest.ReturnRequest,
) (command.Answer, error) {
	a, err := s.c.Store.WithdrawAddress(ctx, cmd.Principal.WorkspaceID, id)
	if err != nil {
		return command.Answer{}, err
	}
	next := ReturnChange{At: s.c.Clock.Now().Add(s.c.Cooling)}
	if next.WalletID, next.Address, err = s.walletOn(ctx, a.WorkspaceID, in.WalletID, a.Chain); err != nil {
		return command.Answer{}, err
	}
	return s.changeReturn(ctx, cmd, id, "withdraw_address.return", alert.ReturnChanged, func(a *Address) error {
		switch {
		case a.Next.Address == "" && a.ReturnAddress != next.Address:
			a.Next = next
		case a.Next.Address != "" && a.Next.Address != next.Address:
			return ErrReturnPending
		}
		return nil
	})
}

// ConfirmReturn puts a waiting change into force at once. Only a member can confirm, as account.MayEnd has it,
// and the request must repeat the new return address.
func (s *Service) ConfirmReturn(
	ctx context.Context, cmd *command.Command, id string, in rest.ReturnConfirm,
) (command.Answer, error) {
	switch {
	case cmd.Principal.Kind != auth.BySession:
		return command.Answer{}, account.ErrConfirmByMember
	case in.ReturnAddress == "":
		return command.Answer{}, fault.Field("returnAddress", "is required")
	}
	return s.changeReturn(ctx, cmd, id, "withdraw_address.return_confirm", alert.ReturnConfirmed, func(
		a *Address,
	) error {
		now := s.c.Clock.Now()
		if err := account.MayEnd(cmd.Principal, s.c.Cooling, now); err != nil {
			return err
		}
		switch {
		case a.Next.Address == in.ReturnAddress:
			a.Next.At = now
		case a.Next.Address != "" || a.ReturnAddress != in.ReturnAddress:
			return ErrReturnChanged
		}
		return nil
	})
}

// CancelReturn drops a waiting change of the return address.
func (s *Service) CancelReturn(ctx context.Context, cmd *command.Command, id string) (command.Answer, error) {
	return s.changeReturn(ctx, cmd, id, "withdraw_address.return_cancel", "", func(a *Address) error {
		if a.Next.Address == "" {
			return ErrReturnChanged
		}
		a.Next = ReturnChange{}
		return nil
	})
}

// changeReturn applies set to the row and retries if another request changed the row meanwhile. The members are
// alerted of the change; an empty change alerts nobody.
func (s *Service) changeReturn(
	ctx context.Context, cmd *command.Command, id, action string, change alert.Change, set func(*Address) error,
) (answer command.Answer, err error) {
	err = record.Retry(func() error {
		answer, err = s.tryChangeReturn(ctx, cmd, id, action, change, set)
		return err
	})
	if errors.Is(err, record.ErrStale) {
		err = ErrReturnChanged.Because(err)
	}
	return answer, err
}

// tryChangeReturn is one attempt of changeReturn. If set changes nothing, nothing is written and nobody is alerted.
func (s *Service) tryChangeReturn(
	ctx context.Context, cmd *command.Command, id, action string, change alert.Change, set func(*Address) error,
) (command.Answer, error) {
	was, err := s.c.Store.WithdrawAddress(ctx, cmd.Principal.WorkspaceID, id)
	if err != nil {
		return command.Answer{}, err
	}
	now := s.c.Clock.Now()
	before := was.At(now)
	after := before
	if err := set(&after); err != nil {
		return command.Answer{}, err
	}
	now = s.c.Clock.Now() // not earlier than the instant that ConfirmReturn set, so that its change is in force
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		if err := unlessFrozen(ctx, tx, change, was); err != nil {
			return command.Reply{}, err
		}
		a := after.At(now)
		reply := command.Reply{Status: 200, Message: "Return address changed", Audit: command.Audit{
			Action: action, Resource: a.ID, Before: before.returnAudit(), After: a.returnAudit(),
		}}
		if a == before {
			reply.Data = before.View(now)
			return reply, nil
		}
		a.UpdatedAt = now
		reply.Data = a.View(now)
		if err := tx.SetReturnAddress(ctx, a, was); err != nil || change == "" {
			return reply, err
		}
		return reply, s.raise(ctx, tx, cmd, change, a, now)
	})
}

// unlessFrozen refuses to change the return address, or to confirm a change, while the bank
// account is frozen. It locks the account's row: a freeze at the same time either commits
// first and is seen here, or commits later and drops the change. A cancellation (empty change)
// is always allowed.
func unlessFrozen(ctx context.Context, tx Tx, change alert.Change, a Address) error {
	if change == "" {
		return nil
	}
	to, err := tx.HoldBankAccount(ctx, a.WorkspaceID, a.BankAccountID)
	if err == nil && !to.FrozenAt.IsZero() {
		err = ErrFrozen
	}
	return err
}
