package docs

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/sourcetest"
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
	eachTestFile(t, func(_, text string) {
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
	eachTestFile(t, func(_, text string) {
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

var (
	// timed is what waits for time, or gives up so soon that a busy machine may have to.
	timed = regexp.MustCompile(`time\.(Sleep|After|AfterFunc)\(|` +
		`(WithTimeout\(|Set\w*Deadline\(|Timeout: ).*time\.(Nano|Micro|Milli)?[sS]econd`)
	whyTimed = regexp.MustCompile("(?m)^\\| `// ([^`]+)` \\| \\S")
	long     = regexp.MustCompile(`After\(testwait\.Bound\)`)
	// bubble is in files whose tests have a clock of their own.
	bubble = regexp.MustCompile(`synctest\.|inBubble\(`)
)

// A line of a test that waits for time, or not for long, says at its end which of the reasons of tests.md it has.
func TestTestsDoNotWaitForTime(t *testing.T) {
	var reasons []string
	for _, row := range whyTimed.FindAllStringSubmatch(read(t, "tests.md"), -1) {
		reasons = append(reasons, row[1])
	}
	if len(reasons) == 0 {
		t.Fatal("tests.md has no reasons")
	}
	eachTestFile(t, func(path, text string) {
		for i, line := range strings.Split(text, "\n") {
			_, why, _ := strings.Cut(line, " // ")
			given := slices.ContainsFunc(reasons, func(r string) bool { return strings.Contains(why, r) })
			if timed.MatchString(line) && !given && !long.MatchString(line) && !bubble.MatchString(text) {
				t.Errorf("%s:%d: no reason of tests.md for %s", path, i+1, strings.TrimSpace(line))
			}
		}
	})
}

// eachTestFile reads every file of tests in the tree.
func eachTestFile(t *testing.T, do func(path, text string)) {
	t.Helper()
	files, err := sourcetest.Files("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		helper := strings.HasPrefix(path, "../internal/test/") && strings.HasSuffix(path, ".go")
		if helper || strings.HasSuffix(path, "_test.go") {
			do(path, read(t, path))
		}
	}
}
