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

// Delta is the change that some operations together make to a guarded account's balance
// in one currency. See Balance for the fields.
type Delta struct {
	Account    Account
	Currency   money.Currency
	Posted     int64
	PendingIn  int64
	PendingOut int64
}

// Taken is by how much the change lowers the available amount.
func (d Delta) Taken() int64 { return d.PendingOut - d.Posted }

// Gains tells whether the change lowers nothing, so that it can also create the account's balance row.
func (d Delta) Gains() bool { return d.Posted >= 0 && d.PendingIn >= 0 && d.PendingOut == 0 }

// Deltas sums up the changes that operations make to guarded accounts, sorted by account
// and currency. All writers lock the balance rows in this order, so no two of them wait
// for each other's lock forever (a deadlock).
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

// add counts one entry. Pend reserves the amount, Post ends the reservation and books the
// amount, Void only ends the reservation, Record only books. For an entry of -100, Pend adds
// 100 to PendingOut; a later Post takes these 100 off again and adds -100 to Posted.
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

// Digest is a hash of the entries. The database compares it: a Post or Void must have the
// entries of its Pend.
func (o Op) Digest() string {
	lines := make([]string, len(o.Entries))
	for i, e := range o.Entries {
		lines[i] = fmt.Sprintf("%s %d %s\n", e.Account, e.Amount.Minor, e.Amount.Currency)
	}
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	return hex.EncodeToString(sum[:16])
}

// State is the state of a transaction.
type State string

// The states. Posted and Voided are final.
const (
	Pending State = "pending"
	Posted  State = "posted"
	Voided  State = "voided"
)

// State is the transaction's state after the operation.
func (o Op) State() State {
	switch o.Do {
	case Pend:
		return Pending
	case Void:
		return Voided
	}
	return Posted
}

// Settles tells whether the operation ends a pending transaction, which must exist already.
func (o Op) Settles() bool { return o.Do == Post || o.Do == Void }
