package ledger

import (
	"math"

	"github.com/railkit/railkit/chain/solana"
)

// transferToken moves an amount. With decimals, the mint is the second account.
func (f tokenProgram) transferToken(n uint64, decimals *byte) error {
	to := 1
	if decimals != nil {
		to = 2
	}
	if err := f.need(to + 2); err != nil {
		return err
	}
	source, err := tokenAt(f.accounts[0])
	if err != nil {
		return err
	}
	target, self := source, f.accounts[0].key == f.accounts[to].key
	if !self {
		if target, err = tokenAt(f.accounts[to]); err != nil {
			return err
		}
	}
	switch {
	case source.isFrozen() || target.isFrozen():
		return accountFrozen
	case source.amount() < n:
		return tokenFunds
	case source.mint() != target.mint():
		return mintMismatch
	}
	if err := f.matches(source.mint(), decimals, 1); err != nil {
		return err
	}
	if err := f.spend(source, f.accounts[to+1], f.accounts[to+2:], n, !self); err != nil {
		return err
	}
	return f.moveTokens(source, target, n, self)
}

// moveTokens ends a transfer. Where nothing is written the runtime has nothing to compare, and the program itself asks
// whose accounts they are.
func (f tokenProgram) moveTokens(source, target tokenAccount, n uint64, self bool) error {
	if self || n == 0 {
		if err := isTokens(source.ref); err != nil {
			return err
		}
		return isTokens(target.ref)
	}
	source.setAmount(source.amount() - n)
	target.setAmount(target.amount() + n)
	if !source.isNative() {
		return nil
	}
	if source.Lamports < n || target.Lamports > math.MaxUint64-n {
		return overflow
	}
	source.Lamports -= n
	target.Lamports += n
	return nil
}

// matches holds the mint that an instruction with decimals names against an account's.
func (f tokenProgram) matches(of solana.Address, decimals *byte, place int) error {
	if decimals == nil {
		return nil
	}
	if f.accounts[place].key != of {
		return mintMismatch
	}
	m, err := mintAt(f.accounts[place])
	if err == nil && m.decimals() != *decimals {
		return decimalsMismatch
	}
	return err
}

// spend wants the owner, or the delegate, whose allowance is used up by it unless the tokens stay where they are.
func (f tokenProgram) spend(a tokenAccount, by ref, members []ref, n uint64, uses bool) error {
	delegate, is := a.delegate().get()
	if !is || delegate != by.key {
		return f.authorized(a.owner(), by, members)
	}
	if err := f.authorized(delegate, by, members); err != nil {
		return err
	}
	if a.delegated() < n {
		return tokenFunds
	}
	if uses {
		a.setDelegated(a.delegated() - n)
		if a.delegated() == 0 {
			a.delegate().clear()
		}
	}
	return nil
}

func (f tokenProgram) mintTo(n uint64, decimals *byte) error {
	if err := f.need(3); err != nil {
		return err
	}
	target, err := tokenAt(f.accounts[1])
	switch {
	case err != nil:
		return err
	case target.isFrozen():
		return accountFrozen
	case target.isNative():
		return nativeNotSupported
	case target.mint() != f.accounts[0].key:
		return mintMismatch
	}
	m, err := mintAt(f.accounts[0])
	switch {
	case err != nil:
		return err
	case decimals != nil && m.decimals() != *decimals:
		return decimalsMismatch
	}
	minter, is := m.minter().get()
	if !is {
		return fixedSupply
	}
	if err := f.authorized(minter, f.accounts[2], f.accounts[3:]); err != nil {
		return err
	}
	if n == 0 {
		if err := isTokens(m.ref); err != nil {
			return err
		}
		return isTokens(target.ref)
	}
	if m.supply() > math.MaxUint64-n {
		return overflow
	}
	m.setSupply(m.supply() + n)
	target.setAmount(target.amount() + n)
	return nil
}

func (f tokenProgram) burn(n uint64, decimals *byte) error {
	if err := f.need(3); err != nil {
		return err
	}
	source, err := tokenAt(f.accounts[0])
	if err != nil {
		return err
	}
	m, err := mintAt(f.accounts[1])
	switch {
	case err != nil:
		return err
	case source.isFrozen():
		return accountFrozen
	case source.isNative():
		return nativeNotSupported
	case source.amount() < n:
		return tokenFunds
	case source.mint() != m.key:
		return mintMismatch
	case decimals != nil && m.decimals() != *decimals:
		return decimalsMismatch
	}
	if !isOwnerless(source.owner()) {
		if err := f.spend(source, f.accounts[2], f.accounts[3:], n, true); err != nil {
			return err
		}
	}
	if n == 0 {
		if err := isTokens(source.ref); err != nil {
			return err
		}
		return isTokens(m.ref)
	}
	source.setAmount(source.amount() - n)
	m.setSupply(m.supply() - n) // not below 0: all accounts together have the supply
	return nil
}

var incinerator = sysvar("1nc1nerator11111111111111111111111111111111")

// isOwnerless reports whether nobody can sign for an owner. Anybody may burn what such a one has.
func isOwnerless(owner solana.Address) bool {
	return owner == solana.SystemProgram || owner == incinerator
}

// closeAccount sends the lamports of an empty token account, or of one that holds SOL, to somebody.
func (f tokenProgram) closeAccount() error {
	if err := f.need(3); err != nil {
		return err
	}
	if f.accounts[0].key == f.accounts[1].key {
		return invalidAccountData
	}
	a, err := tokenAt(f.accounts[0])
	switch {
	case err != nil:
		return err
	case !a.isNative() && a.amount() != 0:
		return nonNativeHasBalance
	}
	closer, is := a.closer().get()
	if !is {
		closer = a.owner()
	}
	if !isOwnerless(a.owner()) {
		err = f.authorized(closer, f.accounts[2], f.accounts[3:])
	} else if f.accounts[1].key != incinerator {
		err = invalidAccountData
	}
	if err != nil {
		return err
	}
	to := f.accounts[1]
	if to.Lamports > math.MaxUint64-a.Lamports {
		return overflow
	}
	to.Lamports += a.Lamports
	*a.Account = Account{}
	return nil
}

// syncNative takes in SOL that was sent to an account of wrapped SOL. The reserve becomes what the rent is today, so
// that the amount may also become less. The sysvar of the rent may be named, and nothing else in its place.
func (f tokenProgram) syncNative() error {
	if err := f.need(1); err != nil {
		return err
	}
	if err := isTokens(f.accounts[0]); err != nil {
		return err
	}
	if len(f.accounts) > 1 {
		if err := f.rentAt(1); err != nil {
			return err
		}
	}
	a, err := tokenAt(f.accounts[0])
	reserve := f.ledger.MinimumBalance(accountSize)
	switch {
	case err != nil:
		return err
	case !a.isNative():
		return nonNativeNotSupported
	case a.Lamports < reserve:
		return overflow
	}
	a.setReserve(reserve)
	a.setAmount(a.Lamports - reserve)
	return nil
}
