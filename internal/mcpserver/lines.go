package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// lines passes on a caller's lines, each a message of JSON-RPC. The library ends the session at the first line that is
// none: such a line is answered here, and the next one is read.
type lines struct {
	in   *bufio.Reader
	out  *whole
	left []byte // of the line that is passed on
}

func newLines(in io.Reader, out *whole) *lines {
	return &lines{in: bufio.NewReaderSize(in, 64<<10), out: out}
}

// Read gives the bytes of good lines.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.left) == 0 {
		line, fits, err := l.next()
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if refusal := refusalOf(line, fits); refusal == nil {
				l.out.hear(line)
				l.left = append(line, '\n')
				break
			} else if _, failed := l.out.Write(refusal); failed != nil {
				return 0, failed
			}
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, l.left)
	l.left = l.left[n:]
	return n, nil
}

// next reads a line to its end, and keeps mostRequest bytes of it.
func (l *lines) next() (line []byte, fits bool, err error) {
	fits = true
	for {
		part, err := l.in.ReadSlice('\n')
		if fits = fits && len(line)+len(part) <= mostRequest; fits {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, fits, err
		}
	}
}

// The codes of JSON-RPC.
const (
	notJSON    = -32700
	notMessage = -32600
)

// refusalOf is the answer to a line that is no message; nil: it is one. It has the id where the line has one that can
// be read. A list of messages is none: the protocol has had no batches since 2025-06-18.
func refusalOf(line []byte, fits bool) []byte {
	var in struct {
		ID any `json:"id"`
	}
	code, words := notMessage, "the line is no message of JSON-RPC 2.0"
	switch _, err := jsonrpc.DecodeMessage(line); {
	case !fits:
		words = "the line has more than 1 MiB"
	case err == nil:
		return nil
	case !json.Valid(line):
		code, words = notJSON, "the line is not JSON"
	default:
		_ = json.Unmarshal(line, &in) // of a list: no id
		if _, err := jsonrpc.MakeID(in.ID); err != nil {
			in.ID = nil
		}
	}
	refusal, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": in.ID, "error": map[string]any{"code": code, "message": words},
	})
	if err != nil {
		return nil
	}
	return append(refusal, '\n')
}

// whole is a writer for several, each of whose writes is a line. It leaves out the answers to calls that were
// cancelled: the library writes them, and the protocol has none.
type whole struct {
	mu   sync.Mutex
	out  io.Writer
	open map[jsonrpc.ID]bool // calls without an answer; true: cancelled
}

// hear notes a message of the caller's.
func (w *whole) hear(line []byte) {
	m, err := jsonrpc.DecodeMessage(line)
	req, is := m.(*jsonrpc.Request)
	if err != nil || !is {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if req.IsCall() {
		w.open[req.ID] = false
		return
	}
	var of struct {
		RequestID any `json:"requestId"`
	}
	if req.Method != "notifications/cancelled" || json.Unmarshal(req.Params, &of) != nil {
		return
	}
	id, err := jsonrpc.MakeID(of.RequestID)
	if _, is := w.open[id]; is && err == nil {
		w.open[id] = true
	}
}

func (w *whole) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if m, err := jsonrpc.DecodeMessage(bytes.TrimSpace(line)); err == nil {
		if answer, is := m.(*jsonrpc.Response); is {
			cancelled := w.open[answer.ID]
			delete(w.open, answer.ID)
			if cancelled {
				return len(line), nil
			}
		}
	}
	return w.out.Write(line)
}

// Close leaves the writer open: it is not this package's.
func (*whole) Close() error { return nil }
