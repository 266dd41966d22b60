package soak

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/money"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/store"
)

func TestMain(m *testing.M) {
	testenv.Overlap()
	os.Exit(m.Run())
}

// shortForm is how long it goes on in make test.
const shortForm = 30 * time.Second

// lanes are how many callers there are.
const lanes = 4

// Money goes both ways, over EVM and Solana: coins to banks, bank transfers to wallets and, by a recipient's CLABE,
// from bank to bank; quotes are executed, funded, canceled and forgotten; batches, and payments from the wallets.
// Meanwhile every process is killed, partner and chain misbehave, and notices get lost. Afterwards every order is at an
// end or waits for a reason that it names, and our books, the partner's and the chains have the same money. `make soak`
// runs it for SOAKTIME, and RAILKIT_SEED repeats a run's plan.
func TestPayout_SoakBothRamps(t *testing.T) {
	t.Parallel()
	began := time.Now()
	length := testenv.SoakUntil(t, shortForm.String()).Sub(began).Round(time.Second)
	if testing.Short() {
		length = min(length, 10*time.Second)
	}
	seed := testenv.Seed(t)
	w := newWorld(t)
	steps, breaks := planOf(seed, length)
	t.Logf("%d steps and %d disturbances in %v", len(steps), len(breaks), length)
	w.began = time.Now()
	var all sync.WaitGroup
	all.Go(func() { w.disturb(breaks) })
	stop := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() { w.weigh(stop) })
	w.use(steps)
	all.Wait()
	close(stop)
	watching.Wait()
	w.settle(length)
	w.judge()
	w.flat(length)
}

// world is the platform, with the recipients and the accounts of one workspace.
type world struct {
	*apptest.Processes
	t        *testing.T
	began    time.Time
	owner    apptest.Owner
	homes    map[string]home // by network
	payees   []payee
	accounts map[string][]railkit.DepositAccount // by network
	weights  []weight
	record   *store.Store // the server's database, to read beside it
}

// home is the owner's wallet for a network, with its address there. There is one for each, since a wallet has one
// deposit account for a currency.
type home struct{ walletID, address string }

// payee is a recipient with its withdrawal addresses, by network, and its CLABE.
type payee struct {
	id, clabe string
	at        map[string]place
}

// place is a withdrawal address.
type place struct{ id, address string }

// fiats are the currencies of the deposit accounts.
var fiats = money.Fiat

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{Processes: apptest.NewFragileProcesses(t), t: t}
	c := w.Client()
	w.owner = w.Fund(c, "owner@example.com")
	w.homes = map[string]home{
		"base": {w.owner.Wallet.WalletID, w.owner.Address.Address}, "solana": w.homeOnSolana(c),
	}
	w.record = w.Record()
	t.Cleanup(func() { _ = w.record.Close() })
	for i := range payees {
		w.payees = append(w.payees, w.payee(c, fmt.Sprint("Ana ", i), i == 0))
	}
	w.accounts = map[string][]railkit.DepositAccount{}
	for _, slug := range chains {
		for _, f := range fiats {
			a, err := c.DepositAccounts.Create(t.Context(), railkit.DepositAccountRequest{
				WalletID: w.homes[slug].walletID, SourceCurrency: string(f), Chain: slug,
			})
			if err != nil {
				t.Fatal(err)
			}
			w.accounts[slug] = append(w.accounts[slug], *a)
		}
	}
	return w
}

// homeOnSolana has SOL for its payments, and its first coins.
func (w *world) homeOnSolana(c *railkit.Client) home {
	w.t.Helper()
	ctx := w.t.Context()
	wallet, err := c.Wallets.Create(ctx, w.owner.Passkey, railkit.PrepareWalletRequest{
		WalletName: "Solana", SubOrganizationID: w.owner.Sub.SubOrganizationID,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	a, err := c.Addresses.Create(ctx, w.owner.Passkey, railkit.PrepareAccountRequest{
		WalletID: wallet.WalletID, Chain: "solana",
	})
	if err != nil {
		w.t.Fatal(err)
	}
	for asset, amount := range map[string]string{"native": "1", "USDC": "1000"} {
		if _, err := w.Devnet.Faucet(ctx, "solana", a.Address, asset, amount); err != nil {
			w.t.Fatal(err)
		}
	}
	return home{wallet.WalletID, a.Address}
}

// payee has its refunds go to the wallets, or there is no place for them.
// Its addresses have coins from the beginning on: the first ones cost more gas, so that a payment that a reorg puts
// before them would run out of it, and be lost though it was final.
func (w *world) payee(c *railkit.Client, name string, refunds bool) payee {
	w.t.Helper()
	ctx := w.t.Context()
	r, err := c.Recipients.Create(ctx, railkit.RecipientRequest{
		Name: name, Email: "ana@example.com", OwnerType: "individual",
		Address: railkit.PostalAddress{Street: "Av. Reforma 1", City: "CDMX", PostalCode: "06600", Country: "MX"},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	account, err := c.BankAccounts.Create(ctx, r.ID, railkit.BankAccountRequest{
		Country: "MX", Currency: "mxn", CLABE: "032180000118359719", BankName: "Inverlat",
	})
	if err != nil {
		w.t.Fatal(err)
	}
	at := map[string]place{}
	for _, slug := range chains {
		asked := railkit.WithdrawAddressRequest{BeneficiaryAccountID: account.ID, Chain: slug}
		if refunds {
			asked.WalletID = w.homes[slug].walletID
		}
		a, err := c.WithdrawAddresses.Create(ctx, asked)
		if err != nil {
			w.t.Fatal(err)
		}
		at[slug] = place{a.ID, a.Address}
		w.coins(slug, a.Address, "150.00")
	}
	v, err := c.WithdrawAddresses.SetUpVirtualAccount(ctx, railkit.VirtualAccountRequest{
		BeneficiaryID: r.ID, BeneficiaryAccountID: account.ID,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return payee{r.ID, v.CLABE, at}
}
