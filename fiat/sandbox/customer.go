package sandbox

import (
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
)

// kinds of objects
const (
	customerKind = "customer"
	accountKind  = "external_account"
	walletKind   = "wallet"
	addressKind  = "liquidation_address"
	drainKind    = "drain"
	virtualKind  = "virtual_account"
	activityKind = "virtual_account.activity"
	depositKind  = "deposit"
	transferKind = "transfer"
)

// The statuses of customers and external accounts.
const (
	active      = "active"
	underReview = "under_review"
	pending     = "pending"
	rejected    = "rejected"
	closed      = "closed"
)

// reviewTime is how long a check by people takes: /sandbox/advance makes it pass.
const reviewTime = 24 * time.Hour

type customer struct {
	ID        string    `json:"id"`
	Type      string    `json:"type"`
	LegalName string    `json:"business_legal_name,omitempty"`
	FirstName string    `json:"first_name,omitempty"`
	LastName  string    `json:"last_name,omitempty"`
	Email     string    `json:"email"`
	Status    string    `json:"status"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

func createCustomer(t *tx, r request) (any, error) {
	c := customer{Type: "business"}
	if err := r.into(&c); err != nil {
		return nil, err
	}
	name := strings.TrimSpace(c.LegalName + c.FirstName + " " + c.LastName)
	switch {
	case c.Type != "business" && c.Type != "individual":
		return nil, invalid("type", "is business or individual")
	case name == "" || len(name) > 256:
		return nil, invalid("business_legal_name", "is the customer's name")
	case !strings.Contains(c.Email, "@") || len(c.Email) > 256:
		return nil, invalid("email", "is a mail address")
	}
	c.ID, c.Status, c.CreatedAt, c.UpdatedAt = uuid.NewString(), active, t.stamp(), t.stamp()
	var due time.Time
	switch {
	case strings.HasPrefix(name, "Pending"):
		c.Status, due = underReview, t.now.Add(reviewTime)
	case strings.HasPrefix(name, "Rejected"):
		c.Status = rejected
	}
	return c, t.saveCustomer(c, due, created)
}

func (t *tx) saveCustomer(c customer, due time.Time, m mutation) error {
	if err := t.put(row{kind: customerKind, id: c.ID, due: due}, c); err != nil {
		return err
	}
	return t.emit("customer", m, c.ID, c.Status, c)
}

// stepCustomer ends a check.
func stepCustomer(t *tx, id string) error {
	c, err := customerOf(&t.view, id)
	if err != nil {
		return err
	}
	c.Status, c.UpdatedAt = active, t.stamp()
	return t.saveCustomer(c, time.Time{}, transitioned)
}

// stamp is now, as answers write it.
func (t *tx) stamp() time.Time { return t.now.UTC().Truncate(time.Millisecond) }

func customerOf(v *view, id string) (customer, error) {
	var c customer
	found, err := find(v, &c, "kind = ? AND id = ?", customerKind, id)
	if err == nil && !found {
		err = errNotFound
	}
	return c, err
}

// activeCustomer is the customer of the path, if it may do something.
func activeCustomer(v *view, id string) (customer, error) {
	c, err := customerOf(v, id)
	if err == nil && c.Status != active {
		err = refuse(http.StatusBadRequest, "requires_active_kyc_status", "the customer is not active")
	}
	return c, err
}

func getCustomer(v *view, r request) (any, error) { return customerOf(v, r.PathValue("customer")) }

func listCustomers(v *view, r request) (any, error) {
	return list[customer](v, r, customerKind, "true")
}
