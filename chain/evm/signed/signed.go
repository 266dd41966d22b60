// Package signed is about token transfers that their owner signs off chain and others hand in: EIP-3009's
// authorizations, and Permit2's transfers by the two proxies of x402. It is what is signed, the call that hands it
// in, and the questions that tell whether it can still move money. It is pure: the signer builds what it signs with
// it, and the server, shops and facilitators check it with the same code.
package signed

import (
	"encoding/binary"
	"math/big"

	"github.com/railkit/railkit/chain/evm"
)

// Domain is the EIP-712 domain of a token. Name and version are the token contract's own; a wrong one gives a
// signature that the contract does not take.
type Domain struct {
	Name, Version string
	ChainID       uint64
	Contract      evm.Address
}

var (
	tokenDomainType = hash(
		"EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)")
	permit2DomainType = hash("EIP712Domain(string name,uint256 chainId,address verifyingContract)")
	permit2Name       = hash("Permit2")
)

// Separator is EIP-712's hash of the domain.
func (d Domain) Separator() [32]byte {
	name, version := hash(d.Name), hash(d.Version)
	return evm.Keccak256(tokenDomainType[:], name[:], version[:], chainWord(d.ChainID), addressWord(d.Contract))
}

// permit2Separator is that of Permit2, which has no version.
func permit2Separator(chainID uint64) [32]byte {
	return evm.Keccak256(permit2DomainType[:], permit2Name[:], chainWord(chainID), addressWord(evm.Permit2Address()))
}

// digest is what is signed of a structure in a domain.
func digest(separator, structure [32]byte) [32]byte {
	return evm.Keccak256([]byte("\x19\x01"), separator[:], structure[:])
}

func hash(text string) [32]byte { return evm.Keccak256([]byte(text)) }

func chainWord(id uint64) []byte { return binary.BigEndian.AppendUint64(make([]byte, 24, 32), id) }

func addressWord(a evm.Address) []byte { return append(make([]byte, 12, 32), a[:]...) }

// word writes a number below 2^256. Whoever makes one of another size has a number that no contract could read:
// Check of each structure refuses it first.
func word(n *big.Int) []byte { return n.FillBytes(make([]byte, 32)) }

// fits reports whether a number has a place in a word.
func fits(n *big.Int) bool { return n != nil && n.Sign() >= 0 && n.BitLen() <= 256 }

// ReadSignature reads r, s and v, with v as 27 or 28 as contracts have it. That r and s are in range, and s in the
// lower half of it, is checked by whoever recovers the signer with it.
func ReadSignature(raw []byte) (evm.Signature, error) {
	if len(raw) != 65 || raw[64] != 27 && raw[64] != 28 {
		return evm.Signature{}, evm.ErrSignature
	}
	return evm.Signature{R: [32]byte(raw), S: [32]byte(raw[32:]), V: raw[64] - 27}, nil
}

// WriteSignature is the form that ReadSignature reads.
func WriteSignature(sig evm.Signature) []byte {
	sig.V += 27
	return sig.Bytes()
}
