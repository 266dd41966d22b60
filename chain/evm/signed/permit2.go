package signed

import (
	"math/big"

	"github.com/railkit/railkit/chain/evm"
)

// ExactProxy moves exactly the amount that was signed, whoever asks it to.
func ExactProxy() evm.Address { return evm.ExactProxy() }

// UptoProxy moves at most the amount that was signed, and only for the facilitator that was signed.
func UptoProxy() evm.Address { return evm.UptoProxy() }

// Permit2Transfer is Permit2's PermitWitnessTransferFrom with the witness of one of the proxies. It moves money only
// if its owner has approved Permit2 for the token before.
type Permit2Transfer struct {
	From, Token     evm.Address
	Amount          *big.Int // exact: what moves; upto: the most that may move
	Nonce, Deadline *big.Int // Permit2 takes a nonce of an owner once, up to and with the deadline
	To              evm.Address
	ValidAfter      *big.Int    // the proxy takes it from this second on
	Facilitator     evm.Address // zero: exact; else upto, and nobody but this account may hand it in
}

const (
	permitMembers = "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce," +
		"uint256 deadline,Witness witness)TokenPermissions(address token,uint256 amount)"
	exactWitness = "Witness(address to,uint256 validAfter)"
	uptoWitness  = "Witness(address to,address facilitator,uint256 validAfter)"
)

var (
	permittedType    = hash("TokenPermissions(address token,uint256 amount)")
	exactWitnessType = hash(exactWitness)
	uptoWitnessType  = hash(uptoWitness)
	exactPermitType  = hash(permitMembers + exactWitness)
	uptoPermitType   = hash(permitMembers + uptoWitness)
)

// Upto tells whether less than the amount may be moved.
func (p Permit2Transfer) Upto() bool { return p.Facilitator != evm.Address{} }

// Spender is the proxy that moves it.
func (p Permit2Transfer) Spender() evm.Address {
	if p.Upto() {
		return evm.UptoProxy()
	}
	return evm.ExactProxy()
}

// Check refuses numbers that no contract could read.
func (p Permit2Transfer) Check() error {
	if !fits(p.Amount) || !fits(p.Nonce) || !fits(p.Deadline) || !fits(p.ValidAfter) {
		return ErrNumber
	}
	return nil
}

// Digest is what From signs. The transfer was checked.
func (p Permit2Transfer) Digest(chainID uint64) [32]byte {
	permitType, witness := exactPermitType, evm.Keccak256(exactWitnessType[:], addressWord(p.To), word(p.ValidAfter))
	if p.Upto() {
		permitType = uptoPermitType
		witness = evm.Keccak256(uptoWitnessType[:], addressWord(p.To), addressWord(p.Facilitator), word(p.ValidAfter))
	}
	permitted := evm.Keccak256(permittedType[:], addressWord(p.Token), word(p.Amount))
	return digest(permit2Separator(chainID), evm.Keccak256(permitType[:], permitted[:], addressWord(p.Spender()),
		word(p.Nonce), word(p.Deadline), witness[:]))
}

const (
	exactSettle = "settle(((address,uint256),uint256,uint256),address,(address,uint256),bytes)"
	uptoSettle  = "settle(((address,uint256),uint256,uint256),uint256,address,(address,address,uint256),bytes)"
)

// Call is the proxy's call that hands in the transfer. charge is what upto moves; exact always moves the amount.
func (p Permit2Transfer) Call(signature []byte, charge *big.Int) []byte {
	permit := [][]byte{addressWord(p.Token), word(p.Amount), word(p.Nonce), word(p.Deadline)}
	if p.Upto() {
		return callBytes(uptoSettle, signature, append(permit, word(charge), addressWord(p.From),
			addressWord(p.To), addressWord(p.Facilitator), word(p.ValidAfter))...)
	}
	return callBytes(exactSettle, signature, append(permit, addressWord(p.From),
		addressWord(p.To), word(p.ValidAfter))...)
}
