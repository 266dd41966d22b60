package edge

import (
	"cmp"
	"encoding"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/railkit/railkit/fault"
)

// Body is the input of an operation that has nothing but a body.
type Body[T any] struct{ Body T }

// source is where a field of an input type comes from.
type source struct {
	at        []int // the field, as reflect numbers it
	in, name  string
	otherwise string // the value where the caller gives none
	field     reflect.StructField
}

// sources lists the fields of an input type that are in the path, the query or the header, in order of declaration,
// those of embedded structs where these stand.
func sources(t reflect.Type, at []int) []source {
	var all []source
	for i := range t.NumField() {
		f := t.Field(i)
		here := append(append([]int{}, at...), i)
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			all = append(all, sources(f.Type, here)...)
			continue
		}
		for _, in := range []string{"path", "query", "header"} {
			if name := f.Tag.Get(in); name != "" && f.Name != "Body" {
				if !readable(f.Type) {
					panic(fmt.Sprintf("edge: %v.%s is of a type that no parameter can have", t, f.Name))
				}
				all = append(all, source{at: here, in: in, name: name, otherwise: f.Tag.Get("default"), field: f})
			}
		}
	}
	return all
}

// describeInput adds parameters and body of the input type to the document.
func (o *operation) describeInput(registry huma.Registry, h *huma.Operation) {
	for _, p := range o.sources {
		if p.field.Tag.Get("hidden") == "true" {
			continue
		}
		schema := huma.SchemaFromField(registry, p.field, "")
		param := &huma.Param{
			Name: p.name, Description: schema.Description, In: p.in, Schema: schema,
			Required: p.in == "path" || p.field.Tag.Get("required") == "true",
		}
		if p.in == "query" {
			param.Explode = new(bool) // several values are one text with commas
		}
		h.Parameters = append(h.Parameters, param)
	}
	body, is := o.input.FieldByName("Body")
	if !is {
		return
	}
	unnamed := o.ID + "Request" // the name in the document of a type without one
	if o.input.Name() != "" {
		unnamed = o.input.Name() + body.Name
	}
	h.RequestBody = &huma.RequestBody{
		Required: body.Tag.Get("required") == "true" ||
			body.Type.Kind() != reflect.Pointer && body.Type.Kind() != reflect.Interface,
		Content: map[string]*huma.MediaType{
			jsonType: {Schema: huma.SchemaFromField(registry, body, unnamed)},
		},
	}
}

// bind makes the input of an operation from a request that was checked, as a pointer to it.
func (o *operation) bind(r *http.Request, query url.Values, body reflect.Value) (any, error) {
	in := reflect.New(o.input)
	for _, p := range o.sources {
		text := cmp.Or(p.text(r, query), p.otherwise)
		if text == "" {
			continue
		}
		if err := readInto(in.Elem().FieldByIndex(p.at), text); err != nil { // such as a number of more than 64 bits
			return nil, fault.Field("request", "is not valid").Because(fmt.Errorf("reading %s: %w", p.name, err))
		}
	}
	if body.IsValid() {
		in.Elem().FieldByName("Body").Set(body)
	}
	return in.Interface(), nil
}

func (p source) text(r *http.Request, query url.Values) string {
	switch p.in {
	case "path":
		return r.PathValue(p.name)
	case "header":
		return r.Header.Get(p.name)
	}
	return query.Get(p.name)
}

// readable tells whether readInto knows a type.
func readable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Float64,
		reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint32, reflect.Uint64:
		return true
	case reflect.Slice:
		return readable(t.Elem())
	}
	return reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

func readInto(v reflect.Value, text string) error {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		is, err := strconv.ParseBool(text)
		v.SetBool(is)
		return err
	case reflect.Int, reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, v.Type().Bits())
		v.SetInt(n)
		return err
	case reflect.Uint, reflect.Uint32, reflect.Uint64:
		n, err := strconv.ParseUint(text, 10, v.Type().Bits())
		v.SetUint(n)
		return err
	case reflect.Float64:
		n, err := strconv.ParseFloat(text, 64)
		v.SetFloat(n)
		return err
	case reflect.Slice:
		parts := strings.Split(text, ",")
		v.Set(reflect.MakeSlice(v.Type(), len(parts), len(parts)))
		for i, part := range parts {
			if err := readInto(v.Index(i), part); err != nil {
				return err
			}
		}
	default:
		return v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text))
	}
	return nil
}

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
