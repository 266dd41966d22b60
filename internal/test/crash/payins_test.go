package crash_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testbin"
	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/money"
	railkit "github.com/railkit/railkit/sdk/go"
)

// Where the server may die while a bank transfer becomes coins in a wallet, while it goes on to a recipient's bank, and
// while an operator has it sent back.
var (
	onRampPoints = around("payin.received", "crypto.submitted", "crypto.detected", "crypto.confirmed")
	clabePoints  = slices.Concat(
		around("payin.received", "crypto.submitted", "deposit.confirmed", "payout.reserved"),
		[]string{"partner.before-transfer", "partner.after-transfer"}, around("fiat.submitted", "fiat.received"),
	)
	returnPoints = slices.Concat(
		[]string{"partner.before-return", "partner.after-return"}, around("payin.returning", "payin.returned"),
	)
)

// around are the points of events of an order: each is its own transaction.
func around(events ...string) (points []string) {
	for _, e := range events {
		points = append(points, e+".applied", e+".before-commit", e+".after-commit")
	}
	return points
}

// J1: the server dies between every two steps of a bank transfer. It is one order all the same: its coins are sent once
// and arrive once, or its fiat goes back once, and the books are right.
func TestPayout_J1_CrashPointsOfPayIns(t *testing.T) {
	t.Parallel()
	for _, engine := range testenv.Sample(t, []string{"sqlite", "postgres"}, 1) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			p := apptest.NewProcesses(t, engine)
			w := &world{Processes: p, t: t, api: p.Client()}
			w.owner = p.Fund(w.api, "owner@example.com")
			account := w.depositAccount(money.MXN)
			for _, point := range testenv.Sample(t, onRampPoints, 2) {
				w.bought(account, point)
			}
			for _, point := range testenv.Sample(t, returnPoints, 1) {
				w.sentBack(account, point)
			}
			recipient, bank := w.mexican(0)
			address := w.addressOf(bank, "")
			clabe := w.virtual(apptest.JSON(t, map[string]string{
				"beneficiaryId": recipient, "beneficiaryAccountId": bank,
			})).CLABE
			for _, point := range testenv.Sample(t, clabePoints, 2) {
				w.passedOn(clabe, address.ID, point)
			}
			w.admin("reconcile")
		})
	}
}

// bought has the server die at a point while pesos become coins in a wallet.
func (w *world) bought(a railkit.DepositAccount, point string) {
	w.t.Helper()
	had, before := w.coins(a.DestinationAddress), w.countOrders()
	w.Arm(apptest.Server, point)
	deposit := w.arrives(a.PartnerVirtualAccountID, "1000")
	w.until(point, func() error { return w.dead(apptest.Server, point) })
	o := w.payIn(deposit, "completed", before)
	w.depositOnce(deposit, 1, 0)
	if got := w.coins(a.DestinationAddress) - had; money.Of(got, money.USDC).String() != o.PayIn.SettlementAmount {
		w.t.Errorf("%s: %d arrived, the order has %+v", point, got, o.PayIn)
	}
}

// sentBack has the server die at a point while pesos that the partner reviews go back, as an operator wants it.
func (w *world) sentBack(a railkit.DepositAccount, point string) {
	w.t.Helper()
	had, before := w.coins(a.DestinationAddress), w.countOrders()
	deposit := w.arrives(a.PartnerVirtualAccountID, "1000.03") // is held
	o := w.payIn(deposit, "in_review", before)
	w.Arm(apptest.Server, point)
	w.admin("order", "return-deposit", "--workspace", w.Keys.WorkspaceID, "--order", o.ID)
	w.until(point, func() error { return w.dead(apptest.Server, point) })
	o = w.payIn(deposit, "returned", before)
	w.depositOnce(deposit, 0, 1)
	if w.coins(a.DestinationAddress) != had || o.PayIn.ReturnedAmount != "1000.03" {
		w.t.Errorf("%s: the order has %+v", point, o.PayIn)
	}
}

// passedOn has the server die at a point while pesos become coins, and these the pesos of a recipient.
func (w *world) passedOn(clabe, address, point string) {
	w.t.Helper()
	before := w.countOrders()
	w.Arm(apptest.Server, point)
	deposit := w.arrives(clabe, "1000")
	w.until(point, func() error { return w.dead(apptest.Server, point) })
	o := w.payIn(deposit, "completed", before)
	w.depositOnce(deposit, 1, 0)
	w.paidAndReturned(o.Reference, 0)
	if o.Type != "global_payment" || o.PayIn.Status != "settled" || o.WithdrawAddressID != address {
		w.t.Errorf("%s: the order is %+v, its bank transfer %+v", point, o, *o.PayIn)
	}
}

// arrives has a depositor's bank send pesos to an account number.
func (w *world) arrives(account, amount string) (deposit string) {
	w.t.Helper()
	d, err := w.Partner.Deposit(w.t.Context(), control.BankDeposit{Account: account, Amount: amount})
	check(w.t, err)
	return d.ID
}

// payIn waits until the order of a bank transfer has a status. It is the only one that there is more than before.
func (w *world) payIn(deposit, status string, before int) (found railkit.Order) {
	w.t.Helper()
	w.until("deposit "+deposit+" is "+status, func() error {
		page, err := w.api.Orders.List(w.t.Context(), railkit.OrderListOptions{})
		if err != nil {
			return err
		}
		if page.Meta.Total != before+1 {
			return fmt.Errorf("%d orders, %d before", page.Meta.Total, before)
		}
		found = page.Items[0] // they are newest first
		if found.PayIn == nil || found.PayIn.PartnerDepositID != deposit || found.Status != status {
			return fmt.Errorf("it is %s, with %+v", found.Status, found.PayIn)
		}
		return nil
	})
	return found
}

// depositOnce asks the partner's own ledger how often it sent coins for a bank transfer, and fiat back.
func (w *world) depositOnce(id string, paid, returned int) {
	w.t.Helper()
	l, err := w.Partner.Ledger(w.t.Context(), id)
	check(w.t, err)
	if !l.Balanced || len(l.Deposits) != 1 || l.Deposits[0].Paid != paid || l.Deposits[0].Returned != returned {
		w.t.Errorf("%s: the partner's ledger has %+v", id, l.Deposits)
	}
}

// coins are the USDC of an address.
func (w *world) coins(address string) int64 {
	w.t.Helper()
	sum, err := w.dial().TokenBalance(w.t.Context(), apptest.USDC().Address, address)
	check(w.t, err)
	return sum.Int64()
}

// admin is an operator's command, beside the server.
func (w *world) admin(args ...string) {
	w.t.Helper()
	program, err := testbin.Path("railkit")
	check(w.t, err)
	command := exec.CommandContext(w.t.Context(), program, append([]string{"admin"}, args...)...)
	command.Env = append(os.Environ(), w.Reconciling()...)
	if out, err := command.CombinedOutput(); err != nil {
		w.t.Fatalf("%v: %v\n%s", args, err, out)
	}
}
