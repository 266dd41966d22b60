package evm

import (
	"bytes"
	"errors"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"pgregory.net/rapid"

	"github.com/railkit/railkit/chain"
)

// tokenABI is ERC-20 as go-ethereum's encoder wants it, the oracle of ours.
const tokenABI = `[
 {"type":"function","name":"transfer","inputs":[{"type":"address","name":"a"},{"type":"uint256","name":"n"}]},
 {"type":"function","name":"transferFrom","inputs":[{"type":"address","name":"a"},{"type":"address","name":"b"},{"type":"uint256","name":"n"}]},
 {"type":"function","name":"approve","inputs":[{"type":"address","name":"a"},{"type":"uint256","name":"n"}]},
 {"type":"function","name":"increaseAllowance","inputs":[{"type":"address","name":"a"},{"type":"uint256","name":"n"}]},
 {"type":"function","name":"balanceOf","inputs":[{"type":"address","name":"a"}]}]`

var (
	alice = Address{0xa1, 19: 1}
	bob   = Address{0xb0, 19: 2}
	carol = Address{0xca, 19: 3}
)

func base(t testing.TB) (chain.Network, Address) {
	t.Helper()
	n, ok := chain.BySlug(chain.Sandbox, "base")
	if !ok {
		t.Fatal("no base")
	}
	return n, mustAddress(t, n.Tokens[0].Address)
}

func packed(t testing.TB, name string, args ...any) []byte {
	t.Helper()
	parsed, err := abi.JSON(strings.NewReader(tokenABI))
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range args {
		if address, ok := a.(Address); ok {
			args[i] = common.Address(address)
		}
	}
	data, err := parsed.Pack(name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestEncodeTransferAgreesWithGoEthereum(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		to := Address(rapid.SliceOfN(rapid.Byte(), 20, 20).Draw(rt, "to"))
		amount := drawBig(rt, 32, "amount")
		data, err := EncodeTransfer(to, amount)
		if err != nil || !bytes.Equal(data, packed(t, "transfer", to, amount)) {
			rt.Fatalf("%x %v", data, err)
		}
		if !bytes.Equal(EncodeBalanceOf(to), packed(t, "balanceOf", to)) {
			rt.Fatal("balanceOf")
		}
	})
	for _, n := range []*big.Int{nil, big.NewInt(-1), new(big.Int).Lsh(big.NewInt(1), 256)} {
		if _, err := EncodeTransfer(bob, n); !errors.Is(err, ErrCallAmount) {
			t.Errorf("%v: %v", n, err)
		}
	}
}

func TestEffectsOfNativeTransfers(t *testing.T) {
	net, _ := base(t)
	for wei, display := range map[string]string{
		"1500000000000000000": "1.5 ETH", "1": "0.000000000000000001 ETH", "0": "0 ETH",
	} {
		got := Effects(alice, &bob, bigInt(t, wei), nil, net)
		want := []chain.Effect{{Kind: chain.Transfer, Asset: "native", Symbol: "ETH", Decimals: 18,
			From: alice.String(), To: bob.String(), Amount: wei, Display: display}}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v", wei, got)
		}
	}
}

func TestEffectsOfAListedToken(t *testing.T) {
	net, usdc := base(t)
	listed := chain.Effect{
		Asset:    usdc.String(),
		Contract: usdc.String(),
		Symbol:   "USDC",
		Decimals: 6,
		From:     alice.String(),
		Amount:   "25500000",
		Display:  "25.5 USDC",
	}
	amount := big.NewInt(25500000)
	for name, c := range map[string]struct {
		data   []byte
		change func(*chain.Effect)
	}{
		"transfer": {packed(t, "transfer", bob, amount),
			func(e *chain.Effect) { e.Kind, e.To = chain.Transfer, bob.String() }},
		"transferFrom": {packed(t, "transferFrom", carol, bob, amount), func(e *chain.Effect) {
			e.Kind, e.From, e.To = chain.Transfer, carol.String(), bob.String()
		}},
		"approve": {packed(t, "approve", bob, amount),
			func(e *chain.Effect) { e.Kind, e.Spender = chain.Approve, bob.String() }},
		"increaseAllowance": {packed(t, "increaseAllowance", bob, amount),
			func(e *chain.Effect) { e.Kind, e.Spender = chain.Approve, bob.String() }},
	} {
		want := listed
		c.change(&want)
		if got := Effects(alice, &usdc, nil, c.data, net); !reflect.DeepEqual(got, []chain.Effect{want}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestEffectsOfAnUnlistedTokenHaveNoName(t *testing.T) {
	net, _ := base(t)
	got := Effects(alice, &carol, nil, packed(t, "transfer", bob, big.NewInt(7)), net)
	want := []chain.Effect{{Kind: chain.Transfer, Asset: carol.String(), Contract: carol.String(),
		Selector: "0xa9059cbb", From: alice.String(), To: bob.String(), Amount: "7"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

func TestEffectsOfBothValueAndCall(t *testing.T) {
	net, usdc := base(t)
	got := Effects(alice, &usdc, big.NewInt(1), packed(t, "transfer", bob, big.NewInt(7)), net)
	if len(got) != 2 || got[0].Asset != "native" || got[0].To != usdc.String() || got[1].To != bob.String() {
		t.Errorf("%+v", got)
	}
}

func TestEffectsOfDeployment(t *testing.T) {
	net, _ := base(t)
	deploy := chain.Effect{Kind: chain.Deploy, From: alice.String()}
	for _, data := range [][]byte{nil, {0x60, 0x80}} {
		if got := Effects(alice, nil, nil, data, net); !reflect.DeepEqual(got, []chain.Effect{deploy}) {
			t.Errorf("%+v", got)
		}
	}
	got := Effects(alice, nil, big.NewInt(5), []byte{1}, net)
	if len(got) != 2 || got[0].Amount != "5" || got[0].To != "" || got[1] != deploy {
		t.Errorf("%+v", got)
	}
}

// E08: what a contract would overlook is not overlooked here.
func TestSigning_E08_StrictCalldata(t *testing.T) {
	net, usdc := base(t)
	good := packed(t, "transfer", bob, big.NewInt(7))
	from := packed(t, "transferFrom", carol, bob, big.NewInt(7))
	changed := func(data []byte, at int, b byte) []byte {
		c := bytes.Clone(data)
		c[at] = b
		return c
	}
	for name, data := range map[string][]byte{
		"dirty address":          changed(good, 4, 1),
		"dirty address, last":    changed(good, 15, 0x80),
		"dirty first of two":     changed(from, 4, 1),
		"dirty second of two":    changed(from, 4+32, 1),
		"tail byte":              append(bytes.Clone(good), 0),
		"tail word":              append(bytes.Clone(good), make([]byte, 32)...),
		"short by a byte":        good[:len(good)-1],
		"short by a word":        good[:len(good)-32],
		"selector alone":         good[:4],
		"approve, tail":          append(packed(t, "approve", bob, big.NewInt(7)), 0),
		"increaseAllowance, cut": packed(t, "increaseAllowance", bob, big.NewInt(7))[:40],
	} {
		want := []chain.Effect{{Kind: chain.UnknownCall, From: alice.String(), Contract: usdc.String()}}
		if got := Effects(alice, &usdc, nil, data, net); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestSigning_E08_UnknownSelectors(t *testing.T) {
	net, usdc := base(t)
	for data, selector := range map[string]string{
		"\x01":         "0x01",
		"\xa9\x05\x9c": "0xa9059c",
		"\xa4\x57\xc2\xd7" + strings.Repeat("\x00", 64): "0xa457c2d7", // decreaseAllowance
		"\x36\x59\xcf\xe6" + strings.Repeat("\x00", 32): "0x3659cfe6", // upgradeTo
	} {
		got := Effects(alice, &usdc, nil, []byte(data), net)
		if len(got) != 1 || got[0].Kind != chain.UnknownCall || got[0].Selector != selector || got[0].Amount != "" {
			t.Errorf("%s: %+v", selector, got)
		}
	}
}

// Nothing that moves a token passes as anything else, whatever the bytes.
func TestEffectsAgreeWithGoEthereumOnRandomCalls(t *testing.T) {
	net, usdc := base(t)
	rapid.Check(t, func(rt *rapid.T) {
		to := Address(rapid.SliceOfN(rapid.Byte(), 20, 20).Draw(rt, "to"))
		amount := drawBig(rt, 32, "amount")
		name := rapid.SampledFrom([]string{"transfer", "approve", "increaseAllowance"}).Draw(rt, "call")
		got := Effects(alice, &usdc, nil, packed(t, name, to, amount), net)
		if len(got) != 1 || got[0].Amount != amount.String() || got[0].To+got[0].Spender != to.String() {
			rt.Fatalf("%+v", got)
		}
	})
}

func TestTxEffects(t *testing.T) {
	net, usdc := base(t)
	tx := Tx{Type: DynamicFee, ChainID: net.ChainID, To: &usdc, Data: packed(t, "transfer", bob, big.NewInt(1000000))}
	if got := tx.Effects(alice, net); len(got) != 1 || got[0].Display != "1 USDC" {
		t.Errorf("%+v", got)
	}
}

// E07: no chain id is put in the place of another, and none is made up.
func TestSigning_E07_ChainIDs(t *testing.T) {
	legacy := sample(Legacy)
	six := appendList(nil, legacy.fields())
	if _, err := DecodeUnsigned(six); !errors.Is(err, ErrUnprotected) {
		t.Errorf("legacy without a chain: %v", err)
	}
	for _, tx := range samples() {
		read, err := DecodeUnsigned(tx.Unsigned())
		if err != nil || read.ChainID != tx.ChainID {
			t.Errorf("type %d: chain %d, %v", tx.Type, read.ChainID, err)
		}
		other := tx
		other.ChainID++
		if other.Digest() == tx.Digest() {
			t.Errorf("type %d: the chain is not signed", tx.Type)
		}
		tx.ChainID = 0
		if err := tx.Validate(); !errors.Is(err, ErrUnprotected) {
			t.Errorf("type %d for no chain: %v", tx.Type, err)
		}
		if _, err := DecodeUnsigned(tx.Unsigned()); !errors.Is(err, ErrUnprotected) {
			t.Errorf("type %d for no chain, read: %v", tx.Type, err)
		}
	}
	for _, id := range []uint64{1, 8453, 84532} {
		text := strings.Replace(typedText(carol, personText, "Person", bobText), "84532", strconv.FormatUint(id, 10), 1)
		d, err := ParseTypedData([]byte(text))
		if err != nil || d.ChainID != id {
			t.Errorf("typed data for %d: %d, %v", id, d.ChainID, err)
		}
	}
}

// E10: amounts are exact however large, in calls and in typed data.
func TestSigning_E10_LargeAmountsOfEffects(t *testing.T) {
	net, usdc := base(t)
	for _, text := range []string{
		"9007199254740993", "18446744073709551616", "170141183460469231731687303715884105728", infinite,
	} {
		n := bigInt(t, text)
		got := Effects(alice, &usdc, n, encode(t, sendSignature, bob, n), net)
		if len(got) != 2 || got[0].Amount != text || got[1].Amount != text ||
			got[1].Display != chain.FormatUnits(n, 6)+" USDC" {
			t.Errorf("%s: %+v", text, got)
		}
		for _, form := range []string{`"` + text + `"`, `"0x` + n.Text(16) + `"`} {
			d, err := ParseTypedData([]byte(typedWith("uint256 n", form)))
			if err != nil || d.Fields[0] != "n: "+text {
				t.Errorf("%s: %q, %v", form, d.Fields, err)
			}
		}
	}
}
