package facilitator_test

import (
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/facilitator"
	"github.com/railkit/railkit/internal/keyfile"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// lentOnSolana is a cluster whose fees an account of a signer pays, under a delegation that its owner's passkey has
// stamped.
func lentOnSolana(t *testing.T, most railkit.Number) (*cluster, *facilitator.RemoteBytes) {
	t.Helper()
	c := newCluster(t)
	a := apptest.Rig(t, func(config *app.Config) { config.RPCURLs["solana"] = c.url + "/a " + c.url + "/b" })
	a.Prices(t, map[string]string{"SOL": "150"})
	client := a.Client()
	o := a.Register(client, "fees@example.com")
	var err error
	if o.Wallet, err = client.Wallets.Create(t.Context(), o.Passkey, railkit.PrepareWalletRequest{
		WalletName: "Fees", SubOrganizationID: o.Sub.SubOrganizationID,
	}); err != nil {
		t.Fatal(err)
	}
	if o.Address, err = client.Addresses.Create(t.Context(), o.Passkey, railkit.PrepareAccountRequest{
		WalletID: o.Wallet.WalletID, Chain: "solana",
	}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "delegation.key")
	public, err := keyfile.New(path, "the delegation's key")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = facilitator.Lend(t.Context(), client, o.Passkey, facilitator.Loan{
		WalletID: o.Wallet.WalletID, PublicKey: public, Until: time.Now().Add(time.Hour), MaxValueUSD: most,
		DailyUSD: "1",
	}); err != nil {
		t.Fatal(err)
	}
	key, err := keyfile.Read(path, "the delegation's key")
	if err != nil {
		t.Fatal(err)
	}
	account, err := solana.ParseAddress(o.Address.Address)
	if err != nil {
		t.Fatal(err)
	}
	remote := facilitator.NewRemoteBytes(client, key, account, c.network.Slug)
	c.by = remote
	c.control("a", "requestAirdrop", account.String(), 1_000_000_000)
	return c, remote
}

// The account is the signer's, and its owner's passkey stamped that a key may have it settle: payments are settled,
// many at once, and the key can do nothing else with it.
func TestAgents_SolanaSignsUnderADelegation(t *testing.T) {
	c, remote := lentOnSolana(t, "0.01")
	f := c.serve()
	var all sync.WaitGroup
	for range 10 {
		r := c.pay(c.offer("10000"))
		all.Go(func() {
			receipt, err := f.Settle(t.Context(), r)
			if err != nil || !receipt.Success {
				t.Errorf("%+v, %v", receipt, err)
			}
		})
	}
	all.Wait()
	if c.has() != 100_000 {
		t.Errorf("the seller has %d\n%s", c.has(), c.log.Tail(3))
	}
	m, err := solana.Compile(solana.V0, remote.Account(), c.blockhash(), solana.Config{}, []solana.Instruction{
		solana.TransferCoin(remote.Account(), c.seller, 5_000_000),
	})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := solana.Unsigned(m).Encode()
	if err != nil {
		t.Fatal(err)
	}
	ask, err := remote.AskBytes(t.Context(), raw)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := remote.SignBytes(t.Context(), ask); got != nil || !errors.Is(err, facilitator.ErrRefused) {
		t.Errorf("coins of its own: %x %v", got, err)
	}
	if err := remote.Cancel(t.Context(), ask); err != nil {
		t.Error(err)
	}
}

// A fee above the stamp is not signed, and the payment is refused.
func TestAgents_SolanaFeeAboveTheStamp(t *testing.T) {
	c, _ := lentOnSolana(t, "0.001") // 10,001 lamports are 0.0015
	f := c.serve()
	receipt, err := f.Settle(t.Context(), c.pay(c.offer("10000")))
	if err != nil || receipt.Success || receipt.ErrorMessage == "" || c.has() != 0 || f.Waiting() != 0 {
		t.Errorf("%+v, %v, the seller has %d\n%s", receipt, err, c.has(), c.log)
	}
}
