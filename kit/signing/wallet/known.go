package wallet

import (
	"context"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/kit/signing/payee"
	"github.com/railkit/railkit/rest"
)

// How much a page of a history reads to find addresses that look alike: the newest own addresses, and whom the newest
// transactions paid. Package payee bounds how many payees it gives.
const (
	mostOwn    = 500
	newestSent = 500
)

// Named is an address of an own wallet.
type Named struct{ Name, Address string }

// Paid is an address that a wallet paid.
type Paid struct {
	Address string
	First   time.Time // of the payments that were read
}

// known is what a wallet knows of addresses: who is in the book of its sub-organization, and which addresses somebody
// may imitate. Who poisons addresses pays from one that begins and ends like an address that the wallet pays, and waits
// for somebody to copy the wrong line of the history.
type known struct {
	book  payee.Book
	named []Named // payees, also removed ones, and own addresses
	paid  []Paid
	own   map[string]bool      // by lookup
	first map[string]time.Time // of paid, by lookup
}

// known reads what the rows tell. It decides nothing: previews have the enclave's own names and warnings.
func (s *Service) known(ctx context.Context, w Wallet) (known, error) {
	payees, err := s.c.Payees.Ever(ctx, w.WorkspaceID, w.SubOrganizationID)
	if err != nil {
		return known{}, err
	}
	own, err := s.c.Store.OwnAddresses(ctx, w.WorkspaceID, w.SubOrganizationID, mostOwn)
	if err != nil {
		return known{}, err
	}
	paid, err := s.c.Store.PaidAddresses(ctx, w.WorkspaceID, w.ID, newestSent)
	return knownFrom(payees, own, paid), err
}

func knownFrom(payees []payee.Payee, own []Named, paid []Paid) known {
	k := known{
		book: payee.BookOf(payees), named: own, paid: paid, own: map[string]bool{}, first: map[string]time.Time{},
	}
	for _, a := range own {
		k.own[families.Lookup(a.Address)] = true
	}
	for _, p := range payees {
		k.named = append(k.named, Named{Name: p.Name, Address: p.Address})
	}
	for _, p := range paid {
		k.first[families.Lookup(p.Address)] = p.First
	}
	return k
}

// name says who the counterparty of a line is or, where nobody knows, whom it looks like.
func (k known) name(v *rest.WalletTransaction) {
	if p, ok := k.book.Find(v.Network, v.Counterparty); ok {
		v.Payee = &rest.NamedPayee{ID: p.ID, Name: p.Name}
		return
	}
	if !k.own[families.Lookup(v.Counterparty)] {
		v.LooksLike = k.alike(v.Counterparty)
	}
}

// alike are the addresses that one can be mistaken for, each once. Of two alike that the wallet has paid, the one that
// it paid later is the imitation.
func (k known) alike(address string) (all []rest.Resemblance) {
	seen := map[string]bool{}
	add := func(name, other string) {
		if at := families.Lookup(other); !seen[at] && chain.Alike(address, other) {
			seen[at] = true
			all = append(all, rest.Resemblance{Name: name, Address: canonical(other)})
		}
	}
	for _, n := range k.named {
		add(n.Name, n.Address)
	}
	first, wasPaid := k.first[families.Lookup(address)]
	for _, p := range k.paid {
		if !wasPaid || p.First.Before(first) {
			add("", p.Address)
		}
	}
	return all
}
