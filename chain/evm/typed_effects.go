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
	daiPermit      = "Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)"
	typedAuthority = "(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
)

// typedForm is a type of message that is understood, by its whole text: a
// contract checks no other.
type typedForm struct {
	at    Address // the one contract that knows it; zero is any
	read  func(r *reading, c call, m typedValues)
	ends  []string // paths of the times until which the contract takes it, in seconds; see typedValues.all
	nonce string   // path of what the contract takes once
}

var (
	permitEnds   = []string{"deadline"}
	transferEnds = []string{"validBefore"}
	singleEnds   = []string{"sigDeadline", "details.expiration"}
	batchEnds    = []string{"sigDeadline", "details[].expiration"}
)

var typedForms = map[string]typedForm{
	"Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)": {read: typedPermit,
		ends: permitEnds, nonce: "nonce"},
	daiPermit: {read: typedDAIPermit, ends: []string{"expiry"}, nonce: "nonce"},
	"TransferWithAuthorization" + typedAuthority: {read: typedAuthorization,
		ends: transferEnds, nonce: "nonce"},
	"ReceiveWithAuthorization" + typedAuthority: {read: typedAuthorization,
		ends: transferEnds, nonce: "nonce"},
	"PermitSingle(PermitDetails details,address spender,uint256 sigDeadline)" + typedDetails: {permit2,
		typedSingle("details"), singleEnds, "details.nonce"},
	"PermitBatch(PermitDetails[] details,address spender,uint256 sigDeadline)" + typedDetails: {permit2,
		typedMany("details"), batchEnds, "details[].nonce"},
	"PermitTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline)" + typedPermitted: {
		permit2, typedSingle("permitted"), permitEnds, "nonce",
	},
	"PermitBatchTransferFrom(TokenPermissions[] permitted,address spender,uint256 " +
		"nonce,uint256 deadline)" + typedPermitted: {permit2, typedMany("permitted"), permitEnds, "nonce"},
	typedExact: {permit2, typedProxied(exactProxy), permitEnds, "nonce"},
	typedUpto:  {permit2, typedProxied(uptoProxy), permitEnds, "nonce"},
}

// Effects tells what the message lets others do once signer has signed it.
// Whoever it is that holds the signature then, the amounts are exposed. What
// nobody here understands is an UnknownMessage.
func (d TypedData) Effects(signer Address, net chain.Network) []chain.Effect {
	r, c := newReading(net), call{from: signer, to: d.Contract}
	if f, ok := d.understood(); ok {
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

// End is the last second, since 1970, at which a contract takes the message. It
// is false where that cannot be told, or never comes: a DAI permit whose expiry
// is 0, or a number of seconds beyond 63 bits. Permit2's allowances have two
// ends, of the signature and of the allowance that it makes; the later one counts.
func (d TypedData) End() (second int64, ok bool) {
	f, ok := d.understood()
	if !ok {
		return 0, false
	}
	for _, path := range f.ends {
		for _, text := range d.values.all(path) {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil || n == 0 && d.form == daiPermit {
				return 0, false
			}
			second = max(second, n)
		}
	}
	return second, true
}

// Nonces are what the contract takes once, of a message that is understood: one,
// or in a batch of Permit2's allowances one for each token.
func (d TypedData) Nonces() []string {
	f, ok := d.understood()
	if !ok {
		return nil
	}
	return d.values.all(f.nonce)
}

// understood is the form of a message for a contract that knows it.
func (d TypedData) understood() (typedForm, bool) {
	f, ok := d.known()
	return f, ok && (f.at == Address{} || f.at == d.Contract) && d.Contract != (Address{})
}

// known also knows Permit2's transfers with a witness: one more member at the
// end, of any struct. It can only bind the spender further.
func (d TypedData) known() (typedForm, bool) {
	if f, ok := typedForms[d.form]; ok {
		return f, true
	}
	name, rest, _ := strings.Cut(d.form, "(")
	members, _, _ := strings.Cut(rest, ")")
	if strings.Count(members, ",") != 4 || !strings.HasSuffix(members, " witness") ||
		!strings.Contains(d.form, ")"+typedPermitted) {
		return typedForm{}, false
	}
	switch {
	case name == "PermitWitnessTransferFrom" && strings.HasPrefix("("+members, typedWitness):
		return typedForm{permit2, typedSingle("permitted"), permitEnds, "nonce"}, true
	case name == "PermitBatchWitnessTransferFrom" && strings.HasPrefix("("+members, typedWitnesses):
		return typedForm{permit2, typedMany("permitted"), permitEnds, "nonce"}, true
	}
	return typedForm{}, false
}

// typedValues are a message's values by path. They have the form of their types.
type typedValues map[string]string

// all are the values at a path; "details[].nonce" are those of every item.
func (m typedValues) all(path string) (found []string) {
	list, member, many := strings.Cut(path, "[]")
	if !many {
		return []string{m[path]}
	}
	for i := 0; ; i++ {
		value, ok := m[list+"["+strconv.Itoa(i)+"]"+member]
		if !ok {
			return found
		}
		found = append(found, value)
	}
}

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
