package docs

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/testwait"
)

// backend is a server behind nginx, as far as nginx sees one. It ends as railkit serve does, by the Shutdown of an
// http.Server.
type backend struct {
	t      *testing.T
	path   string
	server *http.Server
	served atomic.Int64
}

const key = "Idempotency-Key"

// shared is what the two have in one database.
type shared struct {
	mu   sync.Mutex
	sent map[string]int // by the mark of a call that a server dies under: how often it came
}

func (s *shared) came(mark string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent[mark]++
	return s.sent[mark]
}

func (b *backend) start(s *shared) {
	b.t.Helper()
	l, err := net.Listen("unix", b.path)
	if err != nil {
		b.t.Fatal(err)
	}
	b.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if mark := r.Header.Get("Dies-Once"); mark != "" && s.came(mark) == 1 {
			panic(http.ErrAbortHandler) // the call was taken, and no answer comes
		}
		b.served.Add(1)
	})}
	go func() { _ = b.server.Serve(l) }()
}

func (b *backend) stop() {
	b.t.Helper()
	if err := b.server.Shutdown(context.Background()); err != nil {
		b.t.Error(err)
	}
}

// startNginx runs nginx with the file of operations.md, on sockets of a folder in the place of its ports.
func startNginx(t *testing.T) (client *http.Client, backends []*backend) {
	t.Helper()
	dir := t.TempDir()
	raw, err := os.ReadFile("nginx.conf")
	if err != nil {
		t.Fatal(err)
	}
	writeCertificate(t, dir)
	first, second, front := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "f")
	site := strings.NewReplacer("/etc/railkit", dir, "127.0.0.1:8080", "unix:"+first, "127.0.0.1:8082", "unix:"+second,
		"listen 443", "listen unix:"+front).Replace(string(raw))
	whole := "daemon off; master_process off; pid " + dir + "/pid; error_log stderr;\nevents {}\n" +
		"http {\naccess_log off;\n"
	for _, folder := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		whole += folder + "_temp_path " + dir + "/" + folder + ";\n"
	}
	conf := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(conf, []byte(whole+site+"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command("nginx", "-t", "-c", conf, "-p", dir).CombinedOutput(); err != nil ||
		bytes.Contains(said, []byte("[warn]")) {
		t.Fatalf("nginx -t: %v\n%s", err, said)
	}
	nginx := exec.Command("nginx", "-c", conf, "-p", dir)
	var said bytes.Buffer
	nginx.Stderr = &said
	if err := nginx.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = nginx.Process.Kill()
		_ = nginx.Wait()
		if t.Failed() {
			t.Logf("nginx said:\n%s", said.String())
		}
	})
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", front)
	}
	client = &http.Client{Timeout: testwait.Bound, Transport: &http.Transport{
		DialContext: dial, ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}
	return client, []*backend{{t: t, path: first}, {t: t, path: second}}
}

// writeCertificate writes one that names nobody whom the test asks for.
func writeCertificate(t *testing.T, dir string) {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	pair := s.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		"tls.crt": {Type: "CERTIFICATE", Bytes: pair.Certificate[0]}, "tls.key": {Type: "PRIVATE KEY", Bytes: key},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// ask makes one call, and gives its status.
func ask(client *http.Client, method string, headers ...string) (int, error) {
	req, err := http.NewRequest(method, "https://api.example.com/v1/x", strings.NewReader(`{"a":1}`))
	if err != nil {
		return 0, err
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode, res.Body.Close()
}

// Two servers are restarted one after the other while calls come. Those that may be repeated all get their answers.
// Those that may not be are sent once, or never.
func TestPlatform_NginxLosesNoCall(t *testing.T) {
	client, backends := startNginx(t)
	s := &shared{sent: map[string]int{}}
	for _, b := range backends {
		b.start(s)
	}
	testwait.Until(t, "nginx answers", func() bool {
		status, err := ask(client, http.MethodGet)
		return err == nil && status == http.StatusOK
	})
	ctx, enough := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	var calls atomic.Int64
	for range 4 {
		callers.Go(func() {
			for ctx.Err() == nil {
				for _, c := range [][]string{{http.MethodGet}, {http.MethodPost, key, uuid.NewString()}} {
					if status, err := ask(client, c[0], c[1:]...); err != nil || status != http.StatusOK {
						t.Errorf("%s: %d, %v", c[0], status, err)
					}
					calls.Add(1)
				}
			}
		})
	}
	for range 3 {
		for _, b := range backends {
			b.stop()
			gone := calls.Load()
			testwait.Until(t, "calls without it", func() bool { return calls.Load() > gone+20 })
			back := b.served.Load()
			b.start(s)
			testwait.Until(t, "calls to it again", func() bool { return b.served.Load() > back+20 })
		}
	}
	enough()
	callers.Wait()
	for name, c := range map[string]struct {
		call []string
		want int
		sent int
	}{
		"a read":          {[]string{http.MethodGet}, 200, 2},
		"a keyed write":   {[]string{http.MethodPost, key, uuid.NewString()}, 200, 2},
		"a keyed change":  {[]string{http.MethodPatch, key, uuid.NewString()}, 200, 2},
		"a write":         {[]string{http.MethodPost}, 502, 1},
		"a change":        {[]string{http.MethodPatch}, 502, 1},
		"an agent's call": {[]string{http.MethodPost, key, uuid.NewString(), "X-Agent-Id", "a"}, 502, 1},
	} {
		status, err := ask(client, c.call[0], append(c.call[1:], "Dies-Once", name)...)
		if err != nil || status != c.want || s.sent[name] != c.sent {
			t.Errorf("%s, and its server dies: %d, %v; it came %d times", name, status, err, s.sent[name])
		}
	}
}
