package keystore

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"filippo.io/age"
)

// Sealer protects the enclave's root secrets while it is off. Hardware will do
// the same behind this interface.
type Sealer interface {
	Seal(plain []byte) ([]byte, error)
	Open(sealed []byte) ([]byte, error)
	Platform() string // what clients are told: "software" is not hardware
}

// What a sealer refuses.
var (
	ErrUnseal   = errors.New("keystore: the sealed file does not open with this secret")
	ErrIdentity = errors.New("keystore: the unseal secret looks like an age identity and is none")
	ErrWeak     = errors.New("keystore: the passphrase is made of too few different characters: use age-keygen, " +
		"or openssl rand -base64 32")
	ErrPassphrase = errors.New(
		"keystore: the unseal secret must be an age identity or a passphrase: one line of 12 characters or more",
	)
)

const (
	identityPrefix = "AGE-SECRET-KEY-"
	minPassphrase  = 12
	minDifferent   = 8  // characters of a new passphrase
	scryptLogN     = 18 // about a second, and 256 MiB
)

// FileSealer seals with age, under a passphrase or an age identity.
type FileSealer struct {
	recipient age.Recipient
	identity  age.Identity
}

// Platform tells that no hardware holds the secret.
func (*FileSealer) Platform() string { return "software" }

// Seal encrypts plain.
func (f *FileSealer) Seal(plain []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := age.Encrypt(&out, f.recipient)
	if err != nil {
		return nil, fmt.Errorf("sealing: %w", err)
	}
	if _, err := w.Write(plain); err != nil {
		return nil, fmt.Errorf("sealing: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("sealing: %w", err)
	}
	return out.Bytes(), nil
}

// Open decrypts what Seal made; a changed byte is an error.
func (f *FileSealer) Open(sealed []byte) ([]byte, error) {
	r, err := age.Decrypt(bytes.NewReader(sealed), f.identity)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnseal, err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnseal, err)
	}
	return plain, nil
}

// ParseSecret makes the sealer that an unseal secret is for: an age identity,
// with or without the comments that age-keygen writes, or else a passphrase.
func ParseSecret(text []byte) (Sealer, error) {
	lines := secretLines(text)
	if len(lines) != 1 {
		return nil, ErrPassphrase
	}
	if bytes.HasPrefix(bytes.ToUpper(lines[0]), []byte(identityPrefix)) {
		return newIdentitySealer(string(lines[0]))
	}
	if len(lines[0]) < minPassphrase || bytes.ContainsFunc(lines[0], isControl) {
		return nil, ErrPassphrase
	}
	return newPassphraseSealer(string(lines[0]), scryptLogN)
}

// NewSecret is ParseSecret for a secret that is about to be used for the first time. One that was good enough before
// goes on opening what it has sealed.
func NewSecret(text []byte) (Sealer, error) {
	s, err := ParseSecret(text)
	if err != nil {
		return nil, err
	}
	different := map[byte]bool{}
	for _, c := range secretLines(text)[0] {
		different[c] = true
	}
	if len(different) < minDifferent {
		return nil, ErrWeak
	}
	return s, nil
}

// secretLines leaves out empty lines, and comments where there is more than one line.
func secretLines(text []byte) [][]byte {
	var lines [][]byte
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		if line = bytes.TrimSuffix(line, []byte("\r")); len(line) > 0 {
			lines = append(lines, line)
		}
	}
	if len(lines) == 1 {
		return lines
	}
	var kept [][]byte
	for _, line := range lines {
		if line[0] != '#' {
			kept = append(kept, line)
		}
	}
	return kept
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

func newIdentitySealer(text string) (Sealer, error) {
	if i, err := age.ParseX25519Identity(text); err == nil {
		return &FileSealer{i.Recipient(), i}, nil
	}
	if i, err := age.ParseHybridIdentity(text); err == nil {
		return &FileSealer{i.Recipient(), i}, nil
	}
	return nil, ErrIdentity // without the cause, which could quote the secret
}

func newPassphraseSealer(passphrase string, logN int) (Sealer, error) {
	r, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return nil, fmt.Errorf("using the passphrase: %w", err)
	}
	i, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return nil, fmt.Errorf("using the passphrase: %w", err)
	}
	r.SetWorkFactor(logN)
	i.SetMaxWorkFactor(scryptLogN + 2)
	return &FileSealer{r, i}, nil
}

// NewIdentity makes an unseal secret for a machine, not for a memory: an age identity.
func NewIdentity() (secret []byte, err error) {
	i, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, fmt.Errorf("making an age identity: %w", err)
	}
	return []byte(i.String() + "\n"), nil
}
