package node

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/log"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/internal/child/serve"
)

// Server is the devnet: every EVM network of a list, each started by its first request.
type Server struct {
	dir    string
	lock   *os.File
	lead   time.Duration
	order  []string
	chains map[string]*slot
	http   http.Handler
}

// slot is a network and its chain, once that runs.
type slot struct {
	network chain.Network
	mu      sync.Mutex
	running *evm
	closed  bool
}

var (
	// ErrInUse means that another process has the data folder.
	ErrInUse  = errors.New("another devnet is running on this data folder")
	errClosed = errors.New("the devnet is stopping")
)

// Lead is how far the time of blocks may be ahead of the clock, where nothing else is asked for.
const Lead = 5 * time.Second

// Open takes the data folder for itself. It starts no chain yet, and refuses the data of
// one that began otherwise.
//
// Each block is a second later than its parent at least, so the times of a busy chain run ahead of the clock. At lead
// the chain waits: with a lead of 5 s, 100 blocks asked for at once take 95 s. With a lead of an hour they take no
// time, but a signature that is valid for a minute may be too old for the next block.
func Open(dir string, networks []chain.Network, lead time.Duration) (*Server, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the data folder: %w", err)
	}
	lock, err := takeLock(filepath.Join(dir, "LOCK"))
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, lock: lock, lead: lead, chains: make(map[string]*slot)}
	for _, n := range networks {
		if n.Kind == chain.EVM {
			s.order = append(s.order, n.Slug)
			s.chains[n.Slug] = &slot{network: n}
			if err := checkGenesis(filepath.Join(dir, n.Slug), n); err != nil {
				return nil, errors.Join(fmt.Errorf("%s: %w", n.Slug, err), lock.Close())
			}
		}
	}
	s.http = serve.OnlyHere(s.routes())
	return s, nil
}

// takeLock holds a file that the kernel lets go of when the process ends, however it ends.
func takeLock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("writing to the data folder: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		return nil, ErrInUse
	}
	return file, nil
}

// ServeHTTP answers POST /{slug} with JSON-RPC, and GET / with the list of chains.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.http.ServeHTTP(w, r) }

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.list)
	mux.HandleFunc("POST /{slug}", s.call)
	mux.HandleFunc("/{slug}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, http.StatusMethodNotAllowed, "use POST")
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusNotFound, "no such chain: GET / lists them")
	})
	return mux
}

func (s *Server) call(w http.ResponseWriter, r *http.Request) {
	at, ok := s.chains[r.PathValue("slug")]
	if !ok {
		refuse(w, http.StatusNotFound, "no such chain: GET / lists them")
		return
	}
	running, err := at.get(s.dir, s.lead)
	if err != nil {
		log.Error("Starting a chain failed", "chain", at.network.Slug, "err", err)
		refuse(w, http.StatusServiceUnavailable, "the chain does not start: "+err.Error())
		return
	}
	running.ServeHTTP(w, r)
}

// get starts the chain if need be; others who ask meanwhile wait for it.
func (s *slot) get(dir string, lead time.Duration) (*evm, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	if s.running == nil {
		running, err := start(filepath.Join(dir, s.network.Slug), s.network, lead)
		if err != nil {
			return nil, err
		}
		s.running = running
	}
	return s.running, nil
}

func (s *slot) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.running == nil {
		return nil
	}
	return s.running.stop()
}

// up tells whether the chain runs, without waiting for one that starts.
func (s *slot) up() bool {
	if !s.mu.TryLock() {
		return false
	}
	defer s.mu.Unlock()
	return s.running != nil
}

// Close ends every chain cleanly and lets go of the data folder.
func (s *Server) Close() error {
	var errs []error
	for _, slug := range s.order {
		if err := s.chains[slug].close(); err != nil {
			errs = append(errs, fmt.Errorf("closing %s: %w", slug, err))
		}
	}
	return errors.Join(append(errs, s.lock.Close())...)
}

func (s *Server) list(w http.ResponseWriter, _ *http.Request) {
	type row struct {
		Slug    string        `json:"slug"`
		Name    string        `json:"name"`
		ChainID uint64        `json:"chainId"`
		Path    string        `json:"path"`
		Up      bool          `json:"up"`
		Tokens  []chain.Token `json:"tokens"`
	}
	rows := make([]row, 0, len(s.order))
	for _, slug := range s.order {
		at := s.chains[slug]
		rows = append(rows, row{slug, at.network.Name, at.network.ChainID, "/" + slug, at.up(), at.network.Tokens})
	}
	answer(w, http.StatusOK, map[string]any{"faucet": faucetAddress(), "chains": rows})
}

// refuse answers with a JSON-RPC error, so that any client can tell what is wrong.
func refuse(w http.ResponseWriter, status int, message string) {
	answer(w, status, map[string]any{
		"jsonrpc": "2.0", "id": nil,
		"error": map[string]any{"code": -32600, "message": message},
	})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body) // an error here means that the caller is gone
}
