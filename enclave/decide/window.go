package decide

// window remembers which signature counters of a passkey were seen. Stamps may
// arrive out of order (two prepared, the second one sent first), so a counter
// that is only lower is fine; one that comes twice, or is older than the window,
// means that two authenticators hold the key. Counters that are always 0 say nothing.
type window struct {
	max  uint32
	seen uint64 // bit i: max-i was seen
}

const windowSize = 64

func (w window) accepts(n uint32) bool {
	if n == 0 {
		return w.max == 0
	}
	if n > w.max {
		return true
	}
	back := w.max - n
	return back < windowSize && w.seen&(1<<back) == 0
}

func (w window) with(n uint32) window {
	if n == 0 {
		return w
	}
	if n > w.max {
		shift := n - w.max
		w.seen <<= min(shift, windowSize)
		if shift >= windowSize {
			w.seen = 0
		}
		return window{max: n, seen: w.seen | 1}
	}
	if back := w.max - n; back < windowSize {
		w.seen |= 1 << back
	}
	return w
}
