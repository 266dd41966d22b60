package edge

import (
	"encoding/base64"
	"fmt"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/railkit/railkit/text"
)

// offence is the constraint that the value itself breaks, or empty.
func (r *rule) offence(v any) string {
	if v == nil && r.Nullable {
		return ""
	}
	switch v := v.(type) {
	case string:
		if strings.ContainsRune(v, 0) {
			return "must not hold a null character"
		}
		if r.Type == huma.TypeString {
			return r.offenceOfString(v)
		}
	case number:
		if r.Type == huma.TypeNumber || r.Type == huma.TypeInteger {
			return r.offenceOfNumber(string(v))
		}
	case []any:
		if r.Type == huma.TypeArray {
			return r.offenceOfArray(v)
		}
	case map[string]any:
		if r.Type == huma.TypeObject {
			return ""
		}
	case bool:
		if r.Type == huma.TypeBoolean {
			return ""
		}
	}
	return mustBe[r.Type]
}

// mustBe is empty for the schema without a type, which takes anything.
var mustBe = map[string]string{
	huma.TypeString: "must be a string", huma.TypeNumber: "must be a number", huma.TypeInteger: "must be an integer",
	huma.TypeBoolean: "must be a boolean", huma.TypeArray: "must be an array", huma.TypeObject: "must be an object",
}

func (r *rule) offenceOfString(v string) string {
	n := utf8.RuneCountInString(v)
	switch {
	case r.MinLength != nil && *r.MinLength == 1 && strings.TrimSpace(v) == "":
		return "must not be empty"
	case !r.anyText && !text.Visible(v):
		return text.Unseen
	case r.MinLength != nil && n < *r.MinLength:
		return fmt.Sprintf("must have at least %d characters", *r.MinLength)
	case r.MaxLength != nil && n > *r.MaxLength:
		return fmt.Sprintf("must have at most %d characters", *r.MaxLength)
	case len(r.Enum) > 0 && !r.listed(v):
		return "must be one of " + r.choices()
	case r.Format != "" && !formats[r.Format].valid(v):
		return "must be " + formats[r.Format].name
	case r.pattern != nil && !r.pattern.MatchString(v):
		return "must be " + orElse(r.PatternDescription, "of the form "+r.Pattern)
	case r.ContentEncoding == "base64" && !isBase64(v):
		return "must be base64"
	}
	return ""
}

func (r *rule) offenceOfNumber(v string) string {
	if r.Type == huma.TypeInteger && strings.ContainsAny(v, ".eE") {
		return mustBe[huma.TypeInteger]
	}
	f, err := strconv.ParseFloat(v, 64)
	switch {
	case err != nil || len(v) > 100 || r.Type == huma.TypeInteger && !fits(v):
		return "is out of range"
	case r.Minimum != nil && f < *r.Minimum:
		return "must be at least " + plain(*r.Minimum)
	case r.ExclusiveMinimum != nil && f <= *r.ExclusiveMinimum:
		return "must be greater than " + plain(*r.ExclusiveMinimum)
	case r.Maximum != nil && f > *r.Maximum:
		return "must be at most " + plain(*r.Maximum)
	case r.ExclusiveMaximum != nil && f >= *r.ExclusiveMaximum:
		return "must be less than " + plain(*r.ExclusiveMaximum)
	case len(r.Enum) > 0 && !r.listed(v):
		return "must be one of " + r.choices()
	}
	return ""
}

// fits reports whether an integer is one that Go has a type for.
func fits(v string) bool {
	_, signed := strconv.ParseInt(v, 10, 64)
	_, unsigned := strconv.ParseUint(v, 10, 64)
	return signed == nil || unsigned == nil
}

func plain(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func (r *rule) offenceOfArray(v []any) string {
	switch {
	case r.MinItems != nil && len(v) < *r.MinItems:
		return fmt.Sprintf("must have at least %d items", *r.MinItems)
	case r.MaxItems != nil && len(v) > *r.MaxItems:
		return fmt.Sprintf("must have at most %d items", *r.MaxItems)
	case r.UniqueItems && repeats(v):
		return "must not have the same item twice"
	}
	return ""
}

func repeats(items []any) bool {
	seen := map[string]bool{}
	for _, v := range items {
		written := fmt.Sprintf("%T %v", v, v) // maps print in order of their keys
		if seen[written] {
			return true
		}
		seen[written] = true
	}
	return false
}

func (r *rule) listed(v string) bool {
	return slices.ContainsFunc(r.Enum, func(e any) bool { return fmt.Sprint(e) == v })
}

func (r *rule) choices() string {
	names := make([]string, len(r.Enum))
	for i, e := range r.Enum {
		names[i] = fmt.Sprint(e)
	}
	return strings.Join(names, ", ")
}

func orElse(said, other string) string {
	if said == "" {
		return other
	}
	return said
}

func isBase64(v string) bool {
	_, err := base64.StdEncoding.Strict().DecodeString(v)
	return err == nil
}

// formats are the formats of strings that are checked.
var formats = map[string]struct {
	name  string
	valid func(string) bool
}{
	"uuid":  {"a UUID", isUUID},
	"email": {"an e-mail address", isEmail},
	"date-time": {"an ISO 8601 date and time", func(v string) bool {
		_, err := time.Parse(time.RFC3339, v)
		return err == nil
	}},
	"date": {"an ISO 8601 date", func(v string) bool { _, err := time.Parse(time.DateOnly, v); return err == nil }},
	"uri":  {"an absolute URL", func(v string) bool { u, err := url.Parse(v); return err == nil && u.IsAbs() }},
}

func isUUID(v string) bool {
	id, err := uuid.Parse(v)
	return err == nil && strings.EqualFold(id.String(), v)
}

func isEmail(v string) bool {
	a, err := mail.ParseAddress(v)
	return err == nil && a.Address == v && len(v) <= 254
}
