package sandbox

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/money"
)

type address struct {
	Street     string `json:"street_line_1"`
	City       string `json:"city"`
	State      string `json:"state,omitempty"`
	PostalCode string `json:"postal_code,omitempty"`
	Country    string `json:"country"`
}

// bankDetails are what a request says of an account, or what an answer may
// repeat: then the numbers are empty.
type bankDetails struct {
	AccountNumber string `json:"account_number,omitempty"`
	RoutingNumber string `json:"routing_number,omitempty"`
	Kind          string `json:"checking_or_savings,omitempty"`
	SortCode      string `json:"sort_code,omitempty"`
	BIC           string `json:"bic,omitempty"`
	Country       string `json:"country,omitempty"`
	LegalName     string `json:"legal_name,omitempty"`
	RFC           string `json:"rfc,omitempty"`
	PixKey        string `json:"pix_key,omitempty"`
	BRCode        string `json:"br_code,omitempty"`
	Document      string `json:"document_number,omitempty"`
	LastFour      string `json:"last_4,omitempty"`
}

// blocks are where the details stand, by the account's type.
type blocks struct {
	Account *bankDetails `json:"account,omitempty"` // us, gb
	CLABE   *bankDetails `json:"clabe,omitempty"`
	IBAN    *bankDetails `json:"iban,omitempty"`
	Pix     *bankDetails `json:"pix_key,omitempty"`
	BRCode  *bankDetails `json:"br_code,omitempty"`
}

// account is an external account. Its number is looked at and not kept.
type account struct {
	ID           string         `json:"id"`
	Customer     string         `json:"customer_id"`
	Currency     money.Currency `json:"currency"`
	Type         string         `json:"account_type"`
	BankName     string         `json:"bank_name"`
	OwnerName    string         `json:"account_owner_name"`
	OwnerType    string         `json:"account_owner_type"`
	Email        string         `json:"email,omitempty"`
	Active       bool           `json:"active"`
	Status       string         `json:"status"`
	Rejection    *string        `json:"rejection_reason"`
	LastFour     string         `json:"last_4"`
	Address      *address       `json:"address,omitempty"`
	AddressValid bool           `json:"beneficiary_address_valid"`
	blocks
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

func createAccount(t *tx, r request) (any, error) {
	c, err := activeCustomer(&t.view, r.PathValue("customer"))
	if err != nil {
		return nil, err
	}
	a := account{OwnerType: "individual"}
	if err := r.into(&a); err != nil {
		return nil, err
	}
	if err := a.check(); err != nil {
		return nil, err
	}
	a.ID, a.Customer, a.Rejection, a.AddressValid = uuid.NewString(), c.ID, nil, true
	a.CreatedAt = t.stamp()
	a.setStatus(active)
	var due time.Time
	switch {
	case named("Pending", a.BankName, a.OwnerName):
		a.setStatus(pending)
		due = t.now.Add(reviewTime)
	case named("Rejected", a.BankName, a.OwnerName):
		a.setStatus(rejected)
		reason := "the bank does not know this account"
		a.Rejection = &reason
	}
	err = t.saveAccount(&a, due, created)
	return a, err
}

// named tells whether a name begins with the magic word.
func named(word string, names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, word) })
}

func (a *account) setStatus(status string) { a.Status, a.Active = status, status == active }

func (t *tx) saveAccount(a *account, due time.Time, m mutation) error {
	a.UpdatedAt = t.stamp()
	if err := t.put(row{kind: accountKind, id: a.ID, owner: a.Customer, due: due}, a); err != nil {
		return err
	}
	return t.emit("external_account", m, a.ID, a.Status, *a)
}

// stepAccount ends a registration that waited.
func stepAccount(t *tx, id string) error {
	var a account
	if found, err := find(&t.view, &a, "kind = ? AND id = ?", accountKind, id); err != nil || !found {
		return err
	}
	a.setStatus(active)
	return t.saveAccount(&a, time.Time{}, transitioned)
}

// accountOf is a customer's account.
func accountOf(v *view, customer, id string) (account, error) {
	var a account
	found, err := find(v, &a, "kind = ? AND id = ? AND owner = ?", accountKind, id, customer)
	if err == nil && !found {
		err = errNotFound
	}
	return a, err
}

func accountOfPath(v *view, r request) (account, error) {
	return accountOf(v, r.PathValue("customer"), r.PathValue("account"))
}

func getAccount(v *view, r request) (any, error) { return accountOfPath(v, r) }

func listAccounts(v *view, r request) (any, error) {
	return list[account](v, r, accountKind, "owner = ?", r.PathValue("customer"))
}

// accountChange is all that may change of an account.
type accountChange struct {
	Address *address `json:"address"`
	Account *struct {
		RoutingNumber string `json:"routing_number"`
		Kind          string `json:"checking_or_savings"`
	} `json:"account"`
	Active *bool `json:"active"`
}

func updateAccount(t *tx, r request) (any, error) {
	a, err := accountOfPath(&t.view, r)
	if err != nil {
		return nil, err
	}
	var change accountChange
	d := json.NewDecoder(bytes.NewReader(r.body))
	d.DisallowUnknownFields()
	if d.Decode(&change) != nil {
		return nil, refuse(http.StatusBadRequest, "invalid_parameters",
			"only address, account.routing_number, account.checking_or_savings and active may change")
	}
	if err := a.change(change); err != nil {
		return nil, err
	}
	err = t.keepAccount(&a, change.Active)
	return a, err
}

func (a *account) change(c accountChange) error {
	if c.Address != nil {
		if len(c.Address.Country) != 3 {
			return invalid("address.country", "is an alpha-3 code")
		}
		a.Address = c.Address
	}
	if c.Account == nil {
		return nil
	}
	if a.Type != "us" || a.Account == nil {
		return invalid("account", "is of accounts in the United States")
	}
	if n := c.Account.RoutingNumber; n != "" {
		if !routingNumber(n) {
			return invalid("account.routing_number", "is not a routing number")
		}
		a.Account.RoutingNumber = n
	}
	if k := c.Account.Kind; k != "" {
		if k != "checking" && k != "savings" {
			return invalid("account.checking_or_savings", "is checking or savings")
		}
		a.Account.Kind = k
	}
	return nil
}

// keepAccount saves a change, and closes or opens where that is asked.
func (t *tx) keepAccount(a *account, open *bool) error {
	m := updated
	switch {
	case open == nil:
	case *open && a.Status == closed:
		a.setStatus(active)
		m = transitioned
	case !*open && a.Status != closed && a.Status != rejected:
		a.setStatus(closed)
		m = transitioned
	}
	var due time.Time
	if a.Status == pending {
		due = t.now.Add(reviewTime)
	}
	return t.saveAccount(a, due, m)
}

func deactivateAccount(t *tx, r request) (any, error) { return openAccount(t, r, false) }
func reactivateAccount(t *tx, r request) (any, error) { return openAccount(t, r, true) }

func openAccount(t *tx, r request, open bool) (any, error) {
	a, err := accountOfPath(&t.view, r)
	if err != nil {
		return nil, err
	}
	err = t.keepAccount(&a, &open)
	return a, err
}
