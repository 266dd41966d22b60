package payout_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
)

var mexican = railkit.BankAccountRequest{
	Country: "MX", Currency: "mxn", CLABE: "032 180 00011835971 9", BankName: "Inverlat",
}

// desk is a server with a partner, and a recipient.
type desk struct {
	*apptest.App
	*railkit.Client
	t     *testing.T
	bank  *bankDesk
	to    *railkit.Recipient
	clock *hands
}

// hands is a clock that a test moves.
type hands struct {
	mu    sync.Mutex
	moved time.Duration
}

func (h *hands) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Now().Add(h.moved)
}

func (h *hands) move(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.moved += d
}

func newDesk(t *testing.T, options ...apptest.Option) *desk {
	t.Helper()
	bank, partner := newBankDesk(t)
	clock := &hands{}
	a := apptest.New(t, append([]apptest.Option{partner, apptest.WithClock(clock)}, options...)...)
	d := &desk{App: a, Client: a.Client(), t: t, bank: bank, clock: clock}
	d.to = must(d.Recipients.Create(t.Context(), person("Ana García")))(t)
	return d
}

func (d *desk) path(more ...string) string {
	return recipientsPath + "/" + d.to.ID + "/accounts" + strings.Join(more, "")
}

func (d *desk) add(req railkit.BankAccountRequest) *railkit.BankAccount {
	d.t.Helper()
	return must(d.BankAccounts.Create(d.t.Context(), d.to.ID, req))(d.t)
}

func (d *desk) accounts(archived bool) []railkit.BankAccount {
	d.t.Helper()
	return must(d.BankAccounts.List(
		d.t.Context(), d.to.ID, railkit.BankAccountListOptions{IncludeArchived: archived},
	))(d.t).Items
}

// Each currency has its fields; the partner is told them, and answers show four digits.
func TestPayout_BankAccounts(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	home := railkit.PostalAddress{Street: "S 1", City: "Austin", State: "TX", PostalCode: "78701", Country: "US"}
	for _, c := range []struct {
		req  railkit.BankAccountRequest
		want railkit.BankAccount
		told string
	}{
		{
			mexican,
			railkit.BankAccount{Currency: "mxn", Rail: "spei", Country: "MX", LastFour: "9719", BankName: "Inverlat"},
			`"032180000118359719"`,
		},
		{
			railkit.BankAccountRequest{
				AccountNumber: "12-3456 7890", RoutingNumber: "111000025", AccountType: "checking", BankName: "First",
				Address: &home, Rail: "wire",
			},
			railkit.BankAccount{
				Currency: "usd", Rail: "wire", Country: "US", LastFour: "7890", BankName: "First",
				RoutingNumber: "111000025", AccountType: "checking",
			},
			`"1234567890"`,
		},
		{
			railkit.BankAccountRequest{Currency: "EUR", IBAN: "DE89 3704 0044 0532 0130 00", BIC: "AGBMDEMM"},
			railkit.BankAccount{Currency: "eur", Rail: "sepa", Country: "DE", LastFour: "3000", BIC: "AGBMDEMM"},
			`"DE89370400440532013000"`,
		},
		{
			railkit.BankAccountRequest{SortCode: "20-29-59", AccountNumber: "63748472"},
			railkit.BankAccount{
				Currency: "gbp", Rail: "faster_payments", Country: "GB", LastFour: "8472", SortCode: "202959",
			}, `"63748472"`,
		},
		{
			railkit.BankAccountRequest{PixKey: "fulano@example.com", TaxID: "390.533.447-05"},
			railkit.BankAccount{Currency: "brl", Rail: "pix", Country: "BR", LastFour: ".com"}, `"fulano@example.com"`,
		},
	} {
		got := d.add(c.req)
		c.want.ID, c.want.RecipientID, c.want.Status, c.want.IsActive = got.ID, d.to.ID, "active", true
		c.want.PayableAt, c.want.CreatedAt = got.PayableAt, got.CreatedAt
		c.want.UpdatedAt, c.want.Address = got.UpdatedAt, got.Address
		if *got != c.want || got.PayableAt != got.CreatedAt || uuid.Validate(got.ID) != nil {
			t.Errorf("%s:\n got %+v\nwant %+v", c.want.Currency, *got, c.want)
		}
		raw, _ := json.Marshal(d.bank.accounts)
		if !strings.Contains(string(raw), c.told) {
			t.Errorf("%s: the partner was not told the number: %s", c.want.Currency, raw)
		}
	}
	if n := d.bank.count("POST", "/customers"); n != 1 {
		t.Errorf("the workspace was introduced %d times", n)
	}
	if got := len(d.accounts(false)); got != 5 {
		t.Errorf("%d accounts are listed", got)
	}
	all := must(d.Recipients.ListWithAccounts(t.Context(), railkit.RecipientListOptions{}, false))(t)
	if len(all.Items) != 1 || len(all.Items[0].Accounts) != 5 || all.Items[0].Name != "Ana García" ||
		all.Items[0].Summary != (railkit.RecipientSummary{Total: "0.000000", Currency: "USD"}) {
		t.Errorf("%+v", all)
	}
}

// What is wrong is said by its field; the partner is asked nothing.
func TestPayout_BankAccountInput(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	post := func(body string) apptest.Answer { return d.Do(d.Keys.BenchKey, "POST", d.path(), body) }
	for body, message := range map[string]string{
		`{}`:                             "currency is required",
		`{"currency":"jpy"}`:             "currency must be one of usd, eur, mxn, brl, gbp",
		`{"currency":"mxn"}`:             "clabe is required",
		`{"clabe":"032180000118359718"}`: "clabe must be a CLABE; its check digit is wrong",
		`{"currency":"mxn","clabe":"032180000118359719","iban":"x"}`: "iban does not go with the currency mxn",
		`{"clabe":"032180000118359719","country":"Mexico"}`:          "country must have at most 3 characters",
		`{"clabe":"032180000118359719","country":"QQ"}`:              "country must be an ISO 3166 country code",
		`{"clabe":"032180000118359719","rail":"ach"}`:                "rail does not move the currency mxn",
		`{"accountNumber":"1234","account_number":"1234"}`:           "accountNumber must not be given under two names",
		`{"routing_number":"111000025"}`:                             "accountNumber is required",
		`{"routing_number":"111000026","account_number":"1234"}`:     "routingNumber must be a routing number",
		`{"clabe":"032180000118359719","address":{"city":"C"}}`:      "address.street is required",

		`{"iban":"AE070331234567890123456"}`: "iban must be an IBAN of a country that SEPA reaches",
	} {
		a := post(body)
		wantCode(t, body, a, 400, "validation_failed", message)
		if contains(a.Body, "03218", "11100002", "AE0703") {
			t.Errorf("%s: the answer repeats the value: %s", body, a.Body)
		}
	}
	if n := d.bank.count("", ""); n != 0 {
		t.Errorf("the partner was asked %d times", n)
	}
	snake := post(`{"account_number":"1234567890","routing_number":"111000025","checking_or_savings":"savings","bank_name":"First",
		"address":{"street_line_1":"S 1","city":"Austin","state":"TX","postal_code":"78701","country":"USA"}}`)
	if snake.Status != 201 || !strings.Contains(snake.Body, `"accountType":"savings"`) {
		t.Errorf("the second dialect: %d %s", snake.Status, snake.Body)
	}
	told, _ := json.Marshal(d.bank.only()["told"])
	for _, want := range []string{
		`"street_line_1":"S 1"`, `"country":"USA"`, `"account_owner_name":"Ana García"`,
		`"account_owner_type":"individual"`,
	} {
		if !strings.Contains(string(told), want) {
			t.Errorf("the partner is told %s, without %s", told, want)
		}
	}
	wantCode(t, "nobody's", d.Do(
		d.Keys.BenchKey, "POST", recipientsPath+"/"+uuid.NewString()+"/accounts", `{"clabe":"032180000118359719"}`,
	),
		404, "not_found", "Recipient not found")
}

// The same number is one account, however it is written; a salt or a key makes a
// call the same call.
func TestPayout_BankAccountOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	salted := mexican
	salted.IdempotencySalt = uuid.NewString()
	first := d.add(salted)
	again := salted
	again.CLABE = "032-180-00011835971-9"
	if got := d.add(again); got.ID != first.ID {
		t.Errorf("the same salt made %s and %s", first.ID, got.ID)
	}
	_, err := d.BankAccounts.Create(t.Context(), d.to.ID, mexican)
	wantError(t, "the same number", err, 409, "bank_account_exists")
	salted.IdempotencySalt = uuid.NewString()
	_, err = d.BankAccounts.Create(t.Context(), d.to.ID, salted)
	wantError(t, "another salt", err, 409, "bank_account_exists")
	other := must(d.Recipients.Create(t.Context(), person("Bea")))(t)
	must(d.BankAccounts.Create(t.Context(), other.ID, mexican))(t)
	if n := d.bank.count("POST", "external_accounts"); n != 2 {
		t.Errorf("the partner was asked %d times", n)
	}
}

// Of many who register one number at once, one makes it and the rest are told.
func TestPayout_BankAccountAtOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var mu sync.Mutex
	var wg sync.WaitGroup
	codes := map[int]int{}
	for range 16 {
		wg.Go(func() {
			a := d.Do(d.Keys.BenchKey, "POST", d.path(), `{"clabe":"032180000118359719"}`)
			mu.Lock()
			defer mu.Unlock()
			codes[a.Status]++
		})
	}
	wg.Wait()
	if codes[201] != 1 || codes[201]+codes[409]+codes[503] != 16 {
		t.Errorf("statuses %v", codes)
	}
	d.bank.only()
	if got := len(d.accounts(true)); got != 1 {
		t.Errorf("%d accounts", got)
	}
}

// Pending, active and rejected registrations, as the partner says.
func TestPayout_BankAccountRegistration(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.bank.set(func(b *bankDesk) { b.status = "under_review" })
	a := d.add(mexican)
	if a.Status != "pending" {
		t.Errorf("%+v", a)
	}
	_, err := d.BankAccounts.Update(t.Context(), d.to.ID, a.ID, railkit.BankAccountUpdate{Address: &home})
	wantError(t, "a change while it is pending", err, 422, "bank_account_not_usable")
	become := func(status string) {
		d.bank.set(func(b *bankDesk) {
			for _, told := range b.accounts {
				told["status"], told["rejection_reason"] = status, "account name differs"
			}
		})
		d.clock.move(time.Minute)
		apptest.Eventually(t, "the account is "+status, func() bool { return d.accounts(true)[0].Status == status })
	}
	become("active")
	d.bank.set(func(b *bankDesk) { b.status = "under_review" })
	bea := must(d.Recipients.Create(t.Context(), person("Bea")))(t)
	d.to = bea
	b := d.add(mexican)
	become("rejected")
	if got := d.accounts(true)[0]; got.Reason == "" || got.ID != b.ID {
		t.Errorf("%+v", got)
	}
	d.bank.set(func(b *bankDesk) { b.status = "active" })
	if got := d.add(mexican); got.Status != "active" || got.ID == b.ID {
		t.Errorf("a rejected number cannot be given again: %+v", got)
	}
	no := false
	// a rejected one is no last one
	must(d.BankAccounts.Update(t.Context(), d.to.ID, b.ID, railkit.BankAccountUpdate{IsActive: &no}))(t)
}

// What the partner refuses is not there; what it did not answer is asked again
// under the same key, by the caller's retry or by the sweeper.
func TestPayout_BankAccountPartnerFaults(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(railkit.BankAccountRequest{SortCode: "202959", AccountNumber: "63748472"}) // introduces the workspace
	d.bank.meet(say(http.StatusBadRequest, `{"code":"invalid_parameters","message":"clabe 032180000118359719 is not valid"}`))
	a := d.Do(d.Keys.BenchKey, "POST", d.path(), `{"clabe":"032180000118359719"}`)
	wantCode(t, "refused", a, 422, "partner_refused", "")
	if contains(a.Body, "032180000118359719") || len(d.accounts(true)) != 1 {
		t.Errorf("a refused account: %s, %+v", a.Body, d.accounts(true))
	}
	d.bank.meet(lose)
	key := uuid.NewString()
	call := func() apptest.Answer {
		return d.Do(d.Keys.BenchKey, "POST", d.path(), `{"clabe":"032180000118359719"}`, "Idempotency-Key", key)
	}
	a = call()
	if a.Status != 503 && a.Status != 502 {
		t.Errorf("a lost answer: %d %s", a.Status, a.Body)
	}
	if a = call(); a.Status != 201 {
		t.Errorf("the retry: %d %s", a.Status, a.Body)
	}
	replayed := call()
	if replayed.Status != 201 || replayed.Body != a.Body && len(d.accounts(true)) != 2 {
		t.Errorf("the second retry: %d %s", replayed.Status, replayed.Body)
	}
	d.bank.meet(lose)
	a = d.Do(d.Keys.BenchKey, "POST", d.path(), `{"iban":"DE89370400440532013000"}`)
	if a.Status/100 != 5 {
		t.Errorf("a lost answer: %d %s", a.Status, a.Body)
	}
	apptest.Eventually(t, "the sweeper finishes it", func() bool {
		all := d.accounts(true)
		return len(all) == 3 && all[0].Currency == "eur" && all[0].Status == "active"
	})
	if len(d.bank.accounts) != 3 {
		t.Errorf("the partner has %d accounts", len(d.bank.accounts))
	}
}

// A business that the partner does not know yet has no accounts.
func TestPayout_BankAccountCustomer(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.bank.set(func(b *bankDesk) { b.customer = "under_review" })
	_, err := d.BankAccounts.Create(t.Context(), d.to.ID, mexican)
	wantError(t, "under review", err, 403, "verification_incomplete")
	d.bank.set(func(b *bankDesk) { b.customer = "active" })
	d.add(mexican)
	if n := d.bank.count("POST", "/customers"); n != 1 {
		t.Errorf("the workspace was introduced %d times", n)
	}
	w, key := d.NewWorkspace([]auth.Scope{auth.Integrator}, auth.Payout)
	if _, err := d.Store.Writer().ExecContext(
		t.Context(), "UPDATE workspaces SET email = '' WHERE id = $1", w,
	); err != nil {
		t.Fatal(err)
	}
	nameless := d.ClientWith(key)
	_, err = nameless.BankAccounts.Create(
		t.Context(), must(nameless.Recipients.Create(t.Context(), person("Ana")))(t).ID, mexican,
	)
	wantError(t, "without an e-mail", err, 422, "workspace_email_missing")
	none := apptest.New(t)
	r := must(none.Client().Recipients.Create(t.Context(), person("Ana")))(t)
	_, err = none.Client().BankAccounts.Create(t.Context(), r.ID, mexican)
	wantError(t, "without a partner", err, 503, "no_payment_partner")
}

// Changes go to the partner; what names an account stays.
func TestPayout_BankAccountChange(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	us := d.add(railkit.BankAccountRequest{
		AccountNumber: "1234567890", RoutingNumber: "111000025", AccountType: "checking",
	})
	d.add(mexican)
	patch := func(body string) apptest.Answer { return d.Do(d.Keys.BenchKey, "PATCH", d.path("/", us.ID), body) }
	for body, message := range map[string]string{
		`{"account_number":"1"}`: "account_number cannot be changed",
		`{"accountNumber":"1"}`:  "account_number cannot be changed",
		`{"clabe":"1"}`:          "clabe cannot be changed", `{"iban":"1"}`: "iban cannot be changed",
		`{"sort_code":"1"}`: "sort_code cannot be changed",
		`{"brCode":"1"}`:    "br_code cannot be changed", `{"pixKey":null}`: "body must have",
	} {
		code := "immutable_field"
		if strings.HasPrefix(message, "body") {
			code = "validation_failed"
		}
		wantCode(t, body, patch(body), 400, code, message)
	}
	for body, message := range map[string]string{
		`{}`:                             "body must have routing_number, checking_or_savings, address or is_active",
		`{"routing_number":"111000026"}`: "routing_number must be a routing number",
		`{"checkingOrSavings":"gold"}`:   "checking_or_savings must be one of checking, savings",
		`{"is_active":false,"routing_number":"x"}`:             "is_active must be given by itself",
		`{"address":{"street":"S","city":"C","country":"QQ"}}`: "address.country must be an ISO 3166",
		`{"unknown":1}`: "unknown is not allowed",
	} {
		wantCode(t, body, patch(body), 400, "validation_failed", message)
	}
	got := must(d.BankAccounts.Update(
		t.Context(), d.to.ID, us.ID,
		railkit.BankAccountUpdate{RoutingNumber: "011000015", CheckingOrSavings: "savings"},
	))(t)
	if got.RoutingNumber != "011000015" ||
		got.AccountType != "savings" || got.LastFour != "7890" || got.Status != "active" {
		t.Errorf("%+v", got)
	}
	if n := d.bank.count("PUT", ""); n != 1 {
		t.Errorf("the partner was told %d times", n)
	}
	must(d.BankAccounts.Update(t.Context(), d.to.ID, us.ID, railkit.BankAccountUpdate{RoutingNumber: "011000015"}))(t)
	if n := d.bank.count("PUT", ""); n != 1 {
		t.Error("the partner is told what it knows")
	}
	d.bank.meet(say(http.StatusBadRequest, `{"code":"invalid_parameters"}`))
	wantCode(t, "refused", patch(`{"routing_number":"111000025"}`), 422, "partner_refused", "")
	if got := d.accounts(false)[1]; got.RoutingNumber != "011000015" {
		t.Errorf("a refused change: %+v", got)
	}
	d.bank.meet(lose)
	if a := patch(`{"routing_number":"111000025"}`); a.Status/100 != 5 {
		t.Errorf("a lost answer: %d %s", a.Status, a.Body)
	}
	apptest.Eventually(t, "the sweeper finishes the change", func() bool {
		return d.accounts(false)[1].RoutingNumber == "111000025"
	})
	wantCode(t, "of another rail", d.Do(
		d.Keys.BenchKey, "PATCH", d.path("/", d.accounts(false)[0].ID), `{"routing_number":"111000025"}`,
	),
		400, "validation_failed", "routing_number does not go with the currency mxn")
	wantCode(t, "under another recipient", d.Do(d.Keys.BenchKey, "PATCH",
		recipientsPath+"/"+must(d.Recipients.Create(
			t.Context(), person("Bea"),
		))(t).ID+"/accounts/"+us.ID, `{"is_active":false}`), 404, "not_found", "Bank account not found")
}
