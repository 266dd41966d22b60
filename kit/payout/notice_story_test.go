package payout_test

import (
	"testing"

	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// A payment that the bank sends back after it was completed is heard of by the
// partner's signed notice alone: nobody asks for hours. However badly notices
// come, the order is returned and refunded, once.
func TestPayout_NoticesMoveOrders(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]control.Manners{
		"well": {}, "twice": {Twice: true}, "reordered": {Reordered: true, Times: 2}, "late": {LateMs: 500, Times: 1},
		"with a bad signature": {BadSignature: true, Times: 1}, "stale": {Stale: true, Times: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			noticeMovesOrder(t, m)
		})
	}
}

func noticeMovesOrder(t *testing.T, m control.Manners) {
	t.Helper()
	a := apptest.New(t, apptest.WithPartner(t))
	c := a.Client()
	owner := a.Fund(c, "ana@example.com")
	_, account := mexico(t, c, "Ana Ruiz")
	to := must(c.WithdrawAddresses.Create(
		t.Context(), railkit.WithdrawAddressRequest{BeneficiaryAccountID: account, WalletID: owner.Wallet.WalletID},
	))(t)
	pays(t, a, c, owner, to.Address, "10")
	d := drained(t, c, to.ID, 1, "payment_processed")[0]
	if err := a.Partner.SetManners(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if err := a.Partner.Return(t.Context(), d.PartnerTransferID, control.Why{Code: "03"}); err != nil {
		t.Fatal(err)
	}
	back := drained(t, c, to.ID, 1, "refunded")[0]
	if back.Failure == nil || back.Failure.ReturnCode != "03" {
		t.Errorf("%+v", back)
	}
	trial := must(a.Partner.Ledger(t.Context(), d.OrderReference+":1"))(t)
	if !trial.Balanced || len(trial.Payouts) != 1 || trial.Payouts[0].Paid != 1 || trial.Payouts[0].Returned != 1 {
		t.Errorf("the partner's ledger: %+v", trial)
	}
}
