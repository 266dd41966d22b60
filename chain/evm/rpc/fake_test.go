package rpc

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/railkit/railkit/chain"
)

// fakeNode answers JSON-RPC as it is told, and notes what it was asked.
type fakeNode struct {
	*httptest.Server
	mu      sync.Mutex
	answers map[string]string // method: raw JSON of the result, or of an error object after "!"
	asked   []string          // method and parameters, as they came
}

func newFakeNode(t *testing.T) *fakeNode {
	t.Helper()
	f := &fakeNode{answers: map[string]string{"eth_chainId": `"0x14a34"`}}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *fakeNode) answer(method, raw string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[method] = raw
}

// fail answers with geth's ordinary error code.
func (f *fakeNode) fail(method, message string) {
	text, _ := json.Marshal(message)
	f.answer(method, fmt.Sprintf(`!{"code":-32000,"message":%s}`, text))
}

func (f *fakeNode) questions() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.asked)
}

type question struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

func (f *fakeNode) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost {
		http.Error(w, "not JSON-RPC", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	var batch []question
	if json.Unmarshal(raw, &batch) != nil {
		var q question
		_ = json.Unmarshal(raw, &q) // what is no question has no method
		f.reply(w, q)
		return
	}
	for i, q := range batch {
		_, _ = io.WriteString(w, string("[,"[min(i, 1)]))
		f.reply(w, q)
	}
	_, _ = io.WriteString(w, "]")
}

func (f *fakeNode) reply(w io.Writer, q question) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, q.Method+string(q.Params))
	raw, known := f.answers[q.Method]
	switch failure, failed := strings.CutPrefix(raw, "!"); {
	case !known:
		fmt.Fprintf(w,
			`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"the method %s does not exist/is not `+
				`available"}}`, q.ID, q.Method)
	case failed:
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":%s}`, q.ID, failure)
	default:
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, raw)
	}
}

func baseNetwork(t *testing.T) chain.Network {
	t.Helper()
	n, ok := chain.BySlug(chain.Sandbox, "base")
	if !ok {
		t.Fatal("no base")
	}
	return n
}

func dial(t *testing.T, url string) *Client {
	t.Helper()
	c, err := Dial(t.Context(), url, baseNetwork(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func setup(t *testing.T) (*fakeNode, *Client) {
	t.Helper()
	f := newFakeNode(t)
	return f, dial(t, f.URL)
}

// lastQuestion compares what the node was asked last.
func (f *fakeNode) lastQuestion(t *testing.T, want string) {
	t.Helper()
	all := f.questions()
	if len(all) == 0 || all[len(all)-1] != want {
		t.Errorf("asked %v, want %s last", all, want)
	}
}
