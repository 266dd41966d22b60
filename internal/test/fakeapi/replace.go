package fakeapi

import (
	"bytes"
	"strconv"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/wire"
)

// place makes of a request for a replacement the one for what it does, and says
// whose nonce it takes.
func (s *Server) place(in *txRequest) *wire.ReplacedParams {
	old := s.transactions[in.Replaces]
	if old == nil {
		return nil
	}
	kind := in.Type
	*in = old.request
	if kind == "void" {
		*in = txRequest{
			Type: "transfer_native", SignWith: in.SignWith, To: in.SignWith, Amount: "0", ChainID: in.ChainID,
		}
	}
	return &wire.ReplacedParams{Fingerprint: old.fingerprint, Nonce: strconv.FormatUint(old.nonce, 10)}
}

// sign makes the bytes of a request, and their hash; those that mean nothing
// here become random ones.
func (q txRequest) sign(nonce uint64) (signed, hash string) {
	tx, err := q.exact(nonce)
	if err != nil {
		return "0x02" + random(60), "0x" + random(32)
	}
	sig, err := evm.Sign(bytes.Repeat([]byte{1}, 32), tx.Digest())
	if err != nil {
		panic(err) // the key is one
	}
	raw := tx.Assemble(sig)
	id := evm.ID(raw)
	return evm.Hex(raw), evm.Hex(id[:])
}
