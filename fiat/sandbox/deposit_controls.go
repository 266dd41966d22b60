package sandbox

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

// depositControls let a test make deposits, and decide what becomes of them.
func (s *Server) depositControls(mux *http.ServeMux) {
	const one = "/sandbox/deposits/{deposit}"
	mux.HandleFunc("POST /sandbox/deposits", s.controlled(s.editing(makeDeposit)))
	mux.HandleFunc("GET "+one, s.looking(func(v *view, r request) (any, error) {
		d, err := depositOf(v, r.PathValue("deposit"))
		return d.wire(), err
	}))
	mux.HandleFunc("POST "+one+"/advance", s.controlled(s.advanceDeposit))
	for name, do := range map[string]func(*deposit, *tx, request) error{
		"release": (*deposit).release, "return": (*deposit).recall, "misdirect": (*deposit).misdirect,
	} {
		mux.HandleFunc("POST "+one+"/"+name, s.controlled(s.editing(func(t *tx, r request) (any, error) {
			d, err := depositOf(&t.view, r.PathValue("deposit"))
			if err == nil {
				err = do(&d, t, r)
			}
			return d.wire(), err
		})))
	}
}

var errDepositState = refuse(http.StatusConflict, "wrong_state",
	"the deposit is not in a state in which this can happen")

// waits tells whether a deposit is not converted yet, nor on its way back.
func (d *deposit) waits() bool {
	early := []fiat.ActivityType{fiat.FundsScheduled, fiat.FundsReceived, fiat.FundsInReview}
	return !d.Converted && slices.Contains(early, d.State)
}

// release converts a deposit that is held, or that would never be sent.
func (d *deposit) release(t *tx, _ request) error {
	if !d.waits() || d.State == fiat.FundsScheduled || d.State == fiat.FundsReceived && d.Fate != stuckFate {
		return errDepositState
	}
	if d.Fate == heldFate || d.State == fiat.FundsReceived {
		d.Fate = ""
	}
	d.State, d.Reason = fiat.FundsReceived, ""
	return d.save(t, d.goesOn(t.now))
}

// recall has the sender's bank take a deposit back: at once, or where its coins are under way, once they are there.
func (d *deposit) recall(t *tx, r request) error {
	var why reason
	if len(r.body) > 0 {
		if err := r.into(&why); err != nil {
			return err
		}
	}
	if why.Reason == "" {
		why.Reason = senderRecall
	}
	switch {
	case d.State == fiat.FundsScheduled:
		d.Fate = bouncedFate // it has to arrive before it can go back
		return d.keep(t)
	case d.waits(), d.State == fiat.PaymentProcessed:
		return d.sendBack(t, why.Reason, t.now)
	case d.Converted && (d.State == fiat.FundsReceived || d.State == fiat.PaymentSubmitted):
		d.Fate = returnedFate
		return d.keep(t)
	}
	return errDepositState
}

// misdirections are what may go wrong with the coins.
var misdirections = map[string]fate{
	"address": strayFate, "amount": shortFate, "twice": doubleFate, "never": stuckFate, "hash": liarFate,
}

// misdirect chooses what goes wrong with the coins of a deposit that is not converted yet.
func (d *deposit) misdirect(t *tx, r request) error {
	var asked struct {
		How string `json:"how"`
	}
	if err := r.into(&asked); err != nil {
		return err
	}
	f, known := misdirections[asked.How]
	switch {
	case !known:
		return invalid("how", "is address, amount, twice, never or hash")
	case !d.waits():
		return errDepositState
	}
	d.Fate = f
	if d.State == fiat.FundsReceived && d.Reason == "" {
		return d.save(t, d.goesOn(t.now))
	}
	return d.keep(t)
}

// advanceDeposit makes a deposit's next step happen now.
func (s *Server) advanceDeposit(r request) (any, error) {
	id := r.PathValue("deposit")
	err := s.update(r.Context(), func(t *tx) error {
		_, err := t.exec(`UPDATE objects SET due = MIN(due, ?) WHERE kind = ? AND id = ? AND due IS NOT NULL`,
			t.now.UnixMicro(), depositKind, id)
		return err
	})
	if err == nil {
		_, err = s.MoveDue(r.Context())
	}
	if err != nil {
		return nil, err
	}
	d, err := depositOf(s.view(r.Context()), id)
	return d.wire(), err
}

// Deposit is what became of a depositor's transfer. Paid is how often coins were sent for it, Returned how often its
// money went back.
type Deposit struct {
	ID       string            `json:"id"`
	Account  string            `json:"virtualAccountId"`
	State    fiat.ActivityType `json:"state"`
	Amount   string            `json:"amount"`
	Currency money.Currency    `json:"currency"`
	Paid     int               `json:"paid"`
	Returned int               `json:"returned"`
}

// deposits counts what left for each deposit: that of an id, those of a virtual account, or "" for all.
func (v *view) deposits(of string) ([]Deposit, error) {
	rows, err := v.q.QueryContext(v.ctx,
		`SELECT o.id, COALESCE(SUM(p.kind = 'payout'), 0) - COALESCE(SUM(p.kind = 'unpaid'), 0),
		COALESCE(SUM(p.kind IN ('refund', 'recall')), 0)
		FROM objects o LEFT JOIN postings p ON p.object = o.id
		WHERE o.kind = ? AND (o.id = ? OR o.ref = ? OR ? = '') GROUP BY o.seq ORDER BY o.seq`,
		depositKind, of, of, of)
	if err != nil {
		return nil, fmt.Errorf("counting deposits: %w", err)
	}
	defer rows.Close()
	list := []Deposit{}
	for rows.Next() {
		var one Deposit
		if err := rows.Scan(&one.ID, &one.Paid, &one.Returned); err != nil {
			return nil, fmt.Errorf("counting deposits: %w", err)
		}
		list = append(list, one)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	for i := range list {
		d, err := depositOf(v, list[i].ID)
		if err != nil {
			return nil, err
		}
		list[i].Account, list[i].State = d.Account, d.State
		list[i].Amount, list[i].Currency = d.Amount.String(), d.Amount.Currency
	}
	return list, nil
}
