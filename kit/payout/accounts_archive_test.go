package payout_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/alert"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/rest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// The last account stays, also where two are archived at once.
func TestPayout_BankAccountArchive(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	one, two := d.add(mexican), d.add(railkit.BankAccountRequest{IBAN: "DE89370400440532013000"})
	archive := func(id string) apptest.Answer {
		return d.Do(d.Keys.BenchKey, "PATCH", d.path("/", id), `{"is_active":false}`)
	}
	var wg sync.WaitGroup
	answers := make([]apptest.Answer, 2)
	for i, id := range []string{one.ID, two.ID} {
		wg.Go(func() { answers[i] = archive(id) })
	}
	wg.Wait()
	kept, gone := one.ID, two.ID
	if answers[0].Status == 200 {
		answers[0], answers[1] = answers[1], answers[0]
		kept, gone = two.ID, one.ID
	}
	wantCode(t, "the last one", answers[0], 400, "last_active_account", `"code":"LAST_ACTIVE_ACCOUNT"`)
	if answers[1].Status != 200 ||
		len(d.accounts(false)) != 1 || len(d.accounts(true)) != 2 || d.accounts(false)[0].ID != kept {
		t.Errorf("%d %s", answers[1].Status, answers[1].Body)
	}
	wantCode(
		t, "the number of an archived one", d.Do(d.Keys.BenchKey, "POST", d.path(), `{"clabe":"032180000118359719"}`),
		409, "bank_account_exists", "",
	)
	yes := true
	if got := must(d.BankAccounts.Update(
		t.Context(), d.to.ID, gone, railkit.BankAccountUpdate{IsActive: &yes},
	))(t); !got.IsActive {
		t.Errorf("%+v", got)
	}
	if d.bank.count("PUT", "") != 0 {
		t.Error("the partner is told of the archive")
	}
	_, key := d.NewWorkspace([]auth.Scope{auth.Integrator}, auth.Payout)
	_, err := d.ClientWith(key).BankAccounts.List(t.Context(), d.to.ID, railkit.BankAccountListOptions{})
	wantError(t, "another workspace's", err, 404, "not_found")
}

// Who has an API key restores an archived account, or its recipient, as easily as it changes one. So what is restored
// is not paid before it has waited as long, and the members are mailed.
func TestPayout_RestoredCools(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for what, set := range map[string]func(r *rig, active bool) error{
		"a bank account": func(r *rig, active bool) error {
			_, err := r.Accounts.Update(t.Context(), call(), r.recipient.ID, r.account.ID, rest.BankAccountChange{
				IsActive: map[bool]*bool{true: &yes, false: &no}[active],
			})
			return err
		},
		"a recipient": func(r *rig, active bool) error {
			_, err := r.Recipients.SetStatus(t.Context(), call(), r.recipient.ID, rest.RecipientStatusRequest{
				Status: map[bool]string{true: "active", false: "archived"}[active],
			})
			return err
		},
	} {
		r := newRig(t, cools)
		another := r.account
		another.ID, another.Fingerprint, another.PartnerID = uuid.NewString(), uuid.NewString(), uuid.NewString()
		another.Active = what != "a recipient" // an archived account stays archived
		r.write(func(ctx context.Context, tx payout.Tx) error { return tx.InsertBankAccount(ctx, another) })
		a := r.address("")
		if err := errors.Join(set(r, false), set(r, true), set(r, true)); err != nil {
			t.Fatal(what, err)
		}
		until := r.clock.Now().Add(24 * time.Hour)
		if got, err := r.store.BankAccount(t.Context(), ws, r.account.ID); err != nil || !got.PayableAt.Equal(until) {
			t.Errorf("%s: paid from %v on, want %v (%v)", what, got.PayableAt, until, err)
		}
		if told := r.alerted(alert.Restored); len(told) != 1 || told[0].AccountID != r.account.ID {
			t.Errorf("%s: members are told %+v", what, told)
		}
		o := r.come(a, "t1", "100000000")
		if o, _ = r.advance(o.ID); o.Status != order.InReview || string(o.Hold) != string(account.HoldCooling) {
			t.Errorf("%s: %s, held by %q", what, o.Status, o.Hold)
		}
		r.clock.move(24 * time.Hour)
		r.desk.receives(100_000_000)
		o, _ = r.advance(o.ID)
		r.want(what+" a day later", o, order.PaymentSubmitted)
	}
}

// A Pix key and the QR code of that key are one account, also where an earlier version has registered the code as an
// account of its own.
func TestPayout_SamePixKey(t *testing.T) {
	t.Parallel()
	const key = "123e4567-e12b-12d1-a456-426655440000"
	const code = "00020126580014br.gov.bcb.pix0136" + key +
		"5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D"
	asKey, asCode := rest.BankAccountRequest{PixKey: key}, rest.BankAccountRequest{BRCode: code}
	for what, c := range map[string]struct{ first, second rest.BankAccountRequest }{
		"the key, then the code": {asKey, asCode}, "the code, then the key": {asCode, asKey},
		"an old code, then the key": {asCode, asKey}, "an old code, then the code": {asCode, asCode},
	} {
		r := newRig(t)
		add := func(in rest.BankAccountRequest) (rest.BankAccount, error) {
			a, err := r.Accounts.Create(t.Context(), call(), r.recipient.ID, in)
			var v rest.BankAccount
			if err == nil {
				err = json.Unmarshal(a.Body, &v)
			}
			return v, err
		}
		first, err := add(c.first)
		if err != nil || first.LastFour != "0000" {
			t.Fatalf("%s: %+v, %v", what, first, err)
		}
		if strings.HasPrefix(what, "an old") {
			row, err := r.store.BankAccount(t.Context(), ws, first.ID)
			if err != nil {
				t.Fatal(err)
			}
			row.Fingerprint = "of the code's text"
			r.write(func(ctx context.Context, tx payout.Tx) error { return tx.UpdateBankAccount(ctx, row) })
		}
		if _, err := add(c.second); !errors.Is(err, account.ErrDuplicate) {
			t.Errorf("%s: %v", what, err)
		}
		other := rest.BankAccountRequest{PixKey: "fulano@example.com"}
		if _, err := add(other); err != nil {
			t.Errorf("%s: another key: %v", what, err)
		}
	}
}

// While one caller asks the partner another waits, and is told to come again.
func TestPayout_BankAccountWaits(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	us := d.add(railkit.BankAccountRequest{
		AccountNumber: "1234567890", RoutingNumber: "111000025", AccountType: "checking",
	})
	asked, answer := make(chan bool, 1), make(chan bool)
	d.bank.meet(func(w http.ResponseWriter) bool {
		asked <- true
		<-answer
		return lose(w)
	})
	done := make(chan apptest.Answer)
	go func() { done <- d.Do(d.Keys.BenchKey, "PATCH", d.path("/", us.ID), `{"routing_number":"011000015"}`) }()
	<-asked
	wantCode(
		t, "a second change", d.Do(d.Keys.BenchKey, "PATCH", d.path("/", us.ID), `{"routing_number":"111000025"}`), 503,
		"bank_account_registering", "",
	)
	close(answer)
	if a := <-done; a.Status/100 != 5 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

// A new or changed account cools down, unless a member who has just logged in
// confirms it.
func TestPayout_BankAccountConfirm(t *testing.T) {
	t.Parallel()
	d := newDesk(t, func(c *apptest.Config) { c.PayoutCooling = "24h" })
	ada := d.Join("ada@example.com", auth.RoleManager)
	d.clock.move(24 * time.Hour)
	a := d.add(railkit.BankAccountRequest{
		AccountNumber: "1234567890", RoutingNumber: "111000025", AccountType: "checking",
	})
	cools := func(what string, want bool) {
		t.Helper()
		now := d.accounts(false)[0]
		at, err := time.Parse(time.RFC3339, now.PayableAt)
		if err != nil || at.After(d.clock.Now().Add(23*time.Hour)) != want {
			t.Errorf("%s: payable at %s", what, now.PayableAt)
		}
		row := must(d.Store.Payout().BankAccount(t.Context(), d.Keys.WorkspaceID, a.ID))(t)
		if hold := row.Payable(d.clock.Now()); (hold == account.HoldCooling) != want ||
			!want && hold != account.NoHold {
			t.Errorf("%s: held for %q", what, hold)
		}
	}
	seen := a.UpdatedAt
	confirm := func(headers ...string) apptest.Answer {
		return d.Do(
			"", "POST", d.path("/", a.ID, "/confirm"), apptest.JSON(
				t, rest.BankAccountConfirm{UpdatedAt: seen},
			), headers...,
		)
	}
	cools("new", true)
	wantCode(
		t, "by a key", confirm("Authorization", "ApiKey "+d.Keys.BenchKey), 403, "member_required",
		"log in to the dashboard with a passkey",
	)
	viewer := d.Join("vera@example.com", auth.RoleViewer)
	wantCode(t, "by a viewer", confirm("Authorization", "Bearer "+viewer.Access), 403, "insufficient_scope", "")
	thief := d.Join("thief@example.com", auth.RoleAdmin)
	wantCode(t, "by a new member", confirm("Authorization", "Bearer "+thief.Access), 403, "member_too_new", "too short")
	ada.Take(ada.Login())
	d.clock.move(5*time.Minute + time.Second)
	wantCode(
		t, "by an old login", confirm("Authorization", "Bearer "+ada.Access), 403, "login_not_fresh",
		"at most 5 minutes",
	)
	ada.Take(ada.Post("/v1/auth/refresh", ""))
	wantCode(t, "by a refreshed session", confirm("Authorization", "Bearer "+ada.Access), 403, "login_not_fresh", "")
	cools("refused", true)
	ada.Take(ada.Login())
	if got := confirm("Authorization", "Bearer "+ada.Access); got.Status != 200 {
		t.Errorf("by a fresh login: %d %s", got.Status, got.Body)
	}
	cools("confirmed", false)
	if got := confirm("Authorization", "Bearer "+ada.Access); got.Status != 200 {
		t.Errorf("once more: %d %s", got.Status, got.Body)
	}
	must(d.BankAccounts.Update(t.Context(), d.to.ID, a.ID, railkit.BankAccountUpdate{RoutingNumber: "011000015"}))(t)
	cools("changed", true)
	wantCode(
		t, "what was there before", confirm("Authorization", "Bearer "+ada.Access), 409, "bank_account_changed", "",
	)
	seen = "yesterday"
	wantCode(t, "no time", confirm("Authorization", "Bearer "+ada.Access), 400, "validation_failed", "updatedAt")
	seen = ""
	wantCode(
		t, "nothing", confirm("Authorization", "Bearer "+ada.Access), 400, "validation_failed", "updatedAt is required",
	)
	cools("still", true)
	d.clock.move(24*time.Hour + time.Minute)
	cools("a day later", false)
}
