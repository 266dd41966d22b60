package audit

import (
	"fmt"
	"maps"
	"slices"
)

// checker verifies one chain, entry by entry. After a wrong entry it continues from that entry's own hash, so that one
// fault does not make all later entries wrong.
type checker struct {
	report Report
	told   map[int64][]string
}

func (c *checker) add(e Entry) {
	c.report.Rows++
	last := &c.report.Head
	switch {
	case e.Seq == 0 && e.Hash == "" && e.Previous == "":
		c.report.Outside++
		return
	case e.Seq <= 0:
		c.fault(e.Seq, "the row has lost its place in the chain")
		return
	case e.Seq == last.Seq:
		c.fault(e.Seq, "there is another row of the same place: one was inserted")
		return
	case e.Seq > last.Seq+1:
		c.missing(last.Seq+1, e.Seq-1)
		c.sum(e)
	case c.sum(e) && e.Previous != last.Hash:
		c.fault(e.Seq, "the row does not follow the one before it: one of the two was replaced")
	}
	last.Seq, last.Hash = e.Seq, e.Hash
	c.compareTold(e)
}

// sum reports whether the stored hash of the entry is the hash of its fields.
func (c *checker) sum(e Entry) bool {
	if e.Sum() == e.Hash {
		return true
	}
	c.fault(e.Seq, "the row is not what was hashed: it was changed or moved")
	return false
}

func (c *checker) missing(from, to int64) {
	if from == to {
		c.fault(from, "the row is missing")
		return
	}
	c.fault(from, fmt.Sprintf("the row is missing, and all up to %d", to))
}

func (c *checker) compareTold(e Entry) {
	for _, hash := range c.told[e.Seq] {
		if hash != e.Hash {
			c.fault(e.Seq, "the row was another one when its head was printed: the chain was written anew")
		}
	}
	delete(c.told, e.Seq)
}

// end compares the end of the chain with its head.
func (c *checker) end(head Head) {
	last := c.report.Head
	switch {
	case head.Seq > last.Seq:
		c.missing(last.Seq+1, head.Seq)
	case head.Seq == 0 && last.Seq > 0:
		c.fault(last.Seq, "the chain's head is missing")
	case head.Seq < last.Seq:
		c.fault(head.Seq+1, "the row comes after the chain's head: it was inserted, or the head was changed")
	case head.Hash != last.Hash:
		c.fault(last.Seq, "the chain's head has another hash than the last row")
	}
	for _, seq := range slices.Sorted(maps.Keys(c.told)) {
		c.fault(seq, "the row was the head once, and is not there any more")
	}
}

func (c *checker) fault(seq int64, what string) {
	if len(c.report.Faults) == mostFaults {
		c.report.More++
		return
	}
	c.report.Faults = append(c.report.Faults, Fault{seq, what})
}
