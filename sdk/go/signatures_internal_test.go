package railkit

import (
	"errors"
	"math/big"
	"testing"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
)

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
