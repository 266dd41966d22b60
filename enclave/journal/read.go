package journal

import "fmt"

// mark is where an entry ends and the hash of the chain up to and with it: what
// it takes to find and to open the next one without reading all before it.
type mark struct {
	head [32]byte
	end  int64
}

// Read gives an entry that is on disk. It is opened as at a replay: bound to its
// place and to all before it, so what comes back is what was appended.
func (j *Journal) Read(seq uint64) (Position, []byte, error) {
	prev, to, ok := j.place(seq)
	if !ok {
		return Position{}, nil, ErrUnknown
	}
	record := make([]byte, to.end-prev.end)
	if _, err := j.log.ReadAt(record, prev.end); err != nil {
		return Position{}, nil, fmt.Errorf("reading entry %d: %w", seq, err)
	}
	before := Position{seq - 1, prev.head}
	p := before.next(record)
	if p.Head != to.head {
		return Position{}, nil, fmt.Errorf("%w: entry %d was changed while the journal was open", ErrTampered, seq)
	}
	payload, err := j.sealer.open(before, record)
	return p, payload, err
}

// ShortError is a number that the journal has not reached.
type ShortError struct{ Seq uint64 }

func (e *ShortError) Error() string { return fmt.Sprintf("journal: no entry %d yet", e.Seq) }

// Heads gives the positions of entries that are on disk.
func (j *Journal) Heads(seqs []uint64) (heads []Position, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, seq := range seqs {
		if seq > j.durable.Seq {
			return nil, &ShortError{seq}
		}
		heads = append(heads, Position{seq, j.marks[seq].head})
	}
	return heads, nil
}

// place is where a durable entry begins and ends.
func (j *Journal) place(seq uint64) (from, to mark, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if seq == 0 || seq > j.durable.Seq {
		return from, to, false
	}
	return j.marks[seq-1], j.marks[seq], true
}
