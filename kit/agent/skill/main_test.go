package skill_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/errtest"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
)

func TestMain(m *testing.M) { os.Exit(errtest.Run(m.Run, "kit/agent/skill")) }

// world is a server, and the server of somebody's skills.
type world struct {
	*apptest.App
	t      *testing.T
	c      *railkit.Client
	shop   *httptest.Server
	broken atomic.Bool // the shop answers 500
	asked  atomic.Int64
}

func newWorld(t *testing.T, options ...apptest.Option) *world {
	t.Helper()
	w := &world{t: t}
	w.shop = httptest.NewServer(w)
	t.Cleanup(w.shop.Close)
	place := strings.TrimPrefix(w.shop.URL, "http://")
	w.App = apptest.Rig(t, append(options, func(c *apptest.Config) { c.FetchLocal = place + " 127.0.0.1:1" })...)
	w.c = w.Client()
	return w
}

// ServeHTTP is the shop: what it does is in the path.
func (w *world) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.asked.Add(1)
	if w.broken.Load() {
		out.WriteHeader(http.StatusInternalServerError)
		return
	}
	switch r.URL.Path {
	case "/echo":
		body, _ := io.ReadAll(r.Body)
		out.Header().Set("Set-Cookie", "a=b")
		out.Header().Set("X-Echo", r.Header.Get("X-Weather-Key")+r.Header.Get("Authorization"))
		out.WriteHeader(http.StatusTeapot)
		_ = json.NewEncoder(out).Encode(map[string]any{
			"method": r.Method, "query": r.URL.RawQuery, "body": string(body), "key": r.Header.Get("X-Weather-Key"),
			"authorization": r.Header.Get("Authorization"), "platform": platformHeaders(r.Header),
		})
	case "/long":
		_, _ = out.Write([]byte(strings.Repeat("é", 40_000) + "\xff"))
	case "/huge":
		_, _ = out.Write(make([]byte, 2<<20))
	case "/brotli":
		out.Header().Set("Content-Encoding", "br")
		_, _ = out.Write([]byte("not to be read"))
	case "/slow":
		_, _ = io.Copy(io.Discard, r.Body) // after which the server notices that the client has gone
		<-r.Context().Done()
	case "/away":
		http.Redirect(out, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
	case "/paid":
		out.WriteHeader(http.StatusPaymentRequired)
	}
}

// platformHeaders are those by which the platform knows its own callers.
func platformHeaders(h http.Header) (found []string) {
	for name, values := range h {
		if strings.HasPrefix(name, "X-Agent") || strings.Contains(strings.Join(values, ""), "rk_") {
			found = append(found, name)
		}
	}
	return found
}

// elsewhere is a client of another workspace.
func (w *world) elsewhere() *railkit.Client {
	w.t.Helper()
	_, key := w.NewWorkspace([]auth.Scope{auth.Integrator}, auth.Agents)
	return w.ClientWith(key)
}

func (w *world) create(c *railkit.Client, change func(*railkit.SkillRequest)) *railkit.Skill {
	w.t.Helper()
	req := railkit.SkillRequest{Name: "Weather", URL: w.shop.URL + "/echo"}
	if change != nil {
		change(&req)
	}
	k, err := c.Skills.Create(w.t.Context(), req)
	if err != nil {
		w.t.Fatal(err)
	}
	return k
}

func wantError(t *testing.T, what string, err error, status int, code string) {
	t.Helper()
	var e *railkit.Error
	if !errors.As(err, &e) || e.Status != status || e.Code != code {
		t.Errorf("%s: %v, want %d %s", what, err, status, code)
	}
}

func to[T any](v T) *T { return &v }
