package signed

import (
	"bytes"
	"math/big"

	"github.com/railkit/railkit/chain/evm"
)

// The calls that ask whether a signed transfer can still move money. What they answer is read by the functions
// further down.

// StateCall asks a token whether the nonce of an authorization is used or cancelled. A token without EIP-3009
// reverts.
func StateCall(owner evm.Address, nonce [32]byte) []byte {
	return callOf(stateCall, addressWord(owner), nonce[:])
}

// BitmapCall asks Permit2 for the word of an owner's used nonces in which the nonce is; see NonceUsed.
func BitmapCall(owner evm.Address, nonce *big.Int) []byte {
	return callOf("nonceBitmap(address,uint256)", addressWord(owner), word(new(big.Int).Rsh(nonce, 8)))
}

// BalanceCall asks a token what an account has.
func BalanceCall(owner evm.Address) []byte { return callOf("balanceOf(address)", addressWord(owner)) }

// AllowanceCall asks a token how much of an owner's a spender may take.
func AllowanceCall(owner, spender evm.Address) []byte {
	return callOf("allowance(address,address)", addressWord(owner), addressWord(spender))
}

// NameCall and VersionCall ask a token for its EIP-712 domain.
func NameCall() []byte { return callOf("name()") }

// VersionCall asks for the domain's version.
func VersionCall() []byte { return callOf("version()") }

// WalletCall asks a contract, as ERC-1271 has it, whether it takes a signature for its own.
func WalletCall(digest [32]byte, signature []byte) []byte {
	return callBytes("isValidSignature(bytes32,bytes)", signature, digest[:])
}

// ReadNumber reads an answer that is one number.
func ReadNumber(answer []byte) (*big.Int, bool) {
	if len(answer) != 32 {
		return nil, false
	}
	return new(big.Int).SetBytes(answer), true
}

// ReadBool reads an answer that is true or false.
func ReadBool(answer []byte) (value, ok bool) {
	n, ok := ReadNumber(answer)
	if !ok || n.BitLen() > 1 {
		return false, false
	}
	return n.Sign() > 0, true
}

// ReadText reads an answer that is one text.
func ReadText(answer []byte) (string, bool) {
	tail, ok := bytesAt(answer, 0)
	return string(tail), ok
}

// NonceUsed tells from a word of Permit2's bitmap whether the nonce is used.
func NonceUsed(bitmap, nonce *big.Int) bool {
	return bitmap.Bit(int(new(big.Int).And(nonce, big.NewInt(255)).Int64())) == 1
}

// WalletTakes reads the answer to WalletCall: ERC-1271's magic value and nothing else.
func WalletTakes(answer []byte) bool {
	return len(answer) == 32 && bytes.Equal(answer[:4], []byte{0x16, 0x26, 0xba, 0x7e}) &&
		bytes.Equal(answer[4:], make([]byte, 28))
}

// bytesAt reads the bytes whose offset is the word number at.
func bytesAt(data []byte, at int) ([]byte, bool) {
	offset, ok := smallAt(data, 32*at)
	if !ok {
		return nil, false
	}
	n, ok := smallAt(data, offset)
	if !ok || n > len(data)-offset-32 {
		return nil, false
	}
	return data[offset+32 : offset+32+n], true
}

// smallAt reads a word that is a length or an offset within data.
func smallAt(data []byte, at int) (int, bool) {
	if at > len(data)-32 {
		return 0, false
	}
	n := new(big.Int).SetBytes(data[at : at+32])
	if n.BitLen() > 31 || int(n.Int64()) > len(data) {
		return 0, false
	}
	return int(n.Int64()), true
}

// wrapped ends the signature of a wallet that is not deployed yet (ERC-6492).
var wrapped = bytes.Repeat([]byte{0x64, 0x92}, 16)

// Unwrap reads a signature of ERC-6492: who deploys the wallet, by which call, and the signature that the wallet
// takes once it is deployed. Of any other signature ok is false.
func Unwrap(signature []byte) (factory evm.Address, call, inner []byte, ok bool) {
	data, ok := bytes.CutSuffix(signature, wrapped)
	if !ok || len(data) < 96 || !bytes.Equal(data[:12], make([]byte, 12)) {
		return factory, nil, nil, false
	}
	call, ok = bytesAt(data, 1)
	if ok {
		inner, ok = bytesAt(data, 2)
	}
	return evm.Address(data[12:32]), call, inner, ok
}

// Log is one event of a mined transaction.
type Log struct {
	Contract evm.Address
	Topics   [][32]byte
	Data     []byte
}

// The first topics of the events that tell what a signed transfer did.
var (
	TransferTopic = hash("Transfer(address,address,uint256)")
	UsedTopic     = hash("AuthorizationUsed(address,bytes32)")
	CanceledTopic = hash("AuthorizationCanceled(address,bytes32)")
)

// Transferred reports whether a log says that the token moved this very amount. Some tokens do not revert on a
// nonce that is used, so that only the event tells that money moved.
func Transferred(logs []Log, token, from, to evm.Address, amount *big.Int) bool {
	for _, l := range logs {
		if l.Contract == token && len(l.Topics) == 3 && l.Topics[0] == TransferTopic &&
			bytes.Equal(l.Topics[1][:], addressWord(from)) && bytes.Equal(l.Topics[2][:], addressWord(to)) &&
			bytes.Equal(l.Data, word(amount)) {
			return true
		}
	}
	return false
}
