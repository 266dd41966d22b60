package sandbox

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

// controls are calls that no real partner has. They have a key of their own.
func (s *Server) controls(mux *http.ServeMux) {
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		write(w, http.StatusOK, encode(map[string]bool{"ok": true}))
	})
	mux.HandleFunc("POST /sandbox/advance", s.controlled(s.advance))
	mux.HandleFunc("GET /sandbox/ledger", s.looking(ledger))
	mux.HandleFunc("POST /sandbox/external_accounts/{account}", s.controlled(s.editing(decideAccount)))
	for name, do := range map[string]writes{
		"fail": failTransfer, "return": returnTransfer, "delay": delayTransfer, "review": reviewTransfer,
		"clear": clearTransfer,
	} {
		mux.HandleFunc("POST /sandbox/transfers/{transfer}/"+name, s.controlled(s.editing(do)))
	}
	s.depositControls(mux)
	mux.HandleFunc("GET /sandbox/fx", s.looking(func(v *view, _ request) (any, error) { return deskOf(v) }))
	mux.HandleFunc("PUT /sandbox/fx", s.controlled(s.editing(setDesk)))
	mux.HandleFunc("GET /sandbox/webhooks", s.looking(func(v *view, _ request) (any, error) {
		var how manners
		err := setting(v, "manners", &how)
		return how, err
	}))
	mux.HandleFunc("PUT /sandbox/webhooks", s.controlled(s.editing(setManners)))
	mux.HandleFunc("PUT /sandbox/webhooks/url", s.controlled(s.editing(setURL)))
	mux.HandleFunc("POST /sandbox/webhooks/replay", s.controlled(s.replay))
	mux.HandleFunc("POST /sandbox/webhooks/unknown", s.controlled(s.editing(unknownNotice)))
	mux.HandleFunc("GET /sandbox/faults", s.controlled(func(request) (any, error) { return s.faults.all(), nil }))
	mux.HandleFunc("POST /sandbox/faults", s.controlled(s.addFault))
	mux.HandleFunc("DELETE /sandbox/faults",
		s.controlled(func(request) (any, error) { s.faults.clear(); return s.faults.all(), nil }))
}

func (s *Server) controlled(do func(request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !same(r.Header.Get("Api-Key"), s.control) {
			s.answer(w, 0, nil, errNoKey)
			return
		}
		q, err := readRequest(r)
		var answer any
		if err == nil {
			answer, err = do(q)
		}
		s.answer(w, http.StatusOK, answer, err)
	}
}

func (s *Server) looking(do reads) http.HandlerFunc {
	return s.controlled(func(r request) (any, error) { return do(s.view(r.Context()), r) })
}

func (s *Server) editing(do writes) func(request) (any, error) {
	return func(r request) (answer any, err error) {
		err = s.update(r.Context(), func(t *tx) error {
			answer, err = do(t, r)
			return err
		})
		return answer, err
	}
}

// seconds is a body that says how long.
type seconds struct {
	Seconds int64 `json:"seconds"`
}

const mostSeconds = 400 * 24 * 3600

func (r request) seconds() (time.Duration, error) {
	var asked seconds
	if err := r.into(&asked); err != nil {
		return 0, err
	}
	if asked.Seconds < 0 || asked.Seconds > mostSeconds {
		return 0, invalid("seconds", "is 0 to 400 days")
	}
	return time.Duration(asked.Seconds) * time.Second, nil
}

// advance lets time pass: all that is to happen happens so much sooner, and all
// that became due has happened when it answers.
func (s *Server) advance(r request) (any, error) {
	d, err := r.seconds()
	if err != nil {
		return nil, err
	}
	err = s.update(r.Context(), func(t *tx) error {
		for _, q := range []string{
			`UPDATE objects SET due = due - ? WHERE due IS NOT NULL`,
			`UPDATE events SET due = due - ? WHERE due IS NOT NULL`, `UPDATE keys SET at = at - ?`,
		} {
			if _, err := t.exec(q, d.Microseconds()); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		_, err = s.MoveDue(r.Context())
	}
	return seconds{int64(d / time.Second)}, err
}

var errState = refuse(http.StatusConflict, "wrong_state", "the transfer is not in a state in which this can happen")

// reason is a body that may name a rail's code.
type reason struct {
	Code   string `json:"code"`
	Reason string `json:"reason"`
}

func (p *payment) reason(r request) (reason, error) {
	var asked reason
	if len(r.body) > 0 {
		if err := r.into(&asked); err != nil {
			return asked, err
		}
	}
	rail := rails[p.Rail]
	if asked.Code == "" {
		asked.Code = rail.closed
	}
	if asked.Reason == "" {
		asked.Reason = rail.codes[asked.Code]
	}
	if asked.Code == "" || asked.Reason == "" {
		return asked, invalid("code", "is not one of the rail's")
	}
	return asked, nil
}

// bankPayment is the transfer of the path, which goes to a bank and is in one of
// the states.
func (t *tx) bankPayment(r request, states ...fiat.TransferState) (payment, error) {
	p, err := paymentOf(&t.view, r.PathValue("transfer"))
	if err == nil && (p.Rail == "" || !slices.Contains(states, p.State)) {
		err = errState
	}
	return p, err
}

func failTransfer(t *tx, r request) (any, error) {
	p, err := t.bankPayment(r, fiat.TransferInReview, fiat.TransferFunded, fiat.TransferSubmitted)
	if err != nil {
		return nil, err
	}
	why, err := p.reason(r)
	if err == nil {
		err = t.undeliverable(&p, why.Code, why.Reason, t.now)
	}
	return p.wire(), err
}

// returnTransfer returns a payment that has arrived, or lets it come back once it has.
func returnTransfer(t *tx, r request) (any, error) {
	p, err := t.bankPayment(r, fiat.TransferFunded, fiat.TransferSubmitted, fiat.TransferProcessed)
	if err != nil {
		return nil, err
	}
	why, err := p.reason(r)
	switch {
	case err != nil:
	case p.State == fiat.TransferProcessed:
		err = t.giveBack(&p, why.Code, why.Reason, t.now)
	default:
		p.Fate, p.FateCode, p.Reason = returnedFate, why.Code, why.Reason
		_, err = t.exec(`UPDATE objects SET doc = ? WHERE id = ?`, string(encode(p)), p.ID)
	}
	return p.wire(), err
}

func delayTransfer(t *tx, r request) (any, error) {
	p, err := t.bankPayment(r, fiat.TransferFunded, fiat.TransferSubmitted)
	if err != nil {
		return nil, err
	}
	d, err := r.seconds()
	if err == nil {
		_, err = t.exec(`UPDATE objects SET due = due + ? WHERE id = ?`, d.Microseconds(), p.ID)
	}
	return p.wire(), err
}

func reviewTransfer(t *tx, r request) (any, error) {
	p, err := t.bankPayment(r, fiat.TransferFunded)
	if err != nil {
		return nil, err
	}
	p.State = fiat.TransferInReview
	err = t.savePayment(&p, t.now.Add(reviewTime), transitioned)
	return p.wire(), err
}

func clearTransfer(t *tx, r request) (any, error) {
	p, err := t.bankPayment(r, fiat.TransferInReview)
	if err == nil {
		err = t.clear(&p, t.now)
	}
	return p.wire(), err
}

// decideAccount ends a registration at once.
func decideAccount(t *tx, r request) (any, error) {
	var asked struct {
		Status string `json:"status"`
		Reason string `json:"reason"`
	}
	if err := r.into(&asked); err != nil {
		return nil, err
	}
	var a account
	found, err := find(&t.view, &a, "kind = ? AND id = ?", accountKind, r.PathValue("account"))
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, errNotFound
	case asked.Status != active && asked.Status != rejected:
		return nil, invalid("status", "is active or rejected")
	}
	a.setStatus(asked.Status)
	a.Rejection = nil
	if asked.Status == rejected {
		a.Rejection = &asked.Reason
	}
	err = t.saveAccount(&a, time.Time{}, transitioned)
	return a, err
}

// setDesk changes what is named of the desk.
func setDesk(t *tx, r request) (any, error) {
	d, err := deskOf(&t.view)
	if err != nil {
		return nil, err
	}
	if err := r.into(&d); err != nil {
		return nil, err
	}
	for from := range d.PerUSD {
		if _, err := d.rate(from, "usd", t.now); err != nil {
			return nil, invalid("perUsd", "has a currency or a rate that is none")
		}
	}
	for _, bps := range d.Spread {
		if bps < 0 || bps > 1000 {
			return nil, invalid("basisPoints", "is 0 to 1000")
		}
	}
	return d, t.set("desk", d)
}

func setManners(t *tx, r request) (any, error) {
	var how manners
	if err := r.into(&how); err != nil {
		return nil, err
	}
	if how.LateMs < 0 || how.LateMs > mostSeconds*1000 || how.Times < 0 {
		return nil, invalid("lateMs", "is not negative, nor is times")
	}
	return how, t.set("manners", how)
}

// setURL says where notices go.
func setURL(t *tx, r request) (any, error) {
	var asked struct {
		URL string `json:"url"`
	}
	if err := r.into(&asked); err != nil {
		return nil, err
	}
	u, err := url.Parse(asked.URL)
	if asked.URL != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		return nil, invalid("url", "is an http or https URL")
	}
	return asked, t.set("webhook", asked.URL)
}

// unknownNotice tells of a transfer that nobody made.
func unknownNotice(t *tx, _ request) (any, error) {
	p := payment{
		ID:        uuid.NewString(),
		Customer:  uuid.NewString(),
		State:     fiat.TransferProcessed,
		CreatedAt: t.stamp(),
		UpdatedAt: t.stamp(),
	}
	w := p.wire()
	return w, t.emit("transfer", transitioned, w.ID, string(w.State), w)
}

// replay sends a notice once more that was sent before, its old signature too.
func (s *Server) replay(r request) (any, error) {
	var asked struct {
		ID string `json:"eventId"`
	}
	if len(r.body) > 0 {
		if err := r.into(&asked); err != nil {
			return nil, err
		}
	}
	var id, body, signature string
	err := s.db.Reader.QueryRowContext(r.Context(),
		`SELECT id, body, signature FROM events WHERE signature <> '' AND (id = ? OR ? = '')
		ORDER BY seq DESC LIMIT 1`, asked.ID, asked.ID).Scan(&id, &body, &signature)
	if err != nil {
		return nil, errNotFound
	}
	where, err := s.webhookURL(r.Context())
	if err != nil || where == "" {
		return nil, errors.Join(err, errNotFound)
	}
	return map[string]any{"eventId": id, "accepted": send(r.Context(), where, signature, body)}, nil
}

func (s *Server) addFault(r request) (any, error) {
	var f Fault
	if err := r.into(&f); err != nil {
		return nil, err
	}
	if !slices.Contains(faultKinds, f.Kind) {
		return nil, invalid("kind", fmt.Sprint("is one of ", faultKinds))
	}
	if f.Times < 0 || f.DelayMs < 0 || f.DelayMs > 600_000 || f.RetryAfter < 0 || f.Status != 0 && f.Status/100 != 5 {
		return nil, invalid("kind", "has numbers that make no sense")
	}
	s.faults.add(f)
	return f, nil
}

// Trial is what the partner's ledger says.
type Trial struct {
	Balanced bool      `json:"balanced"` // each currency sums to zero, and no wallet and no transit is below it
	Accounts []Account `json:"accounts"`
	Payouts  []Payout  `json:"payouts"`
	Deposits []Deposit `json:"deposits"`
}

// Account is an account's balance.
type Account struct {
	Account  string         `json:"account"`
	Currency money.Currency `json:"currency"`
	Balance  string         `json:"balance"`
}

// Payout is what became of the transfers of one reference. Paid is how often money
// left the partner for it, Returned how often it came back, and Due how many of the transfers have a next step at a
// time of its own, such as the return of one that was paid.
type Payout struct {
	Reference string   `json:"reference"`
	Transfers []string `json:"transfers"`
	Paid      int      `json:"paid"`
	Returned  int      `json:"returned"`
	Due       int      `json:"due"`
}

func ledger(v *view, r request) (any, error) {
	accounts, balanced, err := v.balances()
	if err != nil {
		return nil, err
	}
	reference := r.URL.Query().Get("reference")
	payouts, err := v.payouts(reference)
	if err != nil {
		return nil, err
	}
	deposits, err := v.deposits(reference)
	return Trial{balanced, accounts, payouts, deposits}, err
}

func (v *view) balances() ([]Account, bool, error) {
	rows, err := v.q.QueryContext(v.ctx,
		`SELECT account, currency, SUM(minor) FROM entries GROUP BY account, currency ORDER BY account, currency`)
	if err != nil {
		return nil, false, fmt.Errorf("summing the ledger: %w", err)
	}
	defer rows.Close()
	list, sums, balanced := []Account{}, map[money.Currency]int64{}, true
	for rows.Next() {
		var a Account
		var minor int64
		if err := rows.Scan(&a.Account, &a.Currency, &minor); err != nil {
			return nil, false, fmt.Errorf("summing the ledger: %w", err)
		}
		a.Balance = money.Of(minor, a.Currency).String()
		list = append(list, a)
		sums[a.Currency] += minor
		guarded := strings.HasPrefix(a.Account, "wallet:") || strings.HasPrefix(a.Account, "transit:")
		balanced = balanced && (minor >= 0 || !guarded)
	}
	for _, sum := range sums {
		balanced = balanced && sum == 0
	}
	return list, balanced, rows.Err()
}

func (v *view) payouts(reference string) ([]Payout, error) {
	rows, err := v.q.QueryContext(v.ctx,
		`SELECT o.ref, o.id, o.due IS NOT NULL,
			COALESCE(SUM(p.kind = 'payout'), 0), COALESCE(SUM(p.kind IN ('return', 'unpaid')), 0)
		FROM objects o LEFT JOIN postings p ON p.object = o.id WHERE o.kind = ? AND (o.ref = ? OR ? = '') GROUP BY o.seq ORDER BY o.ref, o.seq`,
		transferKind, reference, reference)
	if err != nil {
		return nil, fmt.Errorf("counting payouts: %w", err)
	}
	defer rows.Close()
	list := []Payout{}
	for rows.Next() {
		var ref, id string
		var due, paid, back int
		if err := rows.Scan(&ref, &id, &due, &paid, &back); err != nil {
			return nil, fmt.Errorf("counting payouts: %w", err)
		}
		if len(list) == 0 || list[len(list)-1].Reference != ref {
			list = append(list, Payout{Reference: ref})
		}
		last := &list[len(list)-1]
		last.Transfers = append(last.Transfers, id)
		last.Due, last.Paid, last.Returned = last.Due+due, last.Paid+paid, last.Returned+back
	}
	return list, rows.Err()
}
