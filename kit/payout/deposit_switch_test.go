package payout_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/depositaccount"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
)

// change switches an account as the operator does.
func (r *rig) change(
	do func(context.Context, *command.Command, string) (command.Answer, error), id string,
) depositaccount.Switched {
	r.t.Helper()
	a, err := do(r.t.Context(), call(), id)
	var v depositaccount.Switched
	if err := errors.Join(err, json.Unmarshal(a.Body, &v)); err != nil {
		r.t.Fatal(err)
	}
	return v
}

// swept is the account after the sweeper, and what the partner has.
func (r *rig) swept(a depositaccount.Account) (depositaccount.Account, bool) {
	r.t.Helper()
	r.clock.move(16 * time.Second)
	if err := r.Deposits.Sweep(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	row, err := r.store.DepositAccount(r.t.Context(), ws, a.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	return row, r.desk.virtuals[a.PartnerID].Active
}

// The operator switches an account off and on. Off counts at once, on when the partner has said so; the partner is
// told once.
func TestPayout_DepositAccountSwitched(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.depositRow(pesos())
	if v := r.change(r.Deposits.Deactivate, a.ID); v.Status != "deactivated" || !v.Waits {
		t.Errorf("%+v", v)
	}
	key := func() string {
		row, err := r.store.DepositAccount(t.Context(), ws, a.ID)
		if err != nil || row.Active() {
			t.Errorf("%+v, %v", row, err)
		}
		return row.Key
	}
	first := key()
	if v := r.change(r.Deposits.Deactivate, a.ID); !v.Waits || key() != first {
		t.Errorf("twice: %+v", v)
	}
	// The partner does it, and the server dies before it hears so: it asks again with the same key.
	r.desk.breaks("SetVirtualAccountActive", breakage{fiat.ErrUnavailable, true})
	r.clock.move(16 * time.Second)
	if err := r.Deposits.Sweep(t.Context()); !errors.Is(err, fiat.ErrLater) || key() != first {
		t.Errorf("its answer was lost: %v", err)
	}
	row, active := r.swept(a)
	if active || !row.Deactivated || row.Wanted != depositaccount.WantNothing || row.Key != first {
		t.Errorf("partner %v, %+v", active, row)
	}
	if again, v, err := r.depositAccount(pesos()); err != nil || again.Status != 200 || v.Status != "deactivated" ||
		v.Reference != a.Reference || v.SourceDepositInstructions == nil {
		t.Errorf("its request: %d %s, %v", again.Status, again.Body, err)
	}
	if v := r.change(r.Deposits.Deactivate, a.ID); v.Waits {
		t.Errorf("it is off already: %+v", v)
	}
	if v := r.change(r.Deposits.Reactivate, a.ID); v.Status != "deactivated" || !v.Waits {
		t.Errorf("before the partner knows: %+v", v)
	}
	if row, active = r.swept(a); !active || !row.Active() {
		t.Errorf("partner %v, %+v", active, row)
	}
	if n := r.desk.count("SetVirtualAccountActive"); n != 3 {
		t.Errorf("the partner was asked %d times", n)
	}
}

// What the partner refuses is given up, and the log says so.
func TestPayout_DepositAccountSwitchRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.depositRow(pesos())
	r.desk.breaks("SetVirtualAccountActive", breakage{&fiat.Refusal{Code: "no"}, false})
	r.change(r.Deposits.Deactivate, a.ID)
	row, active := r.swept(a)
	if !active || !row.Active() || !strings.Contains(r.log.String(), "refuses to switch") {
		t.Errorf("partner %v, %+v\n%s", active, row, r.log)
	}
	r.desk.breaks("CreateVirtualAccount", breakage{fiat.ErrUnavailable, false})
	other := pesos()
	other.Chain, other.SourceCurrency = "polygon", "usd"
	if _, v, err := r.depositAccount(other); err != nil || v.PartnerVirtualAccountID != "" {
		t.Errorf("while the partner is away: %+v, %v", v, err)
	}
	waits, err := r.store.WaitingDepositAccounts(t.Context(), r.clock.Now(), 9)
	if err != nil || len(waits) != 1 {
		t.Fatal(waits, err)
	}
	if _, err := r.Deposits.Deactivate(t.Context(), call(), waits[0].ID); !errors.Is(err, depositaccount.ErrNotMade) {
		t.Errorf("one that the partner has not made: %v", err)
	}
	if _, err := r.Deposits.Deactivate(t.Context(), call(), "unknown"); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("an unknown one: %v", err)
	}
}

// The partner switches an account too. The server reads it there, and takes nobody's word for it.
func TestPayout_DepositAccountSwitchedByPartner(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.depositRow(pesos())
	refreshed := func(change func(*fiat.VirtualAccount)) (depositaccount.Account, error) {
		change(&r.desk.virtuals[a.PartnerID].VirtualAccount)
		failed := r.Deposits.Refresh(t.Context(), a.PartnerID)
		row, err := r.store.DepositAccount(t.Context(), ws, a.ID)
		if err != nil {
			t.Fatal(err)
		}
		return row, failed
	}
	if row, err := refreshed(func(v *fiat.VirtualAccount) { v.Active = false }); err != nil || row.Active() {
		t.Errorf("off: %+v, %v", row, err)
	}
	if row, err := refreshed(func(v *fiat.VirtualAccount) { v.Active = true }); err != nil || !row.Active() {
		t.Errorf("on: %+v, %v", row, err)
	}
	if row, err := refreshed(func(*fiat.VirtualAccount) {}); err != nil || row.Version != 4 {
		t.Errorf("as before: %+v, %v", row, err)
	}
	if row, err := refreshed(func(v *fiat.VirtualAccount) {
		v.Instructions.BankName = "Another Bank"
	}); err != nil || row.Version != 5 {
		t.Errorf("another bank: %+v, %v", row, err)
	}
	row, err := refreshed(func(v *fiat.VirtualAccount) { v.Address = thief })
	if !errors.Is(err, fiat.ErrAnswer) || row.Active() || row.Address != ownAddress {
		t.Errorf("the coins would go elsewhere: %+v, %v", row, err)
	}
	if row, active := r.swept(a); active || row.Active() {
		t.Errorf("the partner takes deposits that go elsewhere: %+v", row)
	}
	if err := r.Deposits.Refresh(t.Context(), "unknown"); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("an unknown one: %v", err)
	}
}

// Events are the partner's words in the API's, oldest first, each once.
func TestPayout_DepositEvents(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.depositRow(pesos())
	at := r.clock.Now()
	for i, said := range []fiat.Activity{
		{ID: "2", DepositID: "d", Type: fiat.PaymentProcessed, At: at.Add(time.Minute)},
		{ID: "1", DepositID: "d", Type: fiat.FundsReceived, At: at},
		{ID: "3", Type: fiat.AccountDeactivated},
		{ID: "1", DepositID: "d", Type: fiat.FundsReceived, At: at},
	} {
		r.clock.move(time.Hour)
		r.write(func(ctx context.Context, tx payout.Tx) error {
			isNew, err := tx.InsertDepositEvent(ctx, depositaccount.EventOf(a, said, "", r.clock.Now()))
			if isNew != (i < 3) {
				t.Errorf("%s is new: %v", said.ID, isNew)
			}
			return err
		})
	}
	p := auth.Principal{Tenant: auth.Tenant{WorkspaceID: ws}}
	all, next, total, err := r.Deposits.Events(t.Context(), p, a.ID, page.Page{Limit: 9})
	if err != nil || len(all) != 3 || next != nil || total != 3 {
		t.Fatalf("%+v, %v, %d, %v", all, next, total, err)
	}
	if all[0].Type != "received" || *all[0].Status != "pending" || *all[0].PartnerDepositID != "d" ||
		all[1].Type != "processed" || all[1].RawType != "payment_processed" || *all[1].Status != "completed" ||
		all[2].Type != "unknown" || all[2].Status != nil || all[2].PartnerDepositID != nil ||
		all[2].OccurredAt != nil || all[2].Amount != nil {
		t.Errorf("%+v", all)
	}
	foreign := auth.Principal{Tenant: auth.Tenant{WorkspaceID: "another"}}
	if _, _, _, err := r.Deposits.Events(t.Context(), foreign, a.ID, page.Page{Limit: 9}); !errors.Is(
		err, fault.ErrNotFound) {
		t.Errorf("another workspace's: %v", err)
	}
	if _, err := r.Deposits.Get(t.Context(), foreign, a.ID); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("another workspace's account: %v", err)
	}
}
