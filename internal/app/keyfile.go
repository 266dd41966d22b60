package app

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/railkit/railkit/chain"
)

// keyFile is a file with a key that a setting names. The sandbox makes its own,
// in its data folder.
type keyFile struct {
	name    string // of the key: "session"
	setting string
	path    string
	make    func() ([]byte, error)
}

func (k keyFile) read(c Config) ([]byte, error) {
	path := k.path
	if c.Environment == string(chain.Sandbox) {
		path = cmp.Or(path, filepath.Join(c.DataDir, k.name+".key"))
		if err := k.ensure(path); err != nil {
			return nil, fmt.Errorf("making the %s key: %w", k.name, err)
		}
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the %s key (--%s): %w", k.name, k.setting, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("reading the %s key (--%s): %w", k.name, k.setting, err)
	}
	if info.Mode().Perm()&0o007 != 0 {
		return nil, fmt.Errorf(
			"everybody on this machine may read or change the %s key (--%s): chmod 600 it", k.name, k.setting,
		)
	}
	return raw, nil
}

// ensure makes the file whole or not at all, and never twice: of two servers that
// start at once, both read the first one's.
func (k keyFile) ensure(path string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	raw, err := k.make()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(raw)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Link(f.Name(), path)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}
