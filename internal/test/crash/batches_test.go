package crash_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testenv"
	railkit "github.com/railkit/railkit/sdk/go"
)

// batchPoints are where the server may die while it executes a batch of three rows. The number behind a point says at
// which order.
var batchPoints = []string{
	"order.created.applied", "order.created.applied 2", "order.created.applied 3", "executeBatch.before-commit",
	"executeBatch.after-commit", "executeBatch.before-response",
}

// J1: a server that dies while it executes a batch leaves all of its orders or none, and who asks again has them once.
func TestPayout_J1_CrashPointsOfBatches(t *testing.T) {
	t.Parallel()
	for i, engine := range testenv.Sample(t, []string{"sqlite", "postgres"}, 1) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			p := apptest.NewProcesses(t, engine)
			w := &world{Processes: p, t: t, api: p.Client()}
			recipient, account := w.mexican(i)
			w.addressOf(account, "")
			for n, point := range testenv.Sample(t, batchPoints, 3) {
				w.executesOnce(recipient, point, 3*n)
			}
		})
	}
}

// payAgain executes a batch whose rows an earlier walk has paid to the same recipient.
const payAgain = `{"payAgain":true}`

// executesOnce has the server die at a point while a batch is executed. So many orders were there before.
func (w *world) executesOnce(recipient, point string, before int) {
	w.t.Helper()
	b := w.batchOf(http.MethodPost, "/v1/payout/batches", apptest.JSON(w.t, railkit.BatchRequest{
		Rows: []railkit.BatchPayment{
			{Reference: "A", BeneficiaryID: recipient, Amount: "10", Currency: "USDC"},
			{Reference: "B", BeneficiaryID: recipient, Amount: "11", Currency: "USDC"},
			{Reference: "C", BeneficiaryID: recipient, Amount: "1000", Currency: "MXN"},
		},
	}), uuid.NewString())
	place, times := point, 1
	if name, number, is := strings.Cut(point, " "); is {
		place = name
		_, _ = fmt.Sscan(number, &times) // it stands above
	}
	path, key := "/v1/payout/batches/"+b.ID, uuid.NewString()
	w.ArmAt(apptest.Server, place, times)
	_, _ = w.send(http.MethodPost, path+"/execute", payAgain, key) // nobody hears the answer
	w.until(point, func() error { return w.dead(apptest.Server, place) })
	left := w.batchOf(http.MethodGet, path, "", "")
	committed := strings.HasPrefix(point, "executeBatch.after") || strings.HasSuffix(point, "response")
	if n := w.countOrders(); committed && n != before+3 || !committed && n != before ||
		(left.Status == "executed") != committed {
		w.t.Errorf("%s: the batch is %s, with %d orders, %d before", point, left.Status, n, before)
	}
	done := w.batchOf(http.MethodPost, path+"/execute", payAgain, key)
	again := w.batchOf(http.MethodPost, path+"/execute", payAgain, uuid.NewString())
	for i, r := range done.Rows {
		if r.OrderID == "" || r.OrderID != again.Rows[i].OrderID || r.DepositInstructions == nil {
			w.t.Errorf("%s: row %d has %+v, then %+v", point, i+1, r, again.Rows[i])
		}
	}
	if n := w.countOrders(); n != before+3 || len(done.Rows) != 3 {
		w.t.Errorf("%s: %d orders, %d before", point, n, before)
	}
}

func (w *world) batchOf(method, path, body, key string) railkit.BatchDetail {
	w.t.Helper()
	a := w.insist(method, path, body, key)
	var b struct{ Data railkit.BatchDetail }
	if err := json.Unmarshal([]byte(a.Body), &b); err != nil || a.Status/100 != 2 {
		w.t.Fatalf("%s %s: %d %s", method, path, a.Status, a.Body)
	}
	return b.Data
}

func (w *world) countOrders() (n int) {
	w.t.Helper()
	w.until("the orders", func() error {
		page, err := w.api.Orders.List(w.t.Context(), railkit.OrderListOptions{})
		if err == nil {
			n = page.Meta.Total
		}
		return err
	})
	return n
}
