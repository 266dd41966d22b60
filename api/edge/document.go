package edge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// componentName is what OpenAPI allows as the name of a schema, and client generators can make a type's name of.
var componentName = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)

// kitType is a type of a kit's noun that is named for what it is to the noun, also inside of brackets:
// github.com/railkit/railkit/kit/payout/quote.View.
var kitType = regexp.MustCompile(`/kit/\w+/(\w+)\.(View|Input)\]*$`)

// kitNoun tells which noun a type's name begins with in the document: quote.View is the QuoteView there.
func kitNoun(t reflect.Type, hint string) (noun, word string) {
	full := cmp.Or(t.Name(), hint)
	if !strings.HasSuffix(full, "]") {
		full = t.PkgPath() + "." + full
	}
	found := kitType.FindStringSubmatch(full)
	if found == nil {
		return "", ""
	}
	return strings.ToUpper(found[1][:1]) + found[1][1:], found[2]
}

// schemaName names a type in the document, in words: WalletView is Wallet, WalletInput is WalletRequest, an
// Envelope of it WalletEnvelope, a page of them WalletPage. huma makes Go source text the name of a struct without a
// name, which generators cannot read: such a type is refused, by the first test that writes the document.
func (s *Server) schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	if noun, word := kitNoun(t, hint); noun != "" {
		name = strings.TrimSuffix(name, word) + noun + word
	}
	if t.Kind() != reflect.Struct && !(t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct) {
		return name // of what is no object the document shows no name
	}
	suffix := ""
	for _, wrapper := range []struct{ prefix, suffix string }{
		{"PageEnvelope", "Page"}, {"DoneEnvelope", "DoneEnvelope"}, {"PreparedEnvelope", "PreparedEnvelope"},
		{"NullableEnvelope", "OrNullEnvelope"}, {"Envelope", "Envelope"},
	} {
		if inner, is := strings.CutPrefix(name, wrapper.prefix); is && inner != "" {
			name, suffix = inner, wrapper.suffix
			break
		}
	}
	if inner, is := strings.CutPrefix(name, "List"); is && suffix != "" {
		name, suffix = inner, "List"+suffix
	}
	if named, is := s.SchemaNames[name]; is {
		name = named
	}
	name = strings.TrimSuffix(name, "View")
	if request, is := strings.CutSuffix(name, "Input"); is {
		name = request + "Request"
	}
	if name += suffix; !componentName.MatchString(name) {
		panic(fmt.Sprintf("edge: the schema of %v needs a type with a name, not %q", t, name))
	}
	return name
}

// Document is the OpenAPI document of the registered operations.
func (s *Server) Document() ([]byte, error) {
	described := s.openAPI()
	raw, err := json.Marshal(described)
	var doc object
	if err == nil {
		err = json.Unmarshal(raw, &doc)
	}
	if err != nil {
		return nil, fmt.Errorf("writing the OpenAPI document: %w", err)
	}
	schemas := doc["components"].(object)["schemas"].(object)
	for name, schema := range schemas {
		successOf(name, schema.(object))
	}
	renamePatternDescriptions(doc)
	s.illustrate(doc, schemas)
	finishFields(schemas, described.Components.Schemas)
	out, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing the OpenAPI document: %w", err)
	}
	return append(out, '\n'), nil
}

// object is a JSON object of the document.
type object = map[string]any

// successOf makes the success of an envelope the one value that it has: false of a refusal, else true.
func successOf(name string, schema object) {
	properties, _ := schema["properties"].(object)
	if properties["success"] == nil || properties["statusCode"] == nil {
		return
	}
	properties["success"] = object{"type": "boolean", "const": name != "ErrorEnvelope"}
}

// renamePatternDescriptions gives huma's own keyword the form that OpenAPI has for keywords of one's own.
func renamePatternDescriptions(node any) {
	switch node := node.(type) {
	case object:
		if text, is := node["patternDescription"].(string); is {
			delete(node, "patternDescription")
			node["x-pattern-description"] = text
		}
		for _, child := range node {
			renamePatternDescriptions(child)
		}
	case []any:
		for _, child := range node {
			renamePatternDescriptions(child)
		}
	}
}

// illustrate gives every body of the document an example, so that the page and the clients made of it show what is
// really sent. A body of ExampleBodies wins; else it is made of the schema's required fields, with the values that
// Examples has for their names.
func (s *Server) illustrate(doc, schemas object) {
	e := examples{schemas: schemas, values: s.Examples}
	for path, item := range doc["paths"].(object) {
		for _, operation := range item.(object) {
			o := operation.(object)
			if body, is := o["requestBody"].(object); is {
				m := media(body)
				m["example"] = s.ExampleBodies[o["operationId"].(string)]
				if m["example"] == nil {
					m["example"] = e.of(m["schema"].(object), "")
				}
			}
			for status, response := range o["responses"].(object) {
				e.respond(response.(object), path, status)
			}
		}
	}
	media(doc["components"].(object)["responses"].(object)["Error"].(object))["example"] = object{
		"success": false, "message": "Validation failed: walletName is required", "error": "validation_failed",
		"details":    object{"field": "walletName"},
		"statusCode": 400, "timestamp": e.values["format:date-time"], "path": "/v1/signing/wallets/prepare",
	}
}

// examples makes example values of schemas.
type examples struct {
	schemas object
	values  map[string]any // see Config.Examples
}

func media(of object) object { return of["content"].(object)[jsonType].(object) }

// respond gives a response its example. A refusal refers to the one that all have, and a Stream's text has its own.
func (e examples) respond(r object, path, status string) {
	content, _ := r["content"].(object)
	for _, each := range content {
		m := each.(object)
		if m["example"] != nil {
			continue
		}
		schema := m["schema"].(object)
		if either, is := schema["oneOf"].([]any); is {
			schema = either[0].(object)
		}
		m["example"] = e.of(schema, "")
		if value, is := m["example"].(object); is && value["statusCode"] != nil { // of the envelope, which repeats both
			value["path"], value["statusCode"] = path, json.Number(status)
		}
	}
}

// of is an example of a schema; field is the name of the field whose value it is.
func (e examples) of(schema object, field string) any {
	name := ""
	if ref, is := schema["$ref"].(string); is {
		name = strings.TrimPrefix(ref, schemaPath)
		schema = e.schemas[name].(object)
	}
	for _, fixed := range []string{"const", "default"} {
		if value, is := schema[fixed]; is {
			return value
		}
	}
	if among, is := schema["enum"].([]any); is {
		return among[0]
	}
	keys := []string{field, "format:" + asText(schema["format"]), "kind:" + kind(schema)}
	if keys[1] == "format:date-time" { // a field "from" is an address elsewhere
		keys[0], keys[1] = keys[1], keys[0]
	}
	for _, key := range keys {
		if value, is := e.values[key]; is && hasKind(value, kind(schema)) {
			return value
		}
	}
	switch kind(schema) {
	case "object":
		return e.object(schema, name)
	case "array":
		return []any{e.of(schema["items"].(object), field)}
	case "boolean":
		return false
	}
	panic(fmt.Sprintf("edge: Examples has no %s for the field %q", kind(schema), field))
}

func (e examples) object(schema object, name string) object {
	value := object{}
	properties, _ := schema["properties"].(object)
	required, _ := schema["required"].([]any)
	for field, of := range properties {
		if !slices.Contains(required, any(field)) {
			continue
		}
		if own, is := e.values[name+"."+field]; is {
			value[field] = own
			continue
		}
		value[field] = e.of(of.(object), field)
	}
	return value
}

// kind is the type of a schema's values, also where null is one.
func kind(schema object) string {
	if several, is := schema["type"].([]any); is {
		return asText(several[0])
	}
	return asText(schema["type"])
}

// hasKind reports whether an example is of the type: one name may be a text here and a number there.
func hasKind(value any, kind string) bool {
	switch value.(type) {
	case string:
		return kind == "string"
	case int, float64:
		return kind == "number" || kind == "integer"
	case object:
		return kind == "object"
	}
	return false
}

func asText(v any) string {
	s, _ := v.(string)
	return s
}

// finishFields says in the schemas' properties what huma leaves out: that an object may be null, and how the generator
// oapi-codegen names a field whose name in Go another one has.
func finishFields(schemas object, registry huma.Registry) {
	for name, schema := range schemas {
		properties, _ := schema.(object)["properties"].(object)
		for field := range nullable(registry.TypeFromRef(schemaPath + name)) {
			if of, is := properties[field].(object); is && of["$ref"] != nil {
				of["anyOf"] = []any{object{"$ref": of["$ref"]}, object{"type": "null"}}
				delete(of, "$ref")
			}
		}
		nameTwins(properties)
	}
}

// nullable are the JSON names of a type's fields that are sent as null where they point to nothing.
func nullable(t reflect.Type) map[string]bool {
	names := map[string]bool{}
	if t == nil || t.Kind() != reflect.Struct {
		return names
	}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Type.Kind() == reflect.Pointer && name != "" && !strings.Contains(options, "omit") {
			names[name] = true
		}
	}
	return names
}

// nameTwins gives wallet_id, which stands beside walletId, a name of its own in Go.
func nameTwins(properties object) {
	for name, of := range properties {
		head, tail, is := strings.Cut(name, "_")
		if !is || tail == "" {
			continue
		}
		if twin := head + strings.ToUpper(tail[:1]) + tail[1:]; properties[twin] != nil {
			of.(object)["x-go-name"] = strings.ToUpper(twin[:1]) + twin[1:] + "Alias"
		}
	}
}

// Sent describes a request that the server makes, in the document's webhooks: a body of the form of frame, whose member
// data is of the form of data.
func Sent(s *Server, name, says string, frame, data any) {
	s.amendments = append(s.amendments, func(doc *huma.OpenAPI) { describeSent(doc, name, says, frame, data) })
}

func describeSent(doc *huma.OpenAPI, name, says string, frame, data any) {
	registry := doc.Components.Schemas
	body := &huma.Schema{AllOf: []*huma.Schema{
		registry.Schema(reflect.TypeOf(frame), true, ""),
		{Type: huma.TypeObject, Properties: map[string]*huma.Schema{
			"type": {Type: huma.TypeString, Enum: []any{name}},
			"data": registry.Schema(reflect.TypeOf(data), true, ""),
		}},
	}}
	if doc.Webhooks == nil {
		doc.Webhooks = map[string]*huma.PathItem{}
	}
	doc.Webhooks[name] = &huma.PathItem{Post: &huma.Operation{
		OperationID: "on" + camel(name), Summary: says, Method: http.MethodPost,
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{jsonType: {Schema: body}}},
		Responses:   map[string]*huma.Response{"2XX": {Description: "Received"}},
	}}
}

// camel writes order.completed as OrderCompleted.
func camel(name string) (out string) {
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == '_' }) {
		out += strings.ToUpper(word[:1]) + word[1:]
	}
	return out
}
