package enclave

import (
	"math/big"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/signed"
	"github.com/railkit/railkit/enclave/wire"
)

// A delegation for settlements signs what hands in a transfer that its owner signed, and nothing else.
func TestAgents_DelegationForSettlements(t *testing.T) {
	l := newLent(t, true)
	d := l.delegation(true)
	d.AllowedDestinations, d.SettlementsOnly = nil, true
	l.done(l.body(l.fresh(l.alice, wire.UpdatePolicy, wire.UpdatePolicyParams{
		PolicyID: l.policyID, Rules: wire.Rules{Delegation: d},
	})), l.alice)
	token, _ := evm.ParseAddress(usdc)
	seller, _ := evm.ParseAddress(receiver)
	settle := signed.Authorization{From: evm.Address{9}, To: seller, Value: big.NewInt(10_000),
		ValidAfter: new(big.Int), ValidBefore: big.NewInt(1 << 40)}.Call(evm.Signature{})
	exact := func(to evm.Address, data []byte) string {
		tx := evm.Tx{
			Type: evm.DynamicFee, ChainID: 84532, Nonce: l.nonce, MaxFeePerGas: big.NewInt(2e9 - 10),
			MaxPriorityFeePerGas: big.NewInt(1), GasLimit: 80000, To: &to, Value: new(big.Int), Data: data,
		}
		return l.body(l.fresh(l.alice, wire.SignTransaction, wire.SignTransactionParams{
			SignWith: l.account.Address, Type: "TRANSACTION_TYPE_ETHEREUM", ChainID: "84532",
			UnsignedTransaction: chain.Hex(tx.Unsigned()),
		}))
	}
	body := exact(token, settle)
	l.becomes("a settlement", wire.Done, body, l.delegate.stamp(body))
	body = l.transfer(receiver, 1)
	l.becomes("a transfer of its own", wire.Held, body, l.delegate.stamp(body))
	body = exact(evm.Address{7}, settle)
	l.becomes("the call of another contract", wire.Denied, body, l.delegate.stamp(body))
	body = exact(token, settle)
	l.becomes("without its stamp", wire.Held, body, nil)
}
