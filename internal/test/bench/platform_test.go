package bench

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain/devnet"
	"github.com/railkit/railkit/enclave/harden"
	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/internal/supervise"
	"github.com/railkit/railkit/internal/test/pgtest"
	"github.com/railkit/railkit/internal/test/testbin"
	"github.com/railkit/railkit/internal/test/testlog"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
)

const origin = "http://localhost:9191"

// platform is the real programs over one database, and the floor's two beside them.
type platform struct {
	tb     testing.TB
	dir    string
	socket string // of the enclave
	group  *supervise.Group
	keys   app.SandboxKeys
	devnet *devnet.Client

	node, enclave, prices, partner, server, signer, floor *supervise.Child

	database    string // URL, or folder
	databasePID int    // 0: the embedded one

	passkey *ecdsa.PrivateKey // the floor's
}

// newPlatform starts everything over a database of the engine, and the floor's two processes beside it.
func newPlatform(tb testing.TB, engine string) *platform {
	tb.Helper()
	p := newPrograms(tb, engine)
	p.startFloor(filepath.Dir(p.socket))
	return p
}

// newPrograms starts everything but the floor.
func newPrograms(tb testing.TB, engine string) *platform {
	tb.Helper()
	p := &platform{tb: tb, dir: tb.TempDir(), keys: newKeys(tb)}
	p.database = p.dir
	if engine == "postgres" {
		p.database, p.databasePID = pgtest.Durable(tb)
	}
	sockets, err := os.MkdirTemp("", "rk") // short: a socket's path is cut at 108 bytes
	must(tb, err)
	p.socket = filepath.Join(sockets, "e")
	said := &testlog.Log{}
	p.group = supervise.New(said)
	tb.Cleanup(func() {
		p.group.Kill()
		_ = os.RemoveAll(sockets)
		if tb.Failed() {
			tb.Log(said.Tail(40))
		}
	})
	p.startNode()
	p.startEnclave()
	p.startPrices()
	p.startPartner()
	p.startServer()
	return p
}

func newKeys(tb testing.TB) app.SandboxKeys {
	k := app.SandboxKeys{WorkspaceID: uuid.NewString()}
	for _, key := range []*string{&k.APIKey, &k.InternalKey, &k.AdminKey, &k.BenchKey} {
		text, err := auth.GenerateKey()
		must(tb, err)
		*key = text
	}
	return k
}

func (p *platform) start(name, path string, env []string, args ...string) *supervise.Child {
	p.tb.Helper()
	c, err := p.group.Start(context.Background(), supervise.Spec{
		Name: name, Path: path, Env: env, Once: true, Args: func(supervise.Facts) []string { return args },
	})
	must(p.tb, err)
	return c
}

func (p *platform) program(name string) string {
	path, err := testbin.Path(name)
	must(p.tb, err)
	return path
}

func (p *platform) startNode() {
	p.node = p.start("devnet", p.program("railkit-devnet"), nil, "--data",
		filepath.Join(p.dir, "devnet"), "--addr", "127.0.0.1:0")
	p.devnet = devnet.NewClient("http://" + p.node.Facts().Text("addr"))
}

func (p *platform) startEnclave() {
	bin, dir, secret := p.program("railkit-enclave"), filepath.Join(p.dir, "enclave"), filepath.Join(p.dir,
		"unseal.key")
	out, err := exec.Command(bin, "init", "--data", dir, "--environment", "sandbox", "--rp-id",
		"localhost", "--origin", origin,
		"--unseal-file", secret, "--new-unseal-file", "--new-price-key-file", p.priceKey()).CombinedOutput()
	if err != nil {
		p.tb.Fatalf("making the enclave: %v: %s", err, out)
	}
	if os.Getenv(profileEnv) != "" {
		self, err := os.Executable()
		must(p.tb, err)
		p.enclave = p.start("enclave", self, []string{
			roleEnv + "=enclave", folderEnv + "=" + dir, secretEnv + "=" + secret, socketEnv + "=" + p.socket,
		})
		return
	}
	p.enclave = p.start("enclave", bin, []string{harden.Environment}, "run", "--data", dir, "--unseal-file", secret,
		"--socket", p.socket, "--accept-time")
}

func (p *platform) priceKey() string { return filepath.Join(p.dir, "price.key") }

// startPrices runs the price signer, whose sheets the server carries to the enclave:
// without prices nothing passes a cap.
func (p *platform) startPrices() {
	p.prices = p.start("prices", p.program("railkit-prices"), nil, "run", "--environment", "sandbox", "--key-file",
		p.priceKey(), "--addr", "127.0.0.1:0")
}

// startPartner runs the sandbox's partner, which makes bank accounts and withdrawal
// addresses, and rates.
func (p *platform) startPartner() {
	p.partner = p.start("partner", p.program("railkit-partner"), nil, "--data", p.partnerFile(""),
		"--addr", "127.0.0.1:0",
		"--devnet-url", "http://"+p.node.Facts().Text("addr"))
}

func (p *platform) partnerFile(name string) string { return filepath.Join(p.dir, "partner", name) }

func (p *platform) startServer() {
	raw, err := json.Marshal(p.keys)
	must(p.tb, err)
	file := filepath.Join(p.dir, "sandbox.json")
	must(p.tb, os.WriteFile(file, raw, 0o600))
	partnerKey, err := os.ReadFile(p.partnerFile(control.APIKeyFile))
	must(p.tb, err)
	c := app.Config{Server: config.Server{
		Addr: "127.0.0.1:0", DataDir: p.dir, Environment: "sandbox", SandboxFile: file, EnclaveSocket: p.socket,
		EnclaveKey: p.enclaveKey(), RPID: "localhost", CeremonyOrigin: origin,
		DevnetURL: "http://" + p.node.Facts().Text("addr"), RPCURLs: map[string]string{
			"base": p.devnet.RPCURL("base"), "solana": p.devnet.RPCURL("solana"),
		},
		PricesURL: "http://" + p.prices.Facts().Text("addr"), PartnerURL: "http://" + p.partner.Facts().Text("addr"),
		PartnerKey: strings.TrimSpace(string(partnerKey)), QuoteLife: "24h",
	}}
	if p.databasePID != 0 {
		c.DatabaseURL = p.database
	}
	if os.Getenv(profileEnv) != "" {
		p.startProfiled(c)
		return
	}
	p.server = p.start("server", p.program("railkit"), []string{
		"RAILKIT_PARTNER_KEY=" + c.PartnerKey,
	}, "serve", "--addr", c.Addr, "--data", c.DataDir, "--environment", c.Environment,
		"--sandbox-file", c.SandboxFile, "--enclave-socket", c.EnclaveSocket, "--enclave-key",
		c.EnclaveKey, "--rp-id", c.RPID,
		"--ceremony-origin", c.CeremonyOrigin, "--devnet-url", c.DevnetURL, "--rpc", "base="+c.RPCURLs["base"],
		"--rpc", "solana="+c.RPCURLs["solana"], "--database-url", c.DatabaseURL,
		"--prices-url", c.PricesURL, "--partner-url", c.PartnerURL, "--quote-life", c.QuoteLife)
}

// stopServer leaves the enclave to those who call it directly.
func (p *platform) stopServer() {
	must(p.tb, syscall.Kill(p.server.PID(), syscall.SIGTERM))
	<-p.server.Gone()
}

func (p *platform) startFloor(folder string) {
	var err error
	p.passkey, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(p.tb, err)
	public, err := p.passkey.PublicKey.Bytes()
	must(p.tb, err)
	self, err := os.Executable()
	must(p.tb, err)
	env := []string{
		ownerEnv + "=" + hex.EncodeToString(public), folderEnv + "=" + folder, databaseEnv + "=" + p.database,
		nodeEnv + "=" + p.devnet.RPCURL("base"),
	}
	p.signer = p.start("signer", self, append(env, roleEnv+"=signer"))
	p.floor = p.start("floor", self, append(env, roleEnv+"=server"))
}

func (p *platform) url() string        { return "http://" + p.server.Facts().Text("addr") }
func (p *platform) floorURL() string   { return "http://" + p.floor.Facts().Text("addr") }
func (p *platform) enclaveKey() string { return p.enclave.Facts().Text("identityKey") }

func (p *platform) client() *railkit.Client { return p.clientOf(p.keys.BenchKey) }

func (p *platform) clientOf(key string) *railkit.Client {
	c, err := railkit.New(railkit.Config{
		BaseURL: p.url(), APIKey: key, EnclaveKey: p.enclaveKey(), Environment: "sandbox", RPID: "localhost",
		Retry: railkit.Retry{Attempts: 1},
	})
	must(p.tb, err)
	return c
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
