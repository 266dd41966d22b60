package crash_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/railkit/railkit/crash"
	"github.com/railkit/railkit/internal/test/sourcetest"
	"github.com/railkit/railkit/internal/test/testbin"
)

// Every point in the code is one that the suite dies at. That the suite reaches
// all of its own, it finds out by waiting for each death.
func TestEveryPointIsWalked(t *testing.T) {
	all := slices.Concat(amendPoints, resealPoints, abandonedTransaction, abandonedWallet, bankPoints, chainPoints,
		addressPoints, payoutPoints, virtualPoints, refundPoints, batchPoints, depositAccountPoints, switchPoints,
		depositPoints, onRampPoints, clabePoints, returnPoints, facilitatorPoints,
		slices.Collect(maps.Keys(skillPoints)))
	for _, k := range walks {
		for _, points := range k.points {
			all = append(all, points...)
		}
	}
	found := 0
	for _, at := range calls(t, filepath.Join("..", "..", "..")) {
		found++
		if !slices.ContainsFunc(all, func(p string) bool {
			return p == at || strings.HasPrefix(at, ".") && strings.HasSuffix(p, at)
		}) {
			t.Errorf("nothing dies at %q", at)
		}
	}
	if found < 15 {
		t.Errorf("only %d points were found", found)
	}
}

// calls lists the points in the code, those of a name that is not written there
// by their second half alone.
func calls(t *testing.T, root string) (points []string) {
	t.Helper()
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
		ast.Inspect(file, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok && isAt(c) {
				points = append(points, literal(c.Args[0])+"."+literal(c.Args[1]))
			}
			return true
		})
	}
	return points
}

func isAt(c *ast.CallExpr) bool {
	f, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != "At" || len(c.Args) != 2 {
		return false
	}
	from, ok := f.X.(*ast.Ident)
	return ok && from.Name == "crash"
}

func literal(e ast.Expr) string {
	l, ok := e.(*ast.BasicLit)
	if !ok {
		return ""
	}
	text, _ := strconv.Unquote(l.Value) // the parser has read it
	return text
}

// The programs that people use hold none of this.
func TestNoPointIsInTheOrdinaryPrograms(t *testing.T) {
	for _, program := range testbin.Programs {
		ordinary, err := testbin.Path(program)
		if err != nil {
			t.Fatal(err)
		}
		crashing, err := testbin.Crashing(program)
		if err != nil {
			t.Fatal(err)
		}
		// The price signer keeps nothing: there is no moment at which its end matters.
		pointless := program == "railkit-prices"
		for path, want := range map[string]bool{ordinary: false, crashing: !pointless} {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(raw, []byte(crash.Env)) != want {
				t.Errorf("%s: crash points are in it: %v, want %v", path, !want, want)
			}
		}
	}
}
