package fetch

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/nametest"
)

// quick is for servers that say nothing or go on for ever; another one may be slow for want of a processor.
var quick = patience{dial: 200 * time.Millisecond, header: 300 * time.Millisecond, total: 600 * time.Millisecond}

// client may ask the servers, and nobody else of this machine.
func client(t *testing.T, servers ...*httptest.Server) *Client {
	t.Helper()
	var local []string
	roots := x509.NewCertPool()
	for _, s := range servers {
		local = append(local, hostOf(s))
		if s.Certificate() != nil {
			roots.AddCert(s.Certificate())
		}
	}
	return New(Config{Policy: policy(t, nil, local), RootCAs: roots})
}

func hostOf(s *httptest.Server) string {
	return strings.TrimPrefix(strings.TrimPrefix(s.URL, "https://"), "http://")
}

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func serveTLS(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewTLSServer(h)
	t.Cleanup(s.Close)
	return s
}

func TestAgents_Fetch(t *testing.T) {
	shop := serveTLS(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "a=b")
		h := r.Header
		w.Header().Set("X-Shop", h.Get("User-Agent")+"/"+h.Get("X-Key")+"/"+h.Get("Accept-Encoding"))
		w.WriteHeader(http.StatusPaymentRequired)
		body := new(bytes.Buffer)
		_, _ = body.ReadFrom(r.Body)
		fmt.Fprintf(w, "%s %s %s", r.Method, r.URL, body)
	})
	res, err := client(t, shop).Do(t.Context(), Request{
		Method: "PUT", URL: shop.URL + "/a?b=c", Body: []byte("hello"),
		Header:  http.Header{"X-Key": {"one"}, "Host": {"other"}, "Content-Length": {"3"}, "Accept-Encoding": {"gzip"}},
		Private: http.Header{"X-Key": {"two"}},
	})
	if err != nil || res.Status != 402 || string(res.Body) != "PUT /a?b=c hello" ||
		res.Header.Get("X-Shop") != "railkit/two/identity" || res.Header.Get("Set-Cookie") != "" ||
		res.URL != shop.URL+"/a?b=c" {
		t.Errorf("%+v, %v", res, err)
	}
	other := client(t) // who does not trust the certificate, and may not ask here
	other.local = []string{hostOf(shop)}
	if _, err := other.Do(t.Context(), Request{Method: "GET", URL: shop.URL}); !errors.Is(err, ErrUnreachable) {
		t.Errorf("an unknown certificate: %v", err)
	}
	if _, err := client(t).Do(t.Context(), Request{Method: "GET", URL: shop.URL}); !errors.Is(err, ErrRefused) {
		t.Errorf("this machine: %v", err)
	}
	shop.Close()
	_, err = client(t, shop).Do(t.Context(), Request{Method: "GET", URL: shop.URL})
	if !errors.Is(err, ErrUnreachable) {
		t.Errorf("nobody listens: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := client(t, shop).Do(ctx, Request{Method: "GET", URL: shop.URL}); !errors.Is(err, context.Canceled) {
		t.Errorf("the caller is gone: %v", err)
	}
}

// A name that leads elsewhere each time it is asked for, or to several places at once, leads nowhere inside. It is
// resolved once, and what it was resolved to is what is looked at.
func TestAgents_FetchRebinding(t *testing.T) {
	var hits atomic.Int64
	inside := serveTLS(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	_, port, _ := net.SplitHostPort(hostOf(inside))
	for name, answers := range map[string][][]string{
		"first public, then here": {{"93.184.216.34"}, {"127.0.0.1"}},
		"public and here at once": {{"93.184.216.34", "127.0.0.1"}},
		"here and public at once": {{"127.0.0.1", "93.184.216.34"}},
		"mapped":                  {{"::ffff:127.0.0.1"}},
		"IPv6 of this machine":    {{"::1"}},
		"metadata":                {{"169.254.169.254"}},
		"NAT64":                   {{"64:ff9b::7f00:1"}},
		"6to4":                    {{"2002:7f00:1::"}},
		"unspecified":             {{"0.0.0.0"}, {"::"}},
	} {
		t.Run(name, func(t *testing.T) {
			roots := x509.NewCertPool()
			roots.AddCert(inside.Certificate()) // of *.example.com
			c := New(Config{
				Policy: policy(t, []string{port}, nil), RootCAs: roots, Resolver: nametest.Resolver(t, answers),
			})
			usual := c.patience
			var err error
			for _, to := range answers {
				c.patience = usual
				if slices.Contains(to, "93.184.216.34") { // which may not answer
					c.patience = quick
				}
				_, err = c.Do(t.Context(), Request{Method: "GET", URL: "https://shop.example.com:" + port})
				if err == nil {
					t.Fatal("it was asked")
				}
			}
			if last := answers[len(answers)-1]; len(last) == 1 && !errors.Is(err, ErrRefused) {
				t.Errorf("%v", err)
			}
		})
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("%d requests came in", n)
	}
}

// What this machine itself has on a public network is refused too, and a name that the sandbox allows leads to this
// machine only.
func TestAgents_FetchOwnAddresses(t *testing.T) {
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		ip, _ := netip.AddrFromSlice(a.(*net.IPNet).IP)
		if !isOwn(ip) || !isOwn(ip.Unmap()) {
			t.Errorf("%s is this machine's", ip)
		}
	}
	if isOwn(netip.MustParseAddr("93.184.216.34")) {
		t.Error("an address of somebody else is this machine's")
	}
	for address, want := range map[string]error{"127.0.0.1:1": nil, "[::1]:1": nil, "93.184.216.34:1": ErrRefused} {
		if err := control(true)("tcp", address, nil); !errors.Is(err, want) {
			t.Errorf("a local place at %s: %v", address, err)
		}
	}
}

// Where a redirect leads is judged as if it had been given, and it is the caller who decides to follow.
func TestAgents_FetchRedirects(t *testing.T) {
	var to atomic.Value
	to.Store("")
	var asked atomic.Int64
	shop := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.URL.Path == "/end" {
			return
		}
		w.Header().Set("Location", to.Load().(string))
		w.WriteHeader(http.StatusFound)
	})
	inside := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a redirect led inside") })
	c := client(t, shop)
	for location, want := range map[string]error{
		"http://169.254.169.254/latest/meta-data/": ErrRefused,
		"https://169.254.169.254/":                 ErrRefused,
		inside.URL:                                 ErrRefused,
		"file:///etc/passwd":                       ErrRefused,
		"//metadata.internal/":                     ErrRefused,
		"http://user@" + hostOf(shop) + "/end":     ErrRefused,
		"/loop":                                    ErrUnreadable,
		"http://[":                                 ErrUnreadable,
		"/end#part":                                nil,
		"":                                         nil,
	} {
		to.Store(location)
		s := c.Session()
		if res, err := s.Do(t.Context(), Request{Method: "GET", URL: shop.URL}); err != nil || res.Status != 302 {
			t.Errorf("%s: not followed: %+v, %v", location, res, err)
		}
		asked.Store(0)
		_, err := s.Follow(t.Context(), Request{Method: "GET", URL: shop.URL})
		if !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("%s: %v, want %v", location, err, want)
		}
		if n := asked.Load(); n > 1+mostOnwards {
			t.Errorf("%s: %d requests", location, n)
		}
		asked.Store(0)
		if _, err := s.Follow(t.Context(), Request{Method: "POST", URL: shop.URL}); err == nil || asked.Load() != 0 {
			t.Errorf("a POST was followed: %v", err)
		}
		s.Close()
	}
}

// A payment, a key or a signature is for the host that it was given for.
func TestAgents_FetchPrivateHeadersStay(t *testing.T) {
	seen := make(chan http.Header, 3)
	var back string
	thief := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header
		if r.URL.Path == "/back" {
			http.Redirect(w, r, back, http.StatusTemporaryRedirect)
		}
	})
	shop := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header
		if r.URL.Path == "/" {
			http.Redirect(w, r, thief.URL+"/back", http.StatusFound)
		}
	})
	back = shop.URL + "/again"
	s := client(t, shop, thief).Session()
	defer s.Close()
	res, err := s.Follow(t.Context(), Request{
		Method: "GET", URL: shop.URL + "/", Header: http.Header{"Accept": {"text/plain"}},
		Private: http.Header{"X-Payment": {"p"}, "Payment-Signature": {"q"}, "X-Api-Key": {"k"}},
	})
	if err != nil || res.Status != 200 || res.URL != back {
		t.Fatalf("%+v, %v", res, err)
	}
	for i := range 3 {
		got := <-seen
		if got.Get("Accept") != "text/plain" {
			t.Errorf("request %d: %v", i, got)
		}
		for _, name := range []string{"X-Payment", "Payment-Signature", "X-Api-Key"} {
			if (got.Get(name) != "") != (i == 0) {
				t.Errorf("request %d: %s is %q", i, name, got.Get(name))
			}
		}
	}
}

// An answer is small, plain and quick, or none.
func TestAgents_FetchHostileAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   error
	}{
		"large, and says so": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(stockBody+1))
		}, ErrTooLarge},
		"large, and does not say": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(make([]byte, stockBody+1))
		}, ErrTooLarge},
		"slow body": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte("."))
				w.(http.Flusher).Flush()
				time.Sleep(20 * time.Millisecond) // a slow one
			}
		}, ErrTimeout},
		"no answer": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, ErrTimeout},
		"cut":       {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, ErrUnreachable},
		"large header": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X", strings.Repeat("a", 40<<10))
		}, ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			shop := serve(t, c.answer)
			asks := client(t, shop)
			if c.want == ErrTimeout {
				asks.patience = quick
			}
			begun := time.Now()
			res, err := asks.Do(t.Context(), Request{Method: "GET", URL: shop.URL})
			if !errors.Is(err, c.want) {
				t.Errorf("%d, %d bytes, %v", res.Status, len(res.Body), err)
			}
			if took := time.Since(begun); took > time.Minute { // the usual patience
				t.Errorf("it took %s", took)
			}
		})
	}
}

// Servers compress though they are asked not to: gzip is read, up to the limit of a plain body. What cannot be read is
// nothing for a caller who reads bodies, and the bytes as they came for one who passes them on.
func TestAgents_FetchCompressedAnswers(t *testing.T) {
	packed := func(plain []byte) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(plain)
		_ = z.Close()
		return b.Bytes()
	}
	goods := []byte(`{"goods":true}`)
	many := bytes.Repeat(goods, 99)
	bomb := packed(make([]byte, 50<<20))
	for name, c := range map[string]struct {
		codings []string
		body    []byte
		most    int64
		plain   []byte // nil: it is not decoded
	}{
		"gzip":              {[]string{"gzip"}, packed(goods), 0, goods},
		"its older name":    {[]string{"X-GZIP"}, packed(goods), 0, goods},
		"and nothing":       {[]string{"identity, gzip"}, packed(goods), 0, goods},
		"of the very limit": {[]string{"gzip"}, packed(many), int64(len(many)), many},
		"of more":           {[]string{"gzip"}, packed(many), int64(len(many)) - 1, nil},
		"bomb":              {[]string{"gzip"}, bomb, 0, nil},
		"bomb in a bomb":    {[]string{"gzip", "gzip"}, packed(bomb), 0, nil},
		"no gzip":           {[]string{"gzip"}, goods, 0, nil},
		"cut off":           {[]string{"gzip"}, packed(goods)[:20], 0, nil},
		"br":                {[]string{"br"}, goods, 0, nil},
		"two":               {[]string{"br, gzip"}, packed(goods), 0, nil},
		"none":              {[]string{"identity"}, goods, 0, goods},
	} {
		shop := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Encoding"] = c.codings
			_, _ = w.Write(c.body)
		})
		for _, coded := range []bool{false, true} {
			res, err := client(t, shop).Do(t.Context(), Request{URL: shop.URL, MostBody: c.most, Coded: coded})
			switch left := res.Header["Content-Encoding"]; {
			case c.plain != nil:
				if err != nil || !bytes.Equal(res.Body, c.plain) || len(left) > 0 && left[0] != "identity" {
					t.Errorf("%s: %d bytes in %v, %v", name, len(res.Body), left, err)
				}
			case coded:
				if err != nil || !bytes.Equal(res.Body, c.body) || !slices.Equal(left, c.codings) {
					t.Errorf("%s: %d bytes in %v, %v", name, len(res.Body), left, err)
				}
			case !errors.Is(err, ErrUnreadable):
				t.Errorf("%s: %d bytes, %v", name, len(res.Body), err)
			}
		}
		shop.Close()
	}
}

// What is no HTTP, headers that never end and a server that says nothing, all over bare connections.
func TestAgents_FetchEndlessHeaders(t *testing.T) {
	for name, c := range map[string]struct {
		speak func(net.Conn)
		want  error
	}{
		"endless": {func(conn net.Conn) {
			_, err := conn.Write([]byte("HTTP/1.1 200 OK\r\n"))
			for i := 0; err == nil; i++ {
				_, err = fmt.Fprintf(conn, "X-%d: y\r\n", i)
			}
		}, ErrTooLarge},
		"slow": {func(conn net.Conn) {
			_, err := conn.Write([]byte("HTTP/1.1 200 OK\r\n"))
			for i := 0; err == nil; i++ {
				_, err = fmt.Fprintf(conn, "X-%d: y\r\n", i)
				time.Sleep(50 * time.Millisecond) // a slow one
			}
		}, ErrTimeout},
		"endless information": {func(conn net.Conn) {
			var err error
			for err == nil {
				_, err = conn.Write([]byte("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"))
			}
		}, nil},
		"no HTTP": {func(conn net.Conn) { _, _ = conn.Write([]byte("SSH-2.0-OpenSSH_9.7\r\n\r\n")) }, ErrUnreadable},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			var speaking sync.WaitGroup
			t.Cleanup(func() { _ = l.Close(); speaking.Wait() })
			speaking.Go(func() {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				// What comes before the request is no answer to it, and fails in another way.
				if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
					c.speak(conn)
				}
				_ = conn.Close()
			})
			to := New(Config{Policy: policy(t, nil, []string{l.Addr().String()})})
			if c.want == ErrTimeout {
				to.patience = quick
			}
			_, err = to.Do(t.Context(), Request{Method: "GET", URL: "http://" + l.Addr().String()})
			if err == nil || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

// A session's requests may share a connection; those of two sessions never do.
func TestAgents_FetchConnections(t *testing.T) {
	shop := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.RemoteAddr) })
	c := client(t, shop)
	from := func(ask func(context.Context, Request) (Response, error)) string {
		t.Helper()
		res, err := ask(t.Context(), Request{Method: "GET", URL: shop.URL})
		if err != nil {
			t.Fatal(err)
		}
		return string(res.Body)
	}
	one, other := c.Session(), c.Session()
	defer one.Close()
	defer other.Close()
	first := from(one.Do)
	if again := from(one.Do); again != first {
		t.Errorf("a session has two connections: %s and %s", first, again)
	}
	seen := map[string]bool{first: true}
	for _, ask := range []func(context.Context, Request) (Response, error){other.Do, c.Do, c.Do} {
		if at := from(ask); seen[at] {
			t.Errorf("two callers share the connection of %s", at)
		} else {
			seen[at] = true
		}
	}
}

// A proxy that the environment names is not asked.
func TestAgents_FetchNoProxy(t *testing.T) {
	proxy := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the proxy was asked") })
	shop := serve(t, func(http.ResponseWriter, *http.Request) {})
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	c := client(t, shop)
	s := c.Session()
	defer s.Close()
	if s.transport.Proxy != nil {
		t.Error("the environment's proxy would be used for hosts that are not of this machine")
	}
	if _, err := s.Do(t.Context(), Request{Method: "GET", URL: shop.URL}); err != nil {
		t.Error(err)
	}
}

// An error says nothing of what a name leads to, not even in the log.
func TestAgents_FetchErrorsTellNothing(t *testing.T) {
	c := New(Config{Resolver: nametest.Resolver(t, [][]string{{"10.1.2.3"}})})
	_, err := c.Do(t.Context(), Request{Method: "GET", URL: "https://shop.example.com/"})
	if !errors.Is(err, ErrRefused) || strings.Contains(err.Error(), "10.1.2.3") {
		t.Errorf("%v", err)
	}
}

// Who wants the beginning of an answer gets that of a long one, and the whole of a short one.
func TestAgents_FetchCut(t *testing.T) {
	for body, want := range map[string]string{
		"short": "short", strings.Repeat("a", 1024): strings.Repeat("a", 1024),
		strings.Repeat("b", 3<<20): strings.Repeat("b", 1024),
	} {
		for _, chunked := range []bool{false, true} {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if chunked {
					w.(http.Flusher).Flush()
				}
				_, _ = w.Write([]byte(body)) // the client hangs up where it has enough
			}))
			res, err := client(t, server).Do(t.Context(), Request{
				Method: "POST", URL: server.URL, MostBody: 1024, Cut: true,
			})
			if err != nil || string(res.Body) != want {
				t.Errorf("%d bytes: %d, %v", len(body), len(res.Body), err)
			}
			server.Close()
		}
	}
}
