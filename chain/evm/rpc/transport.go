package rpc

import (
	"io"
	"net/http"
)

// maxAnswer is far above any answer that is asked for here: a block that holds
// nothing but token transfers has tens of thousands, of less than 1 KB each.
const maxAnswer = 32 << 20

// capped is a transport whose answers end at maxAnswer, after decompression.
type capped struct{ http.RoundTripper }

func (t capped) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := t.RoundTripper.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	res.Body = &cappedBody{ReadCloser: res.Body, left: maxAnswer}
	return res, nil
}

// CloseIdleConnections lets http.Client reach the transport's own.
func (t capped) CloseIdleConnections() {
	if c, ok := t.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

type cappedBody struct {
	io.ReadCloser
	left int
}

func (b *cappedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errAnswerTooLarge
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
