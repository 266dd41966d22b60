// Package payee is a sub-organization's book of payees: which name its owners bound to which address, on which network.
// The book is pure; package decide says who may change it, and the journal keeps it.
//
// No two payees of a book have names that can be confused with one another, and an address has one name on each
// network. Payees that were removed are remembered: their names and addresses still warn.
package payee

import (
	"slices"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/text"
)

// Bounds of a book. Of removed payees the oldest is forgotten first. An address is warned of as like mostAlike others:
// a signing has over a hundred addresses, and an owner could fill the book with addresses that are like all of them.
const (
	Most        = 500
	mostRemoved = 500
	mostAlike   = 5
)

// Entry is a payee with the instant at which it was added, by the enclave's clock in milliseconds.
type Entry struct {
	wire.Payee
	AddedMs int64    `json:"addedMs"`
	keys    []string // of its name: see text.SkeletonKeys
}

// Book is the payees of one sub-organization.
type Book struct {
	active  []Entry // oldest first
	removed []Entry // removed longest ago first
}

// NewBook is a book with these payees, as Active and Removed gave them.
func NewBook(active, removed []Entry) *Book {
	b := &Book{active: []Entry{}, removed: []Entry{}}
	for _, e := range removed {
		e.keys = text.SkeletonKeys(e.Name)
		b.removed = append(b.removed, e)
	}
	for _, e := range active {
		b.Add(e)
	}
	return b
}

// Active gives the payees, oldest first.
func (b *Book) Active() []Entry { return b.active }

// Removed gives the removed payees that the book remembers.
func (b *Book) Removed() []Entry { return b.removed }

// List gives the payees as statements name them, oldest first.
func (b *Book) List() []wire.Payee {
	all := make([]wire.Payee, 0, len(b.active))
	for _, e := range b.active {
		all = append(all, e.Payee)
	}
	return all
}

// Add adds a payee that neither Confused nor Find know of.
func (b *Book) Add(e Entry) {
	e.keys = text.SkeletonKeys(e.Name)
	b.active = append(b.active, e)
}

// Remove takes a payee out of the book and remembers it as removed at a time.
func (b *Book) Remove(id, removedAt string) {
	i := slices.IndexFunc(b.active, func(e Entry) bool { return e.ID == id })
	if i < 0 {
		return
	}
	gone := b.active[i]
	gone.RemovedAt = removedAt
	b.active = slices.Delete(b.active, i, i+1)
	b.removed = append(b.removed, gone)
	if len(b.removed) > mostRemoved {
		b.removed = slices.Delete(b.removed, 0, 1)
	}
}

// Get finds a payee by its id.
func (b *Book) Get(id string) (Entry, bool) {
	return b.first(func(e Entry) bool { return e.ID == id })
}

// Find finds the payee of an address on a network.
func (b *Book) Find(slug, address string) (Entry, bool) {
	return b.first(func(e Entry) bool { return e.Chain == slug && e.Address == address })
}

// Confused finds the payee for whose name another name can be mistaken.
func (b *Book) Confused(name string) (Entry, bool) {
	keys := text.SkeletonKeys(name)
	return b.first(func(e Entry) bool { return e.isCalled(keys) })
}

// first finds the oldest payee of which something holds.
func (b *Book) first(holds func(Entry) bool) (Entry, bool) {
	i := slices.IndexFunc(b.active, holds)
	if i < 0 {
		return Entry{}, false
	}
	return b.active[i], true
}

// isCalled reports whether the payee's name can be mistaken for the one with these keys.
func (e Entry) isCalled(keys []string) bool {
	return slices.ContainsFunc(e.keys, func(key string) bool { return slices.Contains(keys, key) })
}

// Before finds the payee that was removed last of those for whose name this one can be mistaken and that had another
// address. Its owners may take the new address for the old one's.
func (b *Book) Before(p wire.Payee) (Entry, bool) {
	keys := text.SkeletonKeys(p.Name)
	for _, e := range slices.Backward(b.removed) {
		if (e.Chain != p.Chain || e.Address != p.Address) && e.isCalled(keys) {
			return e, true
		}
	}
	return Entry{}, false
}

// Counterparty is what the book says of an address. The owners' own addresses, with the names of their wallets, are
// imitated as payees' are. An address that its owners know themselves looks like nobody else's.
func (b *Book) Counterparty(slug, address string, own []wire.Resemblance) wire.Counterparty {
	c := wire.Counterparty{Address: address}
	if i := slices.IndexFunc(own, func(w wire.Resemblance) bool { return w.Address == address }); i >= 0 {
		c.OwnWallet = own[i].Name
	}
	if e, ok := b.Find(slug, address); ok {
		c.Payee = &e.Payee
		return c
	}
	for _, e := range b.active {
		if e.Address == address {
			c.Elsewhere = append(c.Elsewhere, e.Payee)
		}
	}
	for _, e := range b.removed {
		if e.Address == address && e.Chain == slug {
			c.Was = &e.Payee
		}
	}
	if c.OwnWallet == "" {
		c.LooksLike = b.Resembling(address, own)
	}
	return c
}

// Resembling lists the first few own wallets, payees and removed payees for whose addresses this one can be mistaken.
func (b *Book) Resembling(address string, own []wire.Resemblance) (all []wire.Resemblance) {
	add := func(r wire.Resemblance) {
		if len(all) < mostAlike && chain.Alike(r.Address, address) && !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	for _, w := range own {
		add(w)
	}
	for _, list := range [][]Entry{b.active, b.removed} {
		for i := range list {
			add(wire.Resemblance{Name: list[i].Name, Address: list[i].Address})
		}
	}
	return all
}
