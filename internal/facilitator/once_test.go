package facilitator_test

import (
	"context"
	"database/sql"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/railkit/railkit/internal/facilitator"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/internal/test/x402test"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/shop"
)

// Success is said of a payment once, of twenty who ask at once to one. Everybody else learns the hash, and looks for
// himself: also with another resource, and after a restart.
func TestAgents_FacilitatorSaysSuccessOnce(t *testing.T) {
	c := x402test.NewChain(t)
	folder := t.TempDir()
	same := func(config *facilitator.Config) { config.Folder = folder }
	f, seller := c.Facilitator(same), x402test.NewKey(t).Address
	r, _, _ := c.Pay(c.Buyer("1"), c.Offer("10000", seller))
	var all sync.WaitGroup
	receipts := make([]x402.Receipt, 20)
	for i := range receipts {
		r := r
		if i%2 == 1 {
			r.Payload = []byte(strings.TrimSuffix(string(r.Payload), "}") + `,"resource":{"url":"https://shop.example/b"}}`)
		}
		all.Go(func() {
			var err error
			if receipts[i], err = f.Client(t).Settle(t.Context(), r); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	g := c.FacilitatorOf(f.Signer, same)
	again, err := g.Client(t).Settle(t.Context(), r)
	duplicate(t, again, err)
	said := 0
	for _, receipt := range append(receipts, again) {
		if receipt.Success {
			said++
		} else {
			duplicate(t, receipt, nil)
		}
		if receipt.Transaction != again.Transaction {
			t.Errorf("%s and %s", receipt.Transaction, again.Transaction)
		}
	}
	if got := c.Balance(seller); said != 1 || got != 10000 || f.Signer.Signs != 1 {
		t.Errorf("said %d times, the seller has %d, %d signatures", said, got, f.Signer.Signs)
	}
}

// A shop that names its sale hears of its success again, in whichever of its processes, and after a restart of the
// facilitator. Under another name nobody does, nor does another caller, nor who has the buyer name the sale.
func TestAgents_FacilitatorSaysSuccessAgainToTheSameSale(t *testing.T) {
	c := x402test.NewChain(t)
	folder := t.TempDir()
	same := func(config *facilitator.Config) { config.Folder = folder }
	f, seller := c.Facilitator(same), x402test.NewKey(t).Address
	served := func(f *x402test.Facilitator) func(token, sale string, r x402.Request) (x402.Receipt, error) {
		server := httptest.NewServer(f.Handler("ours", "theirs"))
		t.Cleanup(server.Close)
		client, err := shop.NewClient(server.URL, shop.Timeouts{})
		if err != nil {
			t.Fatal(err)
		}
		return func(token, sale string, r x402.Request) (x402.Receipt, error) {
			r.Identifier = sale
			return client.WithToken(token).Settle(t.Context(), r)
		}
	}
	const sale = "sale_0123456789-abcdef"
	r, _, _ := c.Pay(c.Buyer("1"), c.Offer("10000", seller))
	settle := served(f)
	first, err := settle("ours", sale, r)
	settled(t, first, err)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	settle = served(c.FacilitatorOf(f.Signer, same))
	again, err := settle("ours", sale, r)
	if settled(t, again, err); again.Transaction != first.Transaction {
		t.Errorf("%+v, first %+v", again, first)
	}
	for _, other := range []struct{ token, sale string }{
		{"ours", ""}, {"ours", sale + "1"}, {"theirs", sale}, {"theirs", ""},
	} {
		got, err := settle(other.token, other.sale, r)
		duplicate(t, got, err)
	}

	buyers := `,"extensions":{"payment-identifier":{"info":{"required":false,"id":"` + sale + `"}}}}`
	r, _, _ = c.Pay(c.Buyer("1"), c.Offer("10000", seller))
	r.Payload = []byte(strings.TrimSuffix(string(r.Payload), "}") + buyers)
	first, err = settle("ours", "", r)
	settled(t, first, err)
	again, err = settle("ours", "", r)
	duplicate(t, again, err)
	if got, err := settle("ours", "short", r); err != nil || got.ErrorReason != x402.ReasonInvalidPayload {
		t.Errorf("%+v %v", got, err)
	}
}

// Whoever leaves before the answer heard nothing: the next one who asks does.
func TestAgents_FacilitatorSaysNothingToWhoHasLeft(t *testing.T) {
	c := x402test.NewChain(t)
	f, seller := c.Facilitator(), x402test.NewKey(t).Address
	r, _, _ := c.Pay(c.Buyer("1"), c.Offer("10000", seller))
	c.Automine(false)
	defer c.Automine(true)
	leaving, leave := context.WithCancel(t.Context())
	body, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	req := httptest.NewRequestWithContext(leaving, "POST", "/settle", strings.NewReader(string(body)))
	gone := make(chan struct{})
	go func() {
		f.Handler().ServeHTTP(httptest.NewRecorder(), req)
		close(gone)
	}()
	testwait.Until(t, "it is under way", func() bool { return f.Waiting() == 1 })
	leave()
	<-gone
	c.Automine(true)
	receipt, err := f.Settle(t.Context(), r)
	settled(t, receipt, err)
	again, err := f.Settle(t.Context(), r)
	duplicate(t, again, err)
	req = httptest.NewRequestWithContext(leaving, "POST", "/settle", strings.NewReader(string(body)))
	w := httptest.NewRecorder()
	if f.Handler().ServeHTTP(w, req); w.Code != http.StatusServiceUnavailable {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// A charge of nothing is told once as well, and the payment is over: it is not charged afterwards.
func TestAgents_FacilitatorChargesNothingOnce(t *testing.T) {
	c := x402test.NewChain(t)
	f, seller, buyer := c.Facilitator(), x402test.NewKey(t).Address, c.Buyer("1")
	c.Approve(buyer)
	offer := c.Offer("25000", seller)
	offer.Scheme, offer.Extra.FacilitatorAddress = x402.Upto, f.Signer.Address().String()
	_, _, header := c.Pay(buyer, offer)
	offer.Amount = "0"
	if got, err := f.Settle(t.Context(), c.Ask(offer, header)); err != nil || !got.Success || got.Transaction != "" {
		t.Fatalf("%+v %v", got, err)
	}
	for _, amount := range []string{"0", "7000"} {
		offer.Amount = amount
		got, err := f.Settle(t.Context(), c.Ask(offer, header))
		if err != nil || got.Success || got.ErrorReason != x402.ReasonDuplicateSettlement || f.Signer.Signs != 0 {
			t.Errorf("%s: %+v %v, %d signatures", amount, got, err, f.Signer.Signs)
		}
	}
}

// olderSchema is the journal's of releases that said success to whoever asked.
const olderSchema = `
CREATE TABLE settlements (
	id TEXT PRIMARY KEY, terms TEXT NOT NULL, chain INTEGER NOT NULL, nonce INTEGER NOT NULL,
	request TEXT NOT NULL, ask TEXT NOT NULL, raw BLOB, hash TEXT NOT NULL DEFAULT '', receipt TEXT, at INTEGER NOT NULL,
	UNIQUE (chain, nonce));
CREATE INDEX settlements_open ON settlements (chain, nonce) WHERE receipt IS NULL;
CREATE TABLE resources (
	resource TEXT PRIMARY KEY, kind TEXT NOT NULL, version INTEGER NOT NULL, accepts TEXT NOT NULL, metadata TEXT NOT NULL,
	at INTEGER NOT NULL);
`

// A journal of an older release opens: what it has settled was said, and what is under way is said once.
func TestAgents_FacilitatorOpensAnOlderJournal(t *testing.T) {
	c := x402test.NewChain(t)
	folder := t.TempDir()
	same := func(config *facilitator.Config) { config.Folder = folder }
	f, seller, buyer := c.Facilitator(same), x402test.NewKey(t).Address, c.Buyer("1")
	old, _, _ := c.Pay(buyer, c.Offer("10000", seller))
	first, err := f.Settle(t.Context(), old)
	settled(t, first, err)
	c.Automine(false)
	defer c.Automine(true)
	open, _, _ := c.Pay(buyer, c.Offer("10000", seller))
	f.Wait = 1
	if got, err := f.Settle(t.Context(), open); err != nil || !got.Pending() {
		t.Fatalf("%+v %v", got, err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	makeOlder(t, filepath.Join(folder, strings.ToLower(f.Signer.Address().String())+".db"))
	g := c.FacilitatorOf(f.Signer, same)
	c.Automine(true)
	got, err := g.Settle(t.Context(), old)
	if duplicate(t, got, err); got.Transaction != first.Transaction {
		t.Errorf("%+v", got)
	}
	receipt, err := g.Settle(t.Context(), open)
	settled(t, receipt, err)
	again, err := g.Settle(t.Context(), open)
	duplicate(t, again, err)
}

// makeOlder writes a journal's rows in the form of older releases.
func makeOlder(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	for _, do := range []string{
		"ALTER TABLE settlements RENAME TO newer", "DROP TABLE told", "DROP TABLE resources",
		"DROP INDEX settlements_signed", "DROP INDEX settlements_nonce", "DROP INDEX settlements_open", olderSchema,
		"INSERT INTO settlements SELECT id, terms, chain, nonce, request, ask, raw, hash, receipt, at FROM newer", "DROP TABLE newer", "PRAGMA user_version = 0",
	} {
		if _, err := db.ExecContext(t.Context(), do); err != nil {
			t.Fatalf("%s: %v", do, err)
		}
	}
}
