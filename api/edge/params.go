package edge

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/railkit/railkit/fault"
)

// checkQuery refuses a query parameter that the operation does not declare: a filter that nobody reads would answer
// with what the caller meant to leave out. integratorId may be said of every call.
func (o *operation) checkQuery(query url.Values) error {
	known := []string{"integratorId"}
	for _, p := range o.sources {
		if p.in == "query" {
			known = append(known, p.name)
		}
	}
	takes := ": it takes " + strings.Join(known, ", ")
	for _, name := range slices.Sorted(maps.Keys(query)) {
		switch {
		case slices.Contains(known, name):
		case !saneName.MatchString(name):
			return fault.Field("query", "has a parameter that this call does not take"+takes)
		default:
			return fault.Field(name, "is not a query parameter of this call"+takes)
		}
	}
	return nil
}

// checkParams checks path and query in order of declaration.
func (o *operation) checkParams(r *http.Request, query url.Values) error {
	if err := o.checkQuery(query); err != nil {
		return err
	}
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
