package sandbox

import (
	"errors"
	"fmt"

	"github.com/railkit/railkit/money"
)

// The partner's accounts. A positive balance is what the partner owes, or what it
// has paid out; chain and bank accounts go below zero by what lies there.
func walletAccount(id string) string    { return "wallet:" + id }
func transitAccount(id string) string   { return "transit:" + id } // taken from a wallet, and not yet paid
func chainAccount(slug string) string   { return "chain:" + slug }
func bankAccount(rail string) string    { return "bank:" + rail }
func unclaimedAccount(id string) string { return "unclaimed:" + id }

// receivableAccount goes below zero by what a customer owes: a sender's bank took money back whose coins were sent.
func receivableAccount(customer string) string { return "receivable:" + customer }

const (
	feeAccount = "fees:developer"
	fxAccount  = "fx"

	// below zero by what was sent that nobody was owed, above it by what somebody still is
	mistakesAccount = "mistakes"
)

// line is one side of a posting.
type line struct {
	account string
	amount  money.Amount
}

// move takes an amount from one account and gives it to another.
func move(from, to string, a money.Amount) []line { return []line{{from, a.Neg()}, {to, a}} }

var errUnbalanced = errors.New("a posting does not sum to zero")

// post writes a posting once: a second one of the same ref is an error.
func (t *tx) post(kind, ref, object string, lines ...line) error {
	sums := map[money.Currency]int64{}
	for _, l := range lines {
		sums[l.amount.Currency] += l.amount.Minor
	}
	for _, sum := range sums {
		if sum != 0 {
			return errUnbalanced
		}
	}
	var id int64
	err := t.w.QueryRowContext(t.ctx, `INSERT INTO postings (ref, kind, object, at) VALUES (?, ?, ?, ?) RETURNING id`,
		ref, kind, object, t.now.UnixMicro()).Scan(&id)
	if err != nil {
		return fmt.Errorf("posting %s: %w", kind, err)
	}
	for _, l := range lines {
		if l.amount.IsZero() {
			continue
		}
		if _, err := t.exec(`INSERT INTO entries (posting, account, currency, minor) VALUES (?, ?, ?, ?)`,
			id, l.account, l.amount.Currency, l.amount.Minor); err != nil {
			return err
		}
	}
	return nil
}

// balance sums an account.
func balance(v *view, account string, c money.Currency) (money.Amount, error) {
	var minor int64
	err := v.q.QueryRowContext(
		v.ctx, `SELECT COALESCE(SUM(minor), 0) FROM entries WHERE account = ? AND currency = ?`, account, c,
	).Scan(&minor)
	if err != nil {
		return money.Amount{}, fmt.Errorf("summing an account: %w", err)
	}
	return money.Of(minor, c), nil
}
