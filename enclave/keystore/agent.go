package keystore

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"

	"github.com/railkit/railkit/enclave/wire"
)

const agentEntropy = 32 // bytes of an agent's secret

// CreateSecret makes an agent's secret and gives it sealed. The caller writes it
// where it lasts, and brings it along with every use.
func (k *Keys) CreateSecret(organization, agent string) ([]byte, error) {
	if organization == "" || agent == "" {
		return nil, ErrUnnamed
	}
	s, ok := <-k.scratch
	if !ok {
		return nil, ErrClosed
	}
	defer k.giveBack(s)
	entropy := s.entropy[:agentEntropy]
	_, _ = rand.Read(entropy) // as in Create
	return k.seal(secretOf(k.environment, organization, agent), entropy), nil
}

// CheckSecret reports whether a sealed secret is the agent's.
func (k *Keys) CheckSecret(organization, agent string, sealed []byte) error {
	return k.UseSecret(organization, agent, sealed, func([]byte) error { return nil })
}

// UseSecret shows the text of an agent's secret, which is gone afterwards.
func (k *Keys) UseSecret(organization, agent string, sealed []byte, use func(text []byte) error) error {
	return k.withSecret(organization, agent, sealed, func(s *scratch) error { return use(s.words) })
}

// AgentMAC is HMAC-SHA256 of a message under the agent's secret.
func (k *Keys) AgentMAC(organization, agent string, sealed []byte, message string) (mac [sha256.Size]byte, err error) {
	err = k.withSecret(organization, agent, sealed, func(s *scratch) error {
		s.shortMAC(mac[:0], s.words, message)
		return nil
	})
	return mac, err
}

// withSecret leaves the text of the secret in words.
func (k *Keys) withSecret(organization, agent string, sealed []byte, use func(*scratch) error) error {
	s, ok := <-k.scratch
	if !ok {
		return ErrClosed
	}
	defer k.giveBack(s)
	entropy, err := k.open(s, secretOf(k.environment, organization, agent), sealed)
	if err != nil {
		return err
	}
	s.words = append(s.words[:0], wire.AgentSecretPrefix...)
	s.words = base64.RawURLEncoding.AppendEncode(s.words, entropy)
	return use(s)
}

// shortMAC appends HMAC-SHA256 to out, with the key in locked memory only. The
// key has at most a block.
func (s *scratch) shortMAC(out, key []byte, message string) {
	block := s.work[:sha256.BlockSize]
	pad(block, key, 0x36)
	s.short.Reset()
	s.short.Write(block)
	s.short.Write([]byte(message))
	inner := s.short.Sum(s.message()[:0])
	pad(block, key, 0x5c)
	s.short.Reset()
	s.short.Write(block)
	s.short.Write(inner)
	s.short.Sum(out)
}
