package bank

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// structures is the IBAN registry: what follows country and check digits, as
// runs of digits (n), letters (a) or both (c).
var structures = structuresOf(`
AD 8n12c AE 19n AL 8n16c AT 16n AZ 4a20c BA 16n BE 12n BG 4a6n8c BH 4a14c BI 23n BR 23n1a1c BY 4c4n16c CH 5n12c CR 18n
CY 8n16c CZ 20n DE 18n DJ 23n DK 14n DO 4c20n EE 16n EG 25n ES 20n FI 14n FK 2a12n FO 14n FR 10n11c2n GB 4a14n GE 2a16n
GI 4a15c GL 14n GR 7n16c GT 24c HN 4a20n HR 17n HU 24n IE 4a14n IL 19n IQ 4a15n IS 22n IT 1a10n12c JO 4a4n18c KW 4a22c
KZ 3n13c LB 4n20c LC 4a24c LI 5n12c LT 16n LU 3n13c LV 4a13c LY 21n MC 10n11c2n MD 20c ME 18n MK 3n10c2n MN 16n MR 23n
MT 4a5n18c MU 4a19n3a NI 4a20n NL 4a10n NO 11n OM 3n16c PK 4a16c PL 24n PS 4a21c PT 21n QA 4a21c RO 4a16c RS 18n
RU 14n15c SA 2n18c SC 4a20n3a SD 14n SE 20n SI 15n SK 20n SM 1a10n12c SO 19n ST 21n SV 4a20n TL 19n TN 20n TR 6n16c
UA 6n19c VA 18n VG 4a16n XK 16n YE 4a4n18c`)

// sepa are the countries that SEPA reaches and that have IBANs of their own.
var sepa = strings.Fields(`
AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS SE SI SK SM VA`)

func structuresOf(text string) map[string]string {
	known := map[string]string{}
	words := strings.Fields(text)
	for i := 0; i < len(words); i += 2 {
		known[words[i]] = words[i+1]
	}
	return known
}

// fits tells whether text has the structure, such as 4n16c, and nothing behind it.
func fits(structure, text string) bool {
	for structure != "" {
		end := strings.IndexAny(structure, "nac")
		length, _ := strconv.Atoi(structure[:end]) // only structures of the registry come here
		if len(text) < length || !only(text[:length], classes[structure[end]]) {
			return false
		}
		structure, text = structure[end+1:], text[length:]
	}
	return text == ""
}

var classes = map[byte]string{'n': digits, 'a': upper, 'c': digits + upper}

// checkIBAN checks an IBAN of any country.
func checkIBAN(text string) (string, string) {
	text = strings.ToUpper(compact(text, ""))
	if len(text) < 4 {
		return "", "must be an IBAN"
	}
	form, known := structures[text[:2]]
	switch {
	case !known:
		return "", "must be an IBAN; its country has none"
	case !only(text[2:4], digits) || !fits(form, text[4:]):
		return "", "must be an IBAN; it has not the length or form of its country"
	case text[2:4] == "00" || text[2:4] == "01" || text[2:4] == "99" || remainder(text[4:]+text[:4]) != 1:
		return "", "must be an IBAN; its check digits are wrong"
	}
	if check, has := national[text[:2]]; has && !check(text[4:]) {
		return "", "must be an IBAN; the check digits of the account number inside of it, " +
			"which are its country's own, are wrong"
	}
	return text, ""
}

// checkSEPA checks an IBAN that euros are sent to.
func checkSEPA(text string) (string, string) {
	text, constraint := checkIBAN(text)
	switch {
	case constraint != "":
		return text, constraint
	case !slices.Contains(sepa, text[:2]):
		return "", "must be an IBAN of a country that SEPA reaches"
	case isQRIBAN(text):
		return "", "must be the account's own IBAN, not its QR-IBAN: that takes only payments with a QR reference"
	}
	return text, ""
}

// isQRIBAN tells whether an IBAN is one for Swiss QR bills: those of Switzerland and Liechtenstein whose bank has a
// number (the five digits after the check digits) from 30000 to 31999.
func isQRIBAN(iban string) bool {
	return (iban[:2] == "CH" || iban[:2] == "LI") && iban[4:9] >= "30000" && iban[4:9] <= "31999"
}

// remainder divides by 97, a letter being the number of its place after 9.
func remainder(text string) (rest int) {
	for _, r := range text {
		n, _ := strconv.ParseInt(string(r), 36, 64) // only letters and digits come here
		if n > 9 {
			rest = (rest*100 + int(n)) % 97
			continue
		}
		rest = (rest*10 + int(n)) % 97
	}
	return rest
}

var bicForm = regexp.MustCompile(`^[A-Z]{4}([A-Z]{2})[A-Z0-9]{2}([A-Z0-9]{3})?$`)

func checkBIC(text string) (string, string) {
	text = strings.ToUpper(compact(text, ""))
	parts := bicForm.FindStringSubmatch(text)
	if parts == nil {
		return "", "must be a BIC of 8 or 11 characters"
	}
	if _, ok := country(parts[1]); !ok {
		return "", "must be a BIC; its country is none"
	}
	return text, ""
}
