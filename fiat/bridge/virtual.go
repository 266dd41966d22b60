package bridge

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/bank"
	"github.com/railkit/railkit/money"
)

type virtualBody struct {
	Source      currencyBody `json:"source"`
	Destination virtualGoal  `json:"destination"`
	FeePercent  string       `json:"developer_fee_percent,omitzero"`
}

type currencyBody struct {
	Currency string `json:"currency"`
}

// virtualGoal is where the coins go.
type virtualGoal struct {
	Rail     string `json:"payment_rail"`
	Currency string `json:"currency"`
	Address  string `json:"address"`
}

type virtualAnswer struct {
	ID           string             `json:"id"`
	CustomerID   string             `json:"customer_id"`
	Status       string             `json:"status"`
	FeePercent   decimal            `json:"developer_fee_percent"`
	Destination  virtualGoal        `json:"destination"`
	Instructions *instructionAnswer `json:"source_deposit_instructions"`
}

type instructionAnswer struct {
	Currency    string   `json:"currency"`
	Rails       []string `json:"payment_rails"`
	BankName    string   `json:"bank_name"`
	BankAddress string   `json:"bank_address"`
	Beneficiary string   `json:"bank_beneficiary_name"`
	Holder      string   `json:"account_holder_name"`
	CLABE       string   `json:"clabe"`
	IBAN        string   `json:"iban"`
	BIC         string   `json:"bic"`
	Account     string   `json:"bank_account_number"`
	Routing     string   `json:"bank_routing_number"`
	Number      string   `json:"account_number"`
	SortCode    string   `json:"sort_code"`
	BRCode      string   `json:"br_code"`
}

// CreateVirtualAccount makes an account number whose deposits become stablecoins at
// an address. An answer that sends them anywhere else, or takes another fee, is none.
func (c *Client) CreateVirtualAccount(
	ctx context.Context, key, customerID string, q fiat.VirtualAccountRequest,
) (fiat.VirtualAccount, error) {
	at, err := path("customers", customerID, "virtual_accounts")
	if err != nil {
		return fiat.VirtualAccount{}, err
	}
	body := virtualBody{
		Source: currencyBody{string(q.Source)}, Destination: virtualGoal{q.Chain, string(q.Currency), q.Address},
	}
	if q.FeePoints != 0 {
		body.FeePercent = fmt.Sprintf("%d.%02d", q.FeePoints/100, q.FeePoints%100)
	}
	var a virtualAnswer
	if err := c.post(ctx, at, key, body, &a); err != nil {
		return fiat.VirtualAccount{}, err
	}
	v, err := a.account(customerID, a.ID)
	if err != nil {
		return fiat.VirtualAccount{}, err
	}
	return v, v.Check(q)
}

// VirtualAccount tells how one is: whether it takes deposits, and where it says that the coins go.
func (c *Client) VirtualAccount(ctx context.Context, customerID, id string) (fiat.VirtualAccount, error) {
	at, err := path("customers", customerID, "virtual_accounts", id)
	if err != nil {
		return fiat.VirtualAccount{}, err
	}
	var a virtualAnswer
	if err := c.get(ctx, at, nil, &a); err != nil {
		return fiat.VirtualAccount{}, err
	}
	return a.account(customerID, id)
}

// SetVirtualAccountActive switches one off, or on again.
func (c *Client) SetVirtualAccountActive(
	ctx context.Context, key, customerID, id string, active bool,
) (fiat.VirtualAccount, error) {
	at, err := path("customers", customerID, "virtual_accounts", id)
	if err != nil {
		return fiat.VirtualAccount{}, err
	}
	verb := "/deactivate"
	if active {
		verb = "/reactivate"
	}
	var a virtualAnswer
	if err := c.post(ctx, at+verb, key, nil, &a); err != nil {
		return fiat.VirtualAccount{}, err
	}
	v, err := a.account(customerID, id)
	if err == nil && v.Active != active {
		return fiat.VirtualAccount{}, fmt.Errorf("a virtual account that was not switched: %w", fiat.ErrAnswer)
	}
	return v, err
}

// account reads a virtual account of a customer. A status that is not known here takes no deposits.
func (a virtualAnswer) account(customerID, id string) (fiat.VirtualAccount, error) {
	if err := firstOf(told(a.ID), same("virtual account", a.ID, id),
		same("customer", a.CustomerID, customerID), onChain(a.Destination.Rail, a.Destination.Address)); err != nil {
		return fiat.VirtualAccount{}, err
	}
	coin := money.Currency(a.Destination.Currency)
	if a.Status == "" || a.Destination.Rail == "" || !coin.Stable() {
		return fiat.VirtualAccount{}, fmt.Errorf(
			"a virtual account without a status, chain or currency: %w", fiat.ErrAnswer,
		)
	}
	points, err := a.FeePercent.points()
	if err != nil {
		return fiat.VirtualAccount{}, err
	}
	v := fiat.VirtualAccount{
		ID: a.ID, Active: a.Status == "activated", Chain: a.Destination.Rail, Currency: coin,
		Address: a.Destination.Address, FeePoints: points,
	}
	if a.Instructions != nil {
		v.Instructions, err = a.Instructions.read()
	}
	return v, err
}

// points reads a percentage as basis points: "0.5" are 50. It refuses percentages with more than two decimals.
func (d decimal) points() (int64, error) {
	if d == "" {
		return 0, nil
	}
	hundredths, err := d.amount(money.USD) // two places, as a percentage has of basis points
	if err != nil || hundredths.Minor < 0 || hundredths.Minor > 10_000 {
		return 0, fmt.Errorf("a fee: %w", fiat.ErrAnswer)
	}
	return hundredths.Minor, nil
}

// read takes instructions whose numbers are right by their own check digits: whoever
// pays to a wrong one loses the money.
func (i instructionAnswer) read() (fiat.Instructions, error) {
	currency := money.Currency(i.Currency)
	details := fiat.Details{
		CLABE: i.CLABE, IBAN: i.IBAN, BIC: i.BIC, AccountNumber: first(i.Account, i.Number),
		RoutingNumber: i.Routing, SortCode: i.SortCode, BRCode: i.BRCode,
	}
	if currency == money.USD {
		details.CheckingOrSavings = "checking" // nobody who pays there is asked for it
	}
	checked, err := checkTold(currency, details)
	checked.CheckingOrSavings = ""
	if err != nil {
		return fiat.Instructions{}, fmt.Errorf("the numbers of a virtual account: %w", fiat.ErrAnswer)
	}
	rails, err := railsOf(i.Rails, currency)
	return fiat.Instructions{
		Currency: currency, Rails: rails, BankName: clipped(i.BankName), BankAddress: clipped(i.BankAddress),
		Beneficiary: clipped(first(i.Beneficiary, i.Holder)), Details: checked,
	}, err
}

// checkTold checks the numbers that depositors are told. A Pix code among them may be of a single charge, which
// bank.Check refuses of an account to pay out to.
func checkTold(c money.Currency, d fiat.Details) (fiat.Details, error) {
	if c != money.BRL {
		return bank.Check(c, d)
	}
	code, err := bank.DepositCode("br_code", d.BRCode)
	return fiat.Details{BRCode: code}, err
}

// railsOf are those of a list that are known here to move a currency. Where none is told it is the currency's usual
// one.
func railsOf(listed []string, c money.Currency) ([]fiat.Rail, error) {
	if len(listed) == 0 {
		return []fiat.Rail{bank.DefaultRail(c)}, nil
	}
	var all []fiat.Rail
	for _, name := range listed {
		if r := railOf(name); bank.Carries(r, c) && !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("rails that do not move the currency: %w", fiat.ErrAnswer)
	}
	return all, nil
}

// railOf reads the name of a rail by which money comes in. ACH has one for each way of it.
func railOf(name string) fiat.Rail {
	switch {
	case strings.HasPrefix(name, "ach"):
		return fiat.ACH
	case word().MatchString(name):
		return fiat.Rail(name)
	}
	return ""
}

// longestText is as much of a name as is kept.
const longestText = 200

// clipped is a text of the partner's that is shown to people: one line of a length that a page has room for.
func clipped(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) { // PostgreSQL stores no zero byte
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	text = strings.Join(strings.Fields(text), " ")
	runes := []rune(text)
	return string(runes[:min(len(runes), longestText)])
}
