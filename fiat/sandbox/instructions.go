package sandbox

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/google/uuid"

	"github.com/railkit/railkit/money"
)

// instructions tell depositors where to send money.
type instructions struct {
	Currency    money.Currency `json:"currency"`
	Rails       []string       `json:"payment_rails"`
	BankName    string         `json:"bank_name"`
	BankAddress string         `json:"bank_address"`
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
		i.Rails, i.BRCode = []string{"pix"}, brCode(uuid.NewString(), i.Beneficiary)
	case money.GBP:
		i.Rails, i.Account, i.SortCode = []string{"faster_payments"}, fmt.Sprintf("%08d", n%100_000_000), "040004"
	default:
		return false
	}
	return true
}

// reference is the number that a deposit names: the one by which the account is found.
func (i *instructions) reference() string {
	return i.CLABE + i.IBAN + i.BankAccount + i.Account + i.BRCode
}

// germanIBAN computes the check digits: with 00 in their place the number's rest
// modulo 97, and DE being 1314.
func germanIBAN(n uint32) string {
	bban := fmt.Sprintf("10010010%010d", n)
	whole, _ := new(big.Int).SetString(bban+"131400", 10)
	return fmt.Sprintf("DE%02d%s", 98-new(big.Int).Mod(whole, big.NewInt(97)).Int64(), bban)
}

// brCode is the text of a static Pix QR code, as the Banco Central's manual and EMV's lay it out: fields of a number, a
// length and a value, the last of which is a checksum of all before it.
func brCode(key, name string) string {
	text := field("00", "01") + field("26", field("00", "br.gov.bcb.pix")+field("01", key)) + field("52", "0000") +
		field("53", "986") + field("58", "BR") + field("59", merchant(name)) + field("60", "SAO PAULO") +
		field("62", field("05", "***")) + "6304"
	return text + fmt.Sprintf("%04X", crc16(text))
}

func field(number, value string) string { return fmt.Sprintf("%s%02d%s", number, len(value), value) }

// mostMerchant is how long a name in a QR code may be.
const mostMerchant = 25

// merchant is a name in the letters that every QR code reader takes.
func merchant(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, name)
	if name = strings.TrimSpace(name[:min(len(name), mostMerchant)]); name == "" {
		return "CUSTOMER"
	}
	return name
}

// crc16 is CRC-16/CCITT-FALSE.
func crc16(text string) uint16 {
	crc := uint16(0xFFFF)
	for _, b := range []byte(text) {
		crc ^= uint16(b) << 8
		for range 8 {
			high := crc&0x8000 != 0
			crc <<= 1
			if high {
				crc ^= 0x1021
			}
		}
	}
	return crc
}
