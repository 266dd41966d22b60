package crash_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/kit/payout/depositaccount"
	"github.com/railkit/railkit/money"
	railkit "github.com/railkit/railkit/sdk/go"
)

// Where the server may die while it has a deposit account made, and switched.
var (
	depositAccountPoints = []string{
		"deposit_account.insert.before-commit", "deposit_account.insert.after-commit", "partner.before-virtual",
		"partner.after-virtual",
	}
	switchPoints = []string{"partner.before-switch", "partner.after-switch"}
)

// J1: the server dies between every two steps in which a deposit account is made and switched off. There is one
// account, and the partner has it as the operator wants it.
func TestPayout_J1_CrashPointsOfDepositAccounts(t *testing.T) {
	t.Parallel()
	p := apptest.NewProcesses(t, "sqlite")
	w := &world{Processes: p, t: t, api: p.Client()}
	w.owner = p.Fund(w.api, "owner@example.com")
	var made railkit.DepositAccount
	for i, point := range testenv.Sample(t, depositAccountPoints, 2) {
		p.Arm(apptest.Server, point)
		made = w.depositAccount(money.Fiat[i])
		w.until(point, func() error { return w.dead(apptest.Server, point) })
		again := w.depositAccount(money.Fiat[i])
		if again.ID != made.ID || again.PartnerVirtualAccountID != made.PartnerVirtualAccountID {
			t.Errorf("%s: %+v, then %+v", point, made, again)
		}
	}
	rows := p.Record()
	defer rows.Close()
	for i, point := range testenv.Sample(t, switchPoints, 1) {
		wanted := []depositaccount.Wanted{depositaccount.WantDeactivated, depositaccount.WantActive}[i]
		p.Arm(apptest.Server, point)
		p.Edit(`UPDATE deposit_accounts SET wanted = $1, partner_key = $2, keyed_at = updated_at, tried_at = 0,
			version = version + 1 WHERE id = $3`, string(wanted), uuid.NewString(), made.ID)
		w.until(point, func() error { return w.dead(apptest.Server, point) })
		w.until("the partner was told", func() error {
			a, err := rows.Payout().DepositAccount(t.Context(), p.Keys.WorkspaceID, made.ID)
			if err == nil && (a.Wanted != depositaccount.WantNothing ||
				a.Deactivated != (wanted == depositaccount.WantDeactivated)) {
				err = fmt.Errorf("%q is wanted, deactivated %v", a.Wanted, a.Deactivated)
			}
			return err
		})
	}
}

// depositAccount is the account of the owner's wallet for a currency.
func (w *world) depositAccount(from money.Currency) (v railkit.DepositAccount) {
	w.t.Helper()
	w.until("the account has its number", func() error {
		a := w.insist(http.MethodPost, "/v1/payout/onramp/deposit-accounts", apptest.JSON(w.t,
			railkit.DepositAccountRequest{
				WalletID: w.owner.Wallet.WalletID, SourceCurrency: string(from),
			}), uuid.NewString())
		if err := json.Unmarshal([]byte(a.Body), &v); err != nil || v.SourceDepositInstructions == nil {
			return fmt.Errorf("%d %s", a.Status, a.Body)
		}
		return nil
	})
	return v
}
