package bank

import (
	"strings"

	"golang.org/x/text/language"

	"github.com/railkit/railkit/fault"
)

// Country reads an ISO 3166 code of two or three letters, in either case, as the
// two letters.
func Country(field, text string) (string, error) {
	region, ok := country(text)
	if !ok {
		return "", fault.Field(field, "must be an ISO 3166 country code")
	}
	return region.String(), nil
}

// Alpha3 is the three letters of a country of two.
func Alpha3(alpha2 string) string {
	region, ok := country(alpha2)
	if !ok {
		return ""
	}
	return region.ISO3()
}

func country(text string) (language.Region, bool) {
	if (len(text) != 2 && len(text) != 3) || strings.Trim(strings.ToUpper(text), upper) != "" {
		return language.Region{}, false
	}
	region, err := language.ParseRegion(text)
	return region.Canonicalize(), err == nil && region.IsCountry() && region.ISO3() != "ZZZ"
}
