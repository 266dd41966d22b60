package dev

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/devnet"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/facilitator"
	"github.com/railkit/railkit/internal/keyfile"
	"github.com/railkit/railkit/internal/shops"
	"github.com/railkit/railkit/internal/supervise"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/passkey"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/shop"
)

// gasAccount is the signer's account that pays for the facilitator's gas, and on Solana for the fees. It is in a
// workspace of its own, which nobody else uses. Its owner's passkey is made, stamps, and is forgotten.
type gasAccount struct {
	Address   string    `json:"address"`
	Solana    string    `json:"solana"`    // of the same wallet
	PublicKey string    `json:"publicKey"` // of the delegation's key
	Until     time.Time `json:"until"`     // the delegation's end
}

// A delegation lives at most 90 days. Another account is made while it still has renewWithin.
const (
	lentFor     = 89 * 24 * time.Hour
	renewWithin = 30 * 24 * time.Hour
)

func (d *dataDir) facilitatorFile(name string) string {
	return d.in(filepath.Join("facilitator", name))
}

// gasAccount reads the account or, at the first start, makes it.
func (p platform) gasAccount(ctx context.Context, enclave supervise.Facts, at addresses) (a gasAccount, err error) {
	raw, err := os.ReadFile(p.data.facilitatorFile("account.json"))
	if err == nil {
		err = json.Unmarshal(raw, &a)
	}
	switch {
	case err == nil && time.Until(a.Until) > renewWithin && a.Solana != "": // one of before Solana has none there
		return a, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return a, fmt.Errorf("reading the facilitator's account: %w", err)
	}
	if err := os.RemoveAll(p.data.facilitatorFile("delegation.key")); err != nil {
		return a, fmt.Errorf("removing the old delegation's key: %w", err)
	}
	if err := os.MkdirAll(p.data.in("facilitator"), 0o700); err != nil {
		return a, fmt.Errorf("making the facilitator's folder: %w", err)
	}
	if a, err = p.makeGasAccount(ctx, enclave, at); err != nil {
		return a, fmt.Errorf("making the facilitator's account: %w", err)
	}
	return a, writeJSON(p.data.facilitatorFile("account.json"), a)
}

func (p platform) makeGasAccount(ctx context.Context, enclave supervise.Facts, at addresses) (a gasAccount, err error) {
	key, err := p.facilitatorWorkspace(ctx, at)
	if err != nil {
		return a, err
	}
	if err := os.WriteFile(p.data.facilitatorFile("api.key"), []byte(key+"\n"), 0o600); err != nil {
		return a, err
	}
	if a.PublicKey, err = keyfile.New(p.data.facilitatorFile("delegation.key"), "the delegation's key"); err != nil {
		return a, err
	}
	c, err := railkit.New(railkit.Config{
		BaseURL: "http://" + at.server, APIKey: key, EnclaveKey: enclave.Text("identityKey"),
		Environment: string(chain.Sandbox), RPID: rpID,
	})
	if err != nil {
		return a, err
	}
	pk := passkey.Browser{Authenticator: passkey.New(p.sandbox.origin())}
	owner, err := c.SubOrganizations.Create(ctx, pk, railkit.RegisterParams{
		Email: "facilitator@example.com", Name: "x402 facilitator",
	})
	if err != nil {
		return a, err
	}
	wallet, err := c.Wallets.Create(ctx, pk, railkit.PrepareWalletRequest{
		WalletName: "Gas", SubOrganizationID: owner.SubOrganizationID,
	})
	if err != nil {
		return a, err
	}
	for slug, to := range map[string]*string{MainSlug: &a.Address, solanaSlug: &a.Solana} {
		wish := railkit.PrepareAccountRequest{WalletID: wallet.WalletID, Chain: slug}
		account, err := c.Addresses.Create(ctx, pk, wish)
		if err != nil {
			return a, err
		}
		*to = account.Address
	}
	a.Until = time.Now().Add(lentFor).UTC().Truncate(time.Second)
	if _, err := facilitator.Lend(ctx, c, pk, facilitator.Loan{
		WalletID: wallet.WalletID, PublicKey: a.PublicKey, Until: a.Until, MaxValueUSD: "100", DailyUSD: "10000",
	}); err != nil {
		return a, err
	}
	return a, a.fill(ctx, devnet.NewClient("http://"+at.node))
}

// fill gives the account coins, and the shops' seller on Solana an account for what he earns: who pays by x402 there
// opens none.
func (a gasAccount) fill(ctx context.Context, faucet *devnet.Client) error {
	for _, gift := range []struct{ network, to, asset, amount string }{
		{MainSlug, a.Address, "native", "10"}, {solanaSlug, a.Solana, "native", "10"},
		{solanaSlug, solanaSeller, "USDC", "1"},
	} {
		if _, err := faucet.Faucet(ctx, gift.network, gift.to, gift.asset, gift.amount); err != nil {
			return err
		}
	}
	return nil
}

// facilitatorWorkspace makes a workspace, and gives a key of it that may be used as fast as settlements come.
func (p platform) facilitatorWorkspace(ctx context.Context, at addresses) (key string, err error) {
	var made struct {
		Data struct{ ID, Key string }
	}
	for _, call := range []struct {
		path string
		body map[string]any
	}{
		{"/v1/integrators", map[string]any{"name": "x402 facilitator", "email": "facilitator@example.com"}},
		{"/v1/integrators/%s/api-keys", map[string]any{"name": "x402 facilitator", "rateLimits": map[string]any{
			"standard": 100_000, "financial": 100_000,
		}}},
	} {
		path := call.path
		if made.Data.ID != "" {
			path = fmt.Sprintf(path, made.Data.ID)
		}
		if err := p.operate(ctx, at, path, call.body, &made); err != nil {
			return "", err
		}
	}
	return made.Data.Key, nil
}

// operate makes a call with the sandbox's admin key: one that reads where there is no body.
func (p platform) operate(ctx context.Context, at addresses, path string, body, into any) error {
	method, raw := http.MethodGet, []byte(nil)
	if body != nil {
		method = http.MethodPost
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+at.server+path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "ApiKey "+p.sandbox.AdminKey)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("%s answers %d", path, res.StatusCode)
	}
	return json.NewDecoder(res.Body).Decode(into)
}

func (p platform) facilitatorSpec(enclave supervise.Facts, at addresses, a gasAccount) supervise.Spec {
	return p.spec("facilitator", p.tools.facilitator, func(supervise.Facts) []string {
		return []string{"run", "--environment", "sandbox", "--data", p.data.in("facilitator"),
			"--rpc", MainSlug + "=" + chainURL(at.node, MainSlug),
			"--rpc", solanaSlug + "=" + chainURL(at.node, solanaSlug),
			"--railkit-url", "http://" + at.server, "--solana-account", a.Solana,
			"--api-key-file", p.data.facilitatorFile("api.key"), "--enclave-key", enclave.Text("identityKey"),
			"--account", a.Address, "--key-file", p.data.facilitatorFile("delegation.key"), "--addr", at.facilitator}
	})
}

// market is the two shops of a local platform, in this process. They have their ports before the server starts, which
// is told that agents may buy there, and open once there is a facilitator.
type market struct {
	honest, lying net.Listener
	liar          *shops.Liar
}

func newMarket(at *ports) (*market, error) {
	m := &market{}
	var err error
	if m.honest, err = at.listen("shop"); err == nil {
		m.lying, err = at.listen("lying shop")
	}
	if err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

// places are the shops' addresses, as URLs have them.
func (m *market) places() (all []string) {
	for _, l := range []net.Listener{m.honest, m.lying} {
		all = append(all, l.Addr().String(), asLocalhost(l.Addr().String()))
	}
	return all
}

func shopURL(l net.Listener) string { return "http://" + asLocalhost(l.Addr().String()) }

func (m *market) close() {
	if m.liar != nil {
		m.liar.Close()
	}
	for _, l := range []net.Listener{m.honest, m.lying} {
		if l != nil {
			_ = l.Close()
		}
	}
}

// settlesLater is when the lying shop settles what it settles later.
const settlesLater = 3 * time.Second

// seller is who gets what the shops earn: number 1 of the accounts that anvil and hardhat have by default. On Solana it
// is the public key of 32 bytes 03, whom x402's examples pay.
const (
	seller       = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
	solanaSeller = "GyGKxMyg1p9SsHfm15MkNUu1u9TN2JtTspcdmrtGUdse"
)

// onSolana is the honest shop's offer there, where the facilitator pays the fee.
func onSolana(ctx context.Context, f *shop.Client) (o x402.Offer, err error) {
	n, _ := chain.BySlug(chain.Sandbox, solanaSlug)
	usdc, _ := n.TokenBySymbol("USDC")
	o = shop.Exactly(n, usdc, shops.Price, solanaSeller)
	o.Extra.FeePayer, err = shop.SponsorOn(ctx, shop.SponsorsOf(f, clock.System{}), n)
	return o, err
}

// open has the shops sell.
func (m *market) open(ctx context.Context, facilitatorURL string) error {
	f, err := shop.NewClient(facilitatorURL, shop.Timeouts{})
	if err != nil {
		return err
	}
	network, _ := chain.BySlug(chain.Sandbox, MainSlug)
	also, err := onSolana(ctx, f)
	if err != nil {
		return err
	}
	config := shops.Config{
		Facilitator: f, Network: network, PayTo: seller, Also: []x402.Offer{also}, Clock: clock.System{},
	}
	honest, err := shops.Honest(config)
	if err != nil {
		return err
	}
	if m.liar, err = shops.NewLiar(config, settlesLater); err != nil {
		return err
	}
	for l, h := range map[net.Listener]http.Handler{m.honest: honest, m.lying: m.liar} {
		server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
		go func() { _ = server.Serve(l) }() // ends when the listener is closed
	}
	return nil
}
