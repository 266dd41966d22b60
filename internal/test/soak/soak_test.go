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

// Money goes both ways: coins to banks, bank transfers to wallets and, by a recipient's CLABE, from bank to bank;
// quotes are executed, funded, canceled and forgotten; batches, and payments from the wallet. Meanwhile every
// process is killed, partner and chain misbehave, and notices get lost. Afterwards every order is at an end or waits
// for a reason that it names, and our books, the partner's and the chain have the same money. `make soak` runs it for
// SOAKTIME, and RAILKIT_SEED repeats a run's plan.
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
	payees   []payee
	accounts []railkit.DepositAccount
	weights  []weight
	record   *store.Store // the server's database, to read beside it
}

// payee is a recipient with its withdrawal address and its CLABE.
type payee struct{ id, addressID, address, clabe string }

// fiats are the currencies of the deposit accounts.
var fiats = money.Fiat

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{Processes: apptest.NewFragileProcesses(t), t: t}
	c := w.Client()
	w.owner = w.Fund(c, "owner@example.com")
	w.record = w.Record()
	t.Cleanup(func() { _ = w.record.Close() })
	for i := range payees {
		wallet := w.owner.Wallet.WalletID // refunds go there
		if i > 0 {
			wallet = "" // there is no place for them
		}
		w.payees = append(w.payees, w.payee(c, fmt.Sprint("Ana ", i), wallet))
	}
	for _, f := range fiats {
		a, err := c.DepositAccounts.Create(t.Context(), railkit.DepositAccountRequest{
			WalletID: w.owner.Wallet.WalletID, SourceCurrency: string(f),
		})
		if err != nil {
			t.Fatal(err)
		}
		w.accounts = append(w.accounts, *a)
	}
	return w
}

func (w *world) payee(c *railkit.Client, name, wallet string) payee {
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
	a, err := c.WithdrawAddresses.Create(ctx, railkit.WithdrawAddressRequest{
		BeneficiaryAccountID: account.ID, WalletID: wallet,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	v, err := c.WithdrawAddresses.SetUpVirtualAccount(ctx, railkit.VirtualAccountRequest{
		BeneficiaryID: r.ID, BeneficiaryAccountID: account.ID,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return payee{r.ID, a.ID, a.Address, v.CLABE}
}
