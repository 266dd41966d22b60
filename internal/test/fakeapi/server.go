// Package fakeapi is a server that speaks the signing API with an enclave of
// its own, all in memory. Tests of clients attack it; nothing else uses it.
package fakeapi

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"time"
)

// Call is a request that was seen.
type Call struct {
	Method, Path, IdempotencyKey, Authorization string
	Body                                        []byte
}

// Server is the API, the enclave and the chain behind it. Make one with New.
type Server struct {
	*enclave
	mux *http.ServeMux

	mu           sync.Mutex
	calls        []Call
	replays      map[string]replay
	shops        map[string]*shop // by the text of each of their keys
	trail        []object         // oldest first
	transactions map[string]*transaction
	order        []string // of transactions, oldest first
	drops        []object // what the faucet gave of tokens, as lines of a history
	balances     map[string]string
	bank         payouts
	outside      uint64 // next nonce of keys of no wallet
}

// APIKey is the key that the server takes.
const APIKey = "rk_client_key_v1_fakefakefakefakefakefakefakefakefakefakefak"

// The operator's keys.
const (
	InternalKey = "rk_client_key_v1_innerinnerinnerinnerinnerinnerinnerinnerin"
	AdminKey    = "rk_client_key_v1_adminadminadminadminadminadminadminadminad"
)

// replay is what a call under an idempotency key was answered.
type replay struct{ body, answer []byte }

// New makes a server with nothing in it.
func New() *Server {
	s := &Server{
		enclave: newEnclave(), mux: http.NewServeMux(), replays: map[string]replay{}, shops: map[string]*shop{},
		transactions: map[string]*transaction{}, balances: map[string]string{},
	}
	s.mux.HandleFunc("GET /v1/{$}", s.health)
	s.mux.HandleFunc("POST /v1/signing/passkeys/challenge", s.challenge)
	s.mux.HandleFunc("POST /v1/signing/passkeys/register", s.register)
	s.mux.HandleFunc("GET /v1/signing/passkeys", s.listPasskeys)
	s.mux.HandleFunc("PATCH /v1/signing/passkeys/{id}", s.renamePasskey)
	s.mux.HandleFunc("POST /v1/signing/wallets/prepare", s.prepareWallet)
	s.mux.HandleFunc("POST /v1/signing/wallets/confirm", s.confirmWallet)
	s.mux.HandleFunc("GET /v1/signing/wallets", s.listWallets)
	s.mux.HandleFunc("GET /v1/signing/wallets/{id}", s.getWallet)
	s.mux.HandleFunc("GET /v1/wallets/{id}", s.getWallet)
	s.mux.HandleFunc("POST /v1/signing/wallets/accounts/prepare", s.prepareAccount)
	s.mux.HandleFunc("POST /v1/signing/wallets/accounts/confirm", s.confirmAccount)
	s.mux.HandleFunc("GET /v1/signing/wallets/{id}/addresses", s.listAddresses)
	s.mux.HandleFunc("GET /v1/signing/wallets/{id}/addresses/{address}", s.getAddress)
	s.mux.HandleFunc("GET /v1/signing/wallets/{id}/transactions", s.walletTransactions)
	s.mux.HandleFunc("GET /v1/signing/journal", s.journal)
	s.mux.HandleFunc("POST /v1/transactions/prepare", s.prepareTransaction)
	s.mux.HandleFunc("POST /v1/transactions/confirm", s.confirmTransaction)
	s.mux.HandleFunc("GET /v1/transactions/sign", s.listTransactions)
	s.mux.HandleFunc("GET /v1/transactions/pending-signature", s.listPending)
	s.mux.HandleFunc("GET /v1/transactions/sign/{id}", s.getTransaction)
	s.mux.HandleFunc("DELETE /v1/transactions/sign/{id}", s.cancelTransaction)
	s.mux.HandleFunc("/v1/transactions/broadcast/{id}", s.broadcast)
	s.mux.HandleFunc("POST /v1/sandbox/faucet", s.faucet)
	s.mux.HandleFunc("POST /rpc", s.rpc)
	s.mux.HandleFunc("POST /v1/integrators", s.createIntegrator)
	s.mux.HandleFunc("POST /v1/integrators/{id}/api-keys", s.createKey)
	s.mux.HandleFunc("PATCH /v1/integrators/{id}/modules", s.setModules)
	s.mux.HandleFunc("DELETE /v1/integrators/{id}/api-keys/{key}", s.revokeKey)
	s.mux.HandleFunc("GET /v1/audit", s.listAudit)
	s.servePayouts()
	return s
}

// ServeHTTP answers one request, and answers a repeated key with the first answer.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	key := r.Header.Get("Idempotency-Key")
	s.mu.Lock()
	s.calls = append(s.calls, Call{r.Method, r.URL.Path, key, r.Header.Get("Authorization"), body})
	first, replayed := s.replays[key]
	s.mu.Unlock()
	if key != "" && replayed {
		answerAgain(w, r, first, body)
		return
	}
	if r.URL.Path != "/v1/" && r.URL.Path != "/rpc" && !s.guard(w, r) {
		return
	}
	rec := &recorder{ResponseWriter: w}
	s.mux.ServeHTTP(rec, r)
	if rec.status >= 300 || r.Method == http.MethodGet {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enter()
	if key != "" {
		s.replays[key] = replay{body, rec.body.Bytes()}
	}
}

func answerAgain(w http.ResponseWriter, r *http.Request, first replay, body []byte) {
	if !bytes.Equal(body, first.body) {
		fail(w, r, http.StatusUnprocessableEntity, "idempotency_key_reused",
			"Idempotency-Key was used with another request")
		return
	}
	w.Header().Set("Idempotent-Replayed", "true")
	_, _ = w.Write(first.answer)
}

// Calls are the requests so far.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Call(nil), s.calls...)
}

type recorder struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	r.body.Write(b)
	return r.ResponseWriter.Write(b)
}

type object = map[string]any

// ceremonyURL is a link of a passkey page that is not there.
func ceremonyURL() string { return "https://stamp.invalid/#" + random(16) }

func respond(w http.ResponseWriter, r *http.Request, status int, data any, meta any) {
	body := object{
		"success": true, "message": "Success", "data": data, "statusCode": status,
		"timestamp": now(), "path": r.URL.Path,
	}
	if meta != nil {
		body["meta"] = meta
	}
	write(w, status, body)
}

func fail(w http.ResponseWriter, r *http.Request, status int, code, message string) {
	write(w, status, object{
		"success": false, "message": message, "error": code, "statusCode": status,
		"timestamp": now(), "path": r.URL.Path,
	})
}

func write(w http.ResponseWriter, status int, body any) {
	raw, err := json.Marshal(body)
	if err != nil {
		status, raw = http.StatusInternalServerError, []byte(`{}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Request-Id", "fake-request")
	w.WriteHeader(status)
	_, _ = w.Write(raw)
}

func read(w http.ResponseWriter, r *http.Request, v any) bool {
	if err := json.NewDecoder(r.Body).Decode(v); err != nil {
		fail(w, r, http.StatusBadRequest, "validation_failed", "Validation failed: body is not JSON")
		return false
	}
	return true
}

func now() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000Z") }

func meta(total int) object {
	return object{"page": 1, "limit": 50, "total": total, "totalPages": (total + 49) / 50}
}
