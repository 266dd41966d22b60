// Package keyfile reads keys from files that other users cannot read: P-256 keys, of 32 bytes in hex, and texts.
package keyfile

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/railkit/railkit/enclave/wire"
)

// Text reads a key that is one line of text, and is not empty. What it is is said in errors ("the price key"). Who can
// read the file has the key, so one that other users may read is refused.
func Text(path, what string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", what, err)
	}
	if info.Mode().Perm()&0o007 != 0 {
		return "", fmt.Errorf("other users may read %s's file: chmod 600", what)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", what, err)
	}
	text := strings.TrimSpace(string(raw))
	if text == "" {
		return "", fmt.Errorf("%s's file is empty", what)
	}
	return text, nil
}

// Read reads a P-256 key.
func Read(path, what string) (*ecdsa.PrivateKey, error) {
	text, err := Text(path, what)
	if err != nil {
		return nil, err
	}
	bad := fmt.Errorf("%s's file does not hold 32 bytes in hex", what) // and not what it holds
	raw, err := hex.DecodeString(text)
	if err != nil {
		return nil, bad
	}
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), raw)
	if err != nil {
		return nil, bad
	}
	return key, nil
}

// New writes a new key to a new file, and gives its public half: compressed, in hex.
func New(path, what string) (public string, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	raw, err := key.Bytes()
	if err != nil {
		return "", err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fmt.Errorf("writing %s: %w", what, err)
	}
	_, err = f.WriteString(hex.EncodeToString(raw) + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", fmt.Errorf("writing %s: %w", what, err)
	}
	return wire.CompressP256(&key.PublicKey), nil
}

// Command is the command new-key of a program: it writes a new key to the file that --key-file names, and prints its
// public half.
func Command(what string) func(args []string) error {
	return func(args []string) error {
		f := flag.NewFlagSet("new-key", flag.ContinueOnError)
		path := f.String("key-file", "", "new file for "+what)
		if err := f.Parse(args); err != nil {
			return err
		}
		if *path == "" {
			return errors.New("--key-file is needed")
		}
		public, err := New(*path, what)
		if err == nil {
			fmt.Println(public)
		}
		return err
	}
}
