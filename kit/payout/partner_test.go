package payout_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
)

// bankDesk is a partner that keeps customers and bank accounts only, and checks
// what it is told of them. A test says what becomes of the next calls.
type bankDesk struct {
	t  *testing.T
	mu sync.Mutex

	customer string // status of new customers
	status   string // of new accounts
	// what the next calls that make or change something meet; true: after it is done
	next     []func(http.ResponseWriter) bool
	accounts map[string]map[string]any // by id, as told
	first    map[string][]byte         // answers by idempotency key
	bodies   map[string][]byte
	calls    []string
}

func newBankDesk(t *testing.T) (*bankDesk, apptest.Option) {
	t.Helper()
	d := &bankDesk{
		t: t, customer: "active", status: "active", accounts: map[string]map[string]any{}, first: map[string][]byte{},
		bodies: map[string][]byte{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v0/customers", d.making(func(string, map[string]any) (string, map[string]any) {
		return "cust", map[string]any{"status": d.customer}
	}))
	mux.HandleFunc("GET /v0/customers/{id}", func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		defer d.mu.Unlock()
		reply(w, map[string]any{"id": r.PathValue("id"), "status": d.customer})
	})
	mux.HandleFunc("POST /v0/customers/{customer}/external_accounts", d.making(d.account))
	mux.HandleFunc("GET /v0/customers/{customer}/external_accounts/{id}", func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		defer d.mu.Unlock()
		reply(w, d.accounts[r.PathValue("id")])
	})
	mux.HandleFunc("PUT /v0/customers/{customer}/external_accounts/{id}", d.change)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return d, func(c *apptest.Config) { c.PartnerURL, c.PartnerKey = server.URL, "desk-key" }
}

// making answers a call that makes something: the same key gets the same answer,
// and with another body none.
func (d *bankDesk) making(
	do func(customer string, told map[string]any) (kind string, made map[string]any),
) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var told map[string]any
		raw := new(bytes.Buffer)
		_, _ = raw.ReadFrom(r.Body)
		_ = json.Unmarshal(raw.Bytes(), &told)
		d.mu.Lock()
		defer d.mu.Unlock()
		key := r.Header.Get("Idempotency-Key")
		d.calls = append(d.calls, r.Method+" "+r.URL.Path)
		if key == "" || r.Header.Get("Api-Key") != "desk-key" {
			d.t.Errorf("%s %s without its headers", r.Method, r.URL.Path)
		}
		then := d.turn()
		if then != nil && !then(w) {
			return
		}
		if d.first[key] == nil {
			kind, made := do(r.PathValue("customer"), told)
			id := fmt.Sprintf("%s_%d", kind, len(d.first)+1)
			made["id"], d.bodies[key] = id, raw.Bytes()
			if kind == "ext" {
				d.accounts[id] = made
			}
			d.first[key], _ = json.Marshal(made)
		} else if !bytes.Equal(d.bodies[key], raw.Bytes()) {
			d.t.Errorf("the key of %s came again with another body", r.URL.Path)
		}
		if then == nil {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusCreated)
			_, _ = w.Write(d.first[key])
		}
	}
}

// turn is what the next call meets.
func (d *bankDesk) turn() func(http.ResponseWriter) bool {
	if len(d.next) == 0 {
		return nil
	}
	then := d.next[0]
	d.next = d.next[1:]
	return then
}

func (d *bankDesk) account(customer string, told map[string]any) (string, map[string]any) {
	number := ""
	for _, part := range []string{"account", "clabe", "iban"} {
		if m, ok := told[part].(map[string]any); ok {
			number, _ = m["account_number"].(string)
		}
	}
	return "ext", map[string]any{
		"customer_id": customer, "currency": told["currency"], "active": true, "status": d.status,
		"last_4": number[max(len(number)-4, 0):], "told": told,
	}
}

func (d *bankDesk) change(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls = append(d.calls, r.Method+" "+r.URL.Path)
	var told map[string]any
	_ = json.NewDecoder(r.Body).Decode(&told)
	then := d.turn()
	if then != nil && !then(w) {
		return
	}
	a := d.accounts[r.PathValue("id")]
	a["changed"], a["status"] = told, d.status
	if then == nil {
		reply(w, a)
	}
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// meet says what the next calls that make or change something meet.
func (d *bankDesk) meet(next ...func(http.ResponseWriter) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.next = next
}

func (d *bankDesk) set(change func(*bankDesk)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change(d)
}

// count counts calls, by the end of their path.
func (d *bankDesk) count(method, end string) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, call := range d.calls {
		if strings.HasPrefix(call, method) && strings.HasSuffix(call, end) {
			n++
		}
	}
	return n
}

// only is the one account that the partner has.
func (d *bankDesk) only() (told map[string]any) {
	d.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.accounts) != 1 {
		d.t.Fatalf("the partner has %d accounts", len(d.accounts))
	}
	for _, a := range d.accounts {
		told = a
	}
	return told
}

// say answers with a status and nothing done; lose does it and loses the answer.
func say(status int, body string) func(http.ResponseWriter) bool {
	return func(w http.ResponseWriter) bool {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
		return false
	}
}

func lose(w http.ResponseWriter) bool {
	w.WriteHeader(http.StatusInternalServerError)
	return true
}

func contains(text string, secrets ...string) bool {
	return slices.ContainsFunc(secrets, func(s string) bool { return strings.Contains(text, s) })
}
