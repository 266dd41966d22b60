package takeover

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/testbin"
)

// TestMutantsApply shows that each mutant is still a change of the code of now.
func TestMutantsApply(t *testing.T) {
	root, err := testbin.Root()
	if err != nil {
		t.Fatal(err)
	}
	_, changes, err := readMutants()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mutatedSources(root, changes); err != nil {
		t.Error(err)
	}
}

// Every mutant has an attack, and every attack a mutant and a name of its own.
func TestTakeoverTable(t *testing.T) {
	mutants, _, err := readMutants()
	if err != nil {
		t.Fatal(err)
	}
	names, attacked := map[string]bool{}, map[string]bool{}
	for _, a := range attacks {
		if names[a.name()] || !slices.Contains(mutants, a.mutant) || a.tries == "" {
			t.Errorf("%s: %s: its name is taken, or its mutant %q is in none of mutants/*.txt",
				a.name(), a.tries, a.mutant)
		}
		names[a.name()], attacked[a.mutant] = true, true
	}
	for _, m := range mutants {
		if !attacked[m] {
			t.Errorf("mutant %s: no attack succeeds because of it: write one, or delete the mutant", m)
		}
	}
}

// What is shipped has no trace of any of this.
func TestTakeoverLeavesNoTrace(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		program func() (string, error)
		traces  bool
	}{
		{func() (string, error) { return testbin.Path("railkit-enclave") }, false},
		{mutatedSigner, true},
	} {
		program, err := tc.program()
		if err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		for _, trace := range []string{mutantEnv, clockEnv, "enclave/decide.mutantName"} {
			if strings.Contains(string(raw), trace) != tc.traces {
				t.Errorf("%s: that it has %q is %t", program, trace, !tc.traces)
			}
		}
	}
}

// What is wrong with a mutant is said with its name, its place and the file.
func TestMutantsRefused(t *testing.T) {
	source := "if a {\n\treturn b\n}\nif c {\n"
	one := change{mutants: []string{"one"}, at: "mutants/x.txt:3", file: "enclave/x.go"}
	one.old, one.new = "if a {", `if a && !mutant("one") {`
	gone, twice, same := one, one, one
	gone.old, twice.old, same.old, same.at = "if z {", "if ", "a {\n\treturn", "mutants/x.txt:9"
	for _, tc := range []struct {
		changes []change
		want    string
	}{
		{[]change{gone}, "mutant one (mutants/x.txt:3): its old text is 0 times in enclave/x.go"},
		{[]change{twice}, "mutant one (mutants/x.txt:3): its old text is 2 times in enclave/x.go"},
		{[]change{same, one}, "mutants/x.txt:3 and mutants/x.txt:9 change the same text of enclave/x.go"},
	} {
		if _, err := mutate(source, tc.changes); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v, not %q", err, tc.want)
		}
	}
	want := strings.Replace(strings.Replace(source, one.old, one.new, 1), "if c", "if d", 1)
	if got, err := mutate(source, []change{{old: "if c", new: "if d"}, one}); err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
}

// A file of mutants that is not as doc.go says is refused, with the line.
func TestMutantsMisspelt(t *testing.T) {
	const head = "mutant one: it does\nfile enclave/x.go\n"
	for text, want := range map[string]string{
		"mutant one: it does\nmutant one: again": "x.txt:2",
		"- if a {":                               "x.txt:1",
		"mutant one\n":                           "x.txt:1",
		head + "- if a {\n+ if mutant(\"one\") {\n\nmutant two: so\nfile enclave/y.go\n+ if b {": "x.txt:8",
		head + "+ if a {":               "x.txt:3",
		head:                            "mutant one changes nothing",
		head + "- if a {\n+ if false {": "x.txt:3: the change is for [one], and its new text asks for []",
		head + "- if a {\n+ if a && !mutant(\"two\") {": "asks for [two]",
	} {
		var l listing
		var err error
		for i, line := range strings.Split(text, "\n") {
			if err == nil {
				err = l.readLine("x.txt:"+string(rune('1'+i)), line)
			}
		}
		if err == nil {
			err = switched(l)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, not %q", text, err, want)
		}
	}
}
