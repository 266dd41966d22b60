package archtest

import (
	"slices"
	"strings"
	"sync"
	"testing"
)

const root = "../../.."

// loaded is the tree's graph, which the go command takes a second to list.
var loaded = sync.OnceValues(func() (Graph, error) { return Load(root) })

func TestDependencyRule(t *testing.T) {
	g, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range Rules {
		t.Run(r.Name, func(t *testing.T) {
			for _, line := range g.Check(r) {
				t.Errorf("%s\n\twhy not: %s", line, r.Why)
			}
		})
	}
}

// A rule about packages that do not exist holds nothing.
func TestRulesAreAboutSomething(t *testing.T) {
	g, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range Rules {
		if !slices.ContainsFunc(g.ours(), func(p string) bool {
			return matchAny(r.From, p) && !matchAny(r.Except, p)
		}) {
			t.Errorf("%q is about no package", r.Name)
		}
		if r.Why == "" || len(r.Never)+len(r.Only) == 0 {
			t.Errorf("%q forbids nothing or does not say why", r.Name)
		}
		for _, pattern := range join(r.From, r.Except, r.Never, r.Only) {
			if strings.HasPrefix(pattern, "./") && !slices.ContainsFunc(g.ours(), func(p string) bool {
				return match(pattern, p)
			}) {
				t.Errorf("%q names %s, which is no package", r.Name, pattern)
			}
		}
	}
}

// Each rule must bite: for every one the tree's own graph gets one forbidden
// edge, and only the rules that forbid it may complain.
func TestEveryRuleBites(t *testing.T) {
	g, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range Rules {
		from := g.ours()[slices.IndexFunc(g.ours(), func(p string) bool {
			return matchAny(r.From, p) && !matchAny(r.Except, p)
		})]
		for _, never := range r.Never {
			bad := concrete(never)
			if !slices.ContainsFunc(with(g, from, bad).Check(r), func(l string) bool {
				return strings.HasSuffix(l, short([]string{bad})[0])
			}) {
				t.Errorf("%q lets %s import %s", r.Name, from, bad)
			}
		}
		if len(r.Only) > 0 && len(with(g, from, Module+"/elsewhere").Check(r)) == 0 {
			t.Errorf("%q lets %s import anything", r.Name, from)
		}
	}
}

// concrete is a package of the pattern.
func concrete(pattern string) string {
	pattern = strings.TrimSuffix(pattern, "/...")
	if local, ok := strings.CutPrefix(pattern, "./"); ok {
		return Module + "/" + local
	}
	return pattern
}

// with is the graph without the package's own imports, and with one that it should not have.
func with(g Graph, from, imported string) Graph {
	changed := Graph{}
	for p := range g {
		changed[p] = nil
	}
	changed[from] = []string{Module + "/middle"}
	changed[Module+"/middle"] = []string{imported}
	changed[from] = append(changed[from], imported)
	return changed
}

func TestCheck_Fixture(t *testing.T) {
	g := Graph{
		Module + "/kit/a":         {Module + "/platform/x", Module + "/kit/b", "fmt"},
		Module + "/kit/b":         {"strings"},
		Module + "/platform/x":    {Module + "/store"},
		Module + "/store":         {"database/sql"},
		Module + "/kit/c":         {Module + "/kitchen"},
		Module + "/kitchen":       {"database/sqlx"},
		"fmt":                     nil,
		"github.com/other/kit/a":  {"database/sql"},
		Module + "/kit/a/testing": nil,
	}
	r := Rule{
		From:   []string{"./kit/..."},
		Except: []string{"./kit/b"},
		Only:   []string{"./platform/...", "./kitchen"},
		Never:  []string{"database/sql"},
	}
	got := g.Check(r)
	want := []string{
		"kit/a imports kit/b",
		"kit/a -> platform/x -> store -> database/sql",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"./kit/...", Module + "/kit", true},
		{"./kit/...", Module + "/kit/signing", true},
		{"./kit/...", Module + "/kitchen", false},
		{"./kit", Module + "/kit/signing", false},
		{"./...", Module, true},
		{"./...", "github.com/railkit/railkit2", false},
		{"net/http", "net/http", true},
		{"net/http", "net/http/httptest", false},
		{"github.com/ethereum/go-ethereum/...", "github.com/ethereum/go-ethereum/core/types", true},
	} {
		if got := match(c.pattern, c.path); got != c.want {
			t.Errorf("match(%s, %s) = %v", c.pattern, c.path, got)
		}
	}
}
