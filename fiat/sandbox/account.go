package sandbox

import (
	"bytes"
	"encoding/json"
	"math/big"
	"net/http"
	"regexp"
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

// accountTypes are what a currency's accounts are called.
var accountTypes = map[money.Currency]string{
	money.USD: "us", money.MXN: "clabe", money.EUR: "iban", money.BRL: "pix", money.GBP: "gb",
}

// check refuses what no bank would take, and strikes the numbers out of what is kept.
func (a *account) check() error {
	switch {
	case accountTypes[a.Currency] == "":
		return invalid("currency", "is usd, mxn, eur, brl or gbp")
	case a.Type != accountTypes[a.Currency]:
		return invalid("account_type", "is the one of the currency")
	case strings.TrimSpace(a.OwnerName) == "" || len(a.OwnerName) > 256:
		return invalid("account_owner_name", "is needed")
	case len(a.BankName) > 256:
		return invalid("bank_name", "is too long")
	case a.OwnerType != "individual" && a.OwnerType != "business":
		return invalid("account_owner_type", "is individual or business")
	case a.Address != nil && len(a.Address.Country) != 3:
		return invalid("address.country", "is an alpha-3 code")
	}
	given := a.blocks
	a.blocks = blocks{}
	switch a.Type {
	case "us":
		return a.checkUS(given.Account)
	case "gb":
		return a.checkGB(given.Account)
	case "clabe":
		return a.checkCLABE(given.CLABE)
	case "iban":
		return a.checkIBAN(given.IBAN)
	}
	return a.checkPix(given.Pix, given.BRCode)
}

var digits = regexp.MustCompile(`^[0-9]+$`)

func isDigits(text string, least, most int) bool {
	return digits.MatchString(text) && len(text) >= least && len(text) <= most
}

// checksum is the sum of digits times weights that repeat.
func checksum(text string, weights ...int) int {
	sum := 0
	for i, c := range text {
		sum += int(c-'0') * weights[i%len(weights)]
	}
	return sum
}

func routingNumber(text string) bool {
	return isDigits(text, 9, 9) && checksum(text, 3, 7, 1)%10 == 0
}

func lastFour(number string) string { return number[max(0, len(number)-4):] }

func (a *account) checkUS(d *bankDetails) error {
	switch {
	case d == nil:
		return invalid("account", "is needed")
	case !isDigits(d.AccountNumber, 4, 17):
		return invalid("account.account_number", "is not an account number")
	case !routingNumber(d.RoutingNumber):
		return invalid("account.routing_number", "is not a routing number")
	case d.Kind != "checking" && d.Kind != "savings" && d.Kind != "":
		return invalid("account.checking_or_savings", "is checking or savings")
	}
	a.LastFour = lastFour(d.AccountNumber)
	a.Account = &bankDetails{LastFour: a.LastFour, RoutingNumber: d.RoutingNumber, Kind: d.Kind}
	return nil
}

func (a *account) checkGB(d *bankDetails) error {
	switch {
	case d == nil:
		return invalid("account", "is needed")
	case !isDigits(d.AccountNumber, 8, 8):
		return invalid("account.account_number", "has eight digits")
	case !isDigits(strings.ReplaceAll(d.SortCode, "-", ""), 6, 6):
		return invalid("account.sort_code", "has six digits")
	}
	a.LastFour = lastFour(d.AccountNumber)
	a.Account = &bankDetails{LastFour: a.LastFour, SortCode: strings.ReplaceAll(d.SortCode, "-", "")}
	return nil
}

func (a *account) checkCLABE(d *bankDetails) error {
	if d == nil {
		return invalid("clabe", "is needed")
	}
	n := d.AccountNumber
	if !isDigits(n, 18, 18) || checkDigitCLABE(n[:17]) != n[17] {
		return invalid("clabe.account_number", "is not a CLABE")
	}
	a.LastFour = lastFour(n)
	a.CLABE = &bankDetails{LastFour: a.LastFour}
	return nil
}

func checkDigitCLABE(seventeen string) byte {
	sum := 0
	for i, c := range seventeen {
		sum += int(c-'0') * []int{3, 7, 1}[i%3] % 10
	}
	return byte('0' + (10-sum%10)%10)
}

var (
	ibanForm = regexp.MustCompile(`^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$`)
	bicForm  = regexp.MustCompile(`^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$`)
)

func (a *account) checkIBAN(d *bankDetails) error {
	if d == nil {
		return invalid("iban", "is needed")
	}
	n := strings.ToUpper(strings.ReplaceAll(d.AccountNumber, " ", ""))
	if !ibanForm.MatchString(n) || !ibanSum(n) {
		return invalid("iban.account_number", "is not an IBAN")
	}
	if d.BIC != "" && !bicForm.MatchString(d.BIC) {
		return invalid("iban.bic", "is not a BIC")
	}
	a.LastFour = lastFour(n)
	a.IBAN = &bankDetails{LastFour: a.LastFour, BIC: d.BIC, Country: d.Country}
	return nil
}

// ibanSum is ISO 7064's check: as one number, letters being 10 to 35, it is 1 modulo 97.
func ibanSum(iban string) bool {
	var text strings.Builder
	for _, c := range iban[4:] + iban[:4] {
		if c >= 'A' {
			text.WriteString(big.NewInt(int64(c-'A') + 10).String())
			continue
		}
		text.WriteRune(c)
	}
	n, ok := new(big.Int).SetString(text.String(), 10)
	return ok && new(big.Int).Mod(n, big.NewInt(97)).Int64() == 1
}

func (a *account) checkPix(key, code *bankDetails) error {
	switch {
	case key != nil && code == nil && key.PixKey != "" && len(key.PixKey) <= 77:
		a.LastFour = lastFour(key.PixKey)
		a.Pix = &bankDetails{LastFour: a.LastFour}
	case code != nil && key == nil && len(code.BRCode) >= 30 && len(code.BRCode) <= 512:
		a.LastFour = lastFour(code.BRCode)
		a.BRCode = &bankDetails{LastFour: a.LastFour}
	default:
		return invalid("pix_key", "is needed, or br_code")
	}
	return nil
}
