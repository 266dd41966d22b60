package solana

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/railkit/railkit/chain"
)

// Sponsored is a payment in a token whose fee somebody else pays: what x402 calls the scheme exact. The owner of the
// tokens signs it, hands it on, and the sponsor signs and sends it, or nobody does.
type Sponsored struct {
	Sponsor     Address // pays the fee; no instruction names it
	Source      Address // the owner who pays
	Destination Address // the owner who is paid, never his token account, which has to be there
	Mint        Address // of a token of the classic Token program
	Decimals    uint8   // of the mint; the chain refuses another number
	Amount      uint64  // in the smallest unit
	Memo        string  // tells it from a payment that is alike otherwise: the chain takes the same bytes once
	Blockhash   [32]byte
}

// What its memo may hold, and what it says of its execution.
const (
	MaxMemo        = 256 // bytes
	sponsoredUnits = 20_000
	sponsoredPrice = 1 // micro-lamports
)

// RandomMemo is a memo of 16 random bytes, for a payment whose payee wants none of his own.
func RandomMemo(random [16]byte) string { return hex.EncodeToString(random[:]) }

// Message is the one message of the payment, byte for byte that of @x402/svm 2.27.0. Keys of equal rights are in the
// order of their texts.
func (s Sponsored) Message() (Message, error) {
	if err := s.check(); err != nil {
		return Message{}, err
	}
	data := binary.LittleEndian.AppendUint64([]byte{TokenTransferChecked}, s.Amount)
	transfer := Instruction{TokenProgram, []Account{
		writes(AssociatedAddress(s.Source, s.Mint, TokenProgram)), reads(s.Mint),
		writes(AssociatedAddress(s.Destination, s.Mint, TokenProgram)), signs(s.Source),
	}, append(data, s.Decimals)}
	all := []Instruction{SetUnits(sponsoredUnits), SetPrice(sponsoredPrice), transfer, Memo(s.Memo)}
	keys := gather(s.Sponsor, all)
	slices.SortFunc(keys[1:], func(a, b Account) int { return compareTexts(a.String(), b.String()) })
	return compile(V0, s.Blockhash, Config{}, keys, all)
}

func (s Sponsored) check() error {
	named := []Address{
		s.Source, s.Mint, BudgetProgram, MemoProgram, TokenProgram,
		AssociatedAddress(s.Source, s.Mint, TokenProgram), AssociatedAddress(s.Destination, s.Mint, TokenProgram),
	}
	switch {
	case slices.Contains(named, s.Sponsor):
		return refuse("sponsor", "is the source, or another account or program of the payment")
	case nobody[s.Sponsor] != "":
		return refuse("sponsor", "%s", nobody[s.Sponsor])
	case s.Source == s.Destination:
		return refuse("destination", "is the source")
	case nobody[s.Destination] != "":
		return refuse("destination", "%s", nobody[s.Destination])
	case s.Destination == s.Mint || s.Destination == AssociatedAddress(s.Source, s.Mint, TokenProgram):
		return refuse("destination", "is the mint, or the source's own token account")
	case s.Mint == Address{}:
		return refuse("mint", "is zero")
	case s.Amount == 0:
		return refuse("amount", "0")
	case s.Memo == "" || len(s.Memo) > MaxMemo || !utf8.ValidString(s.Memo):
		return refuse("memo", "is not a text of 1 to %d bytes", MaxMemo)
	case s.Blockhash == [32]byte{}:
		return refuse("blockhash", "is zero")
	}
	return nil
}

// compareTexts is the order of a dictionary: case counts only between texts that are equal without it, where the first
// difference decides and lower case comes first. In the alphabet of base58 digits are before letters.
func compareTexts(a, b string) int {
	if order := strings.Compare(strings.ToLower(a), strings.ToLower(b)); order != 0 {
		return order
	}
	return -strings.Compare(a, b)
}

// Sponsored makes the transaction of a payment in a listed token.
func (Family) Sponsored(n chain.Network, t chain.SponsoredTransfer) (chain.Tx, error) {
	s, err := sponsoredOf(n, t)
	if err != nil {
		return chain.Tx{}, err
	}
	m, err := s.Message()
	if err != nil {
		return chain.Tx{}, err
	}
	tx, err := Unsigned(m).neutral()
	tx.To = t.To
	return tx, err
}

func sponsoredOf(n chain.Network, t chain.SponsoredTransfer) (s Sponsored, err error) {
	for _, part := range []struct {
		text string
		to   *Address
	}{{t.From, &s.Source}, {t.To, &s.Destination}, {t.Sponsor, &s.Sponsor}, {t.Token.Address, &s.Mint}} {
		if *part.to, err = ParseAddress(part.text); err != nil {
			return s, err
		}
	}
	blockhash, err := ParseAddress(t.Blockhash)
	if err != nil {
		return s, refuse("blockhash", "is not 32 bytes in base58")
	}
	if _, listed := n.TokenByAddress(t.Token.Address); !listed || t.Amount == nil || !t.Amount.IsUint64() {
		return s, errors.New("the token is not listed, or the amount has not 64 bits")
	}
	if err := CheckPayee(n, s.Destination); err != nil {
		return s, errors.New("the payee " + err.Error())
	}
	if err := CheckPayee(n, s.Sponsor); err != nil { // who cannot be paid has no key to sign with either
		return s, errors.New("the sponsor " + err.Error())
	}
	s.Amount, s.Decimals, s.Memo, s.Blockhash = t.Amount.Uint64(), uint8(t.Token.Decimals), t.Memo, blockhash
	return s, nil
}

// FeeOnly reports whether the key that pays the fee does nothing else: no instruction names it, and at most one other
// key signs. A program reaches no account that its instruction does not name, so that whatever the programs are, they
// move nothing of it. Accounts of lookup tables are not in the message, and a message that advances a nonce can be sent
// at any later time: of both nobody can say that.
func (m Message) FeeOnly() bool {
	all, err := m.Resolve()
	if err != nil || m.Header.Signers > 2 || slices.ContainsFunc(m.Instructions, m.advances) {
		return false
	}
	return !slices.ContainsFunc(all, func(i Instruction) bool {
		return slices.ContainsFunc(i.Accounts, func(a Account) bool { return a.Address == m.Keys[0] })
	})
}
