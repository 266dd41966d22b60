package archtest

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docs/dependencies.md has a row per module that go.mod asks for by name, in
// the version that is built, and marks those that the signer links.

var moduleRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (v[^ ]+) \\| (.*)$")

func TestDependenciesAreDocumented(t *testing.T) {
	rows := documented(t)
	want := direct(t, "go.mod")
	maps.Copy(want, direct(t, "tools/go.mod"))
	for module, version := range want {
		if got := rows[module].version; got != version {
			t.Errorf("%s is asked for in version %s; docs/dependencies.md has %q", module, version, got)
		}
	}
	for module := range rows {
		if want[module] == "" {
			t.Errorf("docs/dependencies.md lists %s, which nothing asks for", module)
		}
	}
}

func TestDependenciesOfTheSigner(t *testing.T) {
	g, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	rows := documented(t)
	linked := map[string]bool{}
	for _, p := range g.reach(Module + "/cmd/railkit-enclave") {
		if !match("./...", p) {
			continue
		}
		for _, imported := range g[p] {
			if m := moduleOf(rows, imported); m != "" {
				linked[m] = true
			}
		}
	}
	for module, row := range rows {
		if marked := strings.HasPrefix(row.rest, "**signer**"); marked != linked[module] {
			t.Errorf("%s: the signer links it: %v; docs/dependencies.md says so: %v", module, linked[module], marked)
		}
	}
}

type row struct{ version, rest string }

func documented(t *testing.T) map[string]row {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, "docs", "dependencies.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]row{}
	for _, m := range moduleRow.FindAllStringSubmatch(string(raw), -1) {
		if _, twice := rows[m[1]]; twice {
			t.Errorf("docs/dependencies.md lists %s twice", m[1])
		}
		rows[m[1]] = row{m[2], m[3]}
	}
	return rows
}

// direct lists what a go.mod file asks for by name: requirements, or the
// modules of its tools.
func direct(t *testing.T, file string) map[string]string {
	t.Helper()
	cmd := exec.Command("go", "mod", "edit", "-json", file)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var mod struct {
		Require []struct {
			Path, Version string
			Indirect      bool
		}
		Tool []struct{ Path string }
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for _, r := range mod.Require {
		isTool := slices.ContainsFunc(mod.Tool, func(tool struct{ Path string }) bool {
			return strings.HasPrefix(tool.Path, r.Path+"/")
		})
		if isTool || !r.Indirect {
			versions[r.Path] = r.Version
		}
	}
	return versions
}

// moduleOf is the documented module that a package is of: the longest that fits.
func moduleOf(rows map[string]row, pkg string) string {
	best := ""
	for module := range rows {
		if (pkg == module || strings.HasPrefix(pkg, module+"/")) && len(module) > len(best) {
			best = module
		}
	}
	return best
}

// reach is all that a package links, itself included.
func (g Graph) reach(from string) []string {
	seen := map[string]bool{from: true}
	queue := []string{from}
	for i := 0; i < len(queue); i++ {
		for _, next := range g[queue[i]] {
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return queue
}
