package skill

import (
	"maps"
	"slices"
	"strconv"
)

// members looks at an object's members.
func (c *checker) members(s map[string]any, value any, at string) (string, string) {
	o, is := value.(map[string]any)
	if !is {
		return at, ""
	}
	for _, name := range textsOf(s["required"]) {
		if _, has := o[name]; !has {
			return at + "." + name, "is required"
		}
	}
	switch n := len(o); {
	case n < whole(s["minProperties"], 0):
		return at, "has too few members"
	case n > whole(s["maxProperties"], n):
		return at, "has too many members"
	}
	c.steps += len(o)
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if where, wrong := c.member(s, o, name, at); wrong != "" {
			return where, wrong
		}
	}
	return at, ""
}

// member looks at one member: what schema_input says of its name, and of what it needs beside it.
func (c *checker) member(s, o map[string]any, name, at string) (string, string) {
	here, known := at+"."+name, false
	properties, _ := s["properties"].(map[string]any)
	if of, is := properties[name]; is {
		known = true
		if where, wrong := c.check(of, o[name], here); wrong != "" {
			return where, wrong
		}
	}
	patterns, _ := s["patternProperties"].(map[string]any)
	for _, pattern := range slices.Sorted(maps.Keys(patterns)) {
		if c.matches(pattern, name) {
			known = true
			if where, wrong := c.check(patterns[pattern], o[name], here); wrong != "" {
				return where, wrong
			}
		}
	}
	if rest, is := s["additionalProperties"]; is && !known {
		if where, wrong := c.check(rest, o[name], here); wrong != "" {
			return where, wrong
		}
	}
	if of, is := s["propertyNames"]; is {
		if _, wrong := c.check(of, name, here); wrong != "" {
			return here, "has a name that schema_input does not allow"
		}
	}
	return c.depends(s, o, name, at)
}

// depends looks at what an object needs where it has a member.
func (c *checker) depends(s, o map[string]any, name, at string) (string, string) {
	needs, _ := s["dependentRequired"].(map[string]any)
	for _, other := range textsOf(needs[name]) {
		if _, has := o[other]; !has {
			return at + "." + other, "is required beside " + name
		}
	}
	schemas, _ := s["dependentSchemas"].(map[string]any)
	if of, is := schemas[name]; is {
		return c.check(of, o, at)
	}
	return at, ""
}

// elements looks at a list's elements. Older drafts have the first ones in items, and the others in additionalItems.
func (c *checker) elements(s map[string]any, value any, at string) (string, string) {
	list, is := value.([]any)
	if !is {
		return at, ""
	}
	first, others := s["prefixItems"], s["items"]
	if _, older := s["items"].([]any); older {
		first, others = s["items"], s["additionalItems"]
	}
	prefix, _ := first.([]any)
	for i, v := range list {
		of := others
		if i < len(prefix) {
			of = prefix[i]
		}
		if where, wrong := c.check(of, v, at+"."+strconv.Itoa(i)); wrong != "" {
			return where, wrong
		}
	}
	switch n := len(list); {
	case n < whole(s["minItems"], 0):
		return at, "has too few elements"
	case n > whole(s["maxItems"], n):
		return at, "has too many elements"
	case s["uniqueItems"] == true && c.twice(list):
		return at, "has an element twice"
	}
	return c.contains(s, list, at)
}

func (c *checker) twice(list []any) bool {
	for i := range list {
		if c.steps += i; c.steps > mostSteps {
			return true
		}
		if slices.ContainsFunc(list[:i], func(v any) bool { return same(v, list[i]) }) {
			return true
		}
	}
	return false
}

func (c *checker) contains(s map[string]any, list []any, at string) (string, string) {
	of, is := s["contains"]
	if !is {
		return at, ""
	}
	n := 0
	for _, v := range list {
		if _, wrong := c.check(of, v, at); wrong == "" {
			n++
		}
	}
	if n < whole(s["minContains"], 1) || n > whole(s["maxContains"], n) {
		return at, "has too few or too many elements of a kind that schema_input names"
	}
	return at, ""
}

// combined looks at schemas of which a value has to fit all, one, some, or none.
func (c *checker) combined(s map[string]any, value any, at string) (string, string) {
	all, _ := s["allOf"].([]any)
	for _, of := range all {
		if where, wrong := c.check(of, value, at); wrong != "" {
			return where, wrong
		}
	}
	if n, is := c.fits(s["anyOf"], value, at); is && n == 0 {
		return at, "fits none of the forms that schema_input has"
	}
	if n, is := c.fits(s["oneOf"], value, at); is && n != 1 {
		return at, "must fit exactly one of the forms that schema_input has"
	}
	if of, is := s["not"]; is {
		if _, wrong := c.check(of, value, at); wrong == "" {
			return at, "has a form that schema_input excludes"
		}
	}
	if of, is := s["if"]; is {
		branch := "then"
		if _, wrong := c.check(of, value, at); wrong != "" {
			branch = "else"
		}
		return c.check(s[branch], value, at)
	}
	return at, c.late()
}

func (c *checker) fits(list, value any, at string) (n int, is bool) {
	forms, is := list.([]any)
	for _, of := range forms {
		if _, wrong := c.check(of, value, at); wrong == "" {
			n++
		}
	}
	return n, is
}

// late says that the steps are used up, so that a form which nobody could look at does not count as one that does not
// fit.
func (c *checker) late() string {
	if c.steps > mostSteps {
		return "cannot be held against schema_input: that refers to itself, or to too many of its parts"
	}
	return ""
}
