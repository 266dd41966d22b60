package rest_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Each type is the schema of its name in the OpenAPI document, with exactly these
// properties, or a part of others that are. The SDK's users read the type, and
// everybody else the document.
// besideProofs are parts of answers that are types of their kits, since they have a proof beside them.
var besideProofs = []string{"OnChain", "AgentAddresses"}

func TestDocument(t *testing.T) {
	t.Parallel()
	schemas, structs := schemasOf(t), structsOf(t)
	if len(structs) < 50 {
		t.Fatalf("only %d types were found", len(structs))
	}
	parts := partsOf(structs)
	for name := range structs {
		schema, is := schemas[name]
		if !is && (parts[name] || slices.Contains(besideProofs, name)) {
			continue
		}
		if !is && strings.HasPrefix(name, "Ceremony") { // of the passkey page's own calls: the document has none
			continue
		}
		if !is {
			t.Errorf("the document has no schema %s", name)
			continue
		}
		want := slices.Sorted(maps.Keys(schema.Properties))
		if got := properties(t, structs, name); !slices.Equal(got, want) {
			t.Errorf("%s has %v, its schema %v", name, got, want)
		}
	}
}

type schema struct {
	Properties map[string]any `json:"properties"`
}

func schemasOf(t *testing.T) map[string]schema {
	t.Helper()
	raw, err := os.ReadFile("../api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Components struct {
			Schemas map[string]schema `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Components.Schemas
}

// structsOf are the exported structs of this package.
func structsOf(t *testing.T) map[string]*ast.StructType {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	structs := map[string]*ast.StructType{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if file.Name.Name != "rest" {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, is := n.(*ast.TypeSpec)
			if !is || !spec.Name.IsExported() {
				return true
			}
			if body, is := spec.Type.(*ast.StructType); is {
				structs[spec.Name.Name] = body
			}
			return true
		})
	}
	return structs
}

// partsOf are the types that others embed.
func partsOf(structs map[string]*ast.StructType) map[string]bool {
	parts := map[string]bool{}
	for _, body := range structs {
		for _, field := range body.Fields.List {
			if of, is := field.Type.(*ast.Ident); is && field.Names == nil {
				parts[of.Name] = true
			}
		}
	}
	return parts
}

// properties are the names that the fields have in JSON, those of embedded types too.
func properties(t *testing.T, structs map[string]*ast.StructType, name string) []string {
	t.Helper()
	var names []string
	for _, field := range structs[name].Fields.List {
		if field.Names == nil {
			embedded, is := field.Type.(*ast.Ident)
			if !is || structs[embedded.Name] == nil {
				t.Fatalf("%s embeds what is no type of this package", name)
			}
			names = append(names, properties(t, structs, embedded.Name)...)
			continue
		}
		if field.Names[0].Name == "_" { // what holds of the whole schema
			continue
		}
		if field.Tag == nil {
			t.Fatalf("%s.%s has no name in JSON", name, field.Names[0])
		}
		tag := reflect.StructTag(strings.Trim(field.Tag.Value, "`")).Get("json")
		if property, _, _ := strings.Cut(tag, ","); property != "-" { // which the server sets by other means
			names = append(names, property)
		}
	}
	return slices.Sorted(slices.Values(names))
}
