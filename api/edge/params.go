package edge

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/railkit/railkit/fault"
)

// checkParams checks path and query in order of declaration.
func (o *operation) checkParams(r *http.Request, query url.Values) error {
	for _, p := range o.params {
		values := query[p.name]
		if p.in == "path" {
			values = []string{r.PathValue(p.name)}
		}
		if len(values) > 1 && p.Type == huma.TypeArray { // several of a list are one list
			values = []string{strings.Join(values, ",")}
			query[p.name] = values
		}
		if len(values) > 1 {
			return fault.Field(p.name, "must be given once")
		}
		if len(values) == 0 || values[0] == "" {
			if p.required {
				return fault.Field(p.name, "is required")
			}
			continue
		}
		if !utf8.ValidString(values[0]) {
			return fault.Field(p.name, "must be UTF-8")
		}
		if err := p.check(p.name, p.fromText(values[0])); err != nil {
			return err
		}
	}
	return nil
}

var numeric = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// fromText reads a parameter as the JSON value that its schema asks for; what
// cannot be one stays text, which the schema then refuses.
func (r *rule) fromText(v string) any {
	switch r.Type {
	case huma.TypeInteger, huma.TypeNumber:
		if numeric.MatchString(v) {
			return number(v)
		}
	case huma.TypeBoolean:
		if v == "true" || v == "false" {
			return v == "true"
		}
	case huma.TypeArray:
		var items []any
		for part := range strings.SplitSeq(v, ",") {
			items = append(items, r.items.fromText(part))
		}
		return items
	}
	return v
}
