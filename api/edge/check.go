package edge

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/railkit/railkit/fault"
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
