package solana

import "github.com/railkit/railkit/chain"

// The instructions of the Associated Token program by their one byte of data. No data at all mean the first.
const (
	AssociatedCreate = iota
	AssociatedCreateIdempotent
	AssociatedRecoverNested
)

// CreateAssociated makes the token account of an owner where it is missing, at the cost of who pays. Where it is there,
// the chain compares its owner: an associated account that its owner gave away fails the transaction.
func CreateAssociated(payer, owner, mint Address) Instruction {
	return Instruction{AssociatedProgram, []Account{
		signsPays(payer), writes(AssociatedAddress(owner, mint, TokenProgram)), reads(owner), reads(mint),
		reads(SystemProgram), reads(TokenProgram),
	}, []byte{AssociatedCreateIdempotent}}
}

// createsAccount reads a creation. Its owner can close the empty account and has the rent then. Older encoders name the
// sysvar of the rent at the end.
func createsAccount(i Instruction) (payer, owner Address, ok bool) {
	a := i.Accounts
	if len(a) == 7 && a[6] == reads(rentSysvar) {
		a = a[:6]
	}
	if i.Program != AssociatedProgram || len(a) != 6 {
		return Address{}, Address{}, false
	}
	owner, mint := a[2].Address, a[3].Address
	ok = (len(i.Data) == 0 || len(i.Data) == 1 && i.Data[0] <= AssociatedCreateIdempotent) &&
		a[0].Signs && a[0].Written && a[1].Written &&
		a[4].Address == SystemProgram && a[5].Address == TokenProgram &&
		a[1].Address == AssociatedAddress(owner, mint, TokenProgram)
	return a[0].Address, owner, ok
}

// associated tells the rent of a new account as a transfer to its owner. The bytes do not say how much that is, or
// whether the account is there already: it is what the caller has been told, and he counts it as the most that is paid.
func (r *reading) associated(i Instruction) bool {
	payer, owner, ok := createsAccount(i)
	if !ok || r.Rent == 0 {
		return false
	}
	r.opens(payer, owner, r.Rent)
	return true
}

// opens is the rent of an account.
func (r *reading) opens(payer, owner Address, lamports uint64) {
	r.add(chain.Effect{
		Kind: chain.Transfer, Asset: nativeAsset, From: payer.String(), To: owner.String(), ByCall: true, Rent: true,
	}, lamports, r.Network.Native)
}
