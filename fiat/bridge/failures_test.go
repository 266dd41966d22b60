package bridge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

// What the partner may answer, and whether it could have been done all the same:
// an unknown outcome is never told as a refusal, and a refusal never as one.
func TestPayout_PartnerFaults(t *testing.T) {
	ok := strings.ReplaceAll(taken, "\n", "")
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		want   error
	}{
		// Failed, and nothing happened.
		"refused": {says(400, `{"code":"invalid_parameters","message":"bad","source":{"key":"destination"}}`),
			fiat.ErrRefused},
		"unprocessable":    {says(422, `{"code":"invalid_account_number","message":"bad"}`), fiat.ErrRefused},
		"forbidden":        {says(403, `{"code":"missing_required_endorsements"}`), fiat.ErrRefused},
		"insufficient":     {says(400, `{"code":"insufficient_funds","message":"x"}`), fiat.ErrInsufficient},
		"poor":             {says(422, `{"code":"insufficient_wallet_balance"}`), fiat.ErrInsufficient},
		"unknown to it":    {says(404, `{"code":"not_found"}`), fiat.ErrNotFound},
		"too many":         {says(429, ``), fiat.ErrBusy},
		"away":             {with("Retry-After", "7", says(503, ``)), fiat.ErrBusy},
		"conflict":         {says(409, `{"code":"resource_state_conflict"}`), fiat.ErrBusy},
		"key reused":       {says(422, `{"code":"duplicate_record","message":"x"}`), fiat.ErrKeyReused},
		"key reused again": {says(400, `{"code":"not_truly_idempotent"}`), fiat.ErrKeyReused},
		"key too old": {says(422, `{"code":"unprocessable_entity","message":"Idempotency key has expired"}`),
			fiat.ErrKeyReused},
		"key of the header": {says(422, `{"code":"invalid","location":"header","name":"Idempotency-Key"}`),
			fiat.ErrKeyReused},
		// Failed as far as one can see, but it may be done.
		"500":              {says(500, `{"code":"unexpected"}`), fiat.ErrUnavailable},
		"502":              {says(502, `<html>`), fiat.ErrUnavailable},
		"503":              {says(503, ``), fiat.ErrUnavailable},
		"504":              {says(504, ``), fiat.ErrUnavailable},
		"408":              {says(408, ``), fiat.ErrUnavailable},
		"424":              {says(424, `{"code":"external_dependency_failed"}`), fiat.ErrUnavailable},
		"our key":          {says(401, `{"code":"invalid","name":"Api-Key"}`), fiat.ErrUnavailable},
		"our rights":       {says(403, `{"code":"unauthorized"}`), fiat.ErrUnavailable},
		"somebody between": {with("Content-Type", "text/html", says(403, `<html>blocked</html>`)), fiat.ErrAnswer},
		"no reason":        {says(400, `{}`), fiat.ErrAnswer},
		"no such page":     {with("Content-Type", "text/html", says(404, `<html>not found</html>`)), fiat.ErrAnswer},
		"no such route":    {says(404, `{"message":"no route"}`), fiat.ErrAnswer},
		"wrong kind":       {with("Content-Type", "text/html", says(201, ok)), fiat.ErrAnswer},
		"no content":       {says(204, ``), fiat.ErrAnswer},
		"empty":            {says(201, ``), fiat.ErrAnswer},
		"truncated JSON":   {says(201, ok[:len(ok)/2]), fiat.ErrAnswer},
		"truncated body":   {with("Content-Length", "5000", says(201, ok)), fiat.ErrUnavailable},
		"more behind it":   {says(201, ok+ok), fiat.ErrAnswer},
		"two states":       {says(201, `{"state":"payment_processed",`+ok[1:]), fiat.ErrAnswer},
		"a list":           {says(201, `[`+ok+`]`), fiat.ErrAnswer},
		"too long":         {says(201, `{"x":"`+strings.Repeat("x", maxBody)+`",`+ok[1:]), fiat.ErrAnswer},
		"hangs up": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			fiat.ErrUnavailable},
		"slow": {slow(ok), fiat.ErrUnavailable},
		// An answer, but to another question.
		"no id":             {lies(`"id":"tr_1",`, ``), fiat.ErrAnswer},
		"strange id":        {lies(`"tr_1"`, `"../x"`), fiat.ErrAnswer},
		"another reference": {lies(`"order-1"`, `"order-2"`), fiat.ErrAnswer},
		"no reference":      {lies(`"order-1"`, `null`), fiat.ErrAnswer},
		"another customer":  {lies(`"cust_1"`, `"cust_2"`), fiat.ErrAnswer},
		"another wallet":    {lies(`"bw_1"`, `"bw_2"`), fiat.ErrAnswer},
		"another account":   {lies(`"ea_1"`, `"ea_2"`), fiat.ErrAnswer},
		"another currency":  {lies(`"mxn"`, `"eur"`), fiat.ErrAnswer},
		"an odd currency":   {lies(`"mxn"`, `"cop"`), fiat.ErrAnswer},
		"another amount":    {lies(`"initial_amount":"100.0"`, `"initial_amount":"1000"`), fiat.ErrAnswer},
		"another fee": {lies(`"developer_fee":"0.75","exchange_fee"`, `"developer_fee":"0.7","exchange_fee"`),
			fiat.ErrAnswer},
		"fee beyond": {lies(`"developer_fee":"0.75","exchange_fee"`, `"developer_fee":"175","exchange_fee"`),
			fiat.ErrAnswer},
		"a fraction":   {lies(`"1836.12"`, `"1836.123"`), fiat.ErrAnswer},
		"an exponent":  {lies(`"1836.12"`, `1.8e3`), fiat.ErrAnswer},
		"negative":     {lies(`"1836.12"`, `"-1836.12"`), fiat.ErrAnswer},
		"an object":    {lies(`"1836.12"`, `{}`), fiat.ErrAnswer},
		"no rate":      {lies(`"18.5"`, `"0"`), fiat.ErrAnswer},
		"no state":     {lies(`"payment_submitted"`, `null`), fiat.ErrAnswer},
		"an odd state": {lies(`"payment_submitted"`, `"Done!"`), fiat.ErrAnswer},
		"paid nothing": {lies(`"payment_submitted"`, `"payment_processed"`, `"1836.12"`, `"0"`), fiat.ErrAnswer},
		"a time":       {lies(`"2026-11-21T11:00:01.000Z"`, `"yesterday"`), fiat.ErrAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t, tc.answer)
			if name == "slow" {
				f.http.Timeout = 300 * time.Millisecond
			}
			got, err := f.CreateTransfer(context.Background(), "k", payout(t))
			if !errors.Is(err, tc.want) || got != (fiat.Transfer{}) {
				t.Errorf("%+v, %v", got, err)
			}
			for _, other := range []error{
				fiat.ErrRefused, fiat.ErrInsufficient, fiat.ErrNotFound, fiat.ErrBusy, fiat.ErrUnavailable,
				fiat.ErrKeyReused, fiat.ErrAnswer,
			} {
				if other != tc.want && errors.Is(err, other) {
					t.Errorf("is %v too", other)
				}
			}
			if strings.Contains(fmt.Sprint(err), apiKey) || strings.Contains(fmt.Sprint(err), f.base) {
				t.Errorf("says too much: %v", err)
			}
		})
	}
}

func with(name, value string, h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { h(header{w, name, value}, r) }
}

// header sets a header after everybody else did.
type header struct {
	http.ResponseWriter
	name, value string
}

func (h header) WriteHeader(status int) {
	h.Header().Set(h.name, h.value)
	h.ResponseWriter.WriteHeader(status)
}

// lies changes the good answer.
func lies(pairs ...string) http.HandlerFunc {
	return says(http.StatusCreated, strings.NewReplacer(pairs...).Replace(taken))
}

// slow sends a byte now and then, until nobody listens.
func slow(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := range text {
			select {
			case <-r.Context().Done():
				return
			case <-time.After(50 * time.Millisecond): // a slow one
			}
			_, _ = w.Write([]byte{text[i]})
			w.(http.Flusher).Flush()
		}
	}
}

// A word that is new is neither paid nor failed.
func TestPayout_PartnerStates(t *testing.T) {
	for state, want := range map[string]fiat.TransferState{
		"awaiting_funds": fiat.TransferAwaiting, "pending": fiat.TransferAwaiting, "in_review": fiat.TransferInReview,
		"funds_received": fiat.TransferFunded, "payment_submitted": fiat.TransferSubmitted,
		"payment_processed": fiat.TransferProcessed, "undeliverable": fiat.TransferUndeliverable,
		"returned": fiat.TransferReturned, "refund_in_flight": fiat.TransferReturned, "refunded": fiat.TransferRefunded,
		"canceled": fiat.TransferCanceled, "error": fiat.TransferError, "refund_failed": fiat.TransferError,
		"missing_return_policy": fiat.TransferError, "payment_teleported": fiat.TransferInReview,
		"kyc_required": fiat.TransferInReview,
	} {
		f := newFake(t, lies("payment_submitted", state))
		if got, err := f.Transfer(context.Background(), "tr_1"); err != nil || got.State != want {
			t.Errorf("%s: %v %v", state, got.State, err)
		}
	}
	f := newFake(t, lies(`"tr_1"`, `"tr_9"`))
	if _, err := f.Transfer(context.Background(), "tr_1"); !errors.Is(err, fiat.ErrAnswer) {
		t.Error("an id that was used for something else:", err)
	}
}

// Every other call refuses answers that are about something else, too.
func TestPayout_PartnerLies(t *testing.T) {
	ctx := context.Background()
	clabe := fiat.AccountRequest{
		Currency: money.MXN, OwnerName: "A B", Details: fiat.Details{CLABE: "014180655500000007"},
	}
	calls := map[string]func(*Client) error{
		"create customer": func(c *Client) error {
			_, err := c.CreateCustomer(ctx, "k", fiat.CustomerRequest{})
			return err
		},
		"customer":       func(c *Client) error { _, err := c.Customer(ctx, "cust_1"); return err },
		"create account": func(c *Client) error { _, err := c.CreateAccount(ctx, "k", "cust_1", clabe); return err },
		"account":        func(c *Client) error { _, err := c.Account(ctx, "cust_1", "ea_1"); return err },
		"update": func(c *Client) error {
			_, err := c.UpdateAccount(ctx, "cust_1", "ea_1", fiat.AccountChange{})
			return err
		},
		"switch": func(c *Client) error {
			_, err := c.SetAccountActive(ctx, "k", "cust_1", "ea_1", false)
			return err
		},
		"wallet": func(c *Client) error { _, err := c.CreateWallet(ctx, "k", "cust_1", "base"); return err },
		"wallet on Solana": func(c *Client) error {
			_, err := c.CreateWallet(ctx, "k", "cust_1", "solana")
			return err
		},
		"balances": func(c *Client) error { _, err := c.WalletBalances(ctx, "cust_1", "bw_1"); return err },
		"liquidation": func(c *Client) error {
			_, err := c.CreateLiquidationAddress(ctx, "k", "cust_1", fiat.LiquidationRequest{
				Chain: "base", Currency: money.USDC, WalletID: "bw_1",
			})
			return err
		},
		"rate":   func(c *Client) error { _, err := c.Rate(ctx, money.USDC, money.MXN); return err },
		"drains": func(c *Client) error { _, err := c.Drains(ctx, "cust_1", "la_1", time.Time{}); return err },
		"find":   func(c *Client) error { _, err := c.TransferOf(ctx, "cust_1", "order-1", time.Time{}); return err },
	}
	for call, answers := range map[string][]string{
		"create customer": {`{"id":"","status":"active"}`, `{"id":"cust_1"}`, `{"id":"a/b","status":"active"}`},
		"customer":        {`{"id":"cust_2","status":"active"}`, `{"id":"cust_1","status":null}`},
		"create account": {
			`{"id":"ea_1","active":true,"clabe":{"last_4":"9999"}}`, `{"id":"ea_1","active":true,"currency":"usd"}`,
			`{"id":"ea_1"}`, `{"active":true}`, `{"id":"ea_1","active":true,"customer_id":"cust_2"}`,
			`{"id":"ea_1","active":"yes"}`,
		},
		"account": {`{"id":"ea_2","active":true}`, `{"id":"ea_1","active":true,"last_4":"014180655500000007"}`},
		"update":  {`{"id":"ea_2","active":true}`},
		"switch":  {`{"id":"ea_1","active":true}`, `{"id":"ea_1"}`},
		"wallet": {`{"id":"bw_1","chain":"solana","address":"` + wallet + `"}`,
			`{"id":"bw_1","chain":"base","address":"0x1"}`, `{"id":"bw_1","chain":"base","address":"` + base58 + `"}`},
		"wallet on Solana": {`{"id":"bw_1","chain":"solana","address":"` + wallet + `"}`,
			`{"id":"bw_1","chain":"solana","address":"` + base58 + base58 + `"}`,
			`{"id":"bw_1","chain":"base","address":"` + base58 + `"}`},
		"balances": {
			`{"id":"bw_2"}`, `{"id":"bw_1","chain":"base","balances":[{"balance":"1e2","currency":"usdc"}]}`,
			`{"id":"bw_1","chain":"base","balances":[{"balance":"1","currency":"usdc"},{"balance":"2",` +
				`"currency":"usdc"}]}`,
		},
		"liquidation": {
			`{"id":"la_1","chain":"polygon","currency":"usdc","address":"` + wallet + `"}`,
			`{"id":"la_1","chain":"base","currency":"usdt","address":"` + wallet + `"}`,
			`{"id":"la_1","chain":"base","currency":"usdc","address":"` + wallet + `","bridge_wallet_id":"bw_2"}`,
			`{"id":"la_1","chain":"base","currency":"usdc","address":""}`,
		},
		"rate": {
			`{}`, `{"midmarket_rate":"18.5","sell_rate":"18.6"}`,
			`{"midmarket_rate":"18.5","sell_rate":"18.4","updated_at":"2026-11-21T12:05:00Z"}`,
			`{"midmarket_rate":"18.5","sell_rate":"0"}`, `{"midmarket_rate":"x","sell_rate":"18.4"}`,
		},
		"drains": {
			`{"data":[{"id":"d","liquidation_address_id":"la_2","amount":"1","currency":"usdc","state":"in_review"}]}`,
			`{"data":[{"id":"d","amount":"1.0000001","currency":"usdc","state":"in_review"}]}`,
			`{"data":[{"id":"d","amount":"1","currency":"usdc"}]}`, `[]`,
		},
		"find": {
			`{"data":[{"id":"tr_1","client_reference_id":"order-1","on_behalf_of":"cust_1","state":"x","source":{},` +
				`"destination":{}}]}`,
			`{"data":[` + strings.ReplaceAll(taken, "cust_1", "cust_2") + `]}`,
			`{"data":[` + strings.ReplaceAll(taken, `"on_behalf_of":"cust_1",`, "") + `]}`,
		},
	} {
		for _, answer := range answers {
			if err := calls[call](newFake(t, says(http.StatusOK, answer)).Client); !errors.Is(err, fiat.ErrAnswer) {
				t.Errorf("%s took %s: %v", call, answer, err)
			}
		}
	}
}

// A list that cannot be had says nothing of what is on it.
func TestPayout_BridgeListIsAway(t *testing.T) {
	f := newFake(t, says(404, `{"code":"not_found","message":"no such customer"}`))
	if _, err := f.TransferOf(context.Background(),
		"cust_1", "order-1", time.Time{}); !errors.Is(err, fiat.ErrAnswer) || errors.Is(err, fiat.ErrNotFound) {
		t.Error(err)
	}
}

func TestPayout_PartnerBusy(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"7": 7 * time.Second, "": 0, "-1": 0, "soon": 0, "99999999": longest, "99999999999999999999": 0,
		noon.Add(90 * time.Second).Format(http.TimeFormat): 90 * time.Second,
		noon.Add(-time.Hour).Format(http.TimeFormat):       0,
	} {
		f := newFake(t, with("Retry-After", header, says(429, ``)))
		_, err := f.Transfer(context.Background(), "tr_1")
		var busy *fiat.Busy
		if !errors.As(err, &busy) || busy.After != want {
			t.Errorf("%q: %v", header, err)
		}
	}
}

// A redirect would carry the key and a bank account elsewhere.
func TestPayout_BridgeStays(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("followed to %s with %q", r.URL, r.Header.Get("Api-Key"))
	}))
	defer elsewhere.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		f := newFake(t, with("Location", elsewhere.URL, says(status, `{}`)))
		if _, err := f.CreateTransfer(context.Background(), "k", payout(t)); !errors.Is(err, fiat.ErrAnswer) {
			t.Error(status, err)
		}
	}
}

func TestPayout_BridgeAsksNothingStrange(t *testing.T) {
	f := newFake(t, says(200, `{}`))
	for _, id := range []string{"", "..", "a/b", "a?b", "é", strings.Repeat("a", 65)} {
		if _, err := f.Transfer(context.Background(), id); !errors.Is(err, fiat.ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
		if _, err := f.Account(context.Background(), "cust_1", id); !errors.Is(err, fiat.ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, err := f.CreateTransfer(context.Background(), "", payout(t)); !errors.Is(err, errKey) {
		t.Error(err)
	}
	for _, q := range []fiat.AccountRequest{
		{Currency: "cop"}, {Currency: money.EUR, Details: fiat.Details{IBAN: "Q"}},
		{Currency: money.MXN, Address: fiat.Address{Country: "QQ"}},
	} {
		if _, err := f.CreateAccount(context.Background(), "k", "cust_1", q); !errors.Is(err, fiat.ErrRefused) {
			t.Error(err)
		}
	}
	if f.calls != 0 {
		t.Errorf("%d calls", f.calls)
	}
	for _, c := range []Config{{}, {URL: "http://x"}, {URL: "x", Key: "k"}, {URL: "ftp://x",
		Key: "k"}, {URL: "http://u:p@x", Key: "k"}, {URL: "http://x?y", Key: "k"}, {URL: "http://[", Key: "k"}} {
		if _, err := New(c); err == nil {
			t.Errorf("%+v", c)
		}
	}
}

// A partner may say anything back. Nothing of a bank account, and never our key,
// gets into an error.
func TestPayout_BridgeKeepsSecrets(t *testing.T) {
	for _, d := range []fiat.Details{
		{CLABE: "014180655500000007"}, {IBAN: "NL91ABNA0417164300", BIC: "ABNANL2A"},
		{AccountNumber: "215268129123", RoutingNumber: "101019644"}, {AccountNumber: "31926819", SortCode: "601613"},
		{PixKey: "someone@example.com", TaxID: "12345678901"},
	} {
		q := fiat.AccountRequest{Currency: money.MXN, Details: d}
		switch {
		case d.IBAN != "":
			q.Currency = money.EUR
		case d.RoutingNumber != "":
			q.Currency = money.USD
		case d.SortCode != "":
			q.Currency = money.GBP
		case d.PixKey != "":
			q.Currency = money.BRL
		}
		body, err := accountOf(q)
		if err != nil {
			t.Fatal(err)
		}
		saysBack(t, q, append(secretsOf(body), apiKey))
	}
}

func saysBack(t *testing.T, q fiat.AccountRequest, secrets []string) {
	t.Helper()
	for _, format := range []string{
		`{"code":"invalid","message":"no: %s"}`, `{"code":"%s","message":"no"}`,
		`{"code":"invalid","source":{"key":"%s"}}`, `{"code":"invalid","source":{"key":{"%s":"is bad"}}}`,
		`{"code":"invalid","name":"%s"}`, `%s`,
	} {
		all := strings.Join(secrets, " ")
		if !strings.Contains(format, "message") {
			all = strings.Join(secrets, ".")
		}
		for _, status := range []int{200, 302, 400, 401, 403, 404, 409, 422, 429, 500, 503} {
			f := newFake(t, says(status, fmt.Sprintf(format, all)))
			_, err := f.CreateAccount(context.Background(), "k", "cust_1", q)
			text := fmt.Sprintf("%v %+v", err, fiat.Fault(err))
			var refusal *fiat.Refusal
			if errors.As(err, &refusal) {
				text += fmt.Sprintf("%+v", *refusal)
			}
			for _, s := range secrets {
				if err == nil || strings.Contains(strings.ToLower(text), strings.ToLower(s)) {
					t.Fatalf("%d %s: %s", status, format, text)
				}
			}
		}
	}
}
