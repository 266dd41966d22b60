package recipient

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/alert"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// Service is the recipients of every workspace.
type Service struct {
	store   Store
	waiting Waiting
	cooling time.Duration
	clock   clock.Clock
}

// New makes it. waiting finds the orders to advance when a recipient is restored, cooling is for how long its bank
// accounts are not paid then.
func New(s Store, waiting Waiting, cooling time.Duration, clk clock.Clock) *Service {
	return &Service{store: s, waiting: waiting, cooling: cooling, clock: clk}
}

// Create makes a recipient. The partner is told with its first bank account.
func (s *Service) Create(ctx context.Context, cmd *command.Command, in rest.RecipientRequest) (command.Answer, error) {
	if err := notBlank("name", in.Name); err != nil {
		return command.Answer{}, err
	}
	address, err := ReadAddress(in.Address)
	if err != nil {
		return command.Answer{}, err
	}
	now := s.clock.Now()
	r := Recipient{
		WorkspaceID: cmd.Principal.WorkspaceID, ID: record.NewID(), Name: in.Name, Email: in.Email,
		Owner:   OwnerType(in.OwnerType),
		Address: address,
		Self:    in.IsSelf, Status: Active, CreatedAt: now, UpdatedAt: now,
	}
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{
			Status: 201, Message: "Recipient created", Data: r.View(),
			Audit: command.Audit{Action: "recipient.create", Resource: r.ID},
		}, tx.InsertRecipient(ctx, r)
	})
}

// List lists a workspace's recipients, newest first.
func (s *Service) List(ctx context.Context, p auth.Principal, f Filter) ([]rest.Recipient, *page.Cursor, int, error) {
	f.WorkspaceID = p.WorkspaceID
	rows, total, err := s.store.Recipients(ctx, f)
	if err != nil {
		return nil, nil, 0, err
	}
	views := make([]rest.Recipient, len(rows))
	for i, r := range rows {
		views[i] = r.View()
	}
	return views, NextPage(f.Page, rows, total), total, nil
}

// NextPage is the cursor of the page after these rows.
func NextPage(at page.Page, rows []Recipient, total int) *page.Cursor {
	return page.Next(at, rows, total, func(r Recipient) page.Cursor {
		return page.Cursor{CreatedAt: r.CreatedAt, ID: r.ID}
	})
}

// Update changes name and e-mail.
func (s *Service) Update(
	ctx context.Context, cmd *command.Command, id string, in rest.RecipientChange,
) (command.Answer, error) {
	if in.Name == nil && in.Email == nil {
		return command.Answer{}, fault.Field("body", "must have name or email")
	}
	if in.Name != nil {
		if err := notBlank("name", *in.Name); err != nil {
			return command.Answer{}, err
		}
	}
	return s.change(ctx, cmd, id, "recipient.update", nil, func(r *Recipient) {
		if in.Name != nil {
			r.Name = *in.Name
		}
		if in.Email != nil {
			r.Email = *in.Email
		}
	})
}

// SetStatus archives a recipient, which stops its payments, or restores it.
func (s *Service) SetStatus(
	ctx context.Context, cmd *command.Command, id string, in rest.RecipientStatusRequest,
) (command.Answer, error) {
	if in.PendingReason != "" && in.Status != string(Active) {
		return command.Answer{}, fault.Field("pendingReason", "goes with the status active only")
	}
	wake, err := s.waiting(ctx, cmd.Principal.WorkspaceID, id)
	if err != nil {
		return command.Answer{}, err
	}
	return s.change(ctx, cmd, id, "recipient.status", wake, func(r *Recipient) {
		r.Status, r.PendingReason = Status(in.Status), in.PendingReason
	})
}

// change changes one recipient. It calls wake if the recipient becomes active again.
func (s *Service) change(ctx context.Context, cmd *command.Command, id, action string, wake func(
	context.Context, record.Queue,
) error, set func(*Recipient),
) (command.Answer, error) {
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		r, err := tx.HoldRecipient(ctx, cmd.Principal.WorkspaceID, id)
		if err != nil {
			return command.Reply{}, err
		}
		was := r
		set(&r)
		switch {
		case r.Status == was.Status:
		case r.Status == Archived:
			err = tx.EndInvite(ctx, r.WorkspaceID, id, s.clock.Now())
		default:
			err = errors.Join(s.cool(ctx, tx, cmd, r), wake(ctx, tx))
		}
		if err != nil {
			return command.Reply{}, err
		}
		r.UpdatedAt = s.clock.Now()
		before, after := differences(was, r)
		return command.Reply{Status: 200, Message: "Recipient updated", Data: r.View(), Audit: command.Audit{
			Action: action, Resource: r.ID, Before: before, After: after,
		}}, tx.UpdateRecipient(ctx, r)
	})
}

// cool has the bank accounts of a restored recipient wait, and alerts the members of each: who has stolen an API key
// could otherwise have one paid at once that a member archived.
func (s *Service) cool(ctx context.Context, tx Tx, cmd *command.Command, r Recipient) error {
	now := s.clock.Now()
	accounts, err := tx.CoolBankAccounts(ctx, r.WorkspaceID, r.ID, now.Add(s.cooling), now)
	for _, id := range accounts {
		if err == nil {
			err = alert.Raise(ctx, tx, alert.New(cmd, now, r.WorkspaceID, id, alert.Restored, "with its recipient"))
		}
	}
	return err
}

// differences are the changes for the audit entry. Of names and e-mails they say only that they changed, since audit
// entries are kept for longer than personal data may be.
func differences(was, is Recipient) (before, after map[string]any) {
	before, after = map[string]any{}, map[string]any{}
	if was.Name != is.Name {
		before["name"], after["name"] = "(as it was)", "(changed)"
	}
	if was.Email != is.Email {
		before["email"], after["email"] = "(as it was)", "(changed)"
	}
	if was.Status != is.Status {
		before["status"], after["status"] = string(was.Status), string(is.Status)
	}
	return before, after
}
