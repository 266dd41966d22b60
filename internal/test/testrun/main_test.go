package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// events are what `go test -json` says of these packages, a line each.
func events(t *testing.T, all ...event) string {
	t.Helper()
	var text strings.Builder
	for _, e := range all {
		raw, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(raw, '\n'))
	}
	return text.String()
}

func said(pkg, test, text string) event {
	return event{Action: "output", Package: pkg, Test: test, Output: text + "\n"}
}

func TestFollow(t *testing.T) {
	stream := events(t,
		event{Action: "start", Package: "a"},
		said("a", "TestGood", "=== RUN   TestGood"),
		said("a", "TestGood", "    good_test.go:3: all is well"),
		event{Action: "pass", Package: "a", Test: "TestGood"},
		said("a", "", "ok  \ta\t(cached)"),
		event{Action: "pass", Package: "a", Elapsed: 0.25},

		said("b", "TestDice", "    dice_test.go:9: RAILKIT_SEED=7"),
		said("b", "TestDice/one", "    dice_test.go:12: it is odd"),
		event{Action: "fail", Package: "b", Test: "TestDice/one"},
		event{Action: "pass", Package: "b", Test: "TestDice/two"},
		event{Action: "fail", Package: "b", Test: "TestDice"},
		event{Action: "fail", Package: "b", Elapsed: 2},

		said("c", "TestPanics", "panic: nil map"), // its process ends with it: no event of the test comes
		event{Action: "fail", Package: "c"},

		event{Action: "build-output", ImportPath: "d", Output: "d.go:1: undefined: x\n"},
		event{Action: "fail", Package: "d", FailedBuild: "d"},
		event{Action: "skip", Package: "e"}, // a package without tests
	) + "go: a line that is no event\n"

	var out bytes.Buffer
	var got Record
	if err := follow(strings.NewReader(stream), &out, &got); err != nil {
		t.Fatal(err)
	}
	want := Record{
		Tests: 2,
		Packages: []Package{
			{Name: "a", Seconds: 0.25, Cached: true}, {Name: "b", Seconds: 2}, {Name: "c"}, {Name: "d"},
		},
		Failures: []Failure{
			{Package: "b", Test: "TestDice/one", Seeds: []string{"RAILKIT_SEED=7"}},
			{Package: "c", Test: "TestPanics"}, {Package: "d"},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the record is\n%+v, not\n%+v", got, want)
	}
	printed := "ok\ta\t0.2s (cached)\n" +
		"    dice_test.go:9: RAILKIT_SEED=7\n    dice_test.go:12: it is odd\nFAIL\tb\t2.0s\n" +
		"panic: nil map\nFAIL\tc\t0.0s\nd.go:1: undefined: x\nFAIL\td\t0.0s [build failed]\n" +
		"go: a line that is no event\n"
	if out.String() != printed {
		t.Errorf("it prints\n%s\nnot\n%s", out.String(), printed)
	}
}

// A half that failed has to fail the whole, and its results have to be in the sum beside those of the other half.
func TestSum(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := sum(&bytes.Buffer{}); err == nil {
		t.Error("the sum of no run is no failure")
	}
	if err := do([]string{"run", "plain", "sh", "-c", "exit 3"}); err == nil || err.Error() != "plain: exit status 3" {
		t.Errorf("a command that fails is told as %v", err)
	}
	if err := do([]string{"run", "race", "true"}); err != nil {
		t.Error(err)
	}
	var out bytes.Buffer
	if err := sum(&out); err == nil || err.Error() != "failed: plain" {
		t.Errorf("the sum says %v", err)
	}
	if text := out.String(); !strings.HasPrefix(text, "plain         FAILED in ") ||
		!strings.Contains(text, "\nrace          ok in ") {
		t.Errorf("it prints\n%s", text)
	}
	if err := do([]string{"clear"}); err != nil {
		t.Error(err)
	}
	if _, err := readAll(); err == nil {
		t.Error("runs are left after clear")
	}
}

// What the linkers cost is in the line of their run, and what another tool cost is not.
func TestLinks(t *testing.T) {
	t.Chdir(t.TempDir())
	notes, err := linkNotes("plain")
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.WriteFile(link, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{link}, {link, "-o", "x"}, {link, "-V=full"}, {"true"}} {
		if err := do(append([]string{"tool", notes}, command...)); err != nil {
			t.Errorf("%q: %v", command, err)
		}
	}
	n, _ := linksIn(notes)
	if n != 2 {
		t.Errorf("%d links are noted, want 2", n)
	}
	if text := line(Record{Name: "plain", Passed: true, CPU: 9, Links: n, LinkCPU: 3}); !strings.HasSuffix(text,
		"9s of CPU time, 3s of it to link 2 programs") {
		t.Errorf("the line says %q", text)
	}
}

// At most 40 lines are printed, whatever failed.
func TestSumIsShort(t *testing.T) {
	t.Chdir(t.TempDir())
	r := Record{Name: "plain", Packages: make([]Package, 300), Failures: make([]Failure, 100)}
	if err := r.write(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := sum(&out); err == nil {
		t.Error("a run that failed is told as passed")
	}
	if n := strings.Count(out.String(), "\n"); n > 40 || !strings.Contains(out.String(), "and 80 more") {
		t.Errorf("%d lines are printed:\n%s", n, out.String())
	}
}
