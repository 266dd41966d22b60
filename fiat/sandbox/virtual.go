package sandbox

import (
	"fmt"
	"math/big"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/money"
)

type virtual struct {
	ID           string       `json:"id"`
	Customer     string       `json:"customer_id"`
	Status       string       `json:"status"`
	Instructions instructions `json:"source_deposit_instructions"`
	Destination  struct {
		Rail     string         `json:"payment_rail"`
		Currency money.Currency `json:"currency"`
		Address  string         `json:"address"`
	} `json:"destination"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

type instructions struct {
	Currency    money.Currency `json:"currency"`
	Rails       []string       `json:"payment_rails"`
	BankName    string         `json:"bank_name"`
	Beneficiary string         `json:"bank_beneficiary_name"`
	CLABE       string         `json:"clabe,omitempty"`
	IBAN        string         `json:"iban,omitempty"`
	BIC         string         `json:"bic,omitempty"`
	BankAccount string         `json:"bank_account_number,omitempty"`
	BankRouting string         `json:"bank_routing_number,omitempty"`
	Account     string         `json:"account_number,omitempty"`
	SortCode    string         `json:"sort_code,omitempty"`
	BRCode      string         `json:"br_code,omitempty"`
}

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
	var a virtual
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
	a.ID, a.Customer, a.Status, a.CreatedAt, a.UpdatedAt = uuid.NewString(), c.ID, "activated", t.stamp(), t.stamp()
	a.Instructions = instructions{
		Currency: asked.Source.Currency, BankName: "Railkit Sandbox Bank", Beneficiary: c.LegalName + c.FirstName,
	}
	if !a.Instructions.number(n) {
		return nil, invalid("source.currency", "is usd, mxn, eur, brl or gbp")
	}
	return a, t.put(row{kind: virtualKind, id: a.ID, owner: c.ID}, a)
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
	return nil
}

// number makes the n-th account number of a currency, with right check digits.
func (i *instructions) number(n uint32) bool {
	switch i.Currency {
	case money.USD:
		i.Rails, i.BankAccount, i.BankRouting = []string{"ach_push", "wire"}, fmt.Sprintf("9%011d", n), "021000021"
	case money.MXN:
		number := fmt.Sprintf("646180%011d", n)
		i.Rails, i.CLABE = []string{"spei"}, number+string(checkDigitCLABE(number))
	case money.EUR:
		i.Rails, i.IBAN, i.BIC = []string{"sepa"}, germanIBAN(n), "RKITDEFFXXX"
	case money.BRL:
		i.Rails, i.BRCode = []string{"pix"}, fmt.Sprintf("00020126580014br.gov.bcb.pix0136%s", uuid.NewString())
	case money.GBP:
		i.Rails, i.Account, i.SortCode = []string{"faster_payments"}, fmt.Sprintf("%08d", n%100_000_000), "040004"
	default:
		return false
	}
	return true
}

// germanIBAN computes the check digits: with 00 in their place the number's rest
// modulo 97, and DE being 1314.
func germanIBAN(n uint32) string {
	bban := fmt.Sprintf("10010010%010d", n)
	whole, _ := new(big.Int).SetString(bban+"131400", 10)
	return fmt.Sprintf("DE%02d%s", 98-new(big.Int).Mod(whole, big.NewInt(97)).Int64(), bban)
}

func getVirtual(v *view, r request) (any, error) {
	var a virtual
	found, err := find(v, &a, "kind = ? AND id = ? AND owner = ?", virtualKind,
		r.PathValue("virtual"), r.PathValue("customer"))
	if err == nil && !found {
		err = errNotFound
	}
	return a, err
}

func listVirtuals(v *view, r request) (any, error) {
	return list[virtual](v, r, virtualKind, "owner = ?", r.PathValue("customer"))
}
