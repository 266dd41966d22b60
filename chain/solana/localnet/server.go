package localnet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/railkit/railkit/internal/child/serve"
)

// The codes of JSON-RPC, and those that nodes add.
const (
	codeParse                = -32700
	codeRequest              = -32600
	codeMethod               = -32601
	codeParams               = -32602
	codeInternal             = -32603
	codeCleanedUp            = -32001
	codeSimulation           = -32002
	codeSignature            = -32003
	codeNotAvailable         = -32004
	codeSkipped              = -32007
	codeNoHistory            = -32011
	codeTooNew               = -32015
	codeMinContextSlot       = -32016
	maxBody                  = 1 << 20
	unknownVersion           = 2
	apiVersion               = "4.0.0"
	mostMined                = 100_000
	mostAccounts             = 100
	mostSignatures           = 256
	mostBlocks         int64 = 500_000
)

// rpcError is an answer that is an error.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func (e *rpcError) Error() string { return e.Message }

func refuse(code int, format string, values ...any) *rpcError {
	return &rpcError{Code: code, Message: fmt.Sprintf(format, values...)}
}

// errNoHistory is the answer of a node that keeps the newest blocks only.
var errNoHistory = refuse(codeNoHistory, "Transaction history is not available from this node")

// Handler answers POST below a path, which may be "", with JSON-RPC: there itself as a node that knows everything does,
// and at path/NAME as the node of that name, which knows everything as well until dev_setView says otherwise. The
// methods that begin with dev_ are no node's: they make blocks, pay from the faucet, and change what a node says. GET
// is the same by WebSocket, with signatureSubscribe and slotSubscribe.
func (c *Chain) Handler(path string) http.Handler {
	mux := http.NewServeMux()
	for method, serve := range map[string]http.HandlerFunc{"POST ": c.serve, "GET ": c.serveSocket} {
		if path != "" {
			mux.HandleFunc(method+path, serve)
		}
		mux.HandleFunc(method+path+"/{$}", serve)
		mux.HandleFunc(method+path+"/{node}", serve)
	}
	return serve.OnlyHere(mux)
}

type request struct {
	ID     json.RawMessage   `json:"id"`
	Method string            `json:"method"`
	Params []json.RawMessage `json:"params"`
}

type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// null is a result that is there and is nothing.
var null = json.RawMessage("null")

func (c *Chain) serve(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "the request is too large", http.StatusRequestEntityTooLarge)
		return
	}
	node := r.PathValue("node")
	if c.fails(node) && !bytes.Contains(raw, []byte(`"dev_`)) {
		http.Error(w, "the node is away", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(c.answers(node, raw)); err != nil {
		return // who asked is gone
	}
}

func (c *Chain) fails(node string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.views[node].Fails
}

func (c *Chain) answers(node string, raw []byte) any {
	if trimmed := bytes.TrimSpace(raw); len(trimmed) > 0 && trimmed[0] == '[' {
		var all []request
		if err := json.Unmarshal(raw, &all); err != nil {
			return response{Version: "2.0", ID: null, Error: refuse(codeParse, "Parse error")}
		}
		answered := make([]response, len(all))
		for i, q := range all {
			answered[i] = c.answer(node, q)
		}
		return answered
	}
	var q request
	if err := json.Unmarshal(raw, &q); err != nil {
		return response{Version: "2.0", ID: null, Error: refuse(codeParse, "Parse error")}
	}
	return c.answer(node, q)
}

func (c *Chain) answer(node string, q request) response {
	a := response{Version: "2.0", ID: q.ID}
	if a.ID == nil {
		a.ID = null
	}
	result, err := c.do(call{node: node, params: q.Params}, q.Method)
	if err != nil {
		if !errors.As(err, &a.Error) {
			a.Error = refuse(codeInternal, "%s", err)
		}
		return a
	}
	if a.Result = result; result == nil {
		a.Result = null
	}
	return a
}

// do finds the method. What changes the chain takes the lock by itself.
func (c *Chain) do(q call, method string) (any, error) {
	if change, ok := changes[method]; ok {
		return change(c, q)
	}
	ask, ok := questions[method]
	if !ok {
		return nil, refuse(codeMethod, "Method not found")
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	return ask(c.at(q.node), q)
}
