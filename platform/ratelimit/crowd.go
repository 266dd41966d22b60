package ratelimit

import (
	"hash/maphash"
	"math"
	"time"
)

// The size of a crowd: rows*columns*slots counters of two bytes are 3.5 MiB.
const (
	rows    = 4
	columns = 1 << 16
	slots   = 7 // each a sixth of the window long: six past slots and the current one
)

// crowd counts the calls of any number of callers in a memory of fixed size (a count-min sketch). Each call adds one to
// a counter in every row. A caller shares its counters with others, so the least of its four counters is at least its
// own count, and no caller is admitted beyond its limit. A caller is refused too early only if other callers made many
// calls on its counters in all four rows. Example: a million calls a minute come from a million networks. Then a
// counter holds 15 calls of others, and a limit of 100 leaves a caller some 85. A random seed, which callers do not
// know, decides which callers share a counter, so that nobody can fill the counters of a chosen caller.
//
// The window is longer than the exact one by up to a sixth, since a crowd knows only the slot of time of a call.
type crowd struct {
	seed   maphash.Seed
	width  time.Duration                 // of a slot
	number int64                         // of the current slot, counted from 1970
	counts [slots]*[rows][columns]uint16 // of the current slot and of those before it
}

func newCrowd(now time.Time, window time.Duration) *crowd {
	c := &crowd{seed: maphash.MakeSeed(), width: window / (slots - 1)}
	for i := range c.counts {
		c.counts[i] = new([rows][columns]uint16)
	}
	c.number = c.numberAt(now)
	return c
}

func (c *crowd) numberAt(t time.Time) int64 { return t.UnixNano() / int64(c.width) }

// turn drops the slots that have left the window. If the clock was set back, no slot is dropped: the counted calls
// count as though they had come now.
func (c *crowd) turn(now time.Time) {
	n := c.numberAt(now)
	for range min(n-c.number, slots) {
		oldest := c.counts[slots-1]
		*oldest = [rows][columns]uint16{}
		copy(c.counts[1:], c.counts[:slots-1])
		c.counts[0] = oldest
	}
	c.number = n
}

func (c *crowd) take(id counter, now time.Time, limit int) Verdict {
	c.turn(now)
	places := c.places(id)
	row, sum := c.least(places)
	v := Verdict{At: now, Limit: limit, Admitted: sum < limit}
	if v.Admitted {
		c.add(places)
		sum++
	}
	v.Remaining = max(0, limit-sum)
	v.Reset = c.room(row, places[row], min(sum, limit)).Sub(now)
	return v
}

// places are the caller's counters, one in each row.
func (c *crowd) places(id counter) (p [rows]uint16) {
	var h maphash.Hash
	h.SetSeed(c.seed)
	h.WriteString(string(id.class))
	h.WriteByte(0)
	h.WriteString(id.who)
	sum := h.Sum64()
	for i := range p {
		p[i] = uint16(sum >> (16 * i))
	}
	return p
}

// least finds the row whose counter for the caller is the lowest, and that counter's sum over all slots.
func (c *crowd) least(places [rows]uint16) (row, sum int) {
	sum = math.MaxInt
	for r, place := range places {
		in := 0
		for _, slot := range c.counts {
			in += int(slot[r][place])
		}
		if in < sum {
			row, sum = r, in
		}
	}
	return row, sum
}

func (c *crowd) add(places [rows]uint16) {
	for r, place := range places {
		if n := &c.counts[0][r][place]; *n < math.MaxUint16 {
			*n++
		}
	}
}

// room is the instant from which the counter holds fewer calls than the given number.
func (c *crowd) room(row int, place uint16, fewer int) time.Time {
	left := 0
	for age, slot := range c.counts { // newest first, until the sum reaches the number
		if left += int(slot[row][place]); left >= fewer {
			return time.Unix(0, (c.number+int64(slots-age))*int64(c.width))
		}
	}
	return time.Unix(0, (c.number+1)*int64(c.width))
}
