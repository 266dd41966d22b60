package shop

import (
	"bytes"
	"errors"
	"maps"
	"net/http"
)

// maxAnswer bounds an answer that is sold: it waits in memory for its payment.
const maxAnswer = 8 << 20

var errTooLarge = errors.New("the answer is too large to wait for its payment")

// buffer keeps a handler's answer until it is paid.
type buffer struct {
	header http.Header
	status int // 200 where the handler does not say
	wrote  bool
	body   bytes.Buffer
	over   bool
}

func newBuffer() *buffer { return &buffer{header: http.Header{}, status: http.StatusOK} }

func (b *buffer) Header() http.Header { return b.header }

// WriteHeader takes the first status, as net/http does. Informational ones are dropped: nothing leaves before the
// payment.
func (b *buffer) WriteHeader(status int) {
	if !b.wrote && status >= http.StatusOK {
		b.status, b.wrote = status, true
	}
}

func (b *buffer) Write(p []byte) (int, error) {
	b.WriteHeader(http.StatusOK)
	if b.body.Len()+len(p) > maxAnswer {
		b.over = true
		return 0, errTooLarge
	}
	return b.body.Write(p)
}

func (b *buffer) write(w http.ResponseWriter) {
	maps.Copy(w.Header(), b.header)
	w.WriteHeader(b.status)
	_, _ = w.Write(b.body.Bytes()) // to a buyer who is gone
}
