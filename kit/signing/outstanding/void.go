package outstanding

import (
	"strconv"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/plan"
	"github.com/railkit/railkit/rest"
)

func howToVoidTransaction(t rest.OutstandingTransaction, x wire.LentSigning) rest.Voiding {
	switch {
	case x.Transaction.Nonce == "":
		return rest.Voiding{How: howItEnds(t), Prepare: []rest.VoidRequest{}}
	case t.TransactionID == "":
		return rest.Voiding{How: "The server has no row of it, and cannot replace it; send another transaction with its nonce from a server that has", Prepare: []rest.VoidRequest{}}
	case t.ReplacedBy != "":
		return rest.Voiding{How: "Another transaction has its nonce since; once that is mined, this one is worthless",
			Prepare: []rest.VoidRequest{}}
	}
	return rest.Voiding{
		How:     "A transaction that does nothing takes its nonce; once that is mined, this one is worthless",
		Prepare: []rest.VoidRequest{{Type: plan.Void, Replaces: t.TransactionID}},
	}
}

// howItEnds is for networks without nonces, where nothing takes the place of a signed transaction.
func howItEnds(t rest.OutstandingTransaction) string {
	switch {
	case t.Standing:
		return "It lets somebody move a token as often as the allowance says: take the allowance back"
	case t.EndsAt != nil:
		return "Nothing takes its place: it ends by itself at " + *t.EndsAt
	case t.LastHeight == nil:
		return "It names no recent block and can be sent at any later time: advance the nonce account that it names"
	}
	return "Nothing takes its place: it is worthless once the network's finalized height is above " +
		strconv.FormatInt(*t.LastHeight, 10)
}

func howToVoidAuthorization(a Authorization, n chain.Network) rest.Voiding {
	v := rest.Voiding{How: chain.VoidUnread, Prepare: []rest.VoidRequest{}}
	family, ok := families.Of(n.Kind)
	if !ok {
		return v // it names no network
	}
	var calls []chain.Call
	v.How, calls = family.Void(chain.Consent{Type: a.Type, Contract: a.Contract, Nonces: a.Nonces, Effects: a.Effects})
	for _, c := range calls {
		v.Prepare = append(v.Prepare, rest.VoidRequest{
			Type: plan.ContractCall, SignWith: a.From, ChainID: n.ChainID, To: c.To, Data: chain.Hex(c.Data),
		})
	}
	return v
}
