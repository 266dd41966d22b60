package payout_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/kit/payout/virtual"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
)

func (r *rig) setUp(in rest.LiquidationAddressRequest) (command.Answer, rest.LiquidationAddress, error) {
	a, err := r.Addresses.SetUp(r.t.Context(), call(), in)
	var v rest.LiquidationAddress
	if err == nil {
		err = json.Unmarshal(a.Body, &v)
	}
	return a, v, err
}

func (r *rig) base() rest.LiquidationAddressRequest {
	return rest.LiquidationAddressRequest{
		BeneficiaryID: r.recipient.ID, BeneficiaryAccountID: r.account.ID, Chain: "base", Currency: "usdc",
	}
}

// Sixty-four callers get one address, and the partner is asked for one.
func TestPayout_I9_OneAddressForAll(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var callers sync.WaitGroup
	var mu sync.Mutex
	got, made := map[string]int{}, 0
	for range 64 {
		callers.Go(func() {
			a, v, err := r.setUp(r.base())
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			got[v.ID+" "+v.Address]++
			if a.Status == 201 {
				made++
			}
		})
	}
	callers.Wait()
	if len(got) != 1 ||
		made != 1 || r.desk.count("CreateLiquidationAddress") != 1 || r.desk.count("CreateWallet") != 1 {
		t.Errorf("%v, %d made, %d calls", got, made, r.desk.count("CreateLiquidationAddress"))
	}
	a := r.address("")
	owners, err := r.db.Watch().Owners(t.Context(), []string{strings.ToLower(a.Address)})
	if err != nil || owners[strings.ToLower(a.Address)].ID != a.ID {
		t.Errorf("the watcher knows %v, %v", owners, err)
	}
}

// What the partner did is asked for again with the key that it knows; what it did
// not, once more. A caller who died is waited for no longer than a while.
func TestPayout_AddressAfterFailures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what, method string
		fails        breakage
		kind         fault.Kind
	}{
		{"no customer", "CreateCustomer", breakage{fiat.ErrBusy, false}, fault.Unavailable},
		{"no wallet", "CreateWallet", breakage{fiat.ErrUnavailable, false}, fault.Unavailable},
		{"a wallet of which nobody heard", "CreateWallet", breakage{fiat.ErrUnavailable, true}, fault.Unavailable},
		{"no address", "CreateLiquidationAddress", breakage{fiat.ErrUnavailable, false}, fault.Unavailable},
		{
			"an address of which nobody heard", "CreateLiquidationAddress", breakage{fiat.ErrAnswer, true},
			fault.Upstream,
		},
		{"a refusal", "CreateLiquidationAddress", breakage{&fiat.Refusal{Code: "no"}, false}, fault.Unprocessable},
	} {
		r := newRig(t)
		r.desk.breaks(c.method, c.fails)
		_, _, err := r.setUp(r.base())
		if f, ok := fault.As(err); !ok || f.Kind != c.kind {
			t.Errorf("%s: %v", c.what, err)
		}
		if err := r.Sweep(t.Context()); err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
		a, v, err := r.setUp(r.base())
		if err != nil || a.Status != 200 || v.Address == "" || len(r.desk.wallets) != 1 {
			t.Errorf("%s: after the sweeper %d %s, %v", c.what, a.Status, a.Body, err)
		}
	}
}

// Each address leads to a wallet of its own: the partner refuses a second one to
// the same wallet. Where it forgot the key, both are made anew.
func TestPayout_AddressHasItsOwnWallet(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	first := r.address("")
	r.recipient, r.account = r.payee("Bea")
	r.desk.breaks("CreateLiquidationAddress", breakage{fiat.ErrUnavailable, true})
	if _, _, err := r.setUp(r.base()); err == nil {
		t.Error("its answer was lost")
	}
	r.clock.move(21 * time.Hour)
	second := r.address("")
	if second.PartnerWalletID == first.PartnerWalletID || second.Address == first.Address || len(r.desk.wallets) != 3 {
		t.Errorf("%+v\nand %+v, %d wallets", first, second, len(r.desk.wallets))
	}
}

func TestPayout_AddressOfTheDead(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ctx := t.Context()
	r.desk.breaks("CreateLiquidationAddress", breakage{fiat.ErrUnavailable, true})
	_, _, _ = r.setUp(r.base())
	rows, err := r.store.WaitingWithdrawAddresses(ctx, r.clock.Now(), 9)
	if err != nil || len(rows) != 1 {
		t.Fatal(rows, err)
	}
	was := rows[0].TriedAt
	rows[0].TriedAt = r.clock.Now()
	// and dies
	r.write(func(ctx context.Context, tx payout.Tx) error { return tx.TakeWithdrawAddress(ctx, rows[0], was) })
	for patience := 100 * time.Millisecond; ; patience *= 4 { // a busy machine may not have come to the wait by then
		leaving, leave := context.WithCancel(t.Context())
		time.AfterFunc(patience, leave) // given up, and tried again with more of it
		_, err := r.Addresses.SetUp(leaving, call(), r.base())
		if errors.Is(err, fiat.ErrLater) {
			break
		}
		if !errors.Is(err, context.Canceled) || patience > testwait.Bound {
			t.Fatalf("while another caller asks: %v", err)
		}
	}
	r.clock.move(16 * time.Second)
	if a, _, err := r.setUp(r.base()); err != nil || a.Status != 201 {
		t.Errorf("after it is taken for dead: %d, %v", a.Status, err)
	}
}

// What cannot be set up is refused, each with its reason.
func TestPayout_AddressRefusals(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	archived, his := r.payee("Bea")
	archived.Status = recipient.Archived
	r.write(func(ctx context.Context, tx payout.Tx) error { return tx.UpdateRecipient(ctx, archived) })
	_, pending := r.payee("Cem")
	pending.Registration = account.Pending
	r.write(func(ctx context.Context, tx payout.Tx) error { return tx.UpdateBankAccount(ctx, pending) })
	for _, c := range []struct {
		what    string
		change  func(*rest.LiquidationAddressRequest)
		kind    fault.Kind
		message string
	}{
		{"base+usdt", func(in *rest.LiquidationAddressRequest) {
			in.Currency = "usdt"
		}, fault.Invalid, "USDT is not issued on base"},
		{"another chain", func(in *rest.LiquidationAddressRequest) { in.Chain = "tron" }, fault.Invalid, "base+usdc"},
		{"a chain without a node", func(in *rest.LiquidationAddressRequest) {
			in.Chain = "arbitrum"
		}, fault.Unavailable, "Nobody watches this chain"},
		{"no such account", func(in *rest.LiquidationAddressRequest) {
			in.BeneficiaryAccountID = "x"
		}, fault.NotFound, "Bank account not found"},
		{"no such recipient", func(in *rest.LiquidationAddressRequest) {
			in.BeneficiaryID = "x"
		}, fault.NotFound, "Recipient not found"},
		{"another's account", func(in *rest.LiquidationAddressRequest) {
			in.BeneficiaryAccountID = his.ID
		}, fault.NotFound, "Bank account not found"},
		{"archived", func(in *rest.LiquidationAddressRequest) {
			in.BeneficiaryID, in.BeneficiaryAccountID = archived.ID, his.ID
		}, fault.Unprocessable, "archived"},
		{"pending", func(in *rest.LiquidationAddressRequest) {
			in.BeneficiaryID, in.BeneficiaryAccountID = pending.RecipientID, pending.ID
		}, fault.Unprocessable, "pending"},
	} {
		in := r.base()
		c.change(&in)
		_, _, err := r.setUp(in)
		if f, ok := fault.As(err); !ok || f.Kind != c.kind || !strings.Contains(f.Message, c.message) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	for wallet, want := range map[string]string{"elsewhere": "walletId must be", "nowhere": "Wallet not found"} {
		_, err := r.Addresses.Create(
			t.Context(), call(),
			rest.WithdrawAddressRequest{
				BeneficiaryAccountID: r.account.ID, WalletID: wallet, Chain: "base", Currency: "usdc",
			},
		)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", wallet, err)
		}
	}
	if n := r.desk.count("CreateLiquidationAddress"); n != 0 {
		t.Errorf("%d addresses were asked for", n)
	}
}

func TestPayout_VirtualAccount(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	in := rest.VirtualAccountRequest{BeneficiaryID: r.recipient.ID, BeneficiaryAccountID: r.account.ID}
	if _, err := r.Virtuals.SetUp(t.Context(), call(), in); !errors.Is(err, virtual.ErrAddressFirst) {
		t.Errorf("without an address: %v", err)
	}
	r.address("")
	r.desk.breaks("CreateVirtualAccount", breakage{fiat.ErrUnavailable, true})
	if _, err := r.Virtuals.SetUp(t.Context(), call(), in); err == nil {
		t.Error("the partner was not there")
	}
	seen := map[string]int{}
	for range 3 {
		a, err := r.Virtuals.SetUp(t.Context(), call(), in)
		if err != nil {
			t.Fatal(err)
		}
		seen[fmt.Sprint(a.Status, " ", string(a.Body))]++
	}
	if len(seen) != 2 || len(r.desk.given) != 4 { // customer, wallet, address, account
		t.Errorf("%v, %d things were made", seen, len(r.desk.given))
	}
	self := r.recipient
	self.ID, self.Self = "self", true
	own := r.account
	own.ID, own.RecipientID = "own", "self"
	r.write(func(ctx context.Context, tx payout.Tx) error {
		return errors.Join(tx.InsertRecipient(ctx, self), tx.InsertBankAccount(ctx, own))
	})
	_, err := r.Virtuals.SetUp(
		t.Context(), call(), rest.VirtualAccountRequest{BeneficiaryID: "self", BeneficiaryAccountID: "own"},
	)
	if err == nil || !strings.Contains(err.Error(), "own recipient") {
		t.Errorf("one's own: %v", err)
	}
}
