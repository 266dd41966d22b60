package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Module is this one.
const Module = "github.com/railkit/railkit"

// Graph is who imports whom, by import path. Tests are not part of it: what a
// test imports is not linked into anything that runs.
type Graph map[string][]string

// Load asks the go command for the graph of everything below root.
func Load(root string) (Graph, error) {
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports", "./...")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is built
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the packages: %w: %s", err, stderr.Bytes())
	}
	return read(bytes.NewReader(out))
}

func read(r io.Reader) (Graph, error) {
	g := Graph{}
	for d := json.NewDecoder(r); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return g, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading the list of packages: %w", err)
		}
		g[p.ImportPath] = p.Imports
	}
}

// ours lists this module's packages, sorted.
func (g Graph) ours() []string {
	var all []string
	for p := range g {
		if match("./...", p) {
			all = append(all, p)
		}
	}
	slices.Sort(all)
	return all
}

// match reports whether an import path is of a pattern.
func match(pattern, path string) bool {
	pattern, local := strings.CutPrefix(pattern, "./")
	if local {
		pattern = strings.TrimSuffix(Module+"/"+pattern, "/")
	}
	folder, tree := strings.CutSuffix(pattern, "/...")
	return path == folder || tree && strings.HasPrefix(path, folder+"/")
}

func matchAny(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return match(p, path) })
}

// Check returns what breaks the rule, one line each.
func (g Graph) Check(r Rule) []string {
	var broken []string
	for _, p := range g.ours() {
		if !matchAny(r.From, p) || matchAny(r.Except, p) {
			continue
		}
		broken = append(broken, g.checkOnly(r, p)...)
		if way := g.way(p, r.Never); way != nil {
			broken = append(broken, strings.Join(short(way), " -> "))
		}
	}
	return broken
}

func (g Graph) checkOnly(r Rule, p string) []string {
	if len(r.Only) == 0 {
		return nil
	}
	var broken []string
	for _, imported := range g[p] {
		if match("./...", imported) && !matchAny(r.Only, imported) {
			broken = append(broken, strings.Join(short([]string{p, imported}), " imports "))
		}
	}
	return broken
}

// way finds the shortest way from a package to one it must not link.
func (g Graph) way(from string, never []string) []string {
	came := map[string]string{from: ""}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if at != from && matchAny(never, at) {
			return trace(came, at)
		}
		for _, next := range g[at] {
			if _, seen := came[next]; !seen {
				came[next] = at
				queue = append(queue, next)
			}
		}
	}
	return nil
}

func trace(came map[string]string, to string) []string {
	var way []string
	for at := to; at != ""; at = came[at] {
		way = append(way, at)
	}
	slices.Reverse(way)
	return way
}

func short(paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = strings.TrimPrefix(p, Module+"/")
	}
	return out
}
