package rule

import (
	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/kit/signing/plan"
)

// Voiding tells how to invalidate a signature.
type Voiding struct {
	How     string        `json:"how" doc:"In words"`
	Prepare []VoidRequest `json:"prepare" doc:"Bodies for POST /v1/transactions/prepare, ready to be sent and then stamped; empty where it takes another way, or there is nothing to be done"`
}

// VoidRequest is the request body for preparing the transaction that invalidates a signature.
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

func howToVoidAuthorization(a OutstandingAuthorization, n chain.Network) Voiding {
	v := Voiding{How: chain.VoidUnread, Prepare: []VoidRequest{}}
	family, ok := families.Of(n.Kind)
	if !ok {
		return v // it names no network
	}
	var calls []chain.Call
	v.How, calls = family.Void(chain.Consent{Type: a.Type, Contract: a.Contract, Nonces: a.Nonces, Effects: a.Effects})
	for _, c := range calls {
		v.Prepare = append(v.Prepare, VoidRequest{
			Type: plan.ContractCall, SignWith: a.From, ChainID: n.ChainID, To: c.To, Data: chain.Hex(c.Data),
		})
	}
	return v
}
