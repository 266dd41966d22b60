package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/railkit/railkit/internal/test/sourcetest"
)

const (
	mostFileLines = 500
	mostFuncLines = 80
	mostTestLines = 150 // a test's table counts as its lines
)

// longFuncs are the functions that may be longer, each with its reason.
var longFuncs = map[string]string{}

// inits are the files that may have an init function, each with its reason.
var inits = map[string]string{
	"api/edge/describe.go": "huma keeps this default in a variable of its package",
}

// source is a file of the tree that a person wrote.
type source struct {
	path string // relative to the root
	file *ast.File
	fset *token.FileSet
}

func (s source) lines(n ast.Node) int {
	return s.fset.Position(n.End()).Line - s.fset.Position(n.Pos()).Line + 1
}

func TestSizes(t *testing.T) {
	unused := map[string]bool{}
	for name := range longFuncs {
		unused[name] = true
	}
	for _, s := range sources(t) {
		if n := s.fset.File(s.file.Pos()).LineCount(); n > mostFileLines {
			t.Errorf("%s has %d lines, more than %d: split it by what it is about", s.path, n, mostFileLines)
		}
		for _, f := range funcs(s.file) {
			name := filepath.ToSlash(filepath.Dir(s.path)) + "." + funcName(f)
			delete(unused, name)
			most := mostFuncLines
			if strings.HasSuffix(s.path, "_test.go") {
				most = mostTestLines
			}
			if n := s.lines(f); n > most && longFuncs[name] == "" {
				t.Errorf("%s: %s has %d lines, more than %d: split it, or list it with its reason",
					s.path, name, n, most)
			}
		}
	}
	for name := range unused {
		t.Errorf("longFuncs lists %s, which is not there", name)
	}
}

// What runs as a package is imported cannot be left out, ordered or seen by its
// importer. Every list of parts is a literal that is passed along.
func TestNoInit(t *testing.T) {
	for _, s := range sources(t) {
		for _, f := range funcs(s.file) {
			if f.Recv == nil && f.Name.Name == "init" && inits[filepath.ToSlash(s.path)] == "" {
				t.Errorf("%s has an init function", s.path)
			}
		}
	}
}

// onlyTests are the functions that change what every program knows. No program calls one: the signer, the server and
// the SDK would no longer mean the same networks.
var onlyTests = map[string]bool{"families.Add": true, "chain.AddNetwork": true}

func TestOnlyTestsAddFamilies(t *testing.T) {
	called := map[string]bool{}
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			from, _ := call.X.(*ast.Ident)
			if from == nil || !onlyTests[from.Name+"."+call.Sel.Name] {
				return true
			}
			called[from.Name+"."+call.Sel.Name] = true
			if !strings.HasSuffix(s.path, "_test.go") {
				t.Errorf("%s calls %s.%s, which only tests may", s.path, from.Name, call.Sel.Name)
			}
			return true
		})
	}
	for name := range onlyTests {
		if !called[name] {
			t.Errorf("nothing calls %s: the search has lost it, or it can go", name)
		}
	}
}

// logsOfRequests are the folders in which a line of the log may belong to a request.
var logsOfRequests = []string{"api/", "job/", "kit/", "platform/", "store/"}

// Who has the context of a request writes his lines with it: else they would not have its id, and whoever looks for all
// that a request did would miss them.
func TestLogsHaveTheirRequest(t *testing.T) {
	with := 0
	for _, s := range sources(t) {
		if strings.HasSuffix(s.path, "_test.go") || !slices.ContainsFunc(logsOfRequests, func(folder string) bool {
			return strings.HasPrefix(filepath.ToSlash(s.path), folder)
		}) {
			continue
		}
		for _, f := range funcs(s.file) {
			if !takesContext(f) {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch sel, _ := n.(*ast.SelectorExpr); {
				case sel == nil || !isLog(sel.X):
				case slices.Contains([]string{"Debug", "Info", "Warn", "Error"}, sel.Sel.Name):
					t.Errorf("%s: %s logs without its context: use %sContext", s.path, funcName(f), sel.Sel.Name)
				case strings.HasSuffix(sel.Sel.Name, "Context"):
					with++
				}
				return true
			})
		}
	}
	if with < 50 {
		t.Errorf("only %d lines are logged with a context: the search has lost some", with)
	}
}

// isLog tells whether an expression is called log or Log.
func isLog(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return strings.EqualFold(x.Name, "log")
	case *ast.SelectorExpr:
		return strings.EqualFold(x.Sel.Name, "log")
	}
	return false
}

// takesContext tells whether a function has a parameter ctx.
func takesContext(f *ast.FuncDecl) bool {
	return slices.ContainsFunc(f.Type.Params.List, func(p *ast.Field) bool {
		return slices.ContainsFunc(p.Names, func(n *ast.Ident) bool { return n.Name == "ctx" })
	})
}

func funcs(f *ast.File) []*ast.FuncDecl {
	var all []*ast.FuncDecl
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			all = append(all, fn)
		}
	}
	return all
}

func funcName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	recv := f.Recv.List[0].Type
	if star, ok := recv.(*ast.StarExpr); ok {
		recv = star.X
	}
	if generic, ok := recv.(*ast.IndexExpr); ok {
		recv = generic.X
	}
	if id, ok := recv.(*ast.Ident); ok {
		return id.Name + "." + f.Name.Name
	}
	return f.Name.Name
}

func sources(t *testing.T) []source {
	t.Helper()
	all, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("found only %d files", len(all))
	}
	return all
}

// parsed are the files of the whole tree, read once for all tests, which change nothing of them.
var parsed = sync.OnceValues(func() (all []source, err error) {
	files, err := sourcetest.Files(root)
	if err != nil {
		return nil, err
	}
	for _, path := range files {
		if !strings.HasSuffix(path, ".go") || strings.Contains(path, "/testdata/") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		if !ast.IsGenerated(file) {
			rel, _ := filepath.Rel(root, path)
			all = append(all, source{rel, file, fset})
		}
	}
	return all, nil
})
