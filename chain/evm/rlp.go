package evm

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"
)

// ErrEncoding is RLP that is not the one canonical encoding of its value. The
// same transaction in two encodings would have two ids.
var ErrEncoding = errors.New("not canonical RLP")

func malformed(why string) error { return fmt.Errorf("%w: %s", ErrEncoding, why) }

// rlpReader reads the items of a list one after the other. The first error
// sticks and every later item is empty, so that one check at the end is enough.
// It never recurses: how deep the input is nested is the caller's program, not
// the input's choice.
type rlpReader struct {
	rest []byte
	err  error
}

func (r *rlpReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.rest = nil
}

// more is false after an error, so that a loop over items ends.
func (r *rlpReader) more() bool { return r.err == nil && len(r.rest) > 0 }

// end is the first error, or that something is left.
func (r *rlpReader) end() error {
	if r.err == nil && len(r.rest) > 0 {
		r.fail(malformed("more than was expected"))
	}
	return r.err
}

// next takes one item off and gives its payload.
func (r *rlpReader) next() (payload []byte, list bool) {
	if r.err != nil {
		return nil, false
	}
	payload, rest, list, err := splitRLP(r.rest)
	if err != nil {
		r.fail(err)
		return nil, false
	}
	r.rest = rest
	return payload, list
}

func (r *rlpReader) bytes() []byte {
	payload, list := r.next()
	if list {
		r.fail(malformed("a list where a string was expected"))
		return nil
	}
	return payload
}

func (r *rlpReader) list() rlpReader {
	payload, list := r.next()
	if r.err == nil && !list {
		r.fail(malformed("a string where a list was expected"))
	}
	if r.err != nil {
		return rlpReader{err: r.err}
	}
	return rlpReader{rest: payload}
}

// number is the bytes of an integer of at most size bytes.
func (r *rlpReader) number(size int) []byte {
	b := r.bytes()
	switch {
	case len(b) > size:
		r.fail(malformed("a number that is too large"))
	case len(b) > 0 && b[0] == 0:
		r.fail(malformed("a number with a leading zero"))
	default:
		return b
	}
	return nil
}

func (r *rlpReader) uint64() uint64 { return bigEndian(r.number(8)) }

func (r *rlpReader) big() *big.Int { return new(big.Int).SetBytes(r.number(32)) }

// fixed fills dst, which has to fit exactly.
func (r *rlpReader) fixed(dst []byte) {
	b := r.bytes()
	if r.err == nil && len(b) != len(dst) {
		r.fail(malformed("a string of another length than expected"))
	}
	copy(dst, b)
}

// splitRLP cuts the first item off b.
func splitRLP(b []byte) (payload, rest []byte, list bool, err error) {
	if len(b) == 0 {
		return nil, nil, false, malformed("fewer items than expected")
	}
	first := b[0]
	if first < 0x80 {
		return b[:1], b[1:], false, nil
	}
	list = first >= 0xc0
	base := byte(0x80)
	if list {
		base = 0xc0
	}
	size, b, err := splitLength(first-base, b[1:])
	if err != nil {
		return nil, nil, false, err
	}
	if size > uint64(len(b)) {
		return nil, nil, false, malformed("an item longer than the input")
	}
	payload, rest = b[:size], b[size:]
	if !list && size == 1 && payload[0] < 0x80 {
		return nil, nil, false, malformed("a small byte with a header")
	}
	return payload, rest, list, nil
}

// splitLength reads a length: short itself up to 55, else of short-55 bytes.
func splitLength(short byte, b []byte) (uint64, []byte, error) {
	if short <= 55 {
		return uint64(short), b, nil
	}
	n := int(short - 55)
	if n > len(b) {
		return 0, nil, malformed("a cut off length")
	}
	if b[0] == 0 {
		return 0, nil, malformed("a length with a leading zero")
	}
	size := bigEndian(b[:n])
	if size <= 55 {
		return 0, nil, malformed("a long length of a short item")
	}
	return size, b[n:], nil
}

// bigEndian reads at most eight bytes.
func bigEndian(b []byte) uint64 {
	var n uint64
	for _, c := range b {
		n = n<<8 | uint64(c)
	}
	return n
}

func appendUint(dst []byte, n uint64) []byte {
	return appendBytes(dst, minimal(n))
}

// appendBig writes nil as zero.
func appendBig(dst []byte, n *big.Int) []byte {
	if n == nil {
		return appendBytes(dst, nil)
	}
	return appendBytes(dst, n.Bytes())
}

func appendBytes(dst, b []byte) []byte {
	if len(b) == 1 && b[0] < 0x80 {
		return append(dst, b[0])
	}
	return append(appendLength(dst, 0x80, len(b)), b...)
}

func appendList(dst, items []byte) []byte {
	return append(appendLength(dst, 0xc0, len(items)), items...)
}

func appendLength(dst []byte, base byte, n int) []byte {
	if n <= 55 {
		return append(dst, base+byte(n))
	}
	size := minimal(uint64(n))
	return append(append(dst, base+55+byte(len(size))), size...)
}

// minimal is n's bytes without leading zeros; zero has none.
func minimal(n uint64) []byte {
	b := make([]byte, (bits.Len64(n)+7)/8)
	for i := len(b) - 1; i >= 0; i-- {
		b[i], n = byte(n), n>>8
	}
	return b
}
