package payout_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
)

const batchesPath = "/v1/payout/batches"

// Batches over HTTP: previews, and what they become.
func TestPayout_Batches(t *testing.T) {
	t.Parallel()
	d := newCounter(t)
	t.Run("Story", d.batchStory)
	t.Run("Errors", d.batchErrors)
	t.Run("Bodies", d.batchBodies)
	t.Run("Balance", d.batchBalance)
	t.Run("AllOrNothing", d.batchAllOrNothing)
	t.Run("Cancel", d.batchCancel)
	t.Run("Foreign", d.batchForeign)
	t.Run("AtOnce", d.batchAtOnce)
	t.Run("PaidBefore", d.batchPaidBefore)
}

func (d *counter) csv(file string, more ...string) apptest.Answer {
	d.t.Helper()
	return d.Do(d.Keys.BenchKey, "POST", batchesPath, file, append([]string{"Content-Type", "text/csv"}, more...)...)
}

func (d *counter) preview(rows ...railkit.BatchPayment) *railkit.BatchDetail {
	d.t.Helper()
	return must(d.Batches.Preview(d.t.Context(), railkit.BatchRequest{Rows: rows}))(d.t)
}

// pay is a row that pays the counter's recipient.
func (d *counter) pay(reference, amount, currency string) railkit.BatchPayment {
	return railkit.BatchPayment{Reference: reference, BeneficiaryID: d.to.ID, Amount: amount, Currency: currency}
}

// Two payments by CSV, one with a fixed source and one with a fixed target.
func (d *counter) batchStory(t *testing.T) {
	bea, clabe := d.recipient("Bea", mexican)
	there := d.receive(clabe, "polygon", money.USDT)
	file := "\xef\xbb\xbfcurrency,amount,beneficiaryId,reference\r\nUSDC,100," + d.to.ID + ",INV-1\r\n" +
		"MXN,\"1827.17\"," + bea.ID + ",INV-2\r\n"
	b := must(d.Batches.PreviewCSV(t.Context(), []byte(file)))(t)
	if !b.Executable || b.Status != "ready" || b.RowCount != 2 || len(b.Errors)+len(b.Warnings) != 0 ||
		len(b.Rows) != 2 || b.Funding == "" || strings.Contains(b.Funding, "not divided") {
		t.Fatalf("%+v", b)
	}
	first, second := b.Rows[0], b.Rows[1]
	if first.SourceAmount != "100.000000" || first.NetAmount != "1826.94" || first.Fees != "0.750000" ||
		first.Line != 2 || first.AccountLast4 != "9719" || first.Rate != "18.4075" || first.OrderID != "" {
		t.Errorf("the first row: %+v", first)
	}
	if second.SourceAmount != "100.012351" || second.NetAmount != "1827.17" || second.Token != "usdt" ||
		second.Chain != "polygon" || second.WithdrawAddressID != there.ID || second.BeneficiaryName != "Bea" {
		t.Errorf("the second row: %+v", second)
	}
	want := []railkit.BatchSum{
		{Currency: "USDC", Rows: 1, Amount: "100.000000", Fees: "0.750000"},
		{Currency: "USDT", Rows: 1, Amount: "100.012351", Fees: "0.750093"},
	}
	if !slices.Equal(b.Sources, want) ||
		!slices.Equal(b.Destinations, []railkit.BatchSum{{Currency: "MXN", Rows: 2, Amount: "3654.11"}}) {
		t.Errorf("sums: %+v, %+v", b.Sources, b.Destinations)
	}
	if _, err := d.Orders.Get(t.Context(), first.Reference); !railkit.IsNotFound(err) {
		t.Errorf("a preview has made an order: %v", err)
	}
	d.batchExecuted(t, b)
}

// batchExecuted executes a batch of two, twice, and reads it.
func (d *counter) batchExecuted(t *testing.T, b *railkit.BatchDetail) {
	done := must(d.Batches.Execute(t.Context(), b.ID))(t)
	if done.Status != "executed" || done.ExecutedAt == "" || done.Executable || len(done.Rows) != 2 ||
		len(done.Addresses) != 2 {
		t.Fatalf("%+v", done)
	}
	for i, r := range done.Rows {
		in := r.DepositInstructions
		if r.OrderStatus != "awaiting" || in == nil || in.Amount != b.Rows[i].SourceAmount || in.Chain != r.Chain ||
			in.Token != r.Token || in.Address == "" || in.ExpiresAt != b.ExpiresAt {
			t.Errorf("row %d: %+v, %+v", i+1, r, in)
		}
		o := must(d.Orders.Get(t.Context(), r.OrderReference))(t)
		if o.ID != r.OrderID || o.NetAmount != r.NetAmount || o.Status != "awaiting" {
			t.Errorf("the order of row %d: %+v", i+1, o)
		}
	}
	again := must(d.Batches.Execute(t.Context(), b.ID))(t)
	page := must(d.Batches.Get(t.Context(), b.ID, railkit.BatchRowOptions{Page: 2, Limit: 1}))(t)
	if again.Rows[0].OrderID != done.Rows[0].OrderID || again.Rows[1].OrderID != done.Rows[1].OrderID ||
		len(page.Rows) != 1 || page.Rows[0].OrderID != done.Rows[1].OrderID || len(page.Addresses) != 2 {
		t.Errorf("again: %+v, its second page: %+v", again.Rows, page.Rows)
	}
	listed := must(d.Batches.List(t.Context(), railkit.ListOptions{Limit: 1}))(t)
	if len(listed.Items) != 1 || listed.Items[0].ID != b.ID || listed.Items[0].Status != "executed" {
		t.Errorf("the list: %+v", listed)
	}
	_, err := d.Batches.Cancel(t.Context(), b.ID)
	wantError(t, "canceling what was executed", err, 409, "batch_executed")
}

// Ten rows are wrong, each in another way, and one answer tells all of it.
func (d *counter) batchErrors(t *testing.T) {
	gone, _ := d.recipient("Gone", mexican)
	must(d.Recipients.SetStatus(t.Context(), gone.ID, railkit.RecipientStatusRequest{Status: "archived"}))(t)
	bare := must(d.Recipients.Create(t.Context(), person("Cid")))(t)
	right := d.pay("A", "10", "USDC")
	rows := []railkit.BatchPayment{
		right, d.pay("A", "10.000", "USDC"), // 2: the same reference, and the same payment
		{BeneficiaryID: uuid.NewString(), Amount: "ten", Currency: "USDC"},
		{BeneficiaryID: gone.ID, Amount: "10", Currency: "MXN"},
		{BeneficiaryID: bare.ID, Amount: "10", Currency: "MXN"},
		{BeneficiaryID: "x\x01y", Amount: "1e2", Currency: "MXN", Token: "eth"},
		{Reference: strings.Repeat("r", 65)},
		d.pay("", "0", "USDC"), d.pay("", "0.999999", "USDC"), d.pay("", "10.001", "MXN"),
		d.pay("", "10", "EUR"), d.pay("", "10", "XYZ"), d.pay("", "10", "USDT"), d.pay("C\u200bD", "10", "USDC"),
		{BeneficiaryID: d.to.ID, Amount: "10", Currency: "USDC", Chain: "polygon"},
		{BeneficiaryID: d.to.ID, Amount: "10", Currency: "USDC", BeneficiaryAccountID: uuid.NewString()},
	}
	b := d.preview(rows...)
	var got []string
	for _, e := range b.Errors {
		got = append(got, fmt.Sprint(e.Row, " ", e.Field, " ", e.Code))
	}
	want := []string{
		"2 reference reference_twice",
		"3 amount malformed", "3 beneficiaryId recipient_not_found",
		"4 beneficiaryId recipient_archived",
		"5 beneficiaryAccountId bank_account_missing",
		"6 beneficiaryId malformed", "6 token malformed",
		"7 reference malformed", "7 beneficiaryId required", "7 amount required", "7 currency required",
		"8 amount malformed", "9 amount amount_out_of_bounds", "10 amount malformed", "11 currency malformed",
		"12 currency malformed", "13 chain withdraw_address_missing", "14 reference malformed",
		"15 chain withdraw_address_missing", "16 beneficiaryAccountId bank_account_missing",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the errors are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if b.Executable || b.Status != "invalid" || b.RowCount != 16 || b.WrongRows != 15 || b.Funding != "" {
		t.Errorf("%+v", b.Batch)
	}
	if len(b.Warnings) != 2 || b.Warnings[0].Row != 2 || b.Warnings[0].Code != "payment_twice" ||
		b.Warnings[0].Message != "Row 1 pays the same amount to the same recipient" {
		t.Errorf("the warnings: %+v", b.Warnings)
	}
	sum := []railkit.BatchSum{{Currency: "USDC", Rows: 1, Amount: "10.000000", Fees: "0.075000"}}
	if !slices.Equal(b.Sources, sum) {
		t.Errorf("the sums count wrong rows: %+v", b.Sources)
	}
	_, err := d.Batches.Execute(t.Context(), b.ID)
	wantError(t, "with wrong rows", err, 422, "batch_invalid")
	if told := issuesOf(err); len(told) != len(want) {
		t.Errorf("the refusal names %d errors", len(told))
	}
}

// issuesOf are the rows' errors in a refusal.
func issuesOf(err error) (issues []railkit.BatchIssue) {
	var e *railkit.Error
	if !errors.As(err, &e) {
		return nil
	}
	raw, _ := json.Marshal(e.Details["errors"])
	_ = json.Unmarshal(raw, &issues)
	return issues
}

// What cannot be read as rows is refused as a whole.
func (d *counter) batchBodies(t *testing.T) {
	row := `{"beneficiaryId":"` + d.to.ID + `","amount":"1","currency":"USDC"}`
	for body, message := range map[string]string{
		`{"rows":[]}`: "rows must have at least 1 item", `{}`: "rows is required",
		`{"rows":[` + row + `,{"amout":"1"}]}`:                   "rows[1].amout",
		`{"rows":[{"amount":1}]}`:                                "rows[0].amount must be a string",
		`{"rows":[` + strings.Repeat(row+",", 1000) + row + `]}`: "rows must have at most 1000 items",
	} {
		wantCode(t, message, d.Do(d.Keys.BenchKey, "POST", batchesPath, body), 400, "validation_failed", message)
	}
	wantCode(t, "a column", d.csv("beneficiaryId,amout,currency\n"), 400, "validation_failed", "unknown columns: amout")
	wantCode(t, "an empty file", d.csv("beneficiaryId,amount,currency\n"), 400, "validation_failed", "must have rows")
	wantCode(t, "no body", d.csv(""), 400, "validation_failed", "body is required")
	wantCode(t, "a large one", d.csv("amount\n"+strings.Repeat("1,", 1<<19)), 413, "body_too_large", "1 MiB")
	wantCode(t, "another charset", d.csv("amount\n1", "Content-Type", "text/csv; charset=iso-8859-1"), 415,
		"unsupported_media_type", "application/json or text/csv")
	wantCode(t, "CSV elsewhere", d.Do(d.Keys.BenchKey, "POST", quotePath, "a", "Content-Type", "text/csv"), 415,
		"unsupported_media_type", "Content-Type must be application/json")
}

// What lies at an address pays the rows in their order. It pays a row whole, or the preview says that it cannot.
func (d *counter) batchBalance(t *testing.T) {
	_, clabe := d.recipient("Eva", mexican)
	a := d.receive(clabe, "base", money.USDC)
	pay := func(amount string) railkit.BatchPayment {
		return railkit.BatchPayment{BeneficiaryID: clabe.RecipientID, Amount: amount, Currency: "USDC"}
	}
	d.lay(a, "150")
	b := d.preview(pay("100"), pay("90"))
	if len(b.Errors) != 1 || b.Errors[0].Row != 2 || b.Errors[0].Code != "withdraw_balance_insufficient" ||
		!strings.Contains(b.Errors[0].Message, "50.000000 of 90.000000 USDC are free") {
		t.Errorf("50 are left for 90: %+v", b.Errors)
	}
	b = d.preview(pay("100"), pay("50"), pay("20"), pay("30"))
	if !b.Executable || len(b.Addresses) != 1 || b.Addresses[0].Amount != "50.000000" ||
		b.Addresses[0].Transfers != 2 || !strings.Contains(b.Funding, "not divided") {
		t.Fatalf("%+v", b)
	}
	d.lay(a, "5") // between preview and call: now the third row's 20 find 5
	_, err := d.Batches.Execute(t.Context(), b.ID)
	wantError(t, "the balance has changed", err, 422, "batch_changed")
	if told := issuesOf(err); len(told) != 2 || told[0].Row != 3 || told[1].Row != 4 {
		t.Errorf("the refusal names %+v", told)
	}
	if d.held(a) != "155.000000" {
		t.Errorf("a refused batch has taken money: %s are left", d.held(a))
	}
	d.lay(a, "15")
	done := must(d.Batches.Execute(t.Context(), b.ID))(t)
	for i, want := range []string{"funds_received", "funds_received", "funds_received", "awaiting"} {
		if got := done.Rows[i]; got.OrderStatus != want || (got.DepositInstructions == nil) != (want != "awaiting") {
			t.Errorf("row %d: %+v", i+1, got)
		}
	}
	if d.held(a) != "0.000000" || done.Addresses[0].Amount != "30.000000" || done.Addresses[0].Transfers != 1 {
		t.Errorf("%s are left, %+v", d.held(a), done.Addresses)
	}
}

// If one of many cannot be paid any more, none is, and all that changed is told.
func (d *counter) batchAllOrNothing(t *testing.T) {
	kim, first := d.recipient("Kim", mexican)
	lou, second := d.recipient("Lou", mexican)
	d.receive(first, "base", money.USDC)
	d.receive(second, "base", money.USDC)
	b := d.preview(
		d.pay("all-1", "10", "USDC"),
		railkit.BatchPayment{BeneficiaryID: kim.ID, Amount: "10", Currency: "USDC"},
		railkit.BatchPayment{BeneficiaryID: lou.ID, Amount: "10", Currency: "USDC"},
	)
	before := d.orders()
	for _, id := range []string{kim.ID, lou.ID} {
		must(d.Recipients.SetStatus(t.Context(), id, railkit.RecipientStatusRequest{Status: "archived"}))(t)
	}
	_, err := d.Batches.Execute(t.Context(), b.ID)
	wantError(t, "two recipients are archived", err, 422, "batch_changed")
	told := issuesOf(err)
	if len(told) != 2 || told[0].Row != 2 || told[1].Row != 3 || told[0].Code != "recipient_archived" {
		t.Errorf("the refusal names %+v", told)
	}
	if n := d.orders(); n != before {
		t.Errorf("%d orders, %d before", n, before)
	}
	for _, id := range []string{kim.ID, lou.ID} {
		must(d.Recipients.SetStatus(t.Context(), id, railkit.RecipientStatusRequest{Status: "active"}))(t)
	}
	if must(d.Batches.Execute(t.Context(), b.ID))(t); d.orders() != before+3 {
		t.Errorf("%d orders, %d before", d.orders(), before)
	}
}

func (d *counter) orders() int {
	d.t.Helper()
	return must(d.Orders.List(d.t.Context(), railkit.OrderListOptions{}))(d.t).Meta.Total
}

func (d *counter) batchCancel(t *testing.T) {
	b := d.preview(d.pay("cancel-1", "10", "USDC"))
	for range 2 {
		if c := must(d.Batches.Cancel(t.Context(), b.ID))(t); c.Status != "canceled" || c.CanceledAt == "" {
			t.Errorf("%+v", c)
		}
	}
	_, err := d.Batches.Execute(t.Context(), b.ID)
	wantError(t, "a canceled batch", err, 409, "batch_canceled")
	invalid := d.preview(d.pay("", "0", "USDC"))
	if c := must(d.Batches.Cancel(t.Context(), invalid.ID))(t); c.Status != "canceled" {
		t.Errorf("%+v", c)
	}
}

// Another workspace finds neither the batch nor the recipients.
func (d *counter) batchForeign(t *testing.T) {
	b := d.preview(d.pay("mine", "10", "USDC"))
	_, key := d.NewWorkspace([]auth.Scope{auth.PayoutWrite}, auth.Payout)
	other := d.ClientWith(key)
	_, err := other.Batches.Execute(t.Context(), b.ID)
	wantError(t, "executing another's", err, 404, "not_found")
	_, err = other.Batches.Cancel(t.Context(), b.ID)
	wantError(t, "canceling another's", err, 404, "not_found")
	theirs := must(other.Batches.Preview(t.Context(), railkit.BatchRequest{
		Rows: []railkit.BatchPayment{d.pay("", "10", "USDC")},
	}))(t)
	if len(theirs.Errors) != 1 || theirs.Errors[0].Code != "recipient_not_found" {
		t.Errorf("another's recipient: %+v", theirs.Errors)
	}
}

// Of 64 callers one executes, and all get the same orders; a caller who cancels meanwhile wins for all or loses.
func (d *counter) batchAtOnce(t *testing.T) {
	b := d.preview(d.pay("at-1", "10", "USDC"), d.pay("at-2", "11", "USDC"))
	before := d.orders()
	var mu sync.Mutex
	seen := map[string]int{}
	var callers sync.WaitGroup
	for range 64 {
		callers.Go(func() {
			done, err := d.Batches.Execute(t.Context(), b.ID)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				seen[err.Error()]++
				return
			}
			seen[done.Rows[0].OrderID+" "+done.Rows[1].OrderID]++
		})
	}
	callers.Wait()
	if n := d.orders(); len(seen) != 1 || n != before+2 {
		t.Errorf("%d orders, %d before: %v", n, before, seen)
	}
	b = d.preview(d.pay("at-3", "10", "USDC"), d.pay("at-4", "11", "USDC"))
	var executed, canceled error
	callers.Go(func() { _, executed = d.Batches.Execute(t.Context(), b.ID) })
	callers.Go(func() { _, canceled = d.Batches.Cancel(t.Context(), b.ID) })
	callers.Wait()
	if (executed == nil) == (canceled == nil) {
		t.Errorf("executed: %v, canceled: %v", executed, canceled)
	}
}

// The same file again: what was paid before is marked, and paid again only by a word. A preview from before the payment
// has not marked it, so that no word helps there.
func (d *counter) batchPaidBefore(t *testing.T) {
	mia, account := d.recipient("Mia", mexican)
	d.receive(account, "base", money.USDC)
	file := []byte("reference,beneficiaryId,amount,currency\n" +
		"FEB-1," + mia.ID + ",1500.00,MXN\n," + mia.ID + ",12,USDC\n")
	preview := func(marked int) *railkit.BatchDetail {
		t.Helper()
		b := must(d.Batches.PreviewCSV(t.Context(), file))(t)
		if !b.Executable || b.RowsPaidBefore != marked || len(b.Warnings) != marked {
			t.Fatalf("%d rows are marked, want %d: %+v", b.RowsPaidBefore, marked, b.Warnings)
		}
		return b
	}
	refused := func(what, code string, err error) {
		t.Helper()
		wantError(t, what, err, 422, code)
		told := issuesOf(err)
		if len(told) != 2 || told[0].Code != "reference_paid" || told[0].Row != 1 || told[0].Line != 2 ||
			told[1].Code != "paid_before" || told[1].Row != 2 {
			t.Errorf("%s: the refusal names %+v", what, told)
		}
	}
	again := railkit.BatchExecuteRequest{PayAgain: true}
	first, early := preview(0), preview(0)
	before := d.orders()
	done := must(d.Batches.Execute(t.Context(), first.ID))(t)
	_, err := d.Batches.ExecuteWith(t.Context(), early.ID, again)
	refused("previewed before", "batch_changed", err)
	marked := preview(2)
	if w := marked.Warnings[0]; w.Field != "reference" || w.Reference != "FEB-1" ||
		!strings.Contains(w.Message, done.Rows[0].OrderReference) {
		t.Errorf("the mark: %+v", w)
	}
	_, err = d.Batches.Execute(t.Context(), marked.ID)
	refused("without a word", "batch_paid_before", err)
	if n := d.orders(); n != before+2 {
		t.Errorf("%d orders, %d before", n, before)
	}
	paid := must(d.Batches.ExecuteWith(t.Context(), marked.ID, again))(t)
	repeated := must(d.Batches.Execute(t.Context(), marked.ID))(t)
	if repeated.Rows[0].OrderID != paid.Rows[0].OrderID || d.orders() != before+4 {
		t.Errorf("%d orders, %d before: %+v", d.orders(), before, repeated.Rows)
	}
	if b := d.preview(railkit.BatchPayment{
		Reference: "FEB-2", BeneficiaryID: mia.ID, Amount: "1500.00", Currency: "MXN",
	}); b.RowsPaidBefore != 0 {
		t.Errorf("another reference: %+v", b.Warnings)
	}
	for _, r := range append(done.Rows, paid.Rows...) {
		must(d.Orders.Cancel(t.Context(), r.OrderID))(t)
	}
	preview(0)
}
