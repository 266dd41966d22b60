package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"

	"github.com/railkit/railkit/chain/solana"
)

// nonceSize is what an account of a durable nonce has: version (1 since 2022), state (1: initialized), authority,
// value, and the fee of a signature when it last advanced.
const nonceSize = 80

type nonceState struct {
	known, initialized, current bool
	authority                   solana.Address
	value                       [32]byte
}

// readNonce reads an account without asking whose it is. One that is not initialized needs eight bytes only.
func readNonce(data []byte) (s nonceState) {
	if len(data) < 8 {
		return s
	}
	version, state := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:])
	s.initialized, s.current = state == 1, version == 1
	s.known = version <= 1 && (state == 0 || state == 1 && len(data) >= nonceSize)
	if s.known && s.initialized {
		s.authority, s.value = solana.Address(data[8:40]), [32]byte(data[40:72])
	}
	return s
}

func writeNonce(authority solana.Address, value [32]byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 1)
	b = binary.LittleEndian.AppendUint32(b, 1)
	b = append(append(b, authority[:]...), value[:]...)
	return binary.LittleEndian.AppendUint64(b, solana.FeePerSignature)
}

// Durable is the value that a nonce has when it advances at a blockhash. It is no blockhash, so that nothing is both.
func Durable(blockhash [32]byte) [32]byte {
	return sha256.Sum256(append([]byte("DURABLE_NONCE"), blockhash[:]...))
}

// usesNonce reports whether the message names the value of a durable nonce in place of a blockhash: it begins with the
// advance of the nonce, whose authority signs, and which can advance now. The advance stays even if the rest fails.
func (e *execution) usesNonce() bool {
	m := e.message
	if !m.IsDurable() || len(m.Instructions[0].Accounts) == 0 {
		return false
	}
	place := int(m.Instructions[0].Accounts[0])
	a, found := e.ledger.Account(m.Keys[place])
	s, next := readNonce(a.Data), Durable(e.chain.Blockhash)
	if !found || a.Owner != solana.SystemProgram || !s.known || !s.initialized || !s.current ||
		s.value != m.Blockhash || s.value == next || !m.Written(place) || !e.signsIn(m.Instructions[0], s.authority) {
		return false
	}
	a.Data = writeNonce(s.authority, next)
	e.paid[m.Keys[place]] = a
	return true
}

func (e *execution) signsIn(c solana.Compiled, k solana.Address) bool {
	return slices.ContainsFunc(c.Accounts, func(i uint8) bool {
		return i < e.message.Header.Signers && e.message.Keys[i] == k
	})
}

var (
	hashSysvar = sysvar("SysvarRecentB1ockHashes11111111111111111111")
	rentSysvar = sysvar("SysvarRent111111111111111111111111111111111")
)

func sysvar(text string) solana.Address {
	a, err := solana.ParseAddress(text)
	if err != nil {
		panic(err)
	}
	return a
}

// isSysvar refuses another account in the place of a sysvar.
func (f systemProgram) isSysvar(i int, k solana.Address) error {
	if err := f.names(i + 1); err != nil {
		return err
	}
	if f.accounts[i].key != k {
		return invalidArgument
	}
	return nil
}

// nonce plays the System program's instructions about durable nonces.
func (f systemProgram) nonce(number uint32, a *args) error {
	switch number {
	case solana.SystemAdvanceNonce:
		return f.advanceNonce()
	case solana.SystemWithdrawNonce:
		if n := a.u64(); !a.bad {
			return f.withdrawNonce(n)
		}
	case solana.SystemInitializeNonce:
		if k := a.address(); !a.bad {
			return f.initializeNonce(k)
		}
	case solana.SystemAuthorizeNonce:
		if k := a.address(); !a.bad {
			return f.authorizeNonce(k)
		}
	case solana.SystemUpgradeNonce:
		return f.upgradeNonce()
	}
	return invalidInstructionData
}

// nonceAt reads the account of a nonce that is written to.
func (f systemProgram) nonceAt(i int) (ref, nonceState, error) {
	a := f.accounts[i]
	if !a.written {
		return a, nonceState{}, invalidArgument
	}
	s := readNonce(a.Data)
	if !s.known {
		return a, s, invalidAccountData
	}
	return a, s, nil
}

// nonceBeside reads the nonce of an instruction that names sysvars from account i on.
func (f systemProgram) nonceBeside(i int, sysvars ...solana.Address) (ref, nonceState, error) {
	if err := f.names(i); err != nil {
		return ref{}, nonceState{}, err
	}
	for n, sysvar := range sysvars {
		if err := f.isSysvar(i+n, sysvar); err != nil {
			return ref{}, nonceState{}, err
		}
	}
	return f.nonceAt(0)
}

func (f systemProgram) advanceNonce() error {
	a, s, err := f.nonceBeside(1, hashSysvar)
	next := Durable(f.chain.Blockhash)
	switch {
	case err != nil:
		return err
	case !s.initialized:
		return invalidAccountData
	case !f.hasSigned(s.authority):
		return missingRequiredSignature
	case s.value == next:
		return nonceNotExpired
	}
	return f.setData(a, writeNonce(s.authority, next))
}

// withdrawNonce leaves an account that is initialized with enough to stay, or with nothing; then it is a nonce no more.
func (f systemProgram) withdrawNonce(n uint64) error {
	a, s, err := f.nonceBeside(2, hashSysvar, rentSysvar)
	if err != nil {
		return err
	}
	signer := a.key
	switch keep := f.ledger.MinimumBalance(len(a.Data)); {
	case !s.initialized && n > a.Lamports:
		return insufficientFunds
	case !s.initialized:
	case n == a.Lamports:
		if s.value == Durable(f.chain.Blockhash) {
			return nonceNotExpired
		}
		signer = s.authority
	case n > math.MaxUint64-keep || n+keep > a.Lamports:
		return insufficientFunds
	default:
		signer = s.authority
	}
	if !f.hasSigned(signer) {
		return missingRequiredSignature
	}
	if s.initialized && n == a.Lamports {
		if err := f.setData(a, []byte{1, 0, 0, 0, 0, 0, 0, 0}); err != nil {
			return err
		}
	}
	if err := f.setLamports(a, a.Lamports-n); err != nil {
		return err
	}
	return f.setLamports(f.accounts[1], f.accounts[1].Lamports+n)
}

func (f systemProgram) initializeNonce(authority solana.Address) error {
	a, s, err := f.nonceBeside(1, hashSysvar, rentSysvar)
	switch {
	case err != nil:
		return err
	case s.initialized:
		return invalidAccountData
	case a.Lamports < f.ledger.MinimumBalance(len(a.Data)):
		return insufficientFunds
	}
	return f.setData(a, writeNonce(authority, Durable(f.chain.Blockhash)))
}

func (f systemProgram) authorizeNonce(authority solana.Address) error {
	if err := f.names(1); err != nil {
		return err
	}
	a, s, err := f.nonceAt(0)
	switch {
	case err != nil:
		return err
	case !s.initialized:
		return invalidAccountData
	case !f.hasSigned(s.authority):
		return missingRequiredSignature
	}
	return f.setData(a, writeNonce(authority, s.value))
}

// upgradeNonce is about accounts from before 2022. None is here.
func (f systemProgram) upgradeNonce() error {
	if err := f.names(1); err != nil {
		return err
	}
	if f.accounts[0].Owner != solana.SystemProgram {
		return invalidAccountOwner
	}
	if _, _, err := f.nonceAt(0); err != nil {
		return err
	}
	return invalidArgument
}
