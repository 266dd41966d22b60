package fiat_test

import (
	"strings"
	"testing"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

const (
	base58Address = "9B5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns6g"
	base58ID      = "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW"
)

// Letters of hexadecimal have no case. Those of base58 have: another case is another key.
func TestSameOnChain(t *testing.T) {
	t.Parallel()
	const address = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
	hash := strings.Repeat("aB", 32)
	for name, c := range map[string]struct {
		a, b string
		same bool
	}{
		"checksummed":        {address, strings.ToLower(address), true},
		"capitals":           {address, "0X" + strings.ToUpper(address[2:]), true},
		"another":            {address, address[:40] + "c9", false},
		"a hash":             {"0x" + hash, "0x" + strings.ToLower(hash), true},
		"without 0x":         {hash, strings.ToUpper(hash), true},
		"base58":             {base58Address, base58Address, true},
		"base58, lower case": {base58Address, strings.ToLower(base58Address), false},
		"base58, one letter": {base58ID, "5v" + base58ID[2:], false},
		"nothing":            {"", "", true},
		"0x alone":           {"0x", "", false},
	} {
		if got := fiat.SameOnChain(c.a, c.b); got != c.same {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// What a partner says of an address in base58 is about another one where a letter has another case.
func TestCheck_Base58(t *testing.T) {
	t.Parallel()
	other := strings.Replace(base58Address, "B", "b", 1)
	q := fiat.TransferRequest{
		Reference: "r", CustomerID: "c", Source: money.USDC, Destination: money.USDC,
		Gross: money.Of(1, money.USDC), ToChain: "solana", ToAddress: base58Address,
	}
	told := fiat.Transfer{
		Reference: "r", CustomerID: "c", Source: q.Gross, Destination: q.Gross, ToAddress: base58Address,
	}
	if err := told.Check(q); err != nil {
		t.Fatal(err)
	}
	told.ToAddress = other
	if err := told.Check(q); err == nil {
		t.Error("a transfer to another address is believed")
	}
	asked := fiat.VirtualAccountRequest{
		Source: money.MXN, Chain: "solana", Currency: money.USDC, Address: base58Address,
	}
	account := fiat.VirtualAccount{Chain: "solana", Currency: money.USDC, Address: base58Address}
	if err := account.Check(asked); err != nil {
		t.Fatal(err)
	}
	account.Address = other
	if err := account.Check(asked); err == nil {
		t.Error("a virtual account whose coins go elsewhere is believed")
	}
}
