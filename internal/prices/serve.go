package prices

import (
	"encoding/json"
	"net/http"
)

// Health is the answer of GET /healthz.
type Health struct {
	Fresh   bool     `json:"fresh"`             // there is a sheet that has not expired
	Missing []string `json:"missing,omitempty"` // listed assets and data fees that are not in it, and why
}

// Handler serves the newest sheet to whoever asks: it is no secret.
func (s *Signer) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/sheet", func(w http.ResponseWriter, _ *http.Request) {
		sheet, fresh := s.Sheet()
		if !fresh {
			answer(w, http.StatusServiceUnavailable, map[string]string{"error": "no price sheet that has not expired"})
			return
		}
		answer(w, http.StatusOK, sheet)
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		h := Health{Missing: s.Missing()}
		status := http.StatusServiceUnavailable
		if _, h.Fresh = s.Sheet(); h.Fresh {
			status = http.StatusOK
		}
		answer(w, status, h)
	})
	return mux
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the caller is gone
}
