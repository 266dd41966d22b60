package ledger

import "github.com/railkit/railkit/chain/solana"

func (f tokenProgram) approve(n uint64, decimals *byte) error {
	delegate := 1
	if decimals != nil {
		delegate = 2
	}
	if err := f.need(delegate + 2); err != nil {
		return err
	}
	a, err := tokenAt(f.accounts[0])
	switch {
	case err != nil:
		return err
	case a.isFrozen():
		return accountFrozen
	}
	if err := f.matches(a.mint(), decimals, 1); err != nil {
		return err
	}
	if err := f.authorized(a.owner(), f.accounts[delegate+1], f.accounts[delegate+2:]); err != nil {
		return err
	}
	a.delegate().set(f.accounts[delegate].key)
	a.setDelegated(n)
	return nil
}

// revoke looks for the owner only when it knows the account. The delegate may give up what he has.
func (f tokenProgram) revoke() error {
	if err := f.need(1); err != nil {
		return err
	}
	a, err := tokenAt(f.accounts[0])
	if err != nil {
		return err
	}
	if err := f.need(2); err != nil {
		return err
	}
	if a.isFrozen() {
		return accountFrozen
	}
	by := a.owner()
	if delegate, is := a.delegate().get(); is && delegate == f.accounts[1].key {
		by = delegate
	}
	if err := f.authorized(by, f.accounts[1], f.accounts[2:]); err != nil {
		return err
	}
	a.delegate().clear()
	a.setDelegated(0)
	return nil
}

// The rights that an authority is set for.
const (
	rightToMint, rightToFreeze, rightToOwn, rightToClose = 0, 1, 2, 3
)

func (f tokenProgram) setAuthority(data []byte) error {
	if len(data) < 2 || data[0] > rightToClose {
		return invalidInstruction
	}
	next, ok := optional(data[1:])
	if !ok {
		return invalidInstruction
	}
	if err := f.need(2); err != nil {
		return err
	}
	switch len(f.accounts[0].Data) {
	case accountSize:
		return f.setAccountAuthority(data[0], next)
	case mintSize:
		return f.setMintAuthority(data[0], next)
	}
	return invalidArgument
}

func (f tokenProgram) setAccountAuthority(right byte, next *solana.Address) error {
	a, err := tokenAt(f.accounts[0])
	switch {
	case err != nil:
		return err
	case a.isFrozen():
		return accountFrozen
	}
	now := a.owner()
	if closer, is := a.closer().get(); right == rightToClose && is {
		now = closer
	}
	if right < rightToOwn {
		return authorityNotSupported
	}
	if err := f.authorized(now, f.accounts[1], f.accounts[2:]); err != nil {
		return err
	}
	if right == rightToClose {
		a.closer().put(next)
		return nil
	}
	if next == nil {
		return invalidInstruction
	}
	copy(a.Data[32:], next[:])
	a.delegate().clear()
	a.setDelegated(0)
	if a.isNative() {
		a.closer().clear()
	}
	return nil
}

func (f tokenProgram) setMintAuthority(right byte, next *solana.Address) error {
	m, err := mintAt(f.accounts[0])
	if err != nil {
		return err
	}
	authority, missing := m.minter(), fixedSupply
	if right == rightToFreeze {
		authority, missing = m.freezer(), mintCannotFreeze
	}
	if right > rightToFreeze {
		return authorityNotSupported
	}
	now, is := authority.get()
	if !is {
		return missing
	}
	if err := f.authorized(now, f.accounts[1], f.accounts[2:]); err != nil {
		return err
	}
	authority.put(next)
	return nil
}

// put sets an option, or clears it.
func (o option) put(k *solana.Address) {
	if k == nil {
		o.clear()
		return
	}
	o.set(*k)
}

// freeze freezes an account or thaws it.
func (f tokenProgram) freeze(is bool) error {
	if err := f.need(3); err != nil {
		return err
	}
	a, err := tokenAt(f.accounts[0])
	switch {
	case err != nil:
		return err
	case is == a.isFrozen():
		return invalidState
	case a.isNative():
		return nativeNotSupported
	case a.mint() != f.accounts[1].key:
		return mintMismatch
	}
	m, err := mintAt(f.accounts[1])
	if err != nil {
		return err
	}
	freezer, may := m.freezer().get()
	if !may {
		return mintCannotFreeze
	}
	if err := f.authorized(freezer, f.accounts[2], f.accounts[3:]); err != nil {
		return err
	}
	a.Data[108] = stateOpen
	if is {
		a.Data[108] = stateFrozen
	}
	return nil
}
