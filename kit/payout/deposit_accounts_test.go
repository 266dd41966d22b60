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
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/depositaccount"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

// Where coins go in the tests: the wallet's first address, and its second one.
const (
	ownAddress   = "0x00000000000000000000000000000000000000fF"
	otherAddress = "0x00000000000000000000000000000000000000Ee"
)

// proofs are wallets whose addresses the signer has proved.
type proofs struct {
	mu     sync.Mutex
	edited bool // somebody changed the row of the wallet's address
}

func (p *proofs) edit(edited bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.edited = edited
}

func (p *proofs) Proved(_ context.Context, _, walletID, chain, address string) (depositaccount.Place, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := depositaccount.Place{WalletID: "wallet", Chain: chain}
	if chain == "" {
		at.Chain = "base"
	}
	switch {
	case walletID == "elsewhere":
		at.WalletID = walletID
	case walletID != "wallet" && walletID != "enclave-wallet":
		return at, fault.Missing("Wallet")
	case p.edited:
		return at, depositaccount.ErrUnproved
	case address == "" || strings.EqualFold(address, ownAddress):
		at.Address = ownAddress
	case strings.EqualFold(address, otherAddress):
		at.Address = otherAddress
	}
	return at, nil
}

func (p *proofs) Shown(_ context.Context, _, walletID string) (string, error) {
	return "enclave-" + walletID, nil
}

func (p *proofs) With(_ context.Context, _, address string) (string, error) {
	if !strings.EqualFold(address, ownAddress) && !strings.EqualFold(address, otherAddress) {
		return "", fault.Missing("Wallet")
	}
	return "wallet", nil
}

func pesos() rest.DepositAccountRequest {
	return rest.DepositAccountRequest{WalletID: "wallet", SourceCurrency: "mxn"}
}

// depositAccount asks for one.
func (r *rig) depositAccount(in rest.DepositAccountRequest) (command.Answer, rest.DepositAccount, error) {
	a, err := r.Deposits.Create(r.t.Context(), call(), in)
	var v rest.DepositAccount
	if err == nil {
		err = json.Unmarshal(a.Body, &v)
	}
	return a, v, err
}

// depositRow is one that is there, as the database has it.
func (r *rig) depositRow(in rest.DepositAccountRequest) depositaccount.Account {
	r.t.Helper()
	_, v, err := r.depositAccount(in)
	if err != nil {
		r.t.Fatal(err)
	}
	row, err := r.store.DepositAccount(r.t.Context(), ws, v.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	return row
}

// Sixty-four callers get one account, and the partner is asked for one.
func TestPayout_OneDepositAccountForAll(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var callers sync.WaitGroup
	var mu sync.Mutex
	got, made := map[string]int{}, 0
	for i := range 64 {
		callers.Go(func() {
			in := pesos()
			if i%2 == 1 {
				in.WalletID = "enclave-wallet"
			}
			a, v, err := r.depositAccount(in)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			got[v.ID+" "+v.SourceDepositInstructions.CLABE]++
			if a.Status == 201 {
				made++
			}
		})
	}
	callers.Wait()
	if len(got) != 1 || made != 1 || r.desk.count("CreateVirtualAccount") != 1 {
		t.Errorf("%v, %d made, %d calls", got, made, r.desk.count("CreateVirtualAccount"))
	}
}

// Each currency has its own numbers, which a depositor gets in full and the database never sees.
func TestPayout_DepositInstructions(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for source, want := range map[money.Currency][]string{
		money.USD: {`"bank_account_number":"900000000001"`, `"bank_routing_number":"021000021"`, `["ach","wire"]`},
		money.EUR: {`"iban":"DE89370400440532013000"`, `"bic":"COBADEFFXXX"`, `["sepa"]`},
		money.MXN: {`"clabe":"646180157000000004"`, `["spei"]`, `"minimum_amount":"100.00"`},
		money.GBP: {`"sort_code":"601613"`, `"account_number":"31926819"`, `["faster_payments"]`},
		money.BRL: {`"br_code":"00020126580014br.gov.bcb.pix`, `["pix"]`},
	} {
		a, v, err := r.depositAccount(rest.DepositAccountRequest{WalletID: "wallet", SourceCurrency: string(source)})
		if err != nil || a.Status != 201 || !strings.HasPrefix(v.Reference, "ONR-20261121-") || v.Status != "active" ||
			v.DestinationAddress != ownAddress || v.DestinationCurrency != "usdc" ||
			v.DestinationPaymentRail != "base" ||
			v.IntegratorID != ws || v.WalletID != "enclave-wallet" || v.Limits.TotalFeePercent != "1.1" ||
			len(v.Limits.Rails) != len(v.SourceDepositInstructions.PaymentRails) {
			t.Fatalf("%s: %d %s, %v", source, a.Status, a.Body, err)
		}
		for _, text := range want {
			if !strings.Contains(string(a.Body), text) {
				t.Errorf("%s: no %s in %s", source, text, a.Body)
			}
		}
		row, err := r.store.DepositAccount(t.Context(), ws, v.ID)
		if err != nil || strings.Contains(fmt.Sprintf("%+v", row), bankNumber(v)) {
			t.Errorf("%s: the number is in the row, or there is none: %v", source, err)
		}
	}
	all, next, total, err := r.Deposits.List(
		t.Context(), auth.Principal{Tenant: auth.Tenant{WorkspaceID: ws}}, page.Page{Limit: 3},
	)
	if err != nil || len(all) != 3 || next == nil || total != 5 {
		t.Errorf("%d of %d, then %v: %v", len(all), total, next, err)
	}
}

func bankNumber(v rest.DepositAccount) string {
	i := v.SourceDepositInstructions
	return i.BankAccountNumber + i.IBAN + i.CLABE + i.AccountNumber + i.BRCode
}

// The second form of the request names the wallet by its address, and is answered with the CLABE beside the account.
func TestPayout_DepositAccountByAddress(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	in := rest.DepositAccountRequest{
		Currency: "MXN", Country: "mx", Stablecoin: "usdc", Chain: "base",
		DestinationAddress: strings.ToLower(ownAddress),
	}
	envelope := call()
	var bare bool
	envelope.Render = func(reply command.Reply) ([]byte, error) {
		bare = reply.Bare
		return json.Marshal(reply.Data)
	}
	a, err := r.Deposits.Create(t.Context(), envelope, in)
	var v rest.DepositAccountNumber
	if err := errors.Join(err, json.Unmarshal(a.Body, &v)); err != nil {
		t.Fatal(err)
	}
	if bare || a.Status != 201 || v.CLABE != "646180157000000004" || v.ID == "" || v.DestinationAddress != ownAddress {
		t.Errorf("%d %s, bare %v", a.Status, a.Body, bare)
	}
	again, same, err := r.depositAccount(pesos())
	if err != nil || again.Status != 200 || same.ID != v.ID {
		t.Errorf("by the wallet: %d %s, %v", again.Status, again.Body, err)
	}
}

// What cannot be had is refused, each with its reason, before the partner is asked.
func TestPayout_DepositAccountRefusals(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, c := range []struct {
		what    string
		in      rest.DepositAccountRequest
		kind    fault.Kind
		message string
	}{
		{"nothing", rest.DepositAccountRequest{}, 400, "wallet_id is required"},
		{"no currency", rest.DepositAccountRequest{WalletID: "wallet"}, 400, "source_currency is required"},
		{"both forms", rest.DepositAccountRequest{
			WalletID: "wallet", SourceCurrency: "mxn", Country: "MX",
		}, 400, "country must not be given with wallet_id"},
		{"no address", rest.DepositAccountRequest{Currency: "mxn"}, 400, "destinationAddress is required"},
		{"no currency of the second form", rest.DepositAccountRequest{
			DestinationAddress: ownAddress,
		}, 400, "currency is required"},
		{"another country", rest.DepositAccountRequest{
			Currency: "mxn", Country: "US", DestinationAddress: ownAddress,
		}, 400, "country must be MX"},
		{"a foreign wallet", rest.DepositAccountRequest{
			WalletID: "theirs", SourceCurrency: "mxn",
		}, 404, "Wallet not found"},
		{"a foreign address", rest.DepositAccountRequest{
			Currency: "mxn", DestinationAddress: thief,
		}, 404, "Wallet not found"},
		{"a wallet without an address", rest.DepositAccountRequest{
			WalletID: "elsewhere", SourceCurrency: "mxn",
		}, 400, "wallet_id must be a wallet with an address"},
		{"usdt where it is not listed", rest.DepositAccountRequest{
			WalletID: "wallet", SourceCurrency: "mxn", DestinationCurrency: "usdt", Chain: "base",
		}, 400, "USDT is not listed on base"},
		{"usdt on the wallet's own chain", rest.DepositAccountRequest{
			WalletID: "wallet", SourceCurrency: "mxn", DestinationCurrency: "usdt",
		}, 400, "USDT is not listed on base"},
		{"a chain of another world", rest.DepositAccountRequest{
			WalletID: "wallet", SourceCurrency: "mxn", Chain: "near",
		}, 400, "near is not a network"},
		{"a chain without a node", rest.DepositAccountRequest{
			WalletID: "wallet", SourceCurrency: "mxn", Chain: "avalanche_c_chain",
		}, 503, "Nobody watches this chain"},
	} {
		_, _, err := r.depositAccount(c.in)
		if f, ok := fault.As(err); !ok || f.Kind != c.kind || !strings.Contains(f.Message, c.message) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	if n := r.desk.count("CreateVirtualAccount"); n != 0 {
		t.Errorf("%d accounts were asked for", n)
	}
	if _, _, err := r.depositAccount(rest.DepositAccountRequest{
		WalletID: "wallet", SourceCurrency: "mxn", DestinationCurrency: "usdt", Chain: "polygon",
	}); err != nil {
		t.Errorf("usdt where it is listed: %v", err)
	}
}

// Every chain of the specification that has a node has deposit accounts.
func TestPayout_DepositAccountOnEveryChain(t *testing.T) {
	t.Parallel()
	for _, slug := range []string{
		"base", "polygon", "avalanche_c_chain", "optimism", "arbitrum", "ethereum", "solana",
	} {
		r := newRig(t, func(c *payout.Config) { c.Chains = []string{slug} })
		in := pesos()
		in.Chain = slug
		if a, v, err := r.depositAccount(in); err != nil || a.Status != 201 || v.DestinationPaymentRail != slug {
			t.Errorf("%s: %d %s, %v", slug, a.Status, a.Body, err)
		}
	}
}

// The account that is there is on one chain and at one address for life.
func TestPayout_DepositAccountElsewhere(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	in := pesos()
	in.Chain = "polygon"
	first := r.depositRow(in)
	in.Chain = ""
	if a, v, err := r.depositAccount(in); err != nil || a.Status != 200 || v.DestinationPaymentRail != "polygon" {
		t.Errorf("without a chain: %d %s, %v", a.Status, a.Body, err)
	}
	in.Chain = "base"
	if _, _, err := r.depositAccount(in); !errors.Is(err, depositaccount.ErrOtherPlace) {
		t.Errorf("on another chain: %v", err)
	}
	if _, _, err := r.depositAccount(rest.DepositAccountRequest{
		Currency: "mxn", DestinationAddress: otherAddress,
	}); !errors.Is(err, depositaccount.ErrOtherPlace) {
		t.Errorf("at another address: %v", err)
	}
	other := pesos()
	other.SourceCurrency = "usd"
	if second := r.depositRow(other); second.ID == first.ID || second.PartnerID == first.PartnerID {
		t.Errorf("another currency has the same account: %+v", second)
	}
}

// No number is given out that leads to an address that the signer did not make, and the log says why.
func TestPayout_DepositAccountIsProved(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.proofs.edit(true)
	if _, _, err := r.depositAccount(pesos()); !errors.Is(err, depositaccount.ErrUnproved) {
		t.Errorf("the wallet's row was changed: %v", err)
	}
	r.proofs.edit(false)
	// The request dies after it wrote the row, and somebody changes it before the sweeper asks the partner.
	r.desk.breaks("CreateVirtualAccount", breakage{fiat.ErrUnavailable, false})
	if a, v, err := r.depositAccount(pesos()); err != nil || v.SourceDepositInstructions != nil {
		t.Fatalf("while the partner is away: %s, %v", a.Body, err)
	}
	if _, err := r.db.Writer().ExecContext(t.Context(), `UPDATE deposit_accounts SET address = $1`, thief); err != nil {
		t.Fatal(err)
	}
	if err := r.Deposits.Sweep(t.Context()); !errors.Is(err, depositaccount.ErrUnproved) {
		t.Errorf("the account's row was changed: %v", err)
	}
	if _, _, err := r.depositAccount(pesos()); !errors.Is(err, depositaccount.ErrUnproved) {
		t.Errorf("asked again: %v", err)
	}
	if n := r.desk.count("CreateVirtualAccount"); n != 1 {
		t.Errorf("the partner was asked %d times", n)
	}
	for _, line := range []string{"is not the one that the signer made", "an address that its wallet does not have"} {
		if !strings.Contains(r.log.String(), line) {
			t.Errorf("the log does not say %q:\n%s", line, r.log)
		}
	}
}

// An answer that is not what was asked for is no account.
func TestPayout_DepositAccountOfALiar(t *testing.T) {
	t.Parallel()
	for what, lie := range map[string]func(*fiat.VirtualAccount){
		"another address": func(v *fiat.VirtualAccount) { v.Address = thief },
		"another chain":   func(v *fiat.VirtualAccount) { v.Chain = "polygon" },
		"another coin":    func(v *fiat.VirtualAccount) { v.Currency = money.USDT },
		"another fee":     func(v *fiat.VirtualAccount) { v.FeePoints++ },
		"another currency": func(v *fiat.VirtualAccount) {
			v.Instructions = numbers[money.USD]
			v.Instructions.Currency = money.USD
		},
		"no number":      func(v *fiat.VirtualAccount) { v.Instructions.Details = fiat.Details{} },
		"a wrong number": func(v *fiat.VirtualAccount) { v.Instructions.Details.CLABE = "646180157000000005" },
		"no account":     func(v *fiat.VirtualAccount) { v.ID = "" },
	} {
		r := newRig(t, func(c *payout.Config) { c.Partner = liar{c.Partner, lie} })
		_, _, err := r.depositAccount(pesos())
		if f, ok := fault.As(err); !ok || f.Kind != fault.Upstream || !errors.Is(err, fiat.ErrAnswer) {
			t.Errorf("%s: %v", what, err)
		}
		rows, err := r.store.WaitingDepositAccounts(t.Context(), r.clock.Now().Add(time.Hour), 9)
		if err != nil || len(rows) != 1 || rows[0].PartnerID != "" {
			t.Errorf("%s: %+v, %v", what, rows, err)
		}
	}
}

// An account that the partner refuses for good is none: the wallet can have one on another chain.
func TestPayout_DepositAccountRefusedByPartner(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	in := pesos()
	in.Chain = "polygon"
	r.desk.breaks("CreateVirtualAccount", breakage{&fiat.Refusal{Code: "unsupported_chain"}, false})
	if _, _, err := r.depositAccount(in); !errors.Is(err, fiat.ErrNotTaken) {
		t.Errorf("refused: %v", err)
	}
	in.Chain = "base"
	if a, v, err := r.depositAccount(in); err != nil || a.Status != 201 || v.DestinationPaymentRail != "base" {
		t.Errorf("on another chain: %d %s, %v", a.Status, a.Body, err)
	}
}

// liar is a partner that makes one account and tells of another.
type liar struct {
	fiat.Partner
	lie func(*fiat.VirtualAccount)
}

func (l liar) CreateVirtualAccount(
	ctx context.Context, key, customer string, q fiat.VirtualAccountRequest,
) (fiat.VirtualAccount, error) {
	v, err := l.Partner.CreateVirtualAccount(ctx, key, customer, q)
	l.lie(&v)
	return v, err
}

// What the partner did is asked for again with the key that it knows, and one account comes of it.
func TestPayout_DepositAccountAfterFailures(t *testing.T) {
	t.Parallel()
	for what, fails := range map[string]breakage{
		"nothing done":        {fiat.ErrUnavailable, false},
		"done, and not heard": {fiat.ErrUnavailable, true},
	} {
		r := newRig(t)
		r.desk.breaks("CreateVirtualAccount", fails)
		waits, first, err := r.depositAccount(pesos())
		isNull := strings.Contains(string(waits.Body), `"source_deposit_instructions":null`)
		if err != nil || waits.Status != 201 || !isNull ||
			first.Status != "active" || first.Reference == "" || first.PartnerVirtualAccountID != "" {
			t.Errorf("%s: while the partner is slow %d %s, %v", what, waits.Status, waits.Body, err)
		}
		me := auth.Principal{Tenant: auth.Tenant{WorkspaceID: ws}}
		all, _, total, err := r.Deposits.List(t.Context(), me, page.Page{Limit: 9})
		if err != nil || total != 1 || all[0].ID != first.ID {
			t.Errorf("%s: %v are listed: %v", what, all, err)
		}
		if got, err := r.Deposits.Get(t.Context(), me, first.ID); err != nil || got.SourceDepositInstructions != nil {
			t.Errorf("%s: read %+v, %v", what, got, err)
		}
		if err := r.Sweep(t.Context()); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		a, v, err := r.depositAccount(pesos())
		if err != nil || a.Status != 200 || v.SourceDepositInstructions == nil || len(r.desk.virtuals) != 1 ||
			v.ID != first.ID || v.Reference != first.Reference {
			t.Errorf("%s: after the sweeper %d %s, %v", what, a.Status, a.Body, err)
		}
	}
}
