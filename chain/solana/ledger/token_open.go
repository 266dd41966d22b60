package ledger

import (
	"math"

	"github.com/railkit/railkit/chain/solana"
)

// optional reads an option of an instruction: one byte, and an address where it is 1.
func optional(data []byte) (k *solana.Address, ok bool) {
	switch {
	case len(data) == 0:
		return nil, false
	case data[0] == 0:
		return nil, true
	case data[0] != 1 || len(data) < 33:
		return nil, false
	}
	a := solana.Address(data[1:33])
	return &a, true
}

// rentAt holds the account of the rent sysvar, which some instructions name, against its address.
func (f tokenProgram) rentAt(i int) error {
	if f.accounts[i].key != rentSysvar {
		return invalidArgument
	}
	return nil
}

func (f tokenProgram) initializeMint(data []byte, withRent bool) error {
	if len(data) < 34 {
		return invalidInstruction
	}
	freezer, ok := optional(data[33:])
	if !ok {
		return invalidInstruction
	}
	needed := 1
	if withRent {
		needed = 2
	}
	if err := f.need(needed); err != nil {
		return err
	}
	if withRent {
		if err := f.rentAt(1); err != nil {
			return err
		}
	}
	m, err := blankMint(f.accounts[0])
	switch {
	case err != nil:
		return err
	case m.Data[45] == 1:
		return alreadyInUse
	case m.Lamports < f.ledger.MinimumBalance(mintSize):
		return notRentExempt
	}
	m.Data[44], m.Data[45] = data[0], 1
	m.minter().set(solana.Address(data[1:33]))
	if freezer != nil {
		m.freezer().set(*freezer)
	}
	return nil
}

// initializeAccount plays three forms: the owner is an account or data, the sysvar of the rent is named or not.
func (f tokenProgram) initializeAccount(data []byte) error {
	number, needed := f.data[0], 4
	switch number {
	case solana.TokenInitializeAccount2:
		needed = 3
	case solana.TokenInitializeAccount3:
		needed = 2
	}
	if number != solana.TokenInitializeAccount && len(data) < 32 {
		return invalidInstruction
	}
	if err := f.need(needed); err != nil {
		return err
	}
	var owner solana.Address
	if number == solana.TokenInitializeAccount {
		owner = f.accounts[2].key
	} else {
		owner = solana.Address(data[:32])
	}
	if number != solana.TokenInitializeAccount3 {
		if err := f.rentAt(needed - 1); err != nil {
			return err
		}
	}
	return f.open(f.accounts[0], f.accounts[1], owner)
}

// open makes a token account. One of wrapped SOL has what it holds above its reserve.
func (f tokenProgram) open(a, of ref, owner solana.Address) error {
	reserve := f.ledger.MinimumBalance(accountSize)
	t, err := blankToken(a)
	switch {
	case err != nil:
		return err
	case t.Data[108] != stateNone:
		return alreadyInUse
	case t.Lamports < reserve:
		return notRentExempt
	}
	if of.key != solana.NativeMint {
		if err := isTokens(of); err != nil {
			return err
		}
		if _, err := mintAt(of); err != nil {
			return invalidMint
		}
	}
	copy(t.Data, of.key[:])
	copy(t.Data[32:], owner[:])
	t.Data[108] = stateOpen
	if of.key == solana.NativeMint {
		t.setReserve(reserve)
		t.setAmount(t.Lamports - reserve)
	}
	return nil
}

func (f tokenProgram) initializeMultisig(data []byte, withRent bool) error {
	if len(data) < 1 {
		return invalidInstruction
	}
	members := 1
	if withRent {
		members = 2
	}
	if err := f.need(members); err != nil {
		return err
	}
	if withRent {
		if err := f.rentAt(1); err != nil {
			return err
		}
	}
	a := f.accounts[0]
	switch {
	case len(a.Data) != multisigSize || a.Data[2] > 1:
		return invalidAccountData
	case a.Data[2] == 1:
		return alreadyInUse
	case a.Lamports < f.ledger.MinimumBalance(multisigSize):
		return notRentExempt
	}
	return writeMultisig(a.Data, data[0], f.accounts[members:])
}

func writeMultisig(to []byte, needed byte, members []ref) error {
	switch n := len(members) % (math.MaxUint8 + 1); {
	case n < 1 || n > 11:
		return providedSigners
	case needed < 1 || needed > 11:
		return requiredSigners
	}
	to[0], to[1], to[2] = needed, byte(len(members)), 1
	for i, m := range members {
		copy(to[3+32*i:], m.key[:])
	}
	return nil
}

// initializeImmutableOwner says what is true of no account of this program, and does nothing.
func (f tokenProgram) initializeImmutableOwner() error {
	if err := f.need(1); err != nil {
		return err
	}
	t, err := blankToken(f.accounts[0])
	if err == nil && t.Data[108] != stateNone {
		return alreadyInUse
	}
	return err
}
