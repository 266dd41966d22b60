package docs

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	codedTest = regexp.MustCompile(`(?m)^func Test([A-Z][a-z]+)_((?:[A-Z]\d+_)+)`)
	codeRow   = regexp.MustCompile("(?m)^\\| `([A-Z][a-z]+ [A-Z]\\d+)` \\| \\S")
)

// Every code in the name of a test is in tests.md, once, and every code there is in the name of a test.
func TestCodesOfTestsAreListed(t *testing.T) {
	used := usedCodes(t)
	raw, err := os.ReadFile("tests.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, row := range codeRow.FindAllStringSubmatch(string(raw), -1) {
		if listed[row[1]] {
			t.Errorf("tests.md lists %s twice", row[1])
		}
		listed[row[1]] = true
		if !used[row[1]] {
			t.Errorf("tests.md lists %s, and no test has it in its name", row[1])
		}
	}
	for code := range used {
		if !listed[code] {
			t.Errorf("tests.md does not say what %s stands for", code)
		}
	}
}

// usedCodes are the codes in the names of tests, each with its kit: "Signing A06".
func usedCodes(t *testing.T) map[string]bool {
	t.Helper()
	used := map[string]bool{}
	eachTestFile(t, func(text string) {
		for _, name := range codedTest.FindAllStringSubmatch(text, -1) {
			for _, code := range strings.Split(strings.TrimSuffix(name[2], "_"), "_") {
				used[name[1]+" "+code] = true
			}
		}
	})
	return used
}

// named are tests that a document names as what holds it to its word.
var named = regexp.MustCompile("`(Test[A-Za-z0-9_]+)`")

// Every test that operations.md names is there.
func TestTestsThatOperationsNameExist(t *testing.T) {
	want := map[string]bool{}
	for _, m := range named.FindAllStringSubmatch(read(t, "operations.md"), -1) {
		want[m[1]] = true
	}
	if len(want) < 10 {
		t.Fatalf("operations.md names only %d tests: the search has lost some", len(want))
	}
	eachTestFile(t, func(text string) {
		for name := range want {
			if strings.Contains(text, "\nfunc "+name+"(") {
				delete(want, name)
			}
		}
	})
	if len(want) > 0 {
		t.Errorf("there is no %v", slices.Collect(maps.Keys(want)))
	}
}

// eachTestFile reads every file of tests in the tree.
func eachTestFile(t *testing.T, do func(text string)) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{".git", "bin", "node_modules"}, d.Name()) {
			return fs.SkipDir
		}
		if strings.HasSuffix(path, "_test.go") {
			do(read(t, path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
