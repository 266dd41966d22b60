package sandbox_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain/devnet"
	"github.com/railkit/railkit/fiat/sandbox"
	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/internal/test/rsatest"
	"github.com/railkit/railkit/internal/test/testbin"
	"github.com/railkit/railkit/internal/test/testwait"
)

// object is an answer.
type object = map[string]any

// partner is one under test, and how tests speak to it.
type partner struct {
	t       testing.TB
	folder  string
	url     string
	key     string
	control *control.Client
	stop    func()
	config  sandbox.Config
}

func chains(t testing.TB) *devnet.Client {
	t.Helper()
	return devnet.NewClient(devnetURL(t))
}

func devnetURL(t testing.TB) string {
	t.Helper()
	url, err := testbin.Devnet()
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// open starts a partner whose chains nobody needs.
func open(t testing.TB) *partner { return start(t, sandbox.Config{DevnetURL: "http://127.0.0.1:1"}) }

// onChain starts a partner on the devnet.
func onChain(t *testing.T) *partner {
	t.Helper()
	return start(t, sandbox.Config{DevnetURL: devnetURL(t)})
}

func start(t testing.TB, c sandbox.Config) *partner {
	t.Helper()
	p := &partner{t: t, folder: rsatest.PartnerFolder(t, t.TempDir()), config: c}
	p.config.Folder, p.config.Log = p.folder, slog.New(slog.DiscardHandler)
	p.start()
	t.Cleanup(func() { p.stop() })
	return p
}

// start opens the partner on its folder, again after stop.
func (p *partner) start() {
	p.t.Helper()
	s, err := sandbox.Open(p.t.Context(), p.config)
	if err != nil {
		p.t.Fatal(err)
	}
	s.Start(p.t.Context())
	web := httptest.NewServer(s.Handler())
	p.url, p.key = web.URL, p.file(control.APIKeyFile)
	p.control = control.New(web.URL, p.file(control.KeyFile))
	p.stop = sync.OnceFunc(func() {
		web.Close()
		if err := s.Close(); err != nil {
			p.t.Errorf("closing: %v", err)
		}
	})
}

func (p *partner) file(name string) string {
	p.t.Helper()
	raw, err := os.ReadFile(filepath.Join(p.folder, name))
	if err != nil {
		p.t.Fatal(err)
	}
	return strings.TrimSpace(string(raw))
}

// call makes a call; a POST has a new key, where none is given.
func (p *partner) call(method, path string, body any, key ...string) (int, object) {
	p.t.Helper()
	raw, _ := json.Marshal(body)
	if text, ok := body.(string); ok {
		raw = []byte(text)
	}
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.url+path, bytes.NewReader(raw))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Api-Key", p.key)
	switch {
	case len(key) > 0 && key[0] != "":
		req.Header.Set("Idempotency-Key", key[0])
	case len(key) == 0 && method == http.MethodPost:
		req.Header.Set("Idempotency-Key", uuid.NewString())
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	if res.Header.Get(control.Header) != control.Name {
		p.t.Fatalf("%s %s does not say that it is the sandbox's", method, path)
	}
	var answer object
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		p.t.Fatalf("%s %s answers %d and no object: %v", method, path, res.StatusCode, err)
	}
	return res.StatusCode, answer
}

// made is what a POST made.
func (p *partner) made(path string, body any) object {
	p.t.Helper()
	status, answer := p.call(http.MethodPost, path, body)
	if status != http.StatusCreated {
		p.t.Fatalf("POST %s: %d %v", path, status, answer)
	}
	return answer
}

func (p *partner) got(path string) object {
	p.t.Helper()
	status, answer := p.call(http.MethodGet, path, nil)
	if status != http.StatusOK {
		p.t.Fatalf("GET %s: %d %v", path, status, answer)
	}
	return answer
}

// refused makes sure of a refusal.
func (p *partner) refused(what, method, path string, body any, status int, code, field string) {
	p.t.Helper()
	got, answer := p.call(method, path, body)
	source, _ := answer["source"].(object)
	if got != status || answer["code"] != code || field != "" && source["key"] != field {
		p.t.Errorf("%s: %d %v, want %d %s %s", what, got, answer, status, code, field)
	}
}

// setup is a customer with a wallet, an address and an account.
type setup struct{ customer, wallet, liquidation, address, account string }

const clabe = "032180000118359719"

func (p *partner) setup() setup {
	p.t.Helper()
	var s setup
	s.customer = text(p.made("/v0/customers", object{
		"type": "business", "business_legal_name": "Acme", "email": "ops@acme.test",
	}), "id")
	s.wallet = text(p.made("/v0/customers/"+s.customer+"/wallets", object{"chain": "base"}), "id")
	l := p.made("/v0/customers/"+s.customer+"/liquidation_addresses", object{
		"chain": "base", "currency": "usdc", "bridge_wallet_id": s.wallet,
	})
	s.liquidation, s.address = text(l, "id"), text(l, "address")
	s.account = p.bankAccount(s, "Ana Ruiz")
	return s
}

func (p *partner) bankAccount(s setup, owner string) string {
	p.t.Helper()
	return text(p.made("/v0/customers/"+s.customer+"/external_accounts", object{
		"currency": "mxn", "account_type": "clabe", "bank_name": "STP", "account_owner_name": owner,
		"clabe": object{"account_number": clabe},
	}), "id")
}

// deposit sends tokens to the address and waits until the wallet has them.
func (p *partner) deposit(s setup, amount string) object {
	p.t.Helper()
	if _, err := chains(p.t).Faucet(p.t.Context(), "base", s.address, "USDC", amount); err != nil {
		p.t.Fatal(err)
	}
	var newest object
	p.eventually("the deposit is in the wallet", func() bool {
		drains := list(p.got("/v0/customers/" + s.customer + "/liquidation_addresses/" + s.liquidation + "/drains"))
		if len(drains) > 0 {
			newest = drains[0]
		}
		return newest["state"] == "payment_processed"
	})
	return newest
}

// transfer is a body of a payment to the account.
func (s setup) transfer(change object) object {
	body := object{
		"on_behalf_of": s.customer, "client_reference_id": uuid.NewString(), "amount": "100", "developer_fee": "0.75",
		"source":      object{"payment_rail": "bridge_wallet", "currency": "usdc", "bridge_wallet_id": s.wallet},
		"destination": object{"payment_rail": "spei", "currency": "mxn", "external_account_id": s.account},
	}
	for name, value := range change {
		body[name] = value
		if value == nil {
			delete(body, name)
		}
	}
	return body
}

// reaches waits until a transfer has the state.
func (p *partner) reaches(id, state string) object {
	p.t.Helper()
	var t object
	p.eventually("transfer is "+state, func() bool {
		t = p.got("/v0/transfers/" + id)
		return t["state"] == state
	})
	return t
}

// paid makes sure what the partner's ledger says of a reference, and that it is balanced.
func (p *partner) paid(reference string, paid, returned int) {
	p.t.Helper()
	l, err := p.control.Ledger(p.t.Context(), reference)
	if err != nil {
		p.t.Fatal(err)
	}
	if !l.Balanced || len(l.Payouts) != 1 || l.Payouts[0].Paid != paid || l.Payouts[0].Returned != returned {
		p.t.Errorf("the ledger has %+v, want %d paid and %d returned", l, paid, returned)
	}
}

func (p *partner) holds(s setup, want string) {
	p.t.Helper()
	balances := p.got("/v0/customers/" + s.customer + "/wallets/" + s.wallet)["balances"].([]any)
	if got := balances[0].(object)["balance"]; got != want {
		p.t.Errorf("the wallet holds %v, want %s", got, want)
	}
}

func (p *partner) eventually(what string, check func() bool) {
	p.t.Helper()
	testwait.Until(p.t, what, check)
}

func text(o object, path ...string) string {
	for _, name := range path[:len(path)-1] {
		o, _ = o[name].(object)
	}
	s, _ := o[path[len(path)-1]].(string)
	return s
}

func list(o object) []object {
	var all []object
	data, _ := o["data"].([]any)
	for _, one := range data {
		all = append(all, one.(object))
	}
	return all
}
