package wallet

import (
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/payee"
	"github.com/railkit/railkit/rest"
)

// Addresses that begin and end alike, in three families of likeness.
const (
	ana      = "0xAb50000000000000000000000000000000000001"
	likeAna  = "0xaB51111111111111111111111111111111111001"
	bank     = "0xCd50000000000000000000000000000000000002"
	likeBank = "0xCd51111111111111111111111111111111111002"
	paid     = "0xEf50000000000000000000000000000000000003"
	likePaid = "0xEf51111111111111111111111111111111111003"
	mine     = "0xBb50000000000000000000000000000000000004"
	likeMine = "0xBb51111111111111111111111111111111111004"
	till     = "0xDd50000000000000000000000000000000000005"
	likeTill = "0xDd51111111111111111111111111111111111005" // a payee's, by chance
)

func TestKnown(t *testing.T) {
	at := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	payees := []payee.Payee{
		{Payee: wire.Payee{ID: "p-1", Name: "Ana", Chain: "base", Address: ana}},
		{Payee: wire.Payee{ID: "p-2", Name: "Bank", Chain: "base", Address: bank, RemovedAt: "2026-11-01T00:00:00Z"}},
		{Payee: wire.Payee{ID: "p-3", Name: "Carlos", Chain: "base", Address: likeTill}},
	}
	k := knownFrom(payees, []Named{{Name: "Savings", Address: mine}, {Name: "Till", Address: till}}, []Paid{
		{Address: likePaid, First: at.Add(time.Hour)}, {Address: paid, First: at}, {Address: ana, First: at},
	})
	for _, c := range []struct{ chain, counterparty, payee, name, like string }{
		{"base", ana, "Ana", "", ""},
		{"polygon", ana, "", "", ""},
		{"base", likeAna, "", "Ana", ana},
		{"polygon", likeAna, "", "Ana", ana},
		{"base", bank, "", "", ""},
		{"base", likeBank, "", "Bank", bank},
		{"base", mine, "", "", ""},
		{"base", till, "", "", ""},
		{"base", likeMine, "", "Savings", mine},
		{"base", likePaid, "", "", paid},
		{"base", paid, "", "", ""}, // it was paid before its imitation
		{"base", "0x0000000000000000000000000000000000000009", "", "", ""},
	} {
		v := rest.WalletTransaction{Network: c.chain, Counterparty: c.counterparty}
		k.name(&v)
		if (v.Payee != nil) != (c.payee != "") || v.Payee != nil && v.Payee.Name != c.payee {
			t.Errorf("%s on %s is %+v", c.counterparty, c.chain, v.Payee)
		}
		if (len(v.LooksLike) == 1) != (c.like != "") || len(v.LooksLike) > 1 ||
			c.like != "" && v.LooksLike[0] != (rest.Resemblance{Name: c.name, Address: canonical(c.like)}) {
			t.Errorf("%s on %s looks like %+v", c.counterparty, c.chain, v.LooksLike)
		}
	}
}
