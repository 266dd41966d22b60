package skill_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/agent/skill"
)

// An input is held against schema_input, and the member that is wrong is named.
func TestAgents_SkillInput(t *testing.T) {
	for _, c := range []struct{ schema, input, wrong string }{
		{``, `{"anything":1}`, ""},
		{`{"type":"object","required":["city"]}`, `{}`, "input.city is required"},
		{`{"properties":{"city":{"type":"string","minLength":2,"maxLength":3}}}`, `{"city":"é"}`,
			"input.city must have at least 2 characters"},
		{`{"properties":{"city":{"type":"string","maxLength":3}}}`, `{"city":"ééé"}`, ""},
		{`{"properties":{"n":{"type":["integer","null"]}}}`, `{"n":1.0}`, ""},
		{`{"properties":{"n":{"type":["integer","null"]}}}`, `{"n":1.5}`, "input.n must be of the type integer or null"},
		{`{"properties":{"n":{"minimum":0.1,"exclusiveMaximum":2,"multipleOf":0.1}}}`, `{"n":0.3}`, ""},
		{`{"properties":{"n":{"exclusiveMaximum":2}}}`, `{"n":2}`, "input.n must be less than 2"},
		{`{"properties":{"n":{"multipleOf":0.1}}}`, `{"n":0.35}`, "input.n must be a multiple of 0.1"},
		{`{"properties":{"n":{"minimum":1}}}`, `{"n":1e9999}`, "input.n must be a number of a usual size"},
		{`{"properties":{"a":{"enum":["x",1]}}}`, `{"a":1.0}`, ""},
		{`{"properties":{"a":{"enum":["x",1]}}}`, `{"a":"y"}`, "input.a must be one of the values"},
		{`{"properties":{"a":{"const":{"b":[1]}}}}`, `{"a":{"b":[2]}}`, "input.a must be the value"},
		{`{"additionalProperties":false,"properties":{"a":{}}}`, `{"a":1,"b":1}`, "input.b is not allowed"},
		{`{"patternProperties":{"^x":{"type":"string"}},"additionalProperties":false}`, `{"xy":"a"}`, ""},
		{`{"patternProperties":{"^x":{"type":"string"}}}`, `{"xy":1}`, "input.xy must be of the type string"},
		{`{"propertyNames":{"maxLength":2}}`, `{"abc":1}`, "input.abc has a name"},
		{`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, "input.b is required beside a"},
		{`{"dependentSchemas":{"a":{"required":["c"]}}}`, `{"a":1}`, "input.c is required"},
		{`{"maxProperties":1}`, `{"a":1,"b":1}`, "input has too many members"},
		{`{"properties":{"l":{"items":{"type":"string"},"minItems":1}}}`, `{"l":["a",1]}`,
			"input.l.1 must be of the type string"},
		{`{"properties":{"l":{"minItems":1}}}`, `{"l":[]}`, "input.l has too few elements"},
		{`{"properties":{"l":{"prefixItems":[{"type":"string"}],"items":false}}}`, `{"l":["a",1]}`,
			"input.l.1 is not allowed"},
		{`{"properties":{"l":{"items":[{"type":"string"}],"additionalItems":{"type":"number"}}}}`, `{"l":["a","b"]}`,
			"input.l.1 must be of the type number"},
		{`{"properties":{"l":{"uniqueItems":true}}}`, `{"l":[1,1.0]}`, "input.l has an element twice"},
		{`{"properties":{"l":{"contains":{"const":1},"maxContains":1}}}`, `{"l":[1,1]}`, "input.l has too few or too many"},
		{`{"allOf":[{"required":["a"]},{"required":["b"]}]}`, `{"a":1}`, "input.b is required"},
		{`{"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{"c":1}`, "input fits none"},
		{`{"oneOf":[{"required":["a"]},{"required":["b"]}]}`, `{"a":1,"b":1}`, "input must fit exactly one"},
		{`{"not":{"required":["a"]}}`, `{"a":1}`, "input has a form"},
		{`{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}`, `{"a":1}`, "input.b is required"},
		{`{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}`, `{}`, "input.c is required"},
		{`{"$ref":"#/$defs/a~1b","$defs":{"a/b":{"required":["x"]}}}`, `{}`, "input.x is required"},
		{`{"properties":{"next":{"$ref":"#"}},"required":["v"]}`, `{"v":1,"next":{"v":1,"next":{}}}`,
			"input.next.next.v is required"},
		{`{"$ref":"#/nowhere"}`, `{}`, "input cannot be held against schema_input"},
		{`{"properties":{"a":{"pattern":"^[a-z]+$"}}}`, `{"a":"A"}`, "input.a must match the pattern"},
		{`{"properties":{"a":{"pattern":"(?!a)"}}}`, `{"a":"a"}`, ""}, // is no pattern of Go's
	} {
		err := skill.Skill{Input: c.schema}.CheckInput(members(t, c.input))
		if c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%s of %s: %v, want %q", c.input, c.schema, err, c.wrong)
		}
	}
}

// A short schema that asks for more work than there is time refuses the input, by counting steps: some would go on for
// ever.
func TestAgents_SkillInputWithinTime(t *testing.T) {
	doubling := `"d0":{"type":"object"}`
	for i := range 200 {
		doubling += fmt.Sprintf(`,"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i+1, i, i)
	}
	many, long := []string{}, strings.Repeat("a", 60_000)
	for i := range 9_000 {
		many = append(many, fmt.Sprintf(`"m%d":1`, i))
	}
	for what, c := range map[string]struct{ schema, input string }{
		"itself":    {`{"$ref":"#"}`, `{}`},
		"excluded":  {`{"not":{"not":{"$ref":"#"}}}`, `{}`},
		"doubling":  {`{"$ref":"#/$defs/d200","$defs":{` + doubling + `}}`, `{}`},
		"in a form": {`{"anyOf":[true,{"$ref":"#/$defs/d200"}],"$defs":{` + doubling + `}}`, `{}`},
		"members": {`{"allOf":[` + strings.Repeat(`{"maxProperties":9999},`, 500) + `true]}`,
			`{` + strings.Join(many, ",") + `}`},
		"patterns": {
			`{"properties":{"a":{"allOf":[` + strings.Repeat(`{"pattern":"(a|aa){1,900}b"},`, 300) + `true]}}}`,
			`{"a":"` + long + `"}`,
		},
		"alike": {`{"properties":{"a":{"uniqueItems":true}}}`, `{"a":[` + strings.Repeat(`{},`, 9_000) + `1]}`},
	} {
		begun := time.Now()
		err := skill.Skill{Input: c.schema}.CheckInput(members(t, c.input))
		if took := time.Since(begun); err == nil || took > time.Minute {
			t.Errorf("%s: %v after %s", what, err, took)
		}
	}
}

func members(t *testing.T, text string) (m map[string]any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	return m
}
