package decide

import (
	"encoding/binary"
	"errors"

	"github.com/railkit/railkit/enclave/refusal"
)

// nonceBook is what makes a signing single on its chain: the body that each nonce of an address was signed for last,
// or, where there are no nonces, that each message of an address was signed for. A network takes one transaction of a
// nonce, and the very same message once: in both forms the book says whether what a body asks for was signed under
// another body before.
type nonceBook struct {
	nonces map[nonceKey]map[uint64]string // -> fingerprint
	lowest map[nonceKey]uint64            // first nonce that was not signed for
	above  map[nonceKey]uint64            // one above the last nonce that was

	messages map[nonceKey]map[digest]digest // hash of the message -> fingerprint
}

type nonceKey struct {
	chain   string // slug
	address string
}

func newNonceBook() nonceBook {
	return nonceBook{
		map[nonceKey]map[uint64]string{}, map[nonceKey]uint64{}, map[nonceKey]uint64{},
		map[nonceKey]map[digest]digest{},
	}
}

// holder is the body under which a nonce was signed for last, "" where it was not.
func (b *nonceBook) holder(k nonceKey, nonce uint64) (fingerprint string) { return b.nonces[k][nonce] }

// next is the lowest nonce, not below the floor, that was not signed for. The keys are born here, so nobody else can
// have used a nonce: a floor above all that was signed is a lie that would park this payment until others fill the
// gap, perhaps after its owner has paid again. (After a restore of an older folder it is none; the operator says so,
// and it is believed.)
//
// Example: 0, 1 and 3 are signed for. Floor 0 gives 2, floor 3 gives 4, floor 5 is refused.
func (b *nonceBook) next(k nonceKey, floor uint64, believed bool) (uint64, error) {
	if floor > b.above[k] && !believed {
		return 0, refusal.ErrFloor
	}
	for n := max(floor, b.lowest[k]); ; n++ {
		if _, taken := b.nonces[k][n]; !taken {
			return n, nil
		}
	}
}

// sign notes that a nonce is signed for.
func (b *nonceBook) sign(k nonceKey, nonce uint64, fingerprint string) {
	if b.nonces[k] == nil {
		b.nonces[k] = map[uint64]string{}
	}
	b.nonces[k][nonce] = fingerprint
	b.above[k] = max(b.above[k], nonce+1)
	for {
		if _, taken := b.nonces[k][b.lowest[k]]; !taken {
			return
		}
		b.lowest[k]++
	}
}

// messageHolder is the body under which an address signed a message, "" where it did not.
func (b *nonceBook) messageHolder(k nonceKey, message digest) (fingerprint string) {
	if by, ok := b.messages[k][message]; ok {
		return by.String()
	}
	return ""
}

// noteMessage notes that a message is signed.
func (b *nonceBook) noteMessage(k nonceKey, o Order, fingerprint string) error {
	message, ok := digestOf(o.Message)
	by, also := digestOf(fingerprint)
	if !ok || !also {
		return errors.New("a message was signed under no fingerprint")
	}
	if b.messages[k] == nil {
		b.messages[k] = map[digest]digest{}
	}
	b.messages[k][message] = by
	return nil
}

// savedNonces are packed: beside the outcomes they are most of a saved state.
type savedNonces struct {
	Chain   string `json:"chain"`
	Address string `json:"address"`
	Lowest  uint64 `json:"lowest"`
	Above   uint64 `json:"above"`
	Signed  []byte `json:"signed"` // nonce, fingerprint

	Messages []byte `json:"messages,omitempty"` // hash, fingerprint; such an address has no nonces
}

const (
	nonceSize   = 8 + len(digest{})
	messageSize = 2 * len(digest{})
)

func (b *nonceBook) save() (all []savedNonces, err error) {
	for k := range b.nonces {
		out := savedNonces{Chain: k.chain, Address: k.address, Lowest: b.lowest[k], Above: b.above[k]}
		for nonce, fingerprint := range b.nonces[k] {
			p, ok := digestOf(fingerprint)
			if !ok {
				return nil, errors.New("a nonce was signed for under no fingerprint")
			}
			out.Signed = append(binary.BigEndian.AppendUint64(out.Signed, nonce), p[:]...)
		}
		all = append(all, out)
	}
	for k, signed := range b.messages {
		out := savedNonces{Chain: k.chain, Address: k.address}
		for message, by := range signed {
			out.Messages = append(append(out.Messages, message[:]...), by[:]...)
		}
		all = append(all, out)
	}
	return all, nil
}

func (b *nonceBook) restore(all []savedNonces) {
	for _, in := range all {
		k := nonceKey{in.Chain, in.Address}
		if len(in.Messages) > 0 {
			b.messages[k] = messagesOf(in.Messages)
			continue
		}
		signed := make(map[uint64]string, len(in.Signed)/nonceSize)
		for rest := in.Signed; len(rest) >= nonceSize; rest = rest[nonceSize:] {
			signed[binary.BigEndian.Uint64(rest)] = digest(rest[8:nonceSize]).String()
		}
		b.nonces[k], b.above[k] = signed, in.Above
		if in.Lowest > 0 {
			b.lowest[k] = in.Lowest
		}
	}
}

func messagesOf(packed []byte) map[digest]digest {
	all := make(map[digest]digest, len(packed)/messageSize)
	for ; len(packed) >= messageSize; packed = packed[messageSize:] {
		all[digest(packed[:messageSize/2])] = digest(packed[messageSize/2 : messageSize])
	}
	return all
}
