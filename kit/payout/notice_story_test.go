package payout_test

import (
	"testing"

	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/internal/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// A payment that the bank sends back after it was completed is heard of by the
// partner's signed notice alone: nobody asks for hours. However badly notices
// come, the order is returned and refunded, once.
func TestPayout_NoticesMoveOrders(t *testing.T) {
	t.Parallel()
	a := apptest.New(t, apptest.WithPartner(t))
	c := a.Client()
	owner := a.Fund(c, "ana@example.com")
	_, account := mexico(t, c, "Ana Ruiz")
	to := must(c.CreateWithdrawAddress(t.Context(), railkit.WithdrawAddressRequest{BeneficiaryAccountID: account, WalletID: owner.Wallet.WalletID}))(t)
	for i, m := range []control.Manners{
		{}, {Twice: true}, {Reordered: true, Times: 2}, {LateMs: 500, Times: 1}, {BadSignature: true, Times: 1}, {Stale: true, Times: 1},
	} {
		pays(t, a, c, owner, to.Address, "10")
		d := drained(t, c, to.ID, i+1, "payment_processed")[i]
		if err := a.Partner.SetManners(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		if err := a.Partner.Return(t.Context(), d.PartnerTransferID, control.Why{Code: "03"}); err != nil {
			t.Fatal(err)
		}
		back := drained(t, c, to.ID, i+1, "refunded")[i]
		if back.Failure == nil || back.Failure.ReturnCode != "03" {
			t.Errorf("%+v: %+v", m, back)
		}
		if err := a.Partner.SetManners(t.Context(), control.Manners{}); err != nil {
			t.Fatal(err)
		}
		trial := must(a.Partner.Ledger(t.Context(), d.OrderReference+":1"))(t)
		if !trial.Balanced || len(trial.Payouts) != 1 || trial.Payouts[0].Paid != 1 || trial.Payouts[0].Returned != 1 {
			t.Errorf("%+v: the partner's ledger: %+v", m, trial)
		}
	}
}
