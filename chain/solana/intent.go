package solana

import (
	"math"
	"math/big"
)

// Intent is a payment as its owner means it, before anybody chose version, blockhash and fee.
type Intent struct {
	Source      Address // who pays, the fee too
	Destination Address // the owner who is paid, never his token account
	Mint        Address // of a token of the classic Token program; zero: SOL
	Decimals    uint8   // of the mint; the chain refuses another number
	Amount      uint64  // in the smallest unit
	MaxFee      uint64  // lamports for signatures and priority
	MaxRent     uint64  // lamports for the payee's token account where it is missing; 0: it has to be there
}

// Terms are what the host chooses when an intent is executed.
type Terms struct {
	Version     Version // V0 or V1
	Blockhash   [32]byte
	Units       uint32 // of compute that it may use
	LoadedBytes uint32 // of all accounts that it names, programs too
	Priority    uint64 // lamports beside those for the signature
	Rent        uint64 // of the payee's token account today; 0: it is there, and nothing is created
}

// Message is the one message of an intent under terms. Both versions do the same and cost no more than MaxFee:
//
//	v0  Compute Budget instructions, whose price is the priority by the unit, rounded down
//	v1  config values
//
// and then the account of the payee, where it is to be created, and the payment. No lookup table, no durable nonce.
func (i Intent) Message(t Terms) (Message, error) {
	if err := i.check(); err != nil {
		return Message{}, err
	}
	if err := i.checkTerms(t); err != nil {
		return Message{}, err
	}
	if t.Version == V1 {
		c := Config{PriorityFee: &t.Priority, Units: &t.Units, LoadedBytes: &t.LoadedBytes}
		return Compile(V1, i.Source, t.Blockhash, c, i.pay(t))
	}
	all := []Instruction{SetUnits(t.Units), SetPrice(t.price()), SetLoadedBytes(t.LoadedBytes)}
	return Compile(V0, i.Source, t.Blockhash, Config{}, append(all, i.pay(t)...))
}

func (i Intent) pay(t Terms) []Instruction {
	if i.Mint == (Address{}) {
		return []Instruction{TransferCoin(i.Source, i.Destination, i.Amount)}
	}
	pay := TransferToken(i.Source, i.Destination, i.Mint, i.Amount, i.Decimals)
	if t.Rent == 0 {
		return []Instruction{pay}
	}
	return []Instruction{CreateAssociated(i.Source, i.Destination, i.Mint), pay}
}

// price is the priority by the unit, in millionths of a lamport, rounded down: 77 lamports for 5,000 units are 15,400.
// The network rounds what it charges up, to no more than the priority. checkTerms has seen that the product fits.
func (t Terms) price() uint64 { return t.Priority * microLamports / uint64(t.Units) }

func (i Intent) check() error {
	switch {
	case i.Amount == 0:
		return refuse("amount", "0")
	case i.Source == i.Destination:
		return refuse("destination", "is the source")
	case nobody[i.Destination] != "":
		return refuse("destination", "%s", nobody[i.Destination])
	case i.Mint != Address{} && (i.Destination == i.Mint || i.Destination == AssociatedAddress(i.Source, i.Mint,
		TokenProgram)):
		return refuse("destination", "is the mint, or the source's own token account")
	case i.Mint == Address{} && (i.MaxRent != 0 || i.Decimals != 0):
		return refuse("mint", "SOL needs no token account, and has no other decimals")
	}
	return nil
}

func (i Intent) checkTerms(t Terms) error {
	fee := new(big.Int).SetUint64(t.Priority)
	fee.Add(fee, big.NewInt(FeePerSignature))
	switch {
	case t.Rent > i.MaxRent:
		return refuse("rent", "%d lamports, more than %d", t.Rent, i.MaxRent)
	case t.Version != V0 && t.Version != V1:
		return refuse("version", "%s: an intent is v0 or v1", t.Version.Name())
	case t.Blockhash == [32]byte{}:
		return refuse("blockhash", "is zero")
	case t.Units == 0 || t.Units > MaxUnits:
		return refuse("units", "%d: 1 to %d", t.Units, MaxUnits)
	case t.LoadedBytes == 0 || t.LoadedBytes > maxLoaded:
		return refuse("loadedBytes", "%d: 1 to %d", t.LoadedBytes, maxLoaded)
	case fee.Cmp(new(big.Int).SetUint64(i.MaxFee)) > 0:
		return refuse("fee", "%s lamports, more than %d", fee, i.MaxFee)
	case t.Priority > math.MaxUint64/microLamports:
		return refuse("priority", "%d lamports", t.Priority)
	}
	return nil
}
