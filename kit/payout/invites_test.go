package payout_test

import (
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
)

const openPath = "/v1/payout/invites/open"

// openInvite asks what a link is for, as its page does.
func openInvite(a *apptest.App, token string) apptest.Answer {
	return a.Do("", "POST", openPath, `{"token":"`+token+`"}`)
}

func wantOver(t *testing.T, what string, a apptest.Answer, reason string) {
	t.Helper()
	wantCode(t, what, a, 410, "invite_over", "This link can no longer be used")
	if details, _ := a.Field("details").(map[string]any); details["reason"] != reason || len(details) != 1 {
		t.Errorf("%s: %s, want the reason %q", what, a.Body, reason)
	}
}

// A link is shown as long as it can be used, by whoever may change payouts, and
// each new one is the end of the one before it.
func TestPayout_Invites(t *testing.T) {
	t.Parallel()
	at := time.Now()
	a := apptest.New(t, apptest.WithClock(clock.Func(func() time.Time { return at })), apptest.WithoutSweeper())
	c, ctx := a.Client(), t.Context()
	ana := must(c.Recipients.Create(ctx, person("Ana")))(t)
	_, err := c.Invites.Get(ctx, ana.ID)
	wantError(t, "before there is one", err, 404, "not_found")
	first := must(c.Invites.Create(ctx, ana.ID))(t)
	if len(first.Token) != 43 ||
		first.InviteURL != a.BaseURL+"/invite#"+first.Token || first.ExpiresAt != clock.ISO(at.Add(7*24*time.Hour)) {
		t.Errorf("%+v", first)
	}
	if again := must(c.Invites.Get(ctx, ana.ID))(t); *again != *first {
		t.Errorf("shown again it is %+v", again)
	}
	opened := openInvite(a, first.Token)
	if opened.Status != 200 || string(opened.Data()) != `{"businessName":"Sandbox","recipientName":"Ana","currencies":["usd","eur","mxn","brl","gbp"],"suggestedCurrency":"mxn","expiresAt":"`+first.ExpiresAt+`"}` {
		t.Errorf("opened: %d %s", opened.Status, opened.Body)
	}
	second := must(c.Invites.Create(ctx, ana.ID))(t)
	wantOver(t, "a replaced one", openInvite(a, first.Token), "replaced")
	at = at.Add(7*24*time.Hour - time.Second)
	if got := openInvite(a, second.Token); got.Status != 200 {
		t.Errorf("in its last second: %d %s", got.Status, got.Body)
	}
	at = at.Add(time.Second)
	wantOver(t, "an expired one", openInvite(a, second.Token), "expired")
	_, err = c.Invites.Get(ctx, ana.ID)
	wantError(t, "an expired one", err, 404, "not_found")
	for _, token := range []string{strings.Repeat("x", 43), "x", second.Token[1:] + "x"} {
		wantCode(t, "no token of ours", openInvite(a, token), 404, "invite_unknown", "This link is not known")
	}
	at = at.Add(30*24*time.Hour + time.Second)
	if err := a.Payout.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "long over", openInvite(a, second.Token), 404, "invite_unknown", "This link is not known")
}

// Archiving ends the link for good: who is active again gets a new one.
func TestPayout_InviteEndsWithArchiving(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c, ctx := a.Client(), t.Context()
	ana := must(c.Recipients.Create(ctx, person("Ana")))(t)
	link := must(c.Invites.Create(ctx, ana.ID))(t)
	set := func(status string) {
		must(c.Recipients.SetStatus(ctx, ana.ID, railkit.RecipientStatusRequest{Status: status}))(t)
	}
	set("archived")
	wantOver(t, "of an archived recipient", openInvite(a, link.Token), "ended")
	_, err := c.Invites.Create(ctx, ana.ID)
	wantError(t, "an archived recipient", err, 422, "recipient_archived")
	set("active")
	wantOver(t, "active again", openInvite(a, link.Token), "ended")
	_, err = c.Invites.Get(ctx, ana.ID)
	wantError(t, "active again", err, 404, "not_found")
	if fresh := must(c.Invites.Create(ctx, ana.ID))(t); openInvite(a, fresh.Token).Status != 200 {
		t.Error("a new link does not work")
	}
}

// Who may only read may not see the link: with it one can say where money goes.
func TestPayout_InviteGuards(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	ctx := t.Context()
	ana := must(a.Client().Recipients.Create(ctx, person("Ana")))(t)
	link := must(a.Client().Invites.Create(ctx, ana.ID))(t)
	viewer := a.Join("viewer@example.com", auth.RoleViewer)
	path := recipientsPath + "/" + ana.ID + "/invite"
	wantCode(t, "a viewer", viewer.Do("GET", path, ""), 403, "insufficient_scope", "Insufficient permissions")
	_, theirs := a.NewWorkspace([]auth.Scope{auth.PayoutWrite}, auth.Payout)
	_, err := a.ClientWith(theirs).Invites.Get(ctx, ana.ID)
	wantError(t, "another workspace's", err, 404, "not_found")
	_, err = a.ClientWith(theirs).Invites.Create(ctx, ana.ID)
	wantError(t, "another workspace's", err, 404, "not_found")
	closed := a.Do(
		a.Keys.InternalKey, "PATCH", "/v1/integrators/"+a.Keys.WorkspaceID+"/modules", `{"modules":["signing"]}`,
	)
	if closed.Status != 200 {
		t.Fatalf("%d %s", closed.Status, closed.Body)
	}
	wantCode(t, "without the module", openInvite(a, link.Token), 403, "module_inactive", "payout")
}

func TestPayout_InviteIsCounted(t *testing.T) {
	t.Parallel()
	a := apptest.New(t)
	ana := must(a.Client().Recipients.Create(t.Context(), person("Ana")))(t)
	link := must(a.Client().Invites.Create(t.Context(), ana.ID))(t)
	for range 30 {
		if got := openInvite(a, link.Token); got.Status != 200 {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
	}
	wantCode(
		t, "the 31st call of a minute", openInvite(a, link.Token), 429, "rate_limit_exceeded", "Rate limit exceeded",
	)
}

func TestPayout_InvitesNotConfigured(t *testing.T) {
	t.Parallel()
	a := apptest.New(t, func(c *apptest.Config) { c.InviteOrigin = "" })
	ana := must(a.Client().Recipients.Create(t.Context(), person("Ana")))(t)
	_, err := a.Client().Invites.Create(t.Context(), ana.ID)
	wantError(t, "without an origin", err, 503, "invites_not_configured")
}
