package watch

import (
	"errors"
	"time"

	"github.com/railkit/railkit/chain/node"
)

// Progress is how far a watcher has read a chain, for monitoring.
type Progress struct {
	Slug     string
	Head     int64     // number of the newest block, as the node said last
	HeadAt   time.Time // when that block was made, by the chain's clock; zero: no node has answered yet
	Read     int64     // number of the last block that was read
	ReadAt   time.Time // when a step last went through, at first when the watcher was made
	Failures uint64    // steps that failed
}

// Progress is that of each chain, in no order.
func (w *Watcher) Progress() []Progress {
	all := make([]Progress, len(w.chains))
	for i, f := range w.chains {
		f.mu.Lock()
		all[i] = f.progress
		f.mu.Unlock()
	}
	return all
}

// noteTip keeps what the node and the cursor say.
func (f *follower) noteTip(tip node.Header, at Cursor) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.progress.Head, f.progress.HeadAt, f.progress.Read = tip.Number, time.Unix(tip.Time, 0), at.Number
}

// noteStep keeps what became of a step, but where the node was a block behind for a moment.
func (f *follower) noteStep(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil || errors.Is(err, ErrStale) {
		f.progress.ReadAt = f.clock.Now()
	} else {
		f.progress.Failures++
	}
}
