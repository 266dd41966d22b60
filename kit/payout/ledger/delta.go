package ledger

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/railkit/railkit/money"
)

// Delta is what some operations together do to a guarded account's balance in
// one currency.
type Delta struct {
	Account    Account
	Currency   money.Currency
	Posted     int64
	PendingIn  int64
	PendingOut int64
}

// Taken is how much less is available after it.
func (d Delta) Taken() int64 { return d.PendingOut - d.Posted }

// Gains tells whether it can only add, so that the account may be new.
func (d Delta) Gains() bool { return d.Posted >= 0 && d.PendingIn >= 0 && d.PendingOut == 0 }

// Deltas sums up what operations do to guarded accounts, in the order in which
// they are to be changed: the same for all, so that no two writers wait for each
// other.
func Deltas(ops []Op) ([]Delta, error) {
	byKey := map[key]Delta{}
	for _, op := range ops {
		for _, e := range op.Entries {
			if !e.Account.Guarded() {
				continue
			}
			k := key{e.Account, e.Amount.Currency}
			d := byKey[k]
			d.Account, d.Currency = e.Account, e.Amount.Currency
			if err := d.add(op.Do, e.Amount); err != nil {
				return nil, err
			}
			byKey[k] = d
		}
	}
	all := make([]Delta, 0, len(byKey))
	for _, d := range byKey {
		if d.Posted != 0 || d.PendingIn != 0 || d.PendingOut != 0 {
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b Delta) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Currency, b.Currency))
	})
	return all, nil
}

type key struct {
	account  Account
	currency money.Currency
}

// add counts one entry. What is pended is reserved, what is posted is no longer
// and booked, what is voided only no longer.
func (d *Delta) add(do Do, a money.Amount) error {
	side, size := &d.PendingIn, a
	if a.Minor < 0 {
		side, size = &d.PendingOut, a.Neg()
	}
	switch do {
	case Pend:
		return plus(side, size)
	case Void:
		return plus(side, size.Neg())
	case Post:
		if err := plus(side, size.Neg()); err != nil {
			return err
		}
	}
	return plus(&d.Posted, a)
}

func plus(to *int64, a money.Amount) error {
	sum, err := money.Of(*to, a.Currency).Add(a)
	*to = sum.Minor
	return err
}

// Digest is the same for the same entries: what is posted has to be what was
// pending.
func (o Op) Digest() string {
	lines := make([]string, len(o.Entries))
	for i, e := range o.Entries {
		lines[i] = fmt.Sprintf("%s %d %s\n", e.Account, e.Amount.Minor, e.Amount.Currency)
	}
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	return hex.EncodeToString(sum[:16])
}

// State is how far a transaction is.
type State string

// The states. What is posted or voided stays so.
const (
	Pending State = "pending"
	Posted  State = "posted"
	Voided  State = "voided"
)

// State is that of the operation's transaction after it.
func (o Op) State() State {
	switch o.Do {
	case Pend:
		return Pending
	case Void:
		return Voided
	}
	return Posted
}

// Settles tells whether the transaction was there before.
func (o Op) Settles() bool { return o.Do == Post || o.Do == Void }
