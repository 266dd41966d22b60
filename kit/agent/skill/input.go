package skill

import (
	"encoding/json"
	"math/big"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/railkit/railkit/fault"
)

// mostSteps bounds how long an input is held against a schema. Schemas come from strangers, and a short one whose parts
// refer to each other can ask for more work than there is time.
const mostSteps = 20_000

// CheckInput refuses an input that is not as schema_input says; the first member that is wrong is named. Keywords that
// only annotate, format and the unevaluated ones are not looked at.
func (s Skill) CheckInput(input map[string]any) error {
	if s.Input == "" {
		return nil
	}
	raw, err := json.Marshal(input)
	if err != nil {
		return fault.Field("input", "must be a JSON object")
	}
	c := checker{root: object(s.Input)}
	if at, wrong := c.check(c.root, object(string(raw)), "input"); wrong != "" {
		return fault.Field(at, wrong)
	}
	return nil
}

// checker holds a value against a schema, and counts the steps.
type checker struct {
	root  map[string]any
	steps int
}

// check says what is wrong with a value, and where; wrong is "" of a good one.
func (c *checker) check(schema, value any, at string) (where, wrong string) {
	if c.steps++; c.steps > mostSteps {
		return "input", "cannot be held against schema_input: that refers to itself, or to too many of its parts"
	}
	if said, is := schema.(bool); is && !said {
		return at, "is not allowed"
	}
	s, is := schema.(map[string]any)
	if !is {
		return at, ""
	}
	for _, part := range []func(s map[string]any, value any, at string) (string, string){
		c.refers, c.plain, c.members, c.elements, c.combined,
	} {
		if where, wrong = part(s, value, at); wrong != "" {
			return where, wrong
		}
	}
	return at, ""
}

// refers follows $ref, whose own parts checkSchema has let through.
func (c *checker) refers(s map[string]any, value any, at string) (string, string) {
	for _, name := range []string{"$ref", "$dynamicRef"} {
		ref, is := s[name].(string)
		if !is {
			continue
		}
		to, found := c.part(ref)
		if !found {
			return "input", "cannot be held against schema_input: it refers to a part that it does not have"
		}
		if where, wrong := c.check(to, value, at); wrong != "" {
			return where, wrong
		}
	}
	return at, ""
}

// part finds a part of the schema by its JSON pointer.
func (c *checker) part(ref string) (any, bool) {
	pointer, err := url.PathUnescape(strings.TrimPrefix(ref, "#"))
	if err != nil || pointer != "" && pointer[0] != '/' {
		return nil, false
	}
	var at any = c.root
	for _, name := range strings.Split(pointer, "/")[1:] {
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		switch in := at.(type) {
		case map[string]any:
			at = in[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(in) {
				return nil, false
			}
			at = in[i]
		default:
			return nil, false
		}
	}
	return at, at != nil
}

// plain looks at the value by itself.
func (c *checker) plain(s map[string]any, value any, at string) (string, string) {
	if types := textsOf(s["type"]); len(types) > 0 && !slices.ContainsFunc(types, func(name string) bool {
		return isType(value, name)
	}) {
		return at, "must be of the type " + strings.Join(types, " or ")
	}
	list, is := s["enum"].([]any)
	if c.steps += len(list); is && !slices.ContainsFunc(list, func(v any) bool { return same(v, value) }) {
		return at, "must be one of the values that schema_input names"
	}
	if want, is := s["const"]; is && !same(want, value) {
		return at, "must be the value that schema_input names"
	}
	switch v := value.(type) {
	case string:
		return at, c.textWrong(s, v)
	case json.Number:
		return at, numberWrong(s, v)
	}
	return at, ""
}

func (c *checker) textWrong(s map[string]any, v string) string {
	n := utf8.RuneCountInString(v)
	switch least, most := whole(s["minLength"], 0), whole(s["maxLength"], n); {
	case n < least:
		return "must have at least " + strconv.Itoa(least) + " characters"
	case n > most:
		return "must have at most " + strconv.Itoa(most) + " characters"
	}
	if pattern, is := s["pattern"].(string); is && !c.matches(pattern, v) {
		return "must match the pattern that schema_input has"
	}
	return ""
}

// matches matches a text, at a price in steps that grows with both. A pattern that is none of Go's matches everything.
func (c *checker) matches(pattern, text string) bool {
	size := len(pattern)
	if strings.Contains(pattern, "{") { // which repeats a part of it 1000 times at most
		size += 1000
	}
	if c.steps += size/10 + size*len(text)/512; c.steps > mostSteps {
		return false
	}
	re, err := regexp.Compile(pattern)
	return err != nil || re.MatchString(text)
}

func numberWrong(s map[string]any, v json.Number) string {
	n, ok := rational(v)
	if !ok {
		return "must be a number of a usual size"
	}
	for _, bound := range []struct {
		name, word string
		good       func(order int) bool
	}{
		{"minimum", "at least", func(o int) bool { return o >= 0 }},
		{"maximum", "at most", func(o int) bool { return o <= 0 }},
		{"exclusiveMinimum", "more than", func(o int) bool { return o > 0 }},
		{"exclusiveMaximum", "less than", func(o int) bool { return o < 0 }},
	} {
		if limit, is := rational(s[bound.name]); is && !bound.good(n.Cmp(limit)) {
			return "must be " + bound.word + " " + s[bound.name].(json.Number).String()
		}
	}
	if step, is := rational(s["multipleOf"]); is && step.Sign() > 0 && !new(big.Rat).Quo(n, step).IsInt() {
		return "must be a multiple of " + s["multipleOf"].(json.Number).String()
	}
	return ""
}

// rational reads a number exactly. Exponents of more than three digits are none that anybody means.
func rational(v any) (*big.Rat, bool) {
	n, is := v.(json.Number)
	if !is || len(n) > 400 {
		return nil, false
	}
	_, exponent, has := strings.Cut(strings.ToLower(n.String()), "e")
	if has && len(strings.Trim(exponent, "+-0")) > 3 {
		return nil, false
	}
	return new(big.Rat).SetString(n.String())
}

// whole is a keyword's whole number, or what it is where there is none.
func whole(v any, absent int) int {
	n, is := v.(json.Number)
	if !is {
		return absent
	}
	i, err := strconv.Atoi(n.String())
	if err != nil {
		return absent
	}
	return i
}

func textsOf(v any) (all []string) {
	if one, is := v.(string); is {
		return []string{one}
	}
	list, _ := v.([]any)
	for _, each := range list {
		if text, is := each.(string); is {
			all = append(all, text)
		}
	}
	return all
}

func isType(value any, name string) bool {
	switch v := value.(type) {
	case map[string]any:
		return name == "object"
	case []any:
		return name == "array"
	case string:
		return name == "string"
	case bool:
		return name == "boolean"
	case nil:
		return name == "null"
	case json.Number:
		n, ok := rational(v)
		return name == "number" || name == "integer" && ok && n.IsInt()
	}
	return false
}

// same compares two JSON values; 1 and 1.0 are the same.
func same(a, b any) bool {
	x, isX := rational(a)
	y, isY := rational(b)
	if isX && isY {
		return x.Cmp(y) == 0
	}
	return reflect.DeepEqual(a, b)
}
