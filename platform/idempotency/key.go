package idempotency

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/railkit/railkit/platform/command"
)

var uuidV4 = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// Request is a call with an idempotency key. If two callers use the same text, these are two keys. If one caller
// repeats a key, the rest of the request must be the same.
type Request struct {
	Method, Path string
	Query        url.Values
	Body         []byte
	Caller       string // the API key, agent or member, as "api_key:" and its id
}

// hash covers every part with its length, so that different requests have different bytes to hash. The key is one of
// the parts: without it, a person with the database could find a body's bank account number by trying all numbers.
func (r Request) hash(key string) string {
	return digest("railkit idempotency request", key, r.Method, r.Path, r.Query.Encode(), string(r.Body))
}

// Key makes a command's key from an Idempotency-Key header. Both the row's hash and the cipher of the answer depend on
// workspace and caller. An answer may hold a secret that is shown once, such as a new API key: another caller that
// repeats the request with the same header text neither finds the answer nor can decrypt it.
func Key(workspaceID, header string, r Request) (*command.Key, error) {
	text := strings.ToLower(header)
	if !uuidV4.MatchString(text) {
		return nil, ErrBadKey
	}
	hash := digest("railkit idempotency key", workspaceID, r.Caller, text)
	aead, err := sealing(text, workspaceID+" "+r.Caller)
	if err != nil {
		return nil, err
	}
	return &command.Key{
		Hash:    hash,
		Request: r.hash(text),
		Seal:    func(answer []byte) ([]byte, error) { return seal(aead, answer, hash) },
		Open:    func(sealed []byte) ([]byte, error) { return open(aead, sealed, hash) },
	}, nil
}

// sealing derives the cipher of a stored answer from the idempotency key. The database has only the hash of that key,
// and so cannot decrypt the answer.
func sealing(text, caller string) (cipher.AEAD, error) {
	secret, err := hkdf.Key(sha256.New, []byte(text), nil, "railkit idempotency answer "+caller, 32)
	if err != nil {
		return nil, fmt.Errorf("deriving the sealing key of an answer: %w", err)
	}
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, fmt.Errorf("making the cipher of an answer: %w", err)
	}
	return cipher.NewGCM(block)
}

func seal(aead cipher.AEAD, answer []byte, hash string) ([]byte, error) {
	nonce := make([]byte, aead.NonceSize(), aead.NonceSize()+len(answer)+aead.Overhead())
	if _, err := rand.Read(nonce); err != nil {
		return nil, fmt.Errorf("sealing an answer: %w", err)
	}
	return aead.Seal(nonce, nonce, answer, []byte(hash)), nil
}

func open(aead cipher.AEAD, sealed []byte, hash string) ([]byte, error) {
	if len(sealed) < aead.NonceSize() {
		return nil, errors.New("opening a sealed answer: too short")
	}
	answer, err := aead.Open(nil, sealed[:aead.NonceSize()], sealed[aead.NonceSize():], []byte(hash))
	if err != nil {
		return nil, fmt.Errorf("opening a sealed answer: %w", err)
	}
	return answer, nil
}

func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(p)))
		h.Write(size[:])
		h.Write([]byte(p))
	}
	return hex.EncodeToString(h.Sum(nil))
}
