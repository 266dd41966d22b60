package solanatest

import (
	"encoding/binary"

	"github.com/railkit/railkit/chain/solana"
)

const (
	decimals    = 6
	mintSize    = 82
	accountSize = 165
)

// Pays moves a listed token to an owner's associated account, which is made where it is missing.
func (c *Chain) Pays(by Person, to solana.Address, symbol string, units uint64) (id string) {
	c.t.Helper()
	mint := Mint(symbol)
	return c.Send(by, []solana.Instruction{
		solana.CreateAssociated(by.Address, to, mint), solana.TransferToken(by.Address, to, mint, units, decimals),
	})
}

// PaysAside moves a listed token to another account of an owner's than the associated one.
func (c *Chain) PaysAside(by Person, to solana.Address, symbol string, units uint64) (id string, at solana.Address) {
	c.t.Helper()
	account, mint := NewPerson(), Mint(symbol)
	data := binary.LittleEndian.AppendUint64([]byte{solana.TokenTransferChecked}, units)
	return c.Send(by, []solana.Instruction{
		c.creates(by, account, accountSize),
		{Program: solana.TokenProgram, Accounts: []solana.Account{written(account.Address), {Address: mint}},
			Data: append([]byte{solana.TokenInitializeAccount3}, to[:]...)},
		{Program: solana.TokenProgram, Accounts: []solana.Account{
			written(Associated(by.Address, mint)), {Address: mint}, written(account.Address),
			{Address: by.Address, Signs: true},
		}, Data: append(data, decimals)},
	}, account), account.Address
}

// PaysAlike makes a mint of as many places as a listed one, and gives an owner of its tokens.
func (c *Chain) PaysAlike(by Person, to solana.Address, units uint64) (id string, mint solana.Address) {
	c.t.Helper()
	made := NewPerson()
	data := append([]byte{solana.TokenInitializeMint2, decimals}, by.Address[:]...)
	amount := binary.LittleEndian.AppendUint64([]byte{solana.TokenMintToChecked}, units)
	return c.Send(by, []solana.Instruction{
		c.creates(by, made, mintSize),
		{Program: solana.TokenProgram, Accounts: []solana.Account{written(made.Address)}, Data: append(data, 0)},
		solana.CreateAssociated(by.Address, to, made.Address),
		{Program: solana.TokenProgram, Accounts: []solana.Account{
			written(made.Address), written(Associated(to, made.Address)), {Address: by.Address, Signs: true},
		}, Data: append(amount, decimals)},
	}, made), made.Address
}

// Fails moves more than a person has, after a part of it: the transaction is in a block and does nothing.
func (c *Chain) Fails(by Person, to solana.Address, symbol string, units uint64) (id string) {
	c.t.Helper()
	mint := Mint(symbol)
	return c.Send(by, []solana.Instruction{
		solana.CreateAssociated(by.Address, to, mint), solana.TransferToken(by.Address, to, mint, units, decimals),
		solana.TransferToken(by.Address, to, mint, 1<<62, decimals),
	})
}

// GivesAway makes the associated account of a person's another one's.
func (c *Chain) GivesAway(by Person, symbol string, to solana.Address) {
	c.t.Helper()
	const owner = 2
	mint := Mint(symbol)
	c.Send(by, []solana.Instruction{
		solana.CreateAssociated(by.Address, by.Address, mint),
		{Program: solana.TokenProgram, Accounts: []solana.Account{
			written(Associated(by.Address, mint)), {Address: by.Address, Signs: true},
		}, Data: append([]byte{solana.TokenSetAuthority, owner, 1}, to[:]...)},
	})
}

// creates is an account for the Token program.
func (c *Chain) creates(by, account Person, size int) solana.Instruction {
	c.t.Helper()
	data := binary.LittleEndian.AppendUint32(nil, solana.SystemCreateAccount)
	data = binary.LittleEndian.AppendUint64(data, c.Rent(size))
	data = binary.LittleEndian.AppendUint64(data, uint64(size))
	return solana.Instruction{Program: solana.SystemProgram, Accounts: []solana.Account{
		{Address: by.Address, Signs: true, Written: true}, {Address: account.Address, Signs: true, Written: true},
	}, Data: append(data, solana.TokenProgram[:]...)}
}

func written(a solana.Address) solana.Account { return solana.Account{Address: a, Written: true} }
