// Package customer registers a workspace as a customer of the payment partner, once.
//
// The service stores a row with an idempotency key and without a customer id before it
// calls the partner. A crash between the call and its answer therefore makes no second
// customer: the next call sends the same key. The partner's first answer fills in the
// customer id, and later answers update the status. Only an active customer can have
// accounts and addresses at the partner.
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

// Customer is the row of a workspace that is, or is being, registered at the partner.
type Customer struct {
	WorkspaceID          string
	Key                  string    // idempotency key of the call that creates the customer
	KeyedAt              time.Time // when Key was made
	CustomerID           string    // the partner's id of the workspace; "" until the partner has answered
	Status               fiat.CustomerStatus
	CreatedAt, UpdatedAt time.Time
}

// Store keeps customers.
type Store interface {
	record.Writer[Tx]
	PartnerCustomer(ctx context.Context, workspaceID string) (Customer, error)
}

// Tx writes customers.
type Tx interface {
	// InsertPartnerCustomer does nothing if the workspace has a row already.
	InsertPartnerCustomer(context.Context, Customer) error
	// UpdatePartnerCustomer writes c if the stored row still has that key and no other customer id;
	// otherwise the error is record.ErrStale.
	UpdatePartnerCustomer(ctx context.Context, c Customer, key string) error
}

// Service registers workspaces at the partner.
type Service struct {
	store      Store
	partner    fiat.Partner
	workspaces workspace.Reader
	clock      clock.Clock
}

// New makes a Service. p is nil if the operator has configured no partner: ID then fails with ErrNoPartner.
func New(s Store, p fiat.Partner, w workspace.Reader, clk clock.Clock) *Service {
	return &Service{store: s, partner: p, workspaces: w, clock: clk}
}

// ID is the workspace's customer id at the partner. The first call registers the workspace.
// While the partner is still verifying the business, and if it rejects the business, ID
// fails with auth.ErrVerification.
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

// find reads the workspace's row and inserts one if there is none, so that the
// idempotency key is stored before the first call to the partner.
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
	return s.store.PartnerCustomer(ctx, workspaceID) // another request may have inserted its row first
}

// introduce creates the customer at the partner or, if it has an id, reads its status there,
// and stores what the partner answered. Requests at the same time read the same key from the
// row, so the partner creates one customer for them. A key older than fiat.KeyLife is replaced,
// because the partner forgets keys after a day.
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
	if errors.Is(err, record.ErrStale) { // another request changed the row meanwhile: its answer counts
		return ErrRegistering.After(time.Second).Because(err)
	}
	return err
}
