package evm

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts"
	"pgregory.net/rapid"

	"github.com/railkit/railkit/chain"
)

// E02, E12: permits and their like say whom they allow what; the rest is unknown.
func TestSigning_E12_EffectsOfTypedData(t *testing.T) {
	net, usdc := base(t)
	permit := members("Permit", "address owner", "address spender", "uint256 value",
		"uint256 nonce", "uint256 deadline")
	dai := members("Permit", "address holder", "address spender", "uint256 nonce", "uint256 expiry", "bool allowed")
	authority := []string{
		"address from", "address to", "uint256 value", "uint256 validAfter", "uint256 validBefore", "bytes32 nonce",
	}
	details := members("PermitDetails", "address token", "uint160 amount", "uint48 expiration", "uint48 nonce")
	permitted := members("TokenPermissions", "address token", "uint256 amount")
	order := members("Order", "uint8 n")
	single := fmt.Sprintf(
		`{"details":{"token":"%s","amount":"1000000","expiration":9,"nonce":0},"spender":"%s","sigDeadline":9}`, usdc,
		bob,
	)
	batch := fmt.Sprintf(`{"details":[{"token":"%[1]s","amount":"1000000","expiration":9,"nonce":0},{"token":"%[1]s",`+
		`"amount":2,"expiration":9,"nonce":0}],"spender":"%[2]s","sigDeadline":9}`, usdc, bob)
	one := fmt.Sprintf(`{"token":"%s","amount":1000000}`, usdc)
	rest := fmt.Sprintf(`"spender":"%s","nonce":1,"deadline":9`, bob)
	owned := fmt.Sprintf(
		`{"owner":"%s","spender":"%s","value":1000000,"nonce":0,"deadline":"%s"}`, alice, bob, infinite,
	)
	moved := fmt.Sprintf(
		`{"from":"%s","to":"%s","value":"1000000","validAfter":0,"validBefore":9,"nonce":"0x%064x"}`, alice, bob, 1,
	)
	allows := func(what string) string { return "approve " + alice.String() + " " + bob.String() + " " + what }
	unknown := func(contract Address) []string {
		return []string{"unknown_message " + alice.String() + " " + contract.String() + " "}
	}
	transfers := func(name, kind string, more ...string) string {
		return members(name,
			append([]string{kind + " permitted", "address spender", "uint256 nonce", "uint256 deadline"}, more...)...)
	}
	for name, c := range map[string]struct {
		to                      Address
		types, primary, message string
		want                    []string
	}{
		"permit": {usdc, permit, "Permit", owned, []string{allows("1 USDC")}},
		"permit of DAI": {usdc, dai, "Permit", fmt.Sprintf(
			`{"holder":"%s","spender":"%s","nonce":0,"expiry":0,"allowed":true}`, alice, bob,
		), []string{allows(chain.FormatUnits(maxUint256, 6) + " USDC")}},
		"permit of DAI, taken back": {usdc, dai, "Permit", fmt.Sprintf(
			`{"holder":"%s","spender":"%s","nonce":0,"expiry":0,"allowed":false}`, alice, bob,
		), []string{allows("0 USDC")}},
		"permit of an unlisted one": {carol, permit, "Permit", owned, []string{allows(carol.String() + " ")}},
		"TransferWithAuthorization": {usdc, members("TransferWithAuthorization", authority...),
			"TransferWithAuthorization", moved, []string{sent(alice, bob, "1 USDC")}},
		"ReceiveWithAuthorization": {usdc, members("ReceiveWithAuthorization", authority...),
			"ReceiveWithAuthorization", moved, []string{sent(alice, bob, "1 USDC")}},
		"PermitSingle": {permit2, details + "," + members(
			"PermitSingle", "PermitDetails details", "address spender", "uint256 sigDeadline",
		), "PermitSingle", single, []string{allows("1 USDC")}},
		"PermitBatch": {permit2, details + "," + members(
			"PermitBatch", "PermitDetails[] details", "address spender", "uint256 sigDeadline",
		), "PermitBatch", batch, []string{allows("1 USDC"), allows("0.000002 USDC")}},
		"PermitTransferFrom": {permit2, permitted + "," + transfers("PermitTransferFrom", "TokenPermissions"),
			"PermitTransferFrom", `{"permitted":` + one + `,` + rest + `}`, []string{allows("1 USDC")}},
		"PermitBatchTransferFrom": {permit2, permitted + "," + transfers(
			"PermitBatchTransferFrom", "TokenPermissions[]",
		), "PermitBatchTransferFrom", `{"permitted":[` + one + `,` + one + `],` + rest + `}`,
			[]string{allows("1 USDC"), allows("1 USDC")}},
		"with a witness": {permit2, permitted + "," + order + "," + transfers(
			"PermitWitnessTransferFrom", "TokenPermissions", "Order witness",
		), "PermitWitnessTransferFrom", `{"permitted":` + one + `,` + rest + `,"witness":{"n":1}}`,
			[]string{allows("1 USDC")}},
		"with a witness, batch": {permit2, permitted + "," + order + "," + transfers(
			"PermitBatchWitnessTransferFrom", "TokenPermissions[]", "Order witness",
		), "PermitBatchWitnessTransferFrom", `{"permitted":[` + one + `],` + rest + `,"witness":{"n":1}}`,
			[]string{allows("1 USDC")}},
		"two witnesses": {permit2, permitted + "," + order + "," + transfers(
			"PermitWitnessTransferFrom", "TokenPermissions", "Order witness", "Order more",
		), "PermitWitnessTransferFrom",
			`{"permitted":` + one + `,` + rest + `,"witness":{"n":1},"more":{"n":1}}`, unknown(permit2)},
		"witness of another shape": {permit2, members("TokenPermissions", "address token", "uint128 amount") + "," +
			order + "," + transfers("PermitWitnessTransferFrom", "TokenPermissions", "Order witness"),
			"PermitWitnessTransferFrom", `{"permitted":` + one + `,` + rest + `,"witness":{"n":1}}`, unknown(permit2)},
		"PermitSingle elsewhere": {carol, details + "," + members(
			"PermitSingle", "PermitDetails details", "address spender", "uint256 sigDeadline",
		), "PermitSingle", single, unknown(carol)},
		"PermitBatch of nothing": {permit2, details + "," + members(
			"PermitBatch", "PermitDetails[] details", "address spender", "uint256 sigDeadline",
		), "PermitBatch", fmt.Sprintf(`{"details":[],"spender":"%s","sigDeadline":9}`, bob), unknown(permit2)},
		"the name of a permit alone": {usdc, members("Permit", "address owner", "address spender", "uint256 amount"),
			"Permit", fmt.Sprintf(`{"owner":"%s","spender":"%s","amount":0}`, alice, bob), unknown(usdc)},
		"a permit in another order": {usdc, members("Permit", "address spender", "address owner", "uint256 value",
			"uint256 nonce", "uint256 deadline"), "Permit", owned, unknown(usdc)},
		"a Safe's transaction": {safe, members("SafeTx", "address to", "uint256 value"), "SafeTx",
			fmt.Sprintf(`{"to":"%s","value":0}`, bob), unknown(safe)},
		"E05: an authorization": {usdc, members("Authorization", "uint256 chainId", "address address", "uint64 nonce"),
			"Authorization", fmt.Sprintf(`{"chainId":0,"address":"%s","nonce":0}`, bob), unknown(usdc)},
		"for no contract": {Address{}, permit, "Permit", owned, []string{"unknown_message " + alice.String() + "  "}},
	} {
		d, err := ParseTypedData([]byte(typedText(c.to, c.types, c.primary, c.message)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := d.Effects(alice, net)
		checkEffects(t, got)
		if !slices.Equal(showAll(got), c.want) {
			t.Errorf("%s: %q", name, showAll(got))
		}
	}
	many := strings.Repeat(fmt.Sprintf(`{"token":"%s","amount":1},`, usdc), maxEffects) + one
	d, err := ParseTypedData([]byte(typedText(permit2, permitted+","+transfers(
		"PermitBatchTransferFrom", "TokenPermissions[]",
	), "PermitBatchTransferFrom", `{"permitted":[`+many+`],`+rest+`}`)))
	if got := d.Effects(alice, net); err != nil || len(got) != 1 || got[0].Kind != chain.UnknownMessage {
		t.Errorf("more than is looked at: %q, %v", showAll(got), err)
	}
}

// The types that are understood are those which Permit2 and the tokens hash: known
// type hashes of the field.
func TestTypedFormsAreTheFields(t *testing.T) {
	known := map[string]string{
		"Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)": "6e71edae12b1b97f4d1f60370fef10105fa2faae0126114a169c64845d6126c9",
		"Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)":   "ea2aa0a1be11a07ed86d755c93467f4f82362b452371d1ba94d1715123511acb",
		"TransferWithAuthorization" +
			typedAuthority: "7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267",
		"ReceiveWithAuthorization" + typedAuthority: "d099cc98ef71107a616c4f0f941f04c322d8e254fe26b3c6668db87aae413de8",
	}
	for form, want := range known {
		if hash := Keccak256([]byte(form)); hex.EncodeToString(hash[:]) != want || typedForms[form].read == nil {
			t.Errorf("%s is %x", form, hash)
		}
	}
}

// E12: the prefix is ours, so no text is a transaction, a typed message or an
// authorization, whatever it is made of.
func TestSigning_E12_TextIsNothingElse(t *testing.T) {
	tx := sample(DynamicFee)
	typed := []byte(typedText(carol, personText, "Person", bobText))
	d, err := ParseTypedData(typed)
	if err != nil {
		t.Fatal(err)
	}
	digest := tx.Digest()
	authorization := append([]byte{5}, appendList(nil, appendBytes(appendUint(nil, 0), bob[:]))...)
	for name, c := range map[string]struct {
		text  []byte
		other [32]byte
	}{
		"a transaction":          {tx.Unsigned(), digest},
		"a legacy transaction":   {sample(Legacy).Unsigned(), sample(Legacy).Digest()},
		"a transaction's digest": {digest[:], digest},
		"typed data":             {typed, d.Digest},
		"a typed data's digest":  {d.Digest[:], d.Digest},
		"what EIP-712 hashes": {append([]byte("\x19\x01"), make([]byte, 64)...),
			Keccak256(append([]byte("\x19\x01"), make([]byte, 64)...))},
		"an authorization": {authorization, Keccak256(authorization)},
		"a prefixed text":  {[]byte("\x19Ethereum Signed Message:\n2hi"), MessageDigest([]byte("hi"))},
		"nothing":          {nil, Keccak256()},
	} {
		got := MessageDigest(c.text)
		if got == c.other || string(got[:]) != string(accounts.TextHash(c.text)) {
			t.Errorf("%s: %x", name, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "text")
		if got := MessageDigest(text); string(got[:]) != string(accounts.TextHash(text)) {
			t.Fatalf("%x", got)
		}
	})
	if hash := hex.EncodeToString(
		slices.Clip(accounts.TextHash([]byte("hello"))),
	); hash != "50b2c43fd39106bafbba0da34fc430e1f91e3c96ea2acee2bc34119f92b37750" {
		t.Error("the oracle is another's")
	}
}

func TestSigning_E12_HashesAreNoText(t *testing.T) {
	for text, want := range map[string]bool{
		"hello": true, "": true, "Zeile\nzwei\t\r\n": true, "日本語": true,
		strings.Repeat("a", 31): true, strings.Repeat("a", 32): false, strings.Repeat("a", 33): true,
		"\xff": false, "\x00": false, "a\u202eb": false, "a\u200bb": false, "\x1b[2J": false,
	} {
		if IsText([]byte(text)) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
