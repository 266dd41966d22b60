package bank

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// exactly is the check of a number that has so many digits and says no more.
func exactly(n int) func(string) (string, string) {
	return func(text string) (string, string) {
		text = compact(text, "")
		if len(text) != n || !only(text, digits) {
			return "", fmt.Sprintf("must have %d digits", n)
		}
		return text, ""
	}
}

func checkUSNumber(text string) (string, string) {
	text = compact(text, "")
	if len(text) < 4 || len(text) > 17 || !only(text, digits) {
		return "", "must have 4 to 17 digits"
	}
	return text, ""
}

func checkType(text string) (string, string) {
	text = strings.ToLower(text)
	if text != "checking" && text != "savings" {
		return "", "must be one of checking, savings"
	}
	return text, ""
}

// checkRouting knows which first digits the American Bankers Association gives
// out: Reserve districts, thrifts, electronic transactions and traveller's cheques.
func checkRouting(text string) (string, string) {
	text, constraint := exactly(9)(text)
	if constraint != "" {
		return "", constraint
	}
	first := int(text[0]-'0')*10 + int(text[1]-'0')
	given := first >= 1 && first <= 12 || first >= 21 && first <= 32 || first >= 61 && first <= 72 || first == 80
	switch {
	case first == 0:
		return "", "must be a routing number of an American bank; " +
			"those that begin with 00 are the United States government's own"
	case !given:
		return "", "must be a routing number of an American bank; none begins with these two digits"
	case weigh(text, "371")%10 != 0:
		return "", "must be a routing number of an American bank; its check digit is wrong"
	}
	return text, ""
}

func checkCLABE(text string) (string, string) {
	text, constraint := exactly(18)(text)
	if constraint != "" {
		return "", constraint
	}
	sum := 0
	for i := range 17 {
		sum += int(text[i]-'0') * int("371"[i%3]-'0') % 10
	}
	switch {
	case !clabeBanks[text[:3]]:
		return "", "must be a CLABE; its first three digits are of no bank on the list of " + clabeListed
	case (10-sum%10)%10 != int(text[17]-'0'):
		return "", "must be a CLABE; its check digit is wrong"
	}
	return text, ""
}

// clabeListed is the day of the list, whose head says where it is from.
const clabeListed = "2026-03-25"

//go:embed clabe_banks.tsv
var clabeFile string

// clabeBanks are the first three digits that CLABEs have.
var clabeBanks = func() map[string]bool {
	known := map[string]bool{}
	for line := range strings.Lines(clabeFile) {
		if code, _, is := strings.Cut(line, "\t"); is && only(code, digits) {
			known[code] = true
		}
	}
	return known
}()

// weigh adds the digits times the weights, which come again and again.
func weigh(text, weights string) (sum int) {
	for i := range len(text) {
		sum += int(text[i]-'0') * int(weights[i%len(weights)]-'0')
	}
	return sum
}

const mostName = 200

func checkName(text string) (string, string) {
	if utf8.RuneCountInString(text) > mostName {
		return "", fmt.Sprintf("must have at most %d characters", mostName)
	}
	return text, ""
}

// An RFC is letters of the name, the date of birth or founding, and three more.
// Its last check digit is not looked at: of those in use too many have it wrong.
var rfcForm = regexp.MustCompile(`^[A-ZÑ&]{3,4}([0-9]{6})[A-Z0-9]{3}$`)

func checkRFC(text string) (string, string) {
	text = strings.ToUpper(compact(text, ""))
	parts := rfcForm.FindStringSubmatch(text)
	if parts == nil {
		return "", "must be an RFC of 12 or 13 characters"
	}
	if _, err := time.Parse("060102", parts[1]); err != nil {
		return "", "must be an RFC; its date is none"
	}
	return text, ""
}
