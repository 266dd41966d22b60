package evm

import (
	"math/big"
	"strings"

	"github.com/railkit/railkit/chain"
)

// Permit2Address is where Permit2 is on every chain.
func Permit2Address() Address { return permit2 }

// InvalidateUnordered is the call of Permit2 that uses up the nonce of a signed
// transfer, so that nobody can hand the signature in. Such nonces are bits: number
// 513 is bit 1 of word 2.
func InvalidateUnordered(nonce *big.Int) []byte {
	word := new(big.Int).Rsh(nonce, 8)
	bit := uint(new(big.Int).And(nonce, big.NewInt(255)).Uint64())
	return callOf("invalidateUnorderedNonces(uint256,uint256)", word, new(big.Int).Lsh(big.NewInt(1), bit))
}

// InvalidateOrdered is the call of Permit2 that uses up the nonces of signed
// allowances of a token for a spender, up to and with the one given.
func InvalidateOrdered(token, spender Address, nonce *big.Int) []byte {
	next := new(big.Int).Add(nonce, big.NewInt(1))
	return callOf("invalidateNonces(address,address,uint48)", new(big.Int).SetBytes(token[:]),
		new(big.Int).SetBytes(spender[:]), next)
}

// callOf writes calldata of numbers below 2^256.
func callOf(signature string, words ...*big.Int) []byte {
	hash := Keccak256([]byte(signature))
	data := append([]byte{}, hash[:4]...)
	for _, w := range words {
		data = append(data, w.FillBytes(make([]byte, 32))...)
	}
	return data
}

// What makes a signature over typed data worthless. EIP-3009 and EIP-2612 take no
// word of the owner's address, but another signature of it.
const (
	void3009 = "Sign CancelAuthorization(address authorizer,bytes32 nonce) of the token by " +
		"POST /v1/signing/messages/sign, and send the signature with cancelAuthorization (type call). " +
		"Every policy of the wallet refuses both as not understood. Else move the tokens away, or wait for the end"
	void2612 = "Use its nonce up: sign the permit again with value 0 and a later deadline by " +
		"POST /v1/signing/messages/sign, and send that one with permit (type call). " +
		"If it was handed in already, send approve of 0 to the spender"
	voidPermit2 = "Send what is prepared here: it uses the nonces up. A policy of the wallet lets it pass only where " +
		"allowedContracts names it. If an allowance was handed in already, send Permit2's approve of 0 to the spender"
)

// Void uses the nonces of a consent up where a call of the owner's can; EIP-3009 and EIP-2612 want another signature.
func (Family) Void(c chain.Consent) (how string, calls []chain.Call) {
	switch {
	case strings.HasSuffix(c.Type, "WithAuthorization"):
		return void3009, nil
	case c.Type == "Permit":
		return void2612, nil
	case strings.HasPrefix(c.Type, "Permit"):
		for _, data := range nonceCalls(c) {
			calls = append(calls, chain.Call{To: c.Contract, Value: new(big.Int), Data: data})
		}
		return voidPermit2, calls
	}
	return chain.VoidUnread, nil
}

// nonceCalls are the calls of Permit2 that use up the nonces of typed data: of a
// transfer one, of an allowance one for each token.
func nonceCalls(c chain.Consent) (calls [][]byte) {
	ordered := c.Type == "PermitSingle" || c.Type == "PermitBatch"
	for i, text := range c.Nonces {
		nonce, ok := new(big.Int).SetString(text, 10)
		if !ok || ordered && i >= len(c.Effects) {
			return nil
		}
		if !ordered {
			calls = append(calls, InvalidateUnordered(nonce))
			continue
		}
		token, err := ParseAddress(c.Effects[i].Asset)
		spender, also := ParseAddress(c.Effects[i].Spender)
		if err != nil || also != nil {
			return nil
		}
		calls = append(calls, InvalidateOrdered(token, spender, nonce))
	}
	return calls
}
