package errtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	_ "github.com/railkit/railkit/enclave" // and those that come from there
	"github.com/railkit/railkit/fault"
	_ "github.com/railkit/railkit/internal/app" // defines every error
	"github.com/railkit/railkit/internal/test/sourcetest"
)

// definition is where an error is defined.
type definition struct{ pkg, variable string }

func TestEveryErrorIsProduced(t *testing.T) {
	entries, defined := map[string]fault.Entry{}, definitions(t)
	for _, e := range fault.Catalog() {
		entries[e.Code] = e
	}
	for code, where := range elsewhere {
		e, known := entries[code]
		pkg, test, _ := strings.Cut(where, ": ")
		if !known || test == "" {
			t.Errorf("%s: no such error, or no place: %q", code, where)
			continue
		}
		all := readTests(t, pkg)
		if !strings.HasPrefix(test, "Test") || all.decls[test] == nil {
			t.Errorf("%s: there is no test %q in %q", code, test, pkg)
			continue
		}
		d, said := defined[code], all.of(test)
		if !said.about(d.variable, code, e.Message) {
			t.Errorf("%s: %s does not speak of it", code, where)
		}
		if !said.http && !strings.HasPrefix(d.pkg, "enclave") {
			t.Errorf("%s: %s does not speak HTTP, over which the error can be met", code, where)
		}
	}
}

// definitions finds where each error of the catalogue is defined.
func definitions(t *testing.T) map[string]definition {
	t.Helper()
	found := map[string]definition{}
	files, err := sourcetest.Files(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		for code, variable := range defines(file) {
			found[code] = definition{filepath.ToSlash(folder), variable}
		}
	}
	for _, e := range fault.Catalog() {
		if found[e.Code].variable == "" {
			t.Errorf("%s: fault.Define is not called for it at a package's variable", e.Code)
		}
	}
	return found
}

// defines are a file's codes, each with the variable of its error.
func defines(f *ast.File) map[string]string {
	found := map[string]string{}
	for name, node := range declared(f) {
		v, ok := node.(*ast.ValueSpec)
		if !ok || len(v.Values) != 1 {
			continue
		}
		call, ok := v.Values[0].(*ast.CallExpr)
		if !ok || len(call.Args) != 4 || !isDefine(call.Fun) {
			continue
		}
		if lit, ok := call.Args[1].(*ast.BasicLit); ok {
			if code, err := strconv.Unquote(lit.Value); err == nil {
				found[code] = name
			}
		}
	}
	return found
}

func isDefine(f ast.Expr) bool {
	switch f := f.(type) {
	case *ast.SelectorExpr:
		return strings.HasPrefix(f.Sel.Name, "Define")
	case *ast.Ident:
		return strings.HasPrefix(f.Name, "Define")
	}
	return false
}

func TestUnseen(t *testing.T) {
	every := []string{}
	for _, e := range fault.Catalog() {
		if elsewhere[e.Code] == "" {
			every = append(every, e.Code)
		}
	}
	if wrong := unseen(home, every); len(wrong) > 0 {
		t.Errorf("all was seen, and yet: %q", wrong)
	}
	if wrong := unseen(home, every[1:]); len(wrong) != 1 {
		t.Errorf("%s was not seen: %q", every[0], wrong)
	}
	if wrong := unseen(home, append(every, "nonce_taken")); len(wrong) != 1 {
		t.Errorf("nonce_taken was seen: %q", wrong)
	}
	if wrong := unseen("enclave", nil); len(wrong) == 0 {
		t.Error("a package that saw nothing of what is its own is fine")
	}
}

func TestAbout(t *testing.T) {
	all := readTests(t, "internal/test/errtest/testdata")
	for test, want := range map[string][3]bool{ // speaks of it; would over another error; speaks HTTP
		"TestByName":    {true, false, false},
		"TestByCode":    {true, false, true},
		"TestByMessage": {true, false, true},
		"TestHelped":    {true, false, true},
		"TestSilent":    {false, false, false},
	} {
		s := all.of(test)
		got := [3]bool{
			s.about("ErrGone", "is_gone", "It is gone: %s"), s.about("ErrOther", "is_other", "Something else"), s.http,
		}
		if got != want {
			t.Errorf("%s: %v, want %v", test, got, want)
		}
	}
}
