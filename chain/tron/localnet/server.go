package localnet

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/railkit/railkit/internal/child/serve"
)

const (
	maxBody   = 1 << 20
	mostMined = 100_000
	mostAhead = 10_000_000 // milliseconds between two blocks that are made by hand
)

// object is an answer.
type object = map[string]any

// Handler answers below a path, which may be "", as a node of Tron does: GET and POST of /wallet/METHOD, and of
// /walletsolidity/METHOD, which knows solid blocks alone. At path/node/NAME is the node of that name, which knows
// everything as well until /dev/view says otherwise. The methods below /dev are no node's: they make blocks, pay from
// the faucet, and change prices and what a node says. The path itself takes some of them by JSON-RPC (controls.go).
func (c *Chain) Handler(path string) http.Handler {
	mux := http.NewServeMux()
	for _, node := range []string{"", "/node/{node}"} {
		mux.HandleFunc(path+node+"/wallet/{method}", func(w http.ResponseWriter, r *http.Request) {
			c.serve(w, r, false)
		})
		mux.HandleFunc(path+node+"/walletsolidity/{method}", func(w http.ResponseWriter, r *http.Request) {
			c.serve(w, r, true)
		})
		mux.HandleFunc("POST "+path+node+"/dev/{method}", c.serveDev)
	}
	mux.HandleFunc("POST "+path+"/{$}", c.serveRPC)
	if path != "" {
		mux.HandleFunc("POST "+path, c.serveRPC)
	}
	return serve.OnlyHere(mux)
}

var errMethod = errors.New("there is no such method")

// serve answers a method of a node. Errors are answers with the member Error, as a node has them.
func (c *Chain) serve(w http.ResponseWriter, r *http.Request, solidOnly bool) {
	q, node := call{solidOnly: solidOnly}, r.PathValue("node")
	if err := q.read(w, r); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	q.node = node
	if c.fails(node) {
		http.Error(w, "the node is away", http.StatusServiceUnavailable)
		return
	}
	answer, err := c.do(q, r.PathValue("method"))
	switch {
	case errors.Is(err, errMethod):
		http.NotFound(w, r)
		return
	case err != nil:
		answer = object{"Error": "class java.lang.Exception : " + err.Error()}
	}
	write(w, answer)
}

// do finds the method. What changes the chain takes the lock by itself.
func (c *Chain) do(q call, method string) (any, error) {
	if change, ok := changes[method]; ok && !q.solidOnly {
		return change(c, q)
	}
	ask, ok := questions[method]
	if !ok {
		return nil, errMethod
	}
	if newestOf[method] {
		if err := c.refresh(); err != nil {
			return nil, err
		}
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	return ask(c.at(q.node, q.solidOnly), q)
}

// serveDev answers a control, and 400 where it refuses.
func (c *Chain) serveDev(w http.ResponseWriter, r *http.Request) {
	control, ok := controls[r.PathValue("method")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	var q call
	err := q.read(w, r)
	q.node = r.PathValue("node")
	var answer any
	if err == nil {
		answer, err = control(c, q)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	write(w, answer)
}

func write(w http.ResponseWriter, answer any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		return // who asked is gone
	}
}

func (c *Chain) fails(node string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.views[node].Fails
}

// body reads what was sent, which may be nothing.
func body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return nil, errors.New("the request is too large")
	}
	return raw, nil
}
