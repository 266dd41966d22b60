package shop_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/signed"
	"github.com/railkit/railkit/x402"
)

// bank is a facilitator behind HTTP, as others run them: it checks whose the payment is and what it pays, and
// settles each authorization once. A test can make it misbehave.
type bank struct {
	URL string

	mu         sync.Mutex
	used       map[string]bool
	settled    int
	verifies   int
	time       time.Time
	idempotent bool // answers a settlement that it has made before as if it were new
	// says success once for each payment, and again to the same sale, as ours does; idempotent as well
	once bool
	told map[string]string // the sale that heard it, by the payment

	onVerify, onSettle http.HandlerFunc // in the place of the honest answer; onSettle may settle by itself
}

func newBank(t testing.TB) *bank {
	b := &bank{used: map[string]bool{}, told: map[string]string{}, time: now}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /verify", func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		b.verifies++
		special := b.onVerify
		b.mu.Unlock()
		if special != nil {
			special(w, r)
			return
		}
		p, reason := b.judge(r, false)
		reply(w, 200, map[string]any{"isValid": reason == "", "invalidReason": reason, "payer": p})
	})
	mux.HandleFunc("POST /settle", func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		special := b.onSettle
		b.mu.Unlock()
		if special != nil {
			special(w, r)
			return
		}
		b.settle(w, r)
	})
	mux.HandleFunc("GET /supported", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, map[string]any{"kinds": []any{map[string]any{"x402Version": 2, "scheme": "exact",
			"network": "eip155:84532"}}})
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	b.URL = server.URL
	return b
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func (b *bank) settle(w http.ResponseWriter, r *http.Request) {
	payer, reason := b.judge(r, true)
	hash := ""
	if reason == "" {
		hash = "0x" + fmt.Sprintf("%064x", 0xabc)
		reason = b.tell(payer, r.Header.Get(x402.HeaderIdentifier))
	}
	reply(w, 200, map[string]any{
		"success": reason == "", "errorReason": reason, "transaction": hash, "network": "eip155:84532", "payer": payer,
	})
}

// tell tells who hears of a success. A payer of these tests makes one payment.
func (b *bank) tell(payer, sale string) (reason string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if first, told := b.told[payer]; b.once && told && (sale == "" || first != sale) {
		return x402.ReasonDuplicateSettlement
	}
	b.told[payer] = sale
	return ""
}

func (b *bank) judge(r *http.Request, settle bool) (payer, reason string) {
	var in x402.Request
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return "", x402.ReasonInvalidPayload
	}
	p, o, err := in.Parse()
	if err != nil {
		return "", x402.ReasonInvalidPayload
	}
	from, err := p.Recover(signed.Domain{
		Name: o.Extra.Name, Version: o.Extra.Version, ChainID: 84532, Contract: parse(o.Asset),
	})
	to, amount := terms(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case err != nil || from != p.From():
		return p.From().String(), x402.ReasonSignature
	case to != parse(o.PayTo):
		return from.String(), x402.ReasonRecipient
	case amount.String() != o.Amount:
		return from.String(), x402.ReasonValue
	case p.End().Int64() < b.time.Unix()+6:
		return from.String(), x402.ReasonValidBefore
	case b.used[p.ID()] && !(settle && b.idempotent):
		return from.String(), x402.ReasonNonceUsed
	case settle && !b.used[p.ID()]:
		b.used[p.ID()] = true
		b.settled++
	}
	return from.String(), ""
}

func terms(p x402.Payload) (to evm.Address, amount *big.Int) {
	if p.Permit != nil {
		return p.Permit.To, p.Permit.Amount
	}
	return p.Authorization.To, p.Authorization.Value
}

func (b *bank) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.settled
}

// verifyBy and settleBy put an answer in the place of the honest one, nil puts that one back. A request that its caller
// gave up may still be on its way in: so both take the lock.
func (b *bank) verifyBy(h http.HandlerFunc) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.onVerify = h
}

func (b *bank) settleBy(h http.HandlerFunc) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.onSettle = h
}

// answers makes the bank answer always the same.
func answers(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// hangs answers nothing until the caller has left.
func hangs(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // only then the server sees that the caller has left
	select {
	case <-r.Context().Done():
	case <-time.After(5 * time.Second): // a slow one
	}
}
