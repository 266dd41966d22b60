package ledger

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/railkit/railkit/chain/solana"
)

// Errors of the System program by number.
const (
	seedTooLong       Custom = 0 // the number of another list of errors, as the network gives it
	seedOwner         Custom = 2
	accountInUse      Custom = 0
	negativeLamports  Custom = 1
	invalidDataLength Custom = 3
	seedMismatch      Custom = 5
	nonceNotExpired   Custom = 7
	mostData                 = 10 << 20
)

// args reads the data of an instruction as bincode: numbers of eight bytes, texts behind their length. Bytes behind the
// last one do not matter.
type args struct {
	rest []byte
	bad  bool
}

func (a *args) take(n uint64) []byte {
	if uint64(len(a.rest)) < n {
		a.bad, a.rest = true, nil
		return nil
	}
	b := a.rest[:n]
	a.rest = a.rest[n:]
	return b
}

func (a *args) u64() uint64 {
	if b := a.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (a *args) address() (k solana.Address) {
	copy(k[:], a.take(32))
	return k
}

func (a *args) text() string {
	b := a.take(a.u64())
	a.bad = a.bad || !utf8.Valid(b)
	return string(b)
}

// run plays the System program.
func (f systemProgram) run() error {
	a := &args{rest: f.data}
	number := a.take(4)
	if a.bad {
		return invalidInstructionData
	}
	switch binary.LittleEndian.Uint32(number) {
	case solana.SystemCreateAccount:
		return f.createAccount(a, false)
	case solana.SystemCreateAccountWithSeed:
		return f.createAccount(a, true)
	case solana.SystemTransfer:
		return f.transfer(a)
	case solana.SystemTransferWithSeed:
		return f.transferWithSeed(a)
	case solana.SystemAssign:
		return f.assign(a, false)
	case solana.SystemAssignWithSeed:
		return f.assign(a, true)
	case solana.SystemAllocate:
		return f.allocate(a, false)
	case solana.SystemAllocateWithSeed:
		return f.allocate(a, true)
	}
	return f.nonce(binary.LittleEndian.Uint32(number), a)
}

// place is an account that an instruction changes, and who has to sign for that: its own key or that of its base.
type place struct {
	ref
	signer solana.Address
}

// placed finds the account at a place, and holds its address against the seed where one is named.
func (f systemProgram) placed(i int, seed *seed, owner solana.Address) (place, error) {
	a := f.accounts[i]
	if seed == nil {
		return place{a, a.key}, nil
	}
	made, err := seed.address(owner)
	if err == nil && made != a.key {
		err = seedMismatch
	}
	return place{a, seed.base}, err
}

// target is the place that an instruction changes, once all of its arguments are read.
func (f systemProgram) target(a *args, i int, s *seed, owner solana.Address) (place, error) {
	if a.bad {
		return place{}, invalidInstructionData
	}
	if err := f.names(i + 1); err != nil {
		return place{}, err
	}
	return f.placed(i, s, owner)
}

type seed struct {
	base solana.Address
	text string
}

func (a *args) seed(is bool) *seed {
	if !is {
		return nil
	}
	return &seed{a.address(), a.text()}
}

func (s seed) address(owner solana.Address) (solana.Address, error) {
	if len(s.text) > 32 {
		return solana.Address{}, seedTooLong
	}
	made, err := solana.CreateWithSeed(s.base, s.text, owner)
	if err != nil {
		return solana.Address{}, seedOwner
	}
	return made, nil
}

func (f systemProgram) createAccount(a *args, seeded bool) error {
	s := a.seed(seeded)
	lamports, space, owner := a.u64(), a.u64(), a.address()
	to, err := f.target(a, 1, s, owner)
	if err != nil {
		return err
	}
	if to.Lamports > 0 {
		return accountInUse
	}
	if err := f.grow(to, space); err != nil {
		return err
	}
	if err := f.give(to, owner); err != nil {
		return err
	}
	if !f.accounts[0].signs {
		return missingRequiredSignature
	}
	return f.move(0, 1, lamports)
}

// grow makes the data of a new account.
func (f systemProgram) grow(p place, space uint64) error {
	switch {
	case !f.hasSigned(p.signer):
		return missingRequiredSignature
	case len(p.Data) > 0 || p.Owner != solana.SystemProgram:
		return accountInUse
	case space > mostData:
		return invalidDataLength
	case !p.written:
		return readOnlyDataModified
	}
	p.Data = make([]byte, space)
	return nil
}

// give makes an account another program's.
func (f systemProgram) give(p place, owner solana.Address) error {
	switch {
	case p.Owner == owner:
		return nil
	case !f.hasSigned(p.signer):
		return missingRequiredSignature
	case !f.owns(p.ref) || !p.written || !isZero(p.Data):
		return modifiedProgramID
	}
	p.Owner = owner
	return nil
}

func isZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

func (f systemProgram) assign(a *args, seeded bool) error {
	s, owner := a.seed(seeded), a.address()
	p, err := f.target(a, 0, s, owner)
	if err != nil {
		return err
	}
	return f.give(p, owner)
}

func (f systemProgram) allocate(a *args, seeded bool) error {
	s, space := a.seed(seeded), a.u64()
	var owner solana.Address
	if seeded {
		owner = a.address()
	}
	p, err := f.target(a, 0, s, owner)
	if err != nil {
		return err
	}
	if err := f.grow(p, space); err != nil || !seeded {
		return err
	}
	return f.give(p, owner)
}

func (f systemProgram) transfer(a *args) error {
	lamports := a.u64()
	if a.bad {
		return invalidInstructionData
	}
	if err := f.names(2); err != nil {
		return err
	}
	if !f.accounts[0].signs {
		return missingRequiredSignature
	}
	return f.move(0, 1, lamports)
}

func (f systemProgram) transferWithSeed(a *args) error {
	lamports, text, owner := a.u64(), a.text(), a.address()
	if a.bad {
		return invalidInstructionData
	}
	if err := f.names(3); err != nil {
		return err
	}
	if !f.accounts[1].signs {
		return missingRequiredSignature
	}
	made, err := seed{f.accounts[1].key, text}.address(owner)
	if err != nil {
		return err
	}
	if made != f.accounts[0].key {
		return seedMismatch
	}
	return f.move(0, 2, lamports)
}

// move takes lamports of an account without data to another one.
func (f systemProgram) move(from, to int, lamports uint64) error {
	a, b := f.accounts[from], f.accounts[to]
	switch {
	case len(a.Data) > 0:
		return invalidArgument
	case lamports > a.Lamports:
		return negativeLamports
	}
	if err := f.setLamports(a, a.Lamports-lamports); err != nil {
		return err
	}
	return f.setLamports(b, b.Lamports+lamports)
}
