package canary_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/passkey"
)

const receiver = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"

// owner is a user whose passkey remembers every stamp it made.
type owner struct {
	railkit.Passkey
	mu      sync.Mutex
	stamps  []string
	address string

	organization string
}

// Stamp keeps the stamp too.
func (o *owner) Stamp(body string, allow ...string) (railkit.Stamp, error) {
	s, err := o.Passkey.Stamp(body, allow...)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stamps = append(o.stamps, s.HeaderValue)
	return s, err
}

func (o *owner) payment(amount string) railkit.PrepareTransactionRequest {
	return railkit.PrepareTransactionRequest{
		Type: railkit.TransferToken, PayAgain: true, SignWith: o.address, ChainID: 84532, To: receiver, Amount: amount,
		TokenAddress: apptest.USDC().Address,
	}
}

// happyPath is all that goes well: registration, wallet, account, money, payment.
func (p *platform) happyPath() *owner {
	p.t.Helper()
	ctx, c := context.Background(), p.client(p.keys.BenchKey)
	o := &owner{Passkey: passkey.Browser{Authenticator: passkey.New(origin)}}
	sub, err := c.SubOrganizations.Create(ctx, o, railkit.RegisterParams{Email: "alice@example.com", Name: "Alice"})
	p.must(err)
	o.organization = sub.SubOrganizationID
	wallet, err := c.Wallets.Create(ctx, o, railkit.PrepareWalletRequest{
		WalletName: "Main", SubOrganizationID: sub.SubOrganizationID,
	})
	p.must(err)
	account, err := c.Addresses.Create(ctx, o, railkit.PrepareAccountRequest{WalletID: wallet.WalletID, Chain: "base"})
	p.must(err)
	o.address = account.Address
	for asset, amount := range map[string]string{"native": "1", "USDC": "1000"} {
		_, err := c.Sandbox.Faucet(ctx, railkit.FaucetRequest{
			Chain: "base", Address: o.address, Asset: asset, Amount: amount,
		})
		p.must(err)
	}
	sent, err := c.Transactions.Send(ctx, o, o.payment("1"))
	p.must(err)
	_, err = c.Transactions.WaitConfirmed(ctx, sent.TransactionID, 50*time.Millisecond)
	p.must(err)
	_, err = c.Transactions.List(ctx, railkit.TransactionListOptions{})
	p.must(err)
	return o
}

// do calls the API by hand, with whatever secret in whatever place.
func (p *platform) do(method, path, body string, headers ...string) {
	p.t.Helper()
	req, err := http.NewRequest(method, p.baseURL()+path, strings.NewReader(body))
	p.must(err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "ApiKey "+p.keys.BenchKey)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := (&http.Client{Transport: p.answers, Timeout: time.Minute}).Do(req)
	if err != nil {
		return // kept by the transport
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
}

// callersFaults are requests that are wrong, each with a secret where it is wrong.
func (p *platform) callersFaults(o *owner) {
	key, stamp := p.keys.APIKey, o.stamps[len(o.stamps)-1]
	quoted, err := json.Marshal(stamp)
	p.must(err)
	for _, body := range []string{
		key, stamp, `{"` + key + `":1}`, `{"email":"` + key + `"}`, `{"email":{"x":` + string(quoted) + `}}`,
		`{"email":"` + key, `{"email":"a@example.com","email":"` + key + `"}`,
	} {
		p.do("POST", "/v1/signing/passkeys/challenge", body)
		p.do("POST", "/v1/transactions/confirm", body)
	}
	for _, path := range []string{"/v1/" + key, "/v1/signing/wallets/" + key + "?cursor=" + key + "&walletId=" + key} {
		res, err := http.Get(p.baseURL() + path) // not kept: every answer names the path that was asked for
		p.must(err)
		_ = res.Body.Close()
	}
	p.do("GET", "/v1/signing/wallets?cursor="+key+"&walletId="+key+"&"+key+"="+key, "")
	p.do("POST", "/v1/signing/passkeys/challenge", "{}", "Idempotency-Key", key)
	p.do("POST", "/v1/signing/passkeys/challenge", "{}", "Content-Type", key)
	p.do("GET", "/v1/signing/wallets", "", "User-Agent", key, "Cookie", key, "X-Stamp-WebAuthn", stamp)
	for _, wrong := range []string{"ApiKey " + key + "x", "ApiKey " + key[:len(key)-1], "Bearer " + key, key} {
		p.do("GET", "/v1/signing/wallets", "", "Authorization", wrong)
	}
}

// badStamps confirm with stamps that are damaged, of another body, or used before.
func (p *platform) badStamps(o *owner) {
	ctx, c := context.Background(), p.client(p.keys.BenchKey)
	made, err := c.Transactions.Prepare(ctx, o.payment("2"))
	p.must(err)
	good, err := o.Stamp(made.UnsignedActivity.Body)
	p.must(err)
	for _, change := range []func(*railkit.SignedActivity){
		func(s *railkit.SignedActivity) { s.Stamp.HeaderValue = o.stamps[0] },
		func(s *railkit.SignedActivity) { s.Stamp.HeaderValue = good.HeaderValue[:len(good.HeaderValue)-9] },
		func(s *railkit.SignedActivity) { s.Stamp.HeaderName = s.Stamp.HeaderValue },
		func(s *railkit.SignedActivity) { s.Body = strings.Replace(s.Body, `"2"`, `"3"`, 1) + " " },
		func(*railkit.SignedActivity) {},
		func(*railkit.SignedActivity) {}, // again
	} {
		signed := made.Signed(good)
		change(&signed)
		raw, err := json.Marshal(map[string]any{"transactionId": made.TransactionID, "signedActivity": signed})
		p.must(err)
		p.do("POST", "/v1/transactions/confirm", string(raw))
	}
}

// send pays, and keeps the error where that fails.
func (p *platform) send(o *owner) {
	c := p.client(p.keys.BenchKey)
	_, err := c.Transactions.Send(context.Background(), o, o.payment("1"))
	p.answers.failed(err)
}

// nodeFaults are a node that is down, lies, refuses, hangs up.
func (p *platform) nodeFaults(o *owner) {
	for _, rule := range []http.HandlerFunc{
		apptest.Down, apptest.Says("insufficient funds for gas"), apptest.Gives("0xzz"),
		// Hangs up: the client's error names the URL.
		func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path+"/moved", http.StatusFound)
		},
	} {
		p.node.Break("*", rule)
		p.send(o)
		p.node.Break("*", nil)
		p.node.Break("eth_sendRawTransaction", rule)
		p.send(o)
		p.node.Break("eth_sendRawTransaction", nil)
	}
	p.do("POST", "/v1/transactions/broadcast/raw", `{"chain":"base","signedTransaction":"0x02"}`)
}

// wrongStarts are servers that do not start, since what they are told is wrong.
func (p *platform) wrongStarts() {
	url := "postgres://railkit:" + p.password + "@127.0.0.1:1/railkit"
	node := "http://127.0.0.1:1/v2/" + p.providerKey
	for i, wrong := range []struct{ env, args []string }{
		{[]string{"RAILKIT_DATABASE_URL=" + url}, nil},
		{[]string{"RAILKIT_DATABASE_URL=" + url + "?sslmode=" + p.password}, nil},
		{[]string{"RAILKIT_DATABASE_URL=" + p.password}, nil},
		{[]string{"RAILKIT_RPC=moon=" + node}, nil},
		{[]string{"RAILKIT_RPC=" + node}, nil},
		{[]string{"RAILKIT_RPC=base=:" + p.providerKey}, nil},
		{nil, []string{"--enclave-key", p.keys.APIKey}},
		{nil, []string{"--rpc", node}},
	} {
		cmd := exec.Command(p.program("railkit"), append(p.serverArgs("127.0.0.1:0"), wrong.args...)...)
		cmd.Env = append(append(os.Environ(), p.serverEnv()...), wrong.env...)
		out, err := cmd.CombinedOutput()
		if err == nil {
			p.t.Errorf("wrong start %d ended well: %s", i, out)
		}
		p.keep("wrong"+string(rune('a'+i))+".log", out)
	}
	for _, command := range []string{"migrate", "doctor"} {
		cmd := exec.Command(p.program("railkit"), command, "--data", p.serverDir)
		cmd.Env = append(os.Environ(), "RAILKIT_DATABASE_URL="+url)
		out, err := cmd.CombinedOutput()
		if err == nil {
			p.t.Errorf("%s without a database ended well: %s", command, out)
		}
		p.keep(command+".log", out)
	}
}

// databaseFaults are a database that refuses, and one that lacks a table.
func (p *platform) databaseFaults(o *owner) {
	if p.databaseURL != "" {
		name := p.databaseName()
		p.admin("ALTER DATABASE " + name + " ALLOW_CONNECTIONS false")
		p.admin("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'")
		p.send(o)
		p.do("GET", "/v1/signing/wallets", "")
		p.admin("ALTER DATABASE " + name + " ALLOW_CONNECTIONS true")
	}
	p.execute("ALTER TABLE transactions RENAME TO gone")
	apptest.Eventually(p.t, "a server that has its database again, and misses a table", func() bool {
		p.send(o)
		return p.logged(`"status":500`)
	})
	p.execute("ALTER TABLE gone RENAME TO transactions")
}

// logged tells whether the server's log has the text.
func (p *platform) logged(text string) bool {
	raw, err := os.ReadFile(filepath.Join(p.home, "server.log"))
	p.must(err)
	return strings.Contains(string(raw), text)
}

// signals end enclave and server as a fault or an operator would, while they work.
func (p *platform) signals(o *owner, a agent) {
	for _, s := range []syscall.Signal{syscall.SIGKILL, syscall.SIGQUIT, syscall.SIGABRT, syscall.SIGSEGV} {
		for _, child := range []interface{ PID() int }{p.enclave, p.server} {
			var busy sync.WaitGroup
			for range 4 {
				busy.Go(func() { p.send(o) })
				busy.Go(func() { p.askStatus(a) })
			}
			pid := child.PID()
			if err := syscall.Kill(pid, s); err != nil {
				p.t.Errorf("signal %v: %v", s, err)
			}
			busy.Wait()
			apptest.Eventually(p.t, "another process", func() bool { return child.PID() != pid && p.answering() })
		}
	}
}

// answering tells whether server and signer are there.
func (p *platform) answering() bool {
	c := p.client(p.keys.BenchKey)
	_, err := c.SubOrganizations.Challenge(context.Background(), "bob@example.com")
	return err == nil
}
