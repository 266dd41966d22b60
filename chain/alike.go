package chain

import "strings"

// alikeAtEachEnd is how many characters people compare before they take an address for another one. By chance two
// addresses of hex digits share that many at both ends once in 16 million pairs.
const alikeAtEachEnd = 3

// Alike reports whether two different addresses can be mistaken for one another where only their ends are read: they
// begin alike and end alike, in either case. Where case is no checksum, another case is another address. Senders of
// address poisoning make such addresses by trial, pay from them or to them, and wait for somebody to copy the wrong
// line of a history.
//
//	0xAb58…e3F1  0xab5C…13f1  alike: both begin with ab5 and end with 3f1
func Alike(a, b string) bool {
	same := a == b || strings.HasPrefix(a, "0x") && strings.EqualFold(a, b)
	a, b = strings.TrimPrefix(a, "0x"), strings.TrimPrefix(b, "0x")
	const n = alikeAtEachEnd
	return !same && min(len(a), len(b)) >= 2*n && strings.EqualFold(a[:n], b[:n]) &&
		strings.EqualFold(a[len(a)-n:], b[len(b)-n:])
}
