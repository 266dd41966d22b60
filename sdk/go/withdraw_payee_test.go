package railkit_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// bankOfMaria is a request for the withdrawal address of a new bank account, whose refunds go to the wallet.
func (w *world) bankOfMaria(t *testing.T, walletID string) railkit.WithdrawAddressRequest {
	t.Helper()
	recipient, err := w.client.Recipients.Create(t.Context(), railkit.RecipientRequest{
		Name: "María", OwnerType: "individual",
		Address: railkit.PostalAddress{Street: "Av. Reforma 1", City: "CDMX", Country: "MX"},
	})
	if err != nil {
		t.Fatal(err)
	}
	account, err := w.client.BankAccounts.Create(t.Context(), recipient.ID, railkit.BankAccountRequest{
		Currency: "mxn", CLABE: "032180000118359719", LegalName: "María García", BankName: "BBVA",
	})
	if err != nil {
		t.Fatal(err)
	}
	return railkit.WithdrawAddressRequest{BeneficiaryAccountID: account.ID, WalletID: walletID}
}

// A bank account, its withdrawal address, one stamp: from then on a payment to the address names the bank account.
func TestPayees_FromBankAccount(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	payer := w.payer(t)
	req := w.bankOfMaria(t, payer.WalletID)
	a, err := w.client.WithdrawAddresses.Create(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	const name = "María García, BBVA 9719 MXN (USDC on Base Sepolia)"
	bank := wire.PayeeBankAccount{Owner: "María García", Bank: "BBVA", LastFour: "9719", Currency: "MXN"}
	if a.Payee == nil || a.Payee.Status != "prepared" || a.Payee.Name != name || a.Payee.Prepared.Shown == nil ||
		*a.Payee.Prepared.Shown.Payee.BankAccount != bank || a.Payee.Prepared.CeremonyURL == "" {
		t.Fatalf("%+v", a.Payee)
	}
	again, err := w.client.WithdrawAddresses.Create(ctx, req)
	if err != nil || again.Address != a.Address || again.Payee.Status != "prepared" ||
		again.Payee.Prepared.Fingerprint == a.Payee.Prepared.Fingerprint {
		t.Fatalf("the call again: %+v, %v", again.Payee, err)
	}
	p, err := w.client.Payees.AddPrepared(ctx, w.pk, *a.Payee.Prepared)
	if err != nil || p.Name != name || p.Address != a.Address || p.Kind != railkit.BankAccountPayee ||
		p.SubOrganizationID != w.reg.SubOrganizationID {
		t.Fatalf("%+v, %v", p, err)
	}
	if _, err := w.client.Payees.AddPrepared(ctx, w.pk, *again.Payee.Prepared); code(err) != "payee_name_taken" {
		t.Errorf("the second body: %v", err)
	}
	for what, read := range map[string]func() (*railkit.WithdrawAddress, error){
		"created again": func() (*railkit.WithdrawAddress, error) {
			return w.client.WithdrawAddresses.Create(ctx, req)
		},
		"read": func() (*railkit.WithdrawAddress, error) { return w.client.WithdrawAddresses.Get(ctx, a.ID) },
	} {
		got, err := read()
		if err != nil || got.Payee == nil || got.Payee.Status != "in_book" || got.Payee.ID != p.ID ||
			got.Payee.Name != name {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
	}
	pay := transfer(payer.Address)
	pay.To = a.Address
	shown, err := w.client.Transactions.Prepare(ctx, pay)
	if err != nil {
		t.Fatal(err)
	}
	var to *wire.Payee
	for _, c := range shown.Shown.Counterparties {
		if c.Address == a.Address {
			to = c.Payee
		}
	}
	if to == nil || to.Name != name || *to.BankAccount != bank {
		t.Errorf("the payment names %+v", to)
	}
}

func code(err error) string {
	var e *railkit.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// The same call under its key gets the first answer, with the body that was prepared then.
func TestPayees_FromBankAccount_Replayed(t *testing.T) {
	w := newWorld(t)
	req := w.bankOfMaria(t, w.account(t).WalletID)
	ctx := railkit.WithIdempotencyKey(t.Context(), uuid.NewString())
	first, err := w.client.WithdrawAddresses.Create(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	again, err := w.client.WithdrawAddresses.Create(ctx, req)
	if err != nil || again.Payee.Prepared.Fingerprint != first.Payee.Prepared.Fingerprint {
		t.Fatalf("%+v, %v", again, err)
	}
	if _, err := w.client.Payees.AddPrepared(ctx, w.pk, *again.Payee.Prepared); err != nil {
		t.Error(err)
	}
}

// TestPayees_FromBankAccount_AsDocumented pastes the call of docs/payees.md into a shell, and sends the stamp as the
// page says, without a client that knows the body.
func TestPayees_FromBankAccount_AsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/payees.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "## From bank account to payee")
	_, block, _ := strings.Cut(section, "```sh\n")
	lines, _, found := strings.Cut(block, "```")
	if !found {
		t.Fatal("the section has no shell lines")
	}
	w := newWorld(t)
	req := w.bankOfMaria(t, w.account(t).WalletID)
	shell := exec.Command("sh", "-eu", "-c", lines)
	shell.Env = append(os.Environ(), "API="+w.host.URL, "KEY="+w.Keys.BenchKey, "ACCOUNT="+req.BeneficiaryAccountID,
		"WALLET="+req.WalletID)
	out, err := shell.Output()
	var made struct{ Data railkit.WithdrawAddress }
	if err = errors.Join(err, json.Unmarshal(out, &made)); err != nil || made.Data.Payee == nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := made.Data.Payee.Prepared
	signed, err := p.Stamp(w.pk)
	if err != nil {
		t.Fatal(err)
	}
	var body struct {
		OrganizationID string
		Parameters     object
	}
	if err := json.Unmarshal([]byte(p.UnsignedActivity.Body), &body); err != nil {
		t.Fatal(err)
	}
	body.Parameters["subOrganizationId"], body.Parameters["signedActivity"] = body.OrganizationID, signed
	got := w.Do(w.Keys.BenchKey, "POST", p.UnsignedActivity.URL, apptest.JSON(t, body.Parameters))
	if got.Status != 201 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}

// While the signer hangs, the address is made all the same, within the 30 s that the server gives every call. Once it
// answers, the same call prepares the payee.
func TestPayees_FromBankAccount_WithoutSigner(t *testing.T) {
	w, ctx := worldOf(t, apptest.New(t, apptest.WithPartner(t))), t.Context()
	req := w.bankOfMaria(t, w.account(t).WalletID)
	w.SignalEnclave(syscall.SIGSTOP)
	a, err := w.client.WithdrawAddresses.Create(ctx, req)
	if err != nil || a.Status != "active" || a.Payee.Status != "unavailable" || a.Payee.Code != "unavailable" {
		t.Fatalf("%+v, %v", a, err)
	}
	w.SignalEnclave(syscall.SIGCONT)
	if a, err = w.client.WithdrawAddresses.Create(ctx, req); err != nil || a.Payee.Status != "prepared" {
		t.Fatalf("%+v, %v", a, err)
	}
	if _, err := w.client.Payees.AddPrepared(ctx, w.pk, *a.Payee.Prepared); err != nil {
		t.Error(err)
	}
}

// A name that the book has for another address keeps the payee away, and not the address.
func TestPayees_FromBankAccount_NameTaken(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	wallet := w.account(t).WalletID
	w.addPayee(t, w.banorte())
	req := w.bankOfMaria(t, wallet)
	req.PayeeName = w.banorte().Name
	a, err := w.client.WithdrawAddresses.Create(ctx, req)
	if err != nil || a.Status != "active" || a.Payee.Status != "unavailable" || a.Payee.Code != "payee_name_taken" ||
		!strings.Contains(a.Payee.Reason, req.PayeeName) {
		t.Fatalf("%+v, %v", a, err)
	}
	req.PayeeName = "María's bank"
	a, err = w.client.WithdrawAddresses.Create(ctx, req)
	if err != nil || a.Payee.Status != "prepared" {
		t.Fatalf("%+v, %v", a, err)
	}
	if p, err := w.client.Payees.AddPrepared(ctx, w.pk, *a.Payee.Prepared); err != nil || p.Name != req.PayeeName {
		t.Errorf("%+v, %v", p, err)
	}
	req.WalletID, req.PayeeName = "", ""
	if a, err = w.client.WithdrawAddresses.Create(ctx, req); err != nil || a.Payee != nil {
		t.Errorf("without wallet: %+v, %v", a.Payee, err)
	}
}

// What was not checked is not stamped.
func TestPayees_AddPreparedWantsItChecked(t *testing.T) {
	w := newWorld(t)
	w.register(t)
	p, err := w.client.Payees.Prepare(t.Context(), w.banorte())
	if err != nil {
		t.Fatal(err)
	}
	unchecked := *p
	unchecked.Shown = nil
	if _, err := w.client.Payees.AddPrepared(t.Context(), w.pk, unchecked); err == nil {
		t.Error("a body that nobody looked at was stamped")
	}
	if _, err := w.client.Payees.AddPrepared(t.Context(), w.pk, *p); err != nil {
		t.Error(err)
	}
}

func TestTamperedPayee_OfWithdrawAddress(t *testing.T) {
	var address string
	under(t, "POST /v1/payout/offramp/withdraw-addresses", func(w *world) []attack {
		inPrepared := func(do func(object)) func(object) {
			return func(d object) { do(d["payee"].(object)["prepared"].(object)) }
		}
		var all []attack
		for _, a := range proofAttacks(w, "preview", wire.KindResult) {
			all = append(all, attack{a.name, a.want, inPrepared(a.do)})
		}
		return append(all,
			attack{"another address in the body", railkit.ReasonBody, inPrepared(inBody(w, address, thief))},
			attack{"another address everywhere in what is stamped", railkit.ReasonBody, inPrepared(func(p object) {
				inBody(w, address, thief)(p)
				onPayee(w, "preview", func(p *wire.Payee) { p.Address = thief })(p)
			})},
			attack{"another network in the body", railkit.ReasonBody,
				inPrepared(inBody(w, `"chain":"base"`, `"chain":"polygon"`))},
			attack{"a wallet in the body", railkit.ReasonBody,
				inPrepared(inBody(w, `"kind":"bank_account"`, `"kind":"wallet"`))},
			attack{"another name in the body", railkit.ReasonBody, inPrepared(inBody(w, "BBVA 9719", "BBVA 9710"))},
			attack{"another bank account in the body", railkit.ReasonPreview,
				inPrepared(inBody(w, `"lastFour":"9719"`, `"lastFour":"9710"`))},
			attack{"another address in the preview", railkit.ReasonPreview,
				inPrepared(onPayee(w, "preview", func(p *wire.Payee) { p.Address = thief }))},
			attack{"another bank account in the preview", railkit.ReasonPreview,
				inPrepared(onPayee(w, "preview", func(p *wire.Payee) { p.BankAccount.Owner = "Thief" }))},
			attack{"no payee in the preview", railkit.ReasonPreview, inPrepared(func(p object) {
				p["preview"] = w.again(p["preview"], func(st *wire.Statement) { st.Preview.Payee = nil })
			})},
			attack{"another address in the answer", railkit.ReasonBody, func(d object) { d["address"] = thief }},
		)
	}, func(t *testing.T, w *world) func() error {
		req := w.bankOfMaria(t, w.account(t).WalletID)
		return func() error {
			a, err := w.client.WithdrawAddresses.Create(t.Context(), req)
			if err == nil {
				address = a.Address
			}
			return err
		}
	})
}
