package quote

import (
	"errors"
	"strconv"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/price"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/rest"
)

// asked is the fixed amount, and the currencies of source and destination that the caller names.
type asked struct {
	amount   money.Amount
	field    string         // that it came in
	currency string         // the field that names the currency of what leaves
	from, to money.Currency // "" where not said
}

// of reads a single currency by that of the bank account: one that is neither the account's, nor a stablecoin, nor
// dollars, is that of a bank transfer. MXN pays an account in USD by the recipient's CLABE.
func (a asked) of(own money.Currency) asked {
	if c := a.amount.Currency; a.from == "" && !c.Stable() && c != money.USD && c != own {
		a.from, a.to = c, own
	}
	return a
}

// readAsked finds the one amount of a request.
func readAsked(in rest.QuoteRequest) (asked, error) {
	if in.SourceAmount == "" && in.DestinationAmount == "" && in.SourceCurrency == "" && in.DestinationCurrency == "" {
		return readAmount("amount", string(in.Amount), "currency", in.Currency)
	}
	if in.Amount != "" || in.Currency != "" {
		return asked{}, fault.Field(
			"amount", "and currency must not be given with the fields of source and destination",
		)
	}
	return readEnds(in.SourceAmount, in.DestinationAmount, in.SourceCurrency, in.DestinationCurrency,
		[4]string{"sourceAmount", "destinationAmount", "sourceCurrency", "destinationCurrency"})
}

// readEnds reads the two-currency form, whose fields are called by names.
func readEnds(leaves, arrives, from, to string, names [4]string) (asked, error) {
	if (leaves == "") == (arrives == "") {
		return asked{}, fault.Field(names[0], "or "+names[1]+" is required, and not both")
	}
	source, err := readCurrency(names[2], from)
	if err != nil {
		return asked{}, err
	}
	destination, err := readCurrency(names[3], to)
	if err != nil {
		return asked{}, err
	}
	a, err := readAmount(names[0], leaves, names[2], from)
	if leaves == "" {
		a, err = readAmount(names[1], arrives, names[3], to)
	}
	a.from, a.to, a.currency = source, destination, names[2]
	return a, err
}

func readCurrency(field, text string) (money.Currency, error) {
	if text == "" {
		return "", fault.Field(field, "is required")
	}
	c, err := money.ParseCurrency(text)
	if err != nil {
		return "", fault.Field(field, "must be one of USD, EUR, MXN, BRL, GBP, USDC, USDT")
	}
	return c, nil
}

func readAmount(field, text, currencyField, currency string) (asked, error) {
	if text == "" {
		return asked{}, fault.Field(field, "is required")
	}
	c, err := readCurrency(currencyField, currency)
	if err != nil {
		return asked{}, err
	}
	in := asked{amount: money.Of(0, c)} // for an amount that is wrong, too: the currency may choose the address
	a, err := money.Parse(text, c)
	switch {
	case errors.Is(err, money.ErrPlaces):
		return in, fault.Field(field, "must have at most "+strconv.Itoa(c.Places())+" decimals")
	case errors.Is(err, money.ErrRange):
		return in, fault.Field(field, "is out of range")
	case err != nil:
		return in, fault.Field(field, "must be a plain decimal number")
	case a.Minor == 0:
		return in, fault.Field(field, "must be greater than 0")
	}
	return asked{amount: a, field: field, currency: currencyField}, nil
}

// terms prices what was asked between a stablecoin and a bank account.
func (a asked) terms(fees price.Fees, sell money.Rate, token, own money.Currency) (order.Terms, error) {
	if a.amount.Currency == own {
		return fees.ForNet(a.amount, sell, token)
	}
	gross := a.amount
	if !gross.Currency.Stable() { // a dollar is a dollar's stablecoin
		one, err := money.ParseRate("1")
		if err != nil {
			return order.Terms{}, err
		}
		if gross, err = one.Convert(gross, token); err != nil {
			return order.Terms{}, err
		}
	}
	return fees.OfGross(gross, sell, own)
}

// fits refuses an amount whose currencies do not fit a payout from this stablecoin to this bank account.
func (a asked) fits(token, own money.Currency) error {
	if a.byBank() {
		return a.fitsBank(own)
	}
	c := a.amount.Currency
	switch {
	case a.from != "" && a.from != token && (a.from != money.USD || own == money.USD):
		return wrongSource(a.currency, a.from)
	case a.to != "" && a.to != own:
		return fault.Field("destinationCurrency", "must be the bank account's")
	case c == own, c == token, c == money.USD:
		return nil
	}
	return wrongSource(a.currency, c)
}

func wrongSource(field string, c money.Currency) error {
	if c.Stable() {
		return fault.Field(field, "must be the stablecoin of the withdrawal address")
	}
	return fault.Field(field, "must be a stablecoin, or MXN for a bank transfer to the recipient's CLABE; or USD for an account that is not in USD")
}

// tokenOf is the stablecoin that a request names, or "".
func tokenOf(in rest.QuoteRequest, ask asked) (money.Currency, error) {
	named := money.Currency(in.Token)
	for _, c := range []money.Currency{ask.amount.Currency, ask.from} {
		if !c.Stable() {
			continue
		}
		if named != "" && named != c {
			return "", fault.Field("token", "must be the stablecoin that the amount is in")
		}
		named = c
	}
	return named, nil
}
