package sandbox

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/railkit/railkit/fiat/sandbox/control"
)

// maxBody bounds a request.
const maxBody = 64 << 10

// problem is an answer that refuses.
type problem struct {
	status  int
	Code    string  `json:"code"`
	Message string  `json:"message"`
	Source  *source `json:"source,omitempty"`
}

type source struct {
	Location string `json:"location"`
	Key      string `json:"key"`
}

func (p *problem) Error() string { return p.Code + ": " + p.Message }

func refuse(status int, code, message string) *problem {
	return &problem{status: status, Code: code, Message: message}
}

// invalid blames a field of the body, and does not repeat what it holds.
func invalid(key, message string) *problem {
	p := refuse(http.StatusBadRequest, "invalid_parameters", message)
	p.Source = &source{"body", key}
	return p
}

// missing blames a field that names what is not there.
func missing(key string) *problem {
	p := invalid(key, "there is no such object")
	p.Code = "not_found"
	return p
}

var (
	errNotFound = refuse(http.StatusNotFound, "not_found", "there is no such object")
	errNoKey    = refuse(http.StatusUnauthorized, "unauthorized", "the Api-Key header is missing or wrong")
	errJSON     = refuse(http.StatusBadRequest, "invalid_json", "the body is no JSON object of this call")
)

// request is a call with its body read.
type request struct {
	*http.Request
	body []byte
}

// into reads the body. Fields that are not known are left alone.
func (r request) into(v any) error {
	if json.Unmarshal(r.body, v) != nil {
		return errJSON
	}
	return nil
}

func readRequest(r *http.Request) (request, error) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil || len(raw) > maxBody {
		return request{}, errJSON
	}
	return request{r, raw}, nil
}

type (
	reads  func(*view, request) (any, error)
	writes func(*tx, request) (any, error)
)

// reading serves a GET.
func (s *Server) reading(do reads) http.HandlerFunc {
	return s.serve(func(r request) (int, any, error) {
		answer, err := do(s.view(r.Context()), r)
		return http.StatusOK, answer, err
	})
}

// changing serves what changes something and may be repeated.
func (s *Server) changing(do writes) http.HandlerFunc {
	return s.serve(func(r request) (status int, answer any, err error) {
		err = s.update(r.Context(), func(t *tx) error {
			answer, err = do(t, r)
			return err
		})
		return http.StatusOK, answer, err
	})
}

// making serves what makes something, once for each key.
func (s *Server) making(do writes) http.HandlerFunc {
	return s.serve(func(r request) (int, any, error) {
		answer, err := s.once(r, do)
		return http.StatusCreated, answer, err
	})
}

// serve is what all of the API's calls have in common.
func (s *Server) serve(do func(request) (int, any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !same(r.Header.Get("Api-Key"), s.key) {
			s.answer(w, 0, nil, errNoKey)
			return
		}
		f := s.faults.take(r)
		if f.before(w) {
			return
		}
		q, err := readRequest(r)
		if err == nil {
			err = checkKeyHeader(q)
		}
		status, body := 0, any(nil)
		if err == nil {
			status, body, err = do(q)
		}
		if err != nil {
			s.answer(w, status, nil, err)
			return
		}
		f.after(s, w, r, status, body)
	}
}

// same compares keys in a time that says nothing about them.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

func (s *Server) answer(w http.ResponseWriter, status int, body any, err error) {
	var p *problem
	switch {
	case errors.As(err, &p):
		status, body = p.status, p
	case err != nil:
		s.config.Log.Error("a call failed", "error", err)
		status, body = http.StatusInternalServerError, refuse(http.StatusInternalServerError,
			"internal_error", "the partner failed")
	}
	write(w, status, encode(body))
}

func encode(body any) []byte {
	raw, err := json.Marshal(body)
	if err != nil {
		return []byte("null") // nothing here cannot be encoded
	}
	return raw
}

func write(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set(control.Header, control.Name)
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the caller is gone
}

func digest(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:", len(p))
		h.Write(p)
	}
	return hex.EncodeToString(h.Sum(nil))
}
