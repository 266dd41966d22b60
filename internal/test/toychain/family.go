// Package toychain is a family of networks for tests, and a chain of it in memory. It differs from EVM wherever
// chain.Family allows it: ed25519 keys that sign whole messages, addresses in base58 whose case counts, networks that
// are named by a cluster, numbers without a block, and an encoding of its own.
//
// Begin with family.go and tx.go for the family, then chain.go for the chain and node.go for what its node answers.
package toychain

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"math/big"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/railkit/railkit/chain"
)

// Kind is the family's.
const Kind chain.Kind = "toy"

// Family is chain.Family of toy networks.
type Family struct{}

// Network is a network of the family, with a coin and a token.
func Network() chain.Network {
	return chain.Network{
		Slug: "toy", Name: "Toynet", Kind: Kind, Cluster: "toynet", Confirmations: 3,
		Native: chain.Token{Symbol: "TOY", Decimals: 9},
		Tokens: []chain.Token{{Symbol: "TUSD", Address: AddressOf("TUSD"), Decimals: 6}},
	}
}

// AddressOf is an address that has no key: one of a name.
func AddressOf(name string) string {
	sum := sha256.Sum256([]byte(name))
	return spell(sum)
}

// spell writes an address: a letter stands before the key, so that it is none of Solana.
func spell(key [32]byte) string { return chain.Base58(append([]byte{addressTag}, key[:]...)) }

// Nobody is the address of 32 zeros.
func Nobody() string { return spell([32]byte{}) }

// OtherCase is another address that differs from one in the case of a single letter.
func OtherCase(text string) string {
	for i, c := range text {
		other := text[:i] + strings.ToUpper(string(c)) + text[i+1:]
		if _, err := address(other); err == nil && other != text {
			return other
		}
	}
	return ""
}

// Kind is toychain.Kind.
func (Family) Kind() chain.Kind { return Kind }

// Form has each step of the path hardened, as ed25519 knows no other.
func (Family) Form() chain.AccountForm {
	return chain.AccountForm{
		Curve: "CURVE_ED25519", PathFormat: "PATH_FORMAT_BIP32", AddressFormat: "ADDRESS_FORMAT_TOY",
		Path: "m/44'/9999'/%d'/0'", Typed: "base58 of 33 bytes", Canonical: "base58",
		CoinDecimals: 9, HighFee: "100000000", Nonces: true,
	}
}

var errAddress = errors.New("not an address of 33 bytes in base58")

// ParseAddress takes one spelling.
func (Family) ParseAddress(text string) (string, error) {
	_, err := address(text)
	if err != nil {
		return "", err
	}
	return text, nil
}

// address reads the public key that an address is.
func address(text string) (key [32]byte, err error) {
	raw, err := chain.ParseBase58(text, 1+len(key))
	if err != nil || raw[0] != addressTag {
		return key, errAddress
	}
	return [32]byte(raw[1:]), nil
}

// PublicKey is the key that an address is.
func PublicKey(text string) (ed25519.PublicKey, error) {
	key, err := address(text)
	return key[:], err
}

// ReadSignature reads what EncodeSignature writes.
func ReadSignature(text string) ([]byte, error) {
	return chain.ParseBase58(text, ed25519.SignatureSize)
}

// Lookup changes nothing: case counts.
func (Family) Lookup(text string) string { return text }

// AddressOf is the key itself.
func (Family) AddressOf(publicKey []byte) (string, error) {
	if len(publicKey) != ed25519.PublicKeySize {
		return "", errors.New("not an ed25519 public key")
	}
	return spell([32]byte(publicKey)), nil
}

// CheckPayee refuses 32 zeros.
func (Family) CheckPayee(text string) error {
	if key, err := address(text); err == nil && key == [32]byte{} {
		return errors.New("is the zero address")
	}
	return nil
}

var isCluster = regexp.MustCompile(`^[a-z0-9]{1,32}$`)

// WarnPayee has nothing to say.
func (Family) WarnPayee(string) string { return "" }

// CheckNetwork wants a cluster and a coin of 9 decimals.
func (f Family) CheckNetwork(n chain.Network) error {
	switch {
	case n.ChainID != 0:
		return errors.New("there is a chainId, which no toy network has")
	case !isCluster.MatchString(n.Cluster):
		return errors.New("cluster is not 1 to 32 letters or digits")
	case n.Native.Decimals != f.Form().CoinDecimals:
		return errors.New("native has not 9 decimals, as every coin of a toy network has")
	}
	return nil
}

// CheckToken wants an address.
func (Family) CheckToken(text string) error {
	key, err := address(text)
	if err == nil && key == [32]byte{} {
		return errors.New("address is that of no token")
	}
	return err
}

var isSelector = regexp.MustCompile(`^[a-z]$`)

// CheckSelector wants the letter that calls begin with.
func (Family) CheckSelector(text string) error {
	if !isSelector.MatchString(text) {
		return errors.New("is not one letter in lower case")
	}
	return nil
}

// Verify takes ed25519 signatures of whole payloads.
func (Family) Verify(from string, payload, signature []byte) error {
	key, err := address(from)
	if err != nil {
		return err
	}
	if !ed25519.Verify(key[:], payload, signature) {
		return errSignature
	}
	return nil
}

var errSignature = errors.New("not a signature of the account")

// ID is the hash of the signed bytes.
func (Family) ID(signed []byte) string {
	sum := sha256.Sum256(signed)
	return chain.Base58(sum[:])
}

// CheckID takes whatever names something.
func (Family) CheckID(id string) error {
	if id == "" {
		return errBytes
	}
	return nil
}

// ReadMessage reads a text. It is signed behind a letter that no transaction begins with.
func (Family) ReadMessage(_ []chain.Network, from, kind, payload string) (chain.Message, error) {
	if _, err := address(from); err != nil {
		return chain.Message{}, err
	}
	if kind != chain.MessageText {
		return chain.Message{}, errors.New("type is not EIP191_TEXT, which is all that a toy network has")
	}
	hidden := func(c rune) bool { return !unicode.IsPrint(c) && c != '\n' }
	if !utf8.ValidString(payload) || strings.ContainsFunc(payload, hidden) || len(payload) > 64<<10 {
		return chain.Message{}, errors.New("payload is no text that people can read")
	}
	return chain.Message{Payload: append([]byte{messageTag}, payload...), Text: payload}, nil
}

// IsTransaction goes by the letter in front.
func (Family) IsTransaction(payload []byte) bool {
	_, err := Family{}.DecodeUnsigned(payload)
	return err == nil
}

// EncodeSignature writes base58.
func (Family) EncodeSignature(signature []byte) string { return chain.Base58(signature) }

// SignedTransfer is not known here: tokens are moved by transactions.
func (Family) SignedTransfer(chain.Network, chain.SignedTransfer) (string, error) {
	return "", errors.New("the token has no such transfer")
}

// Sponsored is not known here: a transaction has one signer.
func (Family) Sponsored(chain.Network, chain.SponsoredTransfer) (chain.Tx, error) {
	return chain.Tx{}, errors.New("who sends a transaction pays its fee")
}

// Void has no call to offer.
func (Family) Void(chain.Consent) (string, []chain.Call) { return "Move the tokens away", nil }

// Transfer sends the coin, or calls a token.
func (Family) Transfer(t chain.Token, to string, amount *big.Int) (chain.Call, error) {
	payee, err := address(to)
	switch {
	case err != nil:
		return chain.Call{}, err
	case amount == nil || !amount.IsUint64():
		return chain.Call{}, errors.New("amount has not 64 bits")
	case t.Address == "":
		return chain.Call{To: to, Value: amount}, nil
	}
	return chain.Call{To: t.Address, Value: new(big.Int), Data: transferCall(payee, amount.Uint64())}, nil
}

// Effects reads a call. The only function that it knows is a token's transfer.
func (Family) Effects(n chain.Network, from string, c chain.Call) []chain.Effect {
	unknown := chain.Effect{Kind: chain.UnknownCall, From: from, Contract: c.To}
	_, err := address(from)
	if _, also := address(c.To); err != nil || also != nil {
		return []chain.Effect{unknown}
	}
	var all []chain.Effect
	if value := orZero(c.Value); value.Sign() > 0 || len(c.Data) == 0 {
		all = append(all, moved(n.Native, chain.Effect{Asset: "native", From: from, To: c.To}, value))
	}
	if len(c.Data) == 0 {
		return all
	}
	unknown.Selector = string(c.Data[:1])
	token, listed := n.TokenByAddress(c.To)
	to, amount, ok := readTransfer(c.Data)
	if !ok || !listed {
		return append(all, unknown)
	}
	e := chain.Effect{Asset: c.To, From: from, To: to, Contract: c.To}
	return append(all, moved(token, e, amount))
}

func moved(t chain.Token, e chain.Effect, amount *big.Int) chain.Effect {
	e.Kind, e.Symbol, e.Decimals, e.Amount = chain.Transfer, t.Symbol, t.Decimals, amount.String()
	e.Display = chain.FormatUnits(amount, t.Decimals) + " " + t.Symbol
	return e
}

func orZero(n *big.Int) *big.Int {
	if n == nil {
		return new(big.Int)
	}
	return n
}

// Attach reads the unsigned bytes again, and signs nothing else.
func (f Family) Attach(t chain.Tx, _ string, signature []byte) ([]byte, error) {
	if _, err := f.DecodeUnsigned(t.Unsigned); err != nil {
		return nil, err
	}
	if len(signature) != ed25519.SignatureSize {
		return nil, errSignature
	}
	return append(append([]byte{signedTag}, t.Unsigned[1:]...), signature...), nil
}

// DecodeSigned reads the same bytes with a signature behind them.
func (f Family) DecodeSigned(raw []byte, _ string) (chain.Tx, []byte, error) {
	end := len(raw) - ed25519.SignatureSize
	if end < 1 || raw[0] != signedTag {
		return chain.Tx{}, nil, errBytes
	}
	tx, err := f.DecodeUnsigned(append([]byte{unsignedTag}, raw[1:end]...))
	return tx, bytes.Clone(raw[end:]), err
}
