package keystore

import (
	"encoding/binary"
	"fmt"
)

// A sealed record is a version byte and an AES-256-GCM box with its nonce.
const (
	recordVersion = 1
	seedType      = "seed"
	agentType     = "agent secret"
)

// record is what a sealed record is of. All of it is authenticated.
type record struct {
	environment, organization, owner, kind string // the owner is a wallet or an agent
	version                                byte
}

func seedOf(environment, organization, wallet string) record {
	return record{environment, organization, wallet, seedType, recordVersion}
}

func secretOf(environment, organization, agent string) record {
	return record{environment, organization, agent, agentType, recordVersion}
}

// context is the authenticated data: each field after its length, so that no
// two records look alike.
func (r record) context() []byte {
	var b []byte
	for _, s := range []string{"railkit keystore", r.environment, r.organization, r.owner, r.kind} {
		b = binary.BigEndian.AppendUint32(b, uint32(len(s)))
		b = append(b, s...)
	}
	return append(b, r.version)
}

func (k *Keys) seal(r record, secret []byte) []byte {
	return k.kek.Seal([]byte{r.version}, nil, secret, r.context())
}

// open leaves the entropy in s, in locked memory.
func (k *Keys) open(s *scratch, r record, sealed []byte) ([]byte, error) {
	if len(sealed) != 1+k.kek.Overhead()+16 && len(sealed) != 1+k.kek.Overhead()+32 {
		return nil, fmt.Errorf("%w: it has the wrong length", ErrSealed)
	}
	if sealed[0] != r.version {
		return nil, fmt.Errorf("%w: it is of another version", ErrSealed)
	}
	entropy, err := k.kek.Open(s.entropy[:0], nil, sealed[1:], r.context())
	if err != nil {
		return nil, ErrSealed
	}
	return entropy, nil
}
