package evm

import (
	"bytes"
	"math/big"
	"reflect"
	"testing"

	"github.com/railkit/railkit/chain"
)

// checkEffects holds what is true of any effects.
func checkEffects(t testing.TB, effects []chain.Effect) {
	t.Helper()
	if len(effects) == 0 || len(effects) > maxEffects {
		t.Errorf("%d effects", len(effects))
	}
	for _, e := range effects {
		_, err := ParseAddress(e.From)
		amount, number := new(big.Int).SetString(e.Amount, 10)
		known := e.Kind == chain.Transfer || e.Kind == chain.Receive || e.Kind == chain.Approve ||
			e.Kind == chain.ApproveAll
		switch {
		case err != nil || known != number || number && amount.Sign() < 0:
			t.Errorf("%+v", e)
		case e.Symbol != "" && (e.Selector != "" || !known || e.TokenID != ""):
			t.Errorf("certain and not: %+v", e)
		case known && e.Asset == "" || (e.Kind == chain.Transfer || e.Kind == chain.Receive) && e.To == "" ||
			e.Kind == chain.Approve && e.Spender == "":
			t.Errorf("half told: %+v", e)
		}
	}
}

func usdcEffect(
	usdc Address, kind chain.EffectKind, from Address, party string, amount string, display string,
) chain.Effect {
	e := chain.Effect{
		Kind: kind, From: from.String(), Asset: usdc.String(), Contract: usdc.String(), Symbol: "USDC", Decimals: 6,
		Amount: amount, Display: display + " USDC",
	}
	if kind == chain.Transfer {
		e.To = party
	} else {
		e.Spender = party
	}
	return e
}

var infinite = maxUint256.String()

// The selectors as the field writes them, so that no signature here is misspelt.
func TestSelectors(t *testing.T) {
	for want, signature := range map[string]string{
		"0xa9059cbb": "transfer(address,uint256)",
		"0x23b872dd": "transferFrom(address,address,uint256)",
		"0x095ea7b3": "approve(address,uint256)",
		"0x39509351": "increaseAllowance(address,uint256)",
		"0xd505accf": "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)",
		"0x9fd5a6cf": "permit(address,address,uint256,uint256,bytes)",
		"0x8fcbaf0c": "permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)",
		"0xe3ee160e": "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)",
		"0xef55bec6": "receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)",
		"0xcf092995": "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)",
		"0x88b7ab63": "receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)",
		"0x42842e0e": "safeTransferFrom(address,address,uint256)",
		"0xb88d4fde": "safeTransferFrom(address,address,uint256,bytes)",
		"0xf242432a": "safeTransferFrom(address,address,uint256,uint256,bytes)",
		"0x2eb2c2d6": "safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)",
		"0xa22cb465": "setApprovalForAll(address,bool)",
	} {
		id := selectorOf(signature)
		if f, ok := functions()[id]; chain.Hex(id[:]) != want || !ok || f.read == nil {
			t.Errorf("%s is %x, understood: %v", signature, id, ok)
		}
	}
	if functions()[transferCall].read == nil {
		t.Error("what is written here is not read here")
	}
}

// E02: what lets somebody else take is an effect, whoever brings the signature.
func TestSigning_E02_AllowancesAndAuthorizations(t *testing.T) {
	net, usdc := base(t)
	n, word := big.NewInt(25_500_000), [32]byte{1}
	approve := usdcEffect(usdc, chain.Approve, carol, bob.String(), "25500000", "25.5")
	transfer := usdcEffect(usdc, chain.Transfer, carol, bob.String(), "25500000", "25.5")
	handed := transfer
	handed.HandedIn = true
	all := usdcEffect(usdc, chain.Approve, carol, bob.String(), infinite, chain.FormatUnits(maxUint256, 6))
	none := usdcEffect(usdc, chain.Approve, carol, bob.String(), "0", "0")
	for name, c := range map[string]struct {
		data []byte
		want chain.Effect
	}{
		"approve without end": {encode(t, "approve(address,uint256)", bob, maxUint256),
			usdcEffect(usdc, chain.Approve, alice, bob.String(), infinite, chain.FormatUnits(maxUint256, 6))},
		"permit": {encode(t, "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)", carol,
			bob, n, 9, 27, word, word), approve},
		"permit, signature": {
			encode(t, "permit(address,address,uint256,uint256,bytes)", carol, bob, n, 9, word[:]), approve,
		},
		"permit of DAI": {encode(t, "permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)", carol, bob,
			1, 2, true, 27, word, word), all},
		"permit of DAI, taken back": {encode(t, "permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)",
			carol, bob, 1, 2, false, 27, word, word), none},
		"transferWithAuthorization": {
			encode(
				t, "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)",
				carol, bob, n, 0, 9, word, 27, word, word,
			), handed,
		},
		"transferWithAuthorization, signature": {
			encode(t, "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)", carol,
				bob, n, 0, 9, word, word[:]), handed,
		},
		"receiveWithAuthorization": {
			encode(t, "receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)",
				carol, bob, n, 0, 9, word, 27, word, word), transfer,
		},
		"receiveWithAuthorization, signature": {
			encode(t, "receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)", carol,
				bob, n, 0, 9, word, word[:]), transfer,
		},
	} {
		if got := Effects(alice, &usdc, nil, c.data, net); !reflect.DeepEqual(got, []chain.Effect{c.want}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// E02, E08: an NFT moves by the calls of a token, and no list names it.
func TestSigning_E02_NFTs(t *testing.T) {
	net, _ := base(t)
	nft := func(kind chain.EffectKind, from Address, selector, id, amount string) chain.Effect {
		e := chain.Effect{
			Kind:     kind,
			From:     from.String(),
			Asset:    carol.String(),
			Contract: carol.String(),
			Selector: selector,
			TokenID:  id,
			Amount:   amount,
		}
		if kind == chain.Transfer {
			e.To = bob.String()
		} else {
			e.Spender = bob.String()
		}
		return e
	}
	for name, c := range map[string]struct {
		data []byte
		want []chain.Effect
	}{
		"transferFrom, token or amount": {encode(t, "transferFrom(address,address,uint256)", alice, bob, 7),
			[]chain.Effect{nft(chain.Transfer, alice, "0x23b872dd", "7", "7")}},
		"approve, token or amount": {encode(t, "approve(address,uint256)", bob, 7),
			[]chain.Effect{nft(chain.Approve, alice, "0x095ea7b3", "7", "7")}},
		"safeTransferFrom": {encode(t, "safeTransferFrom(address,address,uint256)", alice, bob, 7),
			[]chain.Effect{nft(chain.Transfer, alice, "0x42842e0e", "7", "1")}},
		"safeTransferFrom, data": {encode(t, "safeTransferFrom(address,address,uint256,bytes)",
			alice, bob, 7, []byte("x")), []chain.Effect{nft(chain.Transfer, alice, "0xb88d4fde", "7", "1")}},
		"safeTransferFrom of some": {encode(t, "safeTransferFrom(address,address,uint256,uint256,bytes)",
			alice, bob, 7, 5, []byte{}), []chain.Effect{nft(chain.Transfer, alice, "0xf242432a", "7", "5")}},
		"safeBatchTransferFrom": {encode(t, "safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)", alice,
			bob, list{7, 8}, list{5, 6}, []byte{}),
			[]chain.Effect{
				nft(chain.Transfer, alice, "0x2eb2c2d6", "7", "5"), nft(chain.Transfer, alice, "0x2eb2c2d6", "8", "6"),
			}},
		"setApprovalForAll": {encode(t, "setApprovalForAll(address,bool)", bob, true),
			[]chain.Effect{nft(chain.ApproveAll, alice, "0xa22cb465", "", infinite)}},
		"setApprovalForAll, taken back": {encode(t, "setApprovalForAll(address,bool)", bob, false),
			[]chain.Effect{nft(chain.Approve, alice, "0xa22cb465", "", "0")}},
	} {
		if got := Effects(alice, &carol, nil, c.data, net); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	opaque := []chain.Effect{{Kind: chain.UnknownCall, From: alice.String(), Contract: carol.String()}}
	for name, data := range map[string][]byte{
		"nothing moved": encode(t, "safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)", alice, bob,
			list{}, list{}, []byte{}),
		"a number is missing": encode(t, "safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)", alice, bob,
			list{7, 8}, list{5}, []byte{}),
		"true is 2": append(bytes.Clone(encode(t, "setApprovalForAll(address,bool)", bob, true)[:67]), 2),
	} {
		if got := Effects(alice, &carol, nil, data, net); !reflect.DeepEqual(got, opaque) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// E08: a listed token keeps its name only in its own contract's calls.
func TestSigning_E08_NoNameForATokensLookAlike(t *testing.T) {
	net, usdc := base(t)
	for name, c := range map[string]struct {
		to   Address
		data []byte
	}{
		"the same call elsewhere":    {carol, encode(t, "transfer(address,uint256)", bob, 1)},
		"an NFT's call of the token": {usdc, encode(t, "safeTransferFrom(address,address,uint256)", alice, bob, 1)},
		"all of the token":           {usdc, encode(t, "setApprovalForAll(address,bool)", bob, true)},
		"a permit of the token's twin": {carol,
			encode(t, "permit(address,address,uint256,uint256,bytes)", alice, bob, 1, 2, []byte{})},
	} {
		got := Effects(alice, &c.to, nil, c.data, net)
		checkEffects(t, got)
		if len(got) != 1 || got[0].Symbol != "" || got[0].Selector != chain.Hex(c.data[:4]) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// E08: the arrays of a call are read where encoders write them and nowhere else.
func TestSigning_E08_Offsets(t *testing.T) {
	net, _ := base(t)
	good := encode(t, "safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)", alice, bob,
		list{7, 8}, list{5, 6}, []byte{1})
	word := func(at int, n int64) []byte {
		c := bytes.Clone(good)
		big.NewInt(n).FillBytes(c[4+32*at : 4+32*at+32])
		return c
	}
	if got := Effects(alice, &carol, nil, good, net); len(got) != 2 {
		t.Fatalf("%+v", got)
	}
	huge := bytes.Clone(good)
	copy(huge[4+32*2:], bytes.Repeat([]byte{0xff}, 32))
	many := bytes.Clone(good)
	copy(many[4+32*5:], bytes.Repeat([]byte{0x7f}, 32))
	for name, data := range map[string][]byte{
		"amounts are the ids":        word(3, 5*32),
		"ids are the amounts":        word(2, 8*32),
		"backward, into the head":    word(2, 0),
		"not on a word":              word(2, 5*32+1),
		"behind the end":             word(4, 14*32),
		"beyond any memory":          huge,
		"more items than bytes":      word(5, 200),
		"more items than memory":     many,
		"fewer items than there are": word(5, 1),
		"bytes longer than they are": word(11, 33),
		"dirty padding":              append(bytes.Clone(good[:len(good)-1]), 1),
		"a gap":                      append(bytes.Clone(good), make([]byte, 32)...),
	} {
		want := []chain.Effect{{Kind: chain.UnknownCall, From: alice.String(), Contract: carol.String()}}
		if got := Effects(alice, &carol, nil, data, net); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
