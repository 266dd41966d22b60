package bridge

import (
	"context"
	"fmt"
	"strings"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

// accountBody registers a bank account. Which of the nested parts is there depends
// on account_type.
type accountBody struct {
	Currency  string       `json:"currency,omitzero"`
	Type      string       `json:"account_type,omitzero"`
	BankName  string       `json:"bank_name,omitzero"`
	OwnerName string       `json:"account_owner_name,omitzero"`
	OwnerType string       `json:"account_owner_type,omitzero"`
	FirstName string       `json:"first_name,omitzero"`
	LastName  string       `json:"last_name,omitzero"`
	Business  string       `json:"business_name,omitzero"`
	Account   *numbers     `json:"account,omitzero"`
	CLABE     *numbers     `json:"clabe,omitzero"`
	IBAN      *numbers     `json:"iban,omitzero"`
	PixKey    *pix         `json:"pix_key,omitzero"`
	BRCode    *pix         `json:"br_code,omitzero"`
	Address   *addressBody `json:"address,omitzero"`
}

type numbers struct {
	Number   string `json:"account_number,omitzero"`
	Routing  string `json:"routing_number,omitzero"`
	Checking string `json:"checking_or_savings,omitzero"`
	SortCode string `json:"sort_code,omitzero"`
	BIC      string `json:"bic,omitzero"`
	Country  string `json:"country,omitzero"`
}

type pix struct {
	Key      string `json:"pix_key,omitzero"`
	Code     string `json:"br_code,omitzero"`
	Document string `json:"document_number,omitzero"`
}

type addressBody struct {
	Street  string `json:"street_line_1,omitzero"`
	City    string `json:"city,omitzero"`
	State   string `json:"state,omitzero"`
	Postal  string `json:"postal_code,omitzero"`
	Country string `json:"country,omitzero"`
}

// CreateAccount registers a recipient's bank account.
func (c *Client) CreateAccount(
	ctx context.Context, key, customerID string, q fiat.AccountRequest,
) (fiat.Account, error) {
	at, err := path("customers", customerID, "external_accounts")
	if err != nil {
		return fiat.Account{}, err
	}
	body, err := accountOf(q)
	if err != nil {
		return fiat.Account{}, err
	}
	var a accountAnswer
	if err := c.post(ctx, at, key, body, &a); err != nil {
		return fiat.Account{}, err
	}
	told := lastFour(q.Details)
	if told == "" { // of a PIX key the partner may name any end
		told = a.lastFour()
	}
	if err := firstOf(same("currency", a.Currency, string(q.Currency)),
		same("account", a.lastFour(), told)); err != nil {
		return fiat.Account{}, err
	}
	return a.account(customerID, a.ID)
}

// Account tells how far a registration is.
func (c *Client) Account(ctx context.Context, customerID, id string) (fiat.Account, error) {
	at, err := path("customers", customerID, "external_accounts", id)
	if err != nil {
		return fiat.Account{}, err
	}
	var a accountAnswer
	if err := c.get(ctx, at, nil, &a); err != nil {
		return fiat.Account{}, err
	}
	return a.account(customerID, id)
}

// UpdateAccount changes what may change of it.
func (c *Client) UpdateAccount(ctx context.Context, customerID, id string, q fiat.AccountChange) (fiat.Account, error) {
	at, err := path("customers", customerID, "external_accounts", id)
	if err != nil {
		return fiat.Account{}, err
	}
	body := accountBody{}
	if body.Address, err = addressOf(q.Address); err != nil {
		return fiat.Account{}, err
	}
	if q.RoutingNumber != "" || q.CheckingOrSavings != "" {
		body.Account = &numbers{Routing: q.RoutingNumber, Checking: q.CheckingOrSavings}
	}
	var a accountAnswer
	if err := c.put(ctx, at, body, &a); err != nil {
		return fiat.Account{}, err
	}
	return a.account(customerID, id)
}

// SetAccountActive switches a registration off, or on again.
func (c *Client) SetAccountActive(ctx context.Context, key, customerID, id string, active bool) (fiat.Account, error) {
	at, err := path("customers", customerID, "external_accounts", id)
	if err != nil {
		return fiat.Account{}, err
	}
	verb := "/deactivate"
	if active {
		verb = "/reactivate"
	}
	var a accountAnswer
	if err := c.post(ctx, at+verb, key, nil, &a); err != nil {
		return fiat.Account{}, err
	}
	if a.Active == nil || *a.Active != active {
		return fiat.Account{}, fmt.Errorf("an account that was not switched: %w", fiat.ErrAnswer)
	}
	return a.account(customerID, id)
}

func accountOf(q fiat.AccountRequest) (accountBody, error) {
	address, err := addressOf(q.Address)
	if err != nil {
		return accountBody{}, err
	}
	b := accountBody{Currency: string(q.Currency), BankName: q.BankName, OwnerName: q.OwnerName, Address: address}
	if q.Business {
		b.OwnerType, b.Business = "business", q.OwnerName
	} else {
		b.OwnerType = "individual"
		b.FirstName, b.LastName = names(q.OwnerName)
	}
	return b, b.number(q.Currency, q.Details)
}

// number fills in what identifies the account in its country.
func (b *accountBody) number(c money.Currency, d fiat.Details) error {
	switch c {
	case money.USD:
		b.Type, b.Account = "us", &numbers{
			Number: d.AccountNumber, Routing: d.RoutingNumber, Checking: d.CheckingOrSavings,
		}
	case money.GBP:
		b.Type, b.Account = "gb", &numbers{Number: d.AccountNumber, SortCode: d.SortCode}
	case money.MXN:
		b.Type, b.CLABE = "clabe", &numbers{Number: d.CLABE}
	case money.EUR:
		country, ok := alpha3(d.IBAN[:min(len(d.IBAN), 2)])
		if !ok {
			return &fiat.Refusal{Code: "invalid_country", Field: "iban"}
		}
		b.Type, b.IBAN = "iban", &numbers{Number: d.IBAN, BIC: d.BIC, Country: country}
	case money.BRL:
		b.Type = "pix"
		if d.PixKey != "" {
			b.PixKey = &pix{Key: d.PixKey, Document: d.TaxID}
		} else {
			b.BRCode = &pix{Code: d.BRCode, Document: d.TaxID}
		}
	default:
		return &fiat.Refusal{Code: "invalid_currency", Field: "currency"}
	}
	return nil
}

func addressOf(a fiat.Address) (*addressBody, error) {
	if a == (fiat.Address{}) {
		return nil, nil
	}
	country, ok := alpha3(a.Country)
	if !ok {
		return nil, &fiat.Refusal{Code: "invalid_country", Field: "address.country"}
	}
	return &addressBody{Street: a.Street, City: a.City, State: a.State, Postal: a.PostalCode, Country: country}, nil
}

// names splits a person's name as a bank form wants it. A single name is both.
func names(full string) (given, family string) {
	words := strings.Fields(full)
	if len(words) < 2 {
		return full, full
	}
	return strings.Join(words[:len(words)-1], " "), words[len(words)-1]
}

// secrets are the texts that no error may say back.
func (b accountBody) secrets() []string {
	var all []string
	for _, n := range []*numbers{b.Account, b.CLABE, b.IBAN} {
		if n != nil {
			all = append(all, n.Number, n.Routing, n.SortCode, n.BIC)
		}
	}
	for _, p := range []*pix{b.PixKey, b.BRCode} {
		if p != nil {
			all = append(all, p.Key, p.Code, p.Document)
		}
	}
	return all
}

// secretsOf asks a body for them.
func secretsOf(body any) []string {
	b, ok := body.(accountBody)
	if !ok {
		return nil
	}
	var long []string
	for _, s := range b.secrets() {
		if len(s) > 2 {
			long = append(long, s)
		}
	}
	return long
}

// lastFour is what the partner should name of it. PIX accounts have none.
func lastFour(d fiat.Details) string {
	number := first(d.AccountNumber, d.CLABE, d.IBAN)
	return number[max(len(number)-4, 0):]
}
