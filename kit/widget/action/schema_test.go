package action_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/railkit/railkit/kit/widget/action"
)

// The schema of the documentation and the rules agree: it takes what is good, and refuses what has a wrong form.
func TestWidget_Schema(t *testing.T) {
	raw, err := os.ReadFile("../../../docs/action-kit.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	// Patterns of JSON Schema are read as those of ECMAScript with the flag u, which ends a class at its first ].
	if strings.Contains(string(raw), "[]") || strings.Contains(string(raw), "[[]") {
		t.Error("a pattern has a bracket in a class, which validators of JavaScript refuse")
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	takes := func(text string) error {
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		return resolved.Validate(value)
	}
	if err := takes(whole); err != nil {
		t.Error(err)
	}
	b := action.Builder{Rules: sandbox}
	m, err := b.TransferNative(
		action.Texts{Title: "Tip", Description: "A tip", URL: "http://localhost:8080/tip"}, action.Place{Name: "fuji"},
		"0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "",
	)
	if err != nil {
		t.Fatal(err)
	}
	built, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if err := takes(string(built)); err != nil {
		t.Errorf("%s: %v", built, err)
	}
	for name, change := range map[string][2]string{
		"a script":         {`https://app.example/tip"`, `javascript:alert(1)"`},
		"an unknown one":   {`"type":"transfer"`, `"type":"html"`},
		"a browser's":      {`"label":"Tip",`, `"label":"Tip","onclick":"x",`},
		"another's member": {`"amount":0.1`, `"path":"/x"`},
		"a step outside":   {`"type":"transfer"`, `"type":"completion"`},
		"a long title":     {`Tip jar`, strings.Repeat("x", 101)},
		"an odd type":      {`"type":"uint256","label"`, `"type":"file","label"`},
		"nothing":          {`"amount":0.1`, `"amount":0`},
	} {
		if text := strings.Replace(whole, change[0], change[1], 1); takes(text) == nil || text == whole {
			t.Errorf("%s is taken", name)
		}
	}
}
