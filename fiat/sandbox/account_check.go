package sandbox

import (
	"math/big"
	"regexp"
	"strings"

	"github.com/railkit/railkit/money"
)

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
