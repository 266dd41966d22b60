package supervise

import (
	"bytes"
	"io"
	"slices"
	"sync"
)

// output is the one place where lines come together, each whole.
type output struct {
	mu sync.Mutex
	w  io.Writer
}

func (o *output) line(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	io.WriteString(o.w, text+"\n") // a log that cannot be written stops nobody
}

// What is kept of a child's log.
const (
	tailLines = 100
	mostLine  = 16 << 10
)

// lines splits what a child writes, passes it on and keeps the newest lines.
type lines struct {
	prefix string
	out    *output

	mu   sync.Mutex
	part []byte
	kept []string
}

// Write takes whatever came; it never fails, or the child would block.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.part = append(l.part, p...)
	for {
		i := bytes.IndexByte(l.part, '\n')
		switch {
		case i >= 0 && i <= mostLine:
			l.add(string(l.part[:i]))
			l.part = l.part[i+1:]
		case len(l.part) >= mostLine:
			l.add(string(l.part[:mostLine]))
			l.part = l.part[mostLine:]
		default:
			return len(p), nil
		}
	}
}

func (l *lines) add(text string) {
	if len(l.kept) == tailLines {
		l.kept = slices.Delete(l.kept, 0, 1)
	}
	l.kept = append(l.kept, text)
	l.out.line(l.prefix + " | " + text)
}

// tail includes a last line without an end: often the one that matters.
func (l *lines) tail() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := slices.Clone(l.kept)
	if len(l.part) > 0 {
		kept = append(kept, string(l.part))
	}
	return kept
}
