package tron

import (
	"errors"
	"math/big"
	"regexp"
	"strconv"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
)

// Family is chain.Family of Tron. transact.go has its transactions.
type Family struct{}

// Kind is chain.Tron.
func (Family) Kind() chain.Kind { return chain.Tron }

const coinDecimals = 6

// Form is BIP-44's, counted in its last level, as wallets of Tron do.
func (Family) Form() chain.AccountForm {
	return chain.AccountForm{
		Curve: "CURVE_SECP256K1", PathFormat: "PATH_FORMAT_BIP32", AddressFormat: "ADDRESS_FORMAT_TRON",
		Path: "m/44'/195'/0'/0/%d", Typed: "base58check that begins with T", Canonical: "base58check",
		CoinDecimals: coinDecimals, Lifetime: Lifetime,
		HighFee: "100000000", // 100 TRX: a transfer of a token burns some 13
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

// AddressOf takes SEC1's compressed form.
func (Family) AddressOf(publicKey []byte) (string, error) {
	a, err := AddressOf(publicKey)
	if err != nil {
		return "", err
	}
	return a.String(), nil
}

// CheckPayee refuses the addresses of which nobody has the key.
func (Family) CheckPayee(address string) error {
	if a, err := ParseAddress(address); err == nil && nobody[a] != "" {
		return errors.New(nobody[a])
	}
	return nil
}

// WarnPayee knows nothing of an address by its bytes: whether it is a contract only a node can say.
func (Family) WarnPayee(string) string { return "" }

var isCluster = regexp.MustCompile(`^[a-z0-9]{1,32}$`)

// CheckNetwork wants a cluster, a coin of 6 decimals and that its fee for bytes is counted.
func (Family) CheckNetwork(n chain.Network) error {
	switch {
	case n.ChainID != 0:
		return errors.New("there is a chainId, which no transaction of Tron names")
	case !isCluster.MatchString(n.Cluster):
		return errors.New("cluster is not 1 to 32 letters in lower case or digits")
	case n.Native.Decimals != coinDecimals:
		return errors.New("native has not 6 decimals, as TRX has")
	case !n.DataFee:
		return errors.New("there is no dataFee, and Tron takes one for the bytes of each transaction: bandwidth")
	}
	return nil
}

// CheckToken wants an address at which there can be a contract. Tokens of TRC-10, which are numbers, are none.
func (f Family) CheckToken(address string) error {
	if _, err := ParseAddress(address); err != nil {
		return err
	}
	if err := f.CheckPayee(address); err != nil {
		return errors.New("address is that of no token: it " + err.Error())
	}
	return nil
}

// CheckSelector wants the first four bytes of a call, as on EVM.
func (Family) CheckSelector(text string) error { return evm.Family{}.CheckSelector(text) }

const (
	messagePrefix = "\x19TRON Signed Message:\n" // TIP-191; no raw_data begins with its first byte
	maxText       = 64 << 10
)

// MessageDigest is what is signed of a text.
func MessageDigest(text string) [32]byte {
	return evm.Keccak256([]byte(messagePrefix), strconv.AppendInt(nil, int64(len(text)), 10), []byte(text))
}

// ReadMessage reads a text for people. Other bytes are refused, and a digest above all: 32 bytes that the caller made
// may be a transaction's id, which is all that is signed of one.
func (Family) ReadMessage(_ []chain.Network, from, kind, payload string) (chain.Message, error) {
	if _, err := ParseAddress(from); err != nil {
		return chain.Message{}, err
	}
	switch {
	case kind != chain.MessageText:
		return chain.Message{}, errors.New("type is not " + chain.MessageText + ", which is all that Tron has")
	case !evm.IsText([]byte(payload)) || len(payload) > maxText:
		return chain.Message{}, errors.New("payload is no text that people can read, or as long as a hash is")
	}
	digest := MessageDigest(payload)
	return chain.Message{Payload: digest[:], Text: payload}, nil
}

// IsTransaction says no: keys sign hashes, of which none is that of a transaction by chance.
func (Family) IsTransaction([]byte) bool { return false }

// EncodeSignature writes r, s and 27 or 28 in hex, as wallets have it.
func (Family) EncodeSignature(signature []byte) string {
	return evm.Family{}.EncodeSignature(signature)
}

// SignedTransfer is not known here: tokens are moved by transactions.
func (Family) SignedTransfer(chain.Network, chain.SignedTransfer) (string, error) {
	return "", errors.New("no token of Tron has such a transfer")
}

// Void has no call to offer: nothing that is signed off the chain is a consent.
func (Family) Void(chain.Consent) (string, []chain.Call) { return chain.VoidUnread, nil }

// Verify takes the signature of a digest.
func (Family) Verify(address string, payload, signature []byte) error {
	a, err := ParseAddress(address)
	if err != nil {
		return err
	}
	return Verify(a, payload, signature)
}

// Transfer sends TRX, or calls transfer of TRC-20.
func (Family) Transfer(t chain.Token, to string, amount *big.Int) (chain.Call, error) {
	payee, err := ParseAddress(to)
	switch {
	case err != nil:
		return chain.Call{}, err
	case amount == nil || amount.Sign() < 0 || amount.BitLen() > 256 || t.Address == "" && !amount.IsInt64():
		return chain.Call{}, errors.New("amount is negative, or more than there can be")
	case t.Address == "":
		return chain.Call{To: to, Value: amount}, nil
	}
	if _, err := ParseAddress(t.Address); err != nil {
		return chain.Call{}, err
	}
	return chain.Call{To: t.Address, Value: new(big.Int), Data: transferCall(payee, amount)}, nil
}
