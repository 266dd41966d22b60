package payout_test

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
)

// book is the book of payees of the wallet's owners, with a signer that prepares.
type book struct {
	mu       sync.Mutex
	known    map[string]string // names by addresses
	asked    []withdraw.NewPayee
	fails    error
	meantime func(ctx context.Context) error // what happens while the signer prepares
}

func (b *book) Find(_ context.Context, _, _, chain, address string) (id, name string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if name = b.known[chain+" "+address]; name == "" {
		return "", "", nil
	}
	return "payee-1", name, nil
}

func (b *book) Prepare(ctx context.Context, _, _ string, p withdraw.NewPayee) (rest.PreparedActivity, error) {
	b.mu.Lock()
	b.asked = append(b.asked, p)
	n, err := len(b.asked), b.fails
	b.mu.Unlock()
	if err == nil && b.meantime != nil {
		err = b.meantime(ctx)
	}
	return rest.PreparedActivity{Fingerprint: "prepared " + strconv.Itoa(n)}, err
}

func newBookRig(t *testing.T) (*rig, *book) {
	t.Helper()
	b := &book{known: map[string]string{}}
	return newRig(t, func(c *payout.Config) { c.Payees = b }), b
}

func (r *rig) create(cmd *command.Command, in rest.WithdrawAddressRequest) (int, rest.WithdrawAddress, error) {
	a, err := r.Addresses.Create(r.t.Context(), cmd, in)
	var v rest.WithdrawAddress
	if err == nil {
		err = json.Unmarshal(a.Body, &v)
	}
	return a.Status, v, err
}

func (r *rig) toWallet() rest.WithdrawAddressRequest {
	return rest.WithdrawAddressRequest{
		BeneficiaryAccountID: r.account.ID, WalletID: "wallet", Chain: "base", Currency: "usdc",
	}
}

// One stamp after the address is made, its owners' book has it. The call comes again until then.
func TestPayout_PayeeOfWithdrawAddress(t *testing.T) {
	t.Parallel()
	r, b := newBookRig(t)
	p := auth.Principal{Tenant: auth.Tenant{WorkspaceID: ws}}
	const name = "Ana, SPEI bank (MX) 9719 MXN (USDC on Base Sepolia)"
	for i, want := range []int{201, 200} {
		status, v, err := r.create(call(), r.toWallet())
		if err != nil || status != want || v.Payee == nil || v.Payee.Status != "prepared" || v.Payee.Name != name ||
			v.Payee.Prepared.Fingerprint != "prepared "+strconv.Itoa(i+1) {
			t.Fatalf("%d %+v, %v", status, v.Payee, err)
		}
		got := b.asked[i]
		if got.Address != v.Address || got.Chain != "base" || got.Name != name || got.BankAccount !=
			(rest.PayeeBankAccount{Owner: "Ana", Bank: "SPEI bank (MX)", LastFour: "9719", Currency: "MXN"}) {
			t.Errorf("the signer was asked for %+v", got)
		}
		if v, err = r.Addresses.Get(t.Context(), p, v.ID); err != nil || v.Payee != nil {
			t.Errorf("before the stamp the address is read with %+v, %v", v.Payee, err)
		}
	}
	in := r.toWallet()
	in.PayeeName = " Ana's bank "
	_, v, err := r.create(call(), in)
	if err != nil || v.Payee.Name != "Ana's bank" || b.asked[2].Name != "Ana's bank" {
		t.Errorf("by another name: %+v, %v", v.Payee, err)
	}
	b.known["base "+v.Address] = "Ana's bank"
	want := rest.WithdrawPayee{Status: "in_book", ID: "payee-1", Name: "Ana's bank"}
	if _, v, err = r.create(call(), r.toWallet()); err != nil || v.Payee == nil || *v.Payee != want {
		t.Errorf("in the book: %+v, %v", v.Payee, err)
	}
	if v, err = r.Addresses.Get(t.Context(), p, v.ID); err != nil || v.Payee == nil || *v.Payee != want {
		t.Errorf("read: %+v, %v", v.Payee, err)
	}
	if len(b.asked) != 3 {
		t.Errorf("the signer was asked %d times", len(b.asked))
	}
}

func TestPayout_NoPayeeWithoutWallet(t *testing.T) {
	t.Parallel()
	r, b := newBookRig(t)
	in := r.toWallet()
	in.WalletID = ""
	if _, v, err := r.create(call(), in); err != nil || v.Address == "" || v.Payee != nil || len(b.asked) != 0 {
		t.Errorf("%+v, %v", v, err)
	}
	if _, _, err := r.setUp(r.base()); err != nil || len(b.asked) != 0 {
		t.Errorf("set up: %v", err)
	}
	in.PayeeName = "Ana"
	if _, _, err := r.create(call(), in); !errors.Is(err, fault.ErrValidation) {
		t.Errorf("a name for no payee: %v", err)
	}
}

// Whatever becomes of the payee, the caller gets the address.
func TestPayout_AddressWithoutItsPayee(t *testing.T) {
	t.Parallel()
	taken := &fault.Error{Kind: fault.Unprocessable, Code: "payee_name_taken", Message: "name can be mistaken"}
	wait := func(ctx context.Context) error {
		if end, has := ctx.Deadline(); !has || time.Until(end) > 3*time.Second {
			t.Errorf("the signer has until %v", end)
		}
		<-ctx.Done()
		return fault.ErrUnavailable.Because(ctx.Err())
	}
	away := rest.WithdrawPayee{
		Code: "unavailable", Reason: "The signer does not answer at the moment: make the same call again",
	}
	for what, c := range map[string]struct {
		fails    error
		meantime func(context.Context) error
		want     rest.WithdrawPayee
	}{
		"refused": {taken, nil, rest.WithdrawPayee{Code: taken.Code, Reason: taken.Message}},
		"bug":     {errors.New("secret"), nil, away},
		"slow":    {nil, wait, away},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			r, b := newBookRig(t)
			b.fails, b.meantime = c.fails, c.meantime
			c.want.Status = "unavailable"
			for _, want := range []int{201, 200} {
				status, v, err := r.create(call(), r.toWallet())
				if err != nil || status != want || v.Status != "active" || v.Payee == nil || *v.Payee != c.want {
					t.Errorf("%d %+v, %v", status, v.Payee, err)
				}
			}
		})
	}
}

// While the signer is asked, others write: no transaction is open. The partner has answered by then, and the row of the
// address has not been finished.
func TestPayout_PayeeIsPreparedBetweenPartnerAndCommit(t *testing.T) {
	t.Parallel()
	r, b := newBookRig(t)
	b.meantime = func(ctx context.Context) error {
		r.payee("Ben")
		a, err := r.store.WithdrawAddressOf(ctx, ws, r.account.ID, "base", "usdc")
		if err != nil || a.Status != "provisioning" || r.desk.count("CreateLiquidationAddress") != 1 {
			t.Errorf("%s, %v", a.Status, err)
		}
		return nil
	}
	if status, v, err := r.create(call(), r.toWallet()); err != nil || status != 201 || v.Payee.Status != "prepared" {
		t.Errorf("%d %+v, %v", status, v.Payee, err)
	}
}

func TestPayout_PayeeForEachCaller(t *testing.T) {
	t.Parallel()
	r, _ := newBookRig(t)
	var callers sync.WaitGroup
	var mu sync.Mutex
	addresses, prepared := map[string]bool{}, map[string]bool{}
	for range 8 {
		callers.Go(func() {
			_, v, err := r.create(call(), r.toWallet())
			mu.Lock()
			defer mu.Unlock()
			if err != nil || v.Payee == nil || v.Payee.Prepared == nil {
				t.Errorf("%+v, %v", v, err)
				return
			}
			addresses[v.Address], prepared[v.Payee.Prepared.Fingerprint] = true, true
		})
	}
	callers.Wait()
	if len(addresses) != 1 || len(prepared) != 8 {
		t.Errorf("%d addresses, %d activities", len(addresses), len(prepared))
	}
}

// An account that is archived while the signer prepares has its address all the same: nothing is paid to it.
func TestPayout_PayeeOfArchivedAccount(t *testing.T) {
	t.Parallel()
	r, b := newBookRig(t)
	b.meantime = func(context.Context) error {
		r.write(func(ctx context.Context, tx payout.Tx) error {
			a, err := tx.HoldBankAccount(ctx, ws, r.account.ID)
			a.Active = false
			return errors.Join(err, tx.UpdateBankAccount(ctx, a))
		})
		return nil
	}
	if status, v, err := r.create(call(), r.toWallet()); err != nil || status != 201 || v.Payee.Status != "prepared" {
		t.Errorf("%d %+v, %v", status, v.Payee, err)
	}
	if _, _, err := r.create(call(), r.toWallet()); !errors.Is(err, account.ErrNotUsable) || len(b.asked) != 1 {
		t.Errorf("%v, asked %d times", err, len(b.asked))
	}
}
