package signing_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/passkey"
)

func keysOf(t *testing.T, c *railkit.Client, o apptest.Owner) []railkit.PasskeyRecord {
	t.Helper()
	keys, err := c.Passkeys.List(ctx, o.Sub.SubOrganizationID)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// A second passkey signs, and the first one can go then; the last one stays.
func TestSigning_S16_PasskeysComeAndGo(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	second := alice
	second.Passkey = passkey.Browser{Authenticator: passkey.New(a.Origin)}
	req := railkit.AddPasskeyRequest{Label: "Phone", SubOrganizationID: alice.Sub.SubOrganizationID}
	added, err := c.Passkeys.Create(ctx, alice.Passkey, second.Passkey, req)
	if err != nil || added.Label != "Phone" || added.Email != "alice@example.com" || added.UserID != alice.Sub.UserID {
		t.Fatalf("added: %+v, %v", added, err)
	}
	keys := keysOf(t, c, alice)
	if len(keys) != 2 || keys[1].ID != added.ID || keys[1].UserID != keys[0].UserID ||
		keys[1].LastUsedAt != nil || len(keys[1].Transports) == 0 || keys[0].LastUsedAt == nil {
		t.Fatalf("both: %+v", keys)
	}
	if _, err := c.Transactions.Send(ctx, second.Passkey, second.Payment(receiver, "1")); err != nil {
		t.Errorf("the second one signs: %v", err)
	}
	if keys = keysOf(t, c, alice); keys[1].LastUsedAt == nil {
		t.Error("nobody noted that it was used")
	}

	_, err = c.Passkeys.Delete(ctx, keys[0].ID, keys[0].CredentialID, nil)
	wantQueued(t, err)
	signed := stampedBy(t, second)(c.Passkeys.PrepareDeletion(ctx, keys[0].ID, keys[0].CredentialID))
	if gone, err := c.Passkeys.Delete(ctx, keys[0].ID, keys[0].CredentialID, signed); err != nil ||
		gone.ID != keys[0].ID {
		t.Fatalf("deleted: %+v, %v", gone, err)
	}
	if left := keysOf(t, c, alice); len(left) != 1 || left[0].ID != added.ID {
		t.Errorf("left: %+v", left)
	}
	if _, err := c.Passkeys.PrepareDeletion(ctx, added.ID, added.CredentialID); err == nil ||
		!strings.Contains(err.Error(), "passkey_last") {
		t.Errorf("the last one: %v", err)
	}
	wantError(t, a.Do(a.Keys.BenchKey, "DELETE", "/v1/signing/passkeys/"+added.ID, ""), 422, "passkey_last")
	wantError(t, a.Do(a.Keys.BenchKey, "DELETE", "/v1/signing/passkeys/"+keys[0].ID, ""), 404, "not_found")
	p, err := c.Transactions.Prepare(ctx, alice.Payment(receiver, "1"))
	if err != nil {
		t.Fatal(err)
	}
	old, err := alice.Passkey.Stamp(p.UnsignedActivity.Body)
	if err != nil {
		t.Fatal(err)
	}
	wantError(
		t, a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", confirmBody(t, p.TransactionID, p.Signed(old))),
		422, "passkey_signature_invalid",
	)
}

// An addition that is asked for again after its passkey was removed does not bring
// the row back.
func TestSigning_S16_AddedAgainAfterItsEnd(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	body := addition(t, a, c, alice, "")
	call := stampedCall(t, a, alice, "POST", "/v1/signing/passkeys/add", body)
	first := call()
	var k railkit.ChangedPasskey
	if err := first.Into(&k); err != nil || first.Status != 201 {
		t.Fatalf("%d %s", first.Status, first.Body)
	}
	if again := call(); again.Status != 201 || len(keysOf(t, c, alice)) != 2 {
		t.Errorf("again: %d %s", again.Status, again.Body)
	}
	if gone := stampedCall(t, a, alice, "DELETE", "/v1/signing/passkeys/"+k.ID, nil)(); gone.Status != 200 {
		t.Fatalf("%d %s", gone.Status, gone.Body)
	}
	if again := call(); again.Status != 201 || len(keysOf(t, c, alice)) != 1 {
		t.Errorf("after its end: %d %s", again.Status, again.Body)
	}
}

// addition is the body of a further passkey, with an e-mail of another user.
func addition(t *testing.T, a *apptest.App, c *railkit.Client, o apptest.Owner, email string) map[string]any {
	t.Helper()
	ch, err := c.Passkeys.Challenge(ctx, o.Sub.SubOrganizationID, email)
	if err != nil {
		t.Fatal(err)
	}
	made, err := passkey.Browser{Authenticator: passkey.New(a.Origin)}.Create(ch.Options)
	if err != nil {
		t.Fatal(err)
	}
	body := map[string]any{
		"encodedChallenge": ch.EncodedChallenge, "attestation": made, "subOrganizationId": o.Sub.SubOrganizationID,
	}
	if email != "" {
		body["email"] = email
	}
	return body
}

// stampedCall prepares a call and gives what makes it under an owner's stamp.
func stampedCall(
	t *testing.T, a *apptest.App, o apptest.Owner, method, path string, body map[string]any,
) func() apptest.Answer {
	t.Helper()
	text := stampedBody(t, a, o, method, path, body)
	return func() apptest.Answer { return a.Do(a.Keys.BenchKey, method, path, text) }
}

// stampedBody prepares a call and gives its body under an owner's stamp.
func stampedBody(
	t *testing.T, a *apptest.App, o apptest.Owner, method, path string, body map[string]any,
) string {
	t.Helper()
	text := ""
	if body != nil {
		text = apptest.JSON(t, body)
	}
	var p railkit.Prepared
	if got := a.Do(a.Keys.BenchKey, method, path+"?prepare=true", text); got.Status != 200 ||
		json.Unmarshal(got.Data(), &p) != nil {
		t.Fatalf("%s %s: %d %s", method, path, got.Status, got.Body)
	}
	stamp, err := o.Passkey.Stamp(p.UnsignedActivity.Body)
	if err != nil {
		t.Fatal(err)
	}
	if body == nil {
		body = map[string]any{}
	}
	body["signedActivity"] = p.Signed(stamp)
	return apptest.JSON(t, body)
}

// Another user is a loosening; nobody adds a passkey on the API key's word alone.
func TestSigning_S16_NobodyAddsAPasskeyAlone(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice, mallory := a.Fund(c, "alice@example.com"), a.Fund(c, "mallory@example.com")
	add := func(body map[string]any) apptest.Answer {
		return a.Do(a.Keys.BenchKey, "POST", "/v1/signing/passkeys/add", apptest.JSON(t, body))
	}
	wantError(t, add(addition(t, a, c, alice, "")), 403, "passkey_stamp_required")
	if got := add(addition(t, a, c, alice, "bob@example.com")); got.Status != 202 || got.Field("approvalId") == nil {
		t.Errorf("another user without a stamp: %d %s", got.Status, got.Body)
	}
	if keys := keysOf(t, c, alice); len(keys) != 1 {
		t.Errorf("%d passkeys", len(keys))
	}
	body := addition(t, a, c, alice, "")
	foreign := stampedCall(t, a, mallory, "POST", "/v1/signing/passkeys/add", body)
	wantError(t, foreign(), 422, "passkey_signature_invalid")

	mismatch := addition(t, a, c, alice, "")
	mismatch["encodedChallenge"] = addition(t, a, c, alice, "")["encodedChallenge"]
	wantError(t, add(mismatch), 422, "passkey_signature_invalid")
	for _, tc := range []struct {
		drop, names string
	}{{"encodedChallenge", "encodedChallenge"}, {"attestation", "attestation"}} {
		body := addition(t, a, c, alice, "")
		delete(body, tc.drop)
		if got := add(body); got.Status != 400 || !strings.Contains(fmt.Sprint(got.Field("message")), tc.names+" ") {
			t.Errorf("without %s: %d %s", tc.drop, got.Status, got.Body)
		}
	}
	missing := addition(t, a, c, alice, "")
	delete(missing, "subOrganizationId")
	several := add(missing)
	wantError(t, several, 400, "sub_organization_required")
	for email, o := range map[string]apptest.Owner{"alice@example.com": alice, "mallory@example.com": mallory} {
		choice := o.Sub.SubOrganizationID + " (" + email + ")"
		if !strings.Contains(fmt.Sprint(several.Field("message")), choice) {
			t.Errorf("%s does not list %s", several.Body, choice)
		}
	}
	taken := addition(t, a, c, alice, "mallory@example.com")
	wantError(t, add(taken), 409, "email_registered")

	// By her stamp the other user joins at once, and by his the two are two.
	bob := join(t, a, c, alice, "bob@example.com")
	if keys := keysOf(t, c, alice); len(keys) != 2 ||
		keys[0].UserID == keys[1].UserID || keys[1].Email != "bob@example.com" {
		t.Errorf("both: %+v", keys)
	}
	if _, err := c.Transactions.Send(ctx, bob.Passkey, bob.Payment(receiver, "1")); err != nil {
		t.Errorf("the other user signs: %v", err)
	}
}

func TestSigning_S16_ChallengeOfAFurtherPasskey(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	const path = "/v1/signing/passkeys/challenge"
	got := a.Do(
		a.Keys.BenchKey, "POST", path,
		apptest.JSON(t, map[string]string{"subOrganizationId": alice.Sub.SubOrganizationID}),
	)
	if id := keysOf(t, c, alice)[0].CredentialID; got.Status != 201 ||
		!strings.Contains(got.Body, id) || !strings.Contains(got.Body, "alice@example.com") {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	wantError(t, a.Do(a.Keys.BenchKey, "POST", path, `{}`), 400, "validation_failed")
	wantError(t, a.Do(a.Keys.BenchKey, "POST", path, `{"subOrganizationId":"`+newUUID()+`"}`), 404, "not_found")
}

// A registration whose commit failed: the enclave has the e-mail, and nobody
// could ever register it again.
func TestSigning_RegistrationIsRecovered(t *testing.T) {
	t.Parallel()
	late := &laterClock{}
	a := apptest.Rig(t, apptest.WithoutSweeper(), apptest.WithClock(clock.Func(late.now)))
	c := a.Client()
	ch, err := c.SubOrganizations.Challenge(ctx, "alice@example.com")
	if err != nil {
		t.Fatal(err)
	}
	other, err := c.SubOrganizations.Challenge(ctx, "alice@example.com")
	if err != nil {
		t.Fatal(err)
	}
	// A first attempt that is refused, for it signs another challenge, is not in the way.
	wrong := strings.ReplaceAll(a.RegisterBody(other, "alice@example.com"), other.EncodedChallenge, ch.EncodedChallenge)
	refused := a.Do(a.Keys.BenchKey, "POST", "/v1/signing/passkeys/register", wrong)
	wantError(t, refused, 422, "passkey_signature_invalid")
	if details, _ := refused.Field("details").(map[string]any); details["reason"] != "challenge does not match" ||
		refused.Field("message") != "Passkey signature invalid: challenge does not match" {
		t.Errorf("a registration is refused without a reason: %s", refused.Body)
	}
	body := a.RegisterBody(ch, "alice@example.com")
	allow := refuse(t, a, "INSERT", "passkeys", "")
	wantError(t, a.Do(a.Keys.BenchKey, "POST", "/v1/signing/passkeys/register", body), 500, "internal")
	allow()
	late.forward(sweepTime)
	if err := a.Signing.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	keys, err := c.Passkeys.List(ctx, "")
	if err != nil || len(keys) != 1 || keys[0].Email != "alice@example.com" || keys[0].Label != "Passkey" {
		t.Fatalf("passkeys = %+v, %v", keys, err)
	}
	again := a.Do(a.Keys.BenchKey, "POST", "/v1/signing/passkeys/register", body)
	var made struct {
		Data struct{ SubOrganizationID string }
	}
	if err := json.Unmarshal([]byte(again.Body), &made); err != nil ||
		again.Status != 201 || made.Data.SubOrganizationID != keys[0].SubOrganizationID {
		t.Errorf("the client's retry: %d %s", again.Status, again.Body)
	}
}

// A passkey that stamped was used.
func TestSigning_PasskeyLastUsed(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Register(c, "alice@example.com")
	used := func() *string {
		keys, err := c.Passkeys.List(ctx, alice.Sub.SubOrganizationID)
		if err != nil || len(keys) != 1 {
			t.Fatalf("passkeys = %+v, %v", keys, err)
		}
		return keys[0].LastUsedAt
	}
	if at := used(); at != nil {
		t.Errorf("before the first stamp: %s", *at)
	}
	if _, err := c.Wallets.Create(ctx, alice.Passkey, railkit.PrepareWalletRequest{WalletName: "w"}); err != nil {
		t.Fatal(err)
	}
	if used() == nil {
		t.Error("after a stamp: never used")
	}
}

// A passkey that comes into a synced keychain goes on signing, and its owner is mailed once. Out of one it goes
// silently.
func TestSigning_S09_SyncedPasskey(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "synced@example.com")
	pay := func(key *passkey.Authenticator) {
		t.Helper()
		by := passkey.Browser{Authenticator: key}
		if _, err := c.Transactions.Send(ctx, by, alice.Payment(receiver, "1")); err != nil {
			t.Fatal(err)
		}
	}
	device := alice.Passkey.Authenticator
	pay(device.Misbehaving(passkey.Tamper{NotEligible: true}))
	pay(device)
	m := a.MailTo("synced@example.com")
	if !strings.Contains(m.Text, "synced@ example. com was bound to one device") ||
		!strings.Contains(m.Text, keysOf(t, c, alice)[0].CredentialID) || strings.Contains(m.Text, "http") {
		t.Errorf("%s", m.Text)
	}
	pay(device)
	sent := 0
	for _, m := range a.Mail.Mails() {
		if len(m.To) == 1 && m.To[0] == "synced@example.com" {
			sent++
		}
	}
	if sent != 1 {
		t.Errorf("%d mails", sent)
	}
}
