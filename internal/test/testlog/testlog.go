// Package testlog is a log that tests read while others write to it.
package testlog

import (
	"strings"
	"sync"
)

// Log collects what is written. Its zero value is ready.
type Log struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write appends.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String is all that was written so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Tail is the last n lines.
func (l *Log) Tail(n int) string {
	lines := strings.Split(strings.TrimSpace(l.String()), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
