package errtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const root = "../../.."

// tests is what the test files of a package declare, by name. Of methods with
// one name all are meant.
type tests struct {
	decls map[string][]ast.Node
	http  map[ast.Node]bool // declared in a file that speaks HTTP
}

// speakers are what a file imports that asks or answers over HTTP.
var speakers = []string{"net/http", "net/http/httptest", "github.com/railkit/railkit/internal/test/apptest",
	"github.com/railkit/railkit/sdk/go"}

func readTests(t *testing.T, pkg string) tests {
	t.Helper()
	all := tests{map[string][]ast.Node{}, map[ast.Node]bool{}}
	files, _ := filepath.Glob(filepath.Join(root, pkg, "*_test.go")) // the pattern is well formed
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for name, node := range declared(file) {
			all.decls[name] = append(all.decls[name], node)
			all.http[node] = speaks(file)
		}
	}
	return all
}

func speaks(f *ast.File) bool {
	for _, i := range f.Imports {
		for _, s := range speakers {
			if i.Path.Value == strconv.Quote(s) {
				return true
			}
		}
	}
	return false
}

// declared are a file's functions, methods, variables and constants by name.
func declared(f *ast.File) func(yield func(string, ast.Node) bool) {
	return func(yield func(string, ast.Node) bool) {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if !yield(d.Name.Name, d) {
					return
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					v, ok := spec.(*ast.ValueSpec)
					for i := 0; ok && i < len(v.Names); i++ {
						if !yield(v.Names[i].Name, v) {
							return
						}
					}
				}
			}
		}
	}
}

// said is what a test says, with all that it uses of its package's test files.
type said struct {
	names, texts map[string]bool
	http         bool
}

func (all tests) of(test string) said {
	s := said{map[string]bool{}, map[string]bool{}, false}
	for queue := []string{test}; len(queue) > 0; queue = queue[1:] {
		for _, node := range all.decls[queue[0]] {
			s.http = s.http || all.http[node]
			ast.Inspect(node, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					if !s.names[n.Name] {
						s.names[n.Name] = true
						queue = append(queue, n.Name)
					}
				case *ast.BasicLit:
					if text, err := strconv.Unquote(n.Value); err == nil {
						s.texts[text] = true
					}
				}
				return true
			})
		}
	}
	return s
}

// about reports whether a test speaks of an error: by its variable, its code or
// the longest part of its message that is always the same.
func (s said) about(variable, code, message string) bool {
	if s.names[variable] {
		return true
	}
	fixed := ""
	for part := range strings.SplitSeq(message, "%s") {
		if len(part) > len(fixed) {
			fixed = part
		}
	}
	for text := range s.texts {
		if text == code || strings.Contains(text, `"`+code+`"`) || strings.Contains(text, strings.TrimSpace(fixed)) {
			return true
		}
	}
	return false
}
