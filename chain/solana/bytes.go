package solana

import (
	"encoding/binary"
	"slices"
)

// maxShortVec is the largest number of a shortvec, which has 16 bits in at most three bytes.
const maxShortVec = 1<<16 - 1

// appendShortVec writes a length: 7 bits in each byte, the lowest first, and the highest bit where more follow.
//
//	5      05
//	127    7f
//	128    80 01
//	16384  80 80 01
func appendShortVec(b []byte, n int) []byte {
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

// reader takes fields from the front of bytes. After the first error it gives zeros, so that only the end has to look
// at err.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err, r.rest = err, nil
	}
}

// take gives the next n bytes. Nothing is allocated by a length that an attacker wrote: the bytes have to be there.
func (r *reader) take(field string, n int) []byte {
	if len(r.rest) < n {
		r.fail(refuse(field, "needs %d bytes, and %d are left", n, len(r.rest)))
	}
	if r.err != nil {
		return nil
	}
	var taken []byte
	taken, r.rest = r.rest[:n:n], r.rest[n:]
	return taken
}

func (r *reader) byte(field string) byte {
	if b := r.take(field, 1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) u32(field string) uint32 {
	if b := r.take(field, 4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *reader) u64(field string) uint64 {
	if b := r.take(field, 8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *reader) address(field string) (a Address) {
	copy(a[:], r.take(field, len(a)))
	return a
}

// shortVec reads a length in the fewest bytes: 80 00 is not 0, and the third byte has two bits at most.
func (r *reader) shortVec(field string) int {
	n := 0
	for i := range 3 {
		b := r.byte(field)
		n |= int(b&0x7f) << (7 * i)
		switch {
		case r.err != nil:
			return 0
		case b == 0 && i > 0:
			r.fail(refuse(field, "length in more bytes than it needs"))
			return 0
		case n > maxShortVec:
			r.fail(refuse(field, "length of more than 16 bits"))
			return 0
		case b < 0x80:
			return n
		}
	}
	r.fail(refuse(field, "length of more than three bytes"))
	return 0
}

// list reads as many elements as a shortvec says, each with size bytes at least.
func (r *reader) list(field string, size int) int {
	n := r.shortVec(field)
	if n*size > len(r.rest) {
		r.fail(refuse(field, "%d of them, and %d bytes are left", n, len(r.rest)))
		return 0
	}
	return n
}

// listed reads a list of bytes.
func (r *reader) listed(field string) []byte {
	return slices.Clone(r.take(field, r.list(field, 1)))
}

func (r *reader) addresses(field string, n int) []Address {
	if n == 0 || r.err != nil {
		return nil
	}
	all := make([]Address, n)
	for i := range all {
		all[i] = r.address(field)
	}
	return all
}

// end refuses what is left.
func (r *reader) end(field string) error {
	if r.err == nil && len(r.rest) > 0 {
		r.fail(refuse(field, "%d bytes behind its end", len(r.rest)))
	}
	return r.err
}
