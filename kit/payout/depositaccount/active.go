package depositaccount

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/provision"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

// asking is how long the partner may take to switch an account, less than provision.Lease.
const asking = 10 * time.Second

// Switched is an account as Deactivate and Reactivate answer it.
type Switched struct {
	ID        string `json:"id"`
	Reference string `json:"reference"`
	Status    string `json:"status"` // active | deactivated
	Waits     bool   `json:"waits"`  // the partner has yet to be told
}

// Deactivate has the partner take no more deposits at an account. The account counts as deactivated at once; a running
// server tells the partner.
func (s *Service) Deactivate(ctx context.Context, cmd *command.Command, id string) (command.Answer, error) {
	return s.want(ctx, cmd, id, WantDeactivated, "deposit_account.deactivate")
}

// Reactivate has the partner take deposits again. The account counts as active once the partner has said so.
func (s *Service) Reactivate(ctx context.Context, cmd *command.Command, id string) (command.Answer, error) {
	return s.want(ctx, cmd, id, WantActive, "deposit_account.reactivate")
}

// want writes down what the partner has to be told, with the key of the call. The same again changes nothing.
func (s *Service) want(
	ctx context.Context, cmd *command.Command, id string, w Wanted, action string,
) (answer command.Answer, err error) {
	err = record.Retry(func() error {
		a, err := s.c.Store.DepositAccount(ctx, cmd.Principal.WorkspaceID, id)
		if err != nil {
			return err
		}
		if a.Status != provision.Active {
			return ErrNotMade
		}
		before := a.state()
		next := a.wanting(w, s.c.Clock.Now())
		reply := command.Reply{Status: 200, Message: "Deposit account switched", Data: next.switched()}
		reply.Audit = command.Audit{Action: action, Resource: a.ID, Before: before, After: next.state()}
		if next == a {
			answer, err = record.Answer(ctx, s.c.Store, cmd, reply)
			return err
		}
		answer, err = s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
			return reply, tx.UpdateDepositAccount(ctx, next)
		})
		return err
	})
	return answer, err
}

// wanting is the account with something wanted, or as it is where it is so already. TriedAt stays: a call that is on
// its way to the partner is waited for, so that the later wish arrives later.
func (a Account) wanting(w Wanted, now time.Time) Account {
	if a.Wanted == w || a.Wanted == WantNothing && a.Deactivated == (w == WantDeactivated) {
		return a
	}
	a.Wanted, a.Key, a.KeyedAt, a.UpdatedAt = w, uuid.NewString(), now, now
	return a
}

// state is what the audit record says of an account.
func (a Account) state() map[string]any {
	return map[string]any{"deactivated": a.Deactivated, "wanted": string(a.Wanted)}
}

func (a Account) switched() Switched {
	v := Switched{ID: a.ID, Reference: a.Reference, Status: "deactivated", Waits: a.Wanted != WantNothing}
	if a.Active() {
		v.Status = "active"
	}
	return v
}

// sweepSwitches tells the partner which accounts to switch.
func (s *Service) sweepSwitches(ctx context.Context) error {
	rows, err := s.c.Store.SwitchingDepositAccounts(ctx, s.c.Clock.Now().Add(-provision.Lease), record.SlowBatch)
	if err != nil {
		return err
	}
	return record.Each(rows, func(a Account) error { return record.UnlessStale(s.tell(ctx, a)) })
}

// tell has the partner switch an account to what is wanted. The row is claimed before, and keeps the key of the call
// until its answer is written: after a crash the same call is made again.
func (s *Service) tell(ctx context.Context, a Account) error {
	now := s.c.Clock.Now()
	a.TriedAt = now
	if now.Sub(a.KeyedAt) > fiat.KeyLife {
		a.Key, a.KeyedAt = uuid.NewString(), now
	}
	if err := s.write(ctx, a, command.Audit{}); err != nil {
		return err
	}
	a.Version++
	asked, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	active := a.Wanted == WantActive
	got, err := s.c.Partner.SetVirtualAccountActive(asked, a.Key, a.CustomerID, a.PartnerID, active)
	switch {
	case errors.Is(err, fiat.ErrRefused):
		return s.refused(ctx, a, err)
	case err != nil:
		return fiat.Fault(err)
	case got.ID != a.PartnerID || got.Active != active:
		return fiat.Fault(fmt.Errorf("another account, or one in another state: %w", fiat.ErrAnswer))
	}
	if active {
		if err := a.agrees(got); err != nil {
			return s.distrust(ctx, a, err)
		}
	}
	a.Deactivated, a.Wanted, a.TriedAt, a.UpdatedAt = !active, WantNothing, time.Time{}, s.c.Clock.Now()
	return s.write(ctx, a, a.happened("told"))
}

// refused gives up what is wanted: the account is what the partner last said.
func (s *Service) refused(ctx context.Context, a Account, why error) error {
	s.c.Log.ErrorContext(ctx, "the partner refuses to switch a deposit account",
		"workspace", a.WorkspaceID, "account", a.ID, "wanted", a.Wanted, "error", why)
	a.Wanted, a.TriedAt, a.UpdatedAt = WantNothing, time.Time{}, s.c.Clock.Now()
	audit := a.happened("refused")
	audit.Action = "deposit_account.refused"
	return s.write(ctx, a, audit)
}

// happened is the audit record's line of a switch that nobody but the partner or the server made.
func (a Account) happened(by string) command.Audit {
	action := "deposit_account.reactivated"
	if a.Deactivated {
		action = "deposit_account.deactivated"
	}
	return command.Audit{Action: action, Resource: a.ID, Detail: map[string]string{"by": by}}
}

// write writes a row by the server itself.
func (s *Service) write(ctx context.Context, a Account, audit command.Audit) error {
	return s.c.Store.Work(ctx, a.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		return audit, tx.UpdateDepositAccount(ctx, a)
	})
}

// Refresh asks the partner for the state of the account that has its id, and writes it down. The error is
// fault.ErrNotFound if the id is no deposit account's. An account whose coins would go elsewhere now is deactivated.
func (s *Service) Refresh(ctx context.Context, partnerVirtualAccountID string) error {
	return record.Retry(func() error {
		a, err := s.c.Store.DepositAccountByPartner(ctx, partnerVirtualAccountID)
		if err != nil {
			return err
		}
		got, err := s.c.Partner.VirtualAccount(ctx, a.CustomerID, a.PartnerID)
		if err == nil && got.ID != a.PartnerID {
			err = fmt.Errorf("another virtual account than was asked for: %w", fiat.ErrAnswer)
		}
		if err != nil {
			return fiat.Fault(err)
		}
		return s.heard(ctx, a, got)
	})
}

// heard writes down what the partner says of an account. While something is wanted, its state is the switch's.
func (s *Service) heard(ctx context.Context, a Account, got fiat.VirtualAccount) error {
	if err := a.agrees(got); err != nil {
		return s.distrust(ctx, a, err)
	}
	was := a
	told, err := s.Instructions(a)
	if err != nil {
		return err
	}
	if !sameInstructions(told, got.Instructions) {
		if err := s.seal(&a, got.Instructions); err != nil {
			return err
		}
	}
	if a.Wanted == WantNothing {
		a.Deactivated = !got.Active
	}
	if a == was {
		return nil
	}
	a.UpdatedAt = s.c.Clock.Now()
	audit := a.happened("partner")
	if a.Deactivated == was.Deactivated {
		audit.Action = "deposit_account.instructions"
	}
	return s.write(ctx, a, audit)
}

// distrust has an account deactivated whose answer at the partner is not what was asked for. It fails with the
// difference.
func (s *Service) distrust(ctx context.Context, a Account, why error) error {
	s.c.Log.ErrorContext(ctx, "the partner's virtual account is not what was asked for: it is deactivated",
		"workspace", a.WorkspaceID, "account", a.ID, "error", why)
	next := a.wanting(WantDeactivated, s.c.Clock.Now())
	if next == a {
		return fiat.Fault(why)
	}
	audit := next.happened("server")
	audit.Action = "deposit_account.deactivate"
	if err := s.write(ctx, next, audit); err != nil {
		return err
	}
	return fiat.Fault(why)
}

func sameInstructions(a, b fiat.Instructions) bool {
	return fmt.Sprint(a) == fmt.Sprint(b)
}
