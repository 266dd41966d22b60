package archtest

import (
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	mostColumns = 120 // a tab counts as four
	longToken   = 80  // a line may be wider for a token that has no place to break: a vector, a hash
	longTag     = 40  // the same of a raw string, which struct tags are: gofmt puts them all in one column
)

func TestWidth(t *testing.T) {
	for _, s := range sources(t) {
		raw, err := os.ReadFile(filepath.Join(root, s.path))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range wideLines(raw) {
			t.Errorf("%s:%d is wider than %d columns", s.path, line, mostColumns)
		}
	}
}

// wideLines are the lines that are too wide, but for the lines of raw strings and those with a long token.
func wideLines(src []byte) (lines []int) {
	excused := map[int]bool{}
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	for pos, tok, text := s.Scan(); tok != token.EOF; pos, tok, text = s.Scan() {
		if more := strings.Count(text, "\n"); tok == token.STRING && (more > 0 || isLong(text)) {
			for i := range more + 1 {
				excused[file.Line(pos)+i] = true
			}
		}
	}
	for i, line := range strings.Split(string(src), "\n") {
		if columns(line) > mostColumns && !excused[i+1] {
			lines = append(lines, i+1)
		}
	}
	return lines
}

func isLong(literal string) bool {
	if strings.HasPrefix(literal, "`") {
		return columns(literal) >= longTag
	}
	return columns(literal) >= longToken
}

func columns(line string) int {
	return utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
}

func TestWideLines(t *testing.T) {
	long := strings.Repeat("x", longToken)
	for text, want := range map[string]int{
		"var a = 1 // " + strings.Repeat("word ", 30):     1,
		"var a = 1\n\t// " + strings.Repeat("x", 110):     0,
		"var a = `" + long + "`, " + long:                 0,
		"var a = `\n" + long + long + "\n`\nvar b = c":    0,
		"var a = f(" + strings.Repeat("b, ", 40) + "c)\n": 1,
		"\t\t" + strings.Repeat("é", mostColumns-8):       0,
	} {
		if got := wideLines([]byte(text)); len(got) != want {
			t.Errorf("%q has %d wide lines, not %d", text, len(got), want)
		}
	}
}
