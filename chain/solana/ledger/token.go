package ledger

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/railkit/railkit/chain/solana"
)

// Errors of the Token program by number.
const (
	notRentExempt         Custom = 0
	tokenFunds            Custom = 1
	invalidMint           Custom = 2
	mintMismatch          Custom = 3
	ownerMismatch         Custom = 4
	fixedSupply           Custom = 5
	alreadyInUse          Custom = 6
	providedSigners       Custom = 7
	requiredSigners       Custom = 8
	nativeNotSupported    Custom = 10
	nonNativeHasBalance   Custom = 11
	invalidInstruction    Custom = 12
	invalidState          Custom = 13
	overflow              Custom = 14
	authorityNotSupported Custom = 15
	mintCannotFreeze      Custom = 16
	accountFrozen         Custom = 17
	decimalsMismatch      Custom = 18
	nonNativeNotSupported Custom = 19
)

// Numbers of instructions that are not played.
const (
	withdrawExcessLamports = 38
	unwrapLamports         = 45
	batch                  = 255
)

func isUnmodelledToken(data []byte) bool {
	return len(data) > 0 && (data[0] == withdrawExcessLamports || data[0] == unwrapLamports || data[0] == batch)
}

// run plays the Token program, as p-token does since 2026: it looks at bytes first, and leaves whose account it is to
// the runtime's comparison wherever it writes.
func (f tokenProgram) run() error {
	if len(f.data) == 0 {
		return invalidInstruction
	}
	data := f.data[1:]
	switch f.data[0] {
	case solana.TokenInitializeMint, solana.TokenInitializeMint2:
		return f.initializeMint(data, f.data[0] == solana.TokenInitializeMint)
	case solana.TokenInitializeAccount, solana.TokenInitializeAccount2, solana.TokenInitializeAccount3:
		return f.initializeAccount(data)
	case solana.TokenInitializeMultisig, solana.TokenInitializeMultisig2:
		return f.initializeMultisig(data, f.data[0] == solana.TokenInitializeMultisig)
	case solana.TokenInitializeImmutableOwner:
		return f.initializeImmutableOwner()
	case solana.TokenTransfer, solana.TokenApprove, solana.TokenMintTo, solana.TokenBurn:
		return f.amount(data, nil, f.data[0])
	case solana.TokenTransferChecked, solana.TokenApproveChecked, solana.TokenMintToChecked, solana.TokenBurnChecked:
		if len(data) < 9 {
			return invalidInstruction
		}
		return f.amount(data, &data[8], unchecked[f.data[0]])
	case solana.TokenRevoke:
		return f.revoke()
	case solana.TokenSetAuthority:
		return f.setAuthority(data)
	case solana.TokenCloseAccount:
		return f.closeAccount()
	case solana.TokenFreeze, solana.TokenThaw:
		return f.freeze(f.data[0] == solana.TokenFreeze)
	case solana.TokenSyncNative:
		return f.syncNative()
	}
	return f.tokenQuestion(f.data[0], data)
}

// unchecked is the instruction without decimals of one with them.
var unchecked = map[byte]byte{
	solana.TokenTransferChecked: solana.TokenTransfer, solana.TokenApproveChecked: solana.TokenApprove,
	solana.TokenMintToChecked: solana.TokenMintTo, solana.TokenBurnChecked: solana.TokenBurn,
}

// amount plays the four instructions that begin with one. Those with decimals name the mint too.
func (f tokenProgram) amount(data []byte, decimals *byte, number byte) error {
	if len(data) < 8 {
		return invalidInstruction
	}
	n := binary.LittleEndian.Uint64(data)
	switch number {
	case solana.TokenTransfer:
		return f.transferToken(n, decimals)
	case solana.TokenApprove:
		return f.approve(n, decimals)
	case solana.TokenMintTo:
		return f.mintTo(n, decimals)
	}
	return f.burn(n, decimals)
}

// tokenQuestion plays the instructions that change nothing.
func (f tokenProgram) tokenQuestion(number byte, data []byte) error {
	switch {
	case number != solana.TokenGetAccountDataSize && number != solana.TokenAmountToUIAmount &&
		number != solana.TokenUIAmountToAmount:
		return invalidInstruction
	case number == solana.TokenAmountToUIAmount && len(data) < 8,
		number == solana.TokenUIAmountToAmount && !utf8.Valid(data):
		return invalidInstruction
	}
	if err := f.need(1); err != nil {
		return err
	}
	if err := isTokens(f.accounts[0]); err != nil {
		return err
	}
	m, err := mintAt(f.accounts[0])
	if err != nil {
		return invalidMint
	}
	if number == solana.TokenUIAmountToAmount && !isUIAmount(string(data), m.decimals()) {
		return invalidArgument
	}
	return nil
}

// isUIAmount reports whether text is a number with at most so many digits behind its point that fits in 64 bits.
func isUIAmount(text string, decimals byte) bool {
	digits, point, behind := 0, false, 0
	var n uint64
	for _, c := range []byte(text) {
		switch {
		case c == '.' && !point:
			point = true
		case c >= '0' && c <= '9' && n <= (1<<64-1-uint64(c-'0'))/10:
			n, digits = n*10+uint64(c-'0'), digits+1
			if point {
				behind++
			}
		default:
			return false
		}
	}
	for ; behind < int(decimals); behind++ {
		if n > (1<<64-1)/10 {
			return false
		}
		n *= 10
	}
	return digits > 0 && behind <= int(decimals)
}

// isTokens refuses an account that is not the Token program's.
func isTokens(a ref) error {
	if a.Owner != solana.TokenProgram {
		return incorrectProgramID
	}
	return nil
}

// accountSize, mintSize and multisigSize are the lengths of data by which the program tells what an account is.
const (
	accountSize  = 165
	mintSize     = 82
	multisigSize = 355
)

// tokenAccount is the data of a token account:
//
//	0 mint   32 owner   64 amount   72 delegate (option)   108 state   109 reserve, if it holds SOL (option)
//	121 amount of the delegate   129 who may close it (option)
//
// An option is four bytes, 1 or 0, and then the value.
type tokenAccount struct{ ref }

// The states of a token account.
const (
	stateNone, stateOpen, stateFrozen = 0, 1, 2
)

func tokenAt(a ref) (tokenAccount, error) {
	t, err := blankToken(a)
	if err == nil && a.Data[108] == stateNone {
		err = uninitializedAccount
	}
	return t, err
}

// blankToken takes one that is not initialized as well.
func blankToken(a ref) (tokenAccount, error) {
	if len(a.Data) != accountSize || a.Data[108] > stateFrozen {
		return tokenAccount{}, invalidAccountData
	}
	return tokenAccount{a}, nil
}

func (t tokenAccount) mint() solana.Address  { return solana.Address(t.Data[:32]) }
func (t tokenAccount) owner() solana.Address { return solana.Address(t.Data[32:64]) }
func (t tokenAccount) amount() uint64        { return binary.LittleEndian.Uint64(t.Data[64:]) }
func (t tokenAccount) setAmount(n uint64)    { binary.LittleEndian.PutUint64(t.Data[64:], n) }
func (t tokenAccount) delegate() option      { return t.Data[72:108] }
func (t tokenAccount) isFrozen() bool        { return t.Data[108] == stateFrozen }
func (t tokenAccount) isNative() bool        { return t.Data[109] == 1 }
func (t tokenAccount) setReserve(n uint64) {
	copy(t.Data[109:], []byte{1, 0, 0, 0})
	binary.LittleEndian.PutUint64(t.Data[113:], n)
}
func (t tokenAccount) delegated() uint64     { return binary.LittleEndian.Uint64(t.Data[121:]) }
func (t tokenAccount) setDelegated(n uint64) { binary.LittleEndian.PutUint64(t.Data[121:], n) }
func (t tokenAccount) closer() option        { return t.Data[129:165] }

// mint is the data of a mint: 0 who mints (option), 36 supply, 44 decimals, 45 initialized, 46 who freezes (option).
type mint struct{ ref }

func mintAt(a ref) (mint, error) {
	m, err := blankMint(a)
	if err == nil && a.Data[45] == 0 {
		err = uninitializedAccount
	}
	return m, err
}

func blankMint(a ref) (mint, error) {
	if len(a.Data) != mintSize || a.Data[45] > 1 {
		return mint{}, invalidAccountData
	}
	return mint{a}, nil
}

func (m mint) minter() option     { return m.Data[0:36] }
func (m mint) supply() uint64     { return binary.LittleEndian.Uint64(m.Data[36:]) }
func (m mint) setSupply(n uint64) { binary.LittleEndian.PutUint64(m.Data[36:], n) }
func (m mint) decimals() byte     { return m.Data[44] }
func (m mint) freezer() option    { return m.Data[46:82] }

// option is four bytes and an address. Taking the address away leaves its bytes.
type option []byte

func (o option) get() (k solana.Address, is bool) { return solana.Address(o[4:36]), o[0] == 1 }
func (o option) clear()                           { copy(o, []byte{0, 0, 0, 0}) }

func (o option) set(k solana.Address) {
	copy(o, []byte{1, 0, 0, 0})
	copy(o[4:], k[:])
}

// authorized wants the signature of an authority: its own or, where it is a multisig account, those of enough of its
// members among the accounts behind it.
func (f tokenProgram) authorized(want solana.Address, by ref, members []ref) error {
	if want != by.key {
		return ownerMismatch
	}
	if len(by.Data) == multisigSize && by.Owner == solana.TokenProgram {
		return enough(by.Data, members)
	}
	if !by.signs {
		return missingRequiredSignature
	}
	return nil
}

// enough counts the members of a multisig that sign, each once: 0 how many are needed, 1 how many there are,
// 2 initialized, 3 the members.
func enough(data []byte, signers []ref) error {
	if data[2] != 1 {
		return uninitializedAccount
	}
	counted, matched := 0, [11]bool{}
	for _, s := range signers {
		for i := range int(data[1]) {
			if solana.Address(data[3+32*i:35+32*i]) != s.key || matched[i] {
				continue
			}
			if !s.signs {
				return missingRequiredSignature
			}
			matched[i], counted = true, counted+1
		}
	}
	if counted < int(data[0]) {
		return missingRequiredSignature
	}
	return nil
}
