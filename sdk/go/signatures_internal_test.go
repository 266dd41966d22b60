package railkit

import (
	"errors"
	"math/big"
	"testing"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
)

// The signer may know a network that this package does not list. Typed data for it is held to its digest all the same.
func TestMatchDigest_UnlistedNetwork(t *testing.T) {
	req := SignMessageRequest{SignWith: alice, Type: MessageTypedData, Payload: `{
		"types": {
			"EIP712Domain": [{"name": "name", "type": "string"}, {"name": "chainId", "type": "uint256"}],
			"Note": [{"name": "text", "type": "string"}]
		},
		"primaryType": "Note", "domain": {"name": "App", "chainId": 4711}, "message": {"text": "Hello"}
	}`}
	typed, err := evm.ParseTypedData([]byte(req.Payload))
	if err != nil {
		t.Fatal(err)
	}
	all := networksOf("", nil)
	if err := req.matchDigest(all, alice, chain.Hex(typed.Digest[:])); err != nil {
		t.Errorf("its digest: %v", err)
	}
	typed.Digest[0] ^= 1
	if err := req.matchDigest(all, alice, chain.Hex(typed.Digest[:])); !IsTampered(err) {
		t.Errorf("another digest: %v", err)
	}
}

// A host that holds a delegation could answer with a real result of the enclave for another call. So the signed bytes
// have to be those of the request, and signed by its address.
func TestMatchBytes(t *testing.T) {
	key := func(n byte) (secret []byte, from evm.Address) {
		secret = append(make([]byte, 31), n)
		from, err := evm.AddressOf(secp256k1.PrivKeyFromBytes(secret).PubKey().SerializeCompressed())
		if err != nil {
			t.Fatal(err)
		}
		return secret, from
	}
	ours, alice := key(1)
	another, mallory := key(2)
	tx := evm.Tx{
		Type: evm.DynamicFee, ChainID: 84532, Nonce: 7,
		MaxFeePerGas: big.NewInt(2e9), MaxPriorityFeePerGas: big.NewInt(1e9),
		GasLimit: 21_000, To: &mallory, Value: big.NewInt(5),
	}
	signed := func(tx evm.Tx, secret []byte, from evm.Address) string {
		raw, err := evm.SignTx(tx, secret, from)
		if err != nil {
			t.Fatal(err)
		}
		return chain.Hex(raw)
	}
	more := tx
	more.Value = big.NewInt(6)
	req := SignTransactionRequest{SignWith: alice.String(), UnsignedTransaction: chain.Hex(tx.Unsigned())}
	for what, text := range map[string]string{
		"no hex":          "0xzz",
		"no transaction":  "0x02",
		"another amount":  signed(more, ours, alice),
		"another address": signed(tx, another, mallory),
		"not signed":      chain.Hex(tx.Unsigned()),
	} {
		var refused *TamperError
		if err := matchBytes(req, text); !errors.As(err, &refused) || refused.Reason != ReasonResult {
			t.Errorf("%s: got %v", what, err)
		}
	}
	if err := matchBytes(req, signed(tx, ours, alice)); err != nil {
		t.Errorf("what was asked for: %v", err)
	}
}
