package account

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/bank"
	"github.com/railkit/railkit/kit/payout/alert"
	"github.com/railkit/railkit/kit/payout/customer"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// checkFixed finds the first that is given of what names an account and never changes.
func checkFixed(f rest.BankAccountChange) error {
	for _, field := range []struct {
		name  string
		given any
	}{
		{"account_number", f.AccountNumber}, {"clabe", f.CLABE}, {"iban", f.IBAN}, {"bic", f.BIC},
		{"sort_code", f.SortCode},
		{"pix_key", f.PixKey}, {"br_code", f.BRCode}, {"tax_id", f.TaxID}, {"legal_name", f.LegalName}, {"rfc", f.RFC},
		{"bank_name", f.BankName}, {"currency", f.Currency}, {"country", f.Country}, {"rail", f.Rail},
	} {
		if field.given != nil {
			return ErrImmutable.Msg(field.name)
		}
	}
	return nil
}

// Update changes a bank account, archives it, or restores it.
func (s *Service) Update(
	ctx context.Context, cmd *command.Command, recipientID, id string, in rest.BankAccountChange,
) (command.Answer, error) {
	changes := in.RoutingNumber != nil || in.CheckingOrSavings != nil || in.Address != nil
	switch err := checkFixed(in); {
	case err != nil:
		return command.Answer{}, err
	case in.IsActive != nil && changes:
		return command.Answer{}, fault.Field("is_active", "must be given by itself")
	case in.IsActive != nil:
		return s.archive(ctx, cmd, recipientID, id, *in.IsActive)
	case !changes:
		return command.Answer{}, fault.Field(
			"body", "must have routing_number, checking_or_savings, address or is_active",
		)
	}
	return s.change(ctx, cmd, recipientID, id, in)
}

// change makes a change at the partner. A notice of the partner may update the row at the same time; then the row is
// read and claimed again.
func (s *Service) change(
	ctx context.Context, cmd *command.Command, recipientID, id string, in rest.BankAccountChange,
) (answer command.Answer, err error) {
	var a Account
	var w wanted
	err = record.Retry(func() (err error) {
		a, w, err = s.claimChange(ctx, cmd, recipientID, id, in)
		return err
	})
	switch {
	case errors.Is(err, record.ErrStale):
		return answer, customer.ErrRegistering.After(time.Second).Because(err)
	case err != nil:
		return answer, err
	case a.Wanted == "": // nothing changes
		reply := replyOf(a, 200, "Bank account updated")
		reply.Audit = auditOf(a, "bank_account.update")
		return record.Answer(ctx, s.store, cmd, reply)
	}
	return s.changeFor(ctx, cmd, a, w)
}

// archive archives or restores an account here; the partner is not told. A restored account cools down as a changed one
// does. It locks the recipient too, so that of two
// calls that archive its last two accounts the second one sees the first one's result.
func (s *Service) archive(
	ctx context.Context, cmd *command.Command, recipientID, id string, active bool,
) (command.Answer, error) {
	wake, err := s.waiting(ctx, cmd.Principal.WorkspaceID, id)
	if err != nil {
		return command.Answer{}, err
	}
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		if _, err := tx.HoldRecipient(ctx, cmd.Principal.WorkspaceID, recipientID); err != nil {
			return command.Reply{}, err
		}
		a, err := hold(ctx, tx, cmd.Principal.WorkspaceID, recipientID, id)
		if err != nil {
			return command.Reply{}, err
		}
		if a.Active && !active && a.Registration != Rejected && a.Registration != Closed {
			if n, err := tx.CountUsable(ctx, a.WorkspaceID, a.RecipientID); err != nil || n <= 1 {
				return command.Reply{}, errors.Join(err, ErrLast.With("code", "LAST_ACTIVE_ACCOUNT"))
			}
		}
		reply := command.Reply{Status: 200, Message: "Bank account updated"}
		reply.Audit = auditOf(a, "bank_account.archive")
		reply.Audit.Before, reply.Audit.After = map[string]any{"isActive": a.Active}, map[string]any{"isActive": active}
		if a.Active != active {
			change := map[bool]alert.Change{true: alert.Restored, false: alert.Archived}[active]
			err = alert.Raise(ctx, tx, alert.New(cmd, s.clock.Now(), a.WorkspaceID, a.ID, change, ""))
		}
		if active && !a.Active { // who has stolen an API key restores an account as easily as it changes one
			a.PayableAt, a.ConfirmedBy = s.clock.Now().Add(s.cooling), ""
		}
		a.Active, a.UpdatedAt = active, s.clock.Now()
		reply.Data = a.View()
		return reply, errors.Join(err, update(ctx, tx, a, wake))
	})
}

// update writes an account, and wakes the orders that wait for it.
func update(ctx context.Context, tx Tx, a Account, wake func(context.Context, record.Queue) error) error {
	if err := tx.UpdateBankAccount(ctx, a); err != nil {
		return err
	}
	return wake(ctx, tx)
}

// hold reads an account of the recipient and locks its row until the transaction ends.
func hold(ctx context.Context, tx Tx, workspaceID, recipientID, id string) (Account, error) {
	a, err := tx.HoldBankAccount(ctx, workspaceID, id)
	if err == nil && a.RecipientID != recipientID {
		err = fault.Missing("Bank account")
	}
	return a, err
}

// wanted is a change that is on its way to the partner.
type wanted struct {
	Details fiat.Details
	Address fiat.Address
}

// claimChange stores the requested change before the partner is asked; if it changes nothing, the account stays as it
// is. A new cooling period begins here, so that after a crash no changed account is paid without one.
func (s *Service) claimChange(
	ctx context.Context, cmd *command.Command, recipientID, id string, in rest.BankAccountChange,
) (a Account, w wanted, err error) {
	a, err = s.store.BankAccount(ctx, cmd.Principal.WorkspaceID, id)
	if err == nil && a.RecipientID != recipientID {
		err = fault.Missing("Bank account")
	}
	if err == nil {
		err = a.Usable()
	}
	if err != nil {
		return a, w, err
	}
	w, same, err := s.wantedBy(a, in)
	if err != nil || same && a.Wanted == "" {
		return a, w, err
	}
	if a.Wanted != "" && !s.unattended(a) {
		return a, w, customer.ErrRegistering.After(time.Second)
	}
	a, err = s.beginChange(ctx, a, w, s.raising(s.ourselves(), cmd, alert.Changed, changedFields(in)))
	return a, w, err
}

// wantedBy are the account's details and address after the change.
func (s *Service) wantedBy(a Account, in rest.BankAccountChange) (w wanted, same bool, err error) {
	w.Address = a.Address
	if w.Details, err = s.unseal(a); err != nil {
		return w, false, err
	}
	was := w
	for _, f := range []struct {
		name  string
		given *string
		to    *string
		check func(field, text string) (string, error)
	}{
		{"routing_number", in.RoutingNumber, &w.Details.RoutingNumber, bank.RoutingNumber},
		{"checking_or_savings", in.CheckingOrSavings, &w.Details.CheckingOrSavings, bank.AccountType},
	} {
		if f.given == nil {
			continue
		}
		if a.Currency != money.USD {
			return w, false, fault.Field(f.name, "does not go with the currency "+string(a.Currency))
		}
		if *f.to, err = f.check(f.name, *f.given); err != nil {
			return w, false, err
		}
	}
	if in.Address != nil {
		if w.Address, err = recipient.ReadAddress(*in.Address); err != nil {
			return w, false, err
		}
	}
	return w, w == was, nil
}

// changedFields names what a change is about, for people.
func changedFields(in rest.BankAccountChange) string {
	var names []string
	if in.RoutingNumber != nil {
		names = append(names, "routing number")
	}
	if in.CheckingOrSavings != nil {
		names = append(names, "type")
	}
	if in.Address != nil {
		names = append(names, "address")
	}
	return strings.Join(names, ", ")
}

func (s *Service) beginChange(ctx context.Context, a Account, w wanted, by Applicant) (Account, error) {
	raw, err := json.Marshal(w)
	if err != nil {
		return a, fmt.Errorf("encoding a change of a bank account: %w", err)
	}
	now := s.clock.Now()
	a.Wanted, a.PayableAt, a.ConfirmedBy, a.UpdatedAt = s.vault.Seal(placeOf(a, "wanted"),
		raw), now.Add(s.cooling), "", now
	return s.takeFor(ctx, a, by)
}

func (s *Service) changeFor(
	ctx context.Context, cmd *command.Command, a Account, w wanted,
) (answer command.Answer, err error) {
	wake, err := s.waiting(ctx, a.WorkspaceID, a.ID)
	if err != nil {
		return answer, err
	}
	err = s.tellChange(ctx, a, w, func(ctx context.Context, a Account) error {
		answer, err = s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
			reply := replyOf(a, 200, "Bank account updated")
			reply.Audit = auditOf(a, "bank_account.change")
			return reply, update(ctx, tx, a, wake)
		})
		return err
	})
	if errors.Is(err, record.ErrStale) {
		err = customer.ErrRegistering.After(time.Second).Because(err)
	}
	return answer, err
}

// tellChange sends the change to the partner, for the caller that has claimed it. Sending it twice does no harm.
func (s *Service) tellChange(
	ctx context.Context, a Account, w wanted, finish func(context.Context, Account) error,
) error {
	got, err := s.askToChange(ctx, a, w)
	if err != nil {
		return s.notChanged(ctx, a, err)
	}
	now := s.clock.Now()
	if err := s.seal(&a, w.Details); err != nil {
		return err
	}
	a.Address, a.Wanted, a.TriedAt, a.UpdatedAt = w.Address, "", now, now
	a.Registration, a.Reason = Registration(got.State), got.Reason
	return finish(ctx, a)
}

func (s *Service) askToChange(ctx context.Context, a Account, w wanted) (fiat.Account, error) {
	ctx, cancel := context.WithTimeout(ctx, partnerTime)
	defer cancel()
	at, err := s.customers.ID(ctx, a.WorkspaceID)
	if err != nil {
		return fiat.Account{}, err
	}
	return s.partner.UpdateAccount(ctx, at, a.PartnerID, fiat.AccountChange{
		Address: w.Address, RoutingNumber: w.Details.RoutingNumber, CheckingOrSavings: w.Details.CheckingOrSavings,
	})
}

// notChanged removes a change that the partner refuses for good. After any other error the change stays, for the next
// caller or the sweeper.
func (s *Service) notChanged(ctx context.Context, a Account, why error) error {
	a.TriedAt = time.Time{}
	if errors.Is(why, fiat.ErrRefused) {
		a.Wanted = ""
	}
	err := record.Do(context.WithoutCancel(ctx), s.store, a.WorkspaceID, func(ctx context.Context, tx Tx) error {
		return tx.UpdateBankAccount(ctx, a)
	})
	if err != nil && !errors.Is(err, record.ErrStale) {
		s.log.WarnContext(ctx,
			"a change of a bank account stays with a caller who has gone", "workspace", a.WorkspaceID, "account", a.ID,
			"error", err,
		)
	}
	return fiat.Fault(why)
}
