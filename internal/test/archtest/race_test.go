package archtest

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The Makefile lists the packages of the race detector: those whose tests run whole, those of which some tests run, and
// those that are left out for a reason.

var raceLine = regexp.MustCompile(`(?m)^(RACE|RACE_STORIES|NO_RACE) \+= \./(\S+) +# \S`)

var raceTests = regexp.MustCompile(`(?m)^RACE_TESTS \+= (.+)$`)

// racePackages are the packages of each list, by its name.
func racePackages(makefile string) map[string][]string {
	lists := map[string][]string{}
	for _, found := range raceLine.FindAllStringSubmatch(makefile, -1) {
		lists[found[1]] = append(lists[found[1]], found[2])
	}
	return lists
}

func readMakefile(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// A package that can race, and that a program links, is in one of the lists. Else a new goroutine would never be seen
// by the race detector.
func TestEveryPackageThatCanRaceIsListed(t *testing.T) {
	lists := racePackages(readMakefile(t))
	listed := slices.Concat(lists["RACE"], lists["RACE_STORIES"], lists["NO_RACE"])
	linked := programPackages(t)
	racing := map[string]bool{}
	for _, s := range sources(t) {
		at := filepath.ToSlash(filepath.Dir(s.path))
		if !strings.HasSuffix(s.path, "_test.go") && linked[Module+"/"+at] && concurrent(s.file) {
			racing[at] = true
		}
	}
	for at := range racing {
		if !slices.Contains(listed, at) {
			t.Errorf(
				"%s starts a goroutine or has a lock: name it in RACE, RACE_STORIES or NO_RACE of the Makefile", at,
			)
		}
	}
	for _, at := range listed {
		if _, err := os.Stat(filepath.Join(root, at)); err != nil {
			t.Errorf("the Makefile lists %s: %v", at, err)
		}
	}
	if len(racing) < 20 {
		t.Errorf("only %d packages can race: the search has lost some", len(racing))
	}
}

func programPackages(t *testing.T) map[string]bool {
	t.Helper()
	g, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]bool{}
	for _, program := range g.ours() {
		if strings.HasPrefix(program, Module+"/cmd/") {
			for _, p := range g.reach(program) {
				linked[p] = true
			}
		}
	}
	return linked
}

// concurrent reports whether a file starts a goroutine or has a lock.
func concurrent(file *ast.File) (found bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.SelectorExpr:
			from, _ := n.X.(*ast.Ident)
			if from != nil && from.Name == "sync" &&
				slices.Contains([]string{"Mutex", "RWMutex", "WaitGroup", "Map"}, n.Sel.Name) {
				found = true
			}
		}
		return !found
	})
	return found
}

// Each test that the race detector runs by its name is there, and each package of the list has one: a test that is
// renamed does not leave the list unseen.
func TestRaceStoriesExist(t *testing.T) {
	makefile := readMakefile(t)
	var names []string
	for _, line := range raceTests.FindAllStringSubmatch(makefile, -1) {
		names = append(names, strings.Fields(line[1])...)
	}
	missing, packages := slices.Clone(names), racePackages(makefile)["RACE_STORIES"]
	for _, s := range sources(t) {
		at := filepath.ToSlash(filepath.Dir(s.path))
		for _, f := range funcs(s.file) {
			if slices.Contains(names, f.Name.Name) {
				missing = slices.DeleteFunc(missing, func(name string) bool { return name == f.Name.Name })
				packages = slices.DeleteFunc(packages, func(p string) bool { return p == at })
			}
		}
	}
	if len(names) == 0 || len(missing) > 0 || len(packages) > 0 {
		t.Errorf("RACE_TESTS names %d tests, of which these are not there: %v; "+
			"packages of RACE_STORIES without one: %v", len(names), missing, packages)
	}
}

var plainSkip = regexp.MustCompile(`(?m)^PLAIN_SKIP \+= \^(\w+)\$\$(/\S+)? +# \S`)

var raceSkip = regexp.MustCompile(`(?m)^RACE_SKIP \+= ([^#\n]+)`)

// What the plain half leaves out, the race detector runs: it is in a package of RACE, and RACE_SKIP does not name it.
func TestPlainHalfLeavesOutWhatTheOtherRuns(t *testing.T) {
	makefile := readMakefile(t)
	left := plainSkip.FindAllStringSubmatch(makefile, -1)
	if n := strings.Count(makefile, "\nPLAIN_SKIP "); n == 0 || len(left) != n {
		t.Fatalf("PLAIN_SKIP has %d lines, of which %d name one test and say why", n, len(left))
	}
	for _, line := range left {
		name, in := line[1], ""
		for _, s := range sources(t) {
			if slices.ContainsFunc(funcs(s.file), func(f *ast.FuncDecl) bool { return f.Name.Name == name }) {
				in = filepath.ToSlash(filepath.Dir(s.path))
			}
		}
		if !slices.Contains(racePackages(makefile)["RACE"], in) {
			t.Errorf("%s is in no package of RACE, but in %q", name, in)
		}
	}
	for _, line := range raceSkip.FindAllStringSubmatch(makefile, -1) {
		for _, pattern := range strings.Fields(strings.ReplaceAll(line[1], "$$", "$")) {
			test, part, _ := strings.Cut(pattern, "/")
			for _, l := range left {
				runsThere := part != "" && !regexp.MustCompile(strings.TrimPrefix(l[2], "/")).MatchString(part)
				if regexp.MustCompile(test).MatchString(l[1]) && !runsThere && part != "SQLite" {
					t.Errorf("neither half runs %s: RACE_SKIP has %s", l[0], pattern)
				}
			}
		}
	}
}
