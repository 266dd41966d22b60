package edge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

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
		"success": false, "message": "name is required", "error": "validation_failed",
		"details":    object{"field": "name"},
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
