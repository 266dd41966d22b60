package decide

import (
	"strconv"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// place is where a replacement goes: the nonce of a transaction that is signed
// and, as its owner believes, not mined.
type place struct {
	fingerprint string
	nonce       uint64
}

const warnReplaces = "takes the place of a signed transaction: the network mines one of the two, never both, " +
	"and which one is not certain before"

func readPlace(p *wire.ReplacedParams) (*place, error) {
	if p == nil {
		return nil, nil
	}
	if !IsFingerprint(p.Fingerprint) {
		return nil, refusal.ErrBody.Msg("replaces.fingerprint is not sha256: and 64 hex digits")
	}
	nonce, ok := number(p.Nonce)
	if !ok {
		return nil, refusal.ErrBody.Msg("replaces.nonce is not a number")
	}
	return &place{p.Fingerprint, nonce}, nil
}

// nonceOf is the nonce that an intent is signed with: its own place, or the next free one.
func (b *nonceBook) nonceOf(i intent, floor uint64, believed bool) (uint64, error) {
	if i.place == nil {
		return b.next(i.key(), floor, believed)
	}
	if err := b.replaceable(i); err != nil {
		return 0, err
	}
	if floor > i.place.nonce {
		return 0, refusal.ErrNonceMined
	}
	return i.place.nonce, nil
}

// replaceable holds a replacement to the newest transaction of its nonce. Which
// of two was meant to take the place of a third must never be in doubt, so each
// is replaced by one. Its fee is not judged: too low a one is refused by the
// network, and costs nothing.
func (b *nonceBook) replaceable(i intent) error {
	if b.holder(i.key(), i.place.nonce) != i.place.fingerprint {
		return refusal.ErrReplaced
	}
	return nil
}

func (i intent) key() nonceKey { return nonceKey{i.network.Slug, i.From} }

// shown adds the place to a preview.
func (p *place) shown(preview *wire.Preview) *wire.Preview {
	if p != nil {
		preview.Nonce, preview.Replaces = strconv.FormatUint(p.nonce, 10), p.fingerprint
		preview.Warnings = append(preview.Warnings, warnReplaces)
	}
	return preview
}
