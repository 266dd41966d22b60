package bridge

import (
	"context"
	"fmt"

	"github.com/railkit/railkit/fiat"
)

type customerBody struct {
	Type  string `json:"type"`
	Name  string `json:"business_legal_name"`
	Email string `json:"email"`
}

type customerAnswer struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

// CreateCustomer introduces a business. Bridge asks for documents of it before it
// becomes active; they are not ours to give.
func (c *Client) CreateCustomer(ctx context.Context, key string, q fiat.CustomerRequest) (fiat.Customer, error) {
	var a customerAnswer
	if err := c.post(ctx, "/customers", key, customerBody{"business", q.Name, q.Email}, &a); err != nil {
		return fiat.Customer{}, err
	}
	return a.customer()
}

// Customer tells how far the partner's check is.
func (c *Client) Customer(ctx context.Context, id string) (fiat.Customer, error) {
	at, err := path("customers", id)
	if err != nil {
		return fiat.Customer{}, err
	}
	var a customerAnswer
	if err := c.get(ctx, at, nil, &a); err != nil {
		return fiat.Customer{}, err
	}
	if a.ID != id {
		return fiat.Customer{}, fmt.Errorf("another customer than asked for: %w", fiat.ErrAnswer)
	}
	return a.customer()
}

// customer knows who may be served and who never will be; all others wait.
func (a customerAnswer) customer() (fiat.Customer, error) {
	if err := told(a.ID); err != nil {
		return fiat.Customer{}, err
	}
	status := fiat.CustomerPending
	switch a.Status {
	case "active":
		status = fiat.CustomerActive
	case "rejected", "offboarded":
		status = fiat.CustomerRejected
	case "":
		return fiat.Customer{}, fmt.Errorf("a customer without a status: %w", fiat.ErrAnswer)
	}
	return fiat.Customer{ID: a.ID, Status: status}, nil
}
