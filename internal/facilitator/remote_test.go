package facilitator_test

import (
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/internal/facilitator"
	"github.com/railkit/railkit/internal/keyfile"
	"github.com/railkit/railkit/internal/supervise"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testbin"
	"github.com/railkit/railkit/internal/test/testlog"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/internal/test/x402test"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/shop"
)

// lent is a platform, an account of its signer with coins for gas, and the key of a delegation of it.
type lent struct {
	*apptest.App
	client *railkit.Client
	owner  apptest.Owner
	policy *railkit.Policy
	remote *facilitator.Remote
	path   string // of the key's file
}

func lend(t *testing.T, a *apptest.App) lent {
	t.Helper()
	l := lent{App: a, client: a.Client()}
	l.owner = a.Fund(l.client, "gas@example.com")
	l.path = filepath.Join(t.TempDir(), "delegation.key")
	public, err := keyfile.New(l.path, "the delegation's key")
	if err != nil {
		t.Fatal(err)
	}
	if l.policy, err = facilitator.Lend(t.Context(), l.client, l.owner.Passkey, facilitator.Loan{
		WalletID: l.owner.Wallet.WalletID, PublicKey: public, Until: time.Now().Add(time.Hour),
		MaxValueUSD: "10", DailyUSD: "100",
	}); err != nil {
		t.Fatal(err)
	}
	key, err := keyfile.Read(l.path, "the delegation's key")
	if err != nil {
		t.Fatal(err)
	}
	gas, err := evm.ParseAddress(l.owner.Address.Address)
	if err != nil {
		t.Fatal(err)
	}
	l.remote = facilitator.NewRemote(a.Client(), key, gas)
	return l
}

// The account is the signer's, and its owner's passkey stamped that a key may have it settle: payments by every
// method are settled, many at once, and the key can do nothing else with it.
func TestAgents_FacilitatorSignsUnderADelegation(t *testing.T) {
	a := apptest.Shared(t)
	l := lend(t, a)
	c := x402test.NewChain(t)
	f := c.FacilitatorOf(&x402test.Signer{}, func(config *facilitator.Config) { config.Signer = l.remote })
	seller, buyer := x402test.NewKey(t).Address, c.Buyer("1")
	c.Approve(buyer)
	exact := c.Offer("10000", seller)
	permit, upto := exact, exact
	permit.Extra.AssetTransferMethod = x402.Permit2
	upto.Scheme, upto.Extra.FacilitatorAddress = x402.Upto, l.remote.Address().String()
	var all sync.WaitGroup
	n := uint64(50)
	if testing.Short() {
		n = 12 // each waits its turn for a signer that is slow under the race detector, half a minute at most
	}
	for i := range n {
		r, _, _ := c.Pay(buyer, []x402.Offer{exact, permit, upto}[i%3])
		all.Go(func() {
			receipt, err := f.Client(t).Settle(t.Context(), r)
			settled(t, receipt, err)
		})
	}
	all.Wait()
	if got := c.Balance(seller); got != int64(n)*10000 {
		t.Errorf("the seller has %d\n%s", got, f.Log)
	}
	coins := evm.Tx{
		Type: evm.DynamicFee, ChainID: c.Network.ChainID, Nonce: n, MaxFeePerGas: big.NewInt(2e9),
		MaxPriorityFeePerGas: big.NewInt(1e6), GasLimit: 21000, To: &seller, Value: big.NewInt(1),
	}
	ask, err := l.remote.Ask(t.Context(), coins)
	if err != nil {
		t.Fatal(err)
	}
	if raw, err := l.remote.Sign(t.Context(), ask); raw != nil || !errors.Is(err, facilitator.ErrRefused) {
		t.Errorf("coins of its own: %x %v", raw, err)
	}
	if err := l.remote.Cancel(t.Context(), ask); err != nil {
		t.Error(err)
	}
	if raw, err := l.remote.Sign(t.Context(), ask); raw != nil || !errors.Is(err, facilitator.ErrNotSigned) {
		t.Errorf("coins of its own, cancelled: %x %v", raw, err)
	}
	r, _, _ := c.Pay(buyer, exact)
	receipt, err := f.Client(t).Settle(t.Context(), r)
	settled(t, receipt, err)
}

// process is the real program on a folder.
func (l lent) process(t *testing.T, c *x402test.Chain, folder string) (client *shop.Client, kill func()) {
	t.Helper()
	apiKey := filepath.Join(folder, "api.key")
	if err := os.WriteFile(apiKey, []byte(l.Keys.BenchKey), 0o600); err != nil {
		t.Fatal(err)
	}
	path, err := testbin.Path("railkit-facilitator")
	if err != nil {
		t.Fatal(err)
	}
	log := &testlog.Log{}
	group := supervise.New(log)
	t.Cleanup(group.Kill)
	child, err := group.Start(t.Context(), supervise.Spec{
		Name: "facilitator", Path: path, Once: true, Args: func(supervise.Facts) []string {
			return []string{"run", "--environment", "sandbox", "--data", folder, "--rpc",
				x402test.Slug + "=" + c.Devnet.RPCURL(x402test.Slug), "--railkit-url", l.BaseURL,
				"--api-key-file", apiKey, "--enclave-key", l.EnclaveKey,
				"--account", l.remote.Address().String(), "--key-file", l.path, "--addr", "127.0.0.1:0", "--wait", "1s"}
		},
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	if client, err = shop.NewClient("http://"+child.Facts().Text("addr"), shop.Timeouts{}); err != nil {
		t.Fatal(err)
	}
	return client, func() { group.Kill(); <-child.Gone() }
}

// The program is killed while a settlement is in no block. The next one follows the same transaction, and settles what
// comes after it under the next nonce.
func TestAgents_FacilitatorKilled(t *testing.T) {
	l := lend(t, apptest.Shared(t))
	c := x402test.NewChain(t)
	folder, seller, buyer := t.TempDir(), x402test.NewKey(t).Address, c.Buyer("1")
	client, kill := l.process(t, c, folder)
	c.Automine(false)
	defer c.Automine(true)
	r, _, _ := c.Pay(buyer, c.Offer("10000", seller))
	first, err := client.Settle(t.Context(), r)
	if err != nil || !first.Pending() {
		t.Fatalf("%+v %v", first, err)
	}
	kill()
	client, _ = l.process(t, c, folder)
	again, err := client.Settle(t.Context(), r)
	if err != nil || again.Transaction != first.Transaction {
		t.Errorf("%+v %v, first %+v", again, err, first)
	}
	c.Automine(true)
	other, _, _ := c.Pay(buyer, c.Offer("10000", seller))
	for _, ask := range []x402.Request{other, r} {
		testwait.Until(t, "the settlement ends", func() bool { // the program waits a second for a block
			again, err = client.Settle(t.Context(), ask)
			return err != nil || !again.Pending()
		})
		settled(t, again, err)
	}
	if again.Transaction != first.Transaction || c.Balance(seller) != 20000 {
		t.Errorf("%+v, first %+v, the seller has %d", again, first, c.Balance(seller))
	}
}
