package facilitator_test

import (
	"context"
	"math/big"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/signed"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/facilitator"
)

func transferLog(token, from, to evm.Address, amount int64) signed.Log {
	topic := func(a evm.Address) (w [32]byte) { copy(w[12:], a[:]); return w }
	return signed.Log{
		Contract: token, Topics: [][32]byte{signed.TransferTopic, topic(from), topic(to)}, Data: number(amount),
	}
}

// The plan is the call that runs, by the account that may make it, and the receipt is what its transaction shows.
func TestPlanAndReceipt(t *testing.T) {
	for name, c := range map[string]struct {
		scene  *scene
		to     evm.Address
		failed string
	}{
		"eip3009": {newScene(), usdc, x402.ReasonTransactionFailed},
		"v1":      {newScene().v1(), usdc, x402.ReasonTransactionFailed},
		"permit2": {newScene().permit2(), signed.ExactProxy(), x402.ReasonTransactionFailed},
		"upto":    {newScene().upto(), signed.UptoProxy(), x402.ReasonUptoTransaction},
	} {
		plan, _, send, err := c.scene.judged(t).Plan(t.Context(), c.scene.request(t))
		if err != nil || !send || plan.ChainID != 84532 || plan.Call.From != gas || plan.Call.To != c.to ||
			plan.ID == "" {
			t.Errorf("%s: %v %+v %v", name, send, plan, err)
			continue
		}
		if _, err := c.scene.model.Call(t.Context(), plan.Call); err != nil {
			t.Errorf("%s: the call does not run: %v", name, err)
		}
		good := transferLog(usdc, buyer, seller, 10000)
		for what, m := range map[string]struct {
			tx     facilitator.Mined
			reason string
		}{
			"settled":        {facilitator.Mined{Hash: "0xab", Success: true, Logs: []signed.Log{good}}, ""},
			"failed":         {facilitator.Mined{Hash: "0xab"}, c.failed},
			"nothing moved":  {facilitator.Mined{Hash: "0xab", Success: true}, x402.ReasonTransferEvent},
			"less moved":     {mined(transferLog(usdc, buyer, seller, 9999)), x402.ReasonTransferEvent},
			"another token":  {mined(transferLog(stranger, buyer, seller, 10000)), x402.ReasonTransferEvent},
			"another seller": {mined(transferLog(usdc, buyer, stranger, 10000)), x402.ReasonTransferEvent},
		} {
			r := plan.Receipt(m.tx)
			if r.Success != (m.reason == "") || r.ErrorReason != m.reason || r.Transaction != "0xab" ||
				r.Payer != buyer.String() || r.Network != c.scene.offer["network"] {
				t.Errorf("%s, %s: %+v", name, what, r)
			}
		}
		if r := plan.Pending("0xcd"); !r.Pending() || r.Transaction != "0xcd" {
			t.Errorf("%s: %+v", name, r)
		}
		if r := plan.Lost("0xcd"); r.Success || r.Pending() || r.ErrorReason != x402.ReasonInvalidTransaction {
			t.Errorf("%s: %+v", name, r)
		}
		again, err := c.scene.judged(t).Recall(c.scene.request(t))
		if r := again.Receipt(mined(good)); err != nil || again.ID != plan.ID || !r.Success {
			t.Errorf("%s, recalled: %+v %v", name, r, err)
		}
	}
}

func mined(l signed.Log) facilitator.Mined {
	return facilitator.Mined{Hash: "0xab", Success: true, Logs: []signed.Log{l}}
}

// Of upto the offer's amount at settlement is the charge: up to the ceiling that was signed.
func TestUptoCharge(t *testing.T) {
	for charge, want := range map[string]struct {
		send, success bool
		reason        string
	}{
		"1": {send: true}, "7000": {send: true}, "10000": {send: true},
		"0":     {success: true},
		"10001": {reason: x402.ReasonUptoExceeds},
	} {
		s := newScene().upto()
		s.offer["amount"] = charge
		plan, r, send, err := s.judged(t).Plan(t.Context(), s.request(t))
		if err != nil || send != want.send || r.Success != want.success || r.ErrorReason != want.reason {
			t.Errorf("%s: %v %+v %v", charge, send, r, err)
		}
		if charge == "0" && (r.Amount != "0" || r.Transaction != "") {
			t.Errorf("%+v", r)
		}
		if !send {
			continue
		}
		n, _ := new(big.Int).SetString(charge, 10)
		if r := plan.Receipt(mined(transferLog(usdc, buyer, seller, n.Int64()))); !r.Success || r.Amount != charge {
			t.Errorf("%s: %+v", charge, r)
		}
	}
}

// The same money has one id, in whatever version it is settled.
func TestPlanID(t *testing.T) {
	one, _, _, err := newScene().judged(t).Plan(t.Context(), newScene().request(t))
	two, _, _, err2 := newScene().v1().judged(t).Plan(t.Context(), newScene().v1().request(t))
	if err != nil || err2 != nil || one.ID != two.ID {
		t.Errorf("%q %q %v %v", one.ID, two.ID, err, err2)
	}
}

func TestSupported(t *testing.T) {
	s := newScene().judged(t).Supported()
	if len(s.Kinds) != 3 || s.Kinds[1].Extra.FacilitatorAddress != gas.String() ||
		s.Kinds[2].Network != "base-sepolia" ||
		len(s.Signers["eip155:*"]) != 1 || s.Extensions == nil {
		t.Errorf("%+v", s)
	}
}

// willing is a chain on which every call runs, at once.
type willing struct{ *model }

func (willing) Call(context.Context, facilitator.Call) ([]byte, error) { return nil, nil }

// What a verification costs beside its node: parsing, hashing, recovering.
func BenchmarkVerify(b *testing.B) {
	for name, s := range map[string]*scene{"eip3009": newScene(), "permit2": newScene().permit2()} {
		request := s.request(b)
		judge, err := facilitator.New(map[uint64]facilitator.Chain{84532: willing{s.model}}, []evm.Address{gas},
			clock.Func(func() time.Time { return now }))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if v, err := judge.Verify(b.Context(), request); err != nil || !v.Valid {
					b.Fatal(v, err)
				}
			}
		})
	}
}
