package bank

import (
	"fmt"
	"net/mail"
	"regexp"
	"strconv"
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

const (
	brCodeStart = "000201" // payload format indicator
	brCodeEnd   = "6304"   // head of the checksum, which ends the text
	mostBRCode  = 512
)

func isBRCode(text string) bool { return strings.HasPrefix(text, brCodeStart) }

// checkBRCode reads the text of a Pix QR code: fields with a number of two digits
// and a length of two, the last of which is a checksum over all before it. The
// other dialect gives keys under its name too.
func checkBRCode(text string) (string, string) {
	if !isBRCode(text) {
		return checkPixKey(text)
	}
	if len(text) > mostBRCode || !wellFormed(text) || !strings.Contains(strings.ToLower(text), "br.gov.bcb.pix") {
		return "", "must be the text of a Pix QR code"
	}
	sum := len(text) - 4
	if !strings.HasSuffix(text[:sum], brCodeEnd) ||
		!strings.EqualFold(text[sum:], fmt.Sprintf("%04X", crc16(text[:sum]))) {
		return "", "must be the text of a Pix QR code; its checksum is wrong"
	}
	return text, ""
}

func wellFormed(text string) bool {
	for text != "" {
		if len(text) < 4 || !only(text[:4], digits) {
			return false
		}
		n, _ := strconv.Atoi(text[2:4]) // two digits
		if len(text) < 4+n {
			return false
		}
		text = text[4+n:]
	}
	return true
}

// crc16 is CRC-16/CCITT-FALSE.
func crc16(text string) uint16 {
	crc := uint16(0xFFFF)
	for i := range len(text) {
		crc ^= uint16(text[i]) << 8
		for range 8 {
			carry := crc&0x8000 != 0
			crc <<= 1
			if carry {
				crc ^= 0x1021
			}
		}
	}
	return crc
}
