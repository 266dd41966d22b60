package journal

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// extent is what recover found in the log.
type extent struct {
	last Position
	end  int64 // of the last whole record
	sure int64 // of the record that the head names: all before it was synced
	size int64 // of the file

	marks []mark // [n] is the end of entry n
}

// errTorn is the end of a log whose last record was not written completely.
var errTorn = errors.New("torn")

// recover reads the log from its start, checks it against the heads and replays
// what follows entry from. Up to there the chain says all: it ends in a hash that
// heads holds, so no byte before it is another one.
func (j *Journal) recover(
	heads []Position, from uint64, replay func(p Position, payload []byte) error,
) (extent, error) {
	r, err := newReader(j.log)
	if err != nil {
		return extent{}, err
	}
	x := extent{last: j.sealer.start(), end: r.at, size: r.size}
	x.marks = []mark{{x.last.Head, x.end}}
	for {
		if err := x.compare(heads); err != nil {
			return x, err
		}
		record, err := r.next()
		if errors.Is(err, io.EOF) || errors.Is(err, errTorn) {
			return x, x.reaches(heads)
		}
		if err != nil {
			return x, fmt.Errorf("reading entry %d: %w", x.last.Seq+1, err)
		}
		prev := x.last
		x.last, x.end = prev.next(record), r.at
		if x.last.Seq > from {
			if err := j.replay(prev, x.last, record, replay); err != nil {
				return x, err
			}
		}
		x.marks = append(x.marks, mark{x.last.Head, x.end})
	}
}

// replay opens the record between two positions and gives what is in it to apply.
func (j *Journal) replay(prev, p Position, record []byte, apply func(p Position, payload []byte) error) error {
	payload, err := j.sealer.open(prev, record)
	if err != nil || apply == nil {
		return err
	}
	if err := apply(p, payload); err != nil {
		return fmt.Errorf("replaying entry %d: %w", p.Seq, err)
	}
	return nil
}

// compare finds a log that went another way than the head recorded.
func (x *extent) compare(heads []Position) error {
	for _, h := range heads {
		if h.Seq != x.last.Seq {
			continue
		}
		if h.Head != x.last.Head {
			return fmt.Errorf("%w: journal.log is not the one that was written up to entry %d", ErrTampered, h.Seq)
		}
		x.sure = x.end
	}
	return nil
}

// reaches finds a log that ends before the entry that the head recorded.
func (x *extent) reaches(heads []Position) error {
	for _, h := range heads {
		if h.Seq > x.last.Seq {
			return fmt.Errorf("%w: journal.log ends after entry %d, but entry %d had been written; "+
				"put the newest copy of the whole folder in its place",
				ErrTampered, x.last.Seq, h.Seq)
		}
	}
	return nil
}

// secure cuts off the torn end, and writes again what no head vouches for: after
// a failed sync such a record may be readable from memory and not be on disk.
func (j *Journal) secure(x extent) error {
	if err := j.log.Truncate(x.end); err != nil {
		return err
	}
	b := make([]byte, 1<<20)
	for at := x.sure; at < x.end; at += int64(len(b)) {
		b = b[:min(int64(len(b)), x.end-at)]
		if _, err := j.log.ReadAt(b, at); err != nil {
			return err
		}
		if err := j.disk.writeAll(j.log, b, at); err != nil {
			return err
		}
	}
	return j.log.Sync()
}

// reader takes the log apart into records.
type reader struct {
	r    *bufio.Reader
	at   int64 // where the next record begins
	size int64
	used int64  // end of the last byte that is not zero
	last []byte // the record that was read last
}

func newReader(f *os.File) (*reader, error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("reading journal.log: %w", err)
	}
	used, err := usedPart(f, size)
	if err != nil {
		return nil, fmt.Errorf("reading journal.log: %w", err)
	}
	r := &reader{r: bufio.NewReaderSize(io.NewSectionReader(f, 0, size), 1<<20), size: size, used: used}
	first := make([]byte, len(magic))
	if _, err := io.ReadFull(r.r, first); err != nil {
		return nil, fmt.Errorf("reading journal.log: %w", err)
	}
	if string(first) != magic {
		return nil, fmt.Errorf("%w: journal.log does not begin as a journal of this version", ErrTampered)
	}
	r.at = int64(len(magic))
	return r, nil
}

// next gives the next record, io.EOF after the last, errTorn at an incomplete one.
// The record is only good until the next call.
func (r *reader) next() ([]byte, error) {
	if r.at == r.size {
		return nil, io.EOF
	}
	if r.torn(lengthSize) {
		return nil, errTorn
	}
	length, err := r.r.Peek(lengthSize)
	if err != nil {
		return nil, err
	}
	box := int64(binary.BigEndian.Uint32(length))
	if box < overhead || box > maxBox {
		return nil, fmt.Errorf("%w: its length is impossible", ErrTampered)
	}
	if r.torn(lengthSize+box) || r.at+lengthSize+box-tagSize >= r.used {
		return nil, errTorn
	}
	r.last = append(r.last[:0], make([]byte, lengthSize+box)...)
	if _, err := io.ReadFull(r.r, r.last); err != nil {
		return nil, err
	}
	r.at += int64(len(r.last))
	return r.last, nil
}

// torn says whether the n bytes that should follow were not all written. After
// a power failure a file may have its new length with zeros for its data.
func (r *reader) torn(n int64) bool {
	return r.at+n > r.size || r.at >= r.used
}

// usedPart is the size without the zeros at the end.
func usedPart(f *os.File, size int64) (int64, error) {
	b := make([]byte, 4096)
	for size > 0 {
		part := b[:min(size, int64(len(b)))]
		if _, err := f.ReadAt(part, size-int64(len(part))); err != nil {
			return 0, err
		}
		for i := len(part) - 1; i >= 0; i-- {
			if part[i] != 0 {
				return size - int64(len(part)-1-i), nil
			}
		}
		size -= int64(len(part))
	}
	return 0, nil
}
