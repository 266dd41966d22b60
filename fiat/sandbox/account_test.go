package sandbox_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

// numbers are good ones, by currency.
var numbers = map[string]object{
	"usd": {"account_type": "us", "account": object{
		"account_number": "215268129123", "routing_number": "021000021", "checking_or_savings": "checking",
	}},
	"mxn": {"account_type": "clabe", "clabe": object{"account_number": clabe}},
	"eur": {"account_type": "iban",
		"iban": object{"account_number": "DE89370400440532013000", "bic": "COBADEFFXXX", "country": "DEU"}},
	"brl": {"account_type": "pix",
		"pix_key": object{"pix_key": "ana.ruiz@example.com", "document_number": "52998224725"}},
	"gbp": {"account_type": "gb", "account": object{"account_number": "31926819", "sort_code": "60-16-13"}},
}

func bankBody(currency string, change object) object {
	body := object{"currency": currency, "bank_name": "STP", "account_owner_name": "Ana Ruiz"}
	for _, part := range []object{numbers[currency], change} {
		for name, value := range part {
			body[name] = value
		}
	}
	return body
}

// Good accounts are active at once, and no answer says their number again.
func TestPartner_Accounts(t *testing.T) {
	t.Parallel()
	p := open(t)
	c := text(p.made("/v0/customers", object{"business_legal_name": "Acme", "email": "ops@acme.test"}), "id")
	path := "/v0/customers/" + c + "/external_accounts"
	for currency := range numbers {
		a := p.made(path, bankBody(currency, nil))
		again := p.got(path + "/" + text(a, "id"))
		for _, answer := range []object{a, again} {
			raw, _ := json.Marshal(answer)
			for _, secret := range []string{
				"215268129123", clabe, "DE89370400440532013000", "ana.ruiz@", "52998224725", "31926819",
			} {
				if strings.Contains(string(raw), secret) {
					t.Errorf("%s: the answer says %s", currency, secret)
				}
			}
			if answer["status"] != "active" || answer["active"] != true || len(text(answer, "last_4")) != 4 {
				t.Errorf("%s: %v", currency, answer)
			}
		}
	}
	if n := p.got(path)["count"]; n != 5.0 {
		t.Errorf("%v accounts are listed", n)
	}
	for what, c := range map[string]struct {
		body  object
		field string
	}{
		"currency":   {bankBody("jpy", nil), "currency"},
		"type":       {bankBody("usd", object{"account_type": "iban"}), "account_type"},
		"owner":      {bankBody("usd", object{"account_owner_name": " "}), "account_owner_name"},
		"owner type": {bankBody("usd", object{"account_owner_type": "robot"}), "account_owner_type"},
		"no number":  {bankBody("mxn", object{"clabe": nil}), "clabe"},
		"clabe": {bankBody("mxn", object{"clabe": object{"account_number": "032180000118359718"}}),
			"clabe.account_number"},
		"iban": {bankBody("eur", object{"iban": object{"account_number": "DE88370400440532013000"}}),
			"iban.account_number"},
		"bic": {bankBody("eur", object{
			"iban": object{"account_number": "DE89370400440532013000", "bic": "x"},
		}), "iban.bic"},
		"routing": {bankBody("usd", object{
			"account": object{"account_number": "12345", "routing_number": "021000022"},
		}), "account.routing_number"},
		"sort code": {bankBody("gbp", object{"account": object{"account_number": "31926819", "sort_code": "6016"}}),
			"account.sort_code"},
		"pix":     {bankBody("brl", object{"pix_key": nil}), "pix_key"},
		"country": {bankBody("usd", object{"address": object{"country": "US"}}), "address.country"},
	} {
		p.refused(what, http.MethodPost, path, c.body, 400, "invalid_parameters", c.field)
	}
	p.refused("no customer", http.MethodPost, "/v0/customers/none/external_accounts",
		bankBody("usd", nil), 404, "not_found", "")
}

// Registrations wait, end, close and open again; of the rest little may change.
func TestPartner_AccountLife(t *testing.T) {
	t.Parallel()
	p := open(t)
	c := text(p.made("/v0/customers", object{"business_legal_name": "Acme", "email": "ops@acme.test"}), "id")
	path := "/v0/customers/" + c + "/external_accounts"
	status := func(id string) any { t.Helper(); return p.got(path + "/" + id)["status"] }
	first, second := text(p.made(path, bankBody("usd", object{"bank_name": "Pending Bank"})), "id"), text(p.made(path,
		bankBody("usd", object{"bank_name": "Pending"})), "id")
	never := p.made(path, bankBody("usd", object{"bank_name": "Rejected Bank"}))
	if status(first) != "pending" || never["status"] != "rejected" || text(never, "rejection_reason") == "" {
		t.Errorf("pending is %v, rejected is %v", status(first), never)
	}
	if err := p.control.Decide(t.Context(), second, "rejected", "no such bank"); err != nil ||
		status(second) != "rejected" {
		t.Errorf("decided: %v, %v", status(second), err)
	}
	if err := p.control.Advance(t.Context(), 25*time.Hour); err != nil || status(first) != "active" {
		t.Errorf("after a day: %v, %v", status(first), err)
	}
	for _, step := range []struct {
		method, path string
		body         any
		want         string
	}{
		{"POST", "/deactivate", nil, "closed"}, {"POST", "/reactivate", nil, "active"}, {"DELETE", "", nil, "closed"},
		{"PUT", "", object{"active": true}, "active"}, {"PUT", "", object{"active": false}, "closed"},
	} {
		if code, a := p.call(step.method, path+"/"+first+step.path, step.body); code/100 != 2 ||
			a["status"] != step.want {
			t.Errorf("%s %s: %d %v", step.method, step.path, code, a)
		}
	}
	code, a := p.call("PUT", path+"/"+first, object{
		"address": object{"street_line_1": "1 Main St", "city": "Austin", "country": "USA"},
		"account": object{"routing_number": "121000248"}})
	if code != 200 || text(a, "account", "routing_number") != "121000248" || text(a, "address", "city") != "Austin" {
		t.Errorf("changed: %d %v", code, a)
	}
	p.refused("number", "PUT", path+"/"+first, object{"account": object{"account_number": "1"}}, 400,
		"invalid_parameters", "")
	p.refused("owner", "PUT", path+"/"+first, object{"account_owner_name": "Eve"}, 400, "invalid_parameters", "")
	p.refused("unknown", "GET", path+"/none", nil, 404, "not_found", "")
}

func TestPartner_Customers(t *testing.T) {
	t.Parallel()
	p := open(t)
	slow := text(p.made("/v0/customers", object{"business_legal_name": "Pending Acme", "email": "ops@acme.test"}), "id")
	bad := p.made("/v0/customers", object{
		"type": "individual", "first_name": "Rejected", "last_name": "Ruiz", "email": "a@b.c",
	})
	if bad["status"] != "rejected" {
		t.Errorf("rejected is %v", bad)
	}
	p.refused("under review", http.MethodPost, "/v0/customers/"+slow+"/wallets", object{"chain": "base"}, 400,
		"requires_active_kyc_status", "")
	if err := p.control.Advance(t.Context(), 25*time.Hour); err != nil {
		t.Fatal(err)
	}
	w := p.made("/v0/customers/"+slow+"/wallets", object{"chain": "base"})
	if again := p.made("/v0/customers/"+slow+"/wallets", object{"chain": "base"}); text(again, "id") == text(w, "id") ||
		text(again, "address") == text(w, "address") {
		t.Errorf("asked for a second wallet it answers with the first one: %v", again)
	}
	p.refused("chain", http.MethodPost, "/v0/customers/"+slow+"/wallets", object{"chain": "bitcoin"}, 400,
		"invalid_parameters", "chain")
	p.refused("token", http.MethodPost, "/v0/customers/"+slow+"/liquidation_addresses",
		object{"chain": "base", "currency": "usdt", "bridge_wallet_id": text(w, "id")}, 400,
		"invalid_parameters", "currency")
	p.refused("wallet", http.MethodPost, "/v0/customers/"+slow+"/liquidation_addresses",
		object{"chain": "base", "currency": "usdc", "bridge_wallet_id": slow}, 400, "not_found", "bridge_wallet_id")
	route := object{"chain": "base", "currency": "usdc", "bridge_wallet_id": text(w, "id")}
	p.made("/v0/customers/"+slow+"/liquidation_addresses", route)
	p.refused("the same route", http.MethodPost, "/v0/customers/"+slow+"/liquidation_addresses", route,
		400, "duplicate_record", "")
	p.refused("no name", http.MethodPost, "/v0/customers", object{"email": "a@b.c"}, 400,
		"invalid_parameters", "business_legal_name")
	p.refused("no mail", http.MethodPost, "/v0/customers", object{"business_legal_name": "x"}, 400,
		"invalid_parameters", "email")
	ids := map[string]bool{}
	for range 3 {
		p.made("/v0/customers", object{"business_legal_name": "More", "email": "a@b.c"})
	}
	for path := "/v0/customers?limit=2"; ; {
		page := list(p.got(path))
		for _, one := range page {
			ids[text(one, "id")] = true
		}
		if len(page) < 2 {
			break
		}
		path = "/v0/customers?limit=2&starting_after=" + text(page[1], "id")
	}
	if len(ids) != 5 {
		t.Errorf("%d customers are listed", len(ids))
	}
	p.refused("page", http.MethodGet, "/v0/customers?limit=101", nil, 400, "invalid_parameters", "")
	p.key = "another"
	p.refused("key", http.MethodGet, "/v0/customers", nil, 401, "unauthorized", "")
}

// Each currency's account has an own number, and right check digits.
func TestPartner_VirtualAccounts(t *testing.T) {
	t.Parallel()
	p := open(t)
	c := text(p.made("/v0/customers", object{"business_legal_name": "Acme", "email": "ops@acme.test"}), "id")
	seen := map[string]bool{}
	for range 2 {
		for currency, field := range map[string]string{
			"usd": "bank_account_number", "mxn": "clabe", "eur": "iban", "gbp": "account_number", "brl": "br_code",
		} {
			a := p.made("/v0/customers/"+c+"/virtual_accounts", object{"source": object{"currency": currency},
				"destination": object{
					"payment_rail": "base", "currency": "usdc", "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
				}})
			number := text(a, "source_deposit_instructions", field)
			if seen[number] || number == "" || a["status"] != "activated" {
				t.Errorf("%s: %v", currency, a)
			}
			seen[number] = true
			body := map[string]object{
				"mxn": {"clabe": object{"account_number": number}}, "eur": {"iban": object{"account_number": number}},
			}[currency]
			if body != nil { // the check of external accounts agrees
				p.made("/v0/customers/"+c+"/external_accounts", bankBody(currency, body))
			}
		}
	}
	p.refused("currency", http.MethodPost, "/v0/customers/"+c+
		"/virtual_accounts", object{"source": object{"currency": "usdc"},
		"destination": object{
			"payment_rail": "base", "currency": "usdc", "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
		}}, 400, "invalid_parameters", "source.currency")
	p.refused("fee", http.MethodPost, "/v0/customers/"+c+"/virtual_accounts", object{
		"source": object{"currency": "usd"}, "developer_fee_percent": "0.505", "destination": object{
			"payment_rail": "base", "currency": "usdc", "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
		}}, 400, "invalid_parameters", "developer_fee_percent")
	p.refused("address", http.MethodPost, "/v0/customers/"+c+
		"/virtual_accounts", object{"source": object{"currency": "usd"},
		"destination": object{
			"payment_rail": "base", "currency": "usdc", "address": "x",
		}}, 400, "invalid_parameters", "destination.address")
}
