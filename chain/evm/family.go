// Package evm is Ethereum's own arithmetic: addresses, transactions as bytes,
// what they do, and their signatures. It is pure and runs inside the enclave,
// so it links no network code.
//
// Read family.go first: it is what the rest of Railkit asks of EVM networks. Then tx.go for a transaction, effects.go
// for what its bytes do, and typed.go for messages of EIP-712.
package evm

import (
	"errors"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/railkit/railkit/chain"
)

// Family is chain.Family of EVM networks.
type Family struct{}

const maxChainID = math.MaxUint64/2 - 36 // EIP-2294: EIP-155 doubles it and adds 36

// Kind is chain.EVM.
func (Family) Kind() chain.Kind { return chain.EVM }

// Form is BIP-44's, counted in the account level, as wallets for many accounts do.
func (Family) Form() chain.AccountForm {
	return chain.AccountForm{
		Curve: "CURVE_SECP256K1", PathFormat: "PATH_FORMAT_BIP32", AddressFormat: "ADDRESS_FORMAT_ETHEREUM",
		Path: "m/44'/60'/%d'/0/0", Typed: "0x and 40 hex digits; mixed case must be EIP-55",
		Canonical: "the mixed case of EIP-55", CoinDecimals: 18,
		HighFee: "100000000000000000", // 0.1
		Nonces:  true,
	}
}

// ParseAddress gives the mixed case of EIP-55.
func (Family) ParseAddress(text string) (string, error) {
	a, err := ParseAddress(text)
	if err != nil {
		return "", err
	}
	return a.String(), nil
}

// Lookup is in lower case: the upper case is EIP-55's checksum.
func (Family) Lookup(text string) string {
	if lower := strings.ToLower(text); len(text) == 42 && strings.HasPrefix(lower, "0x") {
		return lower
	}
	return text
}

// AddressOf takes SEC1's compressed form.
func (Family) AddressOf(publicKey []byte) (string, error) {
	a, err := AddressOf(publicKey)
	if err != nil {
		return "", err
	}
	return a.String(), nil
}

var errZeroAddress = errors.New("is the zero address")

// CheckPayee refuses the zero address: what it gets is gone.
func (Family) CheckPayee(address string) error {
	if a, err := ParseAddress(address); err == nil && a == (Address{}) {
		return errZeroAddress
	}
	return nil
}

// WarnPayee knows nothing of an address by its bytes.
func (Family) WarnPayee(string) string { return "" }

// CheckNetwork wants a chain id and a coin of 18 decimals.
func (f Family) CheckNetwork(n chain.Network) error {
	switch {
	case n.Cluster != "":
		return errors.New("kind is evm, and there is a cluster")
	case n.ChainID == 0 || n.ChainID > maxChainID:
		return errors.New("chainId is not that of a chain")
	case n.Native.Decimals != f.Form().CoinDecimals:
		return errors.New("native is not a symbol and 18 decimals, as every coin of an EVM network is")
	}
	return nil
}

// CheckToken refuses contracts whose code is known to be another one, such as Permit2.
func (Family) CheckToken(address string) error {
	a, err := ParseAddress(address)
	known, found := chain.KnownAt(chain.Network{Kind: chain.EVM}, address)
	switch {
	case err != nil:
		return err
	case a.String() != address:
		return errors.New("address is not in the mixed case of EIP-55, whose checksum finds typing errors")
	case found && known.Kind != chain.KnownSystem: // some networks deploy tokens of their own
		return errors.New("address is that of no token, but " + known.Name)
	}
	return nil
}

var isSelector = regexp.MustCompile(`^0x[0-9a-f]{8}$`)

// CheckSelector wants the first four bytes of calldata.
func (Family) CheckSelector(text string) error {
	if !isSelector.MatchString(text) {
		return errors.New("is not 0x and 8 hex digits in lower case")
	}
	return nil
}

// TransactionType is one name for the transactions of every EVM network.
func (Family) TransactionType() string { return "TRANSACTION_TYPE_ETHEREUM" }

// Encodings are all but those with blobs (EIP-4844) and with code for accounts (EIP-7702).
func (Family) Encodings() string { return "legacy, EIP-2930 or EIP-1559" }

// MaxGas is above every block limit in use.
func (Family) MaxGas() uint64 { return 100_000_000 }

// Transfer calls ERC-20's transfer, or sends the coin.
func (Family) Transfer(t chain.Token, to string, amount *big.Int) (chain.Call, error) {
	payee, err := ParseAddress(to)
	if err != nil || t.Address == "" {
		return chain.Call{To: payee.String(), Value: amount}, err
	}
	contract, err := ParseAddress(t.Address)
	if err != nil {
		return chain.Call{}, err
	}
	data, err := EncodeTransfer(payee, amount)
	return chain.Call{To: contract.String(), Value: new(big.Int), Data: data}, err
}

// Effects reads calldata; see the function of this name. An address that is none gives no effects but an unknown call.
func (Family) Effects(n chain.Network, from string, c chain.Call) []chain.Effect {
	sender, err := ParseAddress(from)
	to, also := optionalAddress(c.To)
	if err != nil || also != nil {
		return []chain.Effect{{Kind: chain.UnknownCall, From: from, Contract: c.To}}
	}
	return Effects(sender, to, c.Value, c.Data, n)
}

func optionalAddress(text string) (*Address, error) {
	if text == "" {
		return nil, nil
	}
	a, err := ParseAddress(text)
	return &a, err
}

// CheckIntent leaves it to Assemble: there is no call that no terms allow.
func (Family) CheckIntent(chain.Network, chain.Intent) error { return nil }

// Assemble makes a transaction of EIP-1559.
func (Family) Assemble(n chain.Network, i chain.Intent, t chain.Terms) (chain.Tx, error) {
	tx, err := dynamic(n, i, t.Nonce, t.Fee)
	if err != nil {
		return chain.Tx{}, err
	}
	if err := tx.Validate(); err != nil {
		return chain.Tx{}, err
	}
	return tx.neutral(), nil
}

func dynamic(n chain.Network, i chain.Intent, nonce uint64, fee chain.Fee) (Tx, error) {
	to, err := optionalAddress(i.To)
	return Tx{
		Type: DynamicFee, ChainID: n.ChainID, Nonce: nonce, MaxFeePerGas: fee.Max, MaxPriorityFeePerGas: fee.Priority,
		GasLimit: i.Gas, To: to, Value: i.Value, Data: i.Data,
	}, err
}

// Sponsored is not known here: a transaction has one signer, who pays its fee.
func (Family) Sponsored(chain.Network, chain.SponsoredTransfer) (chain.Tx, error) {
	return chain.Tx{}, errors.New("on EVM networks who sends a transaction pays its fee")
}

// MaxDataBytes is that of the longest transaction: neither the nonce nor the fee per gas has more digits than these.
func (Family) MaxDataBytes(n chain.Network, i chain.Intent, maxFee *big.Int) int {
	tx, err := dynamic(n, i, math.MaxUint64, chain.Fee{Max: maxFee, Priority: maxFee})
	if err != nil {
		return maxRawSize
	}
	return tx.dataBytes()
}

// DecodeUnsigned reads a legacy transaction of EIP-155, or one of EIP-2930 or EIP-1559.
func (Family) DecodeUnsigned(raw []byte) (chain.Tx, error) {
	tx, err := DecodeUnsigned(raw)
	if err != nil {
		return chain.Tx{}, err
	}
	return tx.neutral(), nil
}

// DecodeSigned reads the same types with their signatures.
func (Family) DecodeSigned(raw []byte, _ string) (chain.Tx, []byte, error) {
	tx, sig, err := DecodeSigned(raw)
	if err != nil {
		return chain.Tx{}, nil, err
	}
	return tx.neutral(), sig.Bytes(), nil
}

// neutral is the transaction as other packages see it.
func (tx Tx) neutral() chain.Tx {
	unsigned := tx.Unsigned()
	digest := Keccak256(unsigned) // as Digest has it
	t := chain.Tx{
		Call:      chain.Call{Value: new(big.Int).Set(orZero(tx.Value)), Data: tx.Data},
		Terms:     chain.Terms{Nonce: tx.Nonce, Fee: chain.Fee{Max: tx.GasFeeCap()}},
		NetworkID: strconv.FormatUint(tx.ChainID, 10), Gas: tx.GasLimit, MaxFee: tx.MaxFee(),
		Plain:    tx.Type == DynamicFee && len(tx.AccessList) == 0 && tx.To != nil,
		Unsigned: unsigned, Payload: digest[:], DataBytes: tx.dataBytes(),
	}
	if tx.To != nil {
		t.To = tx.To.String()
	}
	if tx.Type == DynamicFee {
		t.Fee.Priority = tx.GasTipCap()
	}
	return t
}

// Attach reads the unsigned bytes again: they alone are what is signed.
func (Family) Attach(t chain.Tx, _ string, signature []byte) ([]byte, error) {
	tx, err := DecodeUnsigned(t.Unsigned)
	if err != nil {
		return nil, err
	}
	sig, err := signatureOf(signature)
	if err != nil {
		return nil, err
	}
	return tx.Assemble(sig), nil
}

// Verify recovers the signer of a digest.
func (Family) Verify(address string, payload, signature []byte) error {
	a, err := ParseAddress(address)
	if err != nil {
		return err
	}
	sig, err := signatureOf(signature)
	if err != nil {
		return err
	}
	if len(payload) != 32 {
		return ErrSignature
	}
	return Verify(a, [32]byte(payload), sig)
}

// ID is the hash of the signed bytes.
func (Family) ID(signed []byte) string {
	id := ID(signed)
	return chain.Hex(id[:])
}

// CheckID wants a hash.
func (Family) CheckID(id string) error {
	if raw, err := chain.ParseHex(id); err != nil || len(raw) != 32 || !strings.HasPrefix(id, "0x") {
		return errors.New("must be a transaction's hash: 0x and 64 hex digits")
	}
	return nil
}
