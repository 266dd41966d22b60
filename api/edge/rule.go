package edge

import (
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// rule is a schema made ready to check with: the fields of an object in the
// order in which the Go type declares them, so that the first offending one is
// always the same.
type rule struct {
	*huma.Schema
	fields  []field
	extra   *rule // of members that are not fields; nil: none are allowed
	items   *rule
	pattern *regexp.Regexp
	anyText bool // a text that is not shown to people, or shown as what it is: see package text
}

type field struct {
	name     string
	required bool
	*rule
}

// anything is the rule of a value whose schema says nothing.
var anything = &rule{Schema: &huma.Schema{}}

// nothing is the body of an operation that has none: empty, or an empty object,
// which some clients send with every POST.
var nothing = &rule{Schema: &huma.Schema{Type: huma.TypeObject}}

// compiler makes rules. It remembers those begun, so that a type may hold itself.
type compiler struct {
	registry huma.Registry
	rules    map[*huma.Schema]*rule
}

func (c *compiler) rule(t reflect.Type, s *huma.Schema) *rule {
	for s.Ref != "" {
		s = c.registry.SchemaFromRef(s.Ref)
	}
	if r, begun := c.rules[s]; begun {
		return r
	}
	if s.OneOf != nil || s.AnyOf != nil || s.AllOf != nil || s.Not != nil || s.Const != nil || s.MultipleOf != nil ||
		s.MinProperties != nil || s.MaxProperties != nil || len(s.DependentRequired) > 0 {
		panic(fmt.Sprintf("edge: the schema of %v has a keyword that is not checked here", t))
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	r := &rule{Schema: s}
	c.rules[s] = r
	if s.Pattern != "" {
		r.pattern = regexp.MustCompile(s.Pattern)
	}
	if s.Type == huma.TypeString && s.Format != "" && formats[s.Format].valid == nil {
		panic(fmt.Sprintf("edge: the schema of %v has a format that is not checked here: %s", t, s.Format))
	}
	switch s.Type {
	case huma.TypeObject:
		c.object(r, t)
	case huma.TypeArray:
		r.items = c.rule(t.Elem(), s.Items)
	}
	return r
}

func (c *compiler) object(r *rule, t reflect.Type) {
	switch extra := r.AdditionalProperties.(type) {
	case bool:
		if extra {
			r.extra = anything
		}
	case *huma.Schema:
		r.extra = c.rule(t.Elem(), extra)
	}
	for _, f := range members(t) {
		if s := r.Properties[f.name]; s != nil {
			of := c.rule(f.of, s)
			of.anyText = of.anyText || f.anyText
			r.fields = append(r.fields, field{f.name, slices.Contains(r.Required, f.name), of})
		}
	}
	if len(r.fields) != len(r.Properties) {
		panic(fmt.Sprintf("edge: the schema of %v has other properties than the type", t))
	}
}

type jsonMember struct {
	name    string
	of      reflect.Type
	anyText bool // by the tag `text:"any"`
}

// members lists the JSON members of a struct as declared.
func members(t reflect.Type) []jsonMember {
	if t.Kind() != reflect.Struct {
		return nil
	}
	var all []jsonMember
	for i := range t.NumField() {
		f := t.Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && tag == "":
			all = append(all, members(deref(f.Type))...)
		case tag == "-" || !f.IsExported():
		case tag == "":
			all = append(all, jsonMember{f.Name, f.Type, f.Tag.Get("text") == "any"})
		default:
			all = append(all, jsonMember{tag, f.Type, f.Tag.Get("text") == "any"})
		}
	}
	return all
}

func deref(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// param is a path or query parameter.
type param struct {
	name, in string
	required bool
	*rule
}

// compile makes the rules of an operation from what huma finds in its input type.
func (s *Server) compile(o *operation) {
	s.compiling.Lock()
	defer s.compiling.Unlock()
	h := &huma.Operation{}
	o.describeInput(s.inputs, h)
	c := &compiler{s.inputs, map[*huma.Schema]*rule{}}
	for _, p := range h.Parameters {
		if p.Name == "integratorId" || p.In == "header" { // which the guards read
			continue
		}
		of := c.rule(paramType(p.Schema), p.Schema)
		of.anyText = true // it finds something, and is not kept
		o.params = append(o.params, param{p.Name, p.In, p.Required, of})
	}
	switch {
	case h.RequestBody != nil:
		o.bodyDefault, o.bodyRequired = defaults(o.bodyType), h.RequestBody.Required
		o.body = c.rule(o.bodyType, h.RequestBody.Content[jsonType].Schema)
	case o.Method != http.MethodGet:
		o.body = nothing
	}
}

// paramType stands in for the Go type of a parameter, of which only the element
// type of a list would matter, and that only for objects.
func paramType(s *huma.Schema) reflect.Type {
	if s.Type == huma.TypeArray {
		return reflect.TypeFor[[]string]()
	}
	return reflect.TypeFor[string]()
}
