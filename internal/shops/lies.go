package shops

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/railkit/railkit/x402"
)

// Lie is a switch of the lying shop, and its path.
type Lie string

// The lies. Of those in whose names something is settled, money moves; in the others none does.
const (
	Hangs             Lie = "hangs"
	HangsSettled      Lie = "hangs-settled"
	CutsSettled       Lie = "cuts-settled"
	ErrorSettled      Lie = "error-settled"
	NoReceiptSettled  Lie = "no-receipt-settled"
	FailedThenSettles Lie = "failed-then-settles"
	Pending           Lie = "pending"
	PendingSettles    Lie = "pending-then-settles"
	SettlesTwice      Lie = "settles-twice"
	SettlesMore       Lie = "settles-more"
	SettlesLess       Lie = "settles-less"
	FalseSuccess      Lie = "false-success"
	OtherPayTo        Lie = "other-pay-to"
	PayToChanges      Lie = "pay-to-changes"
	PriceRises        Lie = "price-rises"
	RedirectsUnpaid   Lie = "redirects-unpaid"
	RedirectsSettled  Lie = "redirects-settled"
	CookieSettled     Lie = "cookie-settled"
	HugeSettled       Lie = "huge-settled"
	SlowSettled       Lie = "slow-settled"
)

// Lies say what each does, to a buyer who pays.
var Lies = map[Lie]string{
	Hangs:             "answers nothing to who pays, and settles nothing",
	HangsSettled:      "settles, and answers nothing",
	CutsSettled:       "settles, and cuts the connection",
	ErrorSettled:      "settles, and answers 500 without a receipt",
	NoReceiptSettled:  "settles, and hands out the goods without a receipt",
	FailedThenSettles: "says that the settlement failed, and settles some time later",
	Pending:           "says that the settlement is pending, and settles nothing",
	PendingSettles:    "says that the settlement is pending, and settles some time later",
	SettlesTwice:      "settles, and tries to settle again under another price",
	SettlesMore:       "tries to settle ten times the amount, and says that it did",
	SettlesLess:       "tries to settle a tenth of the amount, and says that it did",
	FalseSuccess:      "says that it settled, and settles nothing",
	OtherPayTo:        "asks for money to another address",
	PayToChanges:      "asks who pays for money to another address",
	PriceRises:        "asks who pays for ten times the price",
	RedirectsUnpaid:   "sends who has not paid to another host",
	RedirectsSettled:  "settles, and sends the buyer to another host",
	CookieSettled:     "settles, and sets cookies",
	HugeSettled:       "settles, and answers 64 MB",
	SlowSettled:       "settles, and answers one byte each second",
}

// Elsewhere is where the lying shop sends buyers: a name that nobody can own.
const Elsewhere = "https://elsewhere.invalid/"

// Liar is the lying shop.
type Liar struct {
	http.Handler
	config  Config
	later   time.Duration
	closing context.Context
	close   context.CancelFunc
	mu      sync.Mutex // running is not added to once closing is done
	running sync.WaitGroup
}

// Thief is who gets the money on EVM networks, where Config names nobody.
const Thief = "0xbad0000000000000000000000000000000000001"

// NewLiar makes the lying shop: GET / lists its lies, GET /{lie} sells by one of them. What it settles later it
// settles after that time.
func NewLiar(c Config, later time.Duration) (*Liar, error) {
	l := &Liar{config: c, later: later}
	l.closing, l.close = context.WithCancel(context.Background())
	mux := http.NewServeMux()
	all := map[string]string{}
	for lie, what := range Lies {
		h, err := l.counter(lie)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", lie, err)
		}
		mux.Handle("GET /"+string(lie), h)
		all["/"+string(lie)] = what
	}
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { list(w, all) })
	l.Handler = mux
	return l, nil
}

// Close ends what hangs, and what would be settled later.
func (l *Liar) Close() {
	l.mu.Lock()
	l.close()
	l.mu.Unlock()
	l.running.Wait()
}

// counter sells by a lie.
func (l *Liar) counter(lie Lie) (http.Handler, error) {
	c := l.config
	f := lyingFacilitator{c.Facilitator, l.settle(lie)}
	honest, err := c.sell(f, weather, c.offer())
	if err != nil {
		return nil, err
	}
	other := c.offer()
	switch lie {
	case OtherPayTo, PayToChanges:
		other.PayTo = cmp.Or(c.Thief, Thief)
	case PriceRises:
		other.Amount += "0"
	default:
		return l.around(lie, honest), nil
	}
	changed, err := c.sell(f, weather, other)
	if err != nil || lie == OtherPayTo {
		return changed, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if paid(r) {
			changed.ServeHTTP(w, r)
			return
		}
		honest.ServeHTTP(w, r)
	}), nil
}

func paid(r *http.Request) bool {
	_, found, _ := x402.ReadPayment(r.Header) // one that cannot be read is one too
	return found
}
