package edge

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/text"
)

// Messages name the field and its constraint and never hold a value. The name of
// an unknown field is the caller's text too, so only a harmless one is said: a
// key, a token or an id in its place is longer, or has other characters.
var saneName = regexp.MustCompile(`^([A-Za-z_$][A-Za-z0-9_$]{0,31}|[0-9]{1,4})$`)

// saneKey is a key of an object whose keys are the caller's, such as the name of a header.
var saneKey = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{0,63}$`)

func orBody(path string) string {
	if path == "" {
		return "body"
	}
	return path
}

func member(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// check finds the first offence in a JSON value, in order of declaration.
func (r *rule) check(path string, v any) error {
	if constraint := r.offence(v); constraint != "" {
		return fault.Field(orBody(path), constraint)
	}
	switch v := v.(type) {
	case map[string]any:
		if r.Type == huma.TypeObject {
			return r.checkObject(path, v)
		}
	case []any:
		if r.Type == huma.TypeArray {
			return r.checkItems(path, v)
		}
	}
	return nil
}

func (r *rule) checkObject(path string, o map[string]any) error {
	declared := map[string]bool{}
	for _, f := range r.fields {
		declared[f.name] = true
		v, given := o[f.name]
		if !given {
			if wrong := r.misspelling(o, f.name); wrong != "" {
				return fault.Field(member(path, wrong), "is not allowed: the field is called "+f.name)
			}
			if f.required {
				return fault.Field(member(path, f.name), "is required")
			}
			continue
		}
		if err := f.check(member(path, f.name), v); err != nil {
			return err
		}
	}
	return r.checkExtra(path, o, declared)
}

// misspelling is the name under which a request gives a field that it lacks: it differs in capitals and underscores
// alone, as walletname and wallet_name do from walletName.
func (r *rule) misspelling(o map[string]any, field string) string {
	plain := func(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if r.Properties[name] == nil && plain(name) == plain(field) && saneName.MatchString(name) {
			return name
		}
	}
	return ""
}

func (r *rule) checkExtra(path string, o map[string]any, declared map[string]bool) error {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if declared[name] {
			continue
		}
		if !saneName.MatchString(name) && (r.extra == nil || !saneKey.MatchString(name)) {
			return fault.Field(orBody(path), "has a field that is not allowed")
		}
		if r.extra == nil {
			return fault.Field(member(path, name), "is not allowed")
		}
		if err := r.extra.check(member(path, name), o[name]); err != nil {
			return err
		}
	}
	return nil
}

func (r *rule) checkItems(path string, items []any) error {
	for i, v := range items {
		if err := r.items.check(fmt.Sprintf("%s[%d]", orBody(path), i), v); err != nil {
			return err
		}
	}
	return nil
}

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
