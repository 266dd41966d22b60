package payout

import (
	"context"
	"strings"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/bank"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/work"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
)

// OwnerType tells people from companies.
type OwnerType string

// The owner types.
const (
	Individual OwnerType = "individual"
	Business   OwnerType = "business"
)

// RecipientStatus says whether a recipient can be paid.
type RecipientStatus string

// The statuses.
const (
	RecipientActive   RecipientStatus = "active"
	RecipientArchived RecipientStatus = "archived"
)

// Recipient is who is paid. The spec also calls it a beneficiary.
type Recipient struct {
	WorkspaceID, ID      string
	Name, Email          string
	Owner                OwnerType
	Address              fiat.Address
	Self                 bool // the workspace's own bank accounts
	Status               RecipientStatus
	PendingReason        string // of one that is active: what it still waits for
	CreatedAt, UpdatedAt time.Time
}

// RecipientFilter selects recipients, newest first. Zero fields do not filter.
type RecipientFilter struct {
	WorkspaceID string
	Status      RecipientStatus
	Search      string // part of the name, any case
	Page        page.Page
}

// RecipientStore reads recipients.
type RecipientStore interface {
	Recipient(ctx context.Context, workspaceID, id string) (Recipient, error)
	Recipients(ctx context.Context, f RecipientFilter) ([]Recipient, int, error)
}

// RecipientTx writes them.
type RecipientTx interface {
	InsertRecipient(context.Context, Recipient) error
	// HoldRecipient reads one that nobody else changes until the transaction ends.
	HoldRecipient(ctx context.Context, workspaceID, id string) (Recipient, error)
	UpdateRecipient(context.Context, Recipient) error // name, e-mail, status and pending reason
}

// RecipientInput is a recipient to be.
type RecipientInput struct {
	Name      string             `json:"name" minLength:"1" maxLength:"200"`
	Email     string             `json:"email,omitempty" format:"email" maxLength:"254"`
	OwnerType OwnerType          `json:"ownerType" enum:"individual,business"`
	Address   PostalAddressInput `json:"address"`
	IsSelf    bool               `json:"isSelf,omitempty" doc:"The bank accounts are the workspace's own"`
}

// PostalAddressInput is a postal address.
type PostalAddressInput struct {
	Street     string `json:"street" minLength:"1" maxLength:"200"`
	City       string `json:"city" minLength:"1" maxLength:"100"`
	State      string `json:"state,omitempty" maxLength:"100"`
	PostalCode string `json:"postalCode,omitempty" maxLength:"20"`
	Country    string `json:"country" doc:"ISO 3166: MX; three letters are taken too"`
}

// RecipientChange changes what is given.
type RecipientChange struct {
	Name  *string `json:"name,omitempty" minLength:"1" maxLength:"200"`
	Email *string `json:"email,omitempty" format:"email" maxLength:"254"`
}

// RecipientStatusInput archives a recipient or brings it back.
type RecipientStatusInput struct {
	Status        RecipientStatus `json:"status" enum:"active,archived"`
	PendingReason string          `json:"pendingReason,omitempty" maxLength:"200" doc:"With active: what the recipient still waits for, such as missing_bank"`
}

// RecipientView is a recipient as the API shows it.
type RecipientView struct {
	ID            string            `json:"id" format:"uuid"`
	Name          string            `json:"name"`
	Email         string            `json:"email,omitempty"`
	OwnerType     OwnerType         `json:"ownerType" enum:"individual,business"`
	Address       PostalAddressView `json:"address"`
	Status        RecipientStatus   `json:"status" enum:"active,archived"`
	PendingReason string            `json:"pendingReason,omitempty"`
	IsSelf        bool              `json:"isSelf"`
	CreatedAt     string            `json:"createdAt" format:"date-time"`
	UpdatedAt     string            `json:"updatedAt" format:"date-time"`
}

// PostalAddressView is a postal address as the API shows it.
type PostalAddressView struct {
	Street     string `json:"street"`
	City       string `json:"city"`
	State      string `json:"state,omitempty"`
	PostalCode string `json:"postalCode,omitempty"`
	Country    string `json:"country" doc:"ISO 3166, two letters"`
}

// View is the recipient as the API shows it.
func (r Recipient) View() RecipientView {
	return RecipientView{
		ID: r.ID, Name: r.Name, Email: r.Email, OwnerType: r.Owner, Address: PostalAddressView(r.Address), Status: r.Status,
		PendingReason: r.PendingReason, IsSelf: r.Self, CreatedAt: clock.ISO(r.CreatedAt), UpdatedAt: clock.ISO(r.UpdatedAt),
	}
}

// notBlank refuses text of spaces alone, which a least length lets through.
func notBlank(field, text string) error {
	if strings.TrimSpace(text) == "" {
		return fault.Field(field, "must not be empty")
	}
	return nil
}

func (a PostalAddressInput) address() (fiat.Address, error) {
	if err := notBlank("address.street", a.Street); err != nil {
		return fiat.Address{}, err
	}
	if err := notBlank("address.city", a.City); err != nil {
		return fiat.Address{}, err
	}
	country, err := bank.Country("address.country", a.Country)
	return fiat.Address{
		Street: strings.TrimSpace(a.Street), City: strings.TrimSpace(a.City), State: strings.TrimSpace(a.State),
		PostalCode: strings.TrimSpace(a.PostalCode), Country: country,
	}, err
}

// CreateRecipient makes a recipient. The partner is told with its first bank account.
func (s *Service) CreateRecipient(ctx context.Context, cmd *command.Command, in RecipientInput) (command.Answer, error) {
	if err := notBlank("name", in.Name); err != nil {
		return command.Answer{}, err
	}
	address, err := in.Address.address()
	if err != nil {
		return command.Answer{}, err
	}
	now := s.clock.Now()
	r := Recipient{
		WorkspaceID: cmd.Principal.WorkspaceID, ID: work.NewID(), Name: in.Name, Email: in.Email, Owner: in.OwnerType, Address: address,
		Self: in.IsSelf, Status: RecipientActive, CreatedAt: now, UpdatedAt: now,
	}
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{
			Status: 201, Message: "Recipient created", Data: r.View(), Audit: command.Audit{Action: "recipient.create", Resource: r.ID},
		}, tx.InsertRecipient(ctx, r)
	})
}

// Recipients lists a workspace's recipients, newest first.
func (s *Service) Recipients(ctx context.Context, p auth.Principal, f RecipientFilter) ([]RecipientView, *page.Cursor, int, error) {
	f.WorkspaceID = p.WorkspaceID
	rows, total, err := s.store.Recipients(ctx, f)
	if err != nil {
		return nil, nil, 0, err
	}
	views := make([]RecipientView, len(rows))
	for i, r := range rows {
		views[i] = r.View()
	}
	return views, nextRecipient(f.Page, rows, total), total, nil
}

func nextRecipient(at page.Page, rows []Recipient, total int) *page.Cursor {
	return page.Next(at, rows, total, func(r Recipient) page.Cursor { return page.Cursor{CreatedAt: r.CreatedAt, ID: r.ID} })
}

// UpdateRecipient changes name and e-mail.
func (s *Service) UpdateRecipient(ctx context.Context, cmd *command.Command, id string, in RecipientChange) (command.Answer, error) {
	if in.Name == nil && in.Email == nil {
		return command.Answer{}, fault.Field("body", "must have name or email")
	}
	if in.Name != nil {
		if err := notBlank("name", *in.Name); err != nil {
			return command.Answer{}, err
		}
	}
	return s.changeRecipient(ctx, cmd, id, "recipient.update", nil, func(r *Recipient) {
		if in.Name != nil {
			r.Name = *in.Name
		}
		if in.Email != nil {
			r.Email = *in.Email
		}
	})
}

// SetRecipientStatus archives a recipient, who is paid nothing then, or brings it back.
func (s *Service) SetRecipientStatus(ctx context.Context, cmd *command.Command, id string, in RecipientStatusInput) (command.Answer, error) {
	if in.PendingReason != "" && in.Status != RecipientActive {
		return command.Answer{}, fault.Field("pendingReason", "goes with the status active only")
	}
	waiting, err := s.atGate(ctx, OrderFilter{WorkspaceID: cmd.Principal.WorkspaceID, RecipientID: id})
	if err != nil {
		return command.Answer{}, err
	}
	return s.changeRecipient(ctx, cmd, id, "recipient.status", waiting, func(r *Recipient) {
		r.Status, r.PendingReason = in.Status, in.PendingReason
	})
}

func (s *Service) changeRecipient(ctx context.Context, cmd *command.Command, id, action string, waiting []order.Order, set func(*Recipient)) (command.Answer, error) {
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		r, err := tx.HoldRecipient(ctx, cmd.Principal.WorkspaceID, id)
		if err != nil {
			return command.Reply{}, err
		}
		was := r
		set(&r)
		switch {
		case r.Status == was.Status:
		case r.Status == RecipientArchived:
			err = tx.EndInvite(ctx, r.WorkspaceID, id, s.clock.Now())
		default:
			err = reopen(ctx, tx, waiting)
		}
		if err != nil {
			return command.Reply{}, err
		}
		r.UpdatedAt = s.clock.Now()
		before, after := recipientDifferences(was, r)
		return command.Reply{Status: 200, Message: "Recipient updated", Data: r.View(), Audit: command.Audit{
			Action: action, Resource: r.ID, Before: before, After: after,
		}}, tx.UpdateRecipient(ctx, r)
	})
}

// recipientDifferences tells the record what changed. Of names and e-mails it
// keeps only that they did: the record outlives the people in it.
func recipientDifferences(was, is Recipient) (before, after map[string]any) {
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
