package solana

import (
	"encoding/binary"
	"slices"

	"github.com/railkit/railkit/chain"
)

// The instructions of the Token program by the first byte of their data.
const (
	TokenInitializeMint = iota
	TokenInitializeAccount
	TokenInitializeMultisig
	TokenTransfer
	TokenApprove
	TokenRevoke
	TokenSetAuthority
	TokenMintTo
	TokenBurn
	TokenCloseAccount
	TokenFreeze
	TokenThaw
	TokenTransferChecked
	TokenApproveChecked
	TokenMintToChecked
	TokenBurnChecked
	TokenInitializeAccount2
	TokenSyncNative
	TokenInitializeAccount3
	TokenInitializeMultisig2
	TokenInitializeMint2
	TokenGetAccountDataSize
	TokenInitializeImmutableOwner
	TokenAmountToUIAmount
	TokenUIAmountToAmount
)

// TransferToken moves an amount between the associated accounts of two owners. The chain refuses other decimals than
// the mint's. Behind what the program reads stands the owner who is paid, as references of Solana Pay do: whoever reads
// the bytes can derive his account and compare it, and finds the payment among those of his address.
func TransferToken(from, to, mint Address, amount uint64, decimals uint8) Instruction {
	data := binary.LittleEndian.AppendUint64([]byte{TokenTransferChecked}, amount)
	return Instruction{TokenProgram, []Account{
		writes(AssociatedAddress(from, mint, TokenProgram)), reads(mint),
		writes(AssociatedAddress(to, mint, TokenProgram)), signs(from), reads(to),
	}, append(data, decimals)}
}

// tokenForms are those that move tokens, or let somebody move them. The others do what no effect tells: SetAuthority
// gives an account away, CloseAccount sends lamports that the bytes do not count, Burn has no receiver, MintTo makes
// tokens, freezing takes them without moving them.
var tokenForms = forms{
	TokenTransfer:        {"wws", 1 + 8, readTransfer},
	TokenTransferChecked: {"wrws", 1 + 8 + 1, readTransferChecked},
	TokenApprove:         {"wrs", 1 + 8, readApprove},
	TokenApproveChecked:  {"wrrs", 1 + 8 + 1, readApproveChecked},
	TokenRevoke:          {"ws", 1, readRevoke},
}

func readTransfer(r *reading, c call) bool {
	amount := c.data.u64("amount")
	mint, ok := r.mintOf(c.account(0), c.account(2))
	return ok && r.moves(c, 1, mint, amount)
}

func readTransferChecked(r *reading, c call) bool {
	amount, decimals, mint := c.data.u64("amount"), c.data.byte("decimals"), c.account(1)
	return r.fits(mint, decimals) && r.moves(c, 2, mint, amount)
}

// moves is a transfer between owners. Both token accounts have to be associated accounts, whose owner the bytes tell:
// that of the authority, and that of an owner who is known, or is named behind the authority. Of any other account
// nobody here can say whose it is.
func (r *reading) moves(c call, destination int, mint Address, amount uint64) bool {
	authority, owners := c.account(destination+1), r.owners
	if named := destination + 2; named < len(c.Accounts) {
		owners = append(slices.Clone(owners), c.account(named))
	}
	to, known := ownerOf(owners, c.account(destination), mint)
	if !known || c.account(0) != AssociatedAddress(authority, mint, TokenProgram) {
		return false
	}
	r.token(chain.Effect{Kind: chain.Transfer, From: authority.String(), To: to.String()}, mint, amount)
	return true
}

func readApprove(r *reading, c call) bool {
	amount := c.data.u64("amount")
	mint, ok := r.mintOf(c.account(0), c.account(2))
	return ok && r.approves(c.account(0), c.account(1), c.account(2), mint, amount)
}

func readApproveChecked(r *reading, c call) bool {
	amount, decimals, mint := c.data.u64("amount"), c.data.byte("decimals"), c.account(1)
	return r.fits(mint, decimals) && r.approves(c.account(0), c.account(2), c.account(3), mint, amount)
}

// approves is an allowance that stands until the delegate has used it up or it is taken back.
func (r *reading) approves(source, delegate, authority, mint Address, amount uint64) bool {
	if source != AssociatedAddress(authority, mint, TokenProgram) {
		return false
	}
	r.token(chain.Effect{Kind: chain.Approve, From: authority.String(), Spender: delegate.String()}, mint, amount)
	return true
}

// readRevoke takes back whatever allowance stands: one of nothing, for a delegate whom the bytes do not name.
func readRevoke(r *reading, c call) bool {
	mint, ok := r.mintOf(c.account(0), c.account(1))
	if ok {
		r.token(chain.Effect{Kind: chain.Approve, From: c.account(1).String()}, mint, 0)
	}
	return ok
}

// fits refuses other decimals than those of a listed token: the list is wrong then, or the transaction fails.
func (r *reading) fits(mint Address, decimals uint8) bool {
	t, listed := r.Network.TokenByAddress(mint.String())
	return !listed || t.Decimals == int(decimals)
}

// mintOf finds the listed token whose associated account of an authority a token account is. Instructions without
// "checked" name no mint.
func (r *reading) mintOf(account, authority Address) (Address, bool) {
	for _, t := range r.Network.Tokens {
		mint, err := ParseAddress(t.Address)
		if err == nil && account == AssociatedAddress(authority, mint, TokenProgram) {
			return mint, true
		}
	}
	return Address{}, false
}

// ownerOf finds the owner of an associated account among those who are known.
func ownerOf(owners []Address, account, mint Address) (Address, bool) {
	for _, owner := range owners {
		if account == AssociatedAddress(owner, mint, TokenProgram) {
			return owner, true
		}
	}
	return Address{}, false
}

// token is an effect over an amount of a mint, certain where the network lists it.
func (r *reading) token(e chain.Effect, mint Address, amount uint64) {
	e.Asset, e.Contract = mint.String(), TokenProgram.String()
	t, _ := r.Network.TokenByAddress(e.Asset)
	r.add(e, amount, t)
}
