package edge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/platform/auth"
)

func TestDocument(t *testing.T) {
	raw, err := newFixture(t).Document()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		OpenAPI string
		Info    struct{ Version string }
		Paths   map[string]map[string]struct {
			OperationID string
			Description string
			Security    *[]map[string][]string
			Parameters  []struct{ Name, In string }
			Responses   map[string]any
			RateClass   string            `json:"x-rate-class"`
			Aliases     map[string]string `json:"x-aliases"`
		}
		Components struct {
			Schemas         map[string]any
			SecuritySchemes map[string]any
		}
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.OpenAPI != "3.1.0" || doc.Info.Version != "1.0" || doc.Components.SecuritySchemes["apiKey"] == nil {
		t.Errorf("%s %s %v", doc.OpenAPI, doc.Info.Version, doc.Components.SecuritySchemes)
	}
	for _, unwanted := range []string{"$schema", "\"patternDescription", "ErrorModel", "problem+json", "{$}"} {
		if strings.Contains(string(raw), unwanted) {
			t.Errorf("the document holds %s", unwanted)
		}
	}
	if health := doc.Paths["/v1/"]["get"]; health.Security == nil ||
		len(*health.Security) != 0 || len(health.Parameters) != 0 {
		t.Errorf("health asks for a key: %+v", health)
	}
	write := doc.Paths["/v1/signing/things"]["post"]
	if write.OperationID != "makeThing" || write.RateClass != "financial" || len(write.Parameters) != 4 ||
		write.Responses["201"] == nil || write.Responses["default"] == nil || write.Responses["204"] != nil {
		t.Errorf("%+v", write)
	}
	if write.Aliases["gas.limit"] != "gasLimit" {
		t.Errorf("aliases are not told: %v", write.Aliases)
	}
	if doc.Paths["/v1/signing/things/{id}"]["delete"].Responses["202"] == nil {
		t.Error("202 is not described")
	}
	for _, name := range []string{"Thing", "ThingEnvelope", "ThingPage", "ErrorEnvelope"} {
		if doc.Components.Schemas[name] == nil {
			t.Errorf("no schema %s", name)
		}
	}
}

// A generator makes a type's name of a schema's: Go source text for one is refused with the document.
func TestSchemaNeedsAName(t *testing.T) {
	type in[T any] struct{ Body T }
	defer func() {
		if said := recover(); said == nil || !strings.Contains(fmt.Sprint(said), "needs a type with a name") {
			t.Errorf("a body of a type without a name: %v", said)
		}
	}()
	s := newFixture(t).Server
	edge.Call(s, edge.Op{
		ID: "x", Path: "/v1/x", Tag: "T",
	}, func(context.Context, auth.Principal, *in[struct {
		N int `json:"n" maximum:"3"`
	}]) (thing, error) {
		return thing{}, nil
	})
	_, _ = s.Document()
}

// An envelope's success is one value, and a page's data a list.
func TestEnvelopesInTheDocument(t *testing.T) {
	raw, err := newFixture(t).Document()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct {
					Type  string
					Const *bool
				}
			}
		}
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"ThingEnvelope": true, "ThingPage": true, "ErrorEnvelope": false} {
		if got := doc.Components.Schemas[name].Properties["success"].Const; got == nil || *got != want {
			t.Errorf("%s: success is not the one value %v", name, want)
		}
	}
	if got := doc.Components.Schemas["ThingPage"].Properties["data"].Type; got != "array" {
		t.Errorf("a page's data is of type %q", got)
	}
}

// Two types of one name in two packages would show as one schema.
func TestSchemaNamesAreUnique(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("two schemas with one name were accepted")
		}
	}()
	type Meta struct {
		Other string `json:"other"`
	}
	s := newFixture(t).Server
	edge.Get(s, edge.Op{
		ID: "x", Path: "/v1/x", Tag: "T",
	}, func(context.Context, auth.Principal, *nothingIn) (Meta, error) {
		return Meta{}, nil
	})
	_, _ = s.Document()
}

func TestUncheckedKeywordsAreRefused(t *testing.T) {
	type in struct {
		Body struct {
			N int `json:"n" multipleOf:"3"`
		}
	}
	type other struct {
		Body struct {
			H string `json:"h" format:"hostname"`
		}
	}
	for name, try := range map[string]func(*edge.Server){
		"keyword": func(s *edge.Server) {
			edge.Call(s, edge.Op{ID: "y", Path: "/v1/y"}, func(context.Context, auth.Principal, *in) (thing, error) {
				return thing{}, nil
			})
		},
		"format": func(s *edge.Server) {
			edge.Call(s, edge.Op{ID: "z", Path: "/v1/z"}, func(context.Context, auth.Principal, *other) (thing, error) {
				return thing{}, nil
			})
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: accepted", name)
				}
			}()
			s := newFixture(t).Server
			try(s)
			_, _ = s.Document()
		}()
	}
}

// What opens an operation is described where it is not what opens most.
func TestSecurityOfAgents(t *testing.T) {
	f := newFixture(t)
	op := edge.Op{ID: "getMine", Path: "/v1/mine", Tag: "T", Callers: []auth.Kind{auth.ByAgent, auth.ByKey}}
	edge.Get(f.Server, op, func(context.Context, auth.Principal, *nothingIn) (thing, error) { return thing{}, nil })
	raw, err := f.Document()
	if err != nil {
		t.Fatal(err)
	}
	type security []map[string][]string
	var doc struct {
		Security   security
		Paths      map[string]map[string]struct{ Security security }
		Components struct{ SecuritySchemes map[string]any }
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	for of, c := range map[string]struct {
		got  security
		want []int // schemes of each way
	}{
		"most":   {doc.Security, []int{1, 1}},
		"agents": {doc.Paths["/v1/mine"]["get"].Security, []int{3, 1}},
		"one":    {doc.Paths["/v1/signing/things"]["post"].Security, nil},
	} {
		var got []int
		for _, way := range c.got {
			got = append(got, len(way))
			for name := range way {
				if doc.Components.SecuritySchemes[name] == nil {
					t.Errorf("%s: no scheme %s", of, name)
				}
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", of, c.got, c.want)
		}
	}
}
