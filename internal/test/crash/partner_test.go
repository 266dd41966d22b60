package crash_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/rpc"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/bridge"
	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/solanatest"
	"github.com/railkit/railkit/money"
)

// Where the sandbox's partner may die: while it pays a bank, and while it pays on a chain.
var (
	bankPoints = []string{
		"Partner.after-effect", "Partner.before-payout", "Partner.before-notice", "Partner.after-notice",
	}
	chainPoints   = []string{"Partner.before-send", "Partner.after-send"}
	depositPoints = slices.Concat([]string{"Partner.before-conversion"}, chainPoints)
)

// payer is a workspace's money at the partner.
type payer struct {
	*apptest.Processes
	t                 *testing.T
	api               *bridge.Client
	customer, account string
	wallets           map[string]string // by chain
}

// The partner dies between every two steps of a payment. Who asks asks again with
// the same key, and the partner's own ledger has each payment once.
func TestPayout_J3_PartnerCrashPoints(t *testing.T) {
	t.Parallel()
	p := newPayer(t)
	for _, slug := range chains {
		points := chainPoints
		if slug == chains[0] {
			points = slices.Concat(bankPoints, chainPoints)
		}
		for _, point := range points {
			p.diesPaying(t, slug, point)
		}
	}
}

// chains are of both ways in which a network takes a transaction once: by its number, and until it expires.
var chains = []string{"base", "solana"}

func (p *payer) diesPaying(t *testing.T, slug, point string) {
	t.Helper()
	from := p.wallets[slug]
	q := fiat.TransferRequest{
		CustomerID: p.customer, WalletID: from, Reference: slug + " " + point + " " + uuid.NewString(), Chain: slug,
		Source: money.USDC, Gross: money.Of(10_000_000, money.USDC), Fee: money.Of(75_000, money.USDC),
		Destination: money.MXN, Rail: fiat.SPEI, AccountID: p.account,
	}
	onChain := slices.Contains(chainPoints, point)
	to := newAddress(slug)
	if onChain {
		q.Destination, q.Rail, q.AccountID, q.ToChain, q.ToAddress = money.USDC, "", "", slug, to
	}
	p.Arm(apptest.Partner, point)
	made := p.pay(q)
	apptest.Eventually(t, "the partner dies at "+point, func() bool { return p.Died(apptest.Partner, point) })
	apptest.Eventually(t, slug+" "+point+": the payment is processed", func() bool {
		now, err := p.api.Transfer(t.Context(), made.ID)
		return err == nil && now.State == fiat.TransferProcessed
	})
	p.once(q.Reference)
	if onChain && p.tokens(slug, to) != 9_925_000 {
		t.Errorf("%s %s: %d arrived", slug, point, p.tokens(slug, to))
	}
}

// The same while what a depositor's bank sent becomes coins: they are sent once.
func TestPayout_J3_PartnerCrashPointsOfDeposits(t *testing.T) {
	t.Parallel()
	p := newPayer(t)
	for _, slug := range chains {
		for _, point := range depositPoints {
			p.diesConverting(t, slug, point)
		}
	}
}

func (p *payer) diesConverting(t *testing.T, slug, point string) {
	t.Helper()
	ctx, to := t.Context(), newAddress(slug)
	v, err := p.api.CreateVirtualAccount(ctx, uuid.NewString(), p.customer, fiat.VirtualAccountRequest{
		Source: money.USD, Chain: slug, Currency: money.USDC, Address: to,
	})
	check(t, err)
	p.Arm(apptest.Partner, point)
	made, err := p.Partner.Deposit(ctx, control.BankDeposit{Account: v.ID, Amount: "10", Rail: "wire"})
	check(t, err)
	apptest.Eventually(t, "the partner dies at "+point, func() bool { return p.Died(apptest.Partner, point) })
	apptest.Eventually(t, slug+" "+point+": the coins are sent", func() bool {
		now, err := p.Partner.FindDeposit(ctx, made.ID)
		return err == nil && now.State == string(fiat.PaymentProcessed)
	})
	l, err := p.Partner.Ledger(ctx, made.ID)
	if got := p.tokens(slug, to); err != nil || !l.Balanced || len(l.Deposits) != 1 || l.Deposits[0].Paid != 1 ||
		got != 10_000_000 {
		t.Errorf("%s %s: %d arrived, the ledger has %+v (%v)", slug, point, got, l, err)
	}
}

// newAddress is one that has nothing yet.
func newAddress(slug string) string {
	p := solanatest.NewPerson()
	if slug == "solana" {
		return p.String()
	}
	return evm.Address(p.Address[:20]).String()
}

func newPayer(t *testing.T) *payer {
	t.Helper()
	p := &payer{Processes: apptest.NewProcesses(t, "sqlite"), t: t}
	ctx := t.Context()
	var err error
	p.api, err = bridge.New(bridge.Config{URL: p.PartnerURL, Key: p.PartnerKey, Timeout: time.Minute})
	check(t, err)
	customer, err := p.api.CreateCustomer(ctx, uuid.NewString(), fiat.CustomerRequest{
		Name: "Acme", Email: "ops@acme.test",
	})
	check(t, err)
	account, err := p.api.CreateAccount(ctx, uuid.NewString(), customer.ID, fiat.AccountRequest{
		Currency: money.MXN, Rail: fiat.SPEI, OwnerName: "Ana Ruiz", BankName: "STP",
		Details: fiat.Details{CLABE: "032180000118359719"},
	})
	check(t, err)
	p.customer, p.account, p.wallets = customer.ID, account.ID, map[string]string{}
	for _, slug := range chains {
		p.fills(slug)
	}
	return p
}

// fills makes a wallet with an address, and has money come to it.
func (p *payer) fills(slug string) {
	ctx := p.t.Context()
	wallet, err := p.api.CreateWallet(ctx, uuid.NewString(), p.customer, slug)
	check(p.t, err)
	address, err := p.api.CreateLiquidationAddress(ctx, uuid.NewString(), p.customer, fiat.LiquidationRequest{
		Chain: slug, Currency: money.USDC, WalletID: wallet.ID,
	})
	check(p.t, err)
	_, err = p.Devnet.Faucet(ctx, slug, address.Address, "USDC", "1000")
	check(p.t, err)
	apptest.Eventually(p.t, "the deposit is in the wallet", func() bool {
		drains, err := p.api.Drains(ctx, p.customer, address.ID, time.Time{})
		return err == nil && len(drains) == 1 && drains[0].State == "payment_processed"
	})
	p.wallets[slug] = wallet.ID
}

// pay asks until there is an answer, always with the same key.
func (p *payer) pay(q fiat.TransferRequest) (made fiat.Transfer) {
	p.t.Helper()
	key := uuid.NewString()
	apptest.Eventually(p.t, "an answer to "+q.Reference, func() bool {
		var err error
		made, err = p.api.CreateTransfer(p.t.Context(), key, q)
		if err != nil && !errors.Is(err, fiat.ErrUnavailable) {
			p.t.Fatalf("%s: %v", q.Reference, err)
		}
		return err == nil
	})
	return made
}

// once asks the partner's own ledger.
func (p *payer) once(reference string) {
	p.t.Helper()
	var l control.Trial
	apptest.Eventually(p.t, "the partner tells its ledger", func() bool {
		var err error
		l, err = p.Partner.Ledger(context.Background(), reference)
		return err == nil
	})
	if !l.Balanced || len(l.Payouts) != 1 || l.Payouts[0].Paid != 1 || l.Payouts[0].Returned != 0 ||
		len(l.Payouts[0].Transfers) != 1 {
		p.t.Errorf("%s: the ledger has %+v", reference, l)
	}
}

func (p *payer) tokens(slug, of string) int64 {
	p.t.Helper()
	if slug == "solana" {
		return solanatest.At(p.t, p.Devnet.RPCURL(slug)).Holds(of, "USDC")
	}
	n, _ := chain.BySlug(chain.Sandbox, slug)
	c, err := rpc.Dial(p.t.Context(), p.Devnet.RPCURL(slug), n)
	check(p.t, err)
	defer c.Close()
	sum, err := c.TokenBalance(p.t.Context(), apptest.USDC().Address, of)
	check(p.t, err)
	return sum.Int64()
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
