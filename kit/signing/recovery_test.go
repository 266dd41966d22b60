package signing_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/approval"
	"github.com/railkit/railkit/kit/signing/recovery"
	"github.com/railkit/railkit/sdk/go/passkey"
)

const recoveryPath = "/v1/signing/recovery"

// lost is a user with a recovery code, on his way to a new passkey.
type lost struct {
	*apptest.App
	*apptest.Lost
	t     *testing.T
	owner apptest.Owner
}

func newLost(t *testing.T, a *apptest.App, owner apptest.Owner) *lost {
	t.Helper()
	l := &lost{a, a.Lose(a.Keys.BenchKey, owner.Sub.SubOrganizationID, owner.Sub.UserID), t, owner}
	l.rule(map[string]any{"recoveryPublicKey": l.CodeKey()})
	return l
}

// call answers the data of a call that has to succeed.
func (l *lost) call(want int, method, path string, body any, into any, headers ...string) apptest.Answer {
	l.t.Helper()
	text := ""
	if body != nil {
		text = apptest.JSON(l.t, body)
	}
	answer := l.Do(l.Keys.BenchKey, method, path, text, headers...)
	if answer.Status != want {
		l.t.Fatalf("%s %s: %d %s\n%s", method, path, answer.Status, answer.Body, l.Log)
	}
	if into != nil {
		if err := json.Unmarshal(answer.Data(), into); err != nil {
			l.t.Fatal(err)
		}
	}
	return answer
}

// stamped prepares a call and makes it with a stamp.
func (l *lost) stamped(method, path string, body map[string]any, into any) {
	l.t.Helper()
	var p activity.Prepared
	l.call(200, method, path+"?prepare=true", body, &p)
	stamp, err := l.owner.Passkey.Authenticator.Stamp(p.UnsignedActivity.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	body["signedActivity"] = activity.Stamped{Body: p.UnsignedActivity.Body, Stamp: wire.Stamp(stamp)}
	l.call(200, method, path, body, into)
}

func (l *lost) rule(change map[string]any) recovery.RecoveryRuleView {
	l.t.Helper()
	change["subOrganizationId"] = l.owner.Sub.SubOrganizationID
	var v recovery.RecoveryRuleView
	l.stamped("PATCH", recoveryPath, change, &v)
	return v
}

func (l *lost) context(token string) (v recovery.RecoveryContext) {
	l.t.Helper()
	l.call(200, "GET", recoveryPath+"/context", nil, &v, "X-Recovery-Token", token)
	return v
}

// told waits for a notice to each contact.
func (l *lost) told(subject string, contacts ...string) {
	l.t.Helper()
	for _, to := range contacts {
		apptest.Eventually(l.t, "a notice to "+to+": "+subject, func() bool {
			for _, m := range l.Mail.Mails() {
				if m.To[0] == to && m.Subject == subject && !strings.Contains(m.Text, "://") {
					return true
				}
			}
			return false
		})
	}
}

// The story of a lost passkey: mail, code, a delay of which everybody is told, and
// the same address signs again.
func TestSigning_R06_LostPasskey(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	a.Join("admin@example.com", "admin")
	l := newLost(t, a, alice)
	id, token, bundle := l.Link("alice@example.com")
	for range 2 { // R03: a scanner opens the link, and uses nothing up
		v := l.context(token)
		if v.Status != recovery.Requested || v.SubOrganizationID != alice.Sub.SubOrganizationID ||
			v.RPID != "localhost" || !v.NeedsCode || !strings.HasSuffix(v.CeremonyURL, "/#"+token) {
			t.Errorf("%+v", v)
		}
	}
	key, sync := l.Answer(id, bundle)
	good := sync["recoverySignature"]
	sync["recoverySignature"] = strings.Repeat("A", 86)
	if r := a.Do(a.Keys.BenchKey, "POST", recoveryPath+"/sync", apptest.JSON(t, sync)); r.Status != 422 ||
		r.Field("error") != "recovery_code_invalid" {
		t.Errorf("another code: %d %s", r.Status, r.Body)
	}
	sync["recoverySignature"] = good
	var v recovery.RecoveryView
	l.call(201, "POST", recoveryPath+"/sync", sync, &v)
	if v.Status != recovery.Pending || v.ReadyAt == nil || v.Proof == nil || v.EmailOnly {
		t.Fatalf("%+v", v)
	}
	l.told("A wallet is about to get a new passkey", "alice@example.com", "admin@example.com")
	apptest.Eventually(t, "the delay to pass", func() bool {
		l.call(201, "POST", recoveryPath+"/sync", map[string]string{"credentialId": v.CredentialID}, &v)
		return v.Status == recovery.Completed
	})
	l.told("A wallet has a new passkey", "alice@example.com", "admin@example.com")
	if got := l.context(token); got.Status != recovery.Completed {
		t.Errorf("%+v", got)
	}
	keys, err := c.Passkeys.List(ctx, alice.Sub.SubOrganizationID)
	if err != nil || len(keys) != 1 || keys[0].CredentialID != v.CredentialID || keys[0].Label != "Recovery Passkey" {
		t.Errorf("%+v, %v", keys, err)
	}
	alice.Passkey = passkey.Browser{Authenticator: key}
	if _, err := c.Transactions.Send(ctx, alice.Passkey, alice.Payment(receiver, "1")); err != nil {
		t.Errorf("the same address under the new passkey: %v", err)
	}
	if strings.Contains(a.Log.String(), token) || strings.Contains(a.Log.String(), bundle) {
		t.Error("R04: the log has the mailed link")
	}
}

// R01: nobody learns from an answer whether an e-mail is anybody's.
func TestSigning_R01_InitiateIsAlike(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	l := newLost(t, a, a.Register(a.Client(), "alice@example.com"))
	shape := func(email string) string {
		var v map[string]any
		r := l.call(
			201, "POST", recoveryPath+"/initiate", map[string]string{"email": email, "targetPublicKey": l.TargetKey()},
			&v,
		)
		for _, name := range []string{"recoveryId", "expiresAt"} {
			r.Body = strings.ReplaceAll(r.Body, v[name].(string), name)
		}
		return r.Body[:strings.Index(r.Body, `"timestamp"`)]
	}
	if known, unknown := shape("alice@example.com"), shape("nobody@example.com"); known != unknown {
		t.Errorf("%s\n%s", known, unknown)
	}
	l.MailTo("alice@example.com")
	var v recovery.RecoveryRequestedView
	l.call(
		201, "POST", recoveryPath+"/initiate",
		map[string]string{"email": "nobody@example.com", "targetPublicKey": l.TargetKey()}, &v,
	)
	_, junk := l.Guess(v.RecoveryID, strings.Repeat("A", 43))
	if r := a.Do(
		a.Keys.BenchKey, "POST", recoveryPath+"/sync", apptest.JSON(t, junk),
	); r.Field("error") != "recovery_invalid" {
		t.Errorf("a guess: %d %s", r.Status, r.Body)
	}
	for _, m := range a.Mail.Mails() {
		if m.To[0] == "nobody@example.com" {
			t.Error("nobody got a mail")
		}
	}
	if r := a.Do(
		a.Keys.BenchKey, "GET", recoveryPath+"/context", "", "X-Recovery-Token", strings.Repeat("A", 43),
	); r.Status != http.StatusNotFound {
		t.Errorf("a link of nobody: %d %s", r.Status, r.Body)
	}
}

// Any passkey ends a recovery at once, and everybody is told.
func TestSigning_R06_CancelledByItsOwner(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	alice := a.Register(a.Client(), "alice@example.com")
	l := newLost(t, a, alice)
	id, _, bundle := l.Link("alice@example.com")
	_, sync := l.Answer(id, bundle)
	var v recovery.RecoveryView
	l.call(201, "POST", recoveryPath+"/sync", sync, &v)
	if r := a.Do(a.Keys.BenchKey, "POST", recoveryPath+"/"+id+"/cancel", "{}"); r.Status != 403 {
		t.Errorf("without a stamp: %d %s", r.Status, r.Body)
	}
	l.stamped("POST", recoveryPath+"/"+id+"/cancel", map[string]any{}, &v)
	if v.Status != recovery.Cancelled || v.Proof == nil {
		t.Errorf("%+v", v)
	}
	l.told("The recovery of a wallet was cancelled", "alice@example.com")
	l.call(201, "POST", recoveryPath+"/sync", map[string]string{"credentialId": v.CredentialID}, &v)
	if v.Status != recovery.Cancelled {
		t.Errorf("%+v", v)
	}
	var e recovery.MigrationEligibility
	l.call(200, "GET", recoveryPath+"/migration-eligibility", nil, &e)
	if e.Eligible || e.Passkeys != 1 || e.Required != 2 {
		t.Errorf("%+v", e)
	}
	rule := l.rule(map[string]any{"emailOnlyRecovery": true})
	if !rule.EmailOnlyRecovery || rule.RecoveryPublicKey == "" {
		t.Errorf("%+v", rule)
	}
}

// What waits for votes when a recovery begins is void, and nothing loosens until
// the recovery is over.
func TestSigning_R07_ApprovalsAreVoid(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	alice := a.Register(a.Client(), "alice@example.com")
	l := newLost(t, a, alice)
	l.stamped(
		"PATCH", "/v1/signing/approval-config",
		map[string]any{"enabled": true, "thresholdUsd": 1000, "requiredApprovers": 1}, nil,
	)
	loosen := map[string]any{"emailOnlyRecovery": true}
	var waits approval.QueuedView
	l.call(202, "PATCH", recoveryPath, loosen, &waits)
	id, _, bundle := l.Link("alice@example.com")
	_, sync := l.Answer(id, bundle)
	l.call(201, "POST", recoveryPath+"/sync", sync, nil)
	for what, c := range map[string]struct{ method, path, body, want string }{
		"a vote": {
			"POST", "/v1/signing/approvals/" + waits.ApprovalID + "/approve?prepare=true", "{}", "approval_void",
		},
		"a loosening": {"PATCH", recoveryPath + "?prepare=true", apptest.JSON(t, loosen), "recovery_pending"},
	} {
		if r := a.Do(a.Keys.BenchKey, c.method, c.path, c.body); r.Status != 409 || r.Field("error") != c.want {
			t.Errorf("%s: %d %s", what, r.Status, r.Body)
		}
	}
	l.call(
		201, "POST", "/v1/signing/approvals/"+waits.ApprovalID+"/reject",
		map[string]string{"reason": "a recovery is under way"}, nil,
	)
}

// Without a target key the page makes it. Its link, and what it answers, tell
// nothing of the e-mail either.
func TestSigning_R01_OfferIsAlike(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	l := newLost(t, a, a.Register(a.Client(), "alice@example.com"))
	shape := func(email string) string {
		var v struct{ CeremonyURL string }
		r := l.call(201, "POST", recoveryPath+"/initiate", map[string]string{"email": email}, &v)
		secret := token(t, a, v.CeremonyURL)
		opening := a.CallPage("/open", map[string]string{"token": secret})
		given := map[string]string{"token": secret, "targetPublicKey": l.TargetKey()}
		done := a.CallPage("/finish", given)
		id, _ := done.Field("data").(map[string]any)["recoveryId"].(string)
		if done.Status != 201 || id == "" {
			t.Fatalf("%d %s", done.Status, done.Body)
		}
		text := strings.NewReplacer(secret, "", email, "", id, "").Replace(r.Body + opening.Body + done.Body)
		return regexp.MustCompile(`"\d{4}-[^"]*Z"`).ReplaceAllString(text, "")
	}
	if known, unknown := shape("alice@example.com"), shape("nobody@example.com"); known != unknown {
		t.Errorf("%s\n%s", known, unknown)
	}
	l.MailTo("alice@example.com")
	for _, m := range a.Mail.Mails() {
		if m.To[0] == "nobody@example.com" {
			t.Error("nobody got a mail")
		}
	}
}

// Without a page nobody makes a target key but the caller.
func TestSigning_RecoveryWithoutPage(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t, func(c *apptest.Config) { c.CeremonyOrigin = "" })
	a.Register(a.Client(), "alice@example.com")
	wantError(
		t, a.Do(a.Keys.BenchKey, "POST", recoveryPath+"/initiate", `{"email":"alice@example.com"}`), 400,
		"validation_failed",
	)
}

// An address gets five links in an hour, whoever asks; that is told to nobody.
func TestSigning_RecoveryMailsAreFew(t *testing.T) {
	t.Parallel()
	began, ticks := time.Now(), atomic.Int64{}
	if late := began.Add(10 * time.Minute); late.Hour() != began.Hour() {
		began = began.Add(-10 * time.Minute) // all of it within an hour
	}
	a := apptest.Rig(t, apptest.WithClock(clock.Func(func() time.Time {
		return began.Add(time.Duration(ticks.Add(1)) * time.Millisecond)
	})))
	l := newLost(t, a, a.Register(a.Client(), "alice@example.com"))
	for range 7 {
		l.call(
			201, "POST", recoveryPath+"/initiate",
			map[string]string{"email": "alice@example.com", "targetPublicKey": l.TargetKey()}, nil,
		)
	}
	apptest.Eventually(t, "two links that are not mailed", func() bool {
		return strings.Count(a.Log.String(), "is not mailed: its address had enough") == 2
	})
	links := func() (n int) {
		for _, m := range a.Mail.Mails() {
			if m.Subject == "Recover your wallet" {
				n++
			}
		}
		return n
	}
	apptest.Eventually(t, "five links", func() bool { return links() == 5 })
	if log := a.Log.String(); strings.Contains(log, "alice@example.com") {
		t.Error("the log has the address")
	}
}

// A link that nobody follows leaves no work behind, be it somebody's or nobody's.
func TestSigning_R02_ForgottenRecoveryIsFinished(t *testing.T) {
	t.Parallel()
	late := &laterClock{}
	a := apptest.Rig(t, apptest.WithoutSweeper(), apptest.WithClock(clock.Func(late.now)))
	l := newLost(t, a, a.Register(a.Client(), "alice@example.com"))
	var ids []string
	for _, email := range []string{"alice@example.com", "nobody@example.com"} {
		var v recovery.RecoveryRequestedView
		l.call(
			201, "POST", recoveryPath+"/initiate", map[string]string{"email": email, "targetPublicKey": l.TargetKey()},
			&v,
		)
		ids = append(ids, v.RecoveryID)
	}
	l.MailTo("alice@example.com")
	late.forward(16 * time.Minute)
	for _, id := range ids {
		if again, err := a.Signing.Recoveries.Run(ctx, a.Keys.WorkspaceID, id); err != nil || again != 0 {
			t.Errorf("after its time: again in %v, %v", again, err)
		}
	}
	late.forward(time.Hour)
	left, err := a.Store.Signing().WaitingRecoveries(ctx, late.now(), 10)
	if err != nil || len(left) != 0 {
		t.Errorf("%d recoveries have work forever: %+v, %v", len(left), left, err)
	}
}

// R01: cancelling tells no more than initiating whether an e-mail is anybody's.
func TestSigning_R01_CancelIsAlike(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	l := newLost(t, a, a.Register(a.Client(), "alice@example.com"))
	said := func(email string) string {
		var v recovery.RecoveryRequestedView
		l.call(
			201, "POST", recoveryPath+"/initiate", map[string]string{"email": email, "targetPublicKey": l.TargetKey()},
			&v,
		)
		all := ""
		for _, query := range []string{"", "?prepare=true"} {
			r := a.Do(a.Keys.BenchKey, "POST", recoveryPath+"/"+v.RecoveryID+"/cancel"+query, "{}")
			all += fmt.Sprintln(r.Status, r.Field("error"), r.Field("message"))
			_, junk := l.Guess(v.RecoveryID, strings.Repeat("A", 43))
			r = a.Do(a.Keys.BenchKey, "POST", recoveryPath+"/sync", apptest.JSON(t, junk))
			all += fmt.Sprintln(r.Status, r.Field("error"), r.Field("message"))
		}
		return all
	}
	if known, unknown := said("alice@example.com"), said("nobody@example.com"); known != unknown {
		t.Errorf("%s\n%s", known, unknown)
	}
}
