package mail

import "slices"

// Language is one in which mails are written.
type Language string

// The languages.
const (
	English    Language = "en"
	Spanish    Language = "es"
	Portuguese Language = "pt"
)

// Languages lists them all.
var Languages = []Language{English, Spanish, Portuguese}

// Or is the language, or English where that is none of ours.
func (l Language) Or() Language {
	if slices.Contains(Languages, l) {
		return l
	}
	return English
}

// byCountry are the countries, by ISO 3166, of which most people read Spanish or Portuguese.
var byCountry = map[Language][]string{
	Spanish: {
		"AR", "BO", "CL", "CO", "CR", "CU", "DO", "EC", "ES", "GQ", "GT", "HN", "MX", "NI", "PA", "PE", "PR", "PY",
		"SV", "UY", "VE",
	},
	Portuguese: {"AO", "BR", "CV", "GW", "MZ", "PT", "ST", "TL"},
}

// OfCountry is the language of who lives in a country, as far as its address says.
func OfCountry(code string) Language {
	for language, countries := range byCountry {
		if slices.Contains(countries, code) {
			return language
		}
	}
	return English
}
