package sandbox

import (
	"fmt"
	"strings"

	"github.com/railkit/railkit/money"
)

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
