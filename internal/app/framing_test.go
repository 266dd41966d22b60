package app

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// opened serves the handler as the server does, and connects. Within a bubble both sides have its clock.
func opened(t *testing.T, h http.Handler) net.Conn {
	t.Helper()
	a := &App{config: Config{Log: slog.New(slog.DiscardHandler)}}
	server, l := a.httpServer(h), pipes{make(chan net.Conn), make(chan struct{})}
	go func() { _ = server.Serve(l) }() // until it is closed
	ours, theirs := net.Pipe()
	l.conns <- theirs
	t.Cleanup(func() {
		_ = ours.Close()
		_ = server.Close()
	})
	return ours
}

// pipes is a listener to whom connections are given.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error   { close(p.closed); return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{} }

// Each of these is taken in one way or refused, and nothing behind it on the
// connection is ever taken for a request that it may be part of.
func TestPlatform_H14_Framing(t *testing.T) {
	const smuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
	post := func(headers, body string) string {
		return "POST /first HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n" + body
	}
	for name, raw := range map[string]string{
		"both lengths":              post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
		"both, the other way round": post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n"),
		"chunked":                   post("Transfer-Encoding: chunked\r\n", "1\r\na\r\n0\r\n\r\n"),
		"two lengths":               post("Content-Length: 0\r\nContent-Length: 38\r\n", ""),
		"a list of lengths":         post("Content-Length: 0, 38\r\n", ""),
		"a length with a sign":      post("Content-Length: +0\r\n", ""),
		"a negative length":         post("Content-Length: -1\r\n", ""),
		"a length in hex":           post("Content-Length: 0x0\r\n", ""),
		"a length of nothing":       post("Content-Length: \r\n", ""),
		"a length that overflows":   post("Content-Length: 18446744073709551616\r\n", ""),
		"an unknown coding":         post("Transfer-Encoding: gzip\r\n", ""),
		"two codings":               post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"),
		"chunked twice": post(
			"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n",
		),
		"chunked in a list of one":          post("Transfer-Encoding: ,chunked\r\n", "0\r\n\r\n"),
		"a tab in the coding":               post("Transfer-Encoding:\vchunked\r\n", "0\r\n\r\n"),
		"a space before the colon":          post("Transfer-Encoding : chunked\r\n", "0\r\n\r\n"),
		"a chunk's size with a sign":        post("Transfer-Encoding: chunked\r\n", "+0\r\n\r\n"),
		"a chunk's size that overflows":     post("Transfer-Encoding: chunked\r\n", "fffffffffffffffff\r\n\r\n"),
		"a chunk's size with an underscore": post("Transfer-Encoding: chunked\r\n", "0_0\r\n\r\n"),
		"a chunk that is too long":          post("Transfer-Encoding: chunked\r\n", "1\r\nab\r\n0\r\n\r\n"),
		"a null in a header":                post("X: a\x00b\r\nContent-Length: 0\r\n", ""),
		"a return alone in a header":        post("X: a\rContent-Length: 38\r\n", ""),
		"no host":                           "POST /first HTTP/1.1\r\n\r\n",
		"two hosts":                         post("Host: b\r\n", ""),
		"a space in the target":             "POST /first /second HTTP/1.1\r\nHost: a\r\n\r\n",
		"an unknown version":                "POST /first HTTP/9.9\r\nHost: a\r\n\r\n",
	} {
		t.Run(name, inBubble(func(t *testing.T) {
			conn := opened(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, err := io.Copy(io.Discard, r.Body)
				fmt.Fprintf(w, "[%s %v]", r.URL.Path, err)
			}))
			go func() { _, _ = io.WriteString(conn, raw+smuggled) }() // the server closes before it has read all
			_ = conn.SetReadDeadline(time.Now().Add(time.Second))
			got, err := io.ReadAll(conn) // until the server closes
			if err != nil {
				t.Fatalf("the connection stays: %v after %q", err, got)
			}
			if bytes.Contains(got, []byte("/smuggled")) || bytes.Count(got, []byte("HTTP/1.")) != 1 {
				t.Errorf("answered: %q", got)
			}
		}))
	}
}

func inBubble(test func(*testing.T)) func(*testing.T) {
	return func(t *testing.T) { synctest.Test(t, test) }
}

// An answer that nobody takes in ends the connection long before the two minutes that a call may take.
func TestPlatform_H14_ClientThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		conn := opened(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					ended <- err
					return
				}
			}
		}))
		began := time.Now()
		if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; time.Since(began) != answerPatience {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// A request with a length keeps its connection, as ever.
func TestPlatform_H14_ConnectionIsKept(t *testing.T) {
	conn := opened(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	in := bufio.NewReader(conn)
	for range 2 {
		if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"); err != nil {
			t.Fatal(err)
		}
		res, err := http.ReadResponse(in, nil)
		if err != nil || res.Close {
			t.Fatalf("%+v, %v", res, err)
		}
	}
}

// A long answer has the patience for each part that it flushes, and outlives the time in which a request has to arrive
// and the one that a call may take.
func TestPlatform_H14_LongAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := opened(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for range 8 {
				time.Sleep(answerPatience - time.Second)
				if r.Context().Err() != nil {
					panic(http.ErrAbortHandler)
				}
				_, _ = io.WriteString(w, "part ")
				_ = http.NewResponseController(w).Flush()
			}
		}))
		if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(res.Body); err != nil || string(got) != strings.Repeat("part ", 8) {
			t.Errorf("%q, %v", got, err)
		}
	})
}
