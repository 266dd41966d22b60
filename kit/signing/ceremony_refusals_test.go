package signing_test

import (
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/kit/signing/transaction"
	railkit "github.com/railkit/railkit/sdk/go"
)

// linked is a payment that waits on the page.
func linked(
	t *testing.T, a *apptest.App, c *railkit.Client, o apptest.Owner, amount string,
) (p *railkit.PreparedTransaction, secret string) {
	t.Helper()
	p, err := c.Transactions.Prepare(ctx, o.Payment(receiver, amount))
	if err != nil {
		t.Fatal(err)
	}
	return p, token(t, a, p.CeremonyURL)
}

// wantOver wants that a link says why it is over, to whoever opens or finishes it.
func wantOver(t *testing.T, a *apptest.App, f finishing, reason string) {
	t.Helper()
	for path, body := range map[string]any{"/open": finishing{Token: f.Token}, "/finish": f} {
		got := a.CallPage(path, body)
		wantError(t, got, 410, "ceremony_over")
		details, _ := got.Field("details").(map[string]any)
		if details["reason"] != reason {
			t.Errorf("%s: %v, want %s", path, got.Field("details"), reason)
		}
	}
}

// What is not the page's own well-formed call does not reach the kit.
func TestSigning_CeremonyRefusesCalls(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	ch, err := a.Client().SubOrganizations.Challenge(ctx, "alice@example.com")
	if err != nil {
		t.Fatal(err)
	}
	secret := token(t, a, ch.CeremonyURL)
	open := finishing{Token: secret}
	for name, c := range map[string]struct {
		got    apptest.Answer
		status int
		code   string
	}{
		"unreached entry": {
			a.CallPage("/open", map[string]any{"token": secret, "seqs": []string{"999999999"}}), 409, "journal_shorter",
		},
		"another site":      {a.CallPage("/open", open, "Origin", "https://evil.example"), 403, "origin_refused"},
		"the API's origin":  {a.CallPage("/open", open, "Origin", a.BaseURL), 403, "origin_refused"},
		"no site":           {a.CallPage("/open", open, "Origin", ""), 403, "origin_refused"},
		"a sandboxed frame": {a.CallPage("/finish", open, "Origin", "null"), 403, "origin_refused"},
		"a form":            {a.CallPage("/open", open, "Content-Type", "text/plain"), 415, "unsupported_media_type"},
		"no type":           {a.CallPage("/open", open, "Content-Type", ""), 415, "unsupported_media_type"},
		"too much": {
			a.CallPage("/open", `{"token":"`+strings.Repeat("a", 64<<10)+`"}`), 413, "body_too_large",
		},
		"no body":        {a.CallPage("/open", ""), 400, "validation_failed"},
		"not JSON":       {a.CallPage("/open", "token="+secret), 400, "validation_failed"},
		"twice":          {a.CallPage("/open", `{"token":"a","token":"b"}`), 400, "validation_failed"},
		"unknown member": {a.CallPage("/open", `{"token":"a","admin":true}`), 400, "validation_failed"},
		"no token":       {a.CallPage("/open", `{}`), 400, "validation_failed"},
		"another path":   {a.CallPage("/v1/signing/wallets/prepare", open), 404, "route_not_found"},
		"a short token":  {a.CallPage("/open", finishing{Token: secret[1:]}), 404, "ceremony_unknown"},
		"a made-up token": {
			a.CallPage("/finish", finishing{Token: strings.Repeat("A", 43)}), 404, "ceremony_unknown",
		},
		"its hash": {
			a.CallPage("/open", finishing{Token: railkit.Fingerprint(secret)[len("sha256:"):]}), 404,
			"ceremony_unknown",
		},
		"no attestation": {a.CallPage("/finish", open), 400, "validation_failed"},
		"an unknown header": {
			a.CallPage("/finish", open, "Idempotency-Key", "1", "Authorization", "ApiKey x"), 400, "validation_failed",
		},
		"a stamp": {a.CallPage(
			"/finish", finishing{Token: secret, Stamp: &wire.Stamp{HeaderName: "X-Stamp-WebAuthn", HeaderValue: "{}"}},
		), 400, "validation_failed"},
		"a rejection": {
			a.CallPage("/finish", map[string]any{"token": secret, "reject": map[string]any{}}), 400,
			"validation_failed",
		},
		"both": {a.CallPage("/finish",
			finishing{Token: secret, Stamp: &wire.Stamp{}, Attestation: &railkit.Attestation{
				CredentialID: "AA", ClientDataJSON: "AA", AttestationObject: "AA", Transports: []string{},
			}}), 400, "validation_failed"},
		"no passkey at all": {a.CallPage("/finish", finishing{Token: secret, Attestation: &railkit.Attestation{
			CredentialID: "AA", ClientDataJSON: "AA", AttestationObject: "AA", Transports: []string{},
		}}), 422, "passkey_signature_invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			wantError(t, c.got, c.status, c.code)
			for header := range c.got.Header {
				if strings.HasPrefix(header, "Access-Control-") {
					t.Errorf("it lets other sites read: %s", header)
				}
			}
			if c.got.Header.Get("Cache-Control") != "no-store" ||
				c.got.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("headers %v", c.got.Header)
			}
			if strings.Contains(c.got.Body, secret) {
				t.Error("the answer repeats the token")
			}
		})
	}
	opened(t, a, secret, link.Register) // none of it used the link up
	if strings.Contains(a.Log.String(), secret) {
		t.Error("the token is in the log")
	}
}

func TestSigning_CeremonyRateLimits(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	ch, err := a.Client().SubOrganizations.Challenge(ctx, "alice@example.com")
	if err != nil {
		t.Fatal(err)
	}
	limited := func(secret string) int {
		for i := range 400 {
			if got := a.CallPage("/open", finishing{Token: secret}); got.Status == http.StatusTooManyRequests {
				if got.Field("error") != "rate_limit_exceeded" || got.Header.Get("Retry-After") == "" {
					t.Errorf("%s, Retry-After %q", got.Body, got.Header.Get("Retry-After"))
				}
				return i
			}
		}
		return -1
	}
	if n := limited(token(t, a, ch.CeremonyURL)); n != 30 {
		t.Errorf("one link was served %d times", n)
	}
	if n := limited(strings.Repeat("A", 43)); n != 300-31 {
		t.Errorf("the network was served %d times", n)
	}
}

// A refused stamp uses nothing up; a stamp for one thing does nothing else.
func TestSigning_CeremonyRefusesStamps(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	c := a.Client()
	alice, bob := a.Fund(c, "alice@example.com"), a.Register(c, "bob@example.com")
	one, first := linked(t, a, c, alice, "1")
	two, second := linked(t, a, c, alice, "2")
	for name, f := range map[string]finishing{
		"over another body":      {Token: first, Stamp: stampOf(t, alice, two.UnsignedActivity.Body)},
		"by another passkey":     {Token: first, Stamp: stampOf(t, bob, one.UnsignedActivity.Body)},
		"of the first, for both": {Token: second, Stamp: stampOf(t, alice, one.UnsignedActivity.Body)},
		"that is none": {
			Token: second, Stamp: &wire.Stamp{HeaderName: "X-Stamp-WebAuthn", HeaderValue: "{}"},
		},
	} {
		t.Run(name, func(t *testing.T) { wantError(t, a.CallPage("/finish", f), 422, "passkey_signature_invalid") })
	}
	wantError(t, a.CallPage("/finish", finishing{Token: first}), 400, "validation_failed")
	wantError(
		t, a.CallPage("/finish", finishing{Token: first, Stamp: stampOf(t, alice, "x"), Label: "Phone"}), 400,
		"validation_failed",
	)

	// A restart in the middle changes nothing.
	v := opened(t, a, first, link.Transaction)
	a.StopServer()
	a.StartServer()
	stamp := stampOn(t, v, alice.Passkey)
	var sent transaction.TransactionView
	finished(t, a, finishing{Token: first, Stamp: &stamp}, 200, &sent)
	if sent.TransactionID != one.TransactionID || sent.TxHash == "" {
		t.Errorf("sent %+v", sent)
	}
	a.StopServer()
	a.StartServer()
	var again transaction.TransactionView
	finished(t, a, finishing{Token: first, Stamp: &stamp}, 200, &again)
	if again.TxHash != sent.TxHash {
		t.Errorf("again: %+v", again)
	}
	opened(t, a, second, link.Transaction)
}

func TestSigning_CeremonyIsOver(t *testing.T) {
	t.Parallel()
	late := &laterClock{}
	a := apptest.Rig(t, apptest.WithClock(clock.Func(late.now)), apptest.WithoutSweeper())
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	give := func(p *railkit.PreparedTransaction, secret string) finishing {
		return finishing{Token: secret, Stamp: stampOf(t, alice, p.UnsignedActivity.Body)}
	}
	p, secret := linked(t, a, c, alice, "1")
	opened(t, a, secret, link.Transaction)
	if _, err := c.Transactions.Cancel(ctx, p.TransactionID); err != nil {
		t.Fatal(err)
	}
	wantOver(t, a, give(p, secret), "cancelled")

	// The API's key was faster.
	p, secret = linked(t, a, c, alice, "1")
	done := give(p, secret)
	if _, err := c.Transactions.Confirm(ctx, railkit.ConfirmTransactionRequest{
		TransactionID: p.TransactionID, SignedActivity: p.Signed(railkit.Stamp(*done.Stamp)),
	}); err != nil {
		t.Fatal(err)
	}
	wantOver(t, a, done, "finished")

	ch, err := c.SubOrganizations.Challenge(ctx, "bob@example.com")
	if err != nil {
		t.Fatal(err)
	}
	p, secret = linked(t, a, c, alice, "1")
	late.forward(6 * time.Minute)
	wantError(t, a.CallPage("/open", finishing{Token: token(t, a, ch.CeremonyURL)}), 410, "ceremony_over")
	opened(t, a, secret, link.Transaction)
	late.forward(9 * time.Minute)
	wantOver(t, a, give(p, secret), "expired")
	late.forward(time.Minute)
	if err := a.Signing.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	wantOver(t, a, give(p, secret), "expired")
	wantOver(t, a, done, "finished")
	if err := a.Store.Signing().DropCeremonies(ctx, late.now()); err != nil {
		t.Fatal(err)
	}
	wantError(t, a.CallPage("/open", finishing{Token: secret}), 404, "ceremony_unknown")
}

func TestSigning_CeremonyFinishesOnce(t *testing.T) {
	t.Parallel()
	finishOnce(t, apptest.Shared(t))
}

func TestSigning_CeremonyFinishesOnceOnPostgres(t *testing.T) {
	t.Parallel()
	finishOnce(t, apptest.Rig(t, apptest.WithPostgres(t)))
}

// finishOnce has eight pages and the API finish at once: one execution, and
// nobody is told otherwise.
func finishOnce(t *testing.T, a *apptest.App) {
	t.Helper()
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	for round := range 5 {
		p, secret := linked(t, a, c, alice, "1")
		stamp := stampOf(t, alice, p.UnsignedActivity.Body)
		body := confirmBody(t, p.TransactionID, p.Signed(railkit.Stamp(*stamp)))
		answers := make([]apptest.Answer, 9)
		var wg sync.WaitGroup
		for i := range answers {
			wg.Go(func() {
				if i == 0 {
					answers[i] = a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", body)
				} else {
					answers[i] = a.CallPage("/finish", finishing{Token: secret, Stamp: stamp})
				}
			})
		}
		wg.Wait()
		now, err := c.Transactions.Get(ctx, p.TransactionID)
		if err != nil || now.Nonce == nil || *now.Nonce != uint64(round) {
			t.Fatalf("now %+v, %v", now, err)
		}
		for i, got := range answers {
			over := i > 0 && got.Status == 410 && got.Field("error") == "ceremony_over"
			if !over && (got.Status != 200 || txHash(got) != now.TxHash) {
				t.Errorf("caller %d: %d %s", i, got.Status, got.Body)
			}
		}
	}
}

// The database, the log and a repeated call: none tells what the first answer did not.
func TestSigning_CeremonyTokenIsNowhere(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	body, key := apptest.JSON(t, alice.Payment(receiver, "1")), uuid.NewString()
	prepare := func() (p railkit.PreparedTransaction) {
		got := a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/prepare", body, "Idempotency-Key", key)
		if err := got.Into(&p); err != nil || got.Status != 200 {
			t.Fatalf("prepare: %d %s, %v", got.Status, got.Body, err)
		}
		return p
	}
	p := prepare()
	if again := prepare(); again.CeremonyURL != p.CeremonyURL {
		t.Error("the same call under the same key has another link")
	}
	secret := token(t, a, p.CeremonyURL)
	stamp := stampOf(t, alice, p.UnsignedActivity.Body)
	finished(t, a, finishing{Token: secret, Stamp: stamp}, 200, &transaction.TransactionView{})
	wantOver(t, a, finishing{Token: secret, Stamp: stampOf(t, alice, p.UnsignedActivity.Body)}, "finished")
	for name, text := range map[string]string{"log": a.Log.String(), "database": everyRow(t, a)} {
		if strings.Contains(text, secret) {
			t.Errorf("the token is in the %s", name)
		}
		if name == "database" && !strings.Contains(text, p.Fingerprint) {
			t.Error("this is not the database")
		}
	}
}

// everyRow is all that the database holds.
func everyRow(t *testing.T, a *apptest.App) string {
	t.Helper()
	if !a.OnPostgres() {
		return databaseFiles(t, a)
	}
	read := func(query string) (all string) {
		if err := a.Store.Writer().QueryRowContext(ctx, query).Scan(&all); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		return all
	}
	all := ""
	for _, table := range strings.Fields(read(
		"SELECT string_agg(tablename, ' ') FROM pg_tables WHERE schemaname = 'public'",
	)) {
		all += read("SELECT COALESCE(string_agg(CAST(x AS TEXT), ' '), '') FROM " + table + " AS x")
	}
	return all
}

// databaseFiles is all that is on the disk of the embedded database.
func databaseFiles(t *testing.T, a *apptest.App) string {
	t.Helper()
	var n int
	var name, path string
	if err := a.Store.Writer().QueryRowContext(ctx, "PRAGMA database_list").Scan(&n, &name, &path); err != nil {
		t.Fatal(err)
	}
	all := ""
	for _, suffix := range []string{"", "-wal"} {
		raw, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		all += string(raw)
	}
	return all
}
