package payee_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/railkit/railkit/enclave/payee"
	"github.com/railkit/railkit/enclave/wire"
)

func entry(id, name, chain, address string) payee.Entry {
	return payee.Entry{
		Payee: wire.Payee{ID: id, Name: name, Chain: chain, Address: address, Kind: wire.WalletPayee}, AddedMs: 1000,
	}
}

// A book says the same as a list that is searched from end to end, also once it is saved and read again.
func TestBookIsAList(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		book, list := payee.NewBook(nil, nil), map[string]payee.Entry{}
		for i := range rapid.IntRange(1, 30).Draw(rt, "steps") {
			names := []string{"Ann", "ANN", "Lee", "1ee", "Cid", "С\u0456d", "A-nn", "Lee."}
			name := rapid.SampledFrom(names).Draw(rt, "name")
			e := entry(fmt.Sprint(i), name, rapid.SampledFrom([]string{"base", "polygon"}).Draw(rt, "chain"),
				rapid.SampledFrom([]string{"0xaaa1", "0xaaa2", "0xbbb1"}).Draw(rt, "address"))
			if rapid.IntRange(0, 2).Draw(rt, "remove") == 0 && len(list) > 0 {
				gone := book.List()[0]
				book.Remove(gone.ID, "today")
				delete(list, gone.ID)
			}
			_, confused := book.Confused(e.Name)
			_, taken := book.Find(e.Chain, e.Address)
			if want := sameName(list, e.Name); confused != want {
				rt.Fatalf("%s confused with one of %v: %t", e.Name, list, confused)
			}
			if want := samePlace(list, e); taken != want {
				rt.Fatalf("%s on %s is one of %v: %t", e.Address, e.Chain, list, taken)
			}
			if !confused && !taken {
				book.Add(e)
				list[e.ID] = e
			}
		}
		if len(book.Active()) != len(list) {
			rt.Fatalf("%d payees, want %d", len(book.Active()), len(list))
		}
		if again := payee.NewBook(book.Active(), book.Removed()); !reflect.DeepEqual(again, book) {
			rt.Fatalf("read again it is another book: %+v, was %+v", again, book)
		}
	})
}

func sameName(list map[string]payee.Entry, name string) bool {
	plain := func(s string) string {
		return strings.NewReplacer("1", "l", "с", "c", "\u0456", "i", "-", "", ".", "").Replace(strings.ToLower(s))
	}
	for _, e := range list {
		if plain(e.Name) == plain(name) {
			return true
		}
	}
	return false
}

func samePlace(list map[string]payee.Entry, p payee.Entry) bool {
	for _, e := range list {
		if e.Chain == p.Chain && e.Address == p.Address {
			return true
		}
	}
	return false
}

func TestCounterparty(t *testing.T) {
	const known, alike = "0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B", "0xAb58000000000000000000000000000000aEc9b0"
	own := []wire.Resemblance{{Name: "Main", Address: "0x1230000000000000000000000000000000000321"}}
	book := payee.NewBook([]payee.Entry{entry("1", "Ann", "base", known)}, nil)
	book.Add(entry("2", "Ben", "polygon", alike))
	book.Remove("2", "today")
	for name, c := range map[string]struct {
		chain, address string
		want           string
	}{
		"in the book":           {"base", known, "payee Ann"},
		"on another network":    {"polygon", known, "elsewhere Ann"},
		"removed":               {"polygon", alike, "was Ben"},
		"removed, elsewhere":    {"base", alike, ""},
		"like a payee's":        {"base", "0xAb5f111111111111111111111111111111111c9b", "like Ann"},
		"like a removed one's":  {"base", "0xAB5f1111111111111111111111111111111119b0", "like Ben"},
		"an own one":            {"base", own[0].Address, "own Main"},
		"like an own one":       {"base", "0x1231111111111111111111111111111111111321", "like Main"},
		"unlike all of them":    {"base", "0x0000000000000000000000000000000000000001", ""},
		"alike at one end only": {"base", "0xAb58111111111111111111111111111111111111", ""},
	} {
		if got := summary(book.Counterparty(c.chain, c.address, own)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func summary(c wire.Counterparty) string {
	var all []string
	if c.Payee != nil {
		all = append(all, "payee "+c.Payee.Name)
	}
	if c.OwnWallet != "" {
		all = append(all, "own "+c.OwnWallet)
	}
	for _, p := range c.Elsewhere {
		all = append(all, "elsewhere "+p.Name)
	}
	if c.Was != nil {
		all = append(all, "was "+c.Was.Name)
	}
	for _, r := range c.LooksLike {
		all = append(all, "like "+r.Name)
	}
	return strings.Join(all, ", ")
}

// The oldest of too many removed payees is forgotten, and no other.
func TestRemovedPayeesAreBounded(t *testing.T) {
	book := payee.NewBook(nil, nil)
	for i := range 501 {
		name := fmt.Sprintf("payee %s", strings.Repeat("a", i+1))
		book.Add(entry(fmt.Sprint(i), name, "base", fmt.Sprintf("0x%040d", i)))
		book.Remove(fmt.Sprint(i), "today")
	}
	forgotten := func(id string) bool {
		return !slices.ContainsFunc(book.Removed(), func(e payee.Entry) bool { return e.ID == id })
	}
	if len(book.Removed()) != 500 || !forgotten("0") || forgotten("1") {
		t.Errorf("%d are remembered, the oldest among them: %t", len(book.Removed()), !forgotten("0"))
	}
}

// A journal may have two payees whose names only a later program takes for each other.
func TestNamesThatOnlyLaterLookAlike(t *testing.T) {
	book := payee.NewBook([]payee.Entry{
		entry("1", "Ann", "base", "0xaaa1"), entry("2", "ANN", "base", "0xaaa2"),
	}, nil)
	book.Remove("2", "today")
	if other, ok := book.Confused("ann"); !ok || other.ID != "1" {
		t.Errorf("confused with %+v, %t", other, ok)
	}
	if again := payee.NewBook(book.Active(), book.Removed()); !reflect.DeepEqual(again, book) {
		t.Errorf("read again it is another book: %+v, was %+v", again, book)
	}
}

// A book full of addresses that are all alike makes no preview long.
func TestResemblingIsBounded(t *testing.T) {
	book := payee.NewBook(nil, nil)
	for i := range 20 {
		book.Add(entry(fmt.Sprint(i), fmt.Sprint("payee ", i), "base", fmt.Sprintf("0xabc%034ddef", i)))
	}
	own := []wire.Resemblance{{Name: "Savings", Address: fmt.Sprintf("0xabc%034ddef", 20)}}
	like := book.Counterparty("base", fmt.Sprintf("0xabc%034ddef", 21), own).LooksLike
	if len(like) != 5 || like[0] != own[0] || like[1].Name != "payee 0" {
		t.Errorf("looks like %+v", like)
	}
}

func BenchmarkCounterpartyInAFullBook(b *testing.B) {
	book := payee.NewBook(nil, nil)
	for i := range payee.Most {
		book.Add(entry(fmt.Sprint(i), fmt.Sprintf("payee %d", i), "base", fmt.Sprintf("0x%040d", i)))
	}
	for b.Loop() {
		book.Counterparty("base", "0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B", nil)
	}
}
