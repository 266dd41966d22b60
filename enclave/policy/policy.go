// Package policy holds a signing against rules. It is pure: what it needs is in
// its arguments. Whatever it does not understand costs without limit and passes
// no rule.
package policy

import (
	"math/big"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
)

// Signing is what is to be signed, as effects.
type Signing struct {
	Network   chain.Network  // none of a plain text
	Contract  string         // that the transaction itself calls, EIP-55
	Selector  string         // of that call, 0x hex of its first four bytes, or of less
	Effects   []chain.Effect // all of them, also those of calls within the call
	MaxFee    *big.Int       // wei, nil where nothing is paid
	RawDigest bool           // nobody can tell what is signed
}

// Call names the contract that a transaction calls, if it calls one.
func (x Signing) Call(to *evm.Address, data []byte) Signing {
	if to != nil && len(data) > 0 {
		x.Contract, x.Selector = to.String(), evm.Hex(data[:min(len(data), 4)])
	}
	return x
}

// nativeAsset is how an effect names the network's own coin.
const nativeAsset = "native"

// listed is the coin or token that an effect is about, where the network lists it.
func (x Signing) listed(e chain.Effect) (chain.Token, bool) {
	if e.Asset == nativeAsset {
		return x.Network.Native, x.Network.Native.Symbol != ""
	}
	t, ok := x.Network.TokenByAddress(e.Asset)
	return t, ok && e.Symbol == t.Symbol
}

// Price is what one whole unit of an asset is worth.
type Price struct{ USD *big.Rat }

// Prices finds the price of a listed asset, by its symbol.
type Prices func(symbol string) (Price, bool)

// Totals are what was spent already, in millionths of a USD.
type Totals struct{ Day, Month int64 }
