package bridge

import (
	"context"
	"encoding/json"
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

const (
	wallet = "0x71C7656EC7ab88b098defB751B7401B5f6d8976F"
	base58 = "9B5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns6g" // an address on Solana
)

// call is one of a client's, what it asks and what it makes of the answer.
type call struct {
	call         func(*Client) (any, error)
	asks, answer string
	want         any
}

// Each call asks what Bridge documents, and reads what Bridge documents.
func TestPayout_BridgeCalls(t *testing.T) {
	ctx := context.Background()
	try(t, map[string]call{
		"customer": {
			func(c *Client) (any, error) {
				return c.CreateCustomer(ctx, "k", fiat.CustomerRequest{Name: "Acme", Email: "a@acme.example"})
			},
			`POST /v0/customers {"type":"business","business_legal_name":"Acme","email":"a@acme.example"}`,
			`{"id":"cust_1","status":"awaiting_ubo","type":"business"}`,
			fiat.Customer{ID: "cust_1", Status: fiat.CustomerPending},
		},
		"its status": {
			func(c *Client) (any, error) { return c.Customer(ctx, "cust_1") }, `GET /v0/customers/cust_1`,
			`{"id":"cust_1","status":"active"}`, fiat.Customer{ID: "cust_1", Status: fiat.CustomerActive},
		},
		"never": {
			func(c *Client) (any, error) { return c.Customer(ctx, "cust_1") }, `GET /v0/customers/cust_1`,
			`{"id":"cust_1","status":"offboarded"}`, fiat.Customer{ID: "cust_1", Status: fiat.CustomerRejected},
		},
		"wallet": {
			func(c *Client) (any, error) { return c.CreateWallet(ctx, "k", "cust_1", "base") },
			`POST /v0/customers/cust_1/wallets {"chain":"base"}`,
			`{"id":"bw_1","chain":"base","address":"` + wallet + `"}`,
			fiat.Wallet{ID: "bw_1", Chain: "base", Address: wallet},
		},
		"wallet on Solana": {
			func(c *Client) (any, error) { return c.CreateWallet(ctx, "k", "cust_1", "solana") },
			`POST /v0/customers/cust_1/wallets {"chain":"solana"}`,
			`{"id":"bw_1","chain":"solana","address":"` + base58 + `"}`,
			fiat.Wallet{ID: "bw_1", Chain: "solana", Address: base58},
		},
		"liquidation address on Solana": {
			func(c *Client) (any, error) {
				return c.CreateLiquidationAddress(ctx, "k", "cust_1", fiat.LiquidationRequest{
					Chain: "solana", Currency: money.USDT, WalletID: "bw_1",
				})
			},
			`POST /v0/customers/cust_1/liquidation_addresses {"chain":"solana","currency":"usdt",` +
				`"bridge_wallet_id":"bw_1","destination_payment_rail":"solana","destination_currency":"usdt"}`,
			`{"id":"la_1","customer_id":"cust_1","chain":"solana","currency":"usdt","address":"` + base58 +
				`","state":"active"}`,
			fiat.LiquidationAddress{ID: "la_1", Chain: "solana", Address: base58},
		},
		"balances": {
			func(c *Client) (any, error) { return c.WalletBalances(ctx, "cust_1", "bw_1") },
			`GET /v0/customers/cust_1/wallets/bw_1`,
			`{"id":"bw_1","chain":"base","balances":[{"balance":"100.25","currency":"usdc","chain":"base"},{"balance":"1.0000000001","currency":"usdb","chain":"base"},
			 {"balance":7,"currency":"usdt","chain":"solana"}]}`,
			[]money.Amount{money.Of(100_250_000, money.USDC)},
		},
		"liquidation address": {
			func(c *Client) (any, error) {
				return c.CreateLiquidationAddress(ctx, "k", "cust_1", fiat.LiquidationRequest{
					Chain: "base", Currency: money.USDC, WalletID: "bw_1",
				})
			},
			`POST /v0/customers/cust_1/liquidation_addresses {"chain":"base","currency":"usdc",` +
				`"bridge_wallet_id":"bw_1","destination_payment_rail":"base","destination_currency":"usdc"}`,
			`{"id":"la_1","customer_id":"cust_1","chain":"base","currency":"usdc","address":"` + wallet +
				`","state":"active"}`,
			fiat.LiquidationAddress{ID: "la_1", Chain: "base", Address: wallet},
		},
	})
}

func TestPayout_BridgeAccounts(t *testing.T) {
	ctx := context.Background()
	office := fiat.Address{Street: "Reforma 500", City: "Ciudad de México", PostalCode: "06600", Country: "MX"}
	account := func(c *Client, q fiat.AccountRequest) (any, error) { return c.CreateAccount(ctx, "k", "cust_1", q) }
	try(t, map[string]call{
		"clabe": {
			func(c *Client) (any, error) {
				return account(c, fiat.AccountRequest{
					Currency: money.MXN, Rail: fiat.SPEI, OwnerName: "Juan García Pérez", BankName: "Santander",
					Address: office, Details: fiat.Details{CLABE: "014180655500000007"},
				})
			},
			`POST /v0/customers/cust_1/external_accounts {"currency":"mxn","account_type":"clabe","bank_name":"Santander","account_owner_name":"Juan García Pérez",
			 "account_owner_type":"individual","first_name":"Juan García","last_name":"Pérez","clabe":{"account_number":"014180655500000007"},
			 "address":{"street_line_1":"Reforma 500","city":"Ciudad de México","postal_code":"06600","country":"MEX"}}`,
			`{"id":"ea_1","customer_id":"cust_1","currency":"mxn","active":true,"clabe":{"last_4":"0007"}}`,
			fiat.Account{ID: "ea_1", State: fiat.AccountActive, LastFour: "0007"},
		},
		"us": {
			func(c *Client) (any, error) {
				return account(c, fiat.AccountRequest{
					Currency: money.USD, Rail: fiat.ACH, OwnerName: "Acme Inc", Business: true, BankName: "Lead",
					Details: fiat.Details{
						AccountNumber: "215268129123", RoutingNumber: "101019644", CheckingOrSavings: "checking",
					},
				})
			},
			`POST /v0/customers/cust_1/external_accounts {"currency":"usd","account_type":"us","bank_name":"Lead","account_owner_name":"Acme Inc",
			 "account_owner_type":"business","business_name":"Acme Inc","account":{"account_number":"215268129123","routing_number":"101019644","checking_or_savings":"checking"}}`,
			`{"id":"ea_1","currency":"usd","active":true,"last_4":"9123","beneficiary_address_valid":false}`,
			fiat.Account{ID: "ea_1", State: fiat.AccountPending, LastFour: "9123", Reason: "the address is not valid"},
		},
		"iban": {
			func(c *Client) (any, error) {
				return account(c, fiat.AccountRequest{
					Currency: money.EUR, Rail: fiat.SEPA, OwnerName: "Cher",
					Details: fiat.Details{IBAN: "NL91ABNA0417164300", BIC: "ABNANL2A"},
				})
			},
			`POST /v0/customers/cust_1/external_accounts {"currency":"eur","account_type":"iban","account_owner_name":"Cher","account_owner_type":"individual",
			 "first_name":"Cher","last_name":"Cher","iban":{"account_number":"NL91ABNA0417164300","bic":"ABNANL2A","country":"NLD"}}`,
			`{"id":"ea_1","currency":"eur","active":false,"status":"pending","iban":{"last_4":"4300",` +
				`"bic":"ABNANL2A","country":"NLD"}}`,
			fiat.Account{ID: "ea_1", State: fiat.AccountPending, LastFour: "4300"},
		},
		"gb": {
			func(c *Client) (any, error) {
				return account(c, fiat.AccountRequest{
					Currency:  money.GBP,
					OwnerName: "A B",
					Details:   fiat.Details{AccountNumber: "31926819", SortCode: "601613"},
				})
			},
			`POST /v0/customers/cust_1/external_accounts {"currency":"gbp","account_type":"gb","account_owner_name":"A B","account_owner_type":"individual",
			 "first_name":"A","last_name":"B","account":{"account_number":"31926819","sort_code":"601613"}}`,
			`{"id":"ea_1","currency":"gbp","active":false,"status":"rejected","rejection_reason":"account 31926819 ` +
				`is closed"}`,
			fiat.Account{ID: "ea_1", State: fiat.AccountRejected, Reason: "account … is closed"},
		},
		"pix": {
			func(c *Client) (any, error) {
				return account(c, fiat.AccountRequest{
					Currency:  money.BRL,
					OwnerName: "A B",
					Details:   fiat.Details{PixKey: "a@b.br", TaxID: "12345678901"},
				})
			},
			`POST /v0/customers/cust_1/external_accounts {"currency":"brl","account_type":"pix","account_owner_name":"A B","account_owner_type":"individual",
			 "first_name":"A","last_name":"B","pix_key":{"pix_key":"a@b.br","document_number":"12345678901"}}`,
			`{"id":"ea_1","currency":"brl","active":true,"pix_key":{"account_preview":"a***br"}}`,
			fiat.Account{ID: "ea_1", State: fiat.AccountActive},
		},
		"br code": {
			func(c *Client) (any, error) {
				return account(c, fiat.AccountRequest{
					Currency: money.BRL, OwnerName: "A B", Details: fiat.Details{BRCode: "0002012658"},
				})
			},
			`POST /v0/customers/cust_1/external_accounts {"currency":"brl","account_type":"pix","account_owner_name":"A B","account_owner_type":"individual",
			 "first_name":"A","last_name":"B","br_code":{"br_code":"0002012658"}}`,
			`{"id":"ea_1","currency":"brl","active":true}`, fiat.Account{ID: "ea_1", State: fiat.AccountActive},
		},
		"account": {
			func(c *Client) (any, error) { return c.Account(ctx, "cust_1", "ea_1") },
			`GET /v0/customers/cust_1/external_accounts/ea_1`, `{"id":"ea_1","active":true,"status":"brand_new"}`,
			fiat.Account{ID: "ea_1", State: fiat.AccountPending},
		},
		"change": {
			func(c *Client) (any, error) {
				return c.UpdateAccount(ctx, "cust_1", "ea_1", fiat.AccountChange{
					Address: office, CheckingOrSavings: "savings",
				})
			},
			`PUT /v0/customers/cust_1/external_accounts/ea_1 {"account":{"checking_or_savings":"savings"},
			 "address":{"street_line_1":"Reforma 500","city":"Ciudad de México","postal_code":"06600","country":"MEX"}}`,
			`{"id":"ea_1","active":true,"account":{"last_4":"1111"}}`,
			fiat.Account{ID: "ea_1", State: fiat.AccountActive, LastFour: "1111"},
		},
		"off": {
			func(c *Client) (any, error) { return c.SetAccountActive(ctx, "k", "cust_1", "ea_1", false) },
			`POST /v0/customers/cust_1/external_accounts/ea_1/deactivate`, `{"id":"ea_1","active":false}`,
			fiat.Account{ID: "ea_1", State: fiat.AccountClosed},
		},
		"on": {
			func(c *Client) (any, error) { return c.SetAccountActive(ctx, "k", "cust_1", "ea_1", true) },
			`POST /v0/customers/cust_1/external_accounts/ea_1/reactivate`, `{"id":"ea_1","active":true}`,
			fiat.Account{ID: "ea_1", State: fiat.AccountActive},
		},
	})
}

func try(t *testing.T, calls map[string]call) {
	t.Helper()
	for name, tc := range calls {
		f := newFake(t, says(http.StatusCreated, tc.answer))
		got, err := tc.call(f.Client)
		if err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		f.asked(t, name, tc.asks)
	}
}

// asked compares the last request with what should have been asked.
func (f *fake) asked(t *testing.T, name, want string) {
	t.Helper()
	head, text, _ := strings.Cut(want, " {")
	var body map[string]any
	if text != "" {
		if err := json.Unmarshal([]byte("{"+text), &body); err != nil {
			t.Fatal(name, err)
		}
	}
	if got := f.method + " " + f.target; got != head || !reflect.DeepEqual(f.body, body) {
		t.Errorf("%s: asked %s %v", name, got, f.body)
	}
	if f.method == http.MethodPost && f.key != "k" {
		t.Errorf("%s: key %q", name, f.key)
	}
}

func TestPayout_BridgeTransfers(t *testing.T) {
	ctx := context.Background()
	f := newFake(t, says(http.StatusCreated, taken))
	got, err := f.CreateTransfer(ctx, "k", payout(t))
	if err != nil || got.State != fiat.TransferSubmitted || got.Destination != amount(t, "1836.12", money.MXN) ||
		got.TrackingKey != "123" || got.Rate.String() != "18.5" {
		t.Errorf("%+v %v", got, err)
	}
	f.asked(t, "gross",
		`POST /v0/transfers {"client_reference_id":"order-1","on_behalf_of":"cust_1","amount":"100.000000","developer_fee":"0.750000",
	 "source":{"payment_rail":"bridge_wallet","currency":"usdc","bridge_wallet_id":"bw_1"},"destination":{"payment_rail":"spei","currency":"mxn","external_account_id":"ea_1"}}`)

	net := payout(t)
	net.Gross, net.Net = money.Amount{}, amount(t, "1836.12", money.MXN)
	if got, err = f.CreateTransfer(ctx, "k", net); err != nil || got.Source != amount(t, "100", money.USDC) {
		t.Errorf("%+v %v", got, err)
	}
	f.asked(t, "net",
		`POST /v0/transfers {"client_reference_id":"order-1","on_behalf_of":"cust_1","developer_fee":"0.750000",
	 "source":{"payment_rail":"bridge_wallet","currency":"usdc","bridge_wallet_id":"bw_1"},"destination":{"payment_rail":"spei","currency":"mxn","external_account_id":"ea_1","amount":"1836.12"}}`)

	back := fiat.TransferRequest{
		CustomerID: "cust_1", WalletID: "bw_1", Reference: "order-1", Source: money.USDC, Destination: money.USDC,
		Gross: amount(t, "100", money.USDC), ToChain: "base", ToAddress: wallet,
	}
	f.answer = says(http.StatusCreated,
		`{"id":"tr_2","client_reference_id":"order-1","state":"pending","on_behalf_of":"cust_1","amount":100,
	 "source":{"currency":"usdc"},"destination":{"currency":"usdc","to_address":"`+strings.ToLower(wallet)+
			`"},"receipt":{"destination_tx_hash":"0xab"}}`)
	if got, err = f.CreateTransfer(ctx, "k", back); err != nil || got.State != fiat.TransferAwaiting ||
		got.Hash != "0xab" || !got.Destination.IsZero() {
		t.Errorf("%+v %v", got, err)
	}
	f.asked(t, "on chain",
		`POST /v0/transfers {"client_reference_id":"order-1","on_behalf_of":"cust_1","amount":"100.000000",
	 "source":{"payment_rail":"bridge_wallet","currency":"usdc","bridge_wallet_id":"bw_1"},"destination":{"payment_rail":"base","currency":"usdc","to_address":"`+
			wallet+`"}}`)

	back.ToChain, back.ToAddress = "solana", base58
	for told, want := range map[string]error{base58: nil, strings.ToLower(base58): fiat.ErrAnswer} {
		f.answer = says(http.StatusCreated,
			`{"id":"tr_3","client_reference_id":"order-1","state":"pending","on_behalf_of":"cust_1","amount":100,
	 "source":{"currency":"usdc"},"destination":{"currency":"usdc","to_address":"`+told+`"}}`)
		if _, err = f.CreateTransfer(ctx, "k", back); !errors.Is(err, want) {
			t.Errorf("on Solana to %s: %v", told, err)
		}
	}

	f.answer = says(http.StatusOK,
		strings.NewReplacer(
			"payment_submitted", "refunded", "null", `{"reason":"R03 no account 214365879"}`,
		).Replace(taken))
	if got, err = f.Transfer(ctx, "tr_1"); err != nil || got.Refunded != got.Source || got.ReturnCode != "R03" ||
		got.ReturnReason != "R03 no account …" {
		t.Errorf("%+v %v", got, err)
	}
}

// The desk knows dollars; a USDC is one and a USDT is not.
func TestPayout_BridgeRates(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, r *http.Request) {
		rate := map[string]string{
			"from=usd&to=mxn": "18.5", "from=usdt&to=usd": "0.999", "from=usd&to=eur": "0.93",
		}[r.URL.RawQuery]
		says(http.StatusOK, fmt.Sprintf(
			`{"midmarket_rate":"%s1","buy_rate":"99","sell_rate":"%s","updated_at":"2026-11-21T11:59:30Z"}`, rate, rate,
		))(w, r)
	})
	for _, tc := range []struct {
		from, to  money.Currency
		sell, mid string
		calls     int
	}{
		{money.USDC, money.MXN, "18.5", "18.51", 1}, {money.USDC, money.USD, "1", "1", 0},
		{money.USDT, money.USD, "0.999", "0.9991", 1}, {money.USDT, money.EUR, "0.92907", "0.93016210", 2},
		{money.USDT, money.MXN, "18.4815", "18.493341", 2},
	} {
		f.calls = 0
		r, err := f.Rate(context.Background(), tc.from, tc.to)
		if err != nil || r.Sell.String() != tc.sell || r.Midmarket.String() != strings.TrimRight(tc.mid, "0") ||
			f.calls != tc.calls || r.From != tc.from || r.To != tc.to {
			t.Errorf("%s %s: %s %s %v, %d calls", tc.from, tc.to, r.Sell, r.Midmarket, err, f.calls)
		}
		if tc.calls > 0 && r.At.Equal(noon) {
			t.Error("the rate's age is lost")
		}
	}
}

// drains answers with a list of n, newest first, page by page.
func drains(n int, state string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		from := n
		if _, err := fmt.Sscanf(r.URL.Query().Get("starting_after"), "dr_%d", &from); err != nil {
			from = n
		}
		var rows []string
		for i := from - 1; i >= max(0, from-100); i-- {
			rows = append(rows,
				fmt.Sprintf(
					`{"id":"dr_%d","created_at":"2026-11-21T12:00:00.%03dZ","amount":"1.5","customer_id":"cust_1",`+
						`"liquidation_address_id":"la_1","currency":"usdc","state":%q,"client_reference_id":"o-%d",`+
						`"on_behalf_of":"cust_1","source":{"currency":"usdc"},"destination":{"currency":"mxn"}}`, i, i,
					state, i,
				))
		}
		says(http.StatusOK, `{"count":1,"data":[`+strings.Join(rows, ",")+`]}`)(w, r)
	}
}

func TestPayout_BridgePages(t *testing.T) {
	ctx := context.Background()
	f := newFake(t, drains(250, "in_review"))
	all, err := f.Drains(ctx, "cust_1", "la_1", time.Time{})
	if err != nil || len(all) != 250 || all[0].ID != "dr_249" || all[249].ID != "dr_0" || f.calls != 3 ||
		all[7].Amount != money.Of(1_500_000, money.USDC) {
		t.Errorf("%d drains in %d calls, %v", len(all), f.calls, err)
	}
	if u, _ := url.Parse(f.target); u.Path != "/v0/customers/cust_1/liquidation_addresses/la_1/drains" ||
		u.Query().Get("limit") != "100" || u.Query().Get("starting_after") != "dr_50" {
		t.Error(f.target)
	}
	since := time.Date(2026, 11, 21, 12, 0, 0, 130_000_000, time.UTC)
	if all, err = f.Drains(ctx, "cust_1", "la_1", since); err != nil || len(all) != 120 || all[119].ID != "dr_130" {
		t.Errorf("%d %v", len(all), err)
	}
	f.calls = 0
	some, err := f.Transfers(ctx, "cust_1", since)
	if err != nil || len(some) != 120 || some[119].ID != "dr_130" || !some[119].CreatedAt.Equal(since) || f.calls != 2 {
		t.Errorf("%d %v in %d calls", len(some), err, f.calls)
	}
	if some, err = f.Transfers(ctx, "cust_2", since); !errors.Is(err, fiat.ErrAnswer) || some != nil {
		t.Errorf("another's: %v %v", some, err)
	}
	found, err := f.TransferOf(ctx, "cust_1", "o-103", time.Time{})
	if err != nil || found.ID != "dr_103" || found.State != fiat.TransferInReview {
		t.Errorf("%+v %v", found, err)
	}
	for _, reference := range []string{"o-251", ""} {
		if _, err = f.TransferOf(ctx, "cust_1", reference, time.Time{}); !errors.Is(err, fiat.ErrNotFound) {
			t.Errorf("%q: %v", reference, err)
		}
	}
	f.answer = says(http.StatusOK,
		`{"data":[{"id":"d","customer_id":"cust_1","amount":"1","currency":"dai","state":"in_review"}]}`)
	if all, err = f.Drains(ctx, "cust_1", "la_1", time.Time{}); err != nil || len(all) != 1 ||
		all[0].Amount != (money.Amount{Currency: "dai"}) {
		t.Errorf("%v %v", all, err)
	}
	// A partner that gives the same page again, or never ends.
	f.answer = func(w http.ResponseWriter, r *http.Request) { r.URL.RawQuery = ""; drains(100, "in_review")(w, r) }
	if _, err = f.Drains(ctx, "cust_1", "la_1", time.Time{}); !errors.Is(err, fiat.ErrAnswer) {
		t.Error(err)
	}
	f.calls, f.answer = 0, drains(100_000, "in_review")
	if _, err = f.TransferOf(ctx, "cust_1", "o-1", time.Time{}); !errors.Is(err, fiat.ErrAnswer) ||
		f.calls != maxPages {
		t.Errorf("%v after %d calls", err, f.calls)
	}
}

// A customer's years of older transfers do not come between a payment and its answer.
func TestPayout_BridgeLooksNoFurther(t *testing.T) {
	ctx := context.Background()
	at := func(second, ms int) time.Time { return time.Date(2026, 11, 21, 12, 0, second, ms*1_000_000, time.UTC) }
	for _, c := range []struct {
		all       int
		since     time.Time
		reference string
		want      error
		calls     int
	}{
		{250, at(0, 130), "o-131", nil, 2}, {250, at(0, 130), "o-130", nil, 2},
		{250, at(0, 130), "o-100", fiat.ErrNotFound, 2}, {20_101, at(1, 0), "o-1", fiat.ErrNotFound, 1},
		{20_101, time.Time{}, "o-20050", nil, 1},
	} {
		f := newFake(t, drains(c.all, "in_review"))
		got, err := f.TransferOf(ctx, "cust_1", c.reference, c.since)
		if !errors.Is(err, c.want) || f.calls != c.calls || (err == nil) != (got.Reference == c.reference) {
			t.Errorf("%s of %d: %+v, %v in %d calls", c.reference, c.all, got, err, f.calls)
		}
	}
}
