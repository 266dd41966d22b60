package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/customer"
	"github.com/railkit/railkit/kit/payout/notice"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

const (
	sweptAccounts = 200
	firstAsk      = time.Second     // after which a pending registration is asked about
	lastAsk       = 5 * time.Minute // the waits between grow to this
)

// Sweep finishes accounts that crashed callers left, and asks the partner for the state of pending registrations. When
// the partner answers for none of them, it stops.
func (s *Service) Sweep(ctx context.Context) error {
	if s.partner == nil {
		return nil
	}
	rows, err := s.store.WaitingBankAccounts(ctx, s.clock.Now().Add(-firstAsk), sweptAccounts)
	if err != nil {
		return err
	}
	return record.Each(rows, func(a Account) error {
		err := s.nudge(ctx, a)
		switch {
		case errors.Is(err, fiat.ErrLater):
			return err
		case err == nil, ctx.Err() != nil, errors.Is(err, record.ErrStale), errors.Is(err, customer.ErrRegistering),
			errors.Is(err, auth.ErrVerification):
		default:
			s.log.WarnContext(ctx,
				"a bank account waits for the partner", "workspace", a.WorkspaceID, "account", a.ID, "error", err,
			)
		}
		return nil
	})
}

// nudge does the next step of a bank account, if it is due.
func (s *Service) nudge(ctx context.Context, a Account) error {
	if a.Registration == Pending && a.Wanted == "" {
		now := s.clock.Now()
		if now.Sub(a.TriedAt) < min(max(now.Sub(a.CreatedAt)/4, firstAsk), lastAsk) {
			return nil
		}
		return s.refresh(ctx, a)
	}
	if !s.unattended(a) {
		return nil
	}
	a, err := s.takeFor(ctx, a, s.ourselves())
	if err != nil {
		return err
	}
	if a.Registration == Provisioning {
		return s.register(ctx, a, s.finishing("bank_account.create"))
	}
	var w wanted
	if err := s.unsealTo(a, "wanted", a.Wanted, &w); err != nil {
		return err
	}
	return s.tellChange(ctx, a, w, s.finishing("bank_account.change"))
}

// finishing writes an account by the server itself.
func (s *Service) finishing(action string) func(context.Context, Account) error {
	return func(ctx context.Context, a Account) error {
		wake, err := s.waiting(ctx, a.WorkspaceID, a.ID)
		if err != nil {
			return err
		}
		return s.store.Work(ctx, a.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
			return auditOf(a, action), update(ctx, tx, a, wake)
		})
	}
}

// refresh asks the partner for the state of a registration.
func (s *Service) refresh(ctx context.Context, a Account) error {
	ctx, cancel := context.WithTimeout(ctx, partnerTime)
	defer cancel()
	at, err := s.customers.ID(ctx, a.WorkspaceID)
	if err != nil {
		return fiat.Fault(err)
	}
	got, err := s.partner.Account(ctx, at, a.PartnerID)
	if err == nil && got.ID != a.PartnerID {
		err = fmt.Errorf("another bank account than was asked for: %w", fiat.ErrAnswer)
	}
	now := s.clock.Now()
	a.TriedAt = now
	if err != nil || Registration(got.State) == a.Registration { // it is asked about again after the others
		return errors.Join(fiat.Fault(err), record.Do(context.WithoutCancel(ctx), s.store, a.WorkspaceID,
			func(ctx context.Context, tx Tx) error { return tx.UpdateBankAccount(ctx, a) }))
	}
	a.Registration, a.Reason, a.UpdatedAt = Registration(got.State), got.Reason, now
	return s.finishing("bank_account.registration")(ctx, a)
}

// Noticed asks the partner about an account that one of its notices names. If another caller is asking just now, it
// does nothing. An account that is not known here is notice.ErrUnknownObject.
func (s *Service) Noticed(ctx context.Context, partnerID string) error {
	if s.partner == nil {
		return customer.ErrNoPartner
	}
	a, err := s.store.BankAccountByPartner(ctx, partnerID)
	if errors.Is(err, fault.ErrNotFound) {
		return notice.ErrUnknownObject
	}
	if err != nil || a.Wanted != "" {
		return err
	}
	if err := s.refresh(ctx, a); !errors.Is(err, record.ErrStale) {
		return err
	}
	return nil
}
