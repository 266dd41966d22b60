package bank

import (
	"fmt"
	"net/mail"
	"regexp"
	"strings"

	"github.com/google/uuid"
)

// mostPixMail is how long an e-mail address is that the directory of keys takes.
const mostPixMail = 77

var brPhone = regexp.MustCompile(`^\+55[1-9][0-9]9?[0-9]{8}$`)

// checkPixKey takes each kind of key: CPF, CNPJ, phone, e-mail and the random one.
func checkPixKey(text string) (string, string) {
	switch {
	case strings.ContainsRune(text, '@'):
		a, err := mail.ParseAddress(text)
		if err != nil || a.Address != text || len(text) > mostPixMail {
			return "", fmt.Sprintf(
				"must be an e-mail address of at most %d characters, or another Pix key", mostPixMail,
			)
		}
		return strings.ToLower(text), ""
	case strings.HasPrefix(text, "+"):
		phone := compact(text, "().")
		if !brPhone.MatchString(phone) {
			return "", "must be a Brazilian phone such as +55 and 10 or 11 digits, or another Pix key"
		}
		return phone, ""
	case len(text) == len(uuid.Nil.String()):
		id, err := uuid.Parse(text)
		if err != nil {
			return "", "must be a random key, which is a UUID, or another Pix key"
		}
		return id.String(), ""
	}
	normal, constraint := checkTaxID(text)
	if constraint != "" {
		return "",
			"must be a Pix key: a CPF or CNPJ with right check digits, +55 and a phone, an e-mail address or a UUID"
	}
	return normal, ""
}

var cnpjForm = regexp.MustCompile(`^[A-Z0-9]{12}[0-9]{2}$`)

// checkTaxID takes a CPF or a CNPJ, of either form: with letters since 2026.
func checkTaxID(text string) (string, string) {
	text = strings.ToUpper(compact(text, "./"))
	switch {
	case len(text) == 11 && only(text, digits) && !same(text) && mod11(text, 9, 10) && mod11(text, 10, 11):
		return text, ""
	case len(text) == 14 && cnpjForm.MatchString(text) && !same(text) && mod11(text, 12, 8) && mod11(text, 13, 8):
		return text, ""
	}
	return "", "must be a CPF or CNPJ; its length or its check digits are wrong"
}

func same(text string) bool { return strings.Trim(text, text[:1]) == "" }

// mod11 checks the digit at a place, which weighs what is before it: from the
// right by 2, 3 and so on, up to so many weights and then from 2 again.
func mod11(text string, at, weights int) bool {
	sum := 0
	for i := range at {
		sum += int(text[at-1-i]-'0') * (2 + i%weights)
	}
	rest := sum * 10 % 11 % 10
	return int(text[at]-'0') == rest
}
