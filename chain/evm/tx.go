package evm

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/big"
)

// Type is the kind of a transaction, its first byte where it is typed.
type Type byte

// The kinds that are signed here.
const (
	Legacy     Type = 0 // with EIP-155's chain id
	AccessList Type = 1 // EIP-2930
	DynamicFee Type = 2 // EIP-1559
)

// The limits. A node relays no more bytes than that; an access list that long
// costs more gas than any honest use of one saves.
const (
	maxRawSize    = 128 << 10
	maxAccessList = 1024                      // addresses and storage keys together
	maxLegacyID   = (math.MaxUint64 - 36) / 2 // so that v = 2·id+36 fits (EIP-2294)
)

// Why a transaction is refused.
var (
	ErrTransaction     = errors.New("invalid transaction")
	ErrUnsupportedType = errors.New("unsupported transaction type")
	ErrBlobType        = fmt.Errorf("%w: blob (EIP-4844)", ErrUnsupportedType)
	ErrSetCodeType     = fmt.Errorf("%w: set code (EIP-7702)", ErrUnsupportedType)
	ErrUnprotected     = errors.New("transaction without a chain id")
	ErrAlreadySigned   = errors.New("transaction is already signed")
	ErrTooLarge        = errors.New("transaction is too large")
)

func invalid(why string) error { return fmt.Errorf("%w: %s", ErrTransaction, why) }

// Tx is a transaction without its signature. A nil number is zero. One that was
// decoded is valid; one that was put together should pass Validate before its
// bytes are used.
type Tx struct {
	Type                 Type
	ChainID              uint64
	Nonce                uint64
	GasPrice             *big.Int // legacy and EIP-2930
	MaxPriorityFeePerGas *big.Int // EIP-1559
	MaxFeePerGas         *big.Int // EIP-1559
	GasLimit             uint64
	To                   *Address // nil creates a contract
	Value                *big.Int
	Data                 []byte
	AccessList           []AccessTuple // not legacy
}

// AccessTuple names storage that a transaction announces to touch.
type AccessTuple struct {
	Address     Address
	StorageKeys [][32]byte
}

// Validate refuses what no chain would ever accept.
func (tx Tx) Validate() error {
	switch {
	case tx.Type > DynamicFee:
		return ErrUnsupportedType
	case tx.ChainID == 0:
		return ErrUnprotected
	case tx.Type == Legacy && tx.ChainID > maxLegacyID:
		return invalid("the chain id is too large")
	case tx.Nonce == math.MaxUint64:
		return invalid("the nonce is the last number (EIP-2681)")
	case len(tx.Data) > maxRawSize:
		return ErrTooLarge
	case tx.Type == Legacy && len(tx.AccessList) > 0:
		return invalid("a legacy transaction has no access list")
	}
	if err := checkAccessList(tx.AccessList); err != nil {
		return err
	}
	return tx.checkNumbers()
}

func (tx Tx) checkNumbers() error {
	for _, n := range []*big.Int{tx.GasPrice, tx.MaxPriorityFeePerGas, tx.MaxFeePerGas, tx.Value} {
		if n != nil && (n.Sign() < 0 || n.BitLen() > 256) {
			return invalid("a number is negative or over 256 bits")
		}
	}
	if cost := tx.MaxCost(); cost.BitLen() > 256 {
		return invalid("the cost is over 256 bits")
	}
	if tx.Type == DynamicFee && orZero(tx.MaxPriorityFeePerGas).Cmp(orZero(tx.MaxFeePerGas)) > 0 {
		return invalid("the priority fee is over the maximum fee")
	}
	return nil
}

func checkAccessList(list []AccessTuple) error {
	n := len(list)
	for _, t := range list {
		n += len(t.StorageKeys)
	}
	if n > maxAccessList {
		return invalid("the access list is too long")
	}
	return nil
}

// GasFeeCap is the most that one unit of gas can cost.
func (tx Tx) GasFeeCap() *big.Int {
	if tx.Type == DynamicFee {
		return new(big.Int).Set(orZero(tx.MaxFeePerGas))
	}
	return new(big.Int).Set(orZero(tx.GasPrice))
}

// GasTipCap is the most of it that can go to who makes the block.
func (tx Tx) GasTipCap() *big.Int {
	if tx.Type == DynamicFee {
		return new(big.Int).Set(orZero(tx.MaxPriorityFeePerGas))
	}
	return new(big.Int).Set(orZero(tx.GasPrice))
}

// MaxFee is the most that execution can cost, in wei.
func (tx Tx) MaxFee() *big.Int {
	fee := new(big.Int).SetUint64(tx.GasLimit)
	return fee.Mul(fee, tx.GasFeeCap())
}

// MaxCost is MaxFee and the value that is sent.
func (tx Tx) MaxCost() *big.Int {
	cost := tx.MaxFee()
	return cost.Add(cost, orZero(tx.Value))
}

func orZero(n *big.Int) *big.Int {
	if n == nil {
		return new(big.Int)
	}
	return n
}

// Unsigned is the bytes that are hashed to be signed: the typed payload, or
// EIP-155's nine fields.
func (tx Tx) Unsigned() []byte {
	if tx.Type == Legacy {
		fields := appendUint(tx.fields(), tx.ChainID)
		return appendList(nil, append(fields, 0x80, 0x80)) // r and s are zero
	}
	return appendList([]byte{byte(tx.Type)}, tx.fields())
}

// Digest is what a signature signs.
func (tx Tx) Digest() [32]byte { return Keccak256(tx.Unsigned()) }

// Assemble is the transaction as it is broadcast.
func (tx Tx) Assemble(sig Signature) []byte {
	fields := tx.fields()
	var out []byte
	if tx.Type == Legacy {
		fields = appendUint(fields, 2*tx.ChainID+35+uint64(sig.V))
	} else {
		fields = appendUint(fields, uint64(sig.V))
		out = []byte{byte(tx.Type)}
	}
	fields = appendBytes(fields, bytes.TrimLeft(sig.R[:], "\x00"))
	fields = appendBytes(fields, bytes.TrimLeft(sig.S[:], "\x00"))
	return appendList(out, fields)
}

// ID is the transaction's hash, computed from its signed bytes.
func ID(signed []byte) [32]byte { return Keccak256(signed) }

// fields is the RLP of what all forms of the type begin with.
func (tx Tx) fields() []byte {
	b := make([]byte, 0, 256+len(tx.Data))
	if tx.Type != Legacy {
		b = appendUint(b, tx.ChainID)
	}
	b = appendUint(b, tx.Nonce)
	if tx.Type == DynamicFee {
		b = appendBig(b, tx.MaxPriorityFeePerGas)
		b = appendBig(b, tx.MaxFeePerGas)
	} else {
		b = appendBig(b, tx.GasPrice)
	}
	b = appendUint(b, tx.GasLimit)
	b = appendTo(b, tx.To)
	b = appendBig(b, tx.Value)
	b = appendBytes(b, tx.Data)
	if tx.Type != Legacy {
		b = appendAccessList(b, tx.AccessList)
	}
	return b
}

func appendTo(dst []byte, to *Address) []byte {
	if to == nil {
		return appendBytes(dst, nil)
	}
	return appendBytes(dst, to[:])
}

func appendAccessList(dst []byte, list []AccessTuple) []byte {
	var tuples []byte
	for _, t := range list {
		var keys []byte
		for _, k := range t.StorageKeys {
			keys = appendBytes(keys, k[:])
		}
		tuple := appendList(appendBytes(nil, t.Address[:]), keys)
		tuples = appendList(tuples, tuple)
	}
	return appendList(dst, tuples)
}

// minDataFeeBytes is the least that an OP-stack chain takes a transaction for: since
// Fjord, 100 bytes after compression.
const minDataFeeBytes = 100

// dataBytes is for how many bytes an OP-stack chain charges its L1 data fee at most. The signature's r and s are
// counted with 32 bytes each. Example: at 40,000,000 wei a byte, a plain transfer of 120 bytes costs at most
// 4,800,000,000 wei, and one of 90 bytes is taken for 100: 4,000,000,000 wei.
func (tx Tx) dataBytes() int { return max(minDataFeeBytes, tx.maxSignedSize()) }

// DataFee is the most that the L1 data fee can be where each byte of what is signed costs weiPerByte at most.
func (tx Tx) DataFee(weiPerByte *big.Int) *big.Int {
	return new(big.Int).Mul(big.NewInt(int64(tx.dataBytes())), weiPerByte)
}

// maxSignedSize is how long the signed transaction can be. One whose r begins with a
// zero byte is shorter.
func (tx Tx) maxSignedSize() int {
	widest := Signature{V: 1}
	widest.R[0], widest.S[0] = 0xff, 0xff
	return len(tx.Assemble(widest))
}
