package payout_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/alert"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
	railkit "github.com/railkit/railkit/sdk/go"
)

func cools(c *payout.Config) { c.Cooling = 24 * time.Hour }

// asked is an answer about a withdrawal address.
func asked(t *testing.T) func(command.Answer, error) rest.WithdrawAddress {
	return func(a command.Answer, err error) (v rest.WithdrawAddress) {
		t.Helper()
		if err == nil {
			err = json.Unmarshal(a.Body, &v)
		}
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Whoever may make withdrawal addresses cannot say where the refunds of one that is
// there go: neither where they go already, nor where nobody named a wallet yet, nor
// while another caller's attempt to make it has died.
func TestPayout_ReturnAddressIsNotTakenByCreating(t *testing.T) {
	t.Parallel()
	for _, wallet := range []string{"", "wallet"} {
		r := newRig(t)
		create := func(wallet string) error {
			_, err := r.Addresses.Create(t.Context(), call(), rest.WithdrawAddressRequest{
				BeneficiaryAccountID: r.account.ID, WalletID: wallet, Chain: "base", Currency: "usdc",
			})
			return err
		}
		r.desk.breaks("CreateLiquidationAddress", breakage{errors.New("the caller dies"), false})
		if create(wallet) == nil {
			t.Fatal("the partner was not there")
		}
		if err := create("thief"); !errors.Is(err, withdraw.ErrOtherReturn) {
			t.Errorf("made with %q, taken over with another: %v", wallet, err)
		}
		first := r.address(wallet)
		if err := create("thief"); !errors.Is(err, withdraw.ErrOtherReturn) {
			t.Errorf("made with %q, another is named: %v", wallet, err)
		}
		if again := r.address(""); again != first {
			t.Errorf("%+v\nwant %+v", again, first)
		}
	}
}

// The first wallet that is named for refunds waits as a later one does: who has an API key names it as easily as it
// changes it. Refunds stay at the withdrawal address meanwhile. A member who saw the address ends the wait.
func TestPayout_FirstReturnAddressCools(t *testing.T) {
	t.Parallel()
	for _, confirmed := range []bool{false, true} {
		r := newRig(t, cools)
		ctx := t.Context()
		name := func(wallet string) (command.Answer, error) {
			return r.Addresses.Create(ctx, call(), rest.WithdrawAddressRequest{
				BeneficiaryAccountID: r.account.ID, WalletID: wallet, Chain: "base", Currency: "usdc",
			})
		}
		v := asked(t)(name("thief"))
		if v.WalletID+v.ReturnAddress != "" || v.PendingReturn == nil || v.PendingReturn.ReturnAddress != thief {
			t.Fatalf("named: %+v", v)
		}
		if again := asked(t)(name("thief")); again.PendingReturn == nil || *again.PendingReturn != *v.PendingReturn {
			t.Errorf("named again: %+v", again)
		}
		if _, err := name("wallet"); !errors.Is(err, withdraw.ErrOtherReturn) {
			t.Errorf("another one is named: %v", err)
		}
		told := r.alerted(alert.ReturnChanged)
		if len(told) != 1 || told[0].Detail != thief || told[0].ByID != "key-1" {
			t.Errorf("members are told %+v", told)
		}
		a, err := r.store.WithdrawAddress(ctx, ws, v.ID)
		if err != nil {
			t.Fatal(err)
		}
		r.clock.move(23 * time.Hour)
		before := r.come(a, "t1", "100000000")
		if confirmed {
			ada := call()
			ada.Principal.Kind, ada.Principal.ID, ada.Principal.LoggedInAt = auth.BySession, "ada", r.clock.Now()
			asked(t)(r.Addresses.ConfirmReturn(ctx, ada, a.ID, rest.ReturnConfirm{ReturnAddress: thief}))
		} else {
			r.clock.move(time.Hour)
		}
		after := r.come(a, "t2", "100000000")
		if before.ReturnAddress != "" || after.ReturnAddress != thief {
			t.Errorf("confirmed %v: %q before, %q after", confirmed, before.ReturnAddress, after.ReturnAddress)
		}
	}
}

// Nobody names a wallet for the refunds of an account that a member froze, neither first nor later.
func TestPayout_FirstReturnAddressOfFrozenAccount(t *testing.T) {
	t.Parallel()
	r := newRig(t, cools)
	r.account.FrozenAt = r.clock.Now()
	r.write(func(ctx context.Context, tx payout.Tx) error { return tx.UpdateBankAccount(ctx, r.account) })
	create := func(wallet string) error {
		_, err := r.Addresses.Create(t.Context(), call(), rest.WithdrawAddressRequest{
			BeneficiaryAccountID: r.account.ID, WalletID: wallet, Chain: "base", Currency: "usdc",
		})
		return err
	}
	if err := create("thief"); !errors.Is(err, withdraw.ErrFrozen) {
		t.Errorf("named for a frozen account: %v", err)
	}
	if err := create(""); err != nil {
		t.Errorf("without a wallet: %v", err)
	}
}

// returning is a withdrawal address whose refunds go to a wallet by now.
func (r *rig) returning(wallet string) withdraw.Address {
	r.t.Helper()
	a := r.address(wallet)
	r.clock.move(24 * time.Hour)
	return a.At(r.clock.Now())
}

// alerted are the alerts of a kind that members are mailed of.
func (r *rig) alerted(change alert.Change) (all []alert.Shown) {
	r.t.Helper()
	id := record.NewID()
	r.write(func(ctx context.Context, tx payout.Tx) error {
		_, err := tx.BatchAlerts(ctx, ws, id)
		return err
	})
	rows, err := r.store.Alerts(r.t.Context(), ws, id, 500)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, a := range rows {
		if a.Change == change {
			all = append(all, a)
		}
	}
	return all
}

// A change of where refunds go cools down: orders that come meanwhile, and those
// that are there, keep the old place.
func TestPayout_ReturnAddressCools(t *testing.T) {
	t.Parallel()
	for _, wallet := range []string{"", "wallet"} {
		r := newRig(t, cools)
		a := r.returning(wallet)
		change := func(wallet string) (command.Answer, error) {
			return r.Addresses.ChangeReturn(t.Context(), call(), a.ID, rest.ReturnRequest{WalletID: wallet})
		}
		v := asked(t)(change("thief"))
		if v.ReturnAddress != a.ReturnAddress || v.PendingReturn == nil || v.PendingReturn.ReturnAddress != thief {
			t.Fatalf("%+v", v)
		}
		r.clock.move(23 * time.Hour)
		if again := asked(t)(change("thief")); *again.PendingReturn != *v.PendingReturn {
			t.Errorf("asked for again: %+v, want %+v", again.PendingReturn, v.PendingReturn)
		}
		if wallet != "" {
			if _, err := change(wallet); !errors.Is(err, withdraw.ErrReturnPending) {
				t.Errorf("another one: %v", err)
			}
		}
		before := r.come(a, "t1", "100000000")
		r.clock.move(time.Hour)
		after := r.come(a, "t2", "100000000")
		if got := r.order(before.ID).ReturnAddress; got != a.ReturnAddress || after.ReturnAddress != thief {
			t.Errorf("made with %q: %q before, %q after", wallet, got, after.ReturnAddress)
		}
		if got, err := r.Addresses.Get(t.Context(), call().Principal, a.ID); err != nil ||
			got.ReturnAddress != thief || got.WalletID != "thief" || got.PendingReturn != nil {
			t.Errorf("afterwards: %+v, %v", got, err)
		}
	}
}

// A member who saw the new address ends the wait; anybody who may ask for a change
// may take it back while it waits.
func TestPayout_ReturnAddressConfirmAndCancel(t *testing.T) {
	t.Parallel()
	r := newRig(t, cools)
	a := r.returning("wallet")
	ctx := t.Context()
	change := func() {
		t.Helper()
		asked(t)(r.Addresses.ChangeReturn(ctx, call(), a.ID, rest.ReturnRequest{WalletID: "thief"}))
	}
	ada := call()
	ada.Principal.Kind, ada.Principal.ID, ada.Principal.LoggedInAt = auth.BySession, "ada", r.clock.Now()
	joined := call()
	joined.Principal = ada.Principal
	joined.Principal.JoinedAt = r.clock.Now().Add(-23 * time.Hour)
	stale := call()
	stale.Principal.Kind, stale.Principal.LoggedInAt = auth.BySession, r.clock.Now().Add(-6*time.Minute)
	confirm := func(by *command.Command, address string) error {
		_, err := r.Addresses.ConfirmReturn(ctx, by, a.ID, rest.ReturnConfirm{ReturnAddress: address})
		return err
	}
	cancel := func() (command.Answer, error) { return r.Addresses.CancelReturn(ctx, call(), a.ID) }

	if _, err := cancel(); !errors.Is(err, withdraw.ErrReturnChanged) {
		t.Errorf("canceled where there is nothing: %v", err)
	}
	change()
	if v := asked(t)(cancel()); v.PendingReturn != nil || v.ReturnAddress != a.ReturnAddress {
		t.Errorf("canceled: %+v", v)
	}
	if err := confirm(ada, thief); !errors.Is(err, withdraw.ErrReturnChanged) {
		t.Errorf("confirmed where there is nothing: %v", err)
	}
	change()
	for _, c := range []struct {
		what    string
		by      *command.Command
		address string
		want    error
	}{
		{"by a key", call(), thief, account.ErrConfirmByMember},
		{"a login of an hour ago", stale, thief, auth.ErrLoginNotFresh},
		{"a new member", joined, thief, account.ErrNewMember},
		{"another address was seen", ada, a.ReturnAddress, withdraw.ErrReturnChanged},
		{"no address was seen", ada, "", nil},
	} {
		if err := confirm(c.by, c.address); err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	for range 2 {
		if err := confirm(ada, thief); err != nil {
			t.Fatal(err)
		}
	}
	if o := r.come(a, "t1", "100000000"); o.ReturnAddress != thief {
		t.Errorf("refunds go to %s", o.ReturnAddress)
	}
	if _, err := cancel(); !errors.Is(err, withdraw.ErrReturnChanged) {
		t.Errorf("canceled after it took effect: %v", err)
	}
}

// The same by HTTP: an API key cannot have refunds go to another wallet by itself.
func TestPayout_ReturnAddressOverHTTP(t *testing.T) {
	t.Parallel()
	a := apptest.New(t, apptest.WithPartner(t), func(c *apptest.Config) { c.PayoutCooling = "24h" })
	c, ctx := a.Client(), t.Context()
	_, account := mexico(t, c, "Ana Ruiz")
	mine := a.Fund(c, "ana@example.com").Wallet.WalletID
	other := a.Fund(c, "eve@example.com").Wallet.WalletID
	first := must(c.WithdrawAddresses.Create(
		ctx, railkit.WithdrawAddressRequest{BeneficiaryAccountID: account, WalletID: mine},
	))(t)
	if first.WalletID != "" || first.ReturnAddress != "" || first.PendingReturn == nil {
		t.Fatalf("the first wallet takes effect at once: %+v", first)
	}
	path := "/v1/payout/offramp/withdraw-addresses/" + first.ID + "/return-address/confirm"
	seen := func(address string) string { return `{"returnAddress":"` + address + `"}` }
	ada := a.Join("ada@example.com", auth.RoleManager)
	a.Edit("UPDATE members SET created_at = created_at - 86400000000") // since yesterday
	wantCode(
		t, "the first one, by a key", a.Do(a.Keys.BenchKey, "POST", path, seen(first.PendingReturn.ReturnAddress)), 403,
		"member_required", "Only a member can do this",
	)
	if got := ada.Do("POST", path, seen(first.PendingReturn.ReturnAddress)); got.Status != 200 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	if first = must(c.WithdrawAddresses.Get(ctx, first.ID))(t); first.WalletID != mine || first.PendingReturn != nil {
		t.Fatalf("confirmed: %+v", first)
	}
	_, err := c.WithdrawAddresses.Create(
		ctx, railkit.WithdrawAddressRequest{BeneficiaryAccountID: account, WalletID: other},
	)
	wantError(t, "created with another wallet", err, 409, "return_address_differs")

	changing := must(c.WithdrawAddresses.ChangeReturnAddress(
		ctx, first.ID, railkit.ReturnAddressRequest{WalletID: other},
	))(t)
	if changing.ReturnAddress != first.ReturnAddress || changing.PendingReturn == nil {
		t.Fatalf("%+v", changing)
	}
	_, err = c.WithdrawAddresses.ChangeReturnAddress(ctx, first.ID, railkit.ReturnAddressRequest{WalletID: mine})
	wantError(t, "another change", err, 409, "return_address_changing")
	viewer := a.Join("viewer@example.com", auth.RoleViewer)
	wantCode(
		t, "by a key", a.Do(a.Keys.BenchKey, "POST", path, seen(changing.PendingReturn.ReturnAddress)), 403,
		"member_required", "Only a member can do this",
	)
	wantCode(
		t, "by a viewer", viewer.Do("POST", path, seen(changing.PendingReturn.ReturnAddress)), 403,
		"insufficient_scope", "",
	)
	wantCode(
		t, "another address was seen", ada.Do("POST", path, seen(first.ReturnAddress)), 409, "return_address_changed",
		"No such change",
	)
	if got := ada.Do("POST", path, seen(changing.PendingReturn.ReturnAddress)); got.Status != 200 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	if got := must(c.WithdrawAddresses.Get(ctx, first.ID))(t); got.WalletID != other || got.PendingReturn != nil {
		t.Errorf("%+v", got)
	}
	_, err = c.WithdrawAddresses.CancelReturnAddress(ctx, first.ID)
	wantError(t, "canceled too late", err, 409, "return_address_changed")
}
