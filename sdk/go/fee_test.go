package railkit_test

import (
	"strings"
	"testing"

	"github.com/railkit/railkit/enclave/wire"
	railkit "github.com/railkit/railkit/sdk/go"
)

// dearer has the host raise the highest fee in body, preview and answer alike.
func dearer(w *world, fee string) {
	const honest = "42000000000000"
	w.host.path, w.host.tamper = "/transactions/prepare", func(data any) any {
		d := data.(object)
		u := d["unsignedActivity"].(object)
		text := strings.ReplaceAll(u["body"].(string), honest, fee)
		u["body"], d["challenge"], d["fingerprint"] = text, railkit.Challenge(text), railkit.Fingerprint(text)
		d["preview"] = w.again(d["preview"], func(st *wire.Statement) {
			st.Fingerprint, st.Preview.MaxTotalFee = railkit.Fingerprint(text), fee
		})
		return d
	}
}

// E09: a fee is money that the host can send to whoever makes the block.
func TestSigning_E09_FeeThatNobodyAskedFor(t *testing.T) {
	w := newWorld(t)
	from := w.account(t).Address
	for _, tc := range []struct {
		what, fee string
		change    func(*railkit.PrepareTransactionRequest)
		good      bool
	}{
		{"at the default limit", railkit.DefaultFeeLimit, nil, true},
		{"over the default limit", "100000000000000001", nil, false},
		{"over it, as asked", "100000000000000001", func(r *railkit.PrepareTransactionRequest) { r.FeeLimit = "100000000000000001" }, true},
		{"at the gas and price asked for", "42000000000000", func(r *railkit.PrepareTransactionRequest) {
			r.GasLimit, r.MaxFeePerGas = "21000", "2000000000"
		}, true},
		{"over the gas and price asked for", "42000000000001", func(r *railkit.PrepareTransactionRequest) {
			r.GasLimit, r.MaxFeePerGas = "21000", "2000000000"
		}, false},
		{"over the price asked for", "42000000000001", func(r *railkit.PrepareTransactionRequest) { r.MaxFeePerGas = "2000000000" }, false},
	} {
		dearer(w, tc.fee)
		req := transfer(from)
		if tc.change != nil {
			tc.change(&req)
		}
		_, err := w.client.PrepareTransaction(t.Context(), req)
		if tc.good && err != nil {
			t.Errorf("%s: %v", tc.what, err)
		}
		if !tc.good {
			wantReason(t, tc.what, err, railkit.ReasonFee)
		}
	}
	w.host.tamper = nil
	req := transfer(from)
	req.GasLimit = "20999"
	_, err := w.client.PrepareTransaction(t.Context(), req)
	wantReason(t, "another gas limit than was asked for", err, railkit.ReasonBody)
	req.GasLimit, req.MaxFeePerGas = "many", "1"
	if _, err := w.client.PrepareTransaction(t.Context(), req); err == nil || railkit.IsTampered(err) {
		t.Errorf("a gas limit that is no number: %v", err)
	}
}
