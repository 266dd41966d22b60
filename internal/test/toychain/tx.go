package toychain

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/big"

	"github.com/railkit/railkit/chain"
)

// The first bytes say what the others are, so that no signature is one over something else.
const (
	unsignedTag = 'U'
	signedTag   = 'S'
	messageTag  = 'M'
	addressTag  = 'T'
)

const transferTag = 't'

const mostData = 10_000

var errBytes = errors.New("not a transaction")

// TransactionType is the family's.
func (Family) TransactionType() string { return "TRANSACTION_TYPE_TOY" }

// Encodings is the one that there is.
func (Family) Encodings() string { return "toy" }

// MaxGas is that of a block.
func (Family) MaxGas() uint64 { return 1_000_000 }

// CheckIntent leaves it to Assemble.
func (Family) CheckIntent(chain.Network, chain.Intent) error { return nil }

// Assemble writes the fields one behind the other: texts and data behind their lengths, numbers as short as they can
// be.
func (f Family) Assemble(n chain.Network, i chain.Intent, t chain.Terms) (chain.Tx, error) {
	to, err := address(i.To)
	if err != nil {
		return chain.Tx{}, err
	}
	raw := appendBytes([]byte{unsignedTag}, []byte(n.ID()))
	raw = binary.AppendUvarint(raw, t.Nonce)
	raw = binary.AppendUvarint(raw, i.Gas)
	for _, number := range []*big.Int{t.Fee.Max, t.Fee.Priority, i.Value} {
		if !orZero(number).IsUint64() {
			return chain.Tx{}, errors.New("a number is negative or over 64 bits")
		}
		raw = binary.AppendUvarint(raw, orZero(number).Uint64())
	}
	raw = appendBytes(append(raw, to[:]...), i.Data)
	return f.DecodeUnsigned(raw)
}

// MaxDataBytes takes a nonce and a fee with the most digits.
func (f Family) MaxDataBytes(n chain.Network, i chain.Intent, _ *big.Int) int {
	most := new(big.Int).SetUint64(math.MaxUint64)
	tx, err := f.Assemble(n, i, chain.Terms{Nonce: math.MaxUint64, Fee: chain.Fee{Max: most, Priority: most}})
	if err != nil {
		return 2 * mostData
	}
	return tx.DataBytes
}

// DecodeUnsigned reads what Assemble writes.
func (f Family) DecodeUnsigned(raw []byte) (chain.Tx, error) {
	if len(raw) == 0 || raw[0] != unsignedTag {
		return chain.Tx{}, errBytes
	}
	r := reader{rest: raw[1:], ok: true}
	t := chain.Tx{NetworkID: string(r.bytes())}
	t.Nonce, t.Gas = r.number(), r.number()
	t.Fee = chain.Fee{Max: r.big(), Priority: r.big()}
	t.Value = r.big()
	t.To = r.address()
	t.Data = bytes.Clone(r.bytes())
	if !r.ok || len(r.rest) > 0 || !isCluster.MatchString(t.NetworkID) || len(t.Data) > mostData ||
		t.Fee.Priority.Cmp(t.Fee.Max) > 0 {
		return chain.Tx{}, errBytes
	}
	t.MaxFee = new(big.Int).Mul(t.Fee.Max, new(big.Int).SetUint64(t.Gas))
	t.Plain, t.Unsigned = true, bytes.Clone(raw)
	t.Payload, t.DataBytes = t.Unsigned, len(raw)+64
	return t, nil
}

func transferCall(to [32]byte, amount uint64) []byte {
	return binary.AppendUvarint(append([]byte{transferTag}, to[:]...), amount)
}

func readTransfer(data []byte) (to string, amount *big.Int, ok bool) {
	if len(data) == 0 || data[0] != transferTag {
		return "", nil, false
	}
	r := reader{rest: data[1:], ok: true}
	to, amount = r.address(), r.big()
	return to, amount, r.ok && len(r.rest) == 0
}

func appendBytes(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

// reader takes fields off bytes. Once it was wrong it stays so.
type reader struct {
	rest []byte
	ok   bool
}

// number refuses one that could be shorter.
func (r *reader) number() uint64 {
	n, size := binary.Uvarint(r.rest)
	if !r.ok || size <= 0 || len(binary.AppendUvarint(nil, n)) != size {
		r.ok = false
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *reader) big() *big.Int { return new(big.Int).SetUint64(r.number()) }

func (r *reader) bytes() []byte { return r.take(r.number()) }

func (r *reader) address() string {
	if key := r.take(32); key != nil {
		return spell([32]byte(key))
	}
	return ""
}

func (r *reader) take(n uint64) []byte {
	if !r.ok || n > uint64(len(r.rest)) {
		r.ok = false
		return nil
	}
	var b []byte
	b, r.rest = r.rest[:n], r.rest[n:]
	return b
}
