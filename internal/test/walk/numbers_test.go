package walk_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/api"
	"github.com/railkit/railkit/internal/test/walk"
)

// What is no whole number that a program can hold, or none at all.
var noNumbers = []string{"1e400", "-1e400", "NaN", "Infinity", "-0.5", "1.5", "9999999999999999999999", "-1", `"7"`,
	"0x10", "007", "+1", "1_000", "true", "null"}

// schema is as much of the OpenAPI document as says which fields are numbers.
type schema struct {
	Ref        string `json:"$ref"`
	Type       any
	Properties map[string]schema
	Required   []string
	Examples   []any
}

type document struct {
	Paths      map[string]map[string]operation
	Components struct{ Schemas map[string]schema }
}

type operation struct {
	OperationID string
	Parameters  []parameter
	RequestBody struct {
		Content map[string]struct{ Schema schema }
	}
}

type parameter struct {
	Name, In string
	Required bool
	Schema   schema
}

func (s schema) number() bool { return s.Type == "integer" || s.Type == "number" }

// refuses are the texts that a number of this kind must not be.
func (s schema) refuses() []string {
	if s.Type == "integer" {
		return noNumbers
	}
	return slices.DeleteFunc(slices.Clone(noNumbers), func(text string) bool { return text == "1.5" })
}

// Every field and parameter that is a number refuses what is none, by name.
func TestPlatform_Numbers(t *testing.T) {
	t.Parallel()
	raw, err := api.OpenAPI("sandbox")
	if err != nil {
		t.Fatal(err)
	}
	var doc document
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	s, found := newStage(t), 0
	for path, methods := range doc.Paths {
		for method, op := range methods {
			for _, p := range op.Parameters {
				if p.In == "query" && p.Schema.number() {
					found++
					s.badQuery(t, strings.ToUpper(method), path, p.Name, op.Parameters)
				}
			}
			body := doc.body(op)
			for _, name := range slices.Sorted(maps.Keys(body.Properties)) {
				if body.Properties[name].number() {
					found++
					s.badField(t, op.OperationID, name, body.Properties[name].refuses())
				}
			}
		}
	}
	if found < 8 {
		t.Errorf("only %d numbers were found", found)
	}
	s.onOthers(t, doc)
}

func (s *stage) badQuery(t *testing.T, method, path, name string, all []parameter) {
	t.Helper()
	path = strings.Replace(path, "{integratorId}", s.own.WorkspaceID, 1) + "?integratorId=" + s.own.WorkspaceID
	for _, p := range all {
		if p.In == "query" && p.Required {
			path += "&" + p.Name + "=x"
		}
	}
	for _, text := range noNumbers {
		got := s.Do(s.own.Operator, method,
			path+"&"+name+"="+strings.ReplaceAll(text, "+", "%2B"), "")
		if message := fmt.Sprint(got.Field("message")); got.Status != http.StatusBadRequest ||
			!strings.HasPrefix(message, "Validation failed: "+name+" ") {
			t.Errorf("%s %s with %s=%s: %s", method, path, name, text, brief(got))
		}
	}
}

// badField puts what is no number into a body that is right but for that.
func (s *stage) badField(t *testing.T, operation, name string, refused []string) {
	t.Helper()
	build, changes := walk.Mutations[operation]
	if !changes {
		build = walk.Reads[operation]
	}
	r := build(s.own)
	var body map[string]json.RawMessage
	if err := json.Unmarshal([]byte(r.Body), &body); err != nil {
		t.Fatal(err)
	}
	for _, text := range refused {
		delete(body, name)
		rest, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		wrong := r
		wrong.Body = fmt.Sprintf(`{%q:%s,%s`, name, text, rest[1:])
		if got := wrong.Send(s.own); got.Status != http.StatusBadRequest {
			t.Errorf("%s with %s=%s: %s", operation, name, text, brief(got))
		}
	}
}
