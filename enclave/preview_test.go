package enclave

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

func (w *world) preview(body string) (*wire.Preview, error) {
	w.t.Helper()
	proof, err := w.Preview(wire.PreviewRequest{Body: body})
	if err != nil {
		return nil, err
	}
	return w.statement(&proof).Preview, nil
}

// What Decide refuses for sure, Preview refuses; and who stamps exact bytes sees
// the nonce.
func TestSigning_A10_PreviewOfExactBytes(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	first := w.body(w.fresh(alice, wire.SignTransaction, exact(account.Address, 84532, 0)))
	second := w.body(w.fresh(alice, wire.SignTransaction, exact(account.Address, 84532, 0)))
	for _, body := range []string{first, second} {
		if p, err := w.preview(body); err != nil || p.Nonce != "0" {
			t.Fatalf("before: %+v, %v", p, err)
		}
	}
	if _, err := w.Submit(wire.SubmitRequest{Body: first, Stamp: w.stamp(alice, first)}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.preview(first); err != nil {
		t.Errorf("of what was executed: %v", err)
	}
	_, err := w.preview(second)
	refused(t, "of other bytes for the same nonce", err, refusal.ErrNonceTaken)
}

func TestSigning_A10_PreviewWarns(t *testing.T) {
	w := newWorld(t)
	w.prices(time.Now(), market)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	intent := func(to, value, data string) wire.SignIntentParams {
		p := payment(account.Address)
		p.To, p.Value, p.Data, p.Transfer = to, value, data, nil
		return p
	}
	transfer := payment(account.Address).Data
	approve := strings.Replace(transfer, "0xa9059cbb", "0x095ea7b3", 1)
	for what, tc := range map[string]struct {
		params wire.SignIntentParams
		want   []string // how the warnings begin
	}{
		"a listed token": {payment(account.Address), nil},
		"native coin":    {intent(receiver, "1", "0x"), nil},
		"a token nobody listed": {
			intent(receiver, "0", transfer), []string{"unlisted token", receiver + " is the"},
		},
		"approval of a listed token":   {intent(usdc, "0", approve), []string{"approval"}},
		"approval of an unlisted one":  {intent(receiver, "0", approve), []string{"unlisted token", "approval"}},
		"calldata nobody understands":  {intent(usdc, "0", "0xdeadbeef"), []string{"unknown call"}},
		"a transfer with a dirty word": {intent(usdc, "0", transfer+"00"), []string{"unknown call"}},
	} {
		p, err := w.preview(w.body(w.fresh(alice, wire.SignIntent, tc.params)))
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		same := slices.EqualFunc(p.Warnings, tc.want, strings.HasPrefix)
		if !same {
			t.Errorf("%s: warnings %q, want %q", what, p.Warnings, tc.want)
		}
	}
}

// The page has no list of networks: their names and units come with the preview.
func TestSigning_A10_PreviewNamesNetworkAndFee(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	payment := payment(account.Address)
	payment.MaxTotalFee = "2100000000000000"
	body := w.body(w.fresh(alice, wire.SignIntent, payment))
	p, err := w.preview(body)
	if err != nil {
		t.Fatal(err)
	}
	if p.ChainName != "Base Sepolia" || p.FeeDisplay != "0.0021 ETH" || p.DataFee != "" || len(p.Warnings) != 1 {
		t.Errorf("before any sheet the preview names %q, %q and %q, and warns of %q", p.ChainName,
			p.FeeDisplay, p.DataFee, p.Warnings)
	}
	w.prices(time.Now(), market)
	if p, err = w.preview(body); err != nil || p.DataFee != "196000" || p.DataDisplay != "0.000000000000196 ETH" ||
		len(p.Warnings) != 0 {
		t.Errorf("the preview names %q and %q, and warns of %q: %v", p.DataFee, p.DataDisplay, p.Warnings, err)
	}
	info := w.Info()
	if len(info.DataFees) != 3 || info.DataFees[0].Chain != "base" || info.DataFees[0].WeiPerByte != "1000" ||
		info.DataFees[0].Refused != "" {
		t.Errorf("the signer tells %+v", info.DataFees)
	}
}
