package sandbox

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/money"
)

// virtual is a virtual account: what arrives at its number becomes coins at its destination.
type virtual struct {
	ID           string       `json:"id"`
	Customer     string       `json:"customer_id"`
	Status       string       `json:"status"`
	FeePercent   string       `json:"developer_fee_percent"`
	Instructions instructions `json:"source_deposit_instructions"`
	Destination  struct {
		Rail     string         `json:"payment_rail"`
		Currency money.Currency `json:"currency"`
		Address  string         `json:"address"`
	} `json:"destination"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// The statuses of a virtual account.
const (
	activated   = "activated"
	deactivated = "deactivated"
)

// createVirtual gives out the number of an account at the partner's bank.
func createVirtual(t *tx, r request) (any, error) {
	c, err := activeCustomer(&t.view, r.PathValue("customer"))
	if err != nil {
		return nil, err
	}
	var asked struct {
		Source struct {
			Currency money.Currency `json:"currency"`
		} `json:"source"`
	}
	a := virtual{FeePercent: "0.0"}
	if err := r.into(&asked); err != nil {
		return nil, err
	}
	if err := r.into(&a); err != nil {
		return nil, err
	}
	if err := t.checkVirtual(a); err != nil {
		return nil, err
	}
	n, err := t.next("accounts")
	if err != nil {
		return nil, err
	}
	a.ID, a.Customer, a.Status, a.CreatedAt = uuid.NewString(), c.ID, activated, t.stamp()
	a.Instructions = instructions{
		Currency: asked.Source.Currency, BankName: "Railkit Sandbox Bank", BankAddress: "1 Sandbox Street",
		Beneficiary: strings.TrimSpace(c.LegalName + c.FirstName + " " + c.LastName),
	}
	if !a.Instructions.number(n) {
		return nil, invalid("source.currency", "is usd, mxn, eur, brl or gbp")
	}
	return a, t.saveVirtual(&a)
}

func (t *tx) saveVirtual(a *virtual) error {
	a.UpdatedAt = t.stamp()
	return t.put(row{kind: virtualKind, id: a.ID, owner: a.Customer, ref: a.Instructions.reference()}, a)
}

func (t *tx) checkVirtual(a virtual) error {
	network, ok := t.s.network(a.Destination.Rail)
	if !ok {
		return invalid("destination.payment_rail", "is not a chain that the partner is on")
	}
	if _, listed := network.TokenBySymbol(string(a.Destination.Currency)); !listed || !a.Destination.Currency.Stable() {
		return invalid("destination.currency", "is not one that the partner has on this chain")
	}
	if _, err := evm.ParseAddress(a.Destination.Address); err != nil {
		return invalid("destination.address", "is not an address of the chain")
	}
	if _, err := a.feePoints(); err != nil {
		return invalid("developer_fee_percent", "is a percentage from 0 to 50 with two places at most")
	}
	return nil
}

// mostFee is the most that a developer may take, in basis points.
const mostFee = 5000

// feePoints is the developer's fee in basis points. A percentage has as many places as a dollar. Accounts that were
// made before there were fees have none.
func (a *virtual) feePoints() (int64, error) {
	if a.FeePercent == "" {
		return 0, nil
	}
	percent, err := money.Parse(a.FeePercent, money.USD)
	if err == nil && (percent.Minor < 0 || percent.Minor > mostFee) {
		err = errJSON
	}
	return percent.Minor, err
}

// virtualOf is a customer's virtual account.
func virtualOf(v *view, customer, id string) (virtual, error) {
	var a virtual
	found, err := find(v, &a, "kind = ? AND id = ? AND owner = ?", virtualKind, id, customer)
	if err == nil && !found {
		err = errNotFound
	}
	return a, err
}

func getVirtual(v *view, r request) (any, error) {
	return virtualOf(v, r.PathValue("customer"), r.PathValue("virtual"))
}

func listVirtuals(v *view, r request) (any, error) {
	return list[virtual](v, r, virtualKind, "owner = ?", r.PathValue("customer"))
}

func deactivateVirtual(t *tx, r request) (any, error) {
	return switchVirtual(t, r, deactivated, "deactivation")
}
func reactivateVirtual(t *tx, r request) (any, error) {
	return switchVirtual(t, r, activated, "reactivation")
}

// switchVirtual switches an account off, or on again. What came in before goes on as it was.
func switchVirtual(t *tx, r request, status, what string) (any, error) {
	a, err := virtualOf(&t.view, r.PathValue("customer"), r.PathValue("virtual"))
	if err != nil || a.Status == status {
		return a, err
	}
	a.Status = status
	if err := t.saveVirtual(&a); err != nil {
		return nil, err
	}
	return a, t.happened(activity{Customer: a.Customer, Account: a.ID, Type: what})
}
