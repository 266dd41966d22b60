// Package journal is the enclave's only source of truth: one append-only file
// of sealed records, each bound to all before it. What is not in it did not
// happen; what Wait has confirmed survives a crash of the process or of power.
//
// It finds every change of journal.log: a record that is altered, moved, copied
// or missing stops Open. It does not find that the whole folder was put back to
// an older state; that needs a counter outside of the folder.
//
// Beside the log may lie a checkpoint: what the journal's owner made of the
// entries so far. It shortens a start and decides nothing; the log alone does.
package journal

import (
	"crypto/cipher"
	"errors"
	"fmt"
	"os"
	"sync"
)

// What a journal refuses. None of them holds a byte of a record.
var (
	ErrBroken   = errors.New("journal: writing failed, restart to go on")
	ErrClosed   = errors.New("journal: closed")
	ErrLocked   = errors.New("journal: another process has this folder open")
	ErrTampered = errors.New("journal: does not hold what was written")
	ErrTooLarge = errors.New("journal: record over 1 MiB")
	ErrMissing  = errors.New("journal: no journal in this folder")
	ErrUnknown  = errors.New("journal: no such entry yet")
)

// MaxPayload bounds one entry.
const MaxPayload = 1 << 20

// Options say where a journal is and whose it is.
type Options struct {
	Dir       string
	Key       [32]byte
	Binding   string // environment|genesis hash: part of every record's authenticated data
	MustExist bool   // refuse to make a new journal: the caller knows that there was one

	// Known is where an authentic checkpoint stands: it has to be in the log. With
	// Skip the entries up to it are not replayed, and only checked by the chain of
	// hashes that ends there.
	Known Position
	Skip  bool
	Disk  Disk

	// AcceptEnd takes the log as whole where journal.head is damaged and cannot
	// say so: the operator did. A head that shows that entries are missing is
	// refused all the same.
	AcceptEnd bool
}

// Position is a place in the journal: the entry with Seq (the first has 1) and
// the hash of the chain up to and with it. Seq 0 is the empty journal.
type Position struct {
	Seq  uint64
	Head [32]byte
}

// Journal is an open journal. Its methods may be called from any goroutine.
type Journal struct {
	sealer sealer
	disk   Disk
	dir    *os.File // holds the lock
	log    *os.File
	head   *headFile
	end    int64 // of the durable part of log; only the writer uses it after Open

	mu      sync.Mutex
	queued  sync.Cond // the writer waits for entries or Close
	settled sync.Cond // Wait waits for a batch
	pending []byte    // records that the writer has not taken yet
	marks   []mark    // [n] is the end of entry n, [0] that of the log's first line
	last    Position
	durable Position
	closing bool
	broken  error
	done    chan struct{} // closed when the writer has gone

	shortcut cipher.AEAD // of checkpoints
	saving   sync.Mutex  // one checkpoint at a time
	saved    uint64      // entry of the last one that was written

	endAccepted bool
}

// EndAccepted says whether this start needed Options.AcceptEnd.
func (j *Journal) EndAccepted() bool { return j.endAccepted }

// Append puts payload behind all earlier entries. It returns before the entry
// is on disk: until Wait has said so, it may be lost.
func (j *Journal) Append(payload []byte) (Position, error) {
	if len(payload) > MaxPayload {
		return Position{}, ErrTooLarge
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.refusal(); err != nil {
		return Position{}, err
	}
	from := len(j.pending)
	j.pending = j.sealer.seal(j.pending, j.last, payload)
	j.last = j.last.next(j.pending[from:])
	j.marks = append(j.marks, mark{j.last.Head, j.marks[len(j.marks)-1].end + int64(len(j.pending)-from)})
	j.queued.Signal()
	return j.last, nil
}

// Wait returns nil once entry seq is on disk. Any error is final: nothing more
// will be written by this journal, and whether the entry is there is only known
// after the next Open.
func (j *Journal) Wait(seq uint64) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if seq > j.last.Seq {
		return ErrUnknown
	}
	for j.broken == nil && j.durable.Seq < seq {
		j.settled.Wait()
	}
	return j.broken
}

// Position is where the last appended entry is.
func (j *Journal) Position() Position {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.last
}

// Durable is where the last entry that is surely on disk is.
func (j *Journal) Durable() Position {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.durable
}

// Size is how many bytes the log has, with what waits to be written.
func (j *Journal) Size() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.marks[len(j.marks)-1].end
}

// Free is how many bytes the journal's disk has left.
func (j *Journal) Free() (uint64, error) { return j.disk.Free(j.dir) }

// Close writes what is pending and gives the folder free. It reports whether
// everything that was appended is on disk.
func (j *Journal) Close() error {
	j.mu.Lock()
	again := j.closing
	j.closing = true
	j.queued.Signal()
	j.mu.Unlock()
	<-j.done
	if again {
		return nil
	}
	return errors.Join(j.failure(), j.closeFiles())
}

func (j *Journal) failure() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.broken
}

func (j *Journal) refusal() error {
	if j.broken != nil {
		return j.broken
	}
	if j.closing {
		return ErrClosed
	}
	return nil
}

// closeFiles ends with the folder, whose descriptor holds the lock.
func (j *Journal) closeFiles() error {
	var errs []error
	for _, f := range []*os.File{j.log, j.head.file()} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	errs = append(errs, unlock(j.dir))
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("closing the journal: %w", err)
	}
	return nil
}
