package payout_test

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
)

func (d *counter) order(id string) (order.Order, error) {
	return d.Store.Payout().Order(context.Background(), d.Keys.WorkspaceID, id)
}

// Orders are found by all that is known of them, canceled while they wait, and
// listed by every filter.
func (d *counter) listsOrders(t *testing.T) {
	eva, account := d.recipient("Eva 50% Pérez", railkit.BankAccountRequest{
		AccountNumber: "1234567890", RoutingNumber: "111000025", AccountType: "checking", BankName: "First",
		Country: "US",
		Address: &railkit.PostalAddress{Street: "S 1", City: "Austin", State: "TX", PostalCode: "78701", Country: "US"},
	})
	to := *d
	to.to, to.address = eva, d.receive(account, "polygon", money.USDT)
	var all []*railkit.Payment
	for _, amount := range []string{"11", "22", "33", "44"} {
		all = append(all, to.execute(to.quote(amount, "USDT")))
	}
	canceled := must(to.Orders.Cancel(t.Context(), all[1].OrderID))(t)
	again := must(to.Orders.Cancel(t.Context(), canceled.Reference))(t)
	if canceled.Status != "canceled" || again.Version != canceled.Version || again.UpdatedAt != canceled.UpdatedAt {
		t.Errorf("%+v, again %+v", canceled, again)
	}
	one := to.Do(to.Keys.BenchKey, "POST", ordersPath+"/"+canceled.ID+"/cancel", "")
	if data, _ := one.Field("data").(map[string]any); one.Status != 200 ||
		one.Field("message") != "Order canceled" || data["status"] != "canceled" {
		t.Errorf("canceled again: %d %s", one.Status, one.Body)
	}
	hash := "0x" + strings.Repeat("AB", 31) + uuid.NewString()[:2]
	to.deposit(all[2], hash)
	_, err := to.Orders.Cancel(t.Context(), all[2].OrderID)
	wantError(t, "after a deposit", err, 422, "order_settled")
	to.findsOrders(t, all[2], hash)
	to.findsByAddress(t, all[3])
	to.filtersOrders(t, eva, account, all, hash)
	to.listsPayments(t, all)
	to.deposit(all[3], hash) // the transaction pays for two
	_, err = to.Orders.Cancel(t.Context(), hash)
	wantError(t, "several of one name", err, 409, "order_not_unique")
}

const ordersPath = "/v1/orders"

// deposit lets the exact amount arrive, and pays it out.
func (d *counter) deposit(p *railkit.Payment, hash string) {
	d.t.Helper()
	o := must(d.order(p.OrderID))(d.t)
	deposit := order.Deposit{
		TransferID: uuid.NewString(), Hash: hash, From: "0xf", Amount: o.Expected, Block: 7, Confirmations: 1,
		Required: 3,
	}
	seen, final := deposit, deposit
	seen.Confirmations, final.Confirmations = 2, 3
	d.step(p.OrderID, order.Event{Kind: order.DepositDetected, By: order.OnChain, Deposit: &deposit},
		order.Event{Kind: order.DepositSeen, By: order.OnChain, Deposit: &seen})
}

func (d *counter) findsOrders(t *testing.T, p *railkit.Payment, hash string) {
	for _, name := range []string{
		"offramp_" + p.OrderID, p.OrderID, p.Reference, strings.ToLower(p.Reference), p.QuoteID, hash,
		strings.ToLower(hash),
	} {
		if o := must(d.Orders.Get(t.Context(), name))(t); o.ID != p.OrderID {
			t.Errorf("%s finds %s", name, o.Reference)
		}
	}
	o := must(d.Orders.Get(t.Context(), p.OrderID))(t)
	if o.Status != "funds_received" ||
		o.Explanation == nil || o.Explanation.Converted != "32.750000" || o.Explanation.Net != "32.75" ||
		o.Explanation.Residue != "0.002500" ||
		o.Rates == nil || o.Rates.Sell != "1" || o.Deposit == nil || o.Deposit.RequiredConfirmations != 3 ||
		len(o.Fees) != 2 || o.Fees[0] != (railkit.OrderFee{Kind: "network", Amount: "0.165000", Currency: "usdt"}) ||
		len(o.Timeline) != 3 {
		t.Errorf("%+v\n%+v\n%+v\n%+v", o.Order, o.Explanation, o.Rates, o.Timeline)
	}
	_, err := d.Orders.Get(t.Context(), uuid.NewString())
	wantError(t, "nobody's", err, 404, "not_found")
	s := must(d.Payments.Get(t.Context(), p.Reference))(t)
	if s.OrderID != p.OrderID || s.Status != "processing" {
		t.Errorf("%+v", s)
	}
}

// An address's reference, and its id, stand for the newest of its orders; in the
// list for all of them. None of them is canceled by it.
func (d *counter) findsByAddress(t *testing.T, newest *railkit.Payment) {
	for _, name := range []string{d.address.Reference, strings.ToLower(d.address.Reference), d.address.ID} {
		o := must(d.Orders.Get(t.Context(), name))(t)
		s := must(d.Payments.Get(t.Context(), name))(t)
		if o.ID != newest.OrderID || s.OrderID != o.ID {
			t.Errorf("%s finds %s, and as a payment %s", name, o.Reference, s.Reference)
		}
		list := must(d.Orders.List(t.Context(), railkit.OrderListOptions{Reference: name}))(t)
		none := must(d.Orders.List(
			t.Context(), railkit.OrderListOptions{Reference: name, WithdrawAddressID: uuid.NewString()},
		))(t)
		if list.Meta.Total != 4 || none.Meta.Total != 0 {
			t.Errorf("%s lists %d orders, and %d of another address", name, list.Meta.Total, none.Meta.Total)
		}
		d.exportsThose(t, railkit.OrderListOptions{Reference: name}, list.Items)
		_, err := d.Orders.Cancel(t.Context(), name)
		wantError(t, "cancel by the address", err, 404, "not_found")
	}
	_, key := d.NewWorkspace([]auth.Scope{auth.IntegratorRead}, auth.Payout)
	_, err := d.ClientWith(key).Orders.Get(t.Context(), d.address.Reference)
	wantError(t, "another workspace's address", err, 404, "not_found")
	if list := must(d.ClientWith(key).Orders.List(
		t.Context(), railkit.OrderListOptions{Reference: d.address.Reference},
	))(t); list.Meta.Total != 0 {
		t.Errorf("another workspace lists %d of them", list.Meta.Total)
	}
	_, empty := d.recipient("Without orders", mexican)
	_, err = d.Orders.Get(t.Context(), d.receive(empty, "base", money.USDC).Reference)
	wantError(t, "an address without orders", err, 404, "not_found")
	wantCode(t, "no name", d.Do(d.Keys.BenchKey, "GET", ordersPath+"/%20", ""), 404, "not_found", "Order not found")
}

func (d *counter) filtersOrders(
	t *testing.T, r *railkit.Recipient, account *railkit.BankAccount, all []*railkit.Payment, hash string,
) {
	list := func(o railkit.OrderListOptions) (found []string, meta railkit.Meta) {
		if o.RecipientID == "" && o.RecipientName == "" {
			o.BankAccountID = account.ID
		}
		page := must(d.Orders.List(t.Context(), o))(t)
		for _, row := range page.Items {
			i := slices.IndexFunc(all, func(p *railkit.Payment) bool { return p.OrderID == row.ID })
			found = append(found, string(rune('0'+i)))
		}
		if o.ListOptions == (railkit.ListOptions{}) {
			d.exportsThose(t, o, page.Items)
		}
		return found, page.Meta
	}
	day := time.Now().UTC().Format(time.DateOnly)
	for want, options := range map[string][]railkit.OrderListOptions{
		"3210": {
			{}, {RecipientID: r.ID}, {RecipientName: "eva 50%"}, {Sizes: []string{"ach_wire"}}, {Pair: "usdt/usd"},
			{Types: []string{"off_ramp"}},
			{From: "2020-01-01", To: "2099-01-01T00:00:00Z"}, {To: "2099-01-01", From: day},
			{WithdrawAddressID: d.address.ID}, {Search: "pérez"},
		},
		"30":  {{Statuses: []string{"awaiting"}}, {Statuses: []string{"awaiting_funds"}}},
		"310": {{Statuses: []string{"awaiting", "canceled"}}},
		"1": {
			{Statuses: []string{"canceled"}}, {Search: "22.0"}, {Reference: all[1].QuoteID},
			{Search: strings.ToLower(all[1].Reference)},
		},
		"2":  {{TxHash: strings.ToLower(hash)}, {Search: "32.75"}, {Reference: all[2].Reference, TxHash: hash}},
		"32": {{ListOptions: railkit.ListOptions{Limit: 2}}},
		"10": {{ListOptions: railkit.ListOptions{Limit: 2, Page: 2}}},
		"": {
			{Pair: "USDC/USD"}, {Sizes: []string{"spei", "sepa"}}, {To: "2020-01-01"}, {From: "2099-01-01"},
			{Reference: all[1].Reference, TxHash: hash},
			{Types: []string{"on_ramp"}}, {RecipientName: "eva 50_"}, {RecipientID: uuid.NewString()},
		},
	} {
		for _, o := range options {
			if found, _ := list(o); strings.Join(found, "") != want {
				t.Errorf("%+v lists %v, want %s", o, found, want)
			}
		}
	}
	_, meta := list(railkit.OrderListOptions{Statuses: []string{"canceled"}})
	if meta.Total != 1 || meta.TotalPages != 1 ||
		meta.Counts["awaiting"] != 2 || meta.Counts["canceled"] != 1 || meta.Counts["funds_received"] != 1 {
		t.Errorf("%+v", meta)
	}
	var walked []string
	for o, err := range d.Orders.All(
		t.Context(), railkit.OrderListOptions{ListOptions: railkit.ListOptions{Limit: 1}, BankAccountID: account.ID},
	) {
		if err != nil {
			t.Fatal(err)
		}
		walked = append(walked, o.ID)
	}
	if len(walked) != 4 || walked[0] != all[3].OrderID || walked[3] != all[0].OrderID {
		t.Errorf("the cursor walks %v", walked)
	}
	d.refusesFilters(t)
}

func (d *counter) refusesFilters(t *testing.T) {
	for query, message := range map[string]string{
		"status=nope": "status[0] must be one of", "from=yesterday": "from must be an ISO 8601 date or instant",
		"to=1":      "to must be",
		"limit=201": "limit must be at most 200", "cursor=x": "cursor must be",
		"pair=0123456789": "pair must have at most 9",
	} {
		wantCode(t, query, d.Do(d.Keys.BenchKey, "GET", ordersPath+"?"+query, ""), 400, "validation_failed", message)
	}
	q := url.Values{"status": {"awaiting", "canceled"}}
	if a := d.Do(d.Keys.BenchKey, "GET", ordersPath+"?"+q.Encode(), ""); a.Status != 200 {
		t.Errorf("a repeated status: %d %s", a.Status, a.Body)
	}
}

func (d *counter) listsPayments(t *testing.T, all []*railkit.Payment) {
	rows := must(d.Recipients.ListOrders(t.Context(), d.to.ID, 3))(t)
	if len(rows) != 3 || rows[0].ID != all[3].OrderID ||
		rows[0].Status != "pending" || rows[2].Status != "failed" || rows[2].FailureReason == nil ||
		*rows[0].SourceAmount != "44.000000" || rows[0].DestinationCurrency != "usd" {
		t.Errorf("%+v", rows)
	}
	_, err := d.Recipients.ListOrders(t.Context(), uuid.NewString(), 0)
	wantError(t, "of nobody", err, 404, "not_found")
	wantCode(
		t, "too many", d.Do(d.Keys.BenchKey, "GET", recipientsPath+"/"+d.to.ID+"/orders?limit=51", ""), 400,
		"validation_failed", "limit must be at most 50",
	)
	first := must(d.Payments.List(t.Context(), railkit.ListOptions{Limit: 2}))(t)
	if first.Items[0].OrderID != all[3].OrderID ||
		first.Items[0].BeneficiaryName != d.to.Name || first.Meta.NextCursor == "" {
		t.Errorf("%+v", first)
	}
	n := 0
	for _, err := range d.Payments.All(t.Context(), railkit.ListOptions{Limit: 5}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != first.Meta.Total {
		t.Errorf("%d payments of %d", n, first.Meta.Total)
	}
}
