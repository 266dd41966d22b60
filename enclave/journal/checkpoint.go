package journal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// A checkpoint is what its owner made of all entries up to a position, so that
// the next start need not make it again. It is a shortcut and never a source:
// whatever is wrong with it, the log alone says what happened.
const (
	checkpointName  = "journal.checkpoint"
	freshName       = checkpointName + ".new"
	checkpointMagic = "railkit checkpoint 1\n"
	checkpointStart = len(checkpointMagic) + 8 + 32 // seq and head in clear, authenticated
	maxCheckpoint   = 1 << 30
	// reserve is left free: the checkpoint must not be what fills the disk, since
	// an entry that cannot be written ends the signing.
	reserve = 16 << 20
)

// What keeps a checkpoint from being used or written. Neither ends anything.
var (
	ErrCheckpoint = errors.New("journal: the checkpoint is torn, was changed or is of another journal")
	ErrNoSpace    = errors.New("journal: too little space is left for a checkpoint")
)

// ReadCheckpoint gives the checkpoint of a folder, if it is whole and of this
// journal: os.ErrNotExist where there is none. Whether its position is in the log
// is for Open to find, see Options.Known.
func ReadCheckpoint(o Options) (Position, []byte, error) {
	aead, err := checkpointCipher(o.Key)
	if err != nil {
		return Position{}, nil, err
	}
	return readCheckpoint(o.Dir, aead, o.Binding)
}

// Checkpoint is the one that lies beside the open journal, if it fits the log.
func (j *Journal) Checkpoint() (Position, []byte, error) {
	p, payload, err := readCheckpoint(j.dir.Name(), j.shortcut, j.sealer.binding)
	if err == nil && !j.holds(p) {
		err = ErrCheckpoint
	}
	return p, payload, err
}

// holds says whether p is in the part of the log that is on disk.
func (j *Journal) holds(p Position) bool {
	_, to, ok := j.place(p.Seq)
	return ok && to.head == p.Head
}

func readCheckpoint(dir string, aead cipher.AEAD, binding string) (Position, []byte, error) {
	raw, err := readBounded(filepath.Join(dir, checkpointName))
	if err != nil {
		return Position{}, nil, fmt.Errorf("reading the checkpoint: %w", err)
	}
	if len(raw) < checkpointStart || string(raw[:len(checkpointMagic)]) != checkpointMagic {
		return Position{}, nil, ErrCheckpoint
	}
	place := raw[len(checkpointMagic):checkpointStart]
	payload, err := aead.Open(nil, nil, raw[checkpointStart:], append(bound("checkpoint", binding), place...))
	if err != nil {
		return Position{}, nil, ErrCheckpoint
	}
	return Position{binary.BigEndian.Uint64(place), [32]byte(place[8:])}, payload, nil
}

func readBounded(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0) // a pipe would wait for a writer
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxCheckpoint) {
		err = ErrCheckpoint
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	raw := make([]byte, info.Size())
	_, err = io.ReadFull(f, raw)
	return raw, errors.Join(err, f.Close())
}

// WriteCheckpoint puts payload beside the log, in place of an earlier one. It
// stands for all entries up to p, which has to be on disk. The new file is whole
// and synced before it takes the name; the log goes on meanwhile. One that is
// older than the last is let go.
func (j *Journal) WriteCheckpoint(p Position, payload []byte) error {
	j.saving.Lock()
	defer j.saving.Unlock()
	if !j.holds(p) {
		return ErrUnknown
	}
	if p.Seq < j.saved {
		return nil
	}
	raw, err := j.sealCheckpoint(p, payload)
	if err != nil {
		return err
	}
	if free, err := j.disk.Free(j.dir); err != nil || free < uint64(len(raw))+reserve {
		return errors.Join(ErrNoSpace, err)
	}
	if err := j.putCheckpoint(raw); err != nil {
		return errors.Join(fmt.Errorf("writing the checkpoint: %w", err), removeFresh(j.dir.Name()))
	}
	j.saved = p.Seq
	return nil
}

func (j *Journal) sealCheckpoint(p Position, payload []byte) ([]byte, error) {
	if len(payload) > maxCheckpoint-checkpointStart-overhead {
		return nil, ErrTooLarge
	}
	raw := make([]byte, 0, checkpointStart+overhead+len(payload))
	raw = binary.BigEndian.AppendUint64(append(raw, checkpointMagic...), p.Seq)
	raw = append(raw, p.Head[:]...)
	return j.shortcut.Seal(raw, nil, payload,
		append(bound("checkpoint", j.sealer.binding), raw[len(checkpointMagic):]...)), nil
}

func (j *Journal) putCheckpoint(raw []byte) error {
	fresh := filepath.Join(j.dir.Name(), freshName)
	f, err := os.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	err = j.disk.writeAll(f, raw, 0)
	if err == nil {
		err = j.disk.Sync(f)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := j.disk.Rename(fresh, filepath.Join(j.dir.Name(), checkpointName)); err != nil {
		return err
	}
	return j.disk.SyncDir(j.dir.Name())
}

// removeFresh removes what a crash left half written.
func removeFresh(dir string) error {
	if err := os.Remove(filepath.Join(dir, freshName)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("removing an unfinished checkpoint: %w", err)
	}
	return nil
}

// checkpointCipher has a key of its own: what is sealed as a checkpoint never
// opens as a record, nor the other way round.
func checkpointCipher(key [32]byte) (cipher.AEAD, error) {
	own, err := hkdf.Key(sha256.New, key[:], nil, "railkit journal checkpoint", 32)
	if err != nil {
		return nil, fmt.Errorf("deriving the checkpoint key: %w", err)
	}
	block, err := aes.NewCipher(own)
	if err != nil {
		return nil, fmt.Errorf("making the checkpoint cipher: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}
