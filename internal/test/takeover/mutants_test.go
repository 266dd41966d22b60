package takeover

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/railkit/railkit/internal/test/testbin"
)

// mutantEnv names the mutant that a process of the mutated program is.
const mutantEnv = "RAILKIT_TEST_MUTANT"

// clockEnv is how far the machine's clock is moved for it, such as -24h0m0s.
const clockEnv = "RAILKIT_TEST_MACHINE_CLOCK"

// switchSource is the file that each package with a mutant has in the mutated program only.
const switchSource = `package %s

import (
	"os"
	"time"
)

var mutantName = os.Getenv(%q)

func mutant(name string) bool { return name == mutantName }

// machineClock is how far the machine's clock was moved.
var machineClock, _ = time.ParseDuration(os.Getenv(%q))
`

// machineClock is no mutant: it lets a test move the machine's clock under the mutated program, as whoever has the
// machine can.
var machineClock = change{
	at: "the machine's clock", file: "enclave/clock.go",
	old: "return time.Now().Round(0).UTC()", new: "return time.Now().Add(machineClock).Round(0).UTC()",
}

// change is a text of a source file, and what mutants have in its place.
type change struct {
	mutants        []string
	at             string // where it is written down, such as mutants/stamps.txt:7
	file, old, new string
}

// listing is a file of mutants, up to a line.
type listing struct {
	names   []string // of all mutants so far
	changes []change
	block   change // what holds for the changes until the next empty line
	before  byte   // what the line before began with, such as '-'
}

var mutantLine = regexp.MustCompile(`^mutant ([a-zA-Z0-9]+): .+`)

// readLine reads one line of a file of mutants; doc.go shows the form.
func (l *listing) readLine(at, line string) error {
	begin := (line + "\n")[0]
	text := strings.TrimPrefix(line[min(1, len(line)):], " ")
	before, last := l.before, len(l.changes)-1
	l.before = begin
	name := mutantLine.FindStringSubmatch(line)
	file, isFile := strings.CutPrefix(line, "file ")
	switch {
	case line == "":
		l.block = change{}
	case begin == '#':
	case name != nil && l.block.file == "" && !slices.Contains(l.names, name[1]):
		l.names = append(l.names, name[1])
		l.block.mutants = append(slices.Clone(l.block.mutants), name[1])
	case isFile && l.block.mutants != nil:
		l.block.file = file
	case begin == '-' && before == '-':
		l.changes[last].old += "\n" + text
	case begin == '-' && l.block.file != "":
		l.changes = append(l.changes, change{mutants: l.block.mutants, at: at, file: l.block.file, old: text})
	case begin == '+' && before == '-':
		l.changes[last].new = text
	case begin == '+' && before == '+':
		l.changes[last].new += "\n" + text
	default:
		return fmt.Errorf("%s: %q does not belong here, or its name is taken: "+
			"internal/test/takeover/doc.go shows the form",
			at, line)
	}
	return nil
}

// readMutants reads mutants/*.txt.
func readMutants() (names []string, changes []change, err error) {
	files, err := filepath.Glob("mutants/*.txt")
	if err != nil || len(files) == 0 {
		return nil, nil, errors.Join(err, fmt.Errorf("%d files of mutants", len(files)))
	}
	var l listing
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return nil, nil, err
		}
		for i, line := range strings.Split(string(raw), "\n") {
			if err := l.readLine(fmt.Sprintf("%s:%d", file, i+1), line); err != nil {
				return nil, nil, err
			}
		}
		l.block, l.before = change{}, 0
	}
	return l.names, append(l.changes, machineClock), switched(l)
}

var asksFor = regexp.MustCompile(`\bmutant\("([a-zA-Z0-9]+)"\)`)

// switched holds the new texts against the names: each asks for the mutants that it
// is for, and no others. One that does not ask would be in all mutants.
func switched(l listing) error {
	var all []error
	for _, c := range l.changes {
		var asks []string
		for _, m := range asksFor.FindAllStringSubmatch(c.new, -1) {
			asks = append(asks, m[1])
		}
		slices.Sort(asks)
		if !slices.Equal(slices.Compact(asks), slices.Sorted(slices.Values(c.mutants))) {
			all = append(all, fmt.Errorf("%s: the change is for %v, and its new text asks for %v",
				c.at, c.mutants, asks))
		}
	}
	for _, name := range l.names {
		if !slices.ContainsFunc(l.changes, func(c change) bool { return slices.Contains(c.mutants, name) }) {
			all = append(all, fmt.Errorf("mutant %s changes nothing", name))
		}
	}
	return errors.Join(all...)
}

// mutate makes all changes of a source file.
func mutate(source string, changes []change) (string, error) {
	var all []error
	for _, c := range changes {
		if n := strings.Count(source, c.old); n != 1 {
			all = append(all, fmt.Errorf("mutant %s (%s): its old text is %d times in %s and has to be there once: "+
				"write what the code says now into internal/test/takeover/%s, or delete the mutant with its attacks "+
				"if the check is gone", strings.Join(c.mutants, ", "), c.at, n, c.file, c.at))
		}
	}
	if len(all) > 0 {
		return "", errors.Join(all...)
	}
	begins := func(c change) int { return strings.Index(source, c.old) }
	inOrder := func(a, b change) int { return cmp.Compare(begins(a), begins(b)) }
	changes = slices.SortedFunc(slices.Values(changes), inOrder)
	mutated, end := "", 0
	for i, c := range changes {
		if begins(c) < end {
			return "", fmt.Errorf("%s and %s change the same text of %s: write one change that is for both",
				changes[i-1].at, c.at, c.file)
		}
		mutated += source[end:begins(c)] + c.new
		end = begins(c) + len(c.old)
	}
	return mutated + source[end:], nil
}

// mutatedSources are the files that the mutated program has otherwise than the
// shipped one, by their names in the tree.
func mutatedSources(root string, changes []change) (map[string]string, error) {
	byFile := map[string][]change{}
	for _, c := range changes {
		byFile[c.file] = append(byFile[c.file], c)
	}
	sources, all := map[string]string{}, []error(nil)
	for file, changes := range byFile {
		raw, err := os.ReadFile(filepath.Join(root, file))
		if err == nil {
			sources[file], err = mutate(string(raw), changes)
		}
		all = append(all, err)
		if name := packageLine.FindSubmatch(raw); name != nil {
			sources[filepath.Join(filepath.Dir(file), "mutant_switch.go")] = fmt.Sprintf(
				switchSource, name[1], mutantEnv, clockEnv,
			)
		}
	}
	return sources, errors.Join(all...)
}

var packageLine = regexp.MustCompile(`(?m)^package (\w+)$`)

// mutatedSigner builds the one program that has all mutants.
var mutatedSigner = sync.OnceValues(func() (string, error) {
	root, err := testbin.Root()
	if err != nil {
		return "", err
	}
	_, changes, err := readMutants()
	if err != nil {
		return "", err
	}
	sources, err := mutatedSources(root, changes)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "railkit-mutants")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	overlay, err := writeOverlay(dir, root, sources)
	if err != nil {
		return "", err
	}
	return testbin.Overlaid("railkit-enclave", overlay)
})

// writeOverlay writes sources into a folder, with the file that go build -overlay reads.
func writeOverlay(dir, root string, sources map[string]string) (string, error) {
	replace := map[string]string{}
	for file, source := range sources {
		written := filepath.Join(dir, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(written, []byte(source), 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(root, file)] = written
	}
	raw, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, raw, 0o600)
}
