package evm_test

import (
	"bytes"
	"math/big"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
)

// Calldata that is shown as a transfer of the sender's is exactly that transfer.
func FuzzEffects(f *testing.F) {
	network, _ := chain.BySlug(chain.Sandbox, "base")
	from, to := evm.Address{1}, evm.Address{2}
	good, err := evm.EncodeTransfer(to, big.NewInt(25_500_000))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(append(bytes.Clone(good), 0))
	f.Add(good[:67])
	f.Add([]byte{0x09, 0x5e, 0xa7, 0xb3})
	f.Add([]byte{})
	token, err := evm.ParseAddress(network.Tokens[0].Address)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, e := range evm.Effects(from, &token, new(big.Int), data, network) {
			if e.Kind != chain.Transfer || e.From != from.String() || e.Asset == "native" {
				continue
			}
			amount, ok := new(big.Int).SetString(e.Amount, 10)
			receiver, err := evm.ParseAddress(e.To)
			if !ok || err != nil {
				t.Fatalf("effect %+v", e)
			}
			plain, err := evm.EncodeTransfer(receiver, amount)
			if selector := data[:4]; bytes.Equal(selector, good[:4]) && (err != nil || !bytes.Equal(plain, data)) {
				t.Errorf("%x is shown as a transfer of %s to %s", data, e.Amount, e.To)
			}
		}
	})
}

// An amount that is taken has one value, and is written as that value.
func FuzzUnits(f *testing.F) {
	for _, text := range []string{
		"25.50", "0", "1e3", "-1", ".5", "1.", "007",
		"115792089237316195423570985008687907853269984665640564039457584007913129639935",
	} {
		f.Add(text, uint8(6))
	}
	f.Fuzz(func(t *testing.T, text string, places uint8) {
		decimals := int(places % 78)
		n, err := chain.ParseUnits(text, decimals)
		if err != nil {
			return
		}
		again, err := chain.ParseUnits(chain.FormatUnits(n, decimals), decimals)
		if err != nil || again.Cmp(n) != 0 || n.Sign() < 0 {
			t.Errorf("%q is %v, written %q", text, n, chain.FormatUnits(n, decimals))
		}
	})
}
