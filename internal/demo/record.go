package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// exchange is one request and its answer, fit for a screen.
type exchange struct {
	method, path, body string
	status             int // 0: no answer
	answer             string
}

// recorder keeps the last exchange, for the case that a step fails.
type recorder struct {
	next *http.Transport
	mu   sync.Mutex
	kept *exchange
}

// newRecorder talks to this machine only, so it needs no proxy.
func newRecorder() *recorder {
	return &recorder{next: &http.Transport{MaxIdleConnsPerHost: 4}}
}

// forget drops the connections to processes that are gone.
func (r *recorder) forget() { r.next.CloseIdleConnections() }

func (r *recorder) last() *exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.kept
}

// RoundTrip never looks at a header: the API key is in one.
func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	x := &exchange{method: req.Method, path: req.URL.RequestURI()}
	if req.GetBody != nil {
		if body, err := req.GetBody(); err == nil {
			raw, _ := io.ReadAll(body)
			x.body = presentable(raw)
		}
	}
	r.keep(x)
	res, err := r.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	res.Body = io.NopCloser(bytes.NewReader(raw))
	done := *x
	done.status, done.answer = res.StatusCode, presentable(raw)
	r.keep(&done)
	return res, err
}

func (r *recorder) keep(x *exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = x
}

// secret names the members of a body that are nobody else's business.
var secret = regexp.MustCompile(
	`(?i)(api|bench|admin|internal|private)key$|secret|stampheadervalue|attestationobject|clientdatajson|signature`,
)

// apiKeys finds keys of the API wherever they are.
var apiKeys = regexp.MustCompile(`rk_[A-Za-z0-9_-]+`)

// longest is how much of a long text is shown.
const longest = 1200

// presentable cuts secrets out of a body, and what is too long to read.
func presentable(raw []byte) string {
	var tree any
	if len(raw) == 0 {
		return ""
	}
	if json.Unmarshal(raw, &tree) != nil {
		return cut(apiKeys.ReplaceAllString(string(raw), "rk_[cut]"))
	}
	text, err := json.MarshalIndent(clean(tree), "    ", "  ")
	if err != nil {
		return ""
	}
	return string(text)
}

func clean(tree any) any {
	switch v := tree.(type) {
	case map[string]any:
		for name, child := range v {
			if text, ok := child.(string); ok && secret.MatchString(name) {
				v[name] = fmt.Sprintf("[cut, %d characters]", len(text))
				continue
			}
			v[name] = clean(child)
		}
	case []any:
		for i, child := range v {
			v[i] = clean(child)
		}
	case string:
		return cut(apiKeys.ReplaceAllString(v, "rk_[cut]"))
	}
	return tree
}

func cut(text string) string {
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:longest], "") + fmt.Sprintf("… (%d characters)", len(text))
}
