package bank

import (
	"slices"
	"strings"
)

// national are the checks that a country's own account numbers carry inside of an
// IBAN, besides the two check digits of every IBAN. A number that was mistyped before
// somebody made an IBAN of it passes those and not these. Each takes what follows the
// first four characters, of the length and form of its country.
//
// Where a country has none, has given it up (DK, NL, IS), or leaves it to each bank
// (AT, DE, SE), nothing more is checked.
var national = map[string]func(bban string) bool{
	"AL": func(b string) bool { return weigh(b[:8], "97319731")%10 == 0 },
	"BA": ends97,
	"BE": func(b string) bool { return (remainder(b[:10])+96)%97+1 == int(b[10]-'0')*10+int(b[11]-'0') },
	"CZ": czech,
	"EE": func(b string) bool { return weigh(backwards(b[2:]), "173")%10 == 0 },
	"ES": spanish,
	"FI": luhn,
	"FR": french,
	"HR": func(b string) bool { return mod11and10(b[:7]) && mod11and10(b[7:]) },
	"HU": func(b string) bool { return weigh(b[:8], "9731")%10 == 0 && weigh(b[8:], "9731")%10 == 0 },
	"IT": italian,
	"MC": french,
	"ME": ends97,
	"MK": ends97,
	"NO": norwegian,
	"PL": func(b string) bool { return weigh(b[:8], "39713971")%10 == 0 },
	"PT": ends97,
	"RS": ends97,
	"SI": ends97,
	"SK": czech,
	"SM": italian,
}

// ends97 is ISO 7064 MOD 97-10: the last two digits make the rest 1.
func ends97(bban string) bool { return remainder(bban) == 1 }

// mod11and10 is ISO 7064 MOD 11,10.
func mod11and10(text string) bool {
	rest := 10
	for i := range len(text) - 1 {
		rest = (rest + int(text[i]-'0')) % 10
		if rest == 0 {
			rest = 10
		}
		rest = rest * 2 % 11
	}
	return (rest+int(text[len(text)-1]-'0'))%10 == 1
}

// luhn doubles every other digit, from the one before the last.
func luhn(text string) bool {
	sum := 0
	for i, r := range backwards(text) {
		n := int(r-'0') * (1 + i%2)
		sum += n/10 + n%10
	}
	return sum%10 == 0
}

func backwards(text string) string {
	all := []byte(text)
	slices.Reverse(all)
	return string(all)
}

// elevens weighs digits by the powers of two, from the right, and divides by 11.
func elevens(text string) (rest int) {
	for i := range len(text) {
		rest = (rest*2 + int(text[i]-'0')) % 11
	}
	return rest
}

// czech numbers have a prefix and a number after the bank, each of which carries its
// own digit.
func czech(bban string) bool { return elevens(bban[4:10]) == 0 && elevens(bban[10:]) == 0 }

// spanish is bank and branch, two digits, and the account: the first digit is of bank
// and branch, the second of the account.
func spanish(bban string) bool {
	digit := func(text string) byte {
		rest := elevens(backwards(text))
		if rest > 1 {
			rest = 11 - rest
		}
		return byte('0' + rest)
	}
	return bban[8] == digit("00"+bban[:8]) && bban[9] == digit(bban[10:])
}

// french letters count as digits: A and J as 1, B, K and S as 2, up to I, R and Z as 9.
func french(bban string) bool {
	return remainder(strings.Map(func(r rune) rune {
		switch {
		case r >= 'S':
			return r - 'S' + '2'
		case r >= 'J':
			return r - 'J' + '1'
		case r >= 'A':
			return r - 'A' + '1'
		}
		return r
	}, bban)) == 0
}

// oddPlaces are what digits, and letters, count at the first, third, fifth place.
var oddPlaces = [26]int{1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23}

// italian begins with a letter that the rest makes.
func italian(bban string) bool {
	sum := 0
	for i, r := range bban[1:] {
		n := int(r - '0')
		if r >= 'A' {
			n = int(r - 'A')
		}
		if i%2 == 0 {
			n = oddPlaces[n]
		}
		sum += n
	}
	return bban[0] == byte('A'+sum%26)
}

// norwegian is a number of eleven digits. Where the two after the bank are zero the
// bank is no part of the check.
func norwegian(bban string) bool {
	if bban[4:6] == "00" {
		return weigh(bban[6:], "54321")%11 == 0
	}
	return weigh(bban, "54327654321")%11 == 0
}
