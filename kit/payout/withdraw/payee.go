package withdraw

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/rest"
)

// NewPayee is a withdrawal address as a payee to be: a name for the address, and the bank account behind it.
type NewPayee struct {
	Name, Chain, Address string
	BankAccount          rest.PayeeBankAccount
}

// Payees are the signer's books of payees: the names that passkeys bound to addresses. Each wallet's owners have one.
type Payees interface {
	// Find finds the payee with an address in the book of a wallet's owners; id is "" if there is none. It asks the
	// database, not the signer.
	Find(ctx context.Context, workspaceID, walletID, chain, address string) (id, name string, err error)
	// Prepare gives what a passkey of the wallet's owners has to stamp, so that the book has the payee. What the signer
	// refuses is a fault.
	Prepare(ctx context.Context, workspaceID, walletID string, p NewPayee) (rest.PreparedActivity, error)
}

const (
	// signerTime is how long the signer has to prepare a payee. With the partner's time before it, it is less than
	// provision.Lease: no other request takes the address over meanwhile.
	signerTime = 3 * time.Second
	mostName   = 100 // bytes of a name in a book
	mostDigits = 4
)

// payeeFor is the address as a payee of the owners of the wallet that the request names. It is called with no
// transaction open. No failure of it keeps the caller from the address: the answer then says why there is no payee.
func (s *Service) payeeFor(
	ctx context.Context, a Address, to account.Payee, in rest.WithdrawAddressRequest,
) *rest.WithdrawPayee {
	if s.c.Payees == nil || in.WalletID == "" || a.Address == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, signerTime)
	defer cancel()
	known, err := s.inBook(ctx, a, in.WalletID)
	if err != nil || known != nil {
		return s.orUnavailable(ctx, known, a, err)
	}
	p := NewPayee{Name: strings.TrimSpace(in.PayeeName), Chain: a.Chain, Address: a.Address, BankAccount: bankOf(to)}
	if p.Name == "" {
		p.Name = s.nameOf(a, p.BankAccount)
	}
	prepared, err := s.c.Payees.Prepare(ctx, a.WorkspaceID, in.WalletID, p)
	return s.orUnavailable(ctx, &rest.WithdrawPayee{Status: "prepared", Name: p.Name, Prepared: &prepared}, a, err)
}

// inBook is the payee that the book of a wallet's owners has for the address, nil if it has none.
func (s *Service) inBook(ctx context.Context, a Address, walletID string) (*rest.WithdrawPayee, error) {
	if s.c.Payees == nil || walletID == "" || a.Address == "" {
		return nil, nil
	}
	id, name, err := s.c.Payees.Find(ctx, a.WorkspaceID, walletID, a.Chain, a.Address)
	if err != nil || id == "" {
		return nil, err
	}
	return &rest.WithdrawPayee{Status: "in_book", ID: id, Name: name}, nil
}

// noAnswer is the reason that a caller is given where the signer or the database failed. The log has the cause.
const noAnswer = "The signer does not answer at the moment: make the same call again"

// orUnavailable is the payee, or why there is none.
func (s *Service) orUnavailable(ctx context.Context, p *rest.WithdrawPayee, a Address, err error) *rest.WithdrawPayee {
	if err == nil {
		return p
	}
	if f, told := fault.As(err); told && !errors.Is(err, fault.ErrUnavailable) {
		return &rest.WithdrawPayee{Status: "unavailable", Code: f.Code, Reason: f.Message}
	}
	s.c.Log.WarnContext(ctx, "no payee was prepared", "workspace", a.WorkspaceID, "withdrawAddress", a.ID, "error", err)
	return &rest.WithdrawPayee{Status: "unavailable", Code: fault.ErrUnavailable.Code, Reason: noAnswer}
}

// bankOf is the bank account in the words of a book of payees. Of a bank without a name it has rail and country.
func bankOf(to account.Payee) rest.PayeeBankAccount {
	bank := strings.TrimSpace(to.Account.BankName)
	if bank == "" {
		bank = strings.ToUpper(strings.ReplaceAll(string(to.Account.Rail), "_", " ")) + " bank"
		if to.Account.Country != "" {
			bank += " (" + to.Account.Country + ")"
		}
	}
	owner := cmp.Or(strings.TrimSpace(to.Account.Shown.LegalName), strings.TrimSpace(to.Recipient.Name))
	return rest.PayeeBankAccount{
		Owner:    cut(owner, mostName),
		Bank:     cut(bank, mostName),
		LastFour: visibleEnd(to.Account.Shown.LastFour),
		Currency: to.Account.Currency.Upper(),
	}
}

// visibleEnd is what a book of payees takes of the end of an account number. Only an e-mail address, as a Pix key, can
// have other characters.
func visibleEnd(number string) string {
	end := strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return -1
		}
		return r
	}, number)
	return end[max(0, len(end)-mostDigits):]
}

// nameOf is the name of a payee for which the request has none: "María García, BBVA 6789 MXN (USDC on Base Sepolia)".
// The addresses of one bank account have different ones. If it is too long, the names of owner and bank are cut.
func (s *Service) nameOf(a Address, b rest.PayeeBankAccount) string {
	network, ok := chain.BySlug(s.c.Pairs.Environment, a.Chain)
	if !ok {
		network.Name = a.Chain
	}
	end := fmt.Sprintf(" %s %s (%s on %s)", b.LastFour, b.Currency, a.Currency.Upper(), network.Name)
	left := mostName - len(end) - len(", ")
	bank := cut(b.Bank, max(left-len(b.Owner), left/2))
	return cut(b.Owner, left-len(bank)) + ", " + bank + end
}

// cut is the text, or its beginning and a mark of three bytes that there is more, in at most so many bytes. No
// character is cut in two.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const more = "…"
	end := most - len(more)
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.TrimSpace(text[:end]) + more
}
