package solana

import (
	"errors"
	"math/big"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/railkit/railkit/chain"
)

// Family is chain.Family of Solana. transact.go has its transactions.
type Family struct{}

// Kind is chain.Solana.
func (Family) Kind() chain.Kind { return chain.Solana }

// Form is SLIP-10's: each step of the path is hardened, as ed25519 knows no other.
func (Family) Form() chain.AccountForm {
	return chain.AccountForm{
		Curve: "CURVE_ED25519", PathFormat: "PATH_FORMAT_BIP32", AddressFormat: "ADDRESS_FORMAT_SOLANA",
		Path: "m/44'/501'/%d'/0'", Typed: "base58 of 32 bytes", Canonical: "base58", CoinDecimals: 9,
		HighFee: "100000000", // 0.1 SOL
	}
}

// ParseAddress takes one spelling.
func (Family) ParseAddress(text string) (string, error) {
	if _, err := ParseAddress(text); err != nil {
		return "", err
	}
	return text, nil
}

// Lookup changes nothing: case counts.
func (Family) Lookup(text string) string { return text }

// AddressOf is the key itself.
func (Family) AddressOf(publicKey []byte) (string, error) {
	a, err := AddressOf(publicKey)
	if err != nil {
		return "", err
	}
	return a.String(), nil
}

// CheckPayee refuses programs and other accounts of the network itself. A listed mint is refused where the network is
// known: CheckPayee, the function.
func (Family) CheckPayee(address string) error {
	a, err := ParseAddress(address)
	if err != nil {
		return nil
	}
	return CheckPayee(chain.Network{}, a)
}

// WarnPayee tells of an address that no key signs for.
func (Family) WarnPayee(address string) string {
	if a, err := ParseAddress(address); err == nil && !a.OnCurve() {
		return "no key can sign for it: it belongs to a program, such as a wallet of several people, " +
			"and what a program does not expect is lost there"
	}
	return ""
}

// genesis are the hashes of the first blocks, by which clusters are told apart.
var genesis = map[string]string{
	"mainnet": "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d",
	"devnet":  "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG",
	"testnet": "4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpwK4NsPY",
}

// Genesis is the hash of a cluster's first block in base58; "" of a cluster that is not known.
func Genesis(cluster string) string { return genesis[cluster] }

var isCluster = regexp.MustCompile(`^[a-z0-9]{1,32}$`)

// CheckNetwork wants a cluster and a coin of 9 decimals.
func (f Family) CheckNetwork(n chain.Network) error {
	switch {
	case n.ChainID != 0:
		return errors.New("there is a chainId, which no network of Solana has")
	case !isCluster.MatchString(n.Cluster):
		return errors.New("cluster is not 1 to 32 letters in lower case or digits")
	case n.Native.Decimals != f.Form().CoinDecimals:
		return errors.New("native has not 9 decimals, as SOL has")
	case n.DataFee:
		return errors.New("there is a dataFee, which Solana does not take")
	}
	return nil
}

// CheckToken wants an address that is no program's. Whether it is a mint of the classic Token program only the network
// knows.
func (Family) CheckToken(address string) error {
	a, err := ParseAddress(address)
	if err != nil {
		return err
	}
	if err := CheckPayee(chain.Network{}, a); err != nil {
		return errors.New("address is that of no token: it " + err.Error())
	}
	return nil
}

// CheckSelector refuses all: what an instruction of an unknown program does no part of it tells.
func (Family) CheckSelector(string) error {
	return errors.New("names no function: on Solana no policy can allow an instruction that is not understood")
}

const maxText = 64 << 10

// ReadMessage reads a text, which is signed as an off-chain message. Bytes that anybody could take for the message of a
// transaction are refused, although what is signed for them is none.
func (Family) ReadMessage(_ []chain.Network, from, kind, payload string) (chain.Message, error) {
	signer, err := ParseAddress(from)
	if err != nil {
		return chain.Message{}, err
	}
	if kind != chain.MessageText {
		return chain.Message{}, errors.New("type is not " + chain.MessageText + ", which is all that Solana has")
	}
	if err := CheckPayload([]byte(payload)); err != nil {
		return chain.Message{}, errors.New("payload " + err.Error())
	}
	hidden := func(c rune) bool { return !unicode.IsPrint(c) && c != '\n' }
	if !utf8.ValidString(payload) || strings.ContainsFunc(payload, hidden) || len(payload) > maxText {
		return chain.Message{}, errors.New("payload is no text that people can read")
	}
	signed, err := OffchainText(signer, payload)
	return chain.Message{Payload: signed, Text: payload}, err
}

// IsTransaction reads less strictly than DecodeMessage does.
func (Family) IsTransaction(payload []byte) bool {
	return errors.Is(CheckPayload(payload), ErrTransaction)
}

// EncodeSignature writes base58.
func (Family) EncodeSignature(signature []byte) string { return chain.Base58(signature) }

// SignedTransfer is not known here: a transfer is a transaction, whoever pays its fee.
func (Family) SignedTransfer(chain.Network, chain.SignedTransfer) (string, error) {
	return "", errors.New("no token of Solana has such a transfer")
}

// Void has no call to offer: nothing that is signed off the chain is a consent.
func (Family) Void(chain.Consent) (string, []chain.Call) { return chain.VoidUnread, nil }

// Verify takes the signature of a whole payload.
func (Family) Verify(address string, payload, signature []byte) error {
	a, err := ParseAddress(address)
	if err != nil {
		return err
	}
	if len(signature) != signatureSize {
		return ErrSignature
	}
	return Verify(a, payload, Signature(signature))
}

// ID is the first signature, where it is of who pays.
func (Family) ID(signed []byte) string {
	tx, err := DecodeTransaction(signed)
	if err != nil || Verify(tx.Keys[0], tx.encode(), tx.Signatures[0]) != nil {
		return ""
	}
	return tx.ID()
}

// CheckID wants a signature.
func (Family) CheckID(id string) error {
	if _, err := ParseSignature(id); err != nil {
		return errors.New("must be a transaction's first signature: 64 bytes in base58")
	}
	return nil
}

// Transfer pays an owner, in the coin or in a token of the classic Token program.
func (Family) Transfer(t chain.Token, to string, amount *big.Int) (chain.Call, error) {
	switch _, err := ParseAddress(to); {
	case err != nil:
		return chain.Call{}, err
	case amount == nil || !amount.IsUint64():
		return chain.Call{}, errors.New("amount has not 64 bits")
	case t.Address == "":
		return chain.Call{To: to, Value: amount}, nil
	}
	mint, err := ParseAddress(t.Address)
	if err != nil || t.Decimals < 0 || t.Decimals > maxDecimals {
		return chain.Call{}, errors.New("the token is none")
	}
	p := payment{mint, amount.Uint64(), uint8(t.Decimals)}
	return chain.Call{To: to, Value: new(big.Int), Data: p.data()}, nil
}
