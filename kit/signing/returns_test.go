package signing_test

import (
	"errors"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/rest"
	railkit "github.com/railkit/railkit/sdk/go"
	authenticator "github.com/railkit/railkit/sdk/go/passkey"
	"github.com/railkit/railkit/text"
)

// code is that of an error of the API.
func code(err error) string {
	var e *railkit.Error
	errors.As(err, &e)
	if e == nil {
		return ""
	}
	return e.Code
}

const shop = "https://shop.example.com"

func originsPath(a *apptest.App) string {
	return "/v1/integrators/" + a.Keys.WorkspaceID + "/return-origins"
}

// register registers a return origin for a member.
func register(t *testing.T, a *apptest.App, by *apptest.Browser, origin string) apptest.Answer {
	t.Helper()
	return by.Do("POST", originsPath(a), apptest.JSON(t, rest.ReturnOriginRequest{Origin: origin}))
}

// back is where the page of a link leads.
func back(t *testing.T, a *apptest.App, secret string) rest.CeremonyReturn {
	t.Helper()
	var v rest.CeremonyReturn
	if got := a.CallPage("/return", finishing{Token: secret}); got.Status != 200 || got.Into(&v) != nil {
		t.Fatalf("return: %d %s", got.Status, got.Body)
	}
	return v
}

// wantBack wants the page to lead to an address with these parameters.
func wantBack(t *testing.T, a *apptest.App, secret string, want url.Values) {
	t.Helper()
	v := back(t, a, secret)
	path, query, _ := strings.Cut(v.URL, "?")
	got, err := url.ParseQuery(query)
	if err != nil || v.Origin != shop || path != shop+"/paid" || got.Encode() != want.Encode() {
		t.Errorf("it leads to %+v, want %v", v, want)
	}
}

// Only an admin who has just logged in registers an origin, and all admins are told by mail.
func TestSigning_ReturnOrigins(t *testing.T) {
	t.Parallel()
	late := &laterClock{}
	a := apptest.Rig(t, apptest.WithoutSweeper(), apptest.WithClock(clock.Func(late.now)))
	ada, ben := a.Join("ada@example.com", auth.RoleAdmin), a.Join("ben@example.com", auth.RoleAdmin)
	mia := a.Join("mia@example.com", auth.RoleManager)
	known := a.Mail.Mails()

	wantError(t, a.Do(a.Keys.AdminKey, "POST", originsPath(a), `{"origin":"`+shop+`"}`), 401, "authorization_scheme")
	wantError(t, register(t, a, mia, shop), 403, "insufficient_scope")
	late.forward(auth.FreshLogin + time.Second)
	ada.Take(ada.Post("/v1/auth/refresh", ""))
	wantError(t, register(t, a, ada, shop), 403, "login_not_fresh")
	if len(a.Mail.Mails()) > len(known) {
		t.Error("a refusal was mailed")
	}
	ada.Take(ada.Login())
	for _, wrong := range []string{
		shop + "/", shop + "/paid", "http://shop.example.com", "shop.example.com", "javascript:x",
	} {
		wantError(t, register(t, a, ada, wrong), 400, "validation_failed")
	}
	var first, again rest.ReturnOrigin
	if got := register(t, a, ada, shop); got.Status != 201 || got.Into(&first) != nil || first.Origin != shop ||
		first.CreatedBy != ada.MemberID {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	if got := register(t, a, ada, shop); got.Status != 201 || got.Into(&again) != nil || again != first {
		t.Errorf("again: %d %s", got.Status, got.Body)
	}
	for _, to := range []string{"ada@example.com", "ben@example.com"} {
		m := a.MailTo(to, known...)
		if !strings.Contains(m.Text, text.InMail(shop)) || !strings.Contains(m.Text, ada.MemberID) {
			t.Errorf("the mail to %s: %s", to, m.Text)
		}
	}
	for _, m := range a.Mail.Mails()[len(known):] {
		if slices.Contains(m.To, "mia@example.com") {
			t.Error("a manager was mailed")
		}
	}

	var listed []rest.ReturnOrigin
	if got := mia.Do("GET", originsPath(a), ""); got.Into(&listed) != nil || len(listed) != 1 || listed[0] != first {
		t.Errorf("listed: %d %s", got.Status, got.Body)
	}
	for range 2 { // removing takes no fresh login
		if got := ben.Do("DELETE", originsPath(a)+"/"+first.ID, ""); got.Status != 200 {
			t.Errorf("removed: %d %s", got.Status, got.Body)
		}
	}
	if got := ben.Do("GET", originsPath(a), ""); got.Into(&listed) != nil || len(listed) != 0 {
		t.Errorf("listed after the removal: %d %s", got.Status, got.Body)
	}
	wantError(t, ben.Do("DELETE", originsPath(a)+"/"+a.Keys.WorkspaceID, ""), 404, "not_found")
	for i := range 20 {
		if got := register(t, a, ada, "https://a"+strings.Repeat("b", i)+".example.com"); got.Status != 201 {
			t.Fatalf("origin %d: %d %s", i, got.Status, got.Body)
		}
	}
	wantError(t, register(t, a, ada, shop), 409, "return_origins_full")
}

// The page leads back from a link that was finished, cancelled or has expired, and to nowhere from one that is open, or
// once the origin was removed.
func TestSigning_CeremonyReturns(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t, apptest.WithoutSweeper())
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	ada := a.Join("ada@example.com", auth.RoleAdmin)
	payment := func(to railkit.ReturnTo) (*railkit.PreparedTransaction, error) {
		p := alice.Payment(receiver, "1")
		p.ReturnTo = to
		return c.Transactions.Prepare(ctx, p)
	}
	to := railkit.ReturnTo{ReturnURL: shop + "/paid?from=page", State: "invoice&outcome=done"}
	if _, err := payment(to); code(err) != "return_origin_unknown" {
		t.Fatalf("an origin that nobody registered: %v", err)
	}
	var origin rest.ReturnOrigin
	if got := register(t, a, ada, shop); got.Into(&origin) != nil {
		t.Fatal(got.Body)
	}
	if _, err := payment(railkit.ReturnTo{State: "7"}); code(err) != "validation_failed" {
		t.Errorf("a state without an address: %v", err)
	}
	next := func() (*railkit.PreparedTransaction, string) {
		p, err := payment(to)
		if err != nil {
			t.Fatal(err)
		}
		return p, token(t, a, p.CeremonyURL)
	}
	want := func(id, outcome string) url.Values {
		return url.Values{
			"from": {"page"}, "id": {id}, "kind": {"transaction"}, "outcome": {outcome}, "state": {to.State},
		}
	}

	p, secret := next()
	if v := back(t, a, secret); v.URL != "" {
		t.Errorf("an open link leads to %s", v.URL)
	}
	finished(t, a, finishing{Token: secret, Stamp: stampOf(t, alice, p.UnsignedActivity.Body)}, 200, &struct{}{})
	wantBack(t, a, secret, want(p.TransactionID, "done"))

	p, secret = next()
	if _, err := c.Transactions.Cancel(ctx, p.TransactionID); err != nil {
		t.Fatal(err)
	}
	wantBack(t, a, secret, want(p.TransactionID, "cancelled"))

	p, secret = next()
	edit(t, a, "UPDATE ceremonies SET expires_at = 1 WHERE subject = $1", p.TransactionID)
	wantBack(t, a, secret, want(p.TransactionID, "expired"))

	_, none := linked(t, a, c, alice, "1")
	_, secret = next()
	if got := ada.Do("DELETE", originsPath(a)+"/"+origin.ID, ""); got.Status != 200 {
		t.Fatal(got.Body)
	}
	for what, secret := range map[string]string{"whose origin was removed": secret, "without an address": none} {
		if got := decline(a, secret, ""); got.Status != 200 {
			t.Fatalf("declined: %d %s", got.Status, got.Body)
		}
		if v := back(t, a, secret); v != (rest.CeremonyReturn{}) {
			t.Errorf("a link %s leads to %+v", what, v)
		}
	}

}

// The operator's dashboard counts as registered. A link that the page makes next, such as the one by which another
// passkey adds the new one, leads where the first one did.
func TestSigning_CeremonyReturnsFromTheNextLink(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t, apptest.WithoutSweeper())
	alice := a.Fund(a.Client(), "alice@example.com")
	var asked, next struct{ CeremonyURL string }
	got := a.Do(a.Keys.BenchKey, "POST", "/v1/signing/passkeys/challenge", apptest.JSON(t, map[string]string{
		"subOrganizationId": alice.Sub.SubOrganizationID, "returnUrl": apptest.Dashboard + "/passkeys", "state": "7",
	}))
	if err := got.Into(&asked); err != nil || got.Status != 201 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	first := token(t, a, asked.CeremonyURL)
	pk := authenticator.Browser{Authenticator: authenticator.New(a.Origin)}
	att, err := pk.Create([]byte(apptest.JSON(t, opened(t, a, first, link.Add).Register.Options)))
	if err != nil {
		t.Fatal(err)
	}
	finished(t, a, finishing{Token: first, Attestation: &att}, 200, &next)
	second := token(t, a, next.CeremonyURL)
	if v := back(t, a, second); v.URL != "" {
		t.Errorf("an open link leads to %s", v.URL)
	}
	if got := decline(a, second, ""); got.Status != 200 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	for secret, outcome := range map[string]string{first: "outcome=done", second: "outcome=declined"} {
		if v := back(t, a, secret); v.Origin != apptest.Dashboard || !strings.Contains(v.URL, outcome) ||
			!strings.HasPrefix(v.URL, apptest.Dashboard+"/passkeys?") || !strings.Contains(v.URL, "state=7") {
			t.Errorf("%s: %+v", outcome, v)
		}
	}
}

// The curl lines of docs/passkey-page.md work when they are pasted: an admin registers the origin, and a payment names
// it.
func TestSigning_ReturnLinesOfTheDocumentation(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t, apptest.WithoutSweeper())
	alice := a.Fund(a.Client(), "alice@example.com")
	ada := a.Join("ada@example.com", auth.RoleAdmin)
	script := exec.Command("sh", "-eu", "-c", shellLines(t, "../../docs/passkey-page.md", "$API"))
	script.Env = append(os.Environ(), "API="+a.BaseURL, "KEY="+a.Keys.BenchKey, "SESSION="+ada.Access,
		"WORKSPACE="+a.Keys.WorkspaceID, "FROM="+alice.Address.Address, "TO="+receiver,
		"USDC="+alice.Payment(receiver, "1").TokenAddress)
	out, err := script.CombinedOutput()
	if text := string(out); err != nil || strings.Count(text, `"success":true`) != 2 ||
		!strings.Contains(text, `"ceremonyUrl":`) {
		t.Errorf("%v\n%s", err, text)
	}
}
