package fiattest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/money"
)

// receiver takes notices and judges them as the server does.
type receiver struct {
	*httptest.Server
	mu      sync.Mutex
	good    []fiat.Notice
	bad     []error
	refuses int // so many are answered with 500
}

func newReceiver(c *customer, header string) *receiver {
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
		n, err := c.ReadNotice(req.Header.Get(header), body, time.Now())
		if err != nil {
			r.bad = append(r.bad, err)
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		r.good = append(r.good, n)
	}))
	c.t.Cleanup(r.Close)
	if err := c.Control.SetWebhookURL(c.t.Context(), r.URL); err != nil {
		c.t.Fatal(err)
	}
	return r
}

// got are those that were believed, in the order of their arrival, and what the
// others failed with.
func (r *receiver) got() ([]fiat.Notice, []error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.good), slices.Clone(r.bad)
}

// Notices holds a partner to what is relied on of what it says unasked: little.
// Header is that of the signature.
func Notices(t *testing.T, open Open, header string) {
	for name, test := range map[string]func(*customer, *receiver){
		"UntilTaken": untilTaken, "GoWrong": goWrong, "OfEachKind": ofEachKind,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &customer{Bench: open(t), t: t} // nothing has happened yet
			test(c, newReceiver(c, header))
		})
	}
}

// happens makes something happen that a notice is sent of, and says whose it is.
func (c *customer) happens() string {
	c.t.Helper()
	made, err := c.CreateCustomer(c.t.Context(), uuid.NewString(), fiat.CustomerRequest{
		Name: "Acme", Email: "ops@acme.test",
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return made.ID
}

// Each is told with a signature that is believed, and again until it is taken.
func untilTaken(c *customer, r *receiver) {
	r.mu.Lock()
	r.refuses = 2
	r.mu.Unlock()
	var want []string
	for range 4 {
		want = append(want, c.happens())
	}
	c.eventually("all are told", func() bool { good, _ := r.got(); return len(good) == 4 })
	good, _ := r.got()
	for _, id := range want {
		if !slices.ContainsFunc(good, func(n fiat.Notice) bool { return n.ObjectID == id }) {
			c.t.Errorf("nobody told of %s", id)
		}
	}
	if n := good[0]; n.Category != fiat.NoticeCustomer || n.EventID == "" || n.ObjectStatus != "active" {
		c.t.Errorf("the notice is %+v", n)
	}
}

// Notices come twice, not at all, in the wrong order, late, from somebody else, old
// and about nothing; what is believed is the partner's own and fresh.
func goWrong(c *customer, r *receiver) {
	manners := func(m control.Manners) {
		c.t.Helper()
		if err := c.Control.SetManners(c.t.Context(), m); err != nil {
			c.t.Fatal(err)
		}
	}
	reach := func(what string, wantGood, wantBad int) []fiat.Notice {
		c.t.Helper()
		c.eventually(what, func() bool { good, bad := r.got(); return len(good) == wantGood && len(bad) >= wantBad })
		good, _ := r.got()
		return good
	}
	c.happens()
	reach("one that is well", 1, 0)
	manners(control.Manners{Twice: true, Times: 1})
	c.happens()
	if good := reach("one twice", 3, 0); good[1].EventID != good[2].EventID {
		c.t.Error("two events instead of one twice")
	}
	manners(control.Manners{Lost: true, Times: 1})
	lost := c.happens()
	c.happens()
	if good := reach("the one after the lost one", 4, 0); good[3].ObjectID == lost {
		c.t.Error("the lost one is told")
	}
	manners(control.Manners{Reordered: true, Times: 2})
	one, two := c.happens(), c.happens()
	if good := reach("both in the wrong order", 6, 0); good[4].ObjectID != two || good[5].ObjectID != one {
		c.t.Errorf("%v is in order", good[4:])
	}
	manners(control.Manners{LateMs: 700, Times: 1})
	began := time.Now()
	c.happens()
	if reach("a late one", 7, 0); time.Since(began) < 600*time.Millisecond {
		c.t.Error("it is not late")
	}
	manners(control.Manners{BadSignature: true, Times: 1})
	c.happens()
	reach("one of somebody else", 7, 1)
	_, bad := r.got()
	c.fails("one of somebody else", bad[0], fiat.ErrSignature)
	manners(control.Manners{Stale: true, Times: 1})
	c.happens()
	c.eventually("an old one", func() bool {
		_, bad := r.got()
		return slices.Contains(bad, fiat.ErrStale)
	})
	if err := c.Control.NotifyUnknown(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
	good := reach("one of nothing", 8, 2)
	accepted, err := c.Control.Replay(c.t.Context(), good[0].EventID)
	if again := reach("one again", 9, 2); err != nil || !accepted || again[8].EventID != good[0].EventID {
		c.t.Errorf("replayed: %v, %v", accepted, err)
	}
}

// A payout, deposits of both kinds and an account say whose they are.
func ofEachKind(c *customer, r *receiver) {
	c.setUp()
	c.credit(50_000_000)
	made := c.pays(c.payout())
	c.reaches(made.ID, fiat.TransferProcessed)
	a, err := c.CreateAccount(c.t.Context(), uuid.NewString(), c.id, mexican("Eva Pérez"))
	if err != nil {
		c.t.Fatal(err)
	}
	v := c.virtual(money.MXN)
	all := c.told(v.ID, c.Receive(v, money.Of(500_000, money.MXN), false), fiat.PaymentProcessed)
	for category, is := range map[string]func(fiat.Notice) bool{
		fiat.NoticeTransfer: func(n fiat.Notice) bool {
			return n.ObjectID == made.ID && n.ObjectStatus == "payment_processed"
		},
		fiat.NoticeDrain: func(n fiat.Notice) bool {
			return n.AddressID == c.address.ID && n.ObjectStatus == "payment_processed"
		},
		fiat.NoticeVirtual: func(n fiat.Notice) bool {
			return n.VirtualAccountID == v.ID && n.CustomerID == c.id && n.ObjectID == all[len(all)-1].ID
		},
		fiat.NoticeAccount: func(n fiat.Notice) bool { return n.ObjectID == a.ID && n.CustomerID == c.id },
	} {
		c.eventually("a notice of a "+category, func() bool {
			good, _ := r.got()
			return slices.ContainsFunc(good, func(n fiat.Notice) bool { return n.Category == category && is(n) })
		})
	}
}
