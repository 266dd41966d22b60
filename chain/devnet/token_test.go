package devnet_test

import (
	stdbig "math/big"
	"strconv"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/common/math"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/signer/core/apitypes"
)

const (
	transferAuth  = "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)"
	transferAuthV = "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)"
	receiveAuth   = "receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)"
	receiveAuthV  = "receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)"
	cancelAuth    = "cancelAuthorization(address,bytes32,bytes)"
	cancelAuthV   = "cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)"
	permit        = "permit(address,address,uint256,uint256,bytes)"
	permitV       = "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)"
)

// authorization is EIP-3009's message.
type authorization struct {
	from, to   common.Address
	value      *stdbig.Int
	after, end *stdbig.Int
	nonce      [32]byte
}

func authorize(from, to common.Address, value int64) authorization {
	return authorization{
		from: from, to: to, value: big(value), after: big(0), end: big(time.Now().Add(time.Hour).Unix()),
		nonce: [32]byte(crypto.Keccak256([]byte(strconv.FormatInt(time.Now().UnixNano(), 10)))),
	}
}

func (a authorization) args(signature ...any) []any {
	return append([]any{a.from, a.to, a.value, a.after, a.end, a.nonce}, signature...)
}

var (
	authorizationFields = []apitypes.Type{
		{Name: "from", Type: "address"}, {Name: "to", Type: "address"}, {Name: "value", Type: "uint256"},
		{Name: "validAfter", Type: "uint256"}, {Name: "validBefore", Type: "uint256"}, {Name: "nonce", Type: "bytes32"},
	}
	cancelFields = []apitypes.Type{{Name: "authorizer", Type: "address"}, {Name: "nonce", Type: "bytes32"}}
	permitFields = []apitypes.Type{
		{Name: "owner", Type: "address"}, {Name: "spender", Type: "address"}, {Name: "value", Type: "uint256"},
		{Name: "nonce", Type: "uint256"}, {Name: "deadline", Type: "uint256"},
	}
	domainFields = []apitypes.Type{
		{Name: "name", Type: "string"}, {Name: "version", Type: "string"},
		{Name: "chainId", Type: "uint256"}, {Name: "verifyingContract", Type: "address"},
	}
)

// signTyped signs EIP-712 data. The digest is go-ethereum's wallet code's, which
// knows nothing of our contract but what the network's list says of it.
func (k token) signTyped(by account, kind string, fields []apitypes.Type, values ...any) []byte {
	k.t.Helper()
	message := apitypes.TypedDataMessage{}
	for i, f := range fields {
		switch v := values[i].(type) {
		case common.Address:
			message[f.Name] = v.Hex()
		case *stdbig.Int:
			message[f.Name] = (*math.HexOrDecimal256)(v)
		case [32]byte:
			message[f.Name] = hexutil.Encode(v[:])
		}
	}
	digest, _, err := apitypes.TypedDataAndHash(apitypes.TypedData{
		Types:       apitypes.Types{kind: fields, "EIP712Domain": domainFields},
		PrimaryType: kind,
		Domain: apitypes.TypedDataDomain{
			Name: k.listed.DomainName, Version: k.listed.DomainVersion, VerifyingContract: k.listed.Address,
			ChainId: (*math.HexOrDecimal256)(new(stdbig.Int).SetUint64(k.network.ChainID)),
		},
		Message: message,
	})
	k.check(err)
	signature, err := crypto.Sign(digest, by.key)
	k.check(err)
	signature[64] += 27
	return signature
}

func (k token) signAuthorization(by account, kind string, a authorization) []byte {
	k.t.Helper()
	return k.signTyped(by, kind, authorizationFields, a.args()...)
}

// vrs is the other form of the same signature.
func vrs(signature []byte) []any {
	return []any{signature[64], [32]byte(signature[:32]), [32]byte(signature[32:64])}
}

// highS is the signature's twin, which recovers to the same key.
func highS(signature []byte) []byte {
	s := new(stdbig.Int).SetBytes(signature[32:64])
	s.Sub(crypto.S256().Params().N, s)
	twin := append([]byte{}, signature...)
	s.FillBytes(twin[32:64])
	twin[64] = 27 + 28 - signature[64]
	return twin
}

// stage is a chain with a payer who has 100 USDC and no coin for gas, and a
// relayer who has gas.
func stage(t *testing.T) (k token, payer, relayer account) {
	t.Helper()
	p := start(t, t.TempDir())
	payer, relayer = newAccount(t), newAccount(t)
	p.fund(t, "base", payer.address, "USDC", "100")
	p.fund(t, "base", relayer.address, "native", "1")
	return p.chain(t, "base").usdc(), payer, relayer
}

func TestDevnet_TokensAreAsListed(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	for _, at := range []struct{ slug, symbol string }{
		{"base", "USDC"}, {"arbitrum", "USDC"}, {"arbitrum", "USDT"}, {"polygon", "USDT"},
	} {
		k := p.chain(t, at.slug).token(at.symbol)
		for method, want := range map[string]any{
			"symbol()": k.listed.Symbol, "name()": k.listed.DomainName, "version()": k.listed.DomainVersion,
			"decimals()": uint8(k.listed.Decimals),
		} {
			if got := k.read(method); got != want {
				t.Errorf("%s %s: %s is %v, want %v", at.slug, at.symbol, method, got, want)
			}
		}
		to := newAccount(t).address
		p.fund(t, at.slug, to, at.symbol, "3.000001")
		if got := k.balanceOf(to); got.Cmp(big(3_000_001)) != 0 {
			t.Errorf("%s %s: balance %v", at.slug, at.symbol, got)
		}
	}
}

func TestDevnet_TokenTransfer(t *testing.T) {
	t.Parallel()
	k, payer, relayer := stage(t)
	k.process.fund(t, "base", payer.address, "native", "0.1")
	to := newAccount(t).address
	receipt := k.send(k.signed(payer, k.address, big(0), k.pack("transfer(address,uint256)", to, big(25_500_000))))
	succeeded(t, receipt)
	if k.balanceOf(to).Cmp(big(25_500_000)) != 0 || k.balanceOf(payer.address).Cmp(big(74_500_000)) != 0 {
		t.Error("the balances are wrong")
	}
	if k.event(receipt, "Transfer") != 1 {
		t.Error("no Transfer event")
	}
	k.refused(payer.address, k.pack("transfer(address,uint256)", to, big(74_500_001)), "exceeds balance")
	k.refused(payer.address, k.pack("transfer(address,uint256)", common.Address{}, big(1)), "zero address")
	k.refused(relayer.address,
		k.pack("transferFrom(address,address,uint256)", payer.address, to, big(1)), "exceeds allowance")
	k.refused(relayer.address, k.pack("mint(address,uint256)", relayer.address, big(1)), "not the minter")
	broke := k.send(k.signed(payer, k.address, big(0), k.pack("transfer(address,uint256)", to, big(74_500_001))))
	if broke.Status != 0 {
		t.Error("an overdraft succeeded")
	}
	pooled, minted := units("1000000", 6), k.read("totalSupply()").(*stdbig.Int)
	pooled.Add(pooled, k.lending("USDC").held())
	if minted.Sub(minted, pooled).Cmp(big(100_000_000)) != 0 {
		t.Errorf("%v units beyond those of the pools", minted)
	}
}

func TestDevnet_PayerWithoutGasPaysByAuthorization(t *testing.T) {
	t.Parallel()
	k, payer, relayer := stage(t)
	to := newAccount(t).address
	for _, form := range []string{transferAuth, transferAuthV} {
		a := authorize(payer.address, to, 10_000_000)
		signature := k.signAuthorization(payer, "TransferWithAuthorization", a)
		data := k.pack(transferAuth, a.args(signature)...)
		if form == transferAuthV {
			data = k.pack(form, a.args(vrs(signature)...)...)
		}
		receipt := k.send(k.signed(relayer, k.address, big(0), data))
		succeeded(t, receipt)
		if k.event(receipt, "AuthorizationUsed") != 1 || k.event(receipt, "Transfer") != 1 {
			t.Errorf("%s: events are missing", form)
		}
		if used := k.read("authorizationState(address,bytes32)", payer.address, a.nonce); used != true {
			t.Errorf("%s: the nonce is not used up", form)
		}
		k.refused(relayer.address, data, "authorization is used or canceled")
		again := k.send(k.signed(relayer, k.address, big(0), data))
		if again.Status != 0 {
			t.Errorf("%s: a replay succeeded", form)
		}
	}
	if got := k.balanceOf(to); got.Cmp(big(20_000_000)) != 0 {
		t.Errorf("the payee has %v", got)
	}
	if k.balance(payer.address).Sign() != 0 {
		t.Error("the payer was to have no gas")
	}
}

func TestDevnet_AuthorizationRefusals(t *testing.T) {
	t.Parallel()
	k, payer, relayer := stage(t)
	good := authorize(payer.address, relayer.address, 5_000_000)
	signature := k.signAuthorization(payer, "TransferWithAuthorization", good)
	change := func(edit func(*authorization)) authorization {
		a := good
		edit(&a)
		return a
	}
	long := change(func(a *authorization) { a.value = big(1_000_000_000) })
	early := change(func(a *authorization) { a.after = big(time.Now().Add(time.Hour).Unix()) })
	late := change(func(a *authorization) { a.end = big(1) })
	for _, c := range []struct {
		name   string
		a      authorization
		sig    []byte
		reason string
	}{
		{"value changed", change(func(a *authorization) { a.value = big(5_000_001) }), signature, "invalid signature"},
		{"payee changed", change(func(a *authorization) { a.to = payer.address }), signature, "invalid signature"},
		{"payer changed", change(func(a *authorization) { a.from = relayer.address }), signature, "invalid signature"},
		{"payer is zero", change(func(a *authorization) { a.from = common.Address{} }), signature, "invalid signature"},
		{"signed by another", good,
			k.signAuthorization(relayer, "TransferWithAuthorization", good), "invalid signature"},
		{"signed for receive", good, k.signAuthorization(payer, "ReceiveWithAuthorization", good), "invalid signature"},
		{"high s", good, highS(signature), "invalid signature 's' value"},
		{"v of 0", good, append(signature[:64:64], signature[64]-27), "invalid signature 'v' value"},
		{"a byte short", good, signature[:64], "invalid signature length"},
		{"compact", good, nil, "invalid signature length"},
		{"not yet", early, k.signAuthorization(payer, "TransferWithAuthorization", early), "not yet valid"},
		{"expired", late, k.signAuthorization(payer, "TransferWithAuthorization", late), "expired"},
		{"more than there is", long, k.signAuthorization(payer, "TransferWithAuthorization", long), "exceeds balance"},
	} {
		t.Log(c.name)
		k.refused(relayer.address, k.pack(transferAuth, c.a.args(c.sig)...), c.reason)
	}
	k.refused(relayer.address, k.pack(transferAuthV, good.args(vrs(highS(signature))...)...),
		"invalid signature 's' value")
	succeeded(t, k.send(k.signed(relayer, k.address, big(0), k.pack(transferAuth, good.args(signature)...))))
}

func TestDevnet_ReceiveWithAuthorizationIsForThePayee(t *testing.T) {
	t.Parallel()
	k, payer, relayer := stage(t)
	for _, form := range []string{receiveAuth, receiveAuthV} {
		a := authorize(payer.address, relayer.address, 1_000_000)
		signature := k.signAuthorization(payer, "ReceiveWithAuthorization", a)
		data := k.pack(receiveAuth, a.args(signature)...)
		if form == receiveAuthV {
			data = k.pack(receiveAuthV, a.args(vrs(signature)...)...)
		}
		k.refused(payer.address, data, "caller must be the payee")
		succeeded(t, k.send(k.signed(relayer, k.address, big(0), data)))
		k.refused(relayer.address, data, "used or canceled")
	}
}

func TestDevnet_CancelledAuthorizationIsDead(t *testing.T) {
	t.Parallel()
	k, payer, relayer := stage(t)
	for _, form := range []string{cancelAuth, cancelAuthV} {
		a := authorize(payer.address, relayer.address, 1_000_000)
		signature := k.signTyped(payer, "CancelAuthorization", cancelFields, a.from, a.nonce)
		data := k.pack(cancelAuth, a.from, a.nonce, signature)
		if form == cancelAuthV {
			data = k.pack(form, append([]any{a.from, a.nonce}, vrs(signature)...)...)
		}
		k.refused(relayer.address, k.pack(cancelAuth, relayer.address, a.nonce, signature), "invalid signature")
		receipt := k.send(k.signed(relayer, k.address, big(0), data))
		succeeded(t, receipt)
		if k.event(receipt, "AuthorizationCanceled") != 1 {
			t.Error("no AuthorizationCanceled event")
		}
		k.refused(relayer.address, data, "used or canceled")
		paid := k.signAuthorization(payer, "TransferWithAuthorization", a)
		k.refused(relayer.address, k.pack(transferAuth, a.args(paid)...), "used or canceled")
	}
}

func TestDevnet_Permit(t *testing.T) {
	t.Parallel()
	k, payer, relayer := stage(t)
	deadline := big(time.Now().Add(time.Hour).Unix())
	for i, form := range []string{permit, permitV} {
		nonce := k.read("nonces(address)", payer.address).(*stdbig.Int)
		if nonce.Cmp(big(int64(i))) != 0 {
			t.Fatalf("nonce %v", nonce)
		}
		args := []any{payer.address, relayer.address, big(7), deadline}
		signature := k.signTyped(payer, "Permit", permitFields, payer.address, relayer.address, big(7), nonce, deadline)
		data := k.pack(permit, append(args, signature)...)
		if form == permitV {
			data = k.pack(form, append(args, vrs(signature)...)...)
		}
		more := k.pack(permit, payer.address, relayer.address, big(8), deadline, signature)
		k.refused(relayer.address, more, "invalid signature")
		succeeded(t, k.send(k.signed(relayer, k.address, big(0), data)))
		k.refused(relayer.address, data, "invalid signature") // its nonce is used up
		take := k.pack("transferFrom(address,address,uint256)", payer.address, relayer.address, big(7))
		succeeded(t, k.send(k.signed(relayer, k.address, big(0), take)))
		k.refused(relayer.address, take, "exceeds allowance")
	}
	stale := k.signTyped(payer, "Permit", permitFields, payer.address, relayer.address, big(7), big(2), big(1))
	k.refused(relayer.address,
		k.pack(permit, payer.address, relayer.address, big(7), big(1), stale), "permit is expired")
}

// An account with code answers for its signatures itself (EIP-1271). The node
// lets a call pretend that code is somewhere.
func TestDevnet_ContractWalletAuthorizes(t *testing.T) {
	t.Parallel()
	k, _, relayer := stage(t)
	wallet := newAccount(t).address
	a := authorize(wallet, relayer.address, 0)
	call := map[string]any{
		"from": relayer.address, "to": k.address,
		"data": hexutil.Bytes(k.pack(transferAuth, a.args([]byte("anything"))...)),
	}
	for code, accepted := range map[string]bool{
		"0x631626ba7e60e01b60005260206000f3": true,  // return the magic value 1626ba7e of EIP-1271
		"0x63deadbeef60e01b60005260206000f3": false, // return another
		"0x00":                               false, // return nothing
		"0x60006000fd":                       false, // revert
	} {
		override := map[common.Address]any{wallet: map[string]any{"code": code}}
		var out hexutil.Bytes
		err := k.Client.Client().CallContext(t.Context(), &out, "eth_call", call, "latest", override)
		if (err == nil) != accepted {
			t.Errorf("code %s: %v", code, err)
		}
	}
}
