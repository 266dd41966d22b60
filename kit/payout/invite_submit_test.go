package payout_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
)

const (
	mine   = `{"currency":"mxn","clabe":"032180000118359719"}`
	other  = `{"currency":"mxn","clabe":"002010077777777771"}`
	typing = `{"currency":"mxn","clabe":"032180000118359718"}`
)

// submit enters an account, as the page of the link does.
func submit(a *apptest.App, token, account string) apptest.Answer {
	return a.Do("", "POST", "/v1/payout/invites/submit", `{"token":"`+token+`","account":`+account+`}`)
}

func (d *desk) link() *railkit.Invite {
	d.t.Helper()
	return must(d.Invites.Create(d.t.Context(), d.to.ID))(d.t)
}

func wantEntered(t *testing.T, what string, a apptest.Answer, status string) {
	t.Helper()
	if a.Status != 201 || string(a.Data()) != `{"status":"`+status+`","currency":"mxn","lastFour":"9719"}` {
		t.Errorf("%s: %d %s", what, a.Status, a.Body)
	}
}

// A link takes one account: the same again gets what became of it, another one
// nothing. What was mistyped does not count.
func TestPayout_InviteTakesOneAccount(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	token := d.link().Token
	wantCode(
		t, "mistyped", submit(d.App, token, typing), 400, "validation_failed",
		"Validation failed: clabe must be a CLABE",
	)
	wantEntered(t, "the first", submit(d.App, token, mine), "active")
	wantEntered(t, "the same again", submit(d.App, token, `{"clabe":"032-180-00011835971-9"}`), "active")
	for what, account := range map[string]string{"another one": other, "mistyped": typing, "nothing": `{}`} {
		wantOver(t, what, submit(d.App, token, account), "used")
	}
	wantOver(t, "opened again", openInvite(d.App, token), "used")
	_, err := d.Invites.Get(t.Context(), d.to.ID)
	wantError(t, "a used one", err, 404, "not_found")
	accounts := d.accounts(true)
	if len(accounts) != 1 || accounts[0].Status != "active" || len(d.bank.accounts) != 1 {
		t.Errorf("%+v, and the partner has %d", accounts, len(d.bank.accounts))
	}
	fresh := d.link().Token
	wantOver(t, "replaced", submit(d.App, token, mine), "replaced")
	wantCode(
		t, "an account that is there", submit(d.App, fresh, mine), 409, "bank_account_exists",
		"The recipient has this bank account already",
	)
	if got := submit(d.App, fresh, other); got.Status != 201 || len(d.accounts(true)) != 2 {
		t.Errorf("a second account by a second link: %d %s", got.Status, got.Body)
	}
	record := d.Join("auditor@example.com", auth.RoleAuditor).Do("GET", "/v1/audit?actorType=invite", "")
	if n := strings.Count(record.Body, `"bank_account.create"`); n != 2 ||
		strings.Contains(record.Body, "9719") || strings.Contains(record.Body, token) {
		t.Errorf("%d entries in the record: %s", n, record.Body)
	}
}

// What the partner refuses, or does not answer, leaves the link usable.
func TestPayout_InviteAfterThePartnersFailures(t *testing.T) {
	t.Parallel()
	d := newDesk(t, apptest.WithoutSweeper())
	token := d.link().Token
	d.bank.meet(nil, say(http.StatusBadRequest, `{"code":"invalid_parameters"}`)) // after the workspace is introduced
	wantCode(t, "refused", submit(d.App, token, other), 422, "partner_refused", "The payment partner refused it")
	if got := openInvite(d.App, token); got.Status != 200 {
		t.Errorf("after a refusal: %d %s", got.Status, got.Body)
	}
	d.bank.meet(lose)
	if got := submit(d.App, token, mine); got.Status/100 != 5 {
		t.Errorf("no answer: %d %s", got.Status, got.Body)
	}
	wantCode(
		t, "another one meanwhile", submit(d.App, token, other), 503, "bank_account_registering", "being registered",
	)
	wantEntered(t, "the same again", submit(d.App, token, mine), "active")
	wantOver(t, "another one then", submit(d.App, token, other), "used")
	if len(d.bank.accounts) != 1 {
		t.Errorf("the partner has %d accounts", len(d.bank.accounts))
	}
}

// The bank may say no later: the link then takes another account, and not that one.
func TestPayout_InviteAfterARejection(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	token := d.link().Token
	d.bank.set(func(b *bankDesk) { b.status = "under_review" })
	wantEntered(t, "not yet", submit(d.App, token, mine), "pending")
	wantOver(t, "another one", submit(d.App, token, other), "used")
	d.bank.set(func(b *bankDesk) {
		for _, account := range b.accounts {
			account["status"] = "rejected"
		}
		b.status = "active"
	})
	apptest.Eventually(t, "the rejection", func() bool { return d.accounts(true)[0].Status == "rejected" })
	wantCode(
		t, "the rejected one", submit(d.App, token, mine), 422, "bank_account_not_usable",
		"its registration was rejected",
	)
	if got := openInvite(d.App, token); got.Status != 200 {
		t.Errorf("after a rejection: %d %s", got.Status, got.Body)
	}
	if got := submit(d.App, token, other); got.Status != 201 {
		t.Errorf("another one: %d %s", got.Status, got.Body)
	}
}

// submitAll sends each account at the same time, and counts the answers by status.
func submitAll(d *desk, token string, accounts ...string) map[int]int {
	var mu sync.Mutex
	counts := map[int]int{}
	var all sync.WaitGroup
	for _, account := range accounts {
		all.Go(func() {
			got := submit(d.App, token, account)
			mu.Lock()
			defer mu.Unlock()
			counts[got.Status]++
		})
	}
	all.Wait()
	return counts
}

// Of different accounts at once one is taken; the same at once is one account.
func TestPayout_InviteRaces(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ibans := []string{
		"DE89370400440532013000", "GB29NWBK60161331926819", "NO9386011117947", "FR1420041010050500013M02606",
		"NL91ABNA0417164300", "BE68539007547034",
	}
	var different []string
	for _, iban := range ibans {
		different = append(different, `{"currency":"eur","iban":"`+iban+`"}`)
	}
	got := submitAll(d, d.link().Token, different...)
	if got[201] != 1 ||
		got[201]+got[http.StatusGone]+got[http.StatusServiceUnavailable] != len(ibans) || len(d.accounts(true)) != 1 {
		t.Errorf("%v, %d accounts", got, len(d.accounts(true)))
	}
	got = submitAll(d, d.link().Token, mine, mine, mine, mine)
	if got[201] != 4 || len(d.accounts(true)) != 2 {
		t.Errorf("the same: %v, %d accounts", got, len(d.accounts(true)))
	}
}

// A link that is replaced or ended while an account comes in takes it or does not,
// and is never used after its end.
func TestPayout_InviteReplacedMeanwhile(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, end := range []func(){
		func() { d.link() },
		func() {
			must(d.Recipients.SetStatus(t.Context(), d.to.ID, railkit.RecipientStatusRequest{Status: "archived"}))(t)
		},
	} {
		token, before := d.link().Token, len(d.accounts(true))
		var got apptest.Answer
		var both sync.WaitGroup
		both.Go(func() { got = submit(d.App, token, []string{mine, other}[before]) })
		both.Go(end)
		both.Wait()
		if after := len(d.accounts(true)); got.Status != 201 && got.Status != 410 ||
			got.Status == 201 != (after == before+1) {
			t.Fatalf("%d %s, and %d accounts after %d", got.Status, got.Body, after, before)
		}
		if got.Status == 410 && before == 0 {
			d.add(railkit.BankAccountRequest{CLABE: "032180000118359719"})
		}
	}
}
