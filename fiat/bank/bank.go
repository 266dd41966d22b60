// Package bank checks bank details before anybody is asked about them: lengths,
// alphabets and check digits of account numbers, and which of them a currency
// needs. It is pure. Errors name the field and what it must be, never its value.
package bank

import (
	"slices"
	"strings"
	"unicode"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

const (
	digits = "0123456789"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// scheme is how accounts of a currency are named.
type scheme struct {
	rails   []fiat.Rail // the first is the default
	country string      // where most of them are; "" says the number
	fields  []need
}

type need struct {
	field
	required bool
}

// field is one of fiat.Details. check normalises a value, or says what it must be.
type field struct {
	name  string // as the API calls it
	of    func(*fiat.Details) *string
	check func(text string) (normal, constraint string)
}

var (
	routingNumber = field{"routingNumber", func(d *fiat.Details) *string { return &d.RoutingNumber }, checkRouting}
	usNumber      = field{"accountNumber", func(d *fiat.Details) *string { return &d.AccountNumber }, checkUSNumber}
	ukNumber      = field{"accountNumber", usNumber.of, exactly(8)}
	accountType   = field{"accountType", func(d *fiat.Details) *string { return &d.CheckingOrSavings }, checkType}
	sortCode      = field{"sortCode", func(d *fiat.Details) *string { return &d.SortCode }, exactly(6)}
	clabe         = field{"clabe", func(d *fiat.Details) *string { return &d.CLABE }, checkCLABE}
	legalName     = field{"legalName", func(d *fiat.Details) *string { return &d.LegalName }, checkName}
	rfc           = field{"rfc", func(d *fiat.Details) *string { return &d.RFC }, checkRFC}
	iban          = field{"iban", func(d *fiat.Details) *string { return &d.IBAN }, checkSEPA}
	bic           = field{"bic", func(d *fiat.Details) *string { return &d.BIC }, checkBIC}
	pixKey        = field{"pixKey", func(d *fiat.Details) *string { return &d.PixKey }, checkPixKey}
	brCode        = field{"brCode", func(d *fiat.Details) *string { return &d.BRCode }, checkBRCode}
	depositCode   = field{"brCode", brCode.of, checkDepositCode}
	taxID         = field{"taxId", func(d *fiat.Details) *string { return &d.TaxID }, checkTaxID}
)

var schemes = map[money.Currency]scheme{
	money.USD: {[]fiat.Rail{fiat.ACH, fiat.Wire}, "US",
		[]need{{routingNumber, true}, {usNumber, true}, {accountType, true}}},
	money.MXN: {[]fiat.Rail{fiat.SPEI}, "MX", []need{{clabe, true}, {legalName, false}, {rfc, false}}},
	money.EUR: {[]fiat.Rail{fiat.SEPA}, "", []need{{iban, true}, {bic, false}}},
	money.GBP: {[]fiat.Rail{fiat.FasterPayments}, "GB", []need{{sortCode, true}, {ukNumber, true}}},
	money.BRL: {[]fiat.Rail{fiat.PIX}, "BR", []need{{pixKey, false}, {brCode, false}, {taxID, false}}},
}

// all are the fields of every currency, in the order in which they are looked at.
var all = []field{
	routingNumber, usNumber, accountType, sortCode, clabe, legalName, rfc, iban, bic, pixKey, brCode, taxID,
}

// DefaultRail is what a currency is paid over where nobody says otherwise.
func DefaultRail(c money.Currency) fiat.Rail {
	if s, ok := schemes[c]; ok {
		return s.rails[0]
	}
	return ""
}

// Carries tells whether a rail moves a currency.
func Carries(r fiat.Rail, c money.Currency) bool { return slices.Contains(schemes[c].rails, r) }

// HomeOf is the country of an account where nobody says it: the currency's, or
// the one that its number names.
func HomeOf(c money.Currency, d fiat.Details) string {
	if c == money.EUR && len(d.IBAN) > 2 {
		return d.IBAN[:2]
	}
	return schemes[c].country
}

// Check finds the first field that is missing, malformed or another currency's,
// and gives the details without spaces and dashes.
func Check(c money.Currency, d fiat.Details) (fiat.Details, error) {
	s, ok := schemes[c]
	if !ok {
		return fiat.Details{}, fault.Field("currency", "must be one of usd, eur, mxn, brl, gbp")
	}
	for _, n := range s.fields {
		at := n.of(&d)
		*at = strings.TrimSpace(*at)
		if *at == "" && n.required {
			return fiat.Details{}, fault.Field(n.name, "is required")
		}
		if *at == "" {
			continue
		}
		normal, constraint := n.check(*at)
		if constraint != "" {
			return fiat.Details{}, fault.Field(n.name, constraint)
		}
		*at = normal
	}
	if err := foreign(s, c, d); err != nil {
		return fiat.Details{}, err
	}
	return finish(c, d)
}

// numbers are what a depositor needs to send money to an account of a currency.
var numbers = map[money.Currency][]field{
	money.USD: {routingNumber, usNumber}, money.EUR: {iban, bic}, money.MXN: {clabe},
	money.GBP: {sortCode, ukNumber}, money.BRL: {depositCode},
}

// CheckNumbers finds the first number that is missing or malformed of those that a depositor needs. The error never
// has the number.
func CheckNumbers(c money.Currency, d fiat.Details) error {
	of, ok := numbers[c]
	if !ok {
		return fault.Field("currency", "must be one of usd, eur, mxn, brl, gbp")
	}
	for _, f := range of {
		text := *f.of(&d)
		if text == "" {
			return fault.Field(f.name, "is required")
		}
		normal, constraint := f.check(text)
		if constraint != "" || normal != text {
			return fault.Field(f.name, "is not in the form that depositors need")
		}
	}
	return nil
}

// RoutingNumber checks the number of a bank of the USA (ABA, nine digits with a check digit), under the name that the
// caller has for the field.
func RoutingNumber(field, text string) (string, error) { return named(field, text, checkRouting) }

// AccountType checks that text is checking or savings, under the name that the caller has for the field.
func AccountType(field, text string) (string, error) { return named(field, text, checkType) }

// DepositCode checks the Pix QR code that a depositor is asked to pay. Unlike that of a bank account, it may be of a
// single charge.
func DepositCode(field, text string) (string, error) { return named(field, text, checkDepositCode) }

func named(field, text string, check func(string) (string, string)) (string, error) {
	normal, constraint := check(strings.TrimSpace(text))
	if constraint != "" {
		return "", fault.Field(field, constraint)
	}
	return normal, nil
}

// foreign finds a field that is no part of the currency's accounts.
func foreign(s scheme, c money.Currency, d fiat.Details) error {
	for _, f := range all {
		known := slices.ContainsFunc(s.fields, func(n need) bool { return n.name == f.name })
		if !known && *f.of(&d) != "" {
			return fault.Field(f.name, "does not go with the currency "+string(c))
		}
	}
	return nil
}

// finish looks at what fields are together.
func finish(c money.Currency, d fiat.Details) (fiat.Details, error) {
	if c != money.BRL {
		return d, nil
	}
	if d.BRCode != "" && !isBRCode(d.BRCode) { // it is a key, under the name that the other dialect has for both
		if d.PixKey != "" {
			return fiat.Details{}, fault.Field("pixKey", "must not be given with brCode")
		}
		d.PixKey, d.BRCode = d.BRCode, ""
	}
	switch {
	case d.PixKey == "" && d.BRCode == "":
		return fiat.Details{}, fault.Field("pixKey", "is required, or brCode")
	case d.PixKey != "" && d.BRCode != "":
		return fiat.Details{}, fault.Field("pixKey", "must not be given with brCode")
	}
	return d, nil
}

// Number is what one recipient's accounts are told apart by. Details that Check
// has passed give the same one for the same account, also where one is a Pix key and
// the other a BR Code of that key. A routing number is no part of it: banks merge, and
// it may change. The last part is empty: numbers that are stored, as hashes, end so.
func Number(d fiat.Details) string {
	return strings.Join([]string{d.SortCode, d.AccountNumber, d.CLABE, d.IBAN, pixKeyOf(d), ""}, "/")
}

// LastFour is what may be shown of an account's number: its end, and never more
// than half of it. Of a BR Code it is the end of its key.
func LastFour(d fiat.Details) string {
	number := []rune(d.AccountNumber + d.CLABE + d.IBAN + pixKeyOf(d))
	return string(number[len(number)-min(4, len(number)/2):])
}

// compact leaves out what people write between groups of digits.
func compact(text, also string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Pd, r) || strings.ContainsRune(also, r) {
			return -1
		}
		return r
	}, text)
}

func only(text, alphabet string) bool { return text != "" && strings.Trim(text, alphabet) == "" }
