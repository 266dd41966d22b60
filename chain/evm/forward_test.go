package evm

import (
	"bytes"
	"errors"
	"math/big"
	"reflect"
	"slices"
	"testing"

	"github.com/railkit/railkit/chain"
)

const (
	safeSignature  = "execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)"
	ops6Signature  = "handleOps((address,uint256,bytes,bytes,uint256,uint256,uint256,uint256,uint256,bytes,bytes)[],address)"
	ops7Signature  = "handleOps((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)[],address)"
	sendSignature  = "transfer(address,uint256)"
	signedTransfer = "permitTransferFrom(((address,uint256),uint256,uint256),(address,uint256),address,bytes)"
)

var safe, router = Address{0x5a, 19: 4}, Address{0x70, 19: 5}

func TestSelectorsOfForwarders(t *testing.T) {
	for want, signature := range map[string]string{
		"0x87517c45": "approve(address,address,uint160,uint48)",
		"0x2b67b570": "permit(address,((address,uint160,uint48,uint48),address,uint256),bytes)",
		"0x2a2d80d1": "permit(address,((address,uint160,uint48,uint48)[],address,uint256),bytes)",
		"0x36c78516": "transferFrom(address,address,uint160,address)",
		"0x0d58b1db": "transferFrom((address,address,uint160,address)[])",
		"0x30f28b7a": signedTransfer,
		"0xedd9444b": "permitTransferFrom(((address,uint256)[],uint256,uint256),(address,uint256)[],address,bytes)",
		"0x137c29fe": "permitWitnessTransferFrom(((address,uint256),uint256,uint256),(address,uint256),address,bytes32,string,bytes)",
		"0xfe8ec1a7": "permitWitnessTransferFrom(((address,uint256)[],uint256,uint256),(address,uint256)[],address,bytes32,string,bytes)",
		"0x6a761202": safeSignature,
		"0xb61d27f6": "execute(address,uint256,bytes)",
		"0x18dfb3c7": "executeBatch(address[],bytes[])",
		"0x47e1da2a": "executeBatch(address[],uint256[],bytes[])",
		"0x34fcd5be": "executeBatch((address,uint256,bytes)[])",
		"0xac9650d8": "multicall(bytes[])",
		"0x5ae401dc": "multicall(uint256,bytes[])",
		"0x252dba42": "aggregate((address,bytes)[])",
		"0xbce38bd7": "tryAggregate(bool,(address,bytes)[])",
		"0xc3077fa9": "blockAndAggregate((address,bytes)[])",
		"0x399542e9": "tryBlockAndAggregate(bool,(address,bytes)[])",
		"0x82ad56cb": "aggregate3((address,bool,bytes)[])",
		"0x174dea71": "aggregate3Value((address,bool,uint256,bytes)[])",
		"0x1fad948c": ops6Signature,
		"0x765e827f": ops7Signature,
	} {
		id := selectorOf(signature)
		if f, ok := functions()[id]; chain.Hex(id[:]) != want || !ok || f.read == nil {
			t.Errorf("%s is %x, understood: %v", signature, id, ok)
		}
	}
}

// shown is an effect in one line, for tables.
func shown(e chain.Effect) string {
	text := string(e.Kind) + " " + e.From
	for _, part := range []string{e.To, e.Spender, e.Display} {
		if part != "" {
			text += " " + part
		}
	}
	if e.Symbol == "" {
		text += " " + e.Contract + " " + e.Selector
	}
	return text
}

func showAll(effects []chain.Effect) (all []string) {
	for _, e := range effects {
		all = append(all, shown(e))
	}
	return all
}

func unknownOf(from, contract Address, selector string) string {
	return "unknown_call " + from.String() + " " + contract.String() + " " + selector
}

func sent(from, to Address, what string) string {
	return "transfer " + from.String() + " " + to.String() + " " + what
}

// E02: Permit2 grants and moves the tokens of their owner, and is Permit2 at its
// own address only.
func TestSigning_E02_Permit2(t *testing.T) {
	net, usdc := base(t)
	details := func(amount int) list { return list{usdc, amount, 9, 1} }
	allows := func(owner Address, what string) string {
		return "approve " + owner.String() + " " + bob.String() + " " + what
	}
	word := [32]byte{1}
	for signature, c := range map[string]struct {
		args []any
		want []string
	}{
		"approve(address,address,uint160,uint48)": {list{usdc, bob, 1000000, 9},
			[]string{allows(alice, "1 USDC")}},
		"permit(address,((address,uint160,uint48,uint48),address,uint256),bytes)": {
			list{carol, list{details(1000000), bob, 9}, word[:]}, []string{allows(carol, "1 USDC")},
		},
		"permit(address,((address,uint160,uint48,uint48)[],address,uint256),bytes)": {
			list{carol, list{list{details(1000000), details(2)}, bob, 9}, word[:]},
			[]string{allows(carol, "1 USDC"), allows(carol, "0.000002 USDC")},
		},
		"transferFrom(address,address,uint160,address)": {list{carol, bob, 1000000, usdc},
			[]string{sent(carol, bob, "1 USDC")}},
		"transferFrom((address,address,uint160,address)[])": {list{list{
			list{carol, bob, 1000000, usdc}, list{alice, carol, 2, usdc},
		}}, []string{sent(carol, bob, "1 USDC"), sent(alice, carol, "0.000002 USDC")}},
		signedTransfer: {list{list{list{usdc, 5000000}, 1, 9}, list{bob, 1000000}, carol, word[:]},
			[]string{sent(carol, bob, "1 USDC")}},
		"permitTransferFrom(((address,uint256)[],uint256,uint256),(address,uint256)[],address,bytes)": {list{
			list{list{list{usdc, 5000000}}, 1, 9}, list{list{bob, 1000000}}, carol, word[:],
		}, []string{sent(carol, bob, "1 USDC")}},
		"permitWitnessTransferFrom(((address,uint256),uint256,uint256),(address,uint256),address,bytes32,string,bytes)": {list{
			list{list{usdc, 5000000}, 1, 9}, list{bob, 1000000}, carol, word, "W", word[:],
		}, []string{sent(carol, bob, "1 USDC")}},
		"permitWitnessTransferFrom(((address,uint256)[],uint256,uint256),(address,uint256)[],address,bytes32,string,bytes)": {
			list{list{list{list{usdc, 5000000}}, 1, 9}, list{list{bob, 1000000}}, carol, word, "W", word[:]},
			[]string{sent(carol, bob, "1 USDC")},
		},
	} {
		data := encode(t, signature, c.args...)
		if got := showAll(Effects(alice, &permit2, nil, data, net)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", signature, got)
		}
		if got := showAll(Effects(alice, &router, nil, data, net)); !slices.Equal(got, []string{
			unknownOf(alice, router, chain.Hex(data[:4])),
		}) {
			t.Errorf("%s elsewhere: %q", signature, got)
		}
	}
	for name, data := range map[string][]byte{
		"more wanted than permitted": encode(t,
			"permitTransferFrom(((address,uint256)[],uint256,uint256),(address,uint256)[],address,bytes)",
			list{list{}, 1, 9}, list{list{bob, 1}}, carol, word[:]),
		"nothing": encode(t, "transferFrom((address,address,uint160,address)[])", list{}),
		"161 bits": append(encode(t, "approve(address,address,uint160,uint48)", usdc, bob, 1, 9)[:4+64+11],
			append([]byte{1}, make([]byte, 52)...)...),
	} {
		if got := showAll(Effects(alice, &permit2, nil, data, net)); !slices.Equal(got, []string{
			unknownOf(alice, permit2, ""),
		}) {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := Effects(
		alice, &permit2, nil, encode(t, "approve(address,address,uint160,uint48)", carol, bob, 1, 9), net,
	); len(got) != 1 || got[0].Symbol != "" || got[0].Selector != "0x87517c45" || got[0].Asset != carol.String() {
		t.Errorf("an unlisted token: %+v", got)
	}
}

// safeTx is a Safe's transaction that calls with what is left at zero.
func safeTx(t testing.TB, to Address, value int, data []byte, operation, gasPrice int) []byte {
	return encode(t, safeSignature, to, value, data, operation, 0, 0, gasPrice, Address{}, Address{}, []byte{1})
}

// E01, E03: what a contract is told to do on is told too, with the contract as the
// one whose money it is; and the call of a contract that nobody knows stays one.
func TestSigning_E03_CallsWithinCalls(t *testing.T) {
	net, usdc := base(t)
	pay := encode(t, sendSignature, bob, 1000000)
	pull := encode(t, "transferFrom(address,address,uint256)", alice, bob, 1000000)
	op6 := func(init, callData, paymaster []byte) list {
		return list{safe, 0, init, callData, 1, 2, 3, 4, 5, paymaster, []byte{1}}
	}
	op7 := func(init, callData, paymaster []byte) list {
		return list{safe, 0, init, callData, [32]byte{1}, 3, [32]byte{2}, paymaster, []byte{1}}
	}
	helper := append(bytes.Clone(carol[:]), 1, 2, 3, 4)
	execute := encode(t, "execute(address,uint256,bytes)", usdc, 0, pay)
	inSafe := sent(safe, bob, "1 USDC")
	for name, c := range map[string]struct {
		to   Address
		data []byte
		want []string
	}{
		"Safe": {safe, safeTx(t, usdc, 0, pay, 0, 0),
			[]string{unknownOf(alice, safe, "0x6a761202"), inSafe}},
		"Safe, coin": {safe, safeTx(t, bob, 1, nil, 0, 0),
			[]string{unknownOf(alice, safe, "0x6a761202"), sent(safe, bob, "0.000000000000000001 ETH")}},
		"Safe, on itself": {safe, safeTx(t, safe, 0, []byte{0x61, 0x0b, 0x59, 0x25}, 0, 0),
			[]string{unknownOf(alice, safe, "0x6a761202"), unknownOf(safe, safe, "0x610b5925")}},
		"execute": {safe, execute, []string{unknownOf(alice, safe, "0xb61d27f6"), inSafe}},
		"executeBatch of v0.6": {safe, encode(t, "executeBatch(address[],bytes[])", list{usdc, usdc}, list{pay, pull}),
			[]string{unknownOf(alice, safe, "0x18dfb3c7"), inSafe, sent(alice, bob, "1 USDC")}},
		"executeBatch with values": {safe, encode(
			t, "executeBatch(address[],uint256[],bytes[])", list{bob, usdc}, list{1, 0}, list{[]byte{}, pay},
		), []string{unknownOf(alice, safe, "0x47e1da2a"), sent(safe, bob, "0.000000000000000001 ETH"), inSafe}},
		"executeBatch without": {safe, encode(t, "executeBatch(address[],uint256[],bytes[])",
			list{usdc}, list{}, list{pay}), []string{unknownOf(alice, safe, "0x47e1da2a"), inSafe}},
		"executeBatch of tuples": {safe, encode(t, "executeBatch((address,uint256,bytes)[])", list{list{usdc, 0, pay}}),
			[]string{unknownOf(alice, safe, "0x34fcd5be"), inSafe}},
		"multicall": {router, encode(t, "multicall(bytes[])", list{[]byte{1, 2, 3, 4, 5}}),
			[]string{unknownOf(alice, router, "0xac9650d8"), unknownOf(alice, router, "0x01020304")}},
		"multicall with deadline": {router, encode(t, "multicall(uint256,bytes[])", 9, list{[]byte{1, 2, 3, 4, 5}}),
			[]string{unknownOf(alice, router, "0x5ae401dc"), unknownOf(alice, router, "0x01020304")}},
		"aggregate": {multicall3, encode(t, "aggregate((address,bytes)[])", list{list{usdc, pull}}),
			[]string{sent(alice, bob, "1 USDC")}},
		"tryAggregate": {multicall3, encode(t, "tryAggregate(bool,(address,bytes)[])", false, list{list{usdc, pay}}),
			[]string{sent(multicall3, bob, "1 USDC")}},
		"aggregate3": {multicall3, encode(t, "aggregate3((address,bool,bytes)[])", list{
			list{usdc, true, pull}, list{router, true, []byte{1, 2, 3, 4}},
		}), []string{sent(alice, bob, "1 USDC"), unknownOf(multicall3, router, "0x01020304")}},
		"aggregate3Value": {multicall3, encode(
			t, "aggregate3Value((address,bool,uint256,bytes)[])", list{list{bob, true, 1, []byte{}}},
		), []string{sent(multicall3, bob, "0.000000000000000001 ETH")}},
		"aggregate of somebody else's": {router, encode(t, "aggregate((address,bytes)[])", list{list{usdc, pull}}),
			[]string{unknownOf(alice, router, "0x252dba42")}},
		"handleOps of v0.6": {entryPoint6, encode(t, ops6Signature, list{op6(nil, execute, nil)}, bob),
			[]string{unknownOf(alice, entryPoint6, "0x1fad948c"), unknownOf(entryPoint6, safe, "0xb61d27f6"), inSafe}},
		"handleOps of v0.7": {entryPoint7, encode(t, ops7Signature, list{op7(nil, execute, nil)}, bob),
			[]string{unknownOf(alice, entryPoint7, "0x765e827f"), unknownOf(entryPoint7, safe, "0xb61d27f6"), inSafe}},
		"handleOps, factory": {entryPoint7, encode(t, ops7Signature, list{op7(helper, execute, nil)}, bob),
			[]string{unknownOf(alice, entryPoint7, "0x765e827f"), unknownOf(entryPoint7, carol, ""),
				unknownOf(entryPoint7, safe, "0xb61d27f6"), inSafe}},
		"handleOps, paymaster": {entryPoint6, encode(t, ops6Signature, list{op6(nil, execute, helper)}, bob),
			[]string{unknownOf(alice, entryPoint6, "0x1fad948c"), unknownOf(entryPoint6, carol, ""),
				unknownOf(entryPoint6, safe, "0xb61d27f6"), inSafe}},
		"handleOps of another version": {entryPoint7, encode(t, ops6Signature, list{op6(nil, execute, nil)}, bob),
			[]string{unknownOf(alice, entryPoint7, "0x1fad948c")}},
		"handleOps elsewhere": {router, encode(t, ops7Signature, list{op7(nil, execute, nil)}, bob),
			[]string{unknownOf(alice, router, "0x765e827f")}},
		"Safe in a multicall": {multicall3, encode(t, "aggregate((address,bytes)[])", list{
			list{safe, safeTx(t, usdc, 0, pay, 0, 0)},
		}), []string{unknownOf(multicall3, safe, "0x6a761202"), inSafe}},
		"universal router": {router, append([]byte{0x35, 0x93, 0x56, 0x4c}, make([]byte, 96)...),
			[]string{unknownOf(alice, router, "0x3593564c")}},
	} {
		got := Effects(alice, &c.to, nil, c.data, net)
		checkEffects(t, got)
		if !slices.Equal(showAll(got), c.want) {
			t.Errorf("%s: %q", name, showAll(got))
		}
	}
}

// E03, E04: what lends a contract's rights to others, or is not told in full, is
// unknown and not even its selector can allow it.
func TestSigning_E04_NothingAllowsTheseCalls(t *testing.T) {
	net, usdc := base(t)
	pay := encode(t, sendSignature, bob, 1)
	for name, c := range map[string]struct {
		to   Address
		data []byte
	}{
		"delegate call":                 {safe, safeTx(t, usdc, 0, pay, 1, 0)},
		"delegate call of MultiSend":    {safe, safeTx(t, router, 0, encode(t, "multicall(bytes[])", list{pay}), 1, 0)},
		"operation 2":                   {safe, safeTx(t, usdc, 0, pay, 2, 0)},
		"a refund out of the Safe":      {safe, safeTx(t, usdc, 0, pay, 0, 1)},
		"a tail behind the Safe's call": {safe, append(safeTx(t, usdc, 0, pay, 0, 0), make([]byte, 32)...)},
		"fewer calls than targets": {safe,
			encode(t, "executeBatch(address[],bytes[])", list{usdc, usdc}, list{pay})},
		"more values than targets": {safe,
			encode(t, "executeBatch(address[],uint256[],bytes[])", list{usdc}, list{1, 2}, list{pay})},
		"fewer values than targets": {safe,
			encode(t, "executeBatch(address[],uint256[],bytes[])", list{usdc, usdc}, list{1}, list{pay, pay})},
		"an empty call of itself": {router, encode(t, "multicall(bytes[])", list{[]byte{}})},
		"no call":                 {multicall3, encode(t, "aggregate((address,bytes)[])", list{})},
		"half a factory": {entryPoint7, encode(t, ops7Signature, list{list{
			safe, 0, []byte{1}, pay, [32]byte{}, 3, [32]byte{}, []byte{}, []byte{},
		}}, bob)},
	} {
		if got := showAll(Effects(alice, &c.to, nil, c.data, net)); !slices.Equal(
			got, []string{unknownOf(alice, c.to, "")},
		) {
			t.Errorf("%s: %q", name, got)
		}
	}
	inner := pay[:len(pay)-1]
	got := showAll(Effects(alice, &safe, nil, safeTx(t, usdc, 0, inner, 0, 0), net))
	if !slices.Equal(got, []string{unknownOf(alice, safe, "0x6a761202"), unknownOf(safe, usdc, "")}) {
		t.Errorf("a malformed inner call: %q", got)
	}
}

// E03: there is an end to what is looked at.
func TestSigning_E03_DepthAndNumber(t *testing.T) {
	net, usdc := base(t)
	data := encode(t, sendSignature, bob, 1)
	to := usdc
	for depth := range maxDepth + 3 {
		got := Effects(alice, &to, nil, data, net)
		checkEffects(t, got)
		last := got[len(got)-1]
		if deep := depth > maxDepth; len(got) != min(depth, maxDepth)+1 || deep != (last.Kind == chain.UnknownCall) ||
			deep && last.Selector != "" {
			t.Errorf("depth %d: %q", depth, showAll(got))
		}
		data, to = encode(t, "execute(address,uint256,bytes)", to, 0, data), safe
	}
	for n, whole := range map[int]bool{maxEffects: true, maxEffects + 1: false, 1000: false} {
		calls := make(list, n)
		for i := range calls {
			calls[i] = list{usdc, encode(t, sendSignature, bob, 1)}
		}
		got := Effects(alice, &multicall3, nil, encode(t, "aggregate((address,bytes)[])", calls), net)
		if whole && len(got) != n || !whole && !slices.Equal(showAll(got), []string{unknownOf(alice, multicall3, "")}) {
			t.Errorf("%d calls: %d effects", n, len(got))
		}
		worth := Effects(alice, &multicall3, big.NewInt(5), encode(t, "aggregate((address,bytes)[])", calls), net)
		if !whole && (len(worth) != 2 || worth[0].Amount != "5") {
			t.Errorf("%d calls with value: %q", n, showAll(worth))
		}
	}
}

// E05: who delegates an account to code is refused before anybody asks what it does.
func TestSigning_E05_NoDelegationOfAccounts(t *testing.T) {
	for name, raw := range map[string][]byte{
		"empty":                 {4},
		"with an authorization": append([]byte{4}, appendList(nil, appendList(appendUint(nil, 84532), nil))...),
		"for every chain":       append([]byte{4}, appendList(nil, appendUint(nil, 0))...),
		// What EIP-7702 has signed.
		"as a list of its own":   append([]byte{5}, appendList(nil, appendBytes(appendUint(nil, 0), bob[:]))...),
		"in a typed transaction": append([]byte{4}, sample(DynamicFee).Unsigned()[1:]...),
	} {
		if _, err := DecodeUnsigned(raw); !errors.Is(err, ErrUnsupportedType) {
			t.Errorf("%s: %v", name, err)
		}
		if _, _, err := DecodeSigned(raw); !errors.Is(err, ErrUnsupportedType) {
			t.Errorf("%s, signed: %v", name, err)
		}
	}
	if err := (Tx{Type: 4, ChainID: 1}).Validate(); !errors.Is(err, ErrUnsupportedType) {
		t.Errorf("put together: %v", err)
	}
}

// E06: creations and odd receivers are told as what they are.
func TestSigning_E06_OddReceivers(t *testing.T) {
	net, _ := base(t)
	zero, ecrecover := Address{}, Address{19: 1}
	for name, c := range map[string]struct {
		to    *Address
		value int64
		data  []byte
		want  []string
	}{
		"creation": {nil, 0, []byte{0x60}, []string{"deploy " + alice.String() + "  "}},
		"creation with value": {nil, 1, []byte{0xff},
			[]string{"transfer " + alice.String() + " 0.000000000000000001 ETH", "deploy " + alice.String() + "  "}},
		"to nobody":         {&zero, 1, nil, []string{sent(alice, zero, "0.000000000000000001 ETH")}},
		"nothing to nobody": {&zero, 0, nil, []string{sent(alice, zero, "0 ETH")}},
		"precompile":        {&ecrecover, 0, make([]byte, 128), []string{unknownOf(alice, ecrecover, "0x00000000")}},
		"itself":            {&alice, 0, []byte{1}, []string{unknownOf(alice, alice, "0x01")}},
	} {
		if got := showAll(Effects(alice, c.to, big.NewInt(c.value), c.data, net)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// E01: the receiver in the calldata is told, never the token that is called.
func TestSigning_E01_HiddenReceivers(t *testing.T) {
	net, usdc := base(t)
	for name, data := range map[string][]byte{
		"transfer":     encode(t, sendSignature, bob, 1),
		"transferFrom": encode(t, "transferFrom(address,address,uint256)", alice, bob, 1),
		"authorization": encode(t, "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)",
			alice, bob, 1, 0, 9, [32]byte{}, []byte{}),
	} {
		got := Effects(alice, &usdc, nil, data, net)
		want := []chain.Effect{usdcEffect(usdc, chain.Transfer, alice, bob.String(), "1", "0.000001")}
		want[0].HandedIn = name == "authorization"
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
