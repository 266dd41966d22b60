package bank

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/railkit/railkit/fiat"
)

const (
	brCodeStart = "000201" // payload format indicator
	brCodeEnd   = "6304"   // head of the checksum, which ends the text
	mostBRCode  = 512
)

// The fields of a BR Code that are read here, by their numbers in EMV's specification of QR codes that payees show,
// and those within a template of Pix, by their numbers in Banco Central's.
const (
	initiationField = "01" // how often the code can be used
	currencyField   = "53"
	amountField     = "54"
	countryField    = "58"
	firstTemplate   = "26"
	lastTemplate    = "51"

	schemeField = "00"
	keyField    = "01"
	urlField    = "25"

	pixScheme  = "br.gov.bcb.pix"
	onceOnly   = "12"
	reaisCode  = "986" // ISO 4217
	brazilCode = "BR"
)

func isBRCode(text string) bool { return strings.HasPrefix(text, brCodeStart) }

// emvFields are the fields of a text: each has a number of two digits, a length of two and so many bytes. ok is false
// of a text that is not in this form, or has a field twice: which of the two a bank would read nobody knows.
func emvFields(text string) (fields map[string]string, ok bool) {
	fields = map[string]string{}
	for text != "" {
		if len(text) < 4 || !only(text[:4], digits) {
			return nil, false
		}
		number := text[:2]
		n, _ := strconv.Atoi(text[2:4]) // two digits
		end := 4 + n
		if _, twice := fields[number]; twice || len(text) < end {
			return nil, false
		}
		fields[number], text = text[4:end], text[end:]
	}
	return fields, true
}

// pixTemplate is the template of Pix among the fields of a BR Code. ok is false where there is none, or several.
func pixTemplate(fields map[string]string) (template map[string]string, ok bool) {
	for number, value := range fields {
		if number < firstTemplate || number > lastTemplate {
			continue
		}
		inner, form := emvFields(value)
		if !form || !strings.EqualFold(inner[schemeField], pixScheme) {
			continue
		}
		if ok {
			return nil, false
		}
		template, ok = inner, true
	}
	return template, ok
}

// readBRCode reads the text of a Pix QR code, which ends in a checksum over all before it.
func readBRCode(text string) (fields, template map[string]string, constraint string) {
	fields, ok := emvFields(text)
	if ok {
		template, ok = pixTemplate(fields)
	}
	if !ok || len(text) > mostBRCode {
		return nil, nil, "must be the text of a Pix QR code"
	}
	sum := len(text) - 4
	if !strings.HasSuffix(text[:sum], brCodeEnd) ||
		!strings.EqualFold(text[sum:], fmt.Sprintf("%04X", crc16(text[:sum]))) {
		return nil, nil, "must be the text of a Pix QR code; its checksum is wrong"
	}
	return fields, template, ""
}

// checkDepositCode takes each Pix QR code: what the partner tells depositors to pay may be a single charge.
func checkDepositCode(text string) (string, string) {
	_, _, constraint := readBRCode(text)
	if constraint != "" {
		return "", constraint
	}
	return text, ""
}

// checkBRCode takes a Pix QR code that can be paid again and again, any amount: that of a key. The other dialect gives
// keys under its name too.
func checkBRCode(text string) (string, string) {
	if !isBRCode(text) {
		return checkPixKey(text)
	}
	fields, template, constraint := readBRCode(text)
	if constraint == "" {
		constraint = reusable(fields, template)
	}
	if constraint != "" {
		return "", constraint
	}
	return text, ""
}

// reusable says why a BR Code names no account that any amount can be sent to at any time, or nothing.
func reusable(fields, template map[string]string) string {
	switch {
	case template[urlField] != "" || fields[initiationField] == onceOnly:
		return "must be a Pix QR code that can be paid again and again; this one is of a single charge"
	case template[keyField] == "":
		return "must be a Pix QR code with a Pix key; this one has none"
	case strings.Trim(fields[amountField], "0.") != "":
		return "must be a Pix QR code without an amount; this one has a fixed one"
	case fields[currencyField] != reaisCode || !strings.EqualFold(fields[countryField], brazilCode):
		return "must be a Pix QR code of Brazil, in reais (country BR, currency 986)"
	}
	if _, constraint := checkPixKey(template[keyField]); constraint != "" {
		return "must be a Pix QR code with a right Pix key; the key in it " + constraint
	}
	return ""
}

// pixKeyOf is the Pix key of details that Check has passed, also the one inside of a BR Code.
func pixKeyOf(d fiat.Details) string {
	if d.BRCode == "" {
		return d.PixKey
	}
	_, template, _ := readBRCode(d.BRCode)
	key, _ := checkPixKey(template[keyField])
	return key
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
