package edge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
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
// name, which generators cannot read: such a type is refused, at the first start.
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
		{"Envelope", "Envelope"},
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
	raw, err := json.Marshal(s.huma.OpenAPI())
	var doc object
	if err == nil {
		err = json.Unmarshal(raw, &doc)
	}
	if err != nil {
		return nil, fmt.Errorf("writing the OpenAPI document: %w", err)
	}
	schemas := doc["components"].(object)["schemas"].(object)
	delete(schemas, "ErrorModel") // huma's own error, which nobody gets
	delete(schemas, "ErrorDetail")
	for name, schema := range schemas {
		successOf(name, schema.(object))
	}
	renamePatternDescriptions(doc)
	s.illustrate(doc, schemas)
	finishFields(schemas, s.huma.OpenAPI().Components.Schemas)
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
