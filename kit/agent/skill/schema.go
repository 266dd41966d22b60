package skill

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/railkit/railkit/fault"
)

const (
	mostSchema  = 16 << 10
	deepest     = 16
	tooDeep     = "must be at most 16 levels deep"
	notSchema   = "must be a JSON Schema"
	elsewhereIs = "must refer to its own parts only: $ref begins with #"
)

var schemaTypes = []string{"object", "array", "string", "number", "integer", "boolean", "null"}

// Keywords of JSON Schema, by what they hold: a schema, a list of schemas, schemas by name.
var (
	oneSchema = []string{
		"items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames", "additionalItems",
		"unevaluatedProperties", "unevaluatedItems",
	}
	schemaLists = []string{"allOf", "anyOf", "oneOf", "prefixItems"}
	schemaMaps  = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
)

// schemaText is how a schema is stored. Absent it is what it was, and an empty one is none.
func schemaText(field string, schema map[string]any, was string) (string, error) {
	if schema == nil {
		return was, nil
	}
	if len(schema) == 0 {
		return "", nil
	}
	raw, err := json.Marshal(schema)
	if err != nil {
		return "", fault.Field(field, notSchema)
	}
	if len(raw) > mostSchema {
		return "", fault.Field(field, "must be at most 16384 bytes")
	}
	if wrong := checkSchema(schema, 0); wrong != "" {
		return "", fault.Field(field, wrong)
	}
	return string(raw), nil
}

// checkSchema says what is wrong with a schema, "" for nothing. It looks at what schemas are made of, so that a reader
// can rely on the form; what no reader knows is let through, as JSON Schema says.
func checkSchema(value any, depth int) (wrong string) {
	if _, is := value.(bool); is && depth > 0 {
		return ""
	}
	schema, is := value.(map[string]any)
	switch {
	case !is:
		return notSchema
	case depth > deepest:
		return tooDeep
	case !knownTypes(schema["type"]):
		return "must name types of JSON Schema"
	case !ownParts(schema["$ref"]) || !ownParts(schema["$dynamicRef"]):
		return elsewhereIs
	case !isTextList(schema["required"]):
		return "must have a list of names as required"
	}
	for _, inner := range innerSchemas(schema) {
		if wrong = checkSchema(inner, depth+1); wrong != "" {
			return wrong
		}
	}
	return ""
}

func innerSchemas(schema map[string]any) (all []any) {
	for _, name := range oneSchema {
		if inner, is := schema[name]; is {
			if list, many := inner.([]any); many && name == "items" { // as older drafts have it
				all = append(all, list...)
				continue
			}
			all = append(all, inner)
		}
	}
	for _, name := range schemaLists {
		if inner, is := schema[name]; is {
			list, good := inner.([]any)
			if !good {
				list = []any{nil}
			}
			all = append(all, list...)
		}
	}
	for _, name := range schemaMaps {
		if inner, is := schema[name]; is {
			byName, good := inner.(map[string]any)
			if !good {
				byName = map[string]any{"": nil}
			}
			for _, each := range byName {
				all = append(all, each)
			}
		}
	}
	return all
}

func knownTypes(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case string:
		return slices.Contains(schemaTypes, value)
	case []any:
		return len(value) > 0 && !slices.ContainsFunc(value, func(v any) bool {
			name, is := v.(string)
			return !is || !slices.Contains(schemaTypes, name)
		})
	}
	return false
}

func ownParts(ref any) bool {
	text, is := ref.(string)
	return ref == nil || is && strings.HasPrefix(text, "#")
}

func isTextList(value any) bool {
	list, is := value.([]any)
	return value == nil || is && !slices.ContainsFunc(list, func(v any) bool { _, text := v.(string); return !text })
}
