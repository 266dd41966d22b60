package enclave

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/crash"
	"github.com/railkit/railkit/enclave/journal"
	"github.com/railkit/railkit/enclave/keystore"
)

// ErrSameSecret is of a new unseal secret that is the old one.
var ErrSameSecret = errors.New("the new unseal secret opens the folder already: it is the old one")

// freshGenesisFile is where the genesis is sealed again before it takes the old one's place.
const freshGenesisFile = genesisFile + ".new"

// Reseal seals the genesis under another unseal secret. What is sealed stays the same to the last byte, so the journal
// stays bound to it, and each copy of the journal, old ones too, belongs to the new file as well as to the old one.
//
// Only who has the old secret can do it, and only while the signer is stopped: the journal is locked, so that of two
// who do it at once one is refused, and all of the folder is read before anything is written. The new file is written
// beside the old one and renamed onto it: wherever this dies, one file is there that opens with one of the two secrets.
// allow may refuse before that, by the environment.
func Reseal(o Options, next keystore.Sealer, allow func(chain.Environment) error) error {
	o.AcceptEnd = false
	s, err := Unseal(o)
	if errors.Is(err, journal.ErrLocked) {
		return fmt.Errorf("the signer is running: stop it first: %w", err)
	}
	if err != nil {
		return err
	}
	if err = allow(s.state.Environment); err == nil {
		err = reseal(o.Dir, o.Sealer, next)
	}
	return errors.Join(err, s.Close())
}

func reseal(dir string, old, next keystore.Sealer) error {
	path, fresh := filepath.Join(dir, genesisFile), filepath.Join(dir, freshGenesisFile)
	sealed, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading the genesis: %w", err)
	}
	if _, err := next.Open(sealed); err == nil {
		return ErrSameSecret
	}
	plain, err := old.Open(sealed)
	if err != nil {
		return fmt.Errorf("unsealing the genesis: %w", err)
	}
	defer clear(plain)
	again, err := next.Seal(plain)
	if err != nil {
		return fmt.Errorf("sealing the genesis: %w", err)
	}
	if err := opensAs(next, again, plain); err != nil {
		return err
	}
	if err := os.Remove(fresh); err != nil && !errors.Is(err, os.ErrNotExist) { // of one that died
		return fmt.Errorf("writing the genesis: %w", err)
	}
	if err := WriteSecret(fresh, again); err != nil {
		return fmt.Errorf("writing the genesis: %w", err)
	}
	crash.At("reseal", "written")
	if err := os.Rename(fresh, path); err != nil {
		return fmt.Errorf("putting the genesis in place: %w", err)
	}
	crash.At("reseal", "renamed")
	return syncDir(dir)
}

// opensAs makes sure that what is about to take the place of the only copy is worth as much.
func opensAs(next keystore.Sealer, sealed, plain []byte) error {
	is, err := next.Open(sealed)
	if err != nil {
		return fmt.Errorf("opening what was sealed again: %w", err)
	}
	defer clear(is)
	if !bytes.Equal(is, plain) {
		return errors.New("what was sealed again is not what was there")
	}
	return nil
}
