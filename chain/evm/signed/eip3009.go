package signed

import (
	"errors"
	"math/big"

	"github.com/railkit/railkit/chain/evm"
)

// ErrNumber is a number that is missing, negative or over 256 bits.
var ErrNumber = errors.New("number is missing, negative or over 256 bits")

// Authorization is EIP-3009's TransferWithAuthorization: From lets anybody hand in a transfer of Value to To,
// once, after ValidAfter and before ValidBefore, both in seconds since 1970 and both excluded.
type Authorization struct {
	From, To                evm.Address
	Value                   *big.Int
	ValidAfter, ValidBefore *big.Int
	Nonce                   [32]byte // of the owner's choice; the token takes each once
}

const authorizationMembers = "(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"

var (
	authorizationType = hash("TransferWithAuthorization" + authorizationMembers)
	cancelType        = hash("CancelAuthorization(address authorizer,bytes32 nonce)")
)

// Check refuses numbers that no contract could read.
func (a Authorization) Check() error {
	if !fits(a.Value) || !fits(a.ValidAfter) || !fits(a.ValidBefore) {
		return ErrNumber
	}
	return nil
}

// Digest is what From signs. The authorization was checked.
func (a Authorization) Digest(token Domain) [32]byte {
	return digest(token.Separator(), evm.Keccak256(append([][]byte{authorizationType[:]}, a.words()...)...))
}

func (a Authorization) words() [][]byte {
	return [][]byte{
		addressWord(a.From), addressWord(a.To), word(a.Value), word(a.ValidAfter), word(a.ValidBefore), a.Nonce[:],
	}
}

const (
	transferByParts = "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)"
	transferByBytes = "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)"
	stateCall       = "authorizationState(address,bytes32)"
	cancelCall      = "cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)"
)

// Call is the token's call that hands in the authorization with the signature of an account.
func (a Authorization) Call(sig evm.Signature) []byte {
	v := word(big.NewInt(int64(sig.V) + 27))
	return callOf(transferByParts, append(a.words(), v, sig.R[:], sig.S[:])...)
}

// CallBytes is the call for the signature of a contract (ERC-1271), which may be any bytes.
func (a Authorization) CallBytes(signature []byte) []byte {
	return callBytes(transferByBytes, signature, a.words()...)
}

// CancelDigest is what an owner signs so that an authorization that was not handed in can be handed in no more.
func CancelDigest(token Domain, owner evm.Address, nonce [32]byte) [32]byte {
	return digest(token.Separator(), evm.Keccak256(cancelType[:], addressWord(owner), nonce[:]))
}

// CancelCall hands in the cancellation.
func CancelCall(owner evm.Address, nonce [32]byte, sig evm.Signature) []byte {
	v := word(big.NewInt(int64(sig.V) + 27))
	return callOf(cancelCall, addressWord(owner), nonce[:], v, sig.R[:], sig.S[:])
}

// callOf writes calldata of whole words.
func callOf(signature string, words ...[]byte) []byte {
	id := hash(signature)
	data := append(make([]byte, 0, 4+32*len(words)), id[:4]...)
	for _, w := range words {
		data = append(data, w...)
	}
	return data
}

// callBytes writes calldata of whole words and, after them, bytes of any length.
func callBytes(signature string, tail []byte, words ...[]byte) []byte {
	offset := word(big.NewInt(int64(32 * (len(words) + 1))))
	data := callOf(signature, append(words, offset, word(big.NewInt(int64(len(tail)))))...)
	data = append(data, tail...)
	return append(data, make([]byte, (32-len(tail)%32)%32)...)
}
