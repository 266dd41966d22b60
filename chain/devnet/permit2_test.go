package devnet_test

import (
	"errors"
	stdbig "math/big"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/railkit/railkit/chain/devnet/contracts"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/signed"
)

// permits is a stage with the contracts of x402's payments by Permit2.
type permits struct {
	token
	payer, relayer account
	seller         common.Address
	permit2        contract
}

func permitStage(t *testing.T, approved int64) permits {
	t.Helper()
	k, payer, relayer := stage(t)
	compiled, err := contracts.Permit2()
	p := permits{k, payer, relayer, newAccount(t).address,
		k.contract.contract(common.Address(evm.Permit2Address()), compiled, err)}
	k.process.fund(t, "base", payer.address, "native", "1")
	p.call(p.payer, k.address, k.pack("approve(address,uint256)", p.permit2.address, big(approved)))
	return p
}

// call sends a call and waits for its block.
func (p permits) call(from account, to common.Address, data []byte) {
	p.t.Helper()
	succeeded(p.t, p.send(p.signed(from, to, new(stdbig.Int), data)))
}

func (p permits) transfer(amount int64) signed.Permit2Transfer {
	return signed.Permit2Transfer{
		From: evm.Address(p.payer.address), Token: evm.Address(p.address), Amount: big(amount),
		Nonce:    new(stdbig.Int).SetBytes(crypto.Keccak256([]byte(time.Now().String()))),
		Deadline: big(time.Now().Add(3 * time.Hour).Unix()), To: evm.Address(p.seller), ValidAfter: big(0),
	}
}

func (p permits) sign(by account, t signed.Permit2Transfer) []byte {
	p.t.Helper()
	digest := t.Digest(p.network.ChainID)
	raw, err := crypto.Sign(digest[:], by.key)
	p.check(err)
	raw[64] += 27
	return raw
}

// reverts tries a call and wants one of the contracts' errors.
func (p permits) reverts(what string, from account, to evm.Address, data []byte, signature string) {
	p.t.Helper()
	at := common.Address(to)
	_, err := p.CallContract(p.t.Context(), ethereum.CallMsg{From: from.address, To: &at, Data: data}, nil)
	want := hexutil.Encode(crypto.Keccak256([]byte(signature))[:4])
	answer, ok := errors.AsType[rpc.DataError](err)
	if !ok {
		p.t.Errorf("%s: want %s, got %v", what, signature, err)
		return
	}
	if got, _ := answer.ErrorData().(string); !strings.HasPrefix(got, want) {
		p.t.Errorf("%s: want %s, got %s %v", what, signature, got, err)
	}
}

func (p permits) used(t signed.Permit2Transfer) bool {
	p.t.Helper()
	at := common.Address(evm.Permit2Address())
	out, err := p.CallContract(p.t.Context(), ethereum.CallMsg{
		To: &at, Data: signed.BitmapCall(t.From, t.Nonce),
	}, nil)
	p.check(err)
	return signed.NonceUsed(new(stdbig.Int).SetBytes(out), t.Nonce)
}

// What package signed says that an owner signs, and how it is handed in, is what the contracts take, once and for
// the receiver that was signed. That package agrees with the public contracts by vectors of others.
func TestAgents_DevnetExactProxy(t *testing.T) {
	t.Parallel()
	p := permitStage(t, 500_000)
	pay, proxy := p.transfer(10_000), signed.ExactProxy()
	sig := p.sign(p.payer, pay)
	hand := func(t signed.Permit2Transfer, sig []byte) []byte { return t.Call(sig, nil) }
	for what, c := range map[string]struct {
		change func(t *signed.Permit2Transfer)
		reason string
	}{
		"another receiver": {func(t *signed.Permit2Transfer) { t.To = evm.Address(p.relayer.address) },
			"InvalidSigner()"},
		"another amount": {func(t *signed.Permit2Transfer) { t.Amount = big(10_001) }, "InvalidSigner()"},
		"another nonce":  {func(t *signed.Permit2Transfer) { t.Nonce = big(7) }, "InvalidSigner()"},
		"another owner": {func(t *signed.Permit2Transfer) { t.From = evm.Address(p.relayer.address) },
			"InvalidSigner()"},
		"a later start": {func(t *signed.Permit2Transfer) { t.ValidAfter = big(1) }, "InvalidSigner()"},
		"no receiver":   {func(t *signed.Permit2Transfer) { t.To = evm.Address{} }, "InvalidDestination()"},
		"nothing":       {func(t *signed.Permit2Transfer) { t.Amount = big(0) }, "InvalidAmount()"},
		"too early": {func(t *signed.Permit2Transfer) { t.ValidAfter = big(time.Now().Add(24 * time.Hour).Unix()) },
			"PaymentTooEarly()"},
		"too late": {func(t *signed.Permit2Transfer) { t.Deadline = big(1_700_000_000) }, "SignatureExpired(uint256)"},
	} {
		other := pay
		c.change(&other)
		p.reverts(what, p.relayer, proxy, hand(other, sig), c.reason)
	}
	p.reverts("a short signature", p.relayer, proxy, hand(pay, sig[:64]), "InvalidSignatureLength()")
	p.reverts("a signature of nobody", p.relayer, proxy, hand(pay, append(sig[:64:64], 9)), "InvalidSignature()")
	p.reverts("the other proxy's signature", p.relayer, proxy, hand(pay, p.sign(p.payer, p.asUpto(pay))),
		"InvalidSigner()")
	p.refusedByPermit2("another spender", pay, sig)
	if p.used(pay) {
		t.Error("a refused transfer used its nonce")
	}
	p.call(p.relayer, common.Address(proxy), hand(pay, sig))
	if got := p.balanceOf(p.seller); got.Int64() != 10_000 || !p.used(pay) {
		t.Errorf("the seller has %v", got)
	}
	p.reverts("a second time", p.relayer, proxy, hand(pay, sig), "InvalidNonce()")
	over := p.transfer(490_001)
	p.reverts("more than is approved", p.relayer, proxy, hand(over, p.sign(p.payer, over)), "Error(string)")
}

func (p permits) asUpto(t signed.Permit2Transfer) signed.Permit2Transfer {
	t.Facilitator = evm.Address(p.relayer.address)
	return t
}

// refusedByPermit2 hands a transfer in past the proxy: the caller is not the spender that was signed.
func (p permits) refusedByPermit2(what string, t signed.Permit2Transfer, sig []byte) {
	p.t.Helper()
	type permitted struct {
		Token  common.Address
		Amount *stdbig.Int
	}
	data := p.permit2.pack("permitWitnessTransferFrom(((address,uint256),uint256,uint256),(address,uint256),address,"+
		"bytes32,string,bytes)",
		struct {
			Permitted       permitted
			Nonce, Deadline *stdbig.Int
		}{permitted{p.address, t.Amount}, t.Nonce, t.Deadline},
		struct {
			To              common.Address
			RequestedAmount *stdbig.Int
		}{p.relayer.address, t.Amount},
		p.payer.address, [32]byte{1}, "Witness witness)TokenPermissions(address token,uint256 amount)Witness(address to)",
		sig)
	p.reverts(what, p.relayer, evm.Permit2Address(), data, "InvalidSigner()")
}

// The proxy of upto takes less, never more, and only from the facilitator that was signed.
func TestAgents_DevnetUptoProxy(t *testing.T) {
	t.Parallel()
	p := permitStage(t, 500_000)
	pay, proxy := p.asUpto(p.transfer(10_000)), signed.UptoProxy()
	sig := p.sign(p.payer, pay)
	hand := func(charge int64) []byte { return pay.Call(sig, big(charge)) }
	p.reverts("by another", p.payer, proxy, hand(1), "UnauthorizedFacilitator()")
	p.reverts("more", p.relayer, proxy, hand(10_001), "AmountExceedsPermitted()")
	p.reverts("nothing", p.relayer, proxy, hand(0), "InvalidAmount()")
	p.call(p.relayer, common.Address(proxy), hand(7_000))
	if got := p.balanceOf(p.seller); got.Int64() != 7_000 {
		t.Errorf("the seller has %v", got)
	}
	p.reverts("the rest", p.relayer, proxy, hand(3_000), "InvalidNonce()")
}

// Who has signed too much takes it back at Permit2, and the domain is that which package signed signs for.
func TestAgents_DevnetPermit2Invalidates(t *testing.T) {
	t.Parallel()
	p := permitStage(t, 500_000)
	pay := p.transfer(10_000)
	sig := p.sign(p.payer, pay)
	word, bit := new(stdbig.Int).Rsh(pay.Nonce, 8), new(stdbig.Int).And(pay.Nonce, big(255)).Uint64()
	p.call(p.payer, p.permit2.address, p.permit2.pack("invalidateUnorderedNonces(uint256,uint256)", word,
		new(stdbig.Int).Lsh(big(1), uint(bit))))
	p.reverts("after it", p.relayer, signed.ExactProxy(), pay.Call(sig, nil), "InvalidNonce()")
	id := new(stdbig.Int).SetUint64(p.network.ChainID).Bytes()
	want := crypto.Keccak256(
		crypto.Keccak256([]byte("EIP712Domain(string name,uint256 chainId,address verifyingContract)")),
		crypto.Keccak256([]byte("Permit2")), common.LeftPadBytes(id, 32),
		common.LeftPadBytes(p.permit2.address.Bytes(), 32))
	if got := p.permit2.read("DOMAIN_SEPARATOR()").([32]byte); got != [32]byte(want) {
		t.Errorf("the domain is %x", got)
	}
}

func TestAgents_DevnetMulticall(t *testing.T) {
	t.Parallel()
	k, payer, _ := stage(t)
	compiled, err := contracts.Multicall3()
	m := k.contract.contract(common.HexToAddress("0xcA11bde05977b3631167028862bE2a173976CA11"), compiled, err)
	type call struct {
		Target       common.Address
		AllowFailure bool
		CallData     []byte
	}
	calls := []call{
		{k.address, false, k.pack("balanceOf(address)", payer.address)},
		{k.address, true, k.pack("transfer(address,uint256)", payer.address, big(1))}, // it has nothing
	}
	results := m.read("aggregate3((address,bool,bytes)[])", calls).([]struct {
		Success    bool   `json:"success"`
		ReturnData []byte `json:"returnData"`
	})
	if len(results) != 2 || !results[0].Success || results[1].Success ||
		new(stdbig.Int).SetBytes(results[0].ReturnData).Int64() != 100_000_000 {
		t.Errorf("%+v", results)
	}
	calls[1].AllowFailure = false
	m.refused(payer.address, m.pack("aggregate3((address,bool,bytes)[])", calls), "Multicall3: call failed")
}
