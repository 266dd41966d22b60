package sandbox

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/money"
)

// Fault is a way in which the partner fails on request.
type Fault struct {
	Kind       string `json:"kind"`
	Times      int    `json:"times,omitempty"`             // how many calls; 0: until faults are cleared
	Method     string `json:"method,omitempty"`            // "": any
	Path       string `json:"path,omitempty"`              // a part of the call's path; "": any
	Status     int    `json:"status,omitempty"`            // of unavailable; 0: 503
	RetryAfter int    `json:"retryAfterSeconds,omitempty"` // of rate_limited and unavailable
	DelayMs    int    `json:"delayMs,omitempty"`           // of slow
}

// The kinds of faults.
const (
	Unavailable      = "unavailable"       // 5xx, and nothing happens
	RateLimited      = "rate_limited"      // 429, and nothing happens
	NoRoute          = "no_route"          // 404 of something in between, and nothing happens
	Slow             = "slow"              // the body comes in two halves
	Truncated        = "truncated"         // the body ends too early
	LostAnswer       = "lost_answer"       // it happens, and the connection breaks
	UnknownState     = "unknown_state"     // a transfer is told in a state that nobody knows
	AmountMismatch   = "amount_mismatch"   // a transfer is told with another amount
	CurrencyMismatch = "currency_mismatch" // a transfer is told in another currency
	IDReused         = "id_reused"         // a new transfer is told with the id of an older one
)

var faultKinds = []string{Unavailable, RateLimited, NoRoute, Slow, Truncated, LostAnswer, UnknownState, AmountMismatch,
	CurrencyMismatch, IDReused}

// faults are those that wait for their calls. They end with the process.
type faults struct {
	mu   sync.Mutex
	list []Fault
}

func (f *faults) add(one Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, one)
}

func (f *faults) clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = nil
}

func (f *faults) all() []Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]Fault{}, f.list...)
}

// take is the fault of a call; its Kind is "" where there is none.
func (f *faults) take(r *http.Request) Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, one := range f.list {
		if one.Method != "" && one.Method != r.Method || !strings.Contains(r.URL.Path, one.Path) {
			continue
		}
		if one.Times > 0 {
			if f.list[i].Times--; f.list[i].Times == 0 {
				f.list = slices.Delete(f.list, i, i+1)
			}
		}
		return one
	}
	return Fault{}
}

// before answers a call that is not to happen.
func (f Fault) before(w http.ResponseWriter) bool {
	status, p := f.Status, refuse(0, "service_unavailable", "on request")
	switch f.Kind {
	case NoRoute:
		http.Error(w, "no route", http.StatusNotFound)
		return true
	case Unavailable:
		if status == 0 {
			status = http.StatusServiceUnavailable
		}
	case RateLimited:
		status, p = http.StatusTooManyRequests, refuse(0, "rate_limit_exceeded", "on request")
	default:
		return false
	}
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(f.RetryAfter))
	}
	write(w, status, encode(p))
	return true
}

// after answers a call that has happened.
func (f Fault) after(s *Server, w http.ResponseWriter, r *http.Request, status int, answer any) {
	body := encode(answer)
	switch f.Kind {
	case LostAnswer:
		panic(http.ErrAbortHandler) // the server's own way to break a connection
	case Truncated:
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set(control.Header, control.Name)
		w.WriteHeader(status)
		_, _ = w.Write(body[:len(body)/2]) // the caller is to be confused
		return
	case Slow:
		f.halves(w, r, status, body)
		return
	case UnknownState, AmountMismatch, CurrencyMismatch, IDReused:
		body = f.twist(s.view(r.Context()), body)
	}
	write(w, status, body)
}

func (f Fault) halves(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Header().Set(control.Header, control.Name)
	w.WriteHeader(status)
	_, _ = w.Write(body[:len(body)/2]) // the caller may have gone
	_ = http.NewResponseController(w).Flush()
	select {
	case <-r.Context().Done():
	case <-time.After(time.Duration(f.DelayMs) * time.Millisecond):
	}
	_, _ = w.Write(body[len(body)/2:])
}

// twist makes a transfer's answer wrong.
func (f Fault) twist(v *view, body []byte) []byte {
	var w transfer
	if json.Unmarshal(body, &w) != nil || w.Receipt.Final == "" {
		return body
	}
	switch f.Kind {
	case UnknownState:
		w.State = "levitating"
	case AmountMismatch:
		w.Receipt.Final = "1" + w.Receipt.Final
		if w.Destination.Amount != "" {
			w.Destination.Amount = w.Receipt.Final
		}
	case CurrencyMismatch:
		w.Destination.Currency = "usd"
		if w.Receipt.Rate == "1" {
			w.Destination.Currency = "eur"
		}
	case IDReused:
		var older payment
		if found, err := find(v, &older, "kind = ? AND id <> ?", transferKind, w.ID); found && err == nil {
			w.ID = older.ID
		}
	}
	return encode(w)
}

// fate is what becomes of a payment because of its amount or its receiver's name.
type fate string

const (
	failedFate   fate = "failed"   // the rail refuses it
	returnedFate fate = "returned" // it arrives and comes back
	heldFate     fate = "held"     // it waits in review
	delayedFate  fate = "delayed"  // it takes a minute longer
)

// The fates of deposits, besides heldFate, delayedFate and returnedFate: the sender's bank takes it back when its
// coins are gone.
const (
	bouncedFate fate = "bounced" // the sender's bank takes it back before it is converted
	strayFate   fate = "stray"   // the coins go to another address
	shortFate   fate = "short"   // a tenth less is sent than is told
	doubleFate  fate = "double"  // the coins are sent twice, and told once
	stuckFate   fate = "stuck"   // they are never sent
	liarFate    fate = "liar"    // the events tell another hash
)

var depositCents = map[int64]fate{
	1: bouncedFate, 2: returnedFate, 3: heldFate, 4: delayedFate, 5: strayFate, 6: shortFate, 7: doubleFate,
	8: stuckFate, 9: liarFate,
}

// depositWords are looked for in the sender's name.
var depositWords = map[string]fate{
	"Bounced": bouncedFate, "Recalled": returnedFate, "Held": heldFate, "Late": delayedFate, "Stray": strayFate,
	"Short": shortFate, "Twice": doubleFate, "Never": stuckFate, "WrongHash": liarFate,
}

// depositFate looks at the sender's name, and then at the cents.
func depositFate(a money.Amount, sender string) fate {
	for _, word := range strings.Fields(sender) {
		if f, magic := depositWords[word]; magic {
			return f
		}
	}
	return depositCents[a.Minor%100]
}

var magicCents = map[int64]fate{1: failedFate, 2: returnedFate, 3: heldFate, 4: delayedFate}

// fateOf looks at the cents of a gross amount; what has parts of cents is not magic.
func fateOf(gross money.Amount) fate {
	cent := int64(1)
	for range gross.Currency.Places() - 2 {
		cent *= 10
	}
	if gross.Minor%cent != 0 {
		return ""
	}
	return magicCents[gross.Minor/cent%100]
}

// hasWord looks for a word of its own in the owner's name.
func (a account) hasWord(word string) bool { return slices.Contains(strings.Fields(a.OwnerName), word) }

func (a account) fate() fate {
	switch {
	case a.hasWord("AsyncFailed"):
		return failedFate
	case a.hasWord("Returned"):
		return returnedFate
	}
	return ""
}
