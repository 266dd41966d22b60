package archtest

import (
	"go/ast"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	mostFiles   = 20 // of a folder, without its tests
	mostMethods = 40 // of a type
	// MB that a package compiles to: two generic types of one file may make as many as a hundred others
	mostCompiled = 5
)

// What is larger still has its number here, which may fall and never rise: whoever makes it smaller writes the new one.
// sdk/go is the one package that its users import, with a file for each service.
var (
	largeFolders = map[string]int{
		"enclave/decide": 41, "sdk/go": 22,
	}
	largeTypes = map[string]int{
		"internal/demo.story": 78, "internal/test/apptest.App": 46,
		"internal/test/walk.World": 56,
	}
	largeCode = map[string]int{
		"enclave/decide": 6, "internal/app": 8, "sdk/go": 9, "store/payout": 10, "store/platform": 6,
		"store/signing": 8,
	}
)

// tags is how many struct tags of JSON there are in api, kit, platform and sdk, where the types of rest would do for
// most. It may fall and never rise.
const tags = 1354

// A folder is read by the names of its files, and a type by the names of its methods: of more than these a stranger
// remembers none.
func TestShapes(t *testing.T) {
	files, methods, found := map[string]int{}, map[string]int{}, 0
	for _, s := range sources(t) {
		if strings.HasSuffix(s.path, "_test.go") {
			continue
		}
		folder := filepath.ToSlash(filepath.Dir(s.path))
		files[folder]++
		for _, f := range funcs(s.file) {
			if of, _, method := strings.Cut(funcName(f), "."); method {
				methods[folder+"."+of]++
			}
		}
		if room, _, _ := strings.Cut(folder, "/"); slices.Contains([]string{"api", "kit", "platform", "sdk"}, room) {
			found += jsonTags(s.file)
		}
	}
	few(t, "files", "split it by noun", files, mostFiles, largeFolders)
	few(t, "methods", "split it by noun", methods, mostMethods, largeTypes)
	if found != tags {
		t.Errorf("%d struct tags of JSON are outside of rest, not %d: use its types, or write the smaller number", found, tags)
	}
}

func jsonTags(f *ast.File) (n int) {
	ast.Inspect(f, func(node ast.Node) bool {
		if field, ok := node.(*ast.Field); ok && field.Tag != nil && strings.Contains(field.Tag.Value, `json:"`) {
			n++
		}
		return true
	})
	return n
}

// What one changed file costs whoever builds is the code of its package, which generic types multiply unseen.
func TestCompiledSizes(t *testing.T) {
	cmd := exec.Command("go", "list", "-export", "-f", "{{if .Export}}{{.ImportPath}} {{.Export}}{{end}}", "./...")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.Contains(path, "test/") || strings.HasSuffix(path, "test") {
			continue
		}
		info, err := os.Stat(file)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		name := strings.TrimPrefix(path, Module+"/")
		sizes[name] = int(info.Size() >> 20)
		if sizes[name] == largeCode[name]-1 { // compilers and the tree's own place differ by a little
			sizes[name]++
		}
	}
	few(t, "MB of code", "have fewer generic types", sizes, mostCompiled, largeCode)
}

// few holds each count to the most, or to its own number where it has one.
func few(t *testing.T, what, instead string, counts map[string]int, most int, large map[string]int) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		n, limit := counts[name], max(most, large[name])
		switch {
		case n > limit:
			t.Errorf("%s has %d %s, more than %d: %s", name, n, what, limit, instead)
		case large[name] > 0 && n <= most:
			t.Errorf("%s has %d %s, which is few enough: take it off the list", name, n, what)
		case large[name] > n:
			t.Errorf("%s has %d %s, no longer %d: write the new number", name, n, what, limit)
		}
	}
	for name := range large {
		if counts[name] == 0 {
			t.Errorf("%s is on the list of what has too many %s, and is not there", name, what)
		}
	}
}
