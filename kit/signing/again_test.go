package signing_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// The first result of a stamped body is for who brings a stamp for it: the same
// one, or one that a passkey of the sub-organization makes anew.
func TestSigning_S02_ConfirmAgainWantsAStamp(t *testing.T) {
	t.Parallel()
	k := newClub(t, apptest.Shared(t))
	mallory := k.Register(k.c, "mallory@example.com")
	sent, signed := prepared(t, k.c, k.alice, "1")
	held, _, heldSigned := k.held("60")
	if got := k.confirm(sent, signed); got.Status != 200 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	for id, signed := range map[string]railkit.SignedActivity{sent: signed, held: heldSigned} {
		first := k.confirm(id, signed)
		if first.Status != 200 && first.Status != 202 {
			t.Errorf("the same stamp again: %d %s", first.Status, first.Body)
		}
		again := signed
		again.Stamp = railkit.Stamp(*stampOf(t, k.alice, signed.Body))
		if got := k.confirm(id, again); got.Status != first.Status {
			t.Errorf("a stamp made anew: %d %s", got.Status, got.Body)
		}
		for name, stamp := range map[string]railkit.Stamp{
			"no JSON":         {HeaderName: signed.Stamp.HeaderName, HeaderValue: "garbage"},
			"of another body": railkit.Stamp(*stampOf(t, k.alice, signed.Body+" ")),
			"of a stranger":   railkit.Stamp(*stampOf(t, mallory, signed.Body)),
			"with other letters": {
				HeaderName:  signed.Stamp.HeaderName,
				HeaderValue: strings.Replace(signed.Stamp.HeaderValue, `"signature":"M`, `"signature":"N`, 1),
			},
		} {
			bad := signed
			bad.Stamp = stamp
			t.Run(name, func(t *testing.T) { wantError(t, k.confirm(id, bad), 422, "passkey_signature_invalid") })
		}
	}
}

// What is said beside exact bytes has to be what they say.
func TestSigning_ExactBytesAgreeWithTheRest(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	alice := a.Fund(a.Client(), "alice@example.com")
	to, err := evm.ParseAddress(receiver)
	if err != nil {
		t.Fatal(err)
	}
	tx := evm.Tx{
		ChainID: 84532, GasPrice: big.NewInt(2_000_000_000), GasLimit: 21_000, To: &to, Value: big.NewInt(5e15),
	}
	prepare := func(fields ...string) apptest.Answer {
		body := map[string]any{
			"type": "sign", "signWith": alice.Address.Address, "unsignedTransaction": chain.Hex(tx.Unsigned()),
		}
		for i := 0; i < len(fields); i += 2 {
			body[fields[i]] = fields[i+1]
		}
		return a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/prepare", apptest.JSON(t, body))
	}
	for field, wrong := range map[string]string{
		"network": "polygon", "to": apptest.USDC().Address, "amount": "0.006", "gasLimit": "21001", "value": "6",
		"data":         "0x00",
		"maxFeePerGas": "1", "tokenAddress": apptest.USDC().Address,
	} {
		got := prepare(field, wrong)
		wantError(t, got, 400, "validation_failed")
		if !strings.Contains(got.Body, "failed: "+field+" ") {
			t.Errorf("%s: %s", field, got.Body)
		}
	}
	got := prepare("network", "base", "to", strings.ToLower(receiver), "amount", "0.0050", "gasLimit", "21000", "value",
		"5000000000000000",
		"data", "0x", "maxFeePerGas", "2000000000")
	if got.Status != 200 {
		t.Errorf("what agrees: %d %s", got.Status, got.Body)
	}
}
