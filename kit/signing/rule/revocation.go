package rule

import (
	"math/big"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/kit/signing/plan"
)

// Voiding is how something that is signed is made worthless.
type Voiding struct {
	How     string        `json:"how" doc:"In words"`
	Prepare []VoidRequest `json:"prepare" doc:"Bodies for POST /v1/transactions/prepare, ready to be sent and then stamped; empty where it takes another way, or there is nothing to be done"`
}

// VoidRequest is the body of a transaction to be prepared.
type VoidRequest struct {
	Type     string `json:"type" enum:"void,call"`
	Replaces string `json:"replaces,omitempty"`
	SignWith string `json:"signWith,omitempty"`
	ChainID  uint64 `json:"chainId,omitempty"`
	To       string `json:"to,omitempty"`
	Data     string `json:"data,omitempty"`
}

func howToVoidTransaction(t OutstandingTransaction) Voiding {
	switch {
	case t.TransactionID == "":
		return Voiding{How: "The server has no row of it, and cannot replace it; send another transaction with its nonce from a server that has", Prepare: []VoidRequest{}}
	case t.ReplacedBy != "":
		return Voiding{How: "Another transaction has its nonce since; once that is mined, this one is worthless",
			Prepare: []VoidRequest{}}
	}
	return Voiding{
		How:     "A transaction that does nothing takes its nonce; once that is mined, this one is worthless",
		Prepare: []VoidRequest{{Type: plan.Void, Replaces: t.TransactionID}},
	}
}

// What makes a signature over typed data worthless. EIP-3009 and EIP-2612 take no
// word of the owner's address, but another signature of it.
const (
	voidByItsEnd = "It cannot be told what it allows; take the allowances of the wallet back, or move its tokens away"
	void3009     = "Sign CancelAuthorization(address authorizer,bytes32 nonce) of the token by POST /v1/signing/messages/sign, and send the signature " +
		"with cancelAuthorization (type call). Every policy of the wallet refuses both as not understood. Else move the tokens away, or wait for the end"
	void2612 = "Use its nonce up: sign the permit again with value 0 and a later deadline by POST /v1/signing/messages/sign, and send that one with permit " +
		"(type call). If it was handed in already, send approve of 0 to the spender"
	voidPermit2 = "Send what is prepared here: it uses the nonces up. A policy of the wallet lets it pass only where allowedContracts names it. " +
		"If an allowance was handed in already, send Permit2's approve of 0 to the spender"
)

func howToVoidAuthorization(a OutstandingAuthorization, chainID uint64) Voiding {
	v := Voiding{Prepare: []VoidRequest{}}
	switch {
	case strings.HasSuffix(a.Type, "WithAuthorization"):
		v.How = void3009
	case a.Type == "Permit":
		v.How = void2612
	case strings.HasPrefix(a.Type, "Permit"):
		v.How = voidPermit2
		for _, data := range nonceCalls(a) {
			v.Prepare = append(v.Prepare, VoidRequest{Type: "call", SignWith: a.From, ChainID: chainID, To: a.Contract,
				Data: chain.Hex(data)})
		}
	default:
		v.How = voidByItsEnd
	}
	return v
}

// nonceCalls are the calls of Permit2 that use up the nonces of typed data: of a
// transfer one, of an allowance one for each token.
func nonceCalls(a OutstandingAuthorization) (calls [][]byte) {
	ordered := a.Type == "PermitSingle" || a.Type == "PermitBatch"
	for i, text := range a.Nonces {
		nonce, ok := new(big.Int).SetString(text, 10)
		if !ok || ordered && i >= len(a.Effects) {
			return nil
		}
		if !ordered {
			calls = append(calls, evm.InvalidateUnordered(nonce))
			continue
		}
		token, err := evm.ParseAddress(a.Effects[i].Asset)
		spender, also := evm.ParseAddress(a.Effects[i].Spender)
		if err != nil || also != nil {
			return nil
		}
		calls = append(calls, evm.InvalidateOrdered(token, spender, nonce))
	}
	return calls
}
