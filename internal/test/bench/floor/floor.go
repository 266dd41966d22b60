// Package floor is the least that could do a flow's work, with none of what
// makes it safe to run: no preview, no journal, no idempotency, no audit, no
// checks of what is asked for. The benchmarks hold the platform against it on
// the same machine, in the same run, over the same databases.
package floor

import (
	"context"
	"crypto/ecdsa"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"github.com/railkit/railkit/store/db"
)

// Server answers as the API does, with only the steps that no server could
// leave out.
type Server struct {
	Read   *db.Queries // of the platform's own database
	Insert *sql.Stmt   // one durable row: id, result
	Commit *Commits    // three of them
	Owner  *ecdsa.PublicKey
	Signer *Signer
	Node   *gethrpc.Client
}

// Serve answers on l until the context ends.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /sign", s.stamped(signDigest))
	mux.HandleFunc("POST /send", s.stamped(signDigest))
	mux.HandleFunc("POST /wallet", s.stamped(newWallet))
	mux.HandleFunc("GET /wallets/{id}", s.wallet)
	mux.HandleFunc("GET /transactions/{id}", s.transaction)
	mux.HandleFunc("PATCH /passkeys/{id}", s.rename)
	server := &http.Server{Handler: mux}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving: %w", err)
	}
	return nil
}

// Stamped is a request body of POST.
type Stamped struct {
	ID        string `json:"id"`
	Body      string `json:"body"`
	Signature []byte `json:"signature"`
	Send      string `json:"send,omitempty"` // hex of what the node is given, beside what is signed
}

// stamped checks key and signature, has the signer work, and writes its result.
func (s *Server) stamped(op byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var q Stamped
		if _, err := s.caller(r); err != nil || json.NewDecoder(r.Body).Decode(&q) != nil {
			http.Error(w, "refused", http.StatusForbidden)
			return
		}
		digest := sha256.Sum256([]byte(q.Body))
		if !ecdsa.VerifyASN1(s.Owner, digest[:], q.Signature) {
			http.Error(w, "refused", http.StatusForbidden)
			return
		}
		result, err := s.Signer.Do(op, digest)
		if err == nil && q.Send != "" {
			err = s.Node.CallContext(r.Context(), new(string), "eth_sendRawTransaction", q.Send)
		}
		if err == nil {
			_, err = s.Insert.ExecContext(r.Context(), q.ID, hex.EncodeToString(result))
		}
		answer(w, map[string]string{"id": q.ID, "result": hex.EncodeToString(result)}, err)
	}
}

// caller finds the API key in the platform's own table, by the same query.
func (s *Server) caller(r *http.Request) (db.KeyByHashRow, error) {
	sum := sha256.Sum256([]byte(strings.TrimPrefix(r.Header.Get("Authorization"), "ApiKey ")))
	return s.Read.KeyByHash(r.Context(), hex.EncodeToString(sum[:]))
}

// wallet reads what the API's wallet is made of, by the same queries.
func (s *Server) wallet(w http.ResponseWriter, r *http.Request) {
	key, err := s.caller(r)
	if err != nil {
		http.Error(w, "refused", http.StatusForbidden)
		return
	}
	workspace := key.ApiKey.WorkspaceID
	row, err := s.Read.Wallet(r.Context(), workspace, r.PathValue("id"))
	var addresses []db.Address
	if err == nil {
		addresses, err = s.Read.Addresses(r.Context(), workspace, row.ID)
	}
	answer(w, map[string]any{"wallet": row, "addresses": addresses}, err)
}

// transaction is one row, by the same query.
func (s *Server) transaction(w http.ResponseWriter, r *http.Request) {
	key, err := s.caller(r)
	if err != nil {
		http.Error(w, "refused", http.StatusForbidden)
		return
	}
	row, err := s.Read.Transaction(r.Context(), key.ApiKey.WorkspaceID, r.PathValue("id"))
	answer(w, row, err)
}

// rename commits a change under a key of the caller's, without asking whether
// the key came before.
func (s *Server) rename(w http.ResponseWriter, r *http.Request) {
	q := Renaming{Key: r.Header.Get("Idempotency-Key"), ID: r.PathValue("id")}
	if _, err := s.caller(r); err != nil || json.NewDecoder(r.Body).Decode(&q) != nil {
		http.Error(w, "refused", http.StatusForbidden)
		return
	}
	q.Answer = fmt.Appendf(nil, "{\"id\":%q,\"label\":%q}\n", q.ID, q.Label)
	if err := s.Commit.Rename(r.Context(), q); err != nil {
		answer(w, nil, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(q.Answer) // the caller has hung up, or it worked
}

func answer(w http.ResponseWriter, data any, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(data) // the caller has hung up, or it worked
}
