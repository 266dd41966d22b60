package sandbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/bridge"
	"github.com/railkit/railkit/fiat/sandbox"
	"github.com/railkit/railkit/fiat/sandbox/control"
)

// receiver takes notices and judges them as the server does.
type receiver struct {
	*httptest.Server
	mu      sync.Mutex
	read    func(signature string, body []byte, now time.Time) (fiat.Notice, error)
	good    []fiat.Notice
	bad     []error
	refuses int // so many are answered with 500
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.refuses > 0 {
			r.refuses--
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		n, err := r.read(req.Header.Get(sandbox.SignatureHeader), body, time.Now())
		if err != nil {
			r.bad = append(r.bad, err)
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		r.good = append(r.good, n)
	}))
	t.Cleanup(r.Close)
	return r
}

// notified is a partner that tells the receiver.
func notified(t *testing.T) (*partner, *receiver) {
	t.Helper()
	r := newReceiver(t)
	p := open(t)
	pem, err := os.ReadFile(filepath.Join(p.folder, control.PublicKeyFile))
	if err != nil {
		t.Fatal(err)
	}
	key, err := bridge.ParsePublicKey(pem)
	if err != nil {
		t.Fatal(err)
	}
	c, err := bridge.New(bridge.Config{URL: p.url, Key: p.key, PublicKey: key})
	if err != nil {
		t.Fatal(err)
	}
	r.read = c.ReadNotice
	if err := p.control.SetWebhookURL(t.Context(), r.URL); err != nil {
		t.Fatal(err)
	}
	return p, r
}

func (r *receiver) counts() (good, bad int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.good), len(r.bad)
}

// ids are what was told of, in the order of its arrival.
func (r *receiver) ids() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []string
	for _, n := range r.good {
		all = append(all, n.ObjectID)
	}
	return all
}

// Each is told in order with a signature that the client of the real partner
// believes, and again until it is taken.
func TestPartner_Notices(t *testing.T) {
	p, r := notified(t)
	r.refuses = 2
	var want []string
	for range 4 {
		want = append(want, text(p.customer(), "id"))
	}
	p.eventually("all are told", func() bool { good, _ := r.counts(); return good == 4 })
	for _, id := range want {
		if !slices.Contains(r.ids(), id) {
			t.Errorf("nobody told of %s", id)
		}
	}
	if n := r.good[0]; n.Category != fiat.NoticeCustomer || n.Type != "customer.created" || n.ObjectStatus != "active" || n.EventID == "" {
		t.Errorf("the notice is %+v", n)
	}
}

func (p *partner) customer() object {
	p.t.Helper()
	return p.made("/v0/customers", object{"business_legal_name": "Acme", "email": "ops@acme.test"})
}

// The ways in which notices go wrong, each for as many as was said.
func TestPartner_NoticesGoWrong(t *testing.T) {
	p, r := notified(t)
	manners := func(m control.Manners) {
		t.Helper()
		if err := p.control.SetManners(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	reach := func(what string, wantGood, wantBad int) {
		t.Helper()
		p.eventually(what, func() bool { good, bad := r.counts(); return good == wantGood && bad >= wantBad })
	}
	p.customer()
	reach("one that is well", 1, 0)
	manners(control.Manners{Twice: true, Times: 1})
	p.customer()
	reach("one twice", 3, 0)
	if r.good[1].EventID != r.good[2].EventID {
		t.Error("two events instead of one twice")
	}
	manners(control.Manners{Lost: true, Times: 1})
	lost := text(p.customer(), "id")
	p.customer()
	reach("the one after the lost one", 4, 0)
	if slices.Contains(r.ids(), lost) {
		t.Error("the lost one is told")
	}
	manners(control.Manners{Reordered: true, Times: 2})
	one, two := text(p.customer(), "id"), text(p.customer(), "id")
	reach("both in the wrong order", 6, 0)
	if ids := r.ids(); ids[4] != two || ids[5] != one {
		t.Errorf("%v is in order", ids[4:])
	}
	manners(control.Manners{LateMs: 700, Times: 1})
	began := time.Now()
	p.customer()
	reach("a late one", 7, 0)
	if time.Since(began) < 600*time.Millisecond {
		t.Error("it is not late")
	}
	manners(control.Manners{BadSignature: true, Times: 1})
	p.customer()
	reach("one of somebody else", 7, 1)
	manners(control.Manners{Stale: true, Times: 1})
	p.customer()
	p.eventually("an old one", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return slices.ContainsFunc(r.bad, func(err error) bool { return errors.Is(err, fiat.ErrStale) })
	})
	if err := p.control.NotifyUnknown(t.Context()); err != nil {
		t.Fatal(err)
	}
	reach("one of nothing", 8, 2)
	accepted, err := p.control.Replay(context.Background(), r.good[0].EventID)
	if err != nil || !accepted || r.good[8].EventID != r.good[0].EventID {
		t.Errorf("replayed: %v, %v", accepted, err)
	}
}

// A notice holds the object as GET answers it.
func TestPartner_NoticeBody(t *testing.T) {
	bodies := make(chan []byte, 10)
	web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		bodies <- body
	}))
	t.Cleanup(web.Close)
	p := start(t, sandbox.Config{DevnetURL: "http://127.0.0.1:1", WebhookURL: web.URL})
	c := p.customer()
	var n object
	if err := json.Unmarshal(<-bodies, &n); err != nil {
		t.Fatal(err)
	}
	if n["api_version"] != "v0" || n["event_object_id"] != c["id"] || text(n, "event_object", "email") != "ops@acme.test" || n["event_object_changes"] == nil {
		t.Errorf("the notice is %v", n)
	}
}
