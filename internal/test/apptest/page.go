package apptest

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/railkit/railkit/internal/test/freeport"
)

// takeOrigin binds a free port for the passkey page before the enclave is sealed
// for it. The socket stays open while the server is down, so that nobody else
// gets the port.
func (a *App) takeOrigin() {
	a.t.Helper()
	l, err := freeport.Listen()
	if err != nil {
		a.t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	a.Origin = "http://localhost:" + port
	a.page, err = l.(*net.TCPListener).File()
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { a.page.Close() })
	if err := l.Close(); err != nil { // the file still holds the socket
		a.t.Fatal(err)
	}
}

func (a *App) servePage(h http.Handler) *httptest.Server {
	a.t.Helper()
	l, err := net.FileListener(a.page)
	if err != nil {
		a.t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(recordErrors(h))
	s.Listener.Close()
	s.Listener = l
	s.Start()
	return s
}

// CallPage calls the passkey page's server as the page does. Headers come in
// pairs; an empty value leaves the header out.
func (a *App) CallPage(path string, body any, headers ...string) Answer {
	a.t.Helper()
	text, ok := body.(string)
	if !ok {
		text = JSON(a.t, body)
	}
	req, err := http.NewRequest(http.MethodPost, a.Origin+path, strings.NewReader(text))
	if err != nil {
		a.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Origin", a.Origin)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
		if headers[i+1] == "" {
			req.Header.Del(headers[i])
		}
	}
	return send(a.t, req)
}

// Into reads the answer's data.
func (a Answer) Into(v any) error {
	var e struct{ Data json.RawMessage }
	if err := json.NewDecoder(bytes.NewReader([]byte(a.Body))).Decode(&e); err != nil {
		return err
	}
	return json.Unmarshal(e.Data, v)
}
