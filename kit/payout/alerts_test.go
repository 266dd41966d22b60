package payout_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/internal/mailsink"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/rest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// freezeToken is the token of a mail's link.
func freezeToken(t *testing.T, a *apptest.App, m mailsink.Mail) string {
	t.Helper()
	_, rest, found := strings.Cut(m.Text, a.BaseURL+"/invite/freeze#")
	if !found {
		t.Fatalf("the mail has no link: %q", m.Text)
	}
	token, _, _ := strings.Cut(rest, "\n")
	return token
}

func freeze(a *apptest.App, token, account string) apptest.Answer {
	return a.Do("", "POST", "/v1/payout/alerts/freeze", `{"token":"`+token+`","accountId":"`+account+`"}`)
}

// alertsTo are the mails about bank accounts that somebody got.
func alertsTo(a *apptest.App, email string) (all []mailsink.Mail) {
	for _, m := range a.Mail.Mails() {
		if slices.Contains(m.To, email) && strings.Contains(m.Text, "Bank accounts that") {
			all = append(all, m)
		}
	}
	return all
}

// A new account is mailed to admins and managers at once, with who, from where and
// a link. Looking at the link changes nothing; its button freezes the account, once;
// only a member in person unfreezes it.
func TestPayout_AlertFreezes(t *testing.T) {
	t.Parallel()
	a := apptest.New(t, apptest.WithPartner(t))
	c, ctx := a.Client(), t.Context()
	ada := a.Join("ada@example.com", auth.RoleManager)
	a.Join("viewer@example.com", auth.RoleViewer)
	a.Mail.Refuse(451)
	recipient, account := mexico(t, c, "Ana Ruiz")
	apptest.Eventually(t, "a try that failed", func() bool { return strings.Contains(a.Log.String(), "payout_alert") })
	a.Mail.Refuse(0)
	apptest.Eventually(t, "the mail", func() bool { return len(alertsTo(a, "ada@example.com")) > 0 })
	m := alertsTo(a, "ada@example.com")[0]
	if !strings.Contains(m.Text, `"Ana Ruiz", MXN account ending in 9719: added`) ||
		!strings.Contains(m.Text, "from 127.0.0.1") ||
		strings.Contains(m.Text, "032180000118359719") || !strings.Contains(m.Text, "by the API key ") {
		t.Errorf("the mail is %q", m.Text)
	}
	token := freezeToken(t, a, m)
	if strings.Contains(a.Log.String(), token) {
		t.Error("the log holds the token")
	}
	frozen := func() bool {
		t.Helper()
		rows := must(c.BankAccounts.List(ctx, recipient, railkit.BankAccountListOptions{}))(t)
		return rows.Items[0].FrozenAt != ""
	}
	opened := a.Do("", "POST", "/v1/payout/alerts/open", `{"token":"`+token+`"}`)
	if opened.Status != 200 ||
		!strings.Contains(opened.Body, `"lastFour":"9719"`) || strings.Contains(opened.Body, "118359719") || frozen() {
		t.Errorf("opened: %d %s", opened.Status, opened.Body)
	}
	wantCode(
		t, "no token of ours", freeze(a, strings.Repeat("x", 43), account), 404, "alert_unknown",
		"This link is not known",
	)
	_, second := mexico(t, c, "Bea")
	wantCode(t, "an account of another mail", freeze(a, token, second), 404, "not_found", "Bank account")

	address := must(c.WithdrawAddresses.Create(ctx, railkit.WithdrawAddressRequest{BeneficiaryAccountID: account}))(t)
	for range 2 {
		if got := freeze(a, token, account); got.Status != 200 || !frozen() {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
	}
	_, err := c.WithdrawAddresses.ChangeReturnAddress(
		ctx, address.ID, railkit.ReturnAddressRequest{WalletID: a.Fund(c, "eve@example.com").Wallet.WalletID},
	)
	wantError(t, "refunds of a frozen account", err, 409, "bank_account_frozen")
	path := "/v1/payout/recipients/" + recipient + "/accounts/" + account + "/unfreeze"
	seen := func() string {
		rows := must(c.BankAccounts.List(ctx, recipient, railkit.BankAccountListOptions{}))(t)
		return `{"updatedAt":"` + rows.Items[0].UpdatedAt + `"}`
	}
	wantCode(
		t, "unfrozen by a key", a.Do(a.Keys.BenchKey, "POST", path, seen()), 403, "member_required",
		"Only a member can do this",
	)
	wantCode(
		t, "another account was seen", ada.Do("POST", path, `{"updatedAt":"2026-01-01T00:00:00.000Z"}`), 409,
		"bank_account_changed", "has changed",
	)
	if got := ada.Do("POST", path, seen()); got.Status != 200 || frozen() {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	if got := freeze(a, token, account); got.Status != 200 || frozen() {
		t.Errorf("the link freezes an account again that a member unfroze: %d %s", got.Status, got.Body)
	}
	if n := len(alertsTo(a, "viewer@example.com")); n != 0 {
		t.Errorf("a viewer was sent %d mails", n)
	}
}

// However many changes there are, members are mailed at most every five minutes,
// and each change stands in a mail.
func TestPayout_AlertsAreCoalesced(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	now := time.Now()
	move := func(d time.Duration) { mu.Lock(); now = now.Add(d); mu.Unlock() }
	a := apptest.New(t, apptest.WithPartner(t), apptest.WithClock(clock.Func(func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return now
	})))
	c, ctx := a.Client(), t.Context()
	a.Join("ada@example.com", auth.RoleAdmin)
	mexico(t, c, "First")
	apptest.Eventually(t, "the first mail", func() bool { return len(alertsTo(a, "ada@example.com")) == 1 })
	apptest.Eventually(t, "it is noted", func() bool {
		return len(must(a.Store.Payout().QueuedAlertMails(ctx, a.Keys.WorkspaceID))(t)) == 0
	})
	for i := range 3 {
		mexico(t, c, fmt.Sprint("Noise ", i))
	}
	ws := a.Keys.WorkspaceID
	if again := must(a.Payout.Alerts.Mail(ctx, ws))(t); again <= 4*time.Minute || again > 5*time.Minute {
		t.Errorf("the next mail is due in %s", again)
	}
	move(6 * time.Minute)
	if _, err := a.Payout.Alerts.Mail(ctx, ws); err != nil {
		t.Fatal(err)
	}
	apptest.Eventually(t, "the second mail", func() bool { return len(alertsTo(a, "ada@example.com")) == 2 })
	second := alertsTo(a, "ada@example.com")[0] // the newest
	for i := range 3 {
		if !strings.Contains(second.Text, fmt.Sprintf("\"Noise %d\", MXN account", i)) {
			t.Errorf("change %d is in no mail: %q", i, second.Text)
		}
	}
}

// An order to a frozen account waits, and goes on when it is unfrozen.
func TestPayout_FrozenAccountIsNotPaid(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, o := r.ready("wallet")
	row, err := r.store.BankAccount(t.Context(), ws, r.account.ID)
	if err != nil {
		t.Fatal(err)
	}
	row.FrozenAt = r.clock.Now()
	r.write(func(ctx context.Context, tx payout.Tx) error { return tx.UpdateBankAccount(ctx, row) })
	o, _ = r.advance(o.ID)
	r.want("frozen", o, order.InReview)
	if o.Hold != "bank_account_frozen" || r.desk.paid() != 0 {
		t.Errorf("%s, %d payouts", o.Hold, r.desk.paid())
	}
	ada := call()
	ada.Principal.Kind, ada.Principal.ID, ada.Principal.LoggedInAt = auth.BySession, "ada", r.clock.Now()
	_, err = r.Accounts.Unfreeze(
		t.Context(), ada, r.recipient.ID, r.account.ID, rest.BankAccountConfirm{UpdatedAt: row.View().UpdatedAt},
	)
	if err != nil {
		t.Fatal(err)
	}
	o, _ = r.advance(o.ID)
	r.want("unfrozen", o, order.PaymentSubmitted)
}

// A payout that was reserved, and that the partner did not take, is not asked for again once its account is frozen.
func TestPayout_FrozenWhileItIsPaid(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, o := r.ready("wallet")
	r.desk.breaks("CreateTransfer", breakage{fiat.ErrUnavailable, false})
	r.unsure(o.ID)
	row, err := r.store.BankAccount(t.Context(), ws, r.account.ID)
	if err != nil {
		t.Fatal(err)
	}
	row.FrozenAt = r.clock.Now()
	r.write(func(ctx context.Context, tx payout.Tx) error { return tx.UpdateBankAccount(ctx, row) })
	r.advance(o.ID)
	r.clock.move(6 * time.Minute) // no call is under way any more
	r.advance(o.ID)
	o, _ = r.advance(o.ID)
	r.want("frozen while the partner was asked", o, order.InReview)
	if o.Hold != "bank_account_frozen" || o.Paying || r.desk.paid() != 0 {
		t.Errorf("%+v, %d payouts", o, r.desk.paid())
	}
	r.sums()
}
