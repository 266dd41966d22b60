package signing_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/transaction"
	railkit "github.com/railkit/railkit/sdk/go"
)

// The server dies when the signer has signed: the page sends its stamp again, and
// what the sweeper brought home in between is its answer.
func TestSigning_CeremonyAfterACrash(t *testing.T) {
	t.Parallel()
	a, node, late := throughNode(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	p, secret := linked(t, a, c, alice, "1")
	given := finishing{Token: secret, Stamp: stampOf(t, alice, p.UnsignedActivity.Body)}
	node.Break("eth_getTransactionCount", apptest.Down)
	wantError(t, a.CallPage("/finish", given), 502, "node_unreachable")
	node.Break("eth_getTransactionCount", nil)

	enclave := client.New(a.EnclaveSock, a.EnclaveKey)
	defer enclave.Close()
	out, err := enclave.Submit(ctx, wire.SubmitRequest{
		Body: p.UnsignedActivity.Body, Stamp: given.Stamp, Volatile: stampedFee(t, p.UnsignedActivity.Body),
	}, p.Fingerprint)
	if err != nil {
		t.Fatal(err)
	}
	late.forward(sweepTime)
	if err := a.Signing.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	var sent transaction.TransactionView
	finished(t, a, given, 200, &sent)
	if sent.TxHash != out.Statement.Result.Transaction.TxHash {
		t.Errorf("sent %+v", sent)
	}
	wantOver(t, a, finishing{Token: secret, Stamp: stampOf(t, alice, p.UnsignedActivity.Body)}, "finished")
}

// The sweeper forgets a link a day after it ended.
func TestSigning_CeremonyIsForgotten(t *testing.T) {
	t.Parallel()
	late := &laterClock{}
	a := apptest.Rig(t, apptest.WithClock(clock.Func(late.now)))
	ch, err := a.Client().SubOrganizations.Challenge(ctx, "alice@example.com")
	if err != nil {
		t.Fatal(err)
	}
	f := finishing{Token: token(t, a, ch.CeremonyURL)}
	late.forward(23 * time.Hour)
	wantError(t, a.CallPage("/open", f), 410, "ceremony_over")
	late.forward(2 * time.Hour)
	apptest.Eventually(t, "the link is forgotten", func() bool { return count(t, a, "ceremonies") == 0 })
	wantError(t, a.CallPage("/open", f), 404, "ceremony_unknown")
}

// Who opens the link again after such a crash, before the sweeper came, is told
// that it is done, and not asked for a second stamp.
func TestSigning_CeremonyOpenedAfterACrash(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t, apptest.WithoutSweeper())
	c := a.Client()
	ch, err := c.SubOrganizations.Challenge(ctx, "bob@example.com")
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.SubOrganizations.Challenge(ctx, "bob@example.com")
	if err != nil || userHandle(t, ch) == userHandle(t, again) {
		t.Errorf("two passkeys of one user handle, of which a device keeps one: %v", err)
	}
	allow := refuse(t, a, "INSERT", "passkeys", "")
	wantError(
		t, a.Do(a.Keys.BenchKey, "POST", "/v1/signing/passkeys/register", a.RegisterBody(ch, "bob@example.com")), 500,
		"internal",
	)
	allow()
	wantFinished(t, a, token(t, a, ch.CeremonyURL))

	alice := a.Fund(c, "alice@example.com")
	p, secret := linked(t, a, c, alice, "1")
	opened(t, a, secret, link.Transaction)
	enclave := client.New(a.EnclaveSock, a.EnclaveKey)
	defer enclave.Close()
	if _, err := enclave.Submit(ctx, wire.SubmitRequest{
		Body: p.UnsignedActivity.Body, Stamp: stampOf(t, alice, p.UnsignedActivity.Body),
		Volatile: stampedFee(t, p.UnsignedActivity.Body),
	}, p.Fingerprint); err != nil {
		t.Fatal(err)
	}
	wantFinished(t, a, secret)
}

func userHandle(t *testing.T, ch *railkit.PasskeyChallenge) string {
	t.Helper()
	var o passkey.CreationOptions
	if err := json.Unmarshal(ch.Options, &o); err != nil || o.User.ID == "" {
		t.Fatalf("%s: %v", ch.Options, err)
	}
	return o.User.ID
}

func wantFinished(t *testing.T, a *apptest.App, secret string) {
	t.Helper()
	got := a.CallPage("/open", finishing{Token: secret})
	wantError(t, got, 410, "ceremony_over")
	if details, _ := got.Field("details").(map[string]any); details["reason"] != "finished" {
		t.Errorf("%s", got.Body)
	}
}

// A link ends with the kit that it belongs to.
func TestSigning_CeremonyNeedsTheModule(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	p, secret := linked(t, a, c, alice, "1")
	edit(t, a, "UPDATE workspaces SET modules = '[]' WHERE id = $1", a.Keys.WorkspaceID)
	f := finishing{Token: secret, Stamp: stampOf(t, alice, p.UnsignedActivity.Body)}
	wantError(t, a.CallPage("/open", finishing{Token: secret}), 403, "module_inactive")
	wantError(t, a.CallPage("/finish", f), 403, "module_inactive")
}

// Each kind of link takes what it is finished with, and nothing else.
func TestSigning_CeremonyTakesItsOwnOnly(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	_, pay := linked(t, a, c, alice, "1")
	id := queued(t, a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/sign", apptest.JSON(t, toSign(t, alice, 0))))
	link := func(path, body string) string {
		var v struct{ CeremonyURL string }
		if err := a.Do(a.Keys.BenchKey, "POST", path, body).Into(&v); err != nil {
			t.Fatal(err)
		}
		return token(t, a, v.CeremonyURL)
	}
	links := map[string]string{
		"transaction": pay,
		"vote":        link(approvalsPath+"/"+id+"/approve?prepare=true", ""),
		"add": link(
			"/v1/signing/passkeys/challenge", `{"subOrganizationId":"`+alice.Sub.SubOrganizationID+`"}`,
		),
		"lost": link(recoveryPath+"/initiate", `{"email":"alice@example.com"}`),
	}
	given := map[string]any{
		"stamp": wire.Stamp{HeaderName: "X-Stamp-WebAuthn", HeaderValue: "{}"}, "decline": map[string]any{},
		"attestation": railkit.Attestation{
			CredentialID: "AA", ClientDataJSON: "AA", AttestationObject: "AA", Transports: []string{},
		},
		"targetPublicKey": "02" + strings.Repeat("a", 64), "recovery": map[string]any{"credentialId": "AA"},
		"label": "x",
	}
	takes := map[string][]string{
		"transaction": {"stamp", "decline"}, "vote": {"stamp", "decline"}, "add": {"attestation", "decline"},
		"lost": {"targetPublicKey", "decline"},
	}
	for kind, secret := range links {
		for name, value := range given {
			if slices.Contains(takes[kind], name) || kind == "add" && name == "label" {
				continue
			}
			t.Run(kind+" with "+name, func(t *testing.T) {
				wantError(
					t, a.CallPage("/finish", map[string]any{"token": secret, name: value}), 400, "validation_failed",
				)
				wantError(t, a.CallPage(
					"/finish", map[string]any{"token": secret, name: value, takes[kind][0]: given[takes[kind][0]]},
				), 400, "validation_failed")
			})
		}
	}
}
