package payout

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/work"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
)

// PartnerCustomer is a workspace at the partner.
type PartnerCustomer struct {
	WorkspaceID          string
	Key                  string // of the call that makes it
	KeyedAt              time.Time
	CustomerID           string // "" until the partner has it
	Status               fiat.CustomerStatus
	CreatedAt, UpdatedAt time.Time
}

// customer is the workspace's id at the partner, who is introduced to it once.
// While the partner still checks the business, or does not want it, there is none.
func (s *Service) customer(ctx context.Context, workspaceID string) (string, error) {
	if s.partner == nil {
		return "", ErrNoPartner
	}
	c, err := s.partnerCustomer(ctx, workspaceID)
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

// partnerCustomer reads the row, and makes it where there is none: the key is
// there before the partner is asked.
func (s *Service) partnerCustomer(ctx context.Context, workspaceID string) (PartnerCustomer, error) {
	c, err := s.store.PartnerCustomer(ctx, workspaceID)
	if !errors.Is(err, fault.ErrNotFound) {
		return c, err
	}
	now := s.clock.Now()
	c = PartnerCustomer{WorkspaceID: workspaceID, Key: uuid.NewString(), KeyedAt: now, CreatedAt: now, UpdatedAt: now}
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
func (s *Service) introduce(ctx context.Context, c PartnerCustomer) (PartnerCustomer, error) {
	was, now := c, s.clock.Now()
	if c.CustomerID == "" && now.Sub(c.KeyedAt) > fiat.KeyLife {
		c.Key, c.KeyedAt = uuid.NewString(), now
		err := s.writeCustomer(ctx, c, was)
		if err != nil {
			return c, err
		}
		was = c
	}
	got, err := s.askCustomer(ctx, c)
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
	return c, s.writeCustomer(ctx, c, was)
}

func (s *Service) askCustomer(ctx context.Context, c PartnerCustomer) (fiat.Customer, error) {
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

func (s *Service) writeCustomer(ctx context.Context, c, was PartnerCustomer) error {
	err := s.store.Work(ctx, c.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		done := command.Audit{}
		if c.CustomerID != "" {
			done = command.Audit{Action: "partner_customer.status", Resource: c.CustomerID, Detail: map[string]string{"status": string(c.Status)}}
		}
		return done, tx.UpdatePartnerCustomer(ctx, c, was.Key)
	})
	if errors.Is(err, work.ErrStale) { // another caller has another key, and will be told
		return ErrRegistering.After(time.Second).Because(err)
	}
	return err
}
