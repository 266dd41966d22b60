package sandbox

import (
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
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

// Handler serves the API and the controls.
func (s *Server) Handler() http.Handler { return s.handler }

func (s *Server) routes() http.Handler {
	const customer = "/v0/customers/{customer}"
	mux := http.NewServeMux()
	for pattern, h := range map[string]http.HandlerFunc{
		"POST /v0/customers":     s.making(createCustomer),
		"GET /v0/customers":      s.reading(listCustomers),
		"GET " + customer:        s.reading(getCustomer),
		"GET /v0/exchange_rates": s.reading(getRate),

		"POST " + customer + "/external_accounts":                      s.making(createAccount),
		"GET " + customer + "/external_accounts":                       s.reading(listAccounts),
		"GET " + customer + "/external_accounts/{account}":             s.reading(getAccount),
		"PUT " + customer + "/external_accounts/{account}":             s.changing(updateAccount),
		"DELETE " + customer + "/external_accounts/{account}":          s.changing(deactivateAccount),
		"POST " + customer + "/external_accounts/{account}/reactivate": s.making(reactivateAccount),
		"POST " + customer + "/external_accounts/{account}/deactivate": s.making(deactivateAccount),

		"POST " + customer + "/wallets":         s.making(createWallet),
		"GET " + customer + "/wallets":          s.reading(listWallets),
		"GET " + customer + "/wallets/{wallet}": s.reading(getWallet),

		"POST " + customer + "/liquidation_addresses":                 s.making(createLiquidation),
		"GET " + customer + "/liquidation_addresses":                  s.reading(listLiquidations),
		"GET " + customer + "/liquidation_addresses/{address}":        s.reading(getLiquidation),
		"GET " + customer + "/liquidation_addresses/{address}/drains": s.reading(listDrains),
		"GET " + customer + "/drains":                                 s.reading(listCustomerDrains),
		"GET /v0/liquidation_addresses":                               s.reading(listAllLiquidations),

		"POST " + customer + "/virtual_accounts":                      s.making(createVirtual),
		"GET " + customer + "/virtual_accounts":                       s.reading(listVirtuals),
		"GET " + customer + "/virtual_accounts/{virtual}":             s.reading(getVirtual),
		"POST " + customer + "/virtual_accounts/{virtual}/deactivate": s.making(deactivateVirtual),
		"POST " + customer + "/virtual_accounts/{virtual}/reactivate": s.making(reactivateVirtual),
		"GET " + customer + "/virtual_accounts/{virtual}/history":     s.reading(listActivities),

		"POST /v0/transfers":             s.making(createTransfer),
		"GET /v0/transfers":              s.reading(listTransfers),
		"GET /v0/transfers/{transfer}":   s.reading(getTransfer),
		"GET " + customer + "/transfers": s.reading(listTransfers),
	} {
		mux.HandleFunc(pattern, h)
	}
	s.controls(mux)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { s.answer(w, 0, nil, errNotFound) })
	return mux
}

// page is a list's answer.
type page[T any] struct {
	Count int `json:"count"`
	Data  []T `json:"data"`
}

// Bounds of a page.
const (
	usualPage = 10
	mostPage  = 100
)

var errPage = refuse(http.StatusBadRequest, "invalid_parameters",
	"limit is 1 to 100, and starting_after and ending_before are ids of the list, one of them at most")

// list answers the objects that a condition is true of, newest first, as the
// query's paging asks.
func list[T any](v *view, r request, kind, where string, args ...any) (page[T], error) {
	limit, err := limitOf(r)
	if err != nil {
		return page[T]{}, err
	}
	where, args = "kind = ? AND "+where, append([]any{kind}, args...)
	after, before := r.URL.Query().Get("starting_after"), r.URL.Query().Get("ending_before")
	order := "DESC"
	switch {
	case after != "" && before != "":
		return page[T]{}, errPage
	case after != "":
		where += " AND seq < ?"
		args, err = v.withSeq(args, kind, after)
	case before != "":
		where, order = where+" AND seq > ?", "ASC"
		args, err = v.withSeq(args, kind, before)
	}
	if err != nil {
		return page[T]{}, err
	}
	found, err := all[T](v, where+" ORDER BY seq "+order+" LIMIT ?", append(args, limit)...)
	if order == "ASC" {
		for i, j := 0, len(found)-1; i < j; i, j = i+1, j-1 {
			found[i], found[j] = found[j], found[i]
		}
	}
	return page[T]{len(found), found}, err
}

func limitOf(r request) (int, error) {
	text := r.URL.Query().Get("limit")
	if text == "" {
		return usualPage, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > mostPage {
		return 0, errPage
	}
	return n, nil
}

func (v *view) withSeq(args []any, kind, id string) ([]any, error) {
	var seq int64
	err := v.q.QueryRowContext(v.ctx, `SELECT seq FROM objects WHERE id = ? AND kind = ?`, id, kind).Scan(&seq)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, errPage
	}
	if err != nil {
		return nil, fmt.Errorf("reading a page: %w", err)
	}
	return append(args, seq), nil
}
