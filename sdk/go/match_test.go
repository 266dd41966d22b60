package railkit_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/railkit/railkit/enclave/wire"
	railkit "github.com/railkit/railkit/sdk/go"
)

// more is a fee that is by one wei higher than the honest one.
const more = "more"

// dearer has the host say another highest fee and data fee, in body, preview and answer alike.
func dearer(w *world, fee, dataFee string) {
	w.host.On("POST /v1/transactions/prepare", onData(func(d object) {
		honest, fee := statement(d["preview"]).Preview.MaxTotalFee, fee
		if fee == more {
			n, _ := new(big.Int).SetString(honest, 10)
			fee = n.Add(n, big.NewInt(1)).String()
		}
		if fee != honest {
			w.rebody(d, func(body string) string {
				return strings.Replace(body, `"maxTotalFee":"`+honest+`"`, `"maxTotalFee":"`+fee+`"`, 1)
			})
		}
		d["preview"] = w.again(d["preview"], func(st *wire.Statement) {
			st.Preview.MaxTotalFee, st.Preview.DataFee = fee, dataFee
		})
	}))
}

// E09: a fee is money that the host can send to whoever makes the block.
func TestSigning_E09_FeeThatNobodyAskedFor(t *testing.T) {
	w := newWorld(t)
	from := w.payer(t).Address
	for _, tc := range []struct {
		what, fee string
		change    func(*railkit.PrepareTransactionRequest)
		good      bool
	}{
		{"at the default limit, with the data fee of 7000", "99999999999993000", nil, true},
		{"over the default limit", "99999999999993001", nil, false},
		{"over it, as asked", "99999999999993001",
			func(r *railkit.PrepareTransactionRequest) { r.FeeLimit = "100000000000000001" }, true},
		{"at the gas and price asked for", "42000000000000", func(r *railkit.PrepareTransactionRequest) {
			r.GasLimit, r.MaxFeePerGas = "21000", "2000000000"
		}, true},
		{"over the gas and price asked for", "42000000000001", func(r *railkit.PrepareTransactionRequest) {
			r.GasLimit, r.MaxFeePerGas = "21000", "2000000000"
		}, false},
		{"over the price asked for", more,
			func(r *railkit.PrepareTransactionRequest) { r.MaxFeePerGas = "2000000000" }, false},
	} {
		dearer(w, tc.fee, "7000")
		req := transfer(from)
		if tc.change != nil {
			tc.change(&req)
		}
		_, err := w.client.Transactions.Prepare(t.Context(), req)
		if tc.good && err != nil {
			t.Errorf("%s: %v", tc.what, err)
		}
		if !tc.good {
			wantReason(t, tc.what, err, railkit.ReasonFee)
		}
	}
	w.host.On("POST /v1/transactions/prepare", onData(func(d object) {
		w.rebody(d, func(body string) string {
			return strings.Replace(body, `"gasLimit":"20999"`, `"gasLimit":"21000"`, 1)
		})
	}))
	req := transfer(from)
	req.GasLimit = "20999"
	_, err := w.client.Transactions.Prepare(t.Context(), req)
	wantReason(t, "another gas limit than was asked for", err, railkit.ReasonBody)
	req.GasLimit, req.MaxFeePerGas = "many", "1"
	if _, err := w.client.Transactions.Prepare(t.Context(), req); err == nil || railkit.IsTampered(err) {
		t.Errorf("a gas limit that is no number: %v", err)
	}
}

// E09: data costs a fee of its own, which the host makes higher with every byte it adds.
func TestSigning_E09_DataFeeIsWithinTheLimit(t *testing.T) {
	w := newWorld(t)
	from := w.payer(t).Address
	gas := func(r *railkit.PrepareTransactionRequest) { r.GasLimit, r.MaxFeePerGas = "21000", "2000000000" }
	limit := func(wei string) func(*railkit.PrepareTransactionRequest) {
		return func(r *railkit.PrepareTransactionRequest) { r.FeeLimit = wei }
	}
	nothing := func(*railkit.PrepareTransactionRequest) {}
	for _, tc := range []struct {
		what, data string
		change     func(*railkit.PrepareTransactionRequest)
		reason     railkit.Reason
	}{
		{"at the default limit", "99958000000000000", nothing, ""},
		{"over the default limit", "99958000000000001", nothing, railkit.ReasonFee},
		{"at the limit asked for", "8000000000000", limit("50000000000000"), ""},
		{"over the limit asked for", "8000000000001", limit("50000000000000"), railkit.ReasonFee},
		{"beside the gas and price asked for", railkit.DefaultFeeLimit, gas, ""},
		{"too much beside them", "100000000000000001", gas, railkit.ReasonFee},
		{"that nobody knows, without a limit", "", nothing, ""},
		{"that nobody knows, under a limit", "", limit("50000000000000"), railkit.ReasonFee},
		{"that is no number", "1e3", nothing, railkit.ReasonPreview},
		{"below nothing", "-1", nothing, railkit.ReasonPreview},
	} {
		dearer(w, "42000000000000", tc.data)
		req := transfer(from)
		tc.change(&req)
		_, err := w.client.Transactions.Prepare(t.Context(), req)
		if tc.reason == "" && err != nil {
			t.Errorf("a data fee %s: %v", tc.what, err)
		}
		if tc.reason != "" {
			wantReason(t, "a data fee "+tc.what, err, tc.reason)
		}
	}
}
