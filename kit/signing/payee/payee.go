package payee

import (
	"time"

	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

// Payee is the server's copy of a payee in the enclave's book. A removed one stays as a row.
type Payee struct {
	WorkspaceID, SubOrganizationID string
	wire.Payee
	Proof     string // JSON of wire.Proof; "" where the row was restored from the enclave's book
	Seq       int64  // of the entry of the enclave's journal that it rests on
	CreatedAt time.Time
	// Replaces is the seq of a row that is overwritten although it names a later entry than this one; 0: of none.
	// Nobody but an editor of the database can have written such a row.
	Replaces int64
}

// Removed reports whether the payee is no longer in the book.
func (p Payee) Removed() bool { return p.RemovedAt != "" }

// same reports whether two rows say the same about a payee. The proofs may differ.
func (p Payee) same(q Payee) bool {
	bank := p.BankAccount == q.BankAccount ||
		p.BankAccount != nil && q.BankAccount != nil && *p.BankAccount == *q.BankAccount
	p.BankAccount, p.Proof, p.Seq = q.BankAccount, q.Proof, q.Seq
	return bank && p == q
}

// Filter selects payees that are in a book, newest first. Zero fields do not filter.
type Filter struct {
	WorkspaceID       string
	SubOrganizationID string
	Chain             string
	Address           string // as the network writes it
	Search            string // part of the name
	Page              page.Page
}

// PayeeView is a payee as the API shows it.
type PayeeView struct {
	ID                string                 `json:"id"`
	Name              string                 `json:"name"`
	Network           string                 `json:"network"`
	Address           string                 `json:"address"`
	Kind              wire.PayeeKind         `json:"kind" enum:"wallet,bank_account,contract"`
	BankAccount       *rest.PayeeBankAccount `json:"bankAccount,omitempty" doc:"Of kind bank_account: what arrives at the address is paid out to it"`
	Status            string                 `json:"status" enum:"active,removed"`
	SubOrganizationID string                 `json:"subOrganizationId"`
	CreatedAt         string                 `json:"createdAt" format:"date-time" doc:"By the enclave's clock; payeeCoolingHours count from here"`
	RemovedAt         string                 `json:"removedAt,omitempty" format:"date-time"`
	Proof             *wire.Proof            `json:"proof,omitempty" doc:"Of the enclave, when it added or removed the payee; with proof=fresh its statement of the whole book. None where the server has the payee from such a statement"`
}

func (p Payee) view() PayeeView {
	v := PayeeView{
		ID: p.ID, Name: p.Name, Network: p.Chain, Address: p.Address, Kind: p.Kind,
		BankAccount: (*rest.PayeeBankAccount)(p.BankAccount), Status: "active",
		SubOrganizationID: p.SubOrganizationID, CreatedAt: p.AddedAt, RemovedAt: p.RemovedAt,
	}
	if p.Removed() {
		v.Status = "removed"
	}
	if p.Proof != "" {
		proof := signer.Proof(p.Proof)
		v.Proof = &proof
	}
	return v
}

func (p Payee) cursor() page.Cursor { return page.Cursor{CreatedAt: p.CreatedAt, ID: p.ID} }

// Book finds a sub-organization's payees by their addresses.
type Book map[place]Payee

type place struct{ chain, address string }

func placeOf(chain, address string) place { return place{chain, families.Lookup(address)} }

// BookOf is the book with those of the payees that were not removed.
func BookOf(rows []Payee) Book {
	book := Book{}
	for _, p := range rows {
		if !p.Removed() {
			book[placeOf(p.Chain, p.Address)] = p
		}
	}
	return book
}

// Find finds the payee with an address on a network. Letters of the address may be in either case where the network
// does not tell them apart.
func (b Book) Find(chain, address string) (Payee, bool) {
	p, ok := b[placeOf(chain, address)]
	return p, ok
}
