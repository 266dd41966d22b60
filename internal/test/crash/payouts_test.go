package crash_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testenv"
	railkit "github.com/railkit/railkit/sdk/go"
)

// Where the server may die while it has a withdrawal address made, and while it
// takes a deposit in and pays it out.
var (
	addressPoints = []string{
		"partner.after-wallet", "withdraw_address.insert.before-commit", "withdraw_address.insert.after-commit",
		"partner.before-address", "partner.after-address", "payee.after-prepare",
	}
	payoutPoints = []string{
		"deposit.confirmed.before-commit", "deposit.confirmed.after-commit", "payout.reserved.before-commit",
		"payout.reserved.after-commit", "partner.before-transfer", "partner.after-transfer",
		"fiat.submitted.before-commit", "fiat.submitted.after-commit", "fiat.received.before-commit",
		"fiat.received.after-commit",
	}
	virtualPoints = []string{
		"virtual_account.insert.before-commit", "virtual_account.insert.after-commit", "partner.before-virtual",
		"partner.after-virtual",
	}
	refundPoints = []string{
		"payment.returned.before-commit", "payment.returned.after-commit", "refund.reserved.before-commit",
		"refund.reserved.after-commit", "refund.submitted.before-commit", "refund.submitted.after-commit",
		"refund.completed.before-commit", "refund.completed.after-commit",
	}
)

// J1: the same while a virtual account is made, and while what the bank sent back
// is refunded. The partner's own ledger has each refund once.
func TestPayout_J1_CrashPointsOfReturns(t *testing.T) {
	t.Parallel()
	p := apptest.NewProcesses(t, "sqlite")
	w := &world{Processes: p, t: t, api: p.Client()}
	w.owner = p.Fund(w.api, "owner@example.com")
	var address railkit.WithdrawAddress
	for i, point := range testenv.Sample(t, virtualPoints, 2) {
		recipient, account := w.mexican(i)
		address = w.addressOf(account, w.owner.Wallet.WalletID)
		p.Arm(apptest.Server, point)
		body := apptest.JSON(t, map[string]string{"beneficiaryId": recipient, "beneficiaryAccountId": account})
		made := w.virtual(body)
		w.until(point, func() error { return w.dead(apptest.Server, point) })
		if again := w.virtual(body); again != made {
			t.Errorf("%s: %+v, then %+v", point, made, again)
		}
	}
	for i, point := range testenv.Sample(t, refundPoints, 3) {
		p.Arm(apptest.Server, point)
		if _, err := w.Devnet.Faucet(t.Context(), "base", address.Address, "USDC",
			fmt.Sprintf("%d.02", 10+i)); err != nil { // comes back
			t.Fatal(err)
		}
		w.until(point, func() error { return w.dead(apptest.Server, point) })
		w.refundedOnce(address.ID, i+1)
	}
}

func (w *world) virtual(body string) (v railkit.VirtualAccount) {
	w.t.Helper()
	a := w.insist(http.MethodPost, "/v1/payout/accounts/setup/virtual-account", body, uuid.NewString())
	made := struct{ Data *railkit.VirtualAccount }{&v}
	if err := json.Unmarshal([]byte(a.Body), &made); err != nil || v.CLABE == "" {
		w.t.Fatalf("%d %s", a.Status, a.Body)
	}
	return v
}

// J1: the server dies between every two steps of an off-ramp. Each bank account
// gets one address, and the partner's own ledger has each payout once.
func TestPayout_J1_CrashPoints(t *testing.T) {
	t.Parallel()
	p := apptest.NewProcesses(t, "sqlite")
	w := &world{Processes: p, t: t, api: p.Client()}
	seen := map[string]bool{}
	var address railkit.WithdrawAddress
	w.owner = p.Fund(w.api, "owner@example.com")
	wallet := w.owner.Wallet.WalletID
	for i, point := range testenv.Sample(t, addressPoints, 2) {
		account := w.clabe(i)
		p.Arm(apptest.Server, point)
		address = w.addressOf(account, wallet)
		w.until(point, func() error { return w.dead(apptest.Server, point) })
		again := w.addressOf(account, wallet)
		if again.ID != address.ID || seen[address.Address] {
			t.Errorf("%s: %+v, then %+v", point, address, again)
		}
		if again.Payee == nil || again.Payee.Prepared == nil || address.Payee == nil || address.Payee.Prepared == nil {
			t.Errorf("%s: payees %+v, then %+v", point, address.Payee, again.Payee)
		}
		seen[address.Address] = true
	}
	for i, point := range testenv.Sample(t, payoutPoints, 4) {
		p.Arm(apptest.Server, point)
		if _, err := w.Devnet.Faucet(t.Context(), "base", address.Address, "USDC", fmt.Sprint(10+i)); err != nil {
			t.Fatal(err)
		}
		w.until(point, func() error { return w.dead(apptest.Server, point) })
		w.paidOnce(address.ID, i+1)
	}
}

// clabe registers a bank account of a new recipient.
func (w *world) clabe(i int) (account string) {
	_, account = w.mexican(i)
	return account
}

func (w *world) mexican(i int) (recipient, account string) {
	w.t.Helper()
	var r struct{ Data struct{ ID string } }
	made := func(path string, body any) string {
		a := w.insist(http.MethodPost, path, apptest.JSON(w.t, body), uuid.NewString())
		if err := json.Unmarshal([]byte(a.Body), &r); err != nil || r.Data.ID == "" {
			w.t.Fatalf("%s: %d %s", path, a.Status, a.Body)
		}
		return r.Data.ID
	}
	recipient = made("/v1/payout/recipients", railkit.RecipientRequest{
		Name: fmt.Sprint("Ana ", i), OwnerType: "individual",
		Address: railkit.PostalAddress{Street: "S 1", City: "CDMX", Country: "MX"},
	})
	return recipient, made("/v1/payout/recipients/"+recipient+"/accounts", railkit.BankAccountRequest{
		Currency: "mxn", Country: "MX", CLABE: "032180000118359719",
	})
}

// addressOf is where a bank account's deposits go; with a wallet, refunds go there.
func (w *world) addressOf(account, wallet string) railkit.WithdrawAddress {
	w.t.Helper()
	a := w.insist(http.MethodPost, "/v1/payout/offramp/withdraw-addresses",
		apptest.JSON(w.t, railkit.WithdrawAddressRequest{
			BeneficiaryAccountID: account, WalletID: wallet,
		}), uuid.NewString())
	var made struct{ Data railkit.WithdrawAddress }
	if err := json.Unmarshal([]byte(a.Body), &made); err != nil || made.Data.Address == "" {
		w.t.Fatalf("%d %s", a.Status, a.Body)
	}
	return made.Data
}

// paidOnce waits until the newest of so many deposits is paid, and asks the
// partner's own ledger.
func (w *world) paidOnce(address string, n int) {
	w.t.Helper()
	w.paidAndReturned(w.drained(address, n, "payment_processed").OrderReference, 0)
}

// refundedOnce waits until it has come back and was refunded.
func (w *world) refundedOnce(address string, n int) {
	w.t.Helper()
	last := w.drained(address, n, "refunded")
	w.paidAndReturned(last.OrderReference, 1)
	o, err := w.api.Orders.Get(w.t.Context(), last.OrderID)
	if err != nil || o.Refund == nil {
		w.t.Fatalf("%+v, %v", o, err)
	}
	w.paidAndReturned(o.Refund.Reference, 0)
}

// drained waits for the newest of so many deposits.
func (w *world) drained(address string, n int, status string) (last railkit.Drain) {
	w.t.Helper()
	w.until("the deposit is "+status, func() error {
		got, err := w.send(http.MethodGet, "/v1/payout/offramp/withdraw-addresses/"+address+"/drains", "", "")
		if err != nil {
			return err
		}
		var page struct {
			Data []railkit.Drain
		}
		if err := json.Unmarshal([]byte(got.Body), &page); err != nil || len(page.Data) != n ||
			page.Data[n-1].Status != status {
			return fmt.Errorf("%d %s", got.Status, got.Body)
		}
		last = page.Data[n-1]
		return nil
	})
	return last
}

// paidAndReturned asks the partner's own ledger about a reference.
func (w *world) paidAndReturned(reference string, returned int) {
	w.t.Helper()
	var l control.Trial
	w.until("the partner's ledger", func() (err error) {
		l, err = w.Partner.Ledger(w.t.Context(), reference+":1")
		return err
	})
	if !l.Balanced || len(l.Payouts) != 1 || l.Payouts[0].Paid != 1 || l.Payouts[0].Returned != returned ||
		len(l.Payouts[0].Transfers) != 1 {
		w.t.Errorf("%s: the partner's ledger has %+v", reference, l.Payouts)
	}
}
