package ledger

import (
	"encoding/binary"

	"github.com/railkit/railkit/chain/solana"
)

// wrongOwner is the one error of its own that the Associated Token program has.
const wrongOwner Custom = 0

// run plays the Associated Token program, which calls System and Token.
func (f associatedProgram) run() error {
	switch {
	case len(f.data) == 0:
		return f.createAssociated(false)
	case len(f.data) > 1 || f.data[0] > solana.AssociatedRecoverNested:
		return invalidInstructionData
	case f.data[0] == solana.AssociatedRecoverNested:
		return f.recoverNested()
	}
	return f.createAssociated(f.data[0] == solana.AssociatedCreateIdempotent)
}

// createAssociated makes the account that payer, account, owner, mint, System and the token program are named for.
func (f associatedProgram) createAssociated(idempotent bool) error {
	if err := f.need(6); err != nil {
		return err
	}
	account, owner, of, program := f.accounts[1], f.accounts[2], f.accounts[3], f.accounts[5]
	if solana.AssociatedAddress(owner.key, of.key, program.key) != account.key {
		return invalidSeeds
	}
	if idempotent && account.Owner == program.key {
		if t, err := tokenAt(account); err == nil {
			switch {
			case t.owner() != owner.key:
				return wrongOwner
			case t.mint() != of.key:
				return invalidAccountData
			}
			return nil
		}
	}
	switch {
	case account.Owner != solana.SystemProgram:
		return illegalOwner
	case program.key != solana.TokenProgram:
		return incorrectProgramID
	}
	if err := f.invokeToken(solana.TokenGetAccountDataSize, nil, reads(of)); err != nil {
		return err
	}
	if err := f.payAccount(account); err != nil {
		return err
	}
	if err := f.invokeToken(solana.TokenInitializeImmutableOwner, nil, writes(account)); err != nil {
		return err
	}
	return f.invokeToken(solana.TokenInitializeAccount3, owner.key[:], writes(account), reads(of))
}

func reads(a ref) solana.Account  { return solana.Account{Address: a.key} }
func writes(a ref) solana.Account { return solana.Account{Address: a.key, Written: true} }

func signing(a solana.Account) solana.Account {
	a.Signs = true
	return a
}

func (f associatedProgram) invokeToken(number byte, data []byte, accounts ...solana.Account) error {
	return f.invoke(solana.TokenProgram, append([]byte{number}, data...), nil, accounts...)
}

// payAccount makes the account out of nothing, or of what somebody has sent to its address before.
func (f associatedProgram) payAccount(account ref) error {
	payer, rent := f.accounts[0], f.ledger.MinimumBalance(accountSize)
	derived := []solana.Address{account.key}
	if account.Lamports == 0 {
		data := number(solana.SystemCreateAccount, rent, accountSize)
		return f.invoke(solana.SystemProgram, append(data, solana.TokenProgram[:]...), derived,
			signing(writes(payer)), signing(writes(account)))
	}
	if account.Lamports < rent {
		data := number(solana.SystemTransfer, rent-account.Lamports)
		if err := f.invoke(solana.SystemProgram, data, nil, signing(writes(payer)), writes(account)); err != nil {
			return err
		}
	}
	data := number(solana.SystemAllocate, accountSize)
	if err := f.invoke(solana.SystemProgram, data, derived, signing(writes(account))); err != nil {
		return err
	}
	data = append(number(solana.SystemAssign), solana.TokenProgram[:]...)
	return f.invoke(solana.SystemProgram, data, derived, signing(writes(account)))
}

// number begins the data of an instruction of the System program.
func number(n uint32, values ...uint64) []byte {
	b := binary.LittleEndian.AppendUint32(nil, n)
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

// recoverNested takes tokens out of an account whose owner is, by a mistake, somebody's token account: nested account,
// its mint, the account where they belong, the account that owns the nested one, its mint, the wallet, the token
// program.
func (f associatedProgram) recoverNested() error {
	if err := f.need(7); err != nil {
		return err
	}
	nested, of, target, holder, holderMint := f.accounts[0], f.accounts[1], f.accounts[2], f.accounts[3], f.accounts[4]
	wallet, program := f.accounts[5], f.accounts[6].key
	for _, c := range []struct{ owner, mint, account solana.Address }{
		{wallet.key, holderMint.key, holder.key}, {holder.key, of.key, nested.key}, {wallet.key, of.key, target.key},
	} {
		if solana.AssociatedAddress(c.owner, c.mint, program) != c.account {
			return invalidSeeds
		}
	}
	switch {
	case !wallet.signs:
		return missingRequiredSignature
	case holderMint.Owner != program || holder.Owner != program:
		return illegalOwner
	}
	if err := ownedBy(holder, wallet.key); err != nil {
		return err
	}
	if nested.Owner != program {
		return illegalOwner
	}
	if err := ownedBy(nested, holder.key); err != nil {
		return err
	}
	if of.Owner != program {
		return illegalOwner
	}
	return f.takeNested(nested, of, target, holder, wallet)
}

func ownedBy(a ref, owner solana.Address) error {
	t, err := tokenAt(a)
	if err == nil && t.owner() != owner {
		return wrongOwner
	}
	return err
}

func (f associatedProgram) takeNested(nested, of, target, holder, wallet ref) error {
	m, err := mintAt(of)
	if err != nil {
		return err
	}
	derived := []solana.Address{holder.key}
	data := binary.LittleEndian.AppendUint64([]byte{solana.TokenTransferChecked}, tokenAccount{nested}.amount())
	err = f.invoke(solana.TokenProgram, append(data, m.decimals()), derived,
		writes(nested), reads(of), writes(target), signing(reads(holder)))
	if err != nil {
		return err
	}
	return f.invoke(solana.TokenProgram, []byte{solana.TokenCloseAccount}, derived,
		writes(nested), writes(wallet), signing(reads(holder)))
}
