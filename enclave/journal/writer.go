package journal

import (
	"fmt"

	"github.com/railkit/railkit/crash"
)

// write is the one goroutine that touches the files. It writes as soon as there
// is something, and what is appended meanwhile goes together into the next
// batch: one sync for all who wait, and no timer for one who is alone.
func (j *Journal) write() {
	defer close(j.done)
	var spare []byte
	for {
		batch, to, ok := j.take(spare)
		if !ok {
			return
		}
		if err := j.settle(to, j.flush(batch, to)); err != nil {
			return
		}
		if spare = nil; cap(batch) <= 2*MaxPayload {
			spare = batch[:0]
		}
	}
}

// take waits for entries and leaves spare as the buffer for the next ones.
func (j *Journal) take(spare []byte) (batch []byte, to Position, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for len(j.pending) == 0 && !j.closing {
		j.queued.Wait()
	}
	batch, j.pending = j.pending, spare
	return batch, j.last, len(batch) > 0
}

// flush returns when the batch is on disk and the head says so. The head comes
// before the answer: an entry that somebody was told of cannot be cut off unseen.
func (j *Journal) flush(batch []byte, to Position) error {
	if err := j.disk.writeAll(j.log, batch, j.end); err != nil {
		return fmt.Errorf("writing journal.log: %w", err)
	}
	crash.At("journal", "written")
	if err := j.disk.Sync(j.log); err != nil {
		return fmt.Errorf("syncing journal.log: %w", err)
	}
	crash.At("journal", "synced")
	j.end += int64(len(batch))
	return j.head.write(j.disk, to)
}

// settle tells those who wait. An error is for good: after a failed sync the
// system may have dropped the pages, and a second sync would report success.
func (j *Journal) settle(to Position, err error) error {
	crash.At("journal", "headed")
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil {
		j.broken = fmt.Errorf("%w: %w", ErrBroken, err)
	} else {
		j.durable = to
	}
	j.settled.Broadcast()
	return err
}
