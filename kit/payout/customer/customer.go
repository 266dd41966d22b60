// Package customer introduces a workspace to the payment partner, who knows it as
// its customer from then on. A row is made with the key of the call before the
// partner is asked (no id yet), gets the partner's id with the first answer, and
// follows the partner's status: only an active customer has accounts and addresses.
package customer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/workspace"
)

// Customer is a workspace at the partner.
type Customer struct {
	WorkspaceID          string
	Key                  string // of the call that makes it
	KeyedAt              time.Time
	CustomerID           string // "" until the partner has it
	Status               fiat.CustomerStatus
	CreatedAt, UpdatedAt time.Time
}

// Store keeps customers.
type Store interface {
	record.Writer[Tx]
	PartnerCustomer(ctx context.Context, workspaceID string) (Customer, error)
}

// Tx writes them.
type Tx interface {
	InsertPartnerCustomer(context.Context, Customer) error // unless there is one
	// UpdatePartnerCustomer writes one that has that key, and no other customer.
	UpdatePartnerCustomer(ctx context.Context, c Customer, key string) error
}

// Service introduces workspaces to the partner.
type Service struct {
	store      Store
	partner    fiat.Partner
	workspaces workspace.Reader
	clock      clock.Clock
}

// New makes it. Without a partner there are no customers.
func New(s Store, p fiat.Partner, w workspace.Reader, clk clock.Clock) *Service {
	return &Service{store: s, partner: p, workspaces: w, clock: clk}
}

// ID is the workspace's id at the partner, who is introduced to it once.
// While the partner still checks the business, or does not want it, there is none.
func (s *Service) ID(ctx context.Context, workspaceID string) (string, error) {
	if s.partner == nil {
		return "", ErrNoPartner
	}
	c, err := s.find(ctx, workspaceID)
	if err != nil {
		return "", err
	}
	if c.CustomerID == "" || c.Status != fiat.CustomerActive {
		if c, err = s.introduce(ctx, c); err != nil {
			return "", err
		}
	}
	if c.Status != fiat.CustomerActive {
		return "", auth.ErrVerification.Because(fmt.Errorf("the partner says that the business is %q", c.Status))
	}
	return c.CustomerID, nil
}

// find reads the row, and makes it where there is none: the key is
// there before the partner is asked.
func (s *Service) find(ctx context.Context, workspaceID string) (Customer, error) {
	c, err := s.store.PartnerCustomer(ctx, workspaceID)
	if !errors.Is(err, fault.ErrNotFound) {
		return c, err
	}
	now := s.clock.Now()
	c = Customer{WorkspaceID: workspaceID, Key: uuid.NewString(), KeyedAt: now, CreatedAt: now, UpdatedAt: now}
	err = s.store.Work(ctx, workspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{}, tx.InsertPartnerCustomer(ctx, c)
	})
	if err != nil {
		return c, err
	}
	return s.store.PartnerCustomer(ctx, workspaceID) // another caller may have been first
}

// introduce asks the partner to make the customer, or how far it is with it.
// Callers at the same time have one key, and so one customer.
func (s *Service) introduce(ctx context.Context, c Customer) (Customer, error) {
	was, now := c, s.clock.Now()
	if c.CustomerID == "" && now.Sub(c.KeyedAt) > fiat.KeyLife {
		c.Key, c.KeyedAt = uuid.NewString(), now
		err := s.write(ctx, c, was)
		if err != nil {
			return c, err
		}
		was = c
	}
	got, err := s.ask(ctx, c)
	if err != nil {
		return c, err
	}
	if got.ID == "" || c.CustomerID != "" && got.ID != c.CustomerID {
		return c, fmt.Errorf("another customer than was asked for: %w", fiat.ErrAnswer)
	}
	c.CustomerID, c.Status, c.UpdatedAt = got.ID, got.Status, now
	if c.CustomerID == was.CustomerID && c.Status == was.Status {
		return c, nil
	}
	return c, s.write(ctx, c, was)
}

func (s *Service) ask(ctx context.Context, c Customer) (fiat.Customer, error) {
	if c.CustomerID != "" {
		return s.partner.Customer(ctx, c.CustomerID)
	}
	w, err := s.workspaces.Workspace(ctx, c.WorkspaceID)
	if err != nil {
		return fiat.Customer{}, err
	}
	if w.Email == "" {
		return fiat.Customer{}, ErrNoEmail
	}
	return s.partner.CreateCustomer(ctx, c.Key, fiat.CustomerRequest{Name: w.Name, Email: w.Email})
}

func (s *Service) write(ctx context.Context, c, was Customer) error {
	err := s.store.Work(ctx, c.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		done := command.Audit{}
		if c.CustomerID != "" {
			done = command.Audit{
				Action: "partner_customer.status", Resource: c.CustomerID,
				Detail: map[string]string{"status": string(c.Status)},
			}
		}
		return done, tx.UpdatePartnerCustomer(ctx, c, was.Key)
	})
	if errors.Is(err, record.ErrStale) { // another caller has another key, and will be told
		return ErrRegistering.After(time.Second).Because(err)
	}
	return err
}
