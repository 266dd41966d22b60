package sandbox_test

import (
	"net/http"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fiat/sandbox/control"
)

// The same key and body have the same answer and one effect, however many ask at
// once; what is different is refused, and so is a key where none belongs.
func TestPartner_Idempotency(t *testing.T) {
	t.Parallel()
	p := open(t)
	body := object{"type": "business", "business_legal_name": "Acme", "email": "ops@acme.test"}
	key := uuid.NewString()
	answers := make([]object, 16)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { _, answers[i] = p.call(http.MethodPost, "/v0/customers", body, key) })
	}
	all.Wait()
	for _, a := range answers {
		if text(a, "id") == "" || !reflect.DeepEqual(a, answers[0]) {
			t.Errorf("two answers: %v and %v", answers[0], a)
		}
	}
	if n := p.got("/v0/customers")["count"]; n != 1.0 {
		t.Errorf("%v customers", n)
	}
	for what, c := range map[string]struct {
		method, path, key string
		body              any
		status            int
		code              string
	}{
		"other body": {"POST", "/v0/customers", key, object{"email": "x@y.z"}, 400, "not_truly_idempotent"},
		"other path": {"POST", "/v0/transfers", key, body, 400, "not_truly_idempotent"},
		"no key":     {"POST", "/v0/customers", "", body, 400, "idempotency_key_required"},
		"long key":   {"POST", "/v0/customers", string(make256()), body, 400, "idempotency_key_required"},
		"get":        {"GET", "/v0/customers", key, nil, 400, "idempotency_key_not_allowed"},
	} {
		if status, a := p.call(c.method, c.path, c.body, c.key); status != c.status || a["code"] != c.code {
			t.Errorf("%s: %d %v", what, status, a)
		}
	}
	// What was refused may be asked again: nothing happened.
	second := uuid.NewString()
	if status, _ := p.call(http.MethodPost, "/v0/customers", object{"email": "none"}, second); status != 400 {
		t.Errorf("a customer without a name: %d", status)
	}
	if status, _ := p.call(http.MethodPost, "/v0/customers", body, second); status != 201 {
		t.Errorf("the key of a refused call: %d", status)
	}
	if err := p.control.Advance(t.Context(), 24*time.Hour); err != nil {
		t.Fatal(err)
	}
	if status, a := p.call(http.MethodPost, "/v0/customers", body, key); status != 422 ||
		a["code"] != "idempotency_key_expired" {
		t.Errorf("after a day: %d %v", status, a)
	}
}

func make256() []byte {
	long := make([]byte, 256)
	for i := range long {
		long[i] = 'k'
	}
	return long
}

// One transfer for many who ask with one key, and no more than the wallet has for
// many who ask with their own.
func TestPartner_TransfersAtOnce(t *testing.T) {
	t.Parallel()
	p := onChain(t)
	s := p.setup()
	p.deposit(s, "50")
	var all sync.WaitGroup
	statuses := make([]int, 12)
	for i := range statuses {
		all.Go(func() { statuses[i], _ = p.call(http.MethodPost, "/v0/transfers", s.transfer(object{"amount": "10"})) })
	}
	all.Wait()
	made := 0
	for _, status := range statuses {
		if status == http.StatusCreated {
			made++
		} else if status != http.StatusUnprocessableEntity {
			t.Errorf("status %d", status)
		}
	}
	if made != 5 {
		t.Errorf("%d transfers of 10 were made of 50", made)
	}
	p.holds(s, "0.000000")
	p.balanced()
}

// A restart loses nothing: not what was asked, nor what is to happen.
func TestPartner_Restart(t *testing.T) {
	t.Parallel()
	p := onChain(t)
	s := p.setup()
	p.deposit(s, "100")
	body, key := s.transfer(object{"amount": "10.02"}), uuid.NewString()
	_, first := p.call(http.MethodPost, "/v0/transfers", body, key)
	p.stop()
	p.start()
	status, again := p.call(http.MethodPost, "/v0/transfers", body, key)
	if status != http.StatusCreated || !reflect.DeepEqual(first, again) {
		t.Errorf("%d %v is not %v", status, again, first)
	}
	p.reaches(text(first, "id"), "refunded")
	p.paid(text(first, "client_reference_id"), 1, 1)
	if l := p.got("/v0/customers/" + s.customer + "/liquidation_addresses/" + s.liquidation); text(
		l, "address",
	) != s.address {
		t.Errorf("the address is another one: %v", l)
	}
	if p.setup().address == s.address {
		t.Error("an address is given out twice")
	}
}

func (p *partner) balanced() {
	p.t.Helper()
	l, err := p.control.Ledger(p.t.Context(), "")
	if err != nil || !l.Balanced {
		p.t.Errorf("the ledger is not balanced: %v, %+v", err, l)
	}
}

// A deposit that is made again under its id is the one that is there.
func TestPartner_DepositOnceForAnID(t *testing.T) {
	t.Parallel()
	p := onChain(t)
	a := p.payer("mxn", "0")
	b := control.BankDeposit{Account: a.number, Amount: "1000.03", ID: "6f8b0c1e-51a7-4c1d-9d1f-0d5c0a4b7e11"}
	first, err := p.control.Deposit(t.Context(), b)
	if err != nil || first.ID != b.ID {
		t.Fatalf("%+v, %v", first, err)
	}
	again, err := p.control.Deposit(t.Context(), b)
	if err != nil || again.ID != first.ID || again.Trace != first.Trace {
		t.Errorf("%+v, %v", again, err)
	}
	books, err := p.control.Ledger(t.Context(), a.account)
	if err != nil || len(books.Deposits) != 1 || !books.Balanced {
		t.Errorf("%+v, %v", books, err)
	}
}
