package edge

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

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
