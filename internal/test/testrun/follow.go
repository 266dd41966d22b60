package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// Record is what came of one command.
type Record struct {
	Name      string
	Number    int64 // orders the records as they ran
	Passed    bool
	Wall, CPU float64 // seconds
	Links     int     // test programs that were linked
	LinkCPU   float64 // seconds of CPU
	Tests     int     // that ran, subtests not counted
	Packages  []Package
	Failures  []Failure
}

// Package is what came of the tests of one package.
type Package struct {
	Name    string
	Seconds float64
	Cached  bool
}

// Failure is a test that failed, or a package that did so outside of its tests. With its seeds it can be run again.
type Failure struct {
	Package, Test string
	Seeds         []string
}

// event is a line of `go test -json` (go doc test2json; of a build, go help buildjson).
type event struct {
	Action, Package, ImportPath, Test, Output, FailedBuild string
	Elapsed                                                float64
}

// seeds are how the dice of a test are told: ours, and those of rapid.
var seeds = regexp.MustCompile(`RAILKIT_SEED=\d+|-rapid\.seed=\d+`)

// follower reads the events of one command.
type follower struct {
	out    io.Writer
	record *Record
	said   map[string]map[string]*strings.Builder // by package and test: what tests say that have not passed yet
	order  map[string][]string                    // by package: its tests, as they began
	cached map[string]bool
}

// follow reads events to their end. It prints a line for each package when it is done, and before it all that its
// failed tests said; what passed is silent.
func follow(events io.Reader, out io.Writer, record *Record) error {
	f := follower{
		out: out, record: record, said: map[string]map[string]*strings.Builder{},
		order: map[string][]string{}, cached: map[string]bool{},
	}
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadString('\n')
		if err != nil && err != io.EOF {
			return fmt.Errorf("reading what the tests say: %w", err)
		}
		var e event
		if json.Unmarshal([]byte(line), &e) == nil {
			f.take(e)
		} else {
			fmt.Fprint(out, line) // what go says by itself, such as that a module is missing
		}
		if err == io.EOF {
			return nil
		}
	}
}

func (f *follower) take(e event) {
	switch {
	case e.Action == "build-output":
		fmt.Fprint(f.out, e.Output)
	case e.Action == "output" && !strings.HasPrefix(e.Output, "=== "): // "=== RUN TestName" and its like
		f.hear(e)
	case e.Action == "output":
	case e.Test == "":
		f.end(e)
	case e.Action == "pass" || e.Action == "skip":
		f.count(e)
		delete(f.said[e.Package], e.Test)
	case e.Action == "fail":
		f.count(e)
	}
}

func (f *follower) hear(e event) {
	if f.said[e.Package] == nil {
		f.said[e.Package] = map[string]*strings.Builder{}
	}
	text := f.said[e.Package][e.Test]
	if text == nil {
		text = &strings.Builder{}
		f.said[e.Package][e.Test] = text
		f.order[e.Package] = append(f.order[e.Package], e.Test)
	}
	text.WriteString(e.Output)
	if e.Test == "" && strings.HasSuffix(e.Output, "(cached)\n") {
		f.cached[e.Package] = true
	}
}

func (f *follower) count(e event) {
	if !strings.Contains(e.Test, "/") {
		f.record.Tests++
	}
}

// end tells what came of a package. In one that failed, tests that neither passed nor failed had not ended: a panic or
// the time limit ended their process.
func (f *follower) end(e event) {
	switch e.Action {
	case "pass", "skip":
		if e.Action == "pass" {
			f.record.Packages = append(f.record.Packages, Package{e.Package, e.Elapsed, f.cached[e.Package]})
			fmt.Fprintf(f.out, "ok\t%s\t%.1fs%s\n", e.Package, e.Elapsed, word(f.cached[e.Package], " (cached)"))
		}
	case "fail":
		f.record.Packages = append(f.record.Packages, Package{e.Package, e.Elapsed, false})
		f.failed(e)
		fmt.Fprintf(f.out, "FAIL\t%s\t%.1fs%s\n", e.Package, e.Elapsed, word(e.FailedBuild != "", " [build failed]"))
	default:
		return
	}
	delete(f.said, e.Package)
	delete(f.order, e.Package)
}

// failed prints what the tests said that did not pass, and keeps their names. Of a test with subtests the failed
// subtests are kept, with the seeds that the test drew for them.
func (f *follower) failed(e event) {
	var names []string
	for _, test := range f.order[e.Package] {
		text := f.said[e.Package][test]
		if text == nil {
			continue
		}
		fmt.Fprint(f.out, text.String())
		if test != "" {
			names = append(names, test)
		}
	}
	if len(names) == 0 { // it did not build, or ended outside of its tests
		f.record.Failures = append(f.record.Failures, Failure{Package: e.Package})
	}
	for _, test := range names {
		if !slices.ContainsFunc(names, func(other string) bool { return strings.HasPrefix(other, test+"/") }) {
			f.record.Failures = append(f.record.Failures, Failure{e.Package, test, f.seedsOf(e.Package, test)})
		}
	}
}

func (f *follower) seedsOf(pkg, test string) (all []string) {
	for _, name := range f.order[pkg] {
		if text := f.said[pkg][name]; text != nil && (name == test || strings.HasPrefix(test, name+"/")) {
			all = append(all, seeds.FindAllString(text.String(), -1)...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func word(is bool, text string) string {
	if is {
		return text
	}
	return ""
}
