package supervise

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/testlog"
)

func TestBackOff(t *testing.T) {
	var b backOff
	for i, step := range []struct{ lived, want time.Duration }{
		{time.Hour, 100 * time.Millisecond},
		{time.Second, 200 * time.Millisecond},
		{0, 400 * time.Millisecond},
		{0, 800 * time.Millisecond},
		{0, 1600 * time.Millisecond},
		{0, 3200 * time.Millisecond},
		{0, 6400 * time.Millisecond},
		{0, 10 * time.Second},
		{59 * time.Second, 10 * time.Second},
		{60 * time.Second, 100 * time.Millisecond},
		{0, 200 * time.Millisecond},
	} {
		if got := b.next(step.lived); got != step.want {
			t.Errorf("step %d: %v, want %v", i, got, step.want)
		}
	}
}

func TestLines(t *testing.T) {
	var log testlog.Log
	l := &lines{prefix: "node", out: &output{w: &log}}
	for _, part := range []string{"on", "e\ntwo\n", "\nthr", "ee"} {
		l.Write([]byte(part))
	}
	if got := l.tail(); !slices.Equal(got, []string{"one", "two", "", "three"}) {
		t.Errorf("tail = %q", got)
	}
	if got := log.String(); got != "node | one\nnode | two\nnode | \n" {
		t.Errorf("log = %q", got)
	}
}

func TestLines_Bounded(t *testing.T) {
	l := &lines{out: &output{w: &testlog.Log{}}}
	for i := range 3 * tailLines {
		l.Write([]byte(strconv.Itoa(i) + "\n"))
	}
	if got := l.tail(); len(got) != tailLines || got[0] != strconv.Itoa(2*tailLines) {
		t.Errorf("%d lines from %s", len(got), got[0])
	}
	l.Write([]byte(strings.Repeat("x", 3*mostLine+5)))
	for _, line := range l.tail() {
		if len(line) > mostLine {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
	if len(l.part) >= mostLine {
		t.Errorf("%d bytes wait for an end of line", len(l.part))
	}
}
