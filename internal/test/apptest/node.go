package apptest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Node stands between the server and a real node, and misbehaves on request.
type Node struct {
	*httptest.Server
	target string
	mu     sync.Mutex
	rules  map[string]http.HandlerFunc
	calls  map[string]int
}

// NewNode makes a node that passes everything on to the one at target, but for the hash of the newest block where that
// is asked for beside other things: so the server keeps nothing of what the node says (kit/signing/nodes), and a rule
// holds from the next call on.
func NewNode(t testing.TB, target string) *Node {
	t.Helper()
	n := &Node{target: target, rules: map[string]http.HandlerFunc{}, calls: map[string]int{}}
	n.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		var batch []json.RawMessage
		if json.Unmarshal(raw, &batch) == nil {
			n.answerAll(w, r, batch)
			return
		}
		n.answer(w, r, raw)
	}))
	t.Cleanup(n.Close)
	return n
}

// answerAll answers a batch call by call. A call without an answer fails all.
func (n *Node) answerAll(w http.ResponseWriter, r *http.Request, batch []json.RawMessage) {
	var answers []json.RawMessage
	for _, call := range batch {
		one := httptest.NewRecorder()
		n.answer(one, r, call)
		if one.Code != http.StatusOK {
			http.Error(w, "no answer", one.Code)
			return
		}
		answers = append(answers, nameless(call, one.Body.Bytes()))
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answers) // the client sees a short answer
}

// nameless leaves the hash out of the answer to a call for the newest block.
func nameless(call, answer json.RawMessage) json.RawMessage {
	if !bytes.Contains(call, []byte(`"eth_getBlockByNumber"`)) || !bytes.Contains(call, []byte(`"latest"`)) {
		return answer
	}
	var a map[string]json.RawMessage
	var block map[string]json.RawMessage
	if json.Unmarshal(answer, &a) != nil || json.Unmarshal(a["result"], &block) != nil || block["hash"] == nil {
		return answer
	}
	delete(block, "hash")
	result, err := json.Marshal(block)
	a["result"] = result
	all, other := json.Marshal(a)
	if err = errors.Join(err, other); err != nil {
		panic(err) // it was JSON a moment ago
	}
	return all
}

func (n *Node) answer(w http.ResponseWriter, r *http.Request, raw []byte) {
	if rule := n.rule(raw); rule != nil {
		r.Body = io.NopCloser(bytes.NewReader(raw))
		rule(w, r)
		return
	}
	resp, err := http.Post(n.target, "application/json", bytes.NewReader(raw))
	if err != nil {
		http.Error(w, "no node", http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.Copy(w, resp.Body) // the client sees a short answer
}

func (n *Node) rule(raw []byte) http.HandlerFunc {
	var call struct{ Method string }
	_ = json.Unmarshal(raw, &call) // what is no call has no method and passes
	n.mu.Lock()
	defer n.mu.Unlock()
	n.calls[call.Method]++
	if rule, ok := n.rules["*"]; ok {
		return rule
	}
	return n.rules[call.Method]
}

// Calls is how often a method was called.
func (n *Node) Calls(method string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.calls[method]
}

// Break answers a method ("*": every one) with the rule, nil ends it.
func (n *Node) Break(method string, rule http.HandlerFunc) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if rule == nil {
		delete(n.rules, method)
		return
	}
	n.rules[method] = rule
}

// Down is a node that answers nothing useful.
func Down(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "down", http.StatusServiceUnavailable)
}

// Says is a node that answers with a JSON-RPC error.
func Says(message string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var call struct{ ID json.RawMessage }
		_ = json.NewDecoder(r.Body).Decode(&call) // without an id the client gives up, as it should
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"jsonrpc": "2.0", "id": call.ID, "error": map[string]any{"code": -32000, "message": message},
		})
	}
}

// Gives is a node that answers with a result.
func Gives(result any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var call struct{ ID json.RawMessage }
		_ = json.NewDecoder(r.Body).Decode(&call) // as above
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": call.ID, "result": result})
	}
}

// TakesAndSays is a node that does what it is asked and answers with an error.
func (n *Node) TakesAndSays(message string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if resp, err := http.Post(n.target, "application/json", bytes.NewReader(raw)); err == nil {
			_ = resp.Body.Close()
		}
		r.Body = io.NopCloser(bytes.NewReader(raw))
		Says(message)(w, r)
	}
}

// Waits is a node that takes a call and answers once the channel is closed, with
// a failure.
func Waits(release <-chan struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		<-release
		Down(w, r)
	}
}
