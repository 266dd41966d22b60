package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

const (
	logName  = "journal.log"
	headName = "journal.head"
)

// Open locks the folder, checks the whole journal and gives every entry that
// o does not skip to replay in order. A record that a crash left incomplete at the end, and that
// nobody was told of, is cut off; anything else that is wrong is an error. What
// replay has built is only to be used when Open succeeds.
func Open(o Options, replay func(p Position, payload []byte) error) (*Journal, error) {
	s, err := newSealer(o.Key, o.Binding)
	if err != nil {
		return nil, err
	}
	shortcut, err := checkpointCipher(o.Key)
	if err != nil {
		return nil, err
	}
	dir, err := lockDir(o.Dir)
	if err != nil {
		return nil, err
	}
	j := &Journal{sealer: s, shortcut: shortcut, disk: o.Disk.orReal(), dir: dir, done: make(chan struct{})}
	j.queued.L, j.settled.L = &j.mu, &j.mu
	if err := j.start(o, replay); err != nil {
		return nil, errors.Join(err, j.closeFiles())
	}
	go j.write()
	return j, nil
}

// start reads the journal in, or makes a new one.
func (j *Journal) start(o Options, replay func(p Position, payload []byte) error) error {
	heads, err := j.openFiles(o)
	if err != nil {
		return err
	}
	var from uint64
	if o.Known.Seq > 0 {
		heads = append(heads, o.Known)
	}
	if o.Skip {
		from = o.Known.Seq
	}
	found, err := j.recover(heads, from, replay)
	if err != nil {
		return err
	}
	if err := j.acceptEnd(o, found.last); err != nil {
		return err
	}
	if err := removeFresh(o.Dir); err != nil {
		return err
	}
	if err := j.secure(found); err != nil {
		return fmt.Errorf("securing the end of journal.log: %w", err)
	}
	j.end, j.last, j.durable, j.marks = found.end, found.last, found.last, found.marks
	if j.endAccepted || j.head.upgradesLater(found.last) { // the next batch writes the head
		return nil
	}
	return j.head.write(j.disk, found.last)
}

// acceptEnd refuses a log whose last entries may be missing: journal.head, which
// would show it, is damaged. Nothing but the operator can say that they are not.
func (j *Journal) acceptEnd(o Options, end Position) error {
	if j.head.settles(end) {
		return nil
	}
	if o.AcceptEnd {
		j.endAccepted = true
		return nil
	}
	return fmt.Errorf("%w: journal.head is damaged, missing or of another journal, "+
		"and entries after %d may have been cut off: "+
		"put the newest copy of the whole folder in its place, "+
		"or start once with --accept-journal-end if entry %d is the last",
		ErrTampered, end.Seq, end.Seq)
}

// openFiles opens both files and reads the heads. Only a journal without an
// entry may lack its head: then its creation was cut short and is done again.
func (j *Journal) openFiles(o Options) ([]Position, error) {
	empty, err := j.openLog(o)
	if err != nil {
		return nil, err
	}
	f, err := openFile(filepath.Join(o.Dir, headName))
	if err != nil {
		return nil, err
	}
	if j.head, err = newHeadFile(f, o.Key, o.Binding); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	heads, err := j.head.read()
	if err != nil {
		return nil, err
	}
	if len(heads) > 0 || !empty || o.MustExist {
		return heads, nil
	}
	return []Position{j.sealer.start()}, j.createHead(o.Dir)
}

// openLog opens or makes journal.log and says whether it is without an entry.
func (j *Journal) openLog(o Options) (empty bool, err error) {
	path := filepath.Join(o.Dir, logName)
	if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
		if err := mayCreate(o); err != nil {
			return false, err
		}
	}
	if j.log, err = openFile(path); err != nil {
		return false, err
	}
	info, err := j.log.Stat()
	if err != nil {
		return false, fmt.Errorf("reading journal.log: %w", err)
	}
	if info.Size() < int64(len(magic)) {
		return true, j.createLog(o)
	}
	return info.Size() == int64(len(magic)), nil
}

// mayCreate refuses where there was a journal: the log is made before the head,
// so a head without a log means that the log was taken away.
func mayCreate(o Options) error {
	if _, err := os.Lstat(filepath.Join(o.Dir, headName)); err == nil {
		return fmt.Errorf("%w: journal.log is missing", ErrTampered)
	}
	if o.MustExist {
		return ErrMissing
	}
	return nil
}

func (j *Journal) createLog(o Options) error {
	if err := mayCreate(o); err != nil {
		return err
	}
	if err := j.disk.writeAll(j.log, []byte(magic), 0); err != nil {
		return fmt.Errorf("creating journal.log: %w", err)
	}
	if err := errors.Join(j.log.Sync(), syncDir(o.Dir)); err != nil {
		return fmt.Errorf("creating journal.log: %w", err)
	}
	return nil
}

// createHead writes both slots, so that the file has its full length from the
// start and a later write of a slot needs no new space.
func (j *Journal) createHead(dir string) error {
	if err := j.head.write(j.disk, j.sealer.start()); err != nil {
		return err
	}
	if err := errors.Join(j.head.f.Sync(), syncDir(dir)); err != nil {
		return fmt.Errorf("creating journal.head: %w", err)
	}
	return nil
}

func openFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the journal: %w", err)
	}
	if err := f.Chmod(0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("closing the journal to others: %w", err), f.Close())
	}
	return f, nil
}
