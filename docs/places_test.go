package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/archtest"
)

// The documents that lead through the code.
var guides = []string{
	"../README.md", "../CONTRIBUTING.md", "../SECURITY.md", "architecture.md", "extending.md", "glossary.md",
}

var (
	quoted = regexp.MustCompile("`([^`\n]+)`")
	place  = regexp.MustCompile(`^[a-zA-Z][a-z-]*(/[A-Za-z0-9_.*-]+)+/?$`)
	// kit/NAME stands for a path that is still to be written.
	newName = regexp.MustCompile(`[A-Z]{4}|\.\.\.`)
	link    = regexp.MustCompile(`\]\(([^)\s:]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	term    = regexp.MustCompile(`(?m)^\| ([A-Za-z][^|]*?) \|`)

	notInAnchors = regexp.MustCompile(`[^a-z0-9 _-]`)
	// A step of a walk: a file, and the functions in it.
	walked = regexp.MustCompile("(?m)^\\| \\d+ \\| `([^`]+\\.go)` \\| (.+?) \\|")
)

// Every file and folder that a guide names is there. What does not begin with a folder of this module is no place.
func TestPlacesThatGuidesNameExist(t *testing.T) {
	for _, guide := range guides {
		found := 0
		for _, m := range quoted.FindAllStringSubmatch(read(t, guide), -1) {
			top, _, _ := strings.Cut(m[1], "/")
			_, err := os.Stat(filepath.Join("..", top))
			if err != nil || !place.MatchString(m[1]) || newName.MatchString(m[1]) {
				continue
			}
			found++
			if at, err := filepath.Glob(filepath.Join("..", m[1])); err != nil || len(at) == 0 {
				t.Errorf("%s names %s, which is not there", guide, m[1])
			}
		}
		if found < 10 && !strings.HasPrefix(guide, "../") {
			t.Errorf("%s names only %d places: the search has lost some", guide, found)
		}
	}
}

// Links of all documents lead to files, and to headings of them.
func TestLinksOfDocumentsLeadSomewhere(t *testing.T) {
	documents, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	beside := []string{"../README.md", "../CHANGELOG.md", "../CONTRIBUTING.md", "../SECURITY.md"}
	for _, document := range append(documents, beside...) {
		for _, m := range link.FindAllStringSubmatch(read(t, document), -1) {
			path, heading, _ := strings.Cut(m[1], "#")
			to := document
			if path != "" {
				to = filepath.Join(filepath.Dir(document), path)
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s, which is not there", document, m[1])
			} else if heading != "" && !slices.Contains(headings(read(t, to)), heading) {
				t.Errorf("%s links to %s, which has no such heading", document, m[1])
			}
		}
	}
}

// headings are the anchors that GitHub gives a document's headings.
func headings(text string) (anchors []string) {
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		words := notInAnchors.ReplaceAllString(strings.ToLower(m[1]), "")
		anchors = append(anchors, strings.ReplaceAll(words, " ", "-"))
	}
	return anchors
}

// The glossary explains each word once, in the order of the alphabet under each heading.
func TestGlossaryIsInOrder(t *testing.T) {
	words := map[string]bool{}
	for _, part := range strings.Split(read(t, "glossary.md"), "\n## ")[1:] {
		before := ""
		for _, m := range term.FindAllStringSubmatch(part, -1) {
			if m[1] == "Word" {
				continue
			}
			if words[m[1]] || strings.ToLower(m[1]) < before {
				t.Errorf("%s is in the glossary twice, or in the wrong place", m[1])
			}
			words[m[1]], before = true, strings.ToLower(m[1])
		}
	}
	if len(words) < 40 {
		t.Errorf("the glossary has only %d words", len(words))
	}
}

// Every function of a walk is declared in the file that the walk names. A method is written Type.Method.
func TestWalksNameFunctionsThatExist(t *testing.T) {
	steps := walked.FindAllStringSubmatch(read(t, "architecture.md"), -1)
	if len(steps) < 40 {
		t.Errorf("architecture.md has only %d steps: the search has lost some", len(steps))
	}
	for _, step := range steps {
		there := declared(t, filepath.Join("..", step[1]))
		for _, m := range quoted.FindAllStringSubmatch(step[2], -1) {
			if !slices.Contains(there, m[1]) {
				t.Errorf("architecture.md: %s declares no %s; it has %v", step[1], m[1], there)
			}
		}
	}
}

// declared are the functions of a file, and what else it declares by name.
func declared(t *testing.T, path string) (names []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Error(err)
		return nil
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			names = append(names, receiver(d)+d.Name.Name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names
}

// receiver is the name of a method's type, with a dot; nothing where there is none.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	of := f.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if generic, ok := of.(*ast.IndexExpr); ok {
		of = generic.X
	}
	name, ok := of.(*ast.Ident)
	if !ok {
		return ""
	}
	return name.Name + "."
}

func read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// extending.md lists the packages that know EVM, and no others.
func TestPackagesThatKnowEVMAreListed(t *testing.T) {
	g, err := archtest.Load("..")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(read(t, "extending.md"), "| Package | What of EVM it assumes |")
	var listed, knowing []string
	for _, row := range strings.Split(table, "\n") {
		cell, _, found := strings.Cut(strings.TrimPrefix(row, "| "), " |")
		for _, m := range quoted.FindAllStringSubmatch(cell, -1) {
			if found {
				listed = append(listed, m[1])
			}
		}
	}
	for path, imports := range g {
		path, ours := strings.CutPrefix(path, archtest.Module+"/")
		if !ours || strings.HasPrefix(path, "chain/") || strings.HasPrefix(path, "internal/test/") {
			continue
		}
		if slices.Contains(imports, archtest.Module+"/chain/evm") {
			knowing = append(knowing, path)
			if fits(listed, path) == 0 {
				t.Errorf("%s imports chain/evm; extending.md does not list it", path)
			}
		}
	}
	for _, pattern := range listed {
		if !slices.ContainsFunc(knowing, func(path string) bool { return fits([]string{pattern}, path) > 0 }) {
			t.Errorf("extending.md lists %s, which does not import chain/evm", pattern)
		}
	}
}

// No two entries of the changelog begin with the same line.
func TestChangelogSaysEachThingOnce(t *testing.T) {
	lines := map[string]bool{}
	for _, line := range strings.Split(read(t, "../CHANGELOG.md"), "\n") {
		if strings.HasPrefix(line, "- ") && lines[line] {
			t.Errorf("CHANGELOG.md has this entry twice: %s", line)
		}
		lines[line] = true
	}
}
