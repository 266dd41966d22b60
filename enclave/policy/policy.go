// Package policy holds a signing against rules. It is pure: what it needs is in
// its arguments. Whatever it does not understand costs without limit and passes
// no rule.
package policy

import (
	"math/big"
	"time"

	"github.com/railkit/railkit/chain"
)

// Signing is what is to be signed, as effects.
type Signing struct {
	Network chain.Network  // none of a plain text
	Effects []chain.Effect // all of them: what is not certain of them says so
	MaxFee  *big.Int       // wei for gas, nil where nothing is paid
	// Wei for the bytes, at most, on a network that charges for them; nil where nobody can tell.
	DataFee *big.Int
	// Payees is the organization's book on this network; nil: it is empty.
	Payees Payees
	// FeeOnly says that the account pays the fee of what others have the chain do, and is in no other part of it. What
	// Effects there are are theirs.
	FeeOnly   bool
	RawDigest bool  // nobody can tell what is signed
	Message   bool  // a signature that others hand in, and no transaction
	Ends      int64 // of a message: the last second since 1970 at which it is good; 0: it has no end that can be told
}

// nativeAsset is how an effect names the network's own coin.
const nativeAsset = "native"

// listed is the coin or token that an effect is about, where the network lists it
// and the effect is certain.
func (x Signing) listed(e chain.Effect) (chain.Token, bool) {
	if e.Asset == nativeAsset {
		return x.Network.Native, x.Network.Native.Symbol != ""
	}
	t, ok := x.Network.TokenByAddress(e.Asset)
	return t, ok && e.Symbol == t.Symbol
}

// Payees finds what the book says of an address.
type Payees func(address string) (InBook, bool)

// InBook is a payee: how long it has been one, and whether its owners named a contract.
type InBook struct {
	For      time.Duration
	Contract bool
}

// Called is the contract that an effect calls without anybody here knowing what it does with the call, "" where there
// is none: it is no call, or one of a listed token.
func (x Signing) Called(e chain.Effect) string {
	if _, listed := x.listed(e); listed {
		return ""
	}
	return e.Contract
}

// stranded says at what a transfer would be stranded: at an address that is known, or at a contract of the book.
func (x Signing) stranded(e chain.Effect) (chain.Known, bool) {
	if k, stranded := chain.Stranded(x.Network, e); stranded {
		return k, true
	}
	p, known := x.inBook(e.To)
	return chain.Known{Kind: chain.KnownPayee, Name: "a contract in the book of payees"},
		known && p.Contract && e.Kind == chain.Transfer && !e.ByCall
}

// StrandedAt says at what the signing's plain transfers to an address would be stranded, if they would be.
func (x Signing) StrandedAt(address string) (chain.Known, bool) {
	for _, e := range x.Effects {
		if k, stranded := x.stranded(e); stranded && e.To == address {
			return k, true
		}
	}
	return chain.Known{}, false
}

// Price is what one whole unit of an asset is worth.
type Price struct{ USD *big.Rat }

// Prices finds the price of a listed asset, by its symbol.
type Prices func(symbol string) (Price, bool)

// Totals are what was spent already, in millionths of a USD.
type Totals struct{ Day, Month int64 }
