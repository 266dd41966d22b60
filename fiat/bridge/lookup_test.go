package bridge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/railkit/railkit/fiat"
)

// route is one of a list, as Bridge documents it.
const route = `{"id":"la_1","chain":"base","currency":"usdc","customer_id":"cust_1","address":"` + wallet + `",
"external_account_id":"ea_1","bridge_wallet_id":null,"destination_payment_rail":"wire","destination_currency":"usd",
"state":"active","created_at":"2026-11-21T12:00:00.000Z","updated_at":"2026-11-21T12:00:00.000Z"}`

func TestPayout_BridgeLookup(t *testing.T) {
	ctx := context.Background()
	listed := Route{
		ID: "la_1", CustomerID: "cust_1", Chain: "base", Currency: "usdc", Address: wallet, State: "active",
		CreatedAt: noon, Rail: "wire", ToCurrency: "usd", AccountID: "ea_1",
	}
	identity := func(c *Client) (any, error) { return c.Identity(ctx, "cust_1") }
	try(t, map[string]call{
		"of a customer": {
			func(c *Client) (any, error) { return c.Routes(ctx, "cust_1") },
			`GET /v0/customers/cust_1/liquidation_addresses?limit=100`, `{"count":1,"data":[` + route + `]}`,
			[]Route{listed},
		},
		"of all customers": {
			func(c *Client) (any, error) { return c.Routes(ctx, "") },
			`GET /v0/liquidation_addresses?limit=100`, `{"data":[` + route + `]}`, []Route{listed},
		},
		"a person": {identity, `GET /v0/customers/cust_1`,
			`{"id":"cust_1","first_name":"John","last_name":"Doe","email":"j@doe.example"}`,
			Identity{"cust_1", "John Doe", "j@doe.example"}},
		"a business": {identity, `GET /v0/customers/cust_1`, `{"id":"cust_1","first_name":"Biz Corp","last_name":"_"}`,
			Identity{"cust_1", "Biz Corp", ""}},
		"a legal name": {identity, `GET /v0/customers/cust_1`, `{"id":"cust_1","business_legal_name":"Acme"}`,
			Identity{"cust_1", "Acme", ""}},
		"wallet": {
			func(c *Client) (any, error) { return c.Wallet(ctx, "cust_1", "bw_1") },
			`GET /v0/customers/cust_1/wallets/bw_1`, `{"id":"bw_1","chain":"base","address":"` + wallet + `"}`,
			fiat.Wallet{ID: "bw_1", Chain: "base", Address: wallet},
		},
		"bank account": {
			func(c *Client) (any, error) { return c.BankAccount(ctx, "cust_1", "ea_1") },
			`GET /v0/customers/cust_1/external_accounts/ea_1`,
			`{"id":"ea_1","active":true,"account_owner_name":"Ana Ruiz","bank_name":"STP","account":{"last_4":"9719"}}`,
			BankAccount{"ea_1", "Ana Ruiz", "STP", "9719"},
		},
	})
}

// What is not about the question is not used.
func TestPayout_BridgeLookupLies(t *testing.T) {
	ctx := context.Background()
	routes := func(c *Client) error { _, err := c.Routes(ctx, "cust_1"); return err }
	for answer, ask := range map[string]func(*Client) error{
		strings.Replace(route, "cust_1", "cust_2", 1):                      routes,
		strings.Replace(route, `"customer_id":"cust_1",`, "", 1):           routes,
		strings.Replace(route, "la_1", "../la_1", 1):                       routes,
		strings.Replace(route, `"base"`, `""`, 1):                          routes,
		strings.Replace(route, "usdc", "", 1):                              routes,
		strings.Replace(route, wallet, "", 1):                              routes,
		strings.Replace(route, wallet, strings.Repeat("0", 129), 1):        routes,
		strings.Replace(route, "2026-11-21T12:00:00.000Z", "yesterday", 1): routes,
		`{"id":"cust_2"}`: func(c *Client) error { _, err := c.Identity(ctx, "cust_1"); return err },
		`{"id":"bw_2"}`:   func(c *Client) error { _, err := c.Wallet(ctx, "cust_1", "bw_1"); return err },
		`{"id":"ea_2","active":true}`: func(c *Client) error {
			_, err := c.BankAccount(ctx, "cust_1", "ea_1")
			return err
		},
	} {
		if strings.Contains(answer, "updated_at") {
			answer = `{"data":[` + answer + `]}`
		}
		f := newFake(t, says(http.StatusOK, answer))
		if err := ask(f.Client); !errors.Is(err, fiat.ErrAnswer) {
			t.Errorf("%s: %v", answer, err)
		}
	}
	f := newFake(t, says(http.StatusUnauthorized, `{"code":"invalid","message":"Invalid Api-Key header"}`))
	if err := routes(f.Client); !errors.Is(err, ErrKey) || !errors.Is(err, fiat.ErrUnavailable) {
		t.Error(err)
	}
}

func TestPayout_BridgeRoutePages(t *testing.T) {
	ctx := context.Background()
	f := newFake(t, pagesOfRoutes(250))
	all, err := f.Routes(ctx, "cust_1")
	if err != nil || len(all) != 250 || all[0].ID != "la_249" || all[249].ID != "la_0" || f.calls != 3 {
		t.Errorf("%d routes in %d calls, %v", len(all), f.calls, err)
	}
	if u, _ := url.Parse(f.target); u.Query().Get("starting_after") != "la_50" {
		t.Error(f.target)
	}
	f.answer = func(w http.ResponseWriter, r *http.Request) { r.URL.RawQuery = ""; pagesOfRoutes(100)(w, r) }
	if _, err = f.Routes(ctx, ""); !errors.Is(err, fiat.ErrAnswer) {
		t.Error("a list that repeats itself:", err)
	}
	f.calls, f.answer = 0, pagesOfRoutes(100_000)
	if _, err = f.Routes(ctx, ""); !errors.Is(err, fiat.ErrAnswer) || f.calls != maxPages {
		t.Errorf("%v after %d calls", err, f.calls)
	}
}

// pagesOfRoutes answers with a list of n, newest first, page by page.
func pagesOfRoutes(n int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		from := n
		if _, err := fmt.Sscanf(r.URL.Query().Get("starting_after"), "la_%d", &from); err != nil {
			from = n
		}
		var rows []string
		for i := from - 1; i >= max(0, from-100); i-- {
			rows = append(rows, strings.Replace(route, "la_1", fmt.Sprintf("la_%d", i), 1))
		}
		says(http.StatusOK, `{"data":[`+strings.Join(rows, ",")+`]}`)(w, r)
	}
}
