package evm

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/railkit/railkit/chain"
)

// The types that Permit2 has signed.
const (
	typedDetails   = "PermitDetails(address token,uint160 amount,uint48 expiration,uint48 nonce)"
	typedPermitted = "TokenPermissions(address token,uint256 amount)"
	typedWitness   = "(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,"
	typedWitnesses = "(TokenPermissions[] permitted,address spender,uint256 nonce,uint256 deadline,"
	typedAuthority = "(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
)

// typedForm is a type of message that is understood, by its whole text: a
// contract checks no other. at is the one contract that knows it; zero is any.
type typedForm struct {
	at   Address
	read func(r *reading, c call, m typedValues)
}

var typedForms = map[string]typedForm{
	"Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)":                                    {read: typedPermit},
	"Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)":                                      {read: typedDAIPermit},
	"TransferWithAuthorization" + typedAuthority:                                                                            {read: typedAuthorization},
	"ReceiveWithAuthorization" + typedAuthority:                                                                             {read: typedAuthorization},
	"PermitSingle(PermitDetails details,address spender,uint256 sigDeadline)" + typedDetails:                                {permit2, typedSingle("details")},
	"PermitBatch(PermitDetails[] details,address spender,uint256 sigDeadline)" + typedDetails:                               {permit2, typedMany("details")},
	"PermitTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline)" + typedPermitted:        {permit2, typedSingle("permitted")},
	"PermitBatchTransferFrom(TokenPermissions[] permitted,address spender,uint256 nonce,uint256 deadline)" + typedPermitted: {permit2, typedMany("permitted")},
}

// Effects tells what the message lets others do once signer has signed it.
// Whoever it is that holds the signature then, the amounts are exposed. What
// nobody here understands is an UnknownMessage.
func (d TypedData) Effects(signer Address, net chain.Network) []chain.Effect {
	r, c := newReading(net), call{from: signer, to: d.Contract}
	f, ok := d.understood()
	if ok && (f.at == Address{} || f.at == c.to) && c.to != (Address{}) {
		f.read(r, c, d.values)
	}
	if len(r.effects) == 0 || r.over {
		return []chain.Effect{UnknownMessage(signer, d.Contract)}
	}
	return r.effects
}

// UnknownMessage is the effect of a signature over what is not understood. A zero
// contract is any.
func UnknownMessage(signer, contract Address) chain.Effect {
	e := chain.Effect{Kind: chain.UnknownMessage, From: signer.String()}
	if contract != (Address{}) {
		e.Contract = contract.String()
	}
	return e
}

// understood also knows Permit2's transfers with a witness: one more member at
// the end, of any struct. It can only bind the spender further.
func (d TypedData) understood() (typedForm, bool) {
	if f, ok := typedForms[d.form]; ok {
		return f, true
	}
	name, rest, _ := strings.Cut(d.form, "(")
	members, _, _ := strings.Cut(rest, ")")
	if strings.Count(members, ",") != 4 || !strings.HasSuffix(members, " witness") || !strings.Contains(d.form, ")"+typedPermitted) {
		return typedForm{}, false
	}
	switch {
	case name == "PermitWitnessTransferFrom" && strings.HasPrefix("("+members, typedWitness):
		return typedForm{permit2, typedSingle("permitted")}, true
	case name == "PermitBatchWitnessTransferFrom" && strings.HasPrefix("("+members, typedWitnesses):
		return typedForm{permit2, typedMany("permitted")}, true
	}
	return typedForm{}, false
}

// typedValues are a message's values by path. They have the form of their types.
type typedValues map[string]string

func (m typedValues) address(path string) Address {
	a, _ := ParseAddress(m[path])
	return a
}

func (m typedValues) number(path string) *big.Int {
	n, ok := new(big.Int).SetString(m[path], 10)
	if !ok {
		return maxUint256
	}
	return n
}

func typedPermit(r *reading, c call, m typedValues) {
	r.fungible(c, approved(m.address("owner"), m.address("spender")), c.to, m.number("value"))
}

func typedDAIPermit(r *reading, c call, m typedValues) {
	amount := maxUint256
	if m["allowed"] == "false" {
		amount = new(big.Int)
	}
	r.fungible(c, approved(m.address("holder"), m.address("spender")), c.to, amount)
}

func typedAuthorization(r *reading, c call, m typedValues) {
	r.fungible(c, transferred(m.address("from"), m.address("to")), c.to, m.number("value"))
}

// typedSingle reads one token and amount. The owner is who signs.
func typedSingle(path string) func(*reading, call, typedValues) {
	return func(r *reading, c call, m typedValues) {
		r.fungible(c, approved(c.from, m.address("spender")), m.address(path+".token"), m.number(path+".amount"))
	}
}

func typedMany(path string) func(*reading, call, typedValues) {
	return func(r *reading, c call, m typedValues) {
		for i := 0; m[path+"["+strconv.Itoa(i)+"].token"] != ""; i++ {
			typedSingle(path+"["+strconv.Itoa(i)+"]")(r, c, m)
		}
	}
}
