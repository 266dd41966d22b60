package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/fiat/sandbox"
	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/internal/test/rsatest"
	"github.com/railkit/railkit/internal/test/solanatest"
)

// partner is the sandbox's partner, without chains.
type partner struct {
	t        *testing.T
	url, key string
}

func newPartner(t *testing.T) *partner {
	t.Helper()
	folder := rsatest.PartnerFolder(t, t.TempDir())
	s, err := sandbox.Open(t.Context(), sandbox.Config{
		Folder: folder, DevnetURL: "http://127.0.0.1:1", Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s.Handler())
	t.Cleanup(func() { web.Close(); _ = s.Close() })
	key, err := os.ReadFile(filepath.Join(folder, control.APIKeyFile))
	if err != nil {
		t.Fatal(err)
	}
	return &partner{t, web.URL, strings.TrimSpace(string(key))}
}

// make makes an object and answers its id, and its address where it has one.
func (p *partner) make(path string, body map[string]any) (id, address string) {
	p.t.Helper()
	raw, _ := json.Marshal(body)
	q, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.url+path, bytes.NewReader(raw))
	if err != nil {
		p.t.Fatal(err)
	}
	q.Header.Set("Api-Key", p.key)
	q.Header.Set("Idempotency-Key", uuid.NewString())
	res, err := http.DefaultClient.Do(q)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	var made struct{ ID, Address string }
	if err := json.NewDecoder(res.Body).Decode(&made); err != nil || res.StatusCode != http.StatusCreated {
		p.t.Fatalf("%s: %d %v", path, res.StatusCode, err)
	}
	return made.ID, made.Address
}

func (p *partner) customer(name string) string {
	p.t.Helper()
	id, _ := p.make("/v0/customers", map[string]any{"business_legal_name": name, "email": "ops@acme.test"})
	return id
}

// withdrawAddress makes one as the server does: in front of a wallet of its own.
func (p *partner) withdrawAddress(customer, chain string) (address, wallet string) {
	p.t.Helper()
	wallet, _ = p.make("/v0/customers/"+customer+"/wallets", map[string]any{"chain": chain})
	_, address = p.make("/v0/customers/"+customer+"/liquidation_addresses",
		map[string]any{"chain": chain, "currency": "usdc", "bridge_wallet_id": wallet})
	return address, wallet
}

// verify runs the command with a key on stdin, and holds it to never showing the key.
func verify(t *testing.T, key string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	env := cli.Env{In: strings.NewReader(key + "\n"), Out: &out, Err: &errs}
	code = cli.Run(context.Background(), env, append([]string{"verify-address"}, args...),
		[]cli.Command{{Name: "verify-address", Run: Run}})
	if all := out.String() + errs.String(); key != "" && strings.Contains(strings.ToLower(all), strings.ToLower(key)) {
		t.Errorf("%v: the key is shown: %s", args, all)
	}
	return code, out.String(), errs.String()
}

// refused wants exit code 1, an error with a text, and nothing on stdout.
func refused(t *testing.T, what, key, want string, args ...string) {
	t.Helper()
	code, out, errs := verify(t, key, args...)
	if code != 1 || out != "" || !strings.Contains(errs, want) ||
		strings.Count(errs, "railkit verify-address: ") != 1 {
		t.Errorf("%s: %d %q %q", what, code, out, errs)
	}
}

func TestPartner_VerifyAddress(t *testing.T) {
	t.Parallel()
	p := newPartner(t)
	acme, other := p.customer("Acme"), p.customer("Other")
	address, wallet := p.withdrawAddress(acme, "base")
	theirs, _ := p.withdrawAddress(other, "polygon")

	for _, typed := range []string{address, strings.ToLower(address)} {
		code, out, errs := verify(t, p.key, "--partner", p.url+"/v0", "--address", typed, "--network", "base")
		if code != 0 || !strings.Contains(errs, "not stored") {
			t.Errorf("%s: %d %s", typed, code, errs)
		}
		for _, want := range []string{
			address, "  network      base\n", "  currency     usdc\n", "  customer     Acme, ops@acme.test\n", acme,
			"  leads to     wallet " + wallet + " of this customer at the partner (0x",
			"  state        active\n", proof,
		} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is not in: %s", want, out)
			}
		}
	}
	if code, out, _ := verify(t, p.key, "--partner", p.url, "--address", theirs); code != 0 ||
		!strings.Contains(out, "Other, ") {
		t.Errorf("any network: %d %s", code, out)
	}

	at := []string{"--partner", p.url, "--address"}
	unknown := strings.ToLower(address[:10]) + "0000000000000000" + strings.ToLower(address[26:38]) + "ffff"
	refused(t, "unknown", p.key, "the partner has no such address: do not pay to it and do not add it",
		append(at, unknown)...)
	alike := strings.ToLower(address[:5] + strings.Repeat("0", 34) + address[39:])
	refused(t, "look-alike", p.key, "one that begins and ends alike, "+address, append(at, alike)...)
	refused(t, "other network", p.key, "on base and not on polygon", append(at, address, "--network", "polygon")...)
	refused(t, "other customer's", p.key, "no such address of this customer", append(at, theirs, "--customer", acme)...)
	refused(t, "wrong key", "sk-test-WRONGWRONG", "does not take this API key", append(at, address)...)
	refused(t, "no key", "", "there is no API key", append(at, address)...)
	refused(t, "no partner", p.key, "the partner is not available",
		"--partner", "http://127.0.0.1:1", "--address", address)
	if code, out, _ := verify(t, p.key, append(at, theirs, "--customer", other)...); code != 0 || out == "" {
		t.Error("the customer's own is not found:", code)
	}
}

// On Solana another case of a letter is another address, which somebody may have made to be mistaken for it.
func TestPartner_VerifyAddressOnSolana(t *testing.T) {
	t.Parallel()
	p := newPartner(t)
	acme := p.customer("Acme")
	address, wallet := p.withdrawAddress(acme, "solana")
	at := []string{"--partner", p.url, "--network", "solana", "--address"}
	code, out, errs := verify(t, p.key, append(at, address)...)
	if code != 0 || !strings.Contains(out, address) || !strings.Contains(out, "  network      solana\n") ||
		!strings.Contains(out, "wallet "+wallet+" of this customer at the partner (") || !strings.Contains(out, proof) {
		t.Errorf("%d %s %s", code, out, errs)
	}
	refused(t, "another's", p.key, "the partner has no such address: do not pay to it",
		append(at, solanatest.NewPerson().String())...)
	refused(t, "other network", p.key, "on solana and not on base", "--partner", p.url, "--address", address,
		"--network", "base")
	refused(t, "look-alike", p.key, "one that begins and ends alike, "+address, append(at, otherCase(t, address))...)
}

// otherCase is an address that differs from another in the case of letters only.
func otherCase(t *testing.T, address string) string {
	t.Helper()
	for i, r := range address {
		for _, other := range []string{strings.ToLower(string(r)), strings.ToUpper(string(r))} {
			alike := address[:i] + other + address[i+1:]
			if _, err := solana.ParseAddress(alike); err == nil && alike != address {
				return alike
			}
		}
	}
	t.Fatalf("%s has no letter of two cases", address)
	return ""
}

// An address on the second page of the list is found, too.
func TestPartner_VerifyAddressPages(t *testing.T) {
	t.Parallel()
	p := newPartner(t)
	acme := p.customer("Acme")
	oldest, _ := p.withdrawAddress(acme, "base")
	for range 100 {
		p.withdrawAddress(acme, "base")
	}
	for _, more := range [][]string{nil, {"--customer", acme}} {
		code, out, errs := verify(t, p.key, append(more, "--partner", p.url, "--address", oldest)...)
		if code != 0 || !strings.Contains(out, oldest) {
			t.Errorf("%v: %d %s", more, code, errs)
		}
	}
}

const (
	here  = "0x71C7656EC7ab88b098defB751B7401B5f6d8976F"
	there = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
)

// What a real partner may answer, and the sandbox's never does.
func TestPartner_VerifyAddressAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		route string // its fields beside those that each has
		out   string
		err   string // "": exit code 0
	}{
		"bank":              {`"external_account_id":"ea_1"`, "bank account of Ana Ruiz at STP that ends in 9719", ""},
		"a stranger's bank": {`"external_account_id":"ea_2"`, "bank account ea_2", "not this customer's: do not pay"},
		"wallet": {`"bridge_wallet_id":"bw_1","destination_address":"` + strings.ToLower(there) + `"`,
			"wallet bw_1 of this customer at the partner (" + there + " on base)", ""},
		"a stranger's wallet": {`"bridge_wallet_id":"bw_2"`, "wallet bw_2", "not this customer's: do not pay"},
		"another than the wallet's": {`"bridge_wallet_id":"bw_1","destination_address":"` + here + `"`, "bw_1",
			"not the address of the wallet"},
		"on chain": {`"destination_address":"` + there + `"`, "the blockchain address " + there + ", which is not",
			"another blockchain address, and Railkit makes no such addresses: do not pay"},
		"prefunded":  {`"prefunded_account_id":"pa_1"`, "prefunded account pa_1", "prefunded account, and"},
		"not told":   {`"destination_payment_rail":"base"`, "the partner does not say: look into its dashboard", ""},
		"not active": {`"bridge_wallet_id":"bw_1","state":"deactivated"`, "state        deactivated", "is not active"},
		"terminal":   {`"state":"active\u001b[2J"`, "state        active\ufffd[2J", "is not active"},
	} {
		route := `{"id":"la_1","chain":"base","currency":"usdc","customer_id":"cust_1","address":"` +
			strings.ToLower(here) + `",` + c.route + `}`
		server := httptest.NewServer(answers(map[string]string{
			"/v0/liquidation_addresses":         `{"data":[` + route + `]}`,
			"/v0/customers/cust_1":              `{"id":"cust_1","first_name":"Ana","last_name":"Ruiz"}`,
			"/v0/customers/cust_1/wallets/bw_1": `{"id":"bw_1","chain":"base","address":"` + there + `"}`,
			"/v0/customers/cust_1/external_accounts/ea_1": `{"id":"ea_1","active":true,"last_4":"9719",` +
				`"account_owner_name":"Ana Ruiz","bank_name":"STP"}`,
		}))
		code, out, errs := verify(t, "sk-test-1234567890", "--partner", server.URL, "--address", here)
		if (code == 0) != (c.err == "") || !strings.Contains(out, here) ||
			!strings.Contains(out, c.out) || !strings.Contains(errs, c.err) {
			t.Errorf("%s: %d %s %s", name, code, out, errs)
		}
		server.Close()
	}
}

// answers is a partner that knows these paths and no other.
func answers(bodies map[string]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		body, ok := bodies[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			body = `{"code":"not_found","message":"Unknown ` + r.Header.Get("Api-Key") + `"}`
		}
		_, _ = io.WriteString(w, body)
	})
}

// No answer that makes no sense passes for a word about the address, and none brings the key onto the terminal.
func TestPartner_VerifyAddressTrouble(t *testing.T) {
	t.Parallel()
	const key = "sk-test-abcdefghijkl"
	var rows []string
	for i := range 100 {
		rows = append(rows, fmt.Sprintf(
			`{"id":"la_%d","chain":"base","currency":"usdc","customer_id":"cust_1","address":%q}`, i, there))
	}
	for want, status := range map[string]int{
		"a list that repeats itself":           http.StatusOK,
		"the key needs the rights":             http.StatusForbidden,
		"name one with --customer":             http.StatusNotFound,
		"does not take this API key":           http.StatusUnauthorized,
		"the partner is not available":         http.StatusBadGateway,
		"the partner asks to come back":        http.StatusTooManyRequests,
		"status 307: the partner's answer mak": http.StatusTemporaryRedirect,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(status)
			body := `{"code":"` + key + `","message":"` + key + `"}`
			if status == http.StatusOK {
				body = `{"data":[` + strings.Join(rows, ",") + `]}`
			}
			_, _ = io.WriteString(w, body)
		}))
		refused(t, want, key, want, "--partner", server.URL, "--address", here)
		server.Close()
	}
}

// A wrong call is refused before the key is asked for, and what was typed is not repeated.
func TestVerifyAddress_Refused(t *testing.T) {
	t.Parallel()
	const secret = "sk-live-0123456789abcdef"
	for want, args := range map[string][]string{
		"--address: must be 0x": {"--address", "0x71C7656EC7ab88b098defB751B7401B5f6d8976E"},
		"--address: must be":    {"--address", "0x71C7"},
		"--partner: must be a URL such": {
			"--address", here, "--partner", "http://api.bridge.xyz/v0"},
		"--partner: must be a URL":  {"--address", here, "--partner", "https://user:hunter2@api.bridge.xyz"},
		"--partner: must be":        {"--address", here, "--partner", "https://api.bridge.xyz/v0?key"},
		"the API key is no":         {"--address", here, "--api-key", secret},
		"the API key is no arg":     {"--address", here, "-key=" + secret},
		"the API key is no argum":   {"--address", here, "--customer", secret},
		"the API key is no argume":  {"--address", here, secret},
		"the API key is no argumen": {"--address", here, "--partner-token", "x"},
		"it takes flags only":       {"--address", here, "hunter2"},
	} {
		code, out, errs := verify(t, "sk-test-1234567890", args...)
		if code != 2 || out != "" || !strings.Contains(errs, want) || strings.Contains(errs, secret) ||
			strings.Contains(errs, "hunter2") || strings.Contains(errs, "not stored") {
			t.Errorf("%v: %d %q %q", args, code, out, errs)
		}
	}
	if code, out, _ := verify(t, "", "-h"); code != 0 || !strings.Contains(out, proof) ||
		!strings.Contains(out, rights) {
		t.Errorf("help: %d %s", code, out)
	}
}
