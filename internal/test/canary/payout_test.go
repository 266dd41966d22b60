package canary_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/pem"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain/devnet"
	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/internal/supervise"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// Numbers of bank accounts. The last two are typed wrong, and must be told of
// no more than those that are right.
var numbers = map[string]string{
	"CLABE": "032180000118359719", "account number": "482917365048271", "a refused CLABE": "032180000118359718",
	"a refused IBAN": "DE89370400440532013001",
}

func (p *platform) partnerFile(name string) string { return filepath.Join(p.partnerDir, name) }

// Keys that the server makes for itself in the sandbox.
func (p *platform) vaultFile() string   { return filepath.Join(p.home, "..", "vault.key") }
func (p *platform) sessionFile() string { return filepath.Join(p.home, "..", "session.key") }

// cageServer takes in what the server made.
func (p *platform) cageServer() {
	p.t.Helper()
	vault, err := os.ReadFile(p.vaultFile())
	p.must(err)
	_, text, _ := strings.Cut(strings.TrimSpace(string(vault)), ":")
	key, err := base64.StdEncoding.DecodeString(text)
	p.must(err)
	p.cage.Add("vault key", key)
	session, err := os.ReadFile(p.sessionFile())
	p.must(err)
	block, _ := pem.Decode(session)
	p.cage.Add("session key", block.Bytes[len(block.Bytes)-ed25519.SeedSize:])
}

// startPartner also takes in the keys that it makes, which the server has too.
func (p *platform) startPartner() {
	p.partner = p.start("partner", "railkit-partner", nil, func(supervise.Facts) []string {
		return []string{"--data", p.partnerDir, "--devnet-url", p.devnetURL, "--addr", "127.0.0.1:0"}
	})
	p.partnerURL = "http://" + p.partner.Facts().Text("addr")
	p.partnerKey, p.controlKey = p.partnerSecret(control.APIKeyFile), p.partnerSecret(control.KeyFile)
}

func (p *platform) partnerSecret(file string) string {
	p.t.Helper()
	raw, err := os.ReadFile(p.partnerFile(file))
	p.must(err)
	text := strings.TrimSpace(string(raw))
	p.cage.AddText("partner's "+file, text)
	return text
}

// payouts are a payout that arrives, and what goes wrong around one.
func (p *platform) payouts(alice *owner) {
	p.t.Helper()
	for name, number := range numbers {
		p.cage.AddText(name, number)
	}
	ctx, c := context.Background(), p.client(p.keys.BenchKey)
	recipient := p.recipient("Ana")
	account, err := c.BankAccounts.Create(ctx, recipient, railkit.BankAccountRequest{
		Currency: "mxn", CLABE: numbers["CLABE"],
	})
	p.must(err)
	for _, wrong := range []railkit.BankAccountRequest{
		{Currency: "mxn", CLABE: numbers["a refused CLABE"]}, {Currency: "eur", IBAN: numbers["a refused IBAN"]},
		{Currency: numbers["CLABE"], RoutingNumber: numbers["CLABE"]},
	} {
		_, err := c.BankAccounts.Create(ctx, recipient, wrong)
		p.answers.failed(err)
	}
	address, err := c.WithdrawAddresses.Create(ctx, railkit.WithdrawAddressRequest{BeneficiaryAccountID: account.ID})
	p.must(err)
	_, err = devnet.NewClient(p.devnetURL).Faucet(ctx, "base", address.Address, "USDC", "25")
	p.must(err)
	apptest.Eventually(p.t, "a payout that arrives", func() bool {
		all, err := c.Orders.List(ctx, railkit.OrderListOptions{})
		return err == nil && len(all.Items) == 1 && all.Items[0].Status == "completed"
	})
	p.deposits(alice)
	p.invites()
	p.skills()
	p.webhooks()
	p.partnerFaults(recipient)
}

func (p *platform) recipient(name string) string {
	p.t.Helper()
	r, err := p.client(p.keys.BenchKey).Recipients.Create(context.Background(), railkit.RecipientRequest{
		Name: name, OwnerType: "individual",
		Address: railkit.PostalAddress{Street: "S 1", City: "CDMX", State: "CMX", PostalCode: "06600", Country: "MX"},
	})
	p.must(err)
	return r.ID
}

// ownClient is a client whose answers are not searched: they are where a secret belongs.
func (p *platform) ownClient(key string) *railkit.Client {
	p.t.Helper()
	own, err := railkit.New(railkit.Config{
		BaseURL: p.baseURL(), APIKey: key, EnclaveKey: p.enclave.Facts().Text("identityKey"),
		Environment: "sandbox", RPID: "localhost", HTTPClient: &http.Client{Timeout: time.Minute},
	})
	p.must(err)
	return own
}

// deposits has account numbers made, and switched off: the partner tells of both.
func (p *platform) deposits(o *owner) {
	p.t.Helper()
	for _, request := range []railkit.DepositAccountRequest{
		{Currency: "mxn", DestinationAddress: o.address}, {Currency: "usd", DestinationAddress: o.address},
	} {
		made, err := p.ownClient(p.keys.BenchKey).DepositAccounts.Create(context.Background(), request)
		p.must(err)
		i := made.SourceDepositInstructions
		p.cage.AddText("number of a deposit account", i.CLABE+i.BankAccountNumber)
		p.execute(`UPDATE deposit_accounts SET wanted = 'deactivated', partner_key = '` + uuid.NewString() +
			`', version = version + 1 WHERE id = '` + made.ID + `'`)
	}
	db := p.database()
	defer db.Close()
	apptest.Eventually(p.t, "the partner switched them off", func() bool {
		left := 1
		p.must(db.QueryRow(`SELECT COUNT(*) FROM deposit_accounts WHERE deactivated = 0`).Scan(&left))
		return left == 0
	})
}

// invites makes a link with a client of its own: its answer is where the token belongs.
func (p *platform) invites() {
	p.t.Helper()
	recipient := p.recipient("Beto")
	made, err := p.ownClient(p.keys.BenchKey).Invites.Create(context.Background(), recipient)
	p.must(err)
	p.cage.AddText("invite's token", made.Token)
	for _, body := range []string{
		`{"token":"` + made.Token + `"}`, `{"token":"` + made.Token + `x"}`,
		`{"token":"` + made.Token + `","account":{"currency":"mxn","clabe":"` + numbers["a refused CLABE"] + `"}}`,
		`{"token":"` + made.Token + `","account":{"currency":"usd","accountNumber":"` + numbers["account number"] +
			`","routingNumber":"111000025","accountType":"checking"}}`,
	} {
		for _, path := range []string{"/v1/payout/invites/open", "/v1/payout/invites/submit"} {
			p.do("POST", path, body, "Authorization", "")
		}
	}
	if accounts, err := p.ownClient(p.keys.BenchKey).BankAccounts.List(context.Background(), recipient,
		railkit.BankAccountListOptions{}); err != nil || len(accounts.Items) != 1 {
		p.t.Errorf("the invite's account: %+v, %v", accounts, err)
	}
	p.do("GET", "/v1/payout/recipients?search="+made.Token, "")
	p.do("POST", "/v1/payout/rails/webhooks", `{"token":"`+made.Token+`"}`,
		"X-Webhook-Signature", "t=1,v0="+p.partnerKey)
}

// partnerFaults are a partner that dies while it is asked.
func (p *platform) partnerFaults(recipient string) {
	p.t.Helper()
	pid := p.partner.PID()
	p.must(syscall.Kill(pid, syscall.SIGKILL))
	_, err := p.client(p.keys.BenchKey).BankAccounts.Create(context.Background(), recipient, railkit.BankAccountRequest{
		Currency: "usd", AccountNumber: numbers["account number"], RoutingNumber: "111000025", AccountType: "checking",
	})
	p.answers.failed(err)
	apptest.Eventually(p.t, "another partner", func() bool { return p.partner.PID() != pid })
}
