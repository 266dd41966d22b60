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
	slots   = 7 // of a sixth of the window each: six whole ones and the one that runs
)

// crowd counts the calls of any number of callers in a memory of fixed size (a
// count-min sketch). Each call adds one to a counter in every row, which its
// caller shares with others; the least of the four is at least the caller's own
// count. So nobody is admitted beyond the limit, and a caller is refused too early
// only where in all four rows its neighbours made many calls: while a million calls
// a minute come from a million networks, a counter holds 15 calls of others, and
// a limit of 100 leaves some 85. Who shares a counter with whom, a seed decides that
// nobody outside knows.
//
// Its window is longer than the exact one by up to a sixth: calls are counted by
// the slot of time that they fell into.
type crowd struct {
	seed   maphash.Seed
	width  time.Duration                 // of a slot
	number int64                         // of the slot that runs, since 1970
	counts [slots]*[rows][columns]uint16 // of that slot and of those before it
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

// turn drops the slots that are over. Where the clock was set back none is: what was
// counted counts as though it had been counted now.
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

// least finds the row in which the caller's neighbours called least.
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

// room is when the counter holds fewer calls than so many.
func (c *crowd) room(row int, place uint16, fewer int) time.Time {
	left := 0
	for age, slot := range c.counts { // the slot of which the sum up to it reaches so many
		if left += int(slot[row][place]); left >= fewer {
			return time.Unix(0, (c.number+int64(slots-age))*int64(c.width))
		}
	}
	return time.Unix(0, (c.number+1)*int64(c.width))
}
