package app

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// opened serves the handler as the server does, and connects.
func opened(t *testing.T, h http.Handler) net.Conn {
	t.Helper()
	a := &App{config: Config{Log: slog.New(slog.DiscardHandler)}}
	return connected(t, a.httpServer(h))
}

func connected(t *testing.T, server *http.Server) net.Conn {
	t.Helper()
	web := httptest.NewUnstartedServer(nil)
	web.Config = server
	web.Start()
	t.Cleanup(web.Close)
	conn, err := net.Dial("tcp", web.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

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
		t.Run(name, func(t *testing.T) {
			conn := opened(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, err := io.Copy(io.Discard, r.Body)
				fmt.Fprintf(w, "[%s %v]", r.URL.Path, err)
			}))
			if _, err := io.WriteString(conn, raw+smuggled); err != nil {
				t.Fatal(err)
			}
			_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
			got, err := io.ReadAll(conn) // until the server closes
			if err != nil && !strings.Contains(err.Error(), "reset") {
				t.Fatalf("the connection stays: %v after %q", err, got)
			}
			if bytes.Contains(got, []byte("/smuggled")) || bytes.Count(got, []byte("HTTP/1.")) != 1 {
				t.Errorf("answered: %q", got)
			}
		})
	}
}

// An answer that nobody takes in ends the connection soon.
func TestPlatform_H14_ClientThatDoesNotRead(t *testing.T) {
	ended := make(chan error, 1)
	conn := connected(t, &http.Server{Handler: careful(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				ended <- err
				return
			}
		}
	}), 50*time.Millisecond)})
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ended:
	case <-time.After(15 * time.Second): // far less than the server's own two minutes, and than 20 s
		t.Error("the server still writes")
	}
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

// A long answer has the patience for each part that it flushes, and outlives the time in which a
// request has to arrive.
func TestPlatform_H14_LongAnswer(t *testing.T) {
	conn := connected(t, &http.Server{
		ReadTimeout: 400 * time.Millisecond,
		Handler: careful(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for range 8 {
				time.Sleep(100 * time.Millisecond)
				if r.Context().Err() != nil {
					panic(http.ErrAbortHandler)
				}
				_, _ = io.WriteString(w, "part ")
				_ = http.NewResponseController(w).Flush()
			}
		}), 500*time.Millisecond),
	})
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
}
