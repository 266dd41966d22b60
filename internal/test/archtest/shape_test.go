package archtest

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	mostFiles   = 20 // of a folder, without its tests
	mostMethods = 40 // of a type
)

// What is larger still. An entry that has become small enough is taken off its list, and none is added without reason.
// sdk/go is the one package that its users import, with a file for each service.
var (
	largeFolders = []string{
		"api", "api/edge", "enclave/decide", "fiat/sandbox", "internal/app", "sdk/go",
	}
	largeTypes = []string{
		"fiat/sandbox.Server", "internal/demo.story",
		"internal/test/apptest.App", "internal/test/walk.World",
		"kit/payout/order.step",
	}
)

// A folder is read by the names of its files, and a type by the names of its methods: of more than these a stranger
// remembers none.
func TestShapes(t *testing.T) {
	files, methods := map[string]int{}, map[string]int{}
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
	}
	few(t, "files", files, mostFiles, largeFolders)
	few(t, "methods", methods, mostMethods, largeTypes)
}

func few(t *testing.T, what string, counts map[string]int, most int, except []string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		switch n := counts[name]; {
		case n > most && !slices.Contains(except, name):
			t.Errorf("%s has %d %s, more than %d: split it by noun", name, n, what, most)
		case n <= most && slices.Contains(except, name):
			t.Errorf("%s has %d %s, which is few enough: take it off the list", name, n, what)
		}
	}
	for _, name := range except {
		if counts[name] == 0 {
			t.Errorf("%s is on the list of what has too many %s, and is not there", name, what)
		}
	}
}
