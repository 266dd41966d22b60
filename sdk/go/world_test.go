package railkit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/fakeapi"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/passkey"
)

type object = map[string]any

const receiver = "0x00000000000000000000000000000000000000AA"

// world is an API, a host between it and the client that can change every
// answer, and a user with a passkey.
type world struct {
	*fakeapi.Server
	url    string
	host   *host
	client *railkit.Client
	pk     railkit.Passkey
}

// host is the machine that was taken over: it holds the answers of one path.
type host struct {
	next   http.RoundTripper
	path   string // suffix of the requests it is interested in
	tamper func(data any) any
}

func (h *host) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := h.next.RoundTrip(r)
	if err != nil || h.tamper == nil || !strings.HasSuffix(r.URL.Path, h.path) {
		return res, err
	}
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	var env object
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&env); err != nil {
		return nil, err
	}
	env["data"] = h.tamper(env["data"])
	raw, err = json.Marshal(env)
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	return res, err
}

func newWorld(t *testing.T, change ...func(*railkit.Config)) *world {
	t.Helper()
	w := &world{
		Server: fakeapi.New(),
		host:   &host{next: http.DefaultTransport},
		pk:     railkit.FromAuthenticator(passkey.New("http://localhost:8081")),
	}
	server := httptest.NewServer(w.Server)
	t.Cleanup(server.Close)
	w.url = server.URL
	w.client = w.newClient(t, change...)
	return w
}

func (w *world) newClient(t *testing.T, change ...func(*railkit.Config)) *railkit.Client {
	t.Helper()
	cfg := railkit.Config{
		BaseURL: w.url, APIKey: fakeapi.APIKey, EnclaveKey: w.EnclaveKey, Environment: "sandbox", RPID: fakeapi.RPID,
		HTTPClient: &http.Client{Transport: w.host}, StrictDecoding: true,
		Retry: railkit.Retry{Sleep: func(context.Context, time.Duration) error { return nil }},
	}
	for _, f := range change {
		f(&cfg)
	}
	c, err := railkit.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (w *world) register(t *testing.T) *railkit.Registration {
	t.Helper()
	reg, err := w.client.SubOrganizations.Create(t.Context(), w.pk, railkit.RegisterParams{
		Email: "ada@example.com", Name: "Ada",
	})
	if err != nil {
		t.Fatal(err)
	}
	return reg
}

func (w *world) wallet(t *testing.T) *railkit.CreatedWallet {
	t.Helper()
	reg := w.register(t)
	made, err := w.client.Wallets.Create(t.Context(), w.pk, railkit.PrepareWalletRequest{
		WalletName: "Main", Chain: "ethereum", SubOrganizationID: reg.SubOrganizationID,
	})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// account is a wallet's address that can send.
func (w *world) account(t *testing.T) *railkit.Address {
	t.Helper()
	a, err := w.client.Addresses.Create(t.Context(), w.pk, railkit.PrepareAccountRequest{
		WalletID: w.wallet(t).WalletID, Chain: "base",
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func transfer(from string) railkit.PrepareTransactionRequest {
	return railkit.PrepareTransactionRequest{
		Type: railkit.TransferToken, SignWith: from, ChainID: fakeapi.ChainID, To: receiver, Amount: "25.50",
		TokenAddress: fakeapi.USDC,
	}
}

// again changes a statement and has the enclave's own key sign it: what a host
// can get by asking the enclave at another time or for another body.
func (w *world) again(proof any, change func(*wire.Statement)) any {
	st := statement(proof)
	change(&st)
	return w.Prove(st)
}

func statement(proof any) wire.Statement {
	var st wire.Statement
	payload, _ := proof.(object)["payload"].(string)
	_ = json.Unmarshal([]byte(payload), &st)
	return st
}
