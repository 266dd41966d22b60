package bridge

import (
	"fmt"

	"github.com/railkit/railkit/fiat"
)

// accountAnswer is an external account. Numbers in it are masked; where one is not,
// nothing here reads it.
type accountAnswer struct {
	ID           string `json:"id"`
	CustomerID   string `json:"customer_id"`
	Currency     string `json:"currency"`
	Active       *bool  `json:"active"`
	AddressValid *bool  `json:"beneficiary_address_valid"`
	LastFour     string `json:"last_4"`
	Account      masked `json:"account"`
	CLABE        masked `json:"clabe"`
	IBAN         masked `json:"iban"`

	// Bridge documents a registration as done at once. The sandbox takes its time
	// and says how far it is, as other partners do.
	Status string `json:"status"`
	Reason string `json:"rejection_reason"`
}

type masked struct {
	LastFour string `json:"last_4"`
}

func (a accountAnswer) lastFour() string {
	return first(a.LastFour, a.Account.LastFour, a.CLABE.LastFour, a.IBAN.LastFour)
}

func (a accountAnswer) account(customerID, id string) (fiat.Account, error) {
	if err := firstOf(told(a.ID), same("account", a.ID, id), same("customer", a.CustomerID, customerID)); err != nil {
		return fiat.Account{}, err
	}
	state, reason, err := a.state()
	if err != nil {
		return fiat.Account{}, err
	}
	if len(a.lastFour()) > 4 {
		return fiat.Account{}, fmt.Errorf("more than four digits: %w", fiat.ErrAnswer)
	}
	return fiat.Account{ID: a.ID, State: state, Reason: reason, LastFour: a.lastFour()}, nil
}

// state is active only where nothing speaks against it; a status that is not known
// here waits.
func (a accountAnswer) state() (fiat.AccountState, string, error) {
	if a.Active == nil {
		return "", "", fmt.Errorf("an account that is neither active nor not: %w", fiat.ErrAnswer)
	}
	switch a.Status {
	case "", "active":
	case "rejected":
		return fiat.AccountRejected, harmless(a.Reason, nil), nil
	case "deactivated", "closed":
		return fiat.AccountClosed, "", nil
	default:
		return fiat.AccountPending, "", nil
	}
	switch {
	case !*a.Active:
		return fiat.AccountClosed, "", nil
	case a.AddressValid != nil && !*a.AddressValid:
		return fiat.AccountPending, "the address is not valid", nil
	}
	return fiat.AccountActive, "", nil
}
