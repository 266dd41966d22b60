package bridge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

// Bridge's page about virtual accounts, with numbers that are right.
const (
	brCode = "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-426655440000" +
		"5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D"
	mexicanAccount = `{"id":"va_1","status":"activated","customer_id":"cust_1","developer_fee_percent":"0.5",
		"source_deposit_instructions":{"currency":"mxn","bank_name":"STP","bank_address":" Av. 1,\n CDMX ",
		"account_holder_name":"Acme","clabe":"646180157000000004","payment_rails":["spei"]},
		"destination":{"currency":"usdc","payment_rail":"base","address":"` + wallet + `"}}`
)

func mexican(active bool) fiat.VirtualAccount {
	return fiat.VirtualAccount{
		ID: "va_1", Active: active, Chain: "base", Currency: money.USDC, Address: wallet, FeePoints: 50,
		Instructions: fiat.Instructions{
			Currency: money.MXN, Rails: []fiat.Rail{fiat.SPEI}, BankName: "STP", BankAddress: "Av. 1, CDMX",
			Beneficiary: "Acme", Details: fiat.Details{CLABE: "646180157000000004"},
		},
	}
}

var intoUSDC = fiat.VirtualAccountRequest{
	Source: money.MXN, Chain: "base", Currency: money.USDC, Address: wallet, FeePoints: 50,
}

func TestPayout_BridgeVirtualAccounts(t *testing.T) {
	ctx := context.Background()
	off := strings.Replace(mexicanAccount, `"activated"`, `"deactivated"`, 1)
	free := intoUSDC
	free.FeePoints = 0
	onSolana, there := intoUSDC, mexican(true)
	onSolana.Chain, onSolana.Address, there.Chain, there.Address = "solana", base58, "solana", base58
	solanaAccount := strings.NewReplacer(`"base"`, `"solana"`, wallet, base58).Replace(mexicanAccount)
	bare := mexican(true)
	bare.FeePoints, bare.Instructions = 0, fiat.Instructions{}
	try(t, map[string]call{
		"create": {
			func(c *Client) (any, error) { return c.CreateVirtualAccount(ctx, "k", "cust_1", intoUSDC) },
			`POST /v0/customers/cust_1/virtual_accounts {"source":{"currency":"mxn"},` +
				`"destination":{"payment_rail":"base","currency":"usdc","address":"` + wallet + `"},` +
				`"developer_fee_percent":"0.50"}`, mexicanAccount, mexican(true),
		},
		"on Solana": {
			func(c *Client) (any, error) { return c.CreateVirtualAccount(ctx, "k", "cust_1", onSolana) },
			`POST /v0/customers/cust_1/virtual_accounts {"source":{"currency":"mxn"},` +
				`"destination":{"payment_rail":"solana","currency":"usdc","address":"` + base58 + `"},` +
				`"developer_fee_percent":"0.50"}`, solanaAccount, there,
		},
		"without a fee, and without a number yet": {
			func(c *Client) (any, error) { return c.CreateVirtualAccount(ctx, "k", "cust_1", free) },
			`POST /v0/customers/cust_1/virtual_accounts {"source":{"currency":"mxn"},` +
				`"destination":{"payment_rail":"base","currency":"usdc","address":"` + wallet + `"}}`,
			`{"id":"va_1","status":"activated","source_deposit_instructions":null,"destination":{"currency":"usdc",` +
				`"payment_rail":"base","address":"` + wallet + `"}}`, bare,
		},
		"get": {
			func(c *Client) (any, error) { return c.VirtualAccount(ctx, "cust_1", "va_1") },
			`GET /v0/customers/cust_1/virtual_accounts/va_1`, off, mexican(false),
		},
		"off": {
			func(c *Client) (any, error) { return c.SetVirtualAccountActive(ctx, "k", "cust_1", "va_1", false) },
			`POST /v0/customers/cust_1/virtual_accounts/va_1/deactivate`, off, mexican(false),
		},
		"on": {
			func(c *Client) (any, error) { return c.SetVirtualAccountActive(ctx, "k", "cust_1", "va_1", true) },
			`POST /v0/customers/cust_1/virtual_accounts/va_1/reactivate`, mexicanAccount, mexican(true),
		},
		"return": {
			func(c *Client) (any, error) {
				return nil, c.ReturnDeposit(ctx, "k", "cust_1", "dep_1", money.Of(500_000, money.MXN))
			},
			`POST /v0/transfers {"on_behalf_of":"cust_1","amount":"5000.00",` +
				`"destination":{"payment_rail":"fiat_deposit_return","currency":"mxn","deposit_id":"dep_1"}}`,
			`{"id":"tr_1","on_behalf_of":"cust_1","amount":"5000.0","state":"pending","destination":` +
				`{"payment_rail":"fiat_deposit_return","currency":"mxn","deposit_id":"dep_1"}}`, nil,
		},
	})
}

// An account's numbers are those of its currency, and each is right by itself.
func TestPayout_BridgeInstructions(t *testing.T) {
	ctx := context.Background()
	for name, tc := range map[string]struct {
		says string
		want fiat.Instructions // none: the answer is refused
	}{
		"usd": {
			`"currency":"usd","payment_rails":["ach_push","ach_same_day","wire","fednow"],` +
				`"bank_beneficiary_name":"Acme","bank_account_number":"123456789","bank_routing_number":"101019644"`,
			fiat.Instructions{
				Currency: money.USD, Rails: []fiat.Rail{fiat.ACH, fiat.Wire}, Beneficiary: "Acme",
				Details: fiat.Details{AccountNumber: "123456789", RoutingNumber: "101019644"},
			},
		},
		"eur": {
			`"currency":"eur","iban":"DE89 3704 0044 0532 0130 00","bic":"COBADEFFXXX"`, fiat.Instructions{
				Currency: money.EUR, Rails: []fiat.Rail{fiat.SEPA},
				Details: fiat.Details{IBAN: "DE89370400440532013000", BIC: "COBADEFFXXX"},
			},
		},
		"gbp": {
			`"currency":"gbp","payment_rails":["faster_payments"],"account_number":"31926819","sort_code":"60-16-13"`,
			fiat.Instructions{
				Currency: money.GBP, Rails: []fiat.Rail{fiat.FasterPayments},
				Details: fiat.Details{AccountNumber: "31926819", SortCode: "601613"},
			},
		},
		"brl": {
			`"currency":"brl","br_code":"` + brCode + `"`, fiat.Instructions{
				Currency: money.BRL, Rails: []fiat.Rail{fiat.PIX}, Details: fiat.Details{BRCode: brCode},
			},
		},
		"wrong routing number": {says: `"currency":"usd","bank_account_number":"1234","bank_routing_number":"101019645"`},
		"no routing number":    {says: `"currency":"usd","bank_account_number":"1234"`},
		"wrong CLABE":          {says: `"currency":"mxn","clabe":"646180157000000005"`},
		"no CLABE":             {says: `"currency":"mxn"`},
		"wrong IBAN":           {says: `"currency":"eur","iban":"DE89370400440532013001"`},
		"wrong BIC":            {says: `"currency":"eur","iban":"DE89370400440532013000","bic":"X"`},
		"short sort code":      {says: `"currency":"gbp","account_number":"31926819","sort_code":"60161"`},
		"wrong checksum":       {says: `"currency":"brl","br_code":"` + brCode[:len(brCode)-1] + `E"`},
		"a key for a code":     {says: `"currency":"brl","br_code":"123e4567-e12b-12d1-a456-426655440000"`},
		"another's number":     {says: `"currency":"mxn","clabe":"646180157000000004","iban":"DE89370400440532013000"`},
		"another's rail":       {says: `"currency":"mxn","clabe":"646180157000000004","payment_rails":["sepa"]`},
		"no currency":          {says: `"clabe":"646180157000000004"`},
		"unknown currency":     {says: `"currency":"cop","clabe":"646180157000000004"`},
	} {
		f := newFake(t, says(http.StatusOK, `{"id":"va_1","status":"activated","source_deposit_instructions":{`+tc.says+
			`},"destination":{"currency":"usdc","payment_rail":"base","address":"`+wallet+`"}}`))
		v, err := f.VirtualAccount(ctx, "cust_1", "va_1")
		if tc.want.Currency == "" {
			if !errors.Is(err, fiat.ErrAnswer) {
				t.Errorf("%s: %+v %v", name, v, err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(v.Instructions, tc.want) {
			t.Errorf("%s: %+v %v", name, v.Instructions, err)
		}
	}
}

// An account is used only where it is the one that was asked for.
func TestPayout_BridgeOtherVirtualAccounts(t *testing.T) {
	ctx := context.Background()
	change := func(was, is string) string { return strings.Replace(mexicanAccount, was, is, 1) }
	for name, answer := range map[string]string{
		"another customer": change("cust_1", "cust_2"), "no id": change(`"va_1"`, `""`),
		"another account": change("va_1", "va_2"), "no status": change("activated", ""),
		"another address":  change(wallet, "0x71C7656EC7ab88b098defB751B7401B5f6d8976E"),
		"no address":       change(wallet, ""),
		"another chain":    change(`"base"`, `"polygon"`),
		"another coin":     change("usdc", "usdt"),
		"no coin":          change("usdc", "dai"),
		"another fee":      change(`"0.5"`, `"0.6"`),
		"a finer fee":      change(`"0.5"`, `"0.505"`),
		"a negative fee":   change(`"0.5"`, `"-0.5"`),
		"more than all":    change(`"0.5"`, `"100.01"`),
		"another currency": change(`"mxn"`, `"eur"`),
	} {
		f := newFake(t, says(http.StatusOK, answer))
		v, err := f.CreateVirtualAccount(ctx, "k", "cust_1", intoUSDC)
		if name != "another account" && !errors.Is(err, fiat.ErrAnswer) {
			t.Errorf("%s was made: %+v %v", name, v, err)
		}
		told := name == "another address" || name == "another chain" || name == "another coin" || name == "another fee"
		if v, err := f.VirtualAccount(ctx, "cust_1", "va_1"); told != (err == nil) ||
			!told && !errors.Is(err, fiat.ErrAnswer) {
			t.Errorf("%s: %+v %v", name, v, err)
		}
	}
	f := newFake(t, says(http.StatusOK, mexicanAccount))
	if _, err := f.SetVirtualAccountActive(ctx, "k", "cust_1", "va_1", false); !errors.Is(err, fiat.ErrAnswer) {
		t.Errorf("not switched: %v", err)
	}
	for _, err := range []error{
		second(f.VirtualAccount(ctx, "cust_1", "a/b")), second(f.Activities(ctx, "cust_1", "", time.Time{})),
		f.ReturnDeposit(ctx, "k", "cust_1", "a/b", money.Of(1, money.MXN)),
	} {
		if !errors.Is(err, fiat.ErrNotFound) {
			t.Errorf("no id: %v", err)
		}
	}
	for _, answer := range []string{
		`{}`, `{"id":"tr_1","on_behalf_of":"cust_2"}`, `{"id":"tr_1","amount":"4999.99"}`,
		`{"id":"tr_1","amount":"x"}`, `{"id":"tr_1","destination":{"deposit_id":"dep_2"}}`,
		`{"id":"tr_1","destination":{"payment_rail":"spei"}}`, `{"id":"tr_1","destination":{"currency":"usd"}}`,
	} {
		f := newFake(t, says(http.StatusOK, answer))
		if err := f.ReturnDeposit(
			ctx, "k", "cust_1", "dep_1", money.Of(500_000, money.MXN),
		); !errors.Is(err, fiat.ErrAnswer) {
			t.Errorf("%s: %v", answer, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// arrived is a deposit of pesos, and paid the coins of it.
const (
	arrived = `{"id":"ev_1","customer_id":"cust_1","virtual_account_id":"va_1","type":"funds_received","amount":"5000.0",
		"currency":"mxn","developer_fee_amount":"0.0","deposit_id":"dep_1","created_at":"2026-11-21T11:00:00.000Z",
		"source":{"payment_rail":"spei","sender_name":" Ana\nRuiz ","tracking_number":"KEY1"}}`
	paid = `{"id":"ev_2","customer_id":"cust_1","virtual_account_id":"va_1","type":"payment_processed","amount":"273.5",
		"currency":"usdc","developer_fee_amount":"25.00","deposit_id":"dep_1","created_at":"2026-11-21T11:00:01.000Z",
		"destination_tx_hash":"0xaa02f4c1d3e5b69788a1b2c3d4e5f60718293a4b5c6d7e8f9001122334455667","source":{"payment_rail":"spei"}}`
)

func TestPayout_BridgeActivities(t *testing.T) {
	at := time.Date(2026, 11, 21, 11, 0, 0, 0, time.UTC)
	change := func(text string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(text) }
	hash := "0xaa02f4c1d3e5b69788a1b2c3d4e5f60718293a4b5c6d7e8f9001122334455667"
	received := fiat.Activity{
		ID: "ev_1", AccountID: "va_1", DepositID: "dep_1", Type: fiat.FundsReceived, Rail: fiat.SPEI,
		Amount: money.Of(500_000, money.MXN), SenderName: "Ana Ruiz", Trace: "KEY1", At: at,
	}
	processed := fiat.Activity{
		ID: "ev_2", AccountID: "va_1", DepositID: "dep_1", Type: fiat.PaymentProcessed, Rail: fiat.SPEI,
		Amount: money.Of(273_500_000, money.USDC), Fee: money.Of(2500, money.MXN), Hash: hash, At: at.Add(time.Second),
	}
	with := func(a fiat.Activity, do func(*fiat.Activity)) fiat.Activity { do(&a); return a }
	for name, tc := range map[string]struct {
		says string
		want fiat.Activity
	}{
		"received": {arrived, received}, "paid": {paid, processed},
		"submitted, no hash yet": {
			change(paid, "payment_processed", "payment_submitted", `"`+hash+`"`, "null"),
			with(processed, func(a *fiat.Activity) { a.Type, a.Hash = fiat.PaymentSubmitted, "" }),
		},
		"an unknown rail": {
			change(paid, `"spei"`, `"bre_b"`),
			with(processed, func(a *fiat.Activity) { a.Rail, a.Fee = "bre_b", money.Amount{} }),
		},
		"ACH": {
			change(arrived, `"spei"`, `"ach_push"`, `"mxn"`, `"usd"`, "funds_received", "funds_scheduled",
				"tracking_number", "trace_number"),
			with(received, func(a *fiat.Activity) {
				a.Type, a.Rail, a.Amount = fiat.FundsScheduled, fiat.ACH, money.Of(500_000, money.USD)
			}),
		},
		"refunded": {
			change(arrived, "funds_received", "refunded", `"source"`, `"refund":{"reason":"closed"},"source"`),
			with(received, func(a *fiat.Activity) { a.Type, a.Reason = fiat.Refunded, "closed" }),
		},
		"of the account": {
			`{"id":"ev_3","type":"activation","created_at":"2026-11-21T11:00:00Z","amount":null,"source":null}`,
			fiat.Activity{ID: "ev_3", AccountID: "va_1", Type: fiat.AccountActivated, At: at},
		},
		"a new type": {
			change(arrived, "funds_received", "funds_recalled"),
			with(received, func(a *fiat.Activity) { a.Type = "funds_recalled" }),
		},
		"a new type in a new currency": {
			change(arrived, "funds_received", "funds_recalled", `"mxn"`, `"cop"`),
			with(received, func(a *fiat.Activity) { a.Type, a.Amount = "funds_recalled", money.Amount{} }),
		},
	} {
		f := newFake(t, says(http.StatusOK, `{"count":1,"data":[`+tc.says+`]}`))
		all, err := f.Activities(context.Background(), "cust_1", "va_1", time.Time{})
		if err != nil || len(all) != 1 || all[0] != tc.want {
			t.Errorf("%s: %+v %v, want %+v", name, all, err, tc.want)
		}
	}
	testUnreadable(t, received, map[string]string{
		"no id": change(arrived, "ev_1", ""), "no type": change(arrived, "funds_received", ""),
		"a text for a type": change(arrived, "funds_received", "Funds received"),
		"no deposit":        change(arrived, "dep_1", ""), "no deposit's id": change(arrived, "dep_1", "a b"),
		"a coin": change(arrived, `"mxn"`, `"usdc"`), "unknown": change(arrived, `"mxn"`, `"cop"`),
		"no currency": change(arrived, `"mxn"`, `""`), "another rail's": change(arrived, `"mxn"`, `"eur"`),
		"no amount": change(arrived, "5000.0", ""), "nothing": change(arrived, "5000.0", "0.00"),
		"less": change(arrived, "5000.0", "-5000.0"), "finer": change(arrived, "5000.0", "5000.001"),
		"no time": change(arrived, "2026-11-21T", "noon"), "not paid in coins": change(paid, `"usdc"`, `"mxn"`),
		"no coins": change(paid, "273.5", "0"), "no hash": change(paid, hash, ""),
		"no hash's form":   change(paid, hash, "0x1"),
		"a fee below zero": change(paid, "25.00", "-1"), "a fee that is none": change(paid, "25.00", "25.001"),
		"no object": `17`, "another form": change(arrived, `"5000.0"`, `{"value":"5000.0"}`),
		"a text for its source": `{"id":"ev_1","deposit_id":"dep_1","type":"funds_received","source":"spei"}`,
	})
}

// testUnreadable wants that a row which makes no sense says so, and that the others are told.
func testUnreadable(t *testing.T, good fiat.Activity, rows map[string]string) {
	t.Helper()
	other := strings.Replace(arrived, "ev_1", "ev_9", 1)
	good.ID = "ev_9"
	for name, text := range rows {
		f := newFake(t, says(http.StatusOK, `{"count":2,"data":[`+text+`,`+other+`]}`))
		all, err := f.Activities(context.Background(), "cust_1", "va_1", time.Time{})
		if err != nil || len(all) != 2 || all[0].Type != fiat.Unreadable || all[0].Reason == "" ||
			all[0].Amount != (money.Amount{}) || all[1] != good {
			t.Errorf("%s: %+v %v", name, all, err)
			continue
		}
		about := all[0].ID + " " + all[0].DepositID
		if want := (map[string]string{
			"no id": " dep_1", "no deposit": "ev_1 ", "no deposit's id": "ev_1 ", "no object": " ",
		})[name]; want != "" && about != want || want == "" && all[0].DepositID != "dep_1" {
			t.Errorf("%s: about %q: %+v", name, about, all[0])
		}
	}
}

// A list that is somebody else's is not taken in parts, and one without ids has no next page.
func TestPayout_BridgeActivitiesOfOthers(t *testing.T) {
	page := strings.Repeat(`{"type":"funds_received"},`, 99) + `{"id":" "}`
	for name, rows := range map[string]string{
		"another customer":                strings.Replace(arrived, "cust_1", "cust_2", 1),
		"another account":                 strings.Replace(arrived, "va_1", "va_2", 1),
		"a bad row of another customer's": `{"id":1,"customer_id":"cust_2"}`, "a page without ids": page,
	} {
		f := newFake(t, says(http.StatusOK, `{"data":[`+rows+`]}`))
		all, err := f.Activities(context.Background(), "cust_1", "va_1", time.Time{})
		if !errors.Is(err, fiat.ErrAnswer) || all != nil {
			t.Errorf("%s: %+v %v", name, all, err)
		}
	}
}

// Dollars that were paid are the coin that the deposits of the account become. It is asked once.
func TestPayout_BridgeDollarsAreTheAccountsCoin(t *testing.T) {
	for coin, want := range map[string]money.Currency{"usdc": money.USDC, "usdt": money.USDT, "dai": ""} {
		again := strings.Replace(paid, "ev_2", "ev_3", 1)
		f := newFake(t, func(w http.ResponseWriter, r *http.Request) {
			answer := strings.Replace(mexicanAccount, `"usdc"`, `"`+coin+`"`, 1)
			if strings.HasSuffix(r.URL.Path, "/history") {
				answer = strings.ReplaceAll(`{"data":[`+paid+`,`+again+`]}`, `"usdc"`, `"usd"`)
			}
			says(http.StatusOK, answer)(w, r)
		})
		all, err := f.Activities(context.Background(), "cust_1", "va_1", time.Time{})
		if want == "" {
			if !errors.Is(err, fiat.ErrAnswer) {
				t.Errorf("%s: %+v %v", coin, all, err)
			}
			continue
		}
		if err != nil || len(all) != 2 || all[1].Amount != money.Of(273_500_000, want) || f.calls != 2 {
			t.Errorf("%s: %+v %v after %d calls", coin, all, err, f.calls)
		}
	}
}

// Of a list without an end the newest part is told, with an error.
func TestPayout_BridgeEndlessActivities(t *testing.T) {
	next := 1_000_000
	f := newFake(t, func(w http.ResponseWriter, r *http.Request) {
		var rows []string
		for range pageSize {
			next--
			rows = append(rows, fmt.Sprintf(`{"id":"ev_%d","type":"account_update"}`, next))
		}
		says(http.StatusOK, `{"data":[`+strings.Join(rows, ",")+`]}`)(w, r)
	})
	all, err := f.Activities(context.Background(), "cust_1", "va_1", time.Time{})
	if !errors.Is(err, fiat.ErrLong) || len(all) != maxActivities*pageSize || all[0].ID != "ev_999999" {
		t.Errorf("%d activities, %v", len(all), err)
	}
}

func TestPayout_BridgeActivityPages(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, r *http.Request) {
		from := 250
		_, _ = fmt.Sscanf(r.URL.Query().Get("starting_after"), "ev_%d", &from)
		var rows []string
		for i := from - 1; i >= max(0, from-100); i-- {
			rows = append(rows, fmt.Sprintf(
				`{"id":"ev_%d","type":"account_update","created_at":"2026-11-21T12:00:00.%03dZ"}`, i, i))
		}
		says(http.StatusOK, `{"data":[`+strings.Join(rows, ",")+`]}`)(w, r)
	})
	all, err := f.Activities(context.Background(), "cust_1", "va_1", time.Time{})
	if err != nil || len(all) != 250 || all[0].ID != "ev_249" || f.calls != 3 {
		t.Errorf("%d activities in %d calls, %v", len(all), f.calls, err)
	}
	if u, _ := url.Parse(f.target); u.Path != "/v0/customers/cust_1/virtual_accounts/va_1/history" ||
		u.Query().Get("limit") != "100" || u.Query().Get("starting_after") != "ev_50" {
		t.Error(f.target)
	}
	since := time.Date(2026, 11, 21, 12, 0, 0, 130_000_000, time.UTC)
	if all, err = f.Activities(context.Background(), "cust_1", "va_1", since); err != nil || len(all) != 120 {
		t.Errorf("%d %v", len(all), err)
	}
}

func TestPayout_VirtualAccountNotice(t *testing.T) {
	c, err := New(Config{URL: "https://partner.example", Key: "k", PublicKey: &signer.PublicKey})
	if err != nil {
		t.Fatal(err)
	}
	body := `{"event_id":"wh_1","event_category":"virtual_account.activity","event_type":"virtual_account.activity.created",` +
		`"event_object_id":"ev_1","event_object_status":null,"event_object":` + arrived + `}`
	n, err := c.ReadNotice(sign(noon, body), []byte(body), noon)
	want := fiat.Notice{
		EventID: "wh_1", Category: fiat.NoticeVirtual, Type: "virtual_account.activity.created", ObjectID: "ev_1",
		CustomerID: "cust_1", VirtualAccountID: "va_1",
	}
	if err != nil || n != want {
		t.Errorf("%+v %v", n, err)
	}
	body = strings.Replace(body, `"va_1"`, `"../va"`, 1)
	if _, err := c.ReadNotice(sign(noon, body), []byte(body), noon); !errors.Is(err, fiat.ErrAnswer) {
		t.Error(err)
	}
}
