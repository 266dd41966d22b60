package tron

import (
	"encoding/binary"
	"math"
)

// The wire types of protocol buffers that Tron's messages have.
const (
	typeVarint = 0
	typeBytes  = 2
)

// appendNumber writes a field with a number, where that is not zero: a zero is what a field has that is not there.
func appendNumber(b []byte, field int, n int64) []byte {
	if n == 0 {
		return b
	}
	return binary.AppendUvarint(append(b, tag(field, typeVarint)...), uint64(n))
}

// appendField writes a field with bytes, where there are any.
func appendField(b []byte, field int, value []byte) []byte {
	if len(value) == 0 {
		return b
	}
	b = binary.AppendUvarint(append(b, tag(field, typeBytes)...), uint64(len(value)))
	return append(b, value...)
}

func tag(field, wireType int) []byte {
	return binary.AppendUvarint(nil, uint64(field)<<3|uint64(wireType))
}

// names are the fields of a message that are refused, by what an error calls them.
type names map[uint64]string

// reader takes the fields of a message in the order of their numbers, each once or not at all. After the first error it
// gives zeros, so that only the end has to look at err.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err, r.rest = err, nil
	}
}

// number takes a field with a number, if it is next.
func (r *reader) number(name string, field int) int64 {
	if !r.next(name, field, typeVarint) {
		return 0
	}
	n := r.varint(name)
	switch {
	case r.err != nil:
		return 0
	case n == 0:
		r.fail(refuse(name, "is written, and is 0"))
	case n > math.MaxInt64:
		r.fail(refuse(name, "is negative"))
	}
	return int64(n)
}

// bytes takes a field with bytes, if it is next. Nothing is allocated by a length that an attacker wrote.
func (r *reader) bytes(name string, field int) []byte {
	if !r.next(name, field, typeBytes) {
		return nil
	}
	n := r.varint(name)
	switch {
	case r.err != nil:
		return nil
	case n == 0:
		r.fail(refuse(name, "is written, and is empty"))
		return nil
	case n > uint64(len(r.rest)):
		r.fail(refuse(name, "needs %d bytes, and %d are left", n, len(r.rest)))
		return nil
	}
	var taken []byte
	taken, r.rest = r.rest[:n:n], r.rest[n:]
	return taken
}

// sized takes a field with so many bytes, which has to be there.
func (r *reader) sized(name string, field, size int) []byte {
	b := r.bytes(name, field)
	if r.err == nil && len(b) != size {
		r.fail(refuse(name, "has %d bytes, not %d", len(b), size))
	}
	if r.err != nil {
		return make([]byte, size)
	}
	return b
}

func (r *reader) address(name string, field int) (a Address) {
	b := r.sized(name, field, wireSize)
	if r.err == nil && b[0] != prefix {
		r.fail(refuse(name, "does not begin with 0x41"))
	}
	copy(a[:], b[1:])
	return a
}

// next reports whether the next field is this one, and takes its tag.
func (r *reader) next(name string, field, wireType int) bool {
	if r.err != nil || len(r.rest) == 0 {
		return false
	}
	key, size := binary.Uvarint(r.rest)
	if size <= 0 || key>>3 != uint64(field) {
		return false
	}
	if int(key&7) != wireType {
		r.fail(refuse(name, "has another type on the wire"))
		return false
	}
	return r.varint(name) == key && r.err == nil
}

// varint reads a number in the fewest bytes: 80 00 is not 0.
func (r *reader) varint(name string) uint64 {
	n, size := binary.Uvarint(r.rest)
	switch {
	case size <= 0:
		r.fail(refuse(name, "is cut, or has more than 64 bits"))
		return 0
	case size > 1 && r.rest[size-1] == 0:
		r.fail(refuse(name, "is a number in more bytes than it needs"))
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

// end refuses what is left of a message: known gives the names of fields that Tron has and that are not signed here.
func (r *reader) end(message string, known names) error {
	if r.err != nil || len(r.rest) == 0 {
		return r.err
	}
	key, size := binary.Uvarint(r.rest)
	switch name, found := known[key>>3]; {
	case size <= 0:
		r.fail(refuse(message, "ends within a field"))
	case found:
		r.fail(refuse(name, "is not signed here"))
	default:
		r.fail(refuse(message, "has the field %d, which is unknown, there twice or out of order", key>>3))
	}
	return r.err
}
