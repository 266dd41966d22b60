package enclave

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/journal"
	"github.com/railkit/railkit/enclave/keystore"
	"github.com/railkit/railkit/enclave/wire"
)

// InitOptions describe a new enclave.
type InitOptions struct {
	Dir         string
	Environment chain.Environment
	RPID        string
	Origins     []string
	PriceKey    string
	// nil: all that this program lists; the signer's operator can add the others later
	Networks   []chain.Network
	Secret     []byte                   // unseals the folder
	SecretFile string                   // where the caller wants Secret written, a new file; "" = nowhere
	Tell       func(identityKey string) // compressed P-256, hex; may be nil
}

// Init makes the folder of a new enclave, whole or not at all: it is made beside
// its place and renamed into it.
func Init(o InitOptions) error {
	if _, err := os.Stat(filepath.Join(o.Dir, genesisFile)); err == nil {
		return errors.New("this folder holds an enclave already; its genesis is not made twice")
	}
	sealer, err := keystore.NewSecret(o.Secret)
	if err != nil {
		return err
	}
	g, err := NewGenesis(o.Environment, o.RPID, o.Origins, o.PriceKey, time.Now().UnixMilli())
	if err != nil {
		return err
	}
	if o.Networks != nil {
		g.Networks = o.Networks
	}
	dir := strings.TrimRight(o.Dir, "/")
	fresh := dir + ".new"
	if err := errors.Join(os.RemoveAll(fresh), os.MkdirAll(fresh, 0o700)); err != nil {
		return fmt.Errorf("making the folder: %w", err)
	}
	defer os.RemoveAll(fresh) // no half of an enclave stays; after the rename there is none
	if err := g.Save(fresh, sealer); err != nil {
		return err
	}
	if err := begin(fresh, g); err != nil {
		return err
	}
	if err := writeSecret(o, dir, fresh); err != nil {
		return err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("the folder is not empty: %w", err)
	}
	if err := os.Rename(fresh, dir); err != nil {
		return fmt.Errorf("putting the folder in place: %w", err)
	}
	if err := syncDir(filepath.Dir(dir)); err != nil {
		return err
	}
	return tellIdentity(o.Tell, g)
}

// tellIdentity names the public half of the identity key: server and clients pin it.
func tellIdentity(tell func(key string), g Genesis) error {
	if tell == nil {
		return nil
	}
	key, err := g.identity()
	if err == nil {
		tell(wire.CompressP256(&key.PublicKey))
	}
	return err
}

// begin writes the first entry, which binds the journal to its constants. An
// enclave never starts on an empty journal: that one was removed.
func begin(dir string, g Genesis) error {
	var key [32]byte
	copy(key[:], g.JournalKey)
	j, err := journal.Open(journal.Options{Dir: dir, Key: key, Binding: binding(g.Environment, g.Hash())},
		func(journal.Position, []byte) error {
			return errors.New("a new journal is not empty")
		})
	if err != nil {
		return fmt.Errorf("making the journal: %w", err)
	}
	payload, err := json.Marshal(decide.Event{Kind: decide.EventGenesis, TimeMs: g.CreatedAtMs, Genesis: g.Hash()})
	if err != nil {
		return errors.Join(err, j.Close())
	}
	p, err := j.Append(payload)
	if err == nil {
		err = j.Wait(p.Seq)
	}
	return errors.Join(err, j.Close())
}

func binding(env chain.Environment, genesisHash string) string {
	return string(env) + "|" + genesisHash
}

// writeSecret keeps the secret where the sandbox wants it, in the same rename
// as the folder where it lies in there.
func writeSecret(o InitOptions, dir, fresh string) error {
	if o.SecretFile == "" {
		return nil
	}
	path := o.SecretFile
	if rel, err := filepath.Rel(dir, path); err == nil && !strings.HasPrefix(rel, "..") {
		path = filepath.Join(fresh, rel)
	}
	if err := WriteSecret(path, o.Secret); err != nil {
		return fmt.Errorf("writing the unseal secret: %w", err)
	}
	return nil
}

// WriteSecret writes a new file of a secret, and is done when it is on disk. It
// never writes over a file: that one's secret may be all that opens something.
func WriteSecret(path string, secret []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(secret)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
