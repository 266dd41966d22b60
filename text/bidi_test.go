package text

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestDisplayOrderIsUnicodes(t *testing.T) {
	file, err := os.Open("testdata/bidi.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		fields := strings.Split(lines.Text(), ";")
		var line []rune
		for _, code := range strings.Fields(fields[0]) {
			r, err := strconv.ParseUint(code, 16, 21)
			if err != nil {
				t.Fatal(err)
			}
			line = append(line, rune(r))
		}
		levels := directionLevels(line)
		if got := strings.Trim(fmt.Sprint(levels), "[]"); got != fields[3] {
			t.Errorf("%s: the levels are %s", lines.Text(), got)
		}
		if got := strings.Trim(fmt.Sprint(visualOrder(levels)), "[]"); got != fields[4] {
			t.Errorf("%s: the order is %s", lines.Text(), got)
		}
	}
}

func TestDisplayOrder(t *testing.T) {
	for written, shown := range map[string]string{
		"Acme (MX) 12":                 "Acme (MX) 12",
		"\u05d0\u05d1 12":              "12 \u05d1\u05d0",
		"12 \u05d0\u05d1":              "12 \u05d1\u05d0",
		"\u05d0\u05d112ab":             "12\u05d1\u05d0ab", // numbers after Hebrew go before it, Latin does not
		"\u05d0\u05d1 10%":             "10% \u05d1\u05d0",
		"\u05d0\u05d1 $10 a":           "$10 \u05d1\u05d0 a",
		"\u05d0\u05d1 -10":             "10- \u05d1\u05d0",
		"\u05d0\u05d1 1.5":             "1.5 \u05d1\u05d0",
		"\u0627\u0628 1,2":             "1,2 \u0628\u0627",
		"ab \u0661 \u0662":             "ab \u0662 \u0661",
		"\u05d0\u05d1 (\u05d2) \u05d3": "\u05d3 (\u05d2) \u05d1\u05d0",
		"\u05d0([\u05d1] \u05d2 a)":    "\u05d0([\u05d1] \u05d2 a)", // the outer brackets decide first
		"\u05d0\u05d1 < \u05d2":        "\u05d2 > \u05d1\u05d0",
		"\u05e9\u05c2\u05d0\u05b7":     "\u05d0\u05b7\u05e9\u05c2",
		"a\u0301\u05e9\u05c2":          "a\u0301\u05e9\u05c2",
		"\u202eab\u2066\u05d0\u05d1":   "ab\u05d1\u05d0",
	} {
		if got := string(inDisplayOrder([]rune(written))); got != shown {
			t.Errorf("%+q is shown as %+q, want %+q", written, got, shown)
		}
	}
}

// More than 63 open brackets are no pairs: those behind the Hebrew letters go with them.
func TestManyBrackets(t *testing.T) {
	for open, shown := range map[int]string{
		63: "a" + strings.Repeat("(", 63) + "\u05d0" + strings.Repeat(")", 63) + "\u05d1",
		64: "a" + strings.Repeat("(", 64) + "\u05d1" + strings.Repeat("(", 64) + "\u05d0",
	} {
		written := "a" + strings.Repeat("(", open) + "\u05d0" + strings.Repeat(")", open) + "\u05d1"
		if got := string(inDisplayOrder([]rune(written))); got != shown {
			t.Errorf("%d brackets are shown as %+q", open, got)
		}
	}
}
