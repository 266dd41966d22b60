package canary_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain/devnet"
	"github.com/railkit/railkit/enclave/harden"
	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/supervise"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/canary"
	"github.com/railkit/railkit/internal/test/pgtest"
	"github.com/railkit/railkit/internal/test/testbin"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
)

// origin is where the passkeys pretend to be: no page is served there.
const origin = "http://localhost:9191"

// platform is what railkit dev runs, as separate programs whose every word is
// kept in files, and all secrets of it.
type platform struct {
	t    *testing.T
	cage *canary.Cage
	keys app.SandboxKeys

	home        string // logs, core files if any
	enclaveDir  string
	serverDir   string
	sandboxFile string
	socket      string
	databaseURL string // "": SQLite

	devnetURL       string
	pricesURL       string
	node            *apptest.Node // between the server and the devnet
	group           *supervise.Group
	enclave, server *supervise.Child
	partner         *supervise.Child
	answers         *answers
	partnerDir      string
	partnerURL      string
	partnerKey      string
	controlKey      string
	providerKey     string
	password        string
	agentSecrets    []string
}

func newPlatform(t *testing.T, postgres bool) *platform {
	t.Helper()
	p := &platform{t: t, cage: &canary.Cage{}, home: t.TempDir(), answers: &answers{}, group: supervise.New(os.Stderr)}
	p.enclaveDir, p.serverDir = filepath.Join(t.TempDir(), "enclave"), t.TempDir()
	p.partnerDir = t.TempDir()
	p.providerKey, p.password = "provider-"+uuid.NewString(), "password-"+uuid.NewString()
	p.cage.AddText("node provider's key", p.providerKey)
	p.cage.AddText("database password", p.password)
	if postgres {
		p.databaseURL = withPassword(t, pgtest.New(t), p.password)
	}
	p.makeKeys()
	t.Cleanup(p.group.Kill)
	p.startNode()
	p.startEnclave()
	p.startPrices()
	p.startPartner()
	p.startServer()
	return p
}

func withPassword(t *testing.T, text, password string) string {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(u.User.Username(), password)
	return u.String()
}

func (p *platform) makeKeys() {
	p.keys.WorkspaceID = uuid.NewString()
	for name, key := range map[string]*string{
		"API key": &p.keys.APIKey, "internal key": &p.keys.InternalKey, "admin key": &p.keys.AdminKey,
		"benchmark key": &p.keys.BenchKey,
	} {
		text, err := auth.GenerateKey()
		p.must(err)
		*key = text
		p.cage.AddText(name, text)
	}
	raw, err := json.Marshal(p.keys)
	p.must(err)
	p.sandboxFile = filepath.Join(p.t.TempDir(), "sandbox.json")
	p.must(os.WriteFile(p.sandboxFile, raw, 0o600))
}

func (p *platform) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *platform) program(name string) string {
	path, err := testbin.Path(name)
	p.must(err)
	return path
}

// start runs a program in the folder of its logs, where the kernel may write core
// files of any size.
func (p *platform) start(name, program string, env []string, args func(supervise.Facts) []string) *supervise.Child {
	p.t.Helper()
	const script = `cd "$1" && ulimit -c "$(ulimit -H -c)" && log=$2 && shift 2 && exec "$@" >>"$log" 2>&1`
	child, err := p.group.Start(context.Background(), supervise.Spec{
		Name: name, Path: "/bin/sh", Env: env,
		Args: func(prev supervise.Facts) []string {
			return append([]string{"-c", script, "sh", p.home, name + ".log", p.program(program)}, args(prev)...)
		},
	})
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(p.home, name+".log")) // without it the error has to do
		p.t.Fatalf("%v\n%s", err, log)
	}
	return child
}

func (p *platform) startNode() {
	child := p.start("devnet", "railkit-devnet", nil, func(supervise.Facts) []string {
		return []string{"--data", filepath.Join(p.home, "chain"), "--addr", "127.0.0.1:0", "--lead", "1h"}
	})
	p.devnetURL = "http://" + child.Facts().Text("addr")
	p.node = apptest.NewNode(p.t, devnet.NewClient(p.devnetURL).RPCURL("base"))
}

func (p *platform) startPrices() {
	child := p.start("prices", "railkit-prices", nil, func(supervise.Facts) []string {
		return []string{"run", "--environment", "sandbox", "--key-file", p.priceFile(), "--addr", "127.0.0.1:0"}
	})
	p.pricesURL = "http://" + child.Facts().Text("addr")
}

func (p *platform) startEnclave() {
	secret := p.unsealFile()
	out, err := exec.Command(p.program("railkit-enclave"), "init", "--data", p.enclaveDir, "--environment", "sandbox",
		"--rp-id", "localhost", "--origin", origin, "--unseal-file", secret, "--new-unseal-file",
		"--new-price-key-file", p.priceFile()).CombinedOutput()
	if err != nil {
		p.t.Fatalf("%v: %s", err, out)
	}
	p.keep("init.log", out)
	dir, err := os.MkdirTemp("", "rk") // short: a socket's path is cut at 108 bytes
	p.must(err)
	p.t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p.socket = filepath.Join(dir, "s")
	p.enclave = p.start("enclave", "railkit-enclave", []string{harden.Environment}, func(supervise.Facts) []string {
		return []string{"run", "--data", p.enclaveDir, "--unseal-file", secret, "--socket", p.socket, "--accept-time"}
	})
}

func (p *platform) unsealFile() string { return filepath.Join(p.home, "..", "unseal.key") }
func (p *platform) priceFile() string  { return filepath.Join(p.home, "..", "price.key") }

func (p *platform) serverArgs(addr string) []string {
	return []string{
		"serve", "--addr", addr, "--data", p.serverDir, "--environment", "sandbox", "--sandbox-file", p.sandboxFile,
		"--enclave-socket", p.socket, "--enclave-key", p.enclave.Facts().Text("identityKey"), "--rp-id", "localhost",
		"--ceremony-origin", origin, "--devnet-url", p.devnetURL, "--prices-url", p.pricesURL, "--partner-url",
		p.partnerURL, "--partner-webhook-key-file", p.partnerFile(control.PublicKeyFile), "--vault-key-file",
		p.vaultFile(), "--session-key-file", p.sessionFile(),
	}
}

func (p *platform) serverEnv() []string {
	return []string{"RAILKIT_RPC=base=" + p.node.URL + "/v2/" + p.providerKey, "RAILKIT_DATABASE_URL=" + p.databaseURL,
		"RAILKIT_PARTNER_KEY=" + p.partnerKey, "RAILKIT_PARTNER_CONTROL_KEY=" + p.controlKey}
}

func (p *platform) startServer() {
	p.server = p.start("server", "railkit", p.serverEnv(), func(prev supervise.Facts) []string {
		addr := prev.Text("addr")
		if addr == "" {
			addr = "127.0.0.1:0"
		}
		return p.serverArgs(addr)
	})
}

func (p *platform) baseURL() string { return "http://" + p.server.Facts().Text("addr") }

// keep saves what a program said beside the logs.
func (p *platform) keep(name string, text []byte) {
	p.must(os.WriteFile(filepath.Join(p.home, name), text, 0o600))
}

func (p *platform) client(key string) *railkit.Client {
	c, err := railkit.New(railkit.Config{
		BaseURL: p.baseURL(), APIKey: key, EnclaveKey: p.enclave.Facts().Text("identityKey"), Environment: "sandbox",
		RPID: "localhost", HTTPClient: &http.Client{Transport: p.answers, Timeout: time.Minute},
		Retry: railkit.Retry{Attempts: 1},
	})
	p.must(err)
	return c
}

// answers keeps every answer with its headers, and every error's text.
type answers struct {
	mu   sync.Mutex
	text []byte
	keys []string // idempotency keys that were sent

	signatures []string // of agents
}

// RoundTrip is called by the HTTP client.
func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		a.add([]byte(err.Error()))
		return nil, err
	}
	raw, err := httputil.DumpResponse(res, true)
	if err != nil {
		return nil, err
	}
	a.add(raw)
	a.mu.Lock()
	defer a.mu.Unlock()
	if key := r.Header.Get("Idempotency-Key"); key != "" {
		a.keys = append(a.keys, key)
	}
	if mac := r.Header.Get("X-Agent-Auth"); len(mac) > 60 {
		a.signatures = append(a.signatures, mac)
	}
	return res, nil
}

func (a *answers) add(text []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.text = append(append(a.text, text...), '\n')
}

func (a *answers) failed(err error) {
	if err != nil {
		a.add([]byte(err.Error()))
	}
}
