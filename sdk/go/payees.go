package railkit

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/rest"
)

// PayeesService changes and reads books of payees: whose passkey bound which name to which address. The enclave has the
// books, and rules with PayeesOnly let a wallet pay only who is in one.
type PayeesService struct{ c *Client }

const payeesPath = "/v1/signing/payees"

// PayeeKind is what an address stands for.
type PayeeKind = wire.PayeeKind

// The kinds.
const (
	WalletPayee      = wire.WalletPayee      // a person's or a firm's
	BankAccountPayee = wire.BankAccountPayee // a withdrawal address: what arrives is paid out to the bank account
	ContractPayee    = wire.ContractPayee
)

// PayeeBankAccount is the bank account behind a withdrawal address: see package rest for the fields.
type PayeeBankAccount = rest.PayeeBankAccount

// NamedPayee is whom an address beside it belongs to, by a book of payees.
type NamedPayee = rest.NamedPayee

// Resemblance is an address that another one begins and ends like.
type Resemblance = rest.Resemblance

// PayeeRequest adds a payee.
type PayeeRequest struct {
	SubOrganizationID string            `json:"subOrganizationId,omitempty"` // needed where the workspace has several
	Name              string            `json:"name"`
	Network           string            `json:"network"` // slug
	Address           string            `json:"address"`
	Kind              PayeeKind         `json:"kind"`
	BankAccount       *PayeeBankAccount `json:"bankAccount,omitempty"` // of kind bank_account, and only there
	SignedActivity    *SignedActivity   `json:"signedActivity,omitempty"`
	ReturnTo
}

// Payee is a name that is bound to an address on a network.
type Payee struct {
	ID                string            `json:"id"`
	Name              string            `json:"name"`
	Network           string            `json:"network"`
	Address           string            `json:"address"`
	Kind              PayeeKind         `json:"kind"`
	BankAccount       *PayeeBankAccount `json:"bankAccount,omitempty"`
	Status            string            `json:"status"` // active | removed
	SubOrganizationID string            `json:"subOrganizationId"`
	CreatedAt         string            `json:"createdAt"` // PayeeCoolingHours count from here
	RemovedAt         string            `json:"removedAt,omitempty"`
	// Of its addition or removal. Nil where the server had lost the payee, and has it from the enclave's book.
	Proof *Proof `json:"proof,omitempty"`
}

func (p *Payee) proof() *Proof { return p.Proof }

func (p *Payee) removed() bool { return p.Status != "active" }

func addingPayee(req PayeeRequest) change {
	return change{method: http.MethodPost, path: payeesPath, kind: wire.AddPayee, sub: req.SubOrganizationID}
}

// Prepare gives what to stamp for a new payee.
func (s *PayeesService) Prepare(ctx context.Context, req PayeeRequest) (*Prepared, error) {
	return addingPayee(req).prepare(ctx, s.c, req, func(body *wire.Body, shown *Preview) error {
		var p wire.AddPayeeParams
		if err := readParams(body, &p); err != nil {
			return err
		}
		stated := wire.Payee{Name: p.Name, Chain: p.Chain, Address: p.Address, Kind: p.Kind, BankAccount: p.BankAccount}
		if !req.is(stated) {
			return tampered(ReasonBody, "the body adds another payee than was asked for")
		}
		if shown.Payee == nil || !req.is(*shown.Payee) {
			return tampered(ReasonPreview, "the enclave shows another payee than was asked for")
		}
		return nil
	})
}

// Add binds a name to an address. Without a stamp it waits for votes.
func (s *PayeesService) Add(ctx context.Context, req PayeeRequest) (*Payee, error) {
	return makeChange(ctx, s.c, addingPayee(req), req, req.SignedActivity, (*Payee).proof,
		func(p *Payee, st *opened) error {
			if err := matchPayee(p, st); err != nil {
				return err
			}
			if !req.is(*st.Result.Payee) || p.removed() || !isAsked(p.SubOrganizationID, req.SubOrganizationID) {
				return tampered(ReasonResult, "the answer is another payee than was asked for")
			}
			return nil
		})
}

// AddPrepared has a passkey stamp what Prepare or WithdrawAddressesService.Create prepared, and adds the payee. The
// owner has to see p.Shown.Payee before: it says for which name, address and bank account the stamp is.
func (s *PayeesService) AddPrepared(ctx context.Context, pk Passkey, p Prepared) (*Payee, error) {
	if s.c.verify != nil && p.Shown == nil {
		return nil, errors.New("railkit: what was prepared has not been checked by Prepare or Create")
	}
	body, err := readBody(p.UnsignedActivity.Body)
	if err != nil {
		return nil, err
	}
	req, err := payeeAsked(body)
	if err != nil {
		return nil, err
	}
	signed, err := p.Stamp(pk)
	if err != nil {
		return nil, err
	}
	req.SignedActivity = &signed
	return s.Add(withoutKey(ctx), req)
}

// payeeAsked is the request of the payee that a body adds.
func payeeAsked(body *wire.Body) (PayeeRequest, error) {
	var p wire.AddPayeeParams
	err := readParams(body, &p)
	return PayeeRequest{
		SubOrganizationID: body.OrganizationID, Name: p.Name, Network: p.Chain, Address: p.Address, Kind: p.Kind,
		BankAccount: (*PayeeBankAccount)(p.BankAccount),
	}, err
}

func isAsked(is, asked string) bool { return asked == "" || is == asked }

// is reports whether the enclave speaks of the payee that the request asks for.
func (req PayeeRequest) is(w wire.Payee) bool {
	return w.Name == strings.TrimSpace(req.Name) && w.Chain == req.Network && sameAddress(w.Address, req.Address) &&
		w.Kind == req.Kind && sameBank(w.BankAccount, req.BankAccount)
}

// sameBank compares bank accounts; the enclave writes the currency in capitals.
func sameBank(w *wire.PayeeBankAccount, b *PayeeBankAccount) bool {
	if w == nil || b == nil {
		return w == nil && b == nil
	}
	return w.Owner == strings.TrimSpace(b.Owner) && w.Bank == strings.TrimSpace(b.Bank) && w.LastFour == b.LastFour &&
		w.Currency == strings.ToUpper(b.Currency)
}

// PrepareRemoval gives what to stamp for the removal of a payee.
func (s *PayeesService) PrepareRemoval(ctx context.Context, id string, back ...ReturnTo) (*Prepared, error) {
	return deleting(payeesPath, id, wire.RemovePayee).prepare(ctx, s.c, bodyOf(back),
		func(body *wire.Body, shown *Preview) error {
			var params wire.RemovePayeeParams
			if err := readParams(body, &params); err != nil {
				return err
			}
			if params.PayeeID != id {
				return tampered(ReasonBody, "the body removes another payee than was asked for")
			}
			if shown.Payee == nil || shown.Payee.ID != id {
				return tampered(ReasonPreview, "the enclave shows another payee than was asked for")
			}
			return nil
		})
}

// Remove takes a payee out of its book: by a stamp, or by votes. What waits for votes to pay it is void then.
func (s *PayeesService) Remove(ctx context.Context, id string, signed *SignedActivity) (*Payee, error) {
	ch := deleting(payeesPath, id, wire.RemovePayee)
	return makeChange(ctx, s.c, ch, signedBody(signed), signed, (*Payee).proof, func(p *Payee, st *opened) error {
		if p.ID != id || !p.removed() {
			return tampered(ReasonResult, "the answer is another payee than was asked for, or has it still")
		}
		return matchPayee(p, st)
	})
}

// PayeeListOptions select payees. Zero fields do not filter.
type PayeeListOptions struct {
	ListOptions
	SubOrganizationID string
	Network           string
	Address           string
	Search            string // part of the name
}

func (o PayeeListOptions) query() url.Values {
	return filtered(o.ListOptions.query(), map[string]string{
		"subOrganizationId": o.SubOrganizationID, "network": o.Network, "address": o.Address, "search": o.Search,
	})
}

// List reads one page of payees, newest first. The enclave's proofs say that each was added as it stands here. A server
// can leave payees out, and show one that was removed since: Book can neither.
func (s *PayeesService) List(ctx context.Context, o PayeeListOptions) (*Page[Payee], error) {
	books := map[string][]wire.Payee{}
	return list(ctx, s.c, payeesPath, o.query(), func(p *Payee) error {
		if s.c.verify != nil && !o.selects(p) {
			return tampered(ReasonResult, "the list has a payee that was not asked for")
		}
		return s.check(ctx, p, books)
	})
}

func (o PayeeListOptions) selects(p *Payee) bool {
	return !p.removed() && isAsked(p.SubOrganizationID, o.SubOrganizationID) && isAsked(p.Network, o.Network) &&
		(o.Address == "" || sameAddress(p.Address, o.Address))
}

// All walks the payees of all pages.
func (s *PayeesService) All(ctx context.Context, o PayeeListOptions) iter.Seq2[Payee, error] {
	return each(o.ListOptions, func(at ListOptions) (*Page[Payee], error) {
		o.ListOptions = at
		return s.List(ctx, o)
	})
}

// Get reads a payee, also a removed one, with the proof of its addition or removal. Of a removed one without proof the
// enclave says only that its book has none of this id; what it was is the server's word.
func (s *PayeesService) Get(ctx context.Context, id string) (*Payee, error) {
	p, err := data[Payee](ctx, s.c, http.MethodGet, payeesPath+"/"+url.PathEscape(id), nil)
	if err != nil {
		return nil, err
	}
	if s.c.verify != nil && p.ID != id {
		return nil, tampered(ReasonResult, "the answer is another payee than was asked for")
	}
	return checked(p, s.check(ctx, p, map[string][]wire.Payee{}))
}

// Book has the enclave say now who is in the book of a sub-organization, oldest first: the server can neither hide nor
// invent a payee. It can answer with an older statement, but with none that is older than what this client's Memory has
// seen of the enclave.
func (s *PayeesService) Book(ctx context.Context, subOrganizationID string) ([]wire.Payee, error) {
	st, err := stated[Payee](ctx, s.c, payeesPath, subOrganizationID)
	if err != nil {
		return nil, err
	}
	if st.State.Payees == nil {
		return nil, errOtherStatement()
	}
	return slices.DeleteFunc(st.State.Payees, func(w wire.Payee) bool { return w.RemovedAt != "" }), nil
}

// ErrNoPayee says that a book of payees does not have a name on a network.
var ErrNoPayee = errors.New("railkit: the book of payees has no such payee")

// Find asks the enclave now who has a name in the book of a sub-organization, on a network. The server can neither hide
// the payee nor put another address in its place. The error is ErrNoPayee where the book has no such name there.
func (s *PayeesService) Find(ctx context.Context, subOrganizationID, name, network string) (*wire.Payee, error) {
	book, err := s.Book(ctx, subOrganizationID)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(book, func(p wire.Payee) bool { return p.Name == name && p.Chain == network })
	if at < 0 {
		return nil, fmt.Errorf("%w: %s on %s", ErrNoPayee, name, network)
	}
	return &book[at], nil
}

// check holds a payee against its proof or, where it has none, against the enclave's book, which it asks for once.
func (s *PayeesService) check(ctx context.Context, p *Payee, books map[string][]wire.Payee) error {
	if s.c.verify == nil {
		return nil
	}
	if p.Proof != nil {
		st, err := s.c.verify.open(p.Proof, wire.KindResult)
		if err != nil {
			return err
		}
		return matchPayee(p, st)
	}
	book, known := books[p.SubOrganizationID]
	if !known {
		var err error
		if book, err = s.Book(ctx, p.SubOrganizationID); err != nil {
			return err
		}
		books[p.SubOrganizationID] = book
	}
	at := slices.IndexFunc(book, func(w wire.Payee) bool { return w.ID == p.ID })
	if at < 0 && p.removed() || at >= 0 && p.is(book[at]) {
		return nil
	}
	return tampered(ReasonResult, "the payee is not in the enclave's book")
}

// matchPayee holds an answer against the enclave's own words.
func matchPayee(p *Payee, st *opened) error {
	if st.Result == nil || st.Result.Payee == nil || st.OrganizationID != p.SubOrganizationID ||
		!p.is(*st.Result.Payee) {
		return tampered(ReasonResult, "the answer names another payee than the enclave's")
	}
	return nil
}

// is reports whether the enclave says the same of the payee.
func (p *Payee) is(w wire.Payee) bool {
	return w.ID == p.ID && w.Name == p.Name && w.Chain == p.Network && w.Address == p.Address && w.Kind == p.Kind &&
		sameBank(w.BankAccount, p.BankAccount) && w.AddedAt == p.CreatedAt && w.RemovedAt == p.RemovedAt &&
		p.removed() == (w.RemovedAt != "")
}

// payeeAt is the payee with an address, as a preview names it; nil where it names none on the preview's network.
func payeeAt(shown *Preview, address string) *wire.Payee {
	for _, c := range shown.Counterparties {
		p := c.Payee
		if p != nil && p.Chain == shown.Chain && sameAddress(c.Address, address) && sameAddress(p.Address, address) {
			return p
		}
	}
	return nil
}

// errNoBook refuses a request with ExpectPayee where no enclave's preview can say whom the transaction pays.
var errNoBook = errors.New("railkit: ExpectPayee needs the enclave's preview: Config.EnclaveKey, and a wallet's address")

// matchExpectedPayee wants the one who gets something to have the expected name, in the enclave's words. He may get the
// rent for his account beside a token; whatever is shown goes to him.
func (e *expectation) matchExpectedPayee(shown *Preview) error {
	if e.ExpectPayee == "" {
		return nil
	}
	if len(shown.Effects) == 0 || slices.ContainsFunc(shown.Effects, func(f chain.Effect) bool {
		return f.Kind != chain.Transfer || !sameAddress(f.To, shown.Effects[0].To)
	}) {
		return tampered(ReasonPreview, "the enclave does not show that all goes to one receiver, as a payee gets it")
	}
	p := payeeAt(shown, shown.Effects[0].To)
	if p == nil || p.Name != e.ExpectPayee {
		return tampered(ReasonPreview, "the enclave does not name the receiver %s", e.ExpectPayee)
	}
	return nil
}

// Counterparties says in words whom a signing pays, allows to take something, or calls, one line for each address. A
// program that shows previews in its own windows shows these lines.
//
//	Ana Ruiz: 0x3C44… on base
//	0x7099…: not in the book of payees
func Counterparties(shown *Preview) (lines []string) {
	for _, c := range shown.Counterparties {
		lines = append(lines, inWords(c, shown.Chain))
	}
	return lines
}

func inWords(c wire.Counterparty, network string) string {
	var words strings.Builder
	switch {
	case c.Payee != nil:
		fmt.Fprintf(&words, "%s: %s on %s", c.Payee.Name, c.Address, network)
		if b := c.Payee.BankAccount; b != nil {
			fmt.Fprintf(&words, ", bank account %s of %s at %s", b.LastFour, b.Owner, b.Bank)
		}
	case c.OwnWallet != "":
		fmt.Fprintf(&words, "own wallet %s: %s", c.OwnWallet, c.Address)
	default:
		fmt.Fprintf(&words, "%s: not in the book of payees", c.Address)
	}
	if c.Known != nil {
		fmt.Fprintf(&words, "; WARNING: %s", c.Known.Said("it"))
	}
	for _, other := range c.LooksLike {
		fmt.Fprintf(&words, "; looks like %s, %s, and is another address", other.Name, other.Address)
	}
	for _, p := range c.Elsewhere {
		fmt.Fprintf(&words, "; is the payee %s on %s, and none on %s", p.Name, p.Chain, network)
	}
	if c.Was != nil {
		fmt.Fprintf(&words, "; was the payee %s until %s", c.Was.Name, c.Was.RemovedAt)
	}
	return words.String()
}
