package decide

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/asn1"
	"errors"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/policy"
	"github.com/railkit/railkit/enclave/wire"
)

// signed is a signature of the key whose public half is recipient: the number one.
func (l *life) signed(message string) string {
	one := make([]byte, 32)
	one[31] = 1
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), one)
	if err != nil {
		l.t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(message))
	der, err := key.Sign(nil, sum[:], crypto.SHA256) // nil: the same each time
	var sig struct{ R, S *big.Int }
	if _, bad := asn1.Unmarshal(der, &sig); errors.Join(err, bad) != nil {
		l.t.Fatal(err, bad)
	}
	return encode(append(sig.R.FillBytes(make([]byte, 32)), sig.S.FillBytes(make([]byte, 32))...))
}

// rule is a change of the nth owner's rules, or his vote for what waits.
func (l *life) rule(n int, wallet string) Submission {
	org := l.states[0].organizations[l.orgs[n]]
	if l.rand.IntN(2) == 0 {
		wallet = org.wallets[0].ID
	}
	lent := slices.ContainsFunc(org.policies, func(p *wire.Policy) bool {
		return p.Rules.Delegation != nil && p.WalletID == org.wallets[0].ID
	})
	if l.rand.IntN(3) == 0 || lent && l.rand.IntN(2) == 0 {
		return l.unstamped(n)
	}
	switch l.rand.IntN(8) {
	case 0:
		return l.stamped(n, wire.UpdateApprovalConfig, wire.ApprovalConfig{
			Enabled: l.rand.IntN(3) > 0, ThresholdUSD: strconv.Itoa(l.rand.IntN(2)), RequiredApprovers: "1",
		})
	case 1, 2:
		if l.rand.IntN(2) == 0 {
			return l.stamped(n, wire.CreatePolicy, wire.CreatePolicyParams{WalletID: wallet, Rules: l.rules()})
		}
		return l.submission(l.orgs[n], wire.CreatePolicy, wire.CreatePolicyParams{WalletID: wallet, Rules: l.rules()})
	case 3, 4, 5:
		if len(org.policies) > 0 {
			if l.rand.IntN(3) == 0 {
				return l.stamped(n, wire.UpdatePolicy, wire.UpdatePolicyParams{
					PolicyID: org.policies[0].ID, Rules: l.rules(),
				})
			}
			return l.stamped(n,
				wire.DeletePolicy, wire.DeletePolicyParams{PolicyID: org.policies[l.rand.IntN(len(org.policies))].ID})
		}
	}
	for _, fingerprint := range slices.Sorted(maps.Keys(org.held)) {
		if len(org.held[fingerprint].votes) > 0 && l.rand.IntN(3) > 0 {
			return l.subs[slices.IndexFunc(l.subs, func(s Submission) bool { return s.Fingerprint == fingerprint })]
		}
		if len(org.held[fingerprint].votes) == 0 {
			return l.stamped(n, wire.ApproveActivity, wire.ApproveActivityParams{
				Fingerprint: fingerprint, PolicySet: org.policySet(),
			})
		}
	}
	return l.unstamped(n)
}

// unstamped waits, or is a delegation's.
func (l *life) unstamped(n int) Submission {
	org := l.states[0].organizations[l.orgs[n]]
	to, _ := evm.ParseAddress(recipientOfMoney)
	accounts := org.wallets[0].accounts
	of := accounts[l.rand.IntN(len(accounts))]
	from := of.Address
	if isSolana(of) {
		return l.submission(l.orgs[n], wire.SignTransaction, l.solBytes(from, l.few(), 1))
	}
	tx := evm.Tx{Type: evm.Legacy, ChainID: 84532, Nonce: l.next(from), GasLimit: 21000, To: &to, Value: big.NewInt(1)}
	return l.submission(l.orgs[n], wire.SignTransaction, wire.SignTransactionParams{
		SignWith: from, Type: "TRANSACTION_TYPE_ETHEREUM", ChainID: "84532",
		UnsignedTransaction: chain.Hex(tx.Unsigned()),
	})
}

// rules restrict, or let the host sign small things.
func (l *life) rules() wire.Rules {
	switch l.rand.IntN(4) {
	case 0:
		return wire.Rules{AllowedChains: []string{[]string{"base", "base", "polygon"}[l.rand.IntN(3)]}}
	case 1:
		return wire.Rules{
			DailyUSD: strconv.Itoa(1 + l.rand.IntN(4)), MonthlyUSD: strconv.Itoa(1 + l.rand.IntN(99)),
			MaxSlippagePercent: "3",
		}
	}
	if l.rand.IntN(4) == 0 {
		return wire.Rules{PayeesOnly: true, PayeeCoolingHours: []string{"", "1"}[l.rand.IntN(2)]}
	}
	everybody := []string{recipientOfMoney}
	return wire.Rules{Delegation: &wire.Delegation{
		AnyRequest: true, ExpiresAtMs: strconv.FormatInt(l.now.Add(time.Hour).UnixMilli(), 10), MaxValueUSD: "9",
		DailyUSD: "99", AllowedDestinations: everybody,
	}}
}

// payee adds a payee or removes one.
func (l *life) payee(n int) Submission {
	book := l.states[0].organizations[l.orgs[n]].payees.Active()
	if len(book) > 0 && l.rand.IntN(3) == 0 {
		return l.stamped(n, wire.RemovePayee, wire.RemovePayeeParams{PayeeID: book[l.rand.IntN(len(book))].ID})
	}
	address := evm.Address{byte(1 + l.rand.IntN(20))}.String()
	if len(l.wallets[n]) > 0 && l.rand.IntN(2) == 0 {
		address = l.wallets[n][0].Address
	}
	return l.stamped(n, wire.AddPayee, wire.AddPayeeParams{
		Name: "payee " + strconv.Itoa(l.rand.IntN(20)), Chain: "base", Address: address, Kind: wire.WalletPayee,
	})
}

// recipientOfMoney is where delegations send it.
const recipientOfMoney = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"

// count notes what a history shows.
func (l *life) count(e Event) {
	for kind, is := range map[EventKind]bool{
		e.Kind:                 true,
		"executed after votes": e.Approval != nil && e.Vote == nil,
		"spent":                e.Spend != nil && e.Spend.MicroUSD > 0,
		"delegated":            e.Spend != nil && e.Spend.DelegationID != "",
		"not a payee":          e.Denial != nil && e.Denial.Rule == policy.PayeesOnly,
		"paid by an agent":     e.Spend != nil && e.Spend.Agent != nil,
		"bought by an agent":   e.Spend != nil && e.Spend.Agent != nil && e.Spend.Agent.Nonce != "",
		"held for an agent":    e.Held != nil && e.Held.Agent != nil,
		"over a cap":           e.Denial != nil && e.Denial.Rule == policy.DailyUSD,
	} {
		if is {
			l.kinds[kind]++
		}
	}
}
