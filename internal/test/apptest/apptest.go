// Package apptest runs the whole application for a test: the real server, the
// real signer, a real chain and a real database. Tests speak to it through sdk/go.
//
// New starts the signer as production has it, a process of its own: for what is
// about processes, such as a signer that is killed. Rig runs the same signer
// inside the test, which saves two starts of a program. Shared gives a workspace
// of its own in one rig that many tests share, which saves the server too: for a
// test that looks at nothing but its own workspace.
package apptest

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/devnet"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/harden"
	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/internal/mailsink"
	"github.com/railkit/railkit/internal/supervise"
	"github.com/railkit/railkit/internal/test/enclavetest"
	"github.com/railkit/railkit/internal/test/pgtest"
	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/internal/test/testlog"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/passkey"
)

// App is a running application.
type App struct {
	*app.App
	BaseURL     string
	Origin      string // of the passkey page, where passkeys have to be
	Keys        Keys
	EnclaveKey  string
	EnclaveSock string
	Devnet      *devnet.Client
	Log         *testlog.Log
	Mail        *mailsink.Sink  // where the server's mail goes
	Partner     *control.Client // of the sandbox's partner; nil without WithPartner
	PartnerURL  string
	PartnerKey  string

	t        testing.TB
	dir      string
	enclave  *supervise.Child    // nil in a rig
	signer   *enclavetest.Signer // nil outside a rig
	group    *supervise.Group
	config   app.Config
	server   *httptest.Server
	page     *os.File // the passkey page's socket, open for as long as the test
	stop     func()
	prices   priceSigner
	isShared bool                                  // with other tests
	edit     func(query string, args ...any) error // where the server is another process
}

// Edit changes the database behind the server's back, to a state that no call reaches in the time of a test.
func (a *App) Edit(query string, args ...any) {
	a.t.Helper()
	edit := a.edit
	if edit == nil {
		edit = func(query string, args ...any) error {
			_, err := a.Store.Writer().ExecContext(a.t.Context(), query, args...)
			return err
		}
	}
	if err := edit(query, args...); err != nil {
		a.t.Fatal(err)
	}
}

// Dashboard is the origin of the dashboard. Nothing is served there: a test says
// itself which page it is.
const Dashboard = "http://localhost:3210"

// Here stands for the server's own address, which is known once it listens.
const Here = "http://127.0.0.1:0"

// Keys are the sandbox's fixed keys.
type Keys = app.SandboxKeys

// Config is the server's.
type Config = app.Config

// Option changes the application before it starts.
type Option func(*Config)

// WithClock gives the server (not the enclave) another clock.
func WithClock(c clock.Clock) Option { return func(a *app.Config) { a.Clock = c } }

// WithoutSweeper keeps the sweeper from doing what a test does itself.
func WithoutSweeper() Option { return func(a *app.Config) { a.SweepEvery = 24 * time.Hour } }

// database is the URL of a database of its own, or "" for the embedded one.
func database(t testing.TB, engine string) string {
	t.Helper()
	return databaseFrom(t, engine, pgtest.NewFrom)
}

func databaseFrom(
	t testing.TB, engine string, from func(tb testing.TB, name string, prepare func(url string) error) string,
) string {
	t.Helper()
	switch engine {
	case "", "sqlite":
		return ""
	case "postgres":
		return from(t, "railkit", func(url string) error {
			return app.Migrate(context.Background(), app.Config{
				Server: config.Server{DatabaseURL: url}, Log: slog.New(slog.DiscardHandler),
			})
		})
	}
	t.Fatalf("%s: there is no such engine", engine)
	return ""
}

// WithPostgres gives the server a PostgreSQL database, whatever the engine of the run.
func WithPostgres(t testing.TB) Option {
	t.Helper()
	url := database(t, "postgres") // before the application, so that its cleanup comes after
	return func(a *app.Config) { a.DatabaseURL = url }
}

// OnPostgres reports which engine the application has.
func (a *App) OnPostgres() bool { return a.config.DatabaseURL != "" }

// New starts an application of which the signer is a process of its own. It ends
// with the test.
func New(t testing.TB, options ...Option) *App {
	t.Helper()
	return start(t, (*App).startEnclave, options)
}

func start(t testing.TB, signer func(*App), options []Option) *App {
	t.Helper()
	a := &App{t: t, dir: t.TempDir(), Log: &testlog.Log{}, Keys: newKeys(t)}
	url := database(t, testenv.TestEngine(t)) // first, so that its cleanup comes last
	if url == "" {
		embedded(t, a.dir)
	}
	a.takeOrigin()
	signer(a)
	a.Prices(t, Market)
	node := devnetURL(t)
	a.Devnet = devnet.NewClient(node)
	a.config = app.Config{
		Server: config.Server{
			DataDir: a.dir, DatabaseURL: url, Environment: "sandbox", EnclaveSocket: a.EnclaveSock,
			EnclaveKey: a.EnclaveKey, RPID: "localhost", CeremonyOrigin: a.Origin, SandboxFile: a.writeKeys(),
			DevnetURL: node, RPCURLs: map[string]string{},
			FetchLocal:      strings.TrimPrefix(node, "http://"),
			DashboardOrigin: Dashboard, InviteOrigin: Here, SMTPURL: a.startMail(),
			MailFrom: "Railkit <railkit@example.com>",
		},
		Version: "test",
		Log:     slog.New(slog.NewJSONHandler(a.Log, nil)), SweepEvery: time.Second,
	}
	for _, slug := range []string{"base", "polygon"} {
		a.config.RPCURLs[slug] = a.Devnet.RPCURL(slug)
	}
	for _, o := range options {
		o(&a.config)
	}
	a.StartServer()
	t.Cleanup(a.StopServer)
	return a
}

func newKeys(t testing.TB) Keys {
	t.Helper()
	k := Keys{WorkspaceID: uuid.NewString()}
	for _, key := range []*string{&k.APIKey, &k.InternalKey, &k.AdminKey, &k.BenchKey} {
		text, err := auth.GenerateKey()
		if err != nil {
			t.Fatal(err)
		}
		*key = text
	}
	return k
}

func (a *App) writeKeys() string {
	raw, err := json.Marshal(a.Keys)
	if err != nil {
		a.t.Fatal(err)
	}
	path := filepath.Join(a.dir, "sandbox.json")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		a.t.Fatal(err)
	}
	return path
}

// Config is what the server was started with.
func (a *App) Config() Config { return a.config }

// Reconfigure changes what the next StartServer starts with.
func (a *App) Reconfigure(change Option) {
	a.t.Helper()
	a.refuseShared()
	change(&a.config)
}

// StartServer starts the server on the application's data.
func (a *App) StartServer() {
	a.t.Helper()
	ctx := context.Background()
	web := httptest.NewUnstartedServer(nil)
	c := a.config
	c.InviteOrigin = strings.Replace(c.InviteOrigin, Here, "http://"+web.Listener.Addr().String(), 1)
	server, err := app.New(ctx, c)
	if err != nil {
		a.t.Fatalf("starting the server: %v\n%s", err, a.Log)
	}
	if err := server.Start(ctx); err != nil {
		a.t.Fatalf("starting the jobs: %v", err)
	}
	web.Config.Handler = recordErrors(server.Handler)
	web.Start()
	page := a.servePage(server.Ceremony)
	a.App, a.server, a.BaseURL = server, web, web.URL
	a.meetPartner(a.config.PartnerURL, a.config.PartnerKey, a.config.PartnerControlKey)
	a.stop = sync.OnceFunc(func() {
		server.Events.Stop() // else a stream that is open keeps the server
		web.Close()
		page.Close()
		if err := server.Close(ctx); err != nil {
			a.t.Errorf("stopping the server: %v", err)
		}
	})
}

// Another is the application by a second server on the same data, without jobs until its Start. It ends with the test.
func (a *App) Another() *App {
	a.t.Helper()
	ctx := context.Background()
	other, err := app.New(ctx, a.config)
	if err != nil {
		a.t.Fatalf("starting another server: %v", err)
	}
	web := httptest.NewServer(other.Handler)
	a.t.Cleanup(func() {
		other.Events.Stop()
		web.Close()
		if err := other.Close(ctx); err != nil {
			a.t.Errorf("stopping another server: %v", err)
		}
	})
	twin := *a
	twin.App, twin.BaseURL = other, web.URL
	return &twin
}

// StopServer stops the server; StartServer starts it again on the same data.
func (a *App) StopServer() {
	a.t.Helper()
	a.refuseShared()
	a.stop()
}

func (a *App) startEnclave() {
	a.t.Helper()
	bin := program(a.t, "railkit-enclave")
	a.socketFolder()
	a.initEnclave(bin)
	var err error
	a.enclave, err = a.group.Start(context.Background(), supervise.Spec{
		Name: "enclave", Path: bin, Env: []string{harden.Environment}, Args: a.enclaveArgs,
	})
	if err != nil {
		a.t.Fatal(err)
	}
	a.EnclaveKey = a.enclave.Facts().Text("identityKey")
}

// socketFolder is short: a socket's path is cut at 108 bytes.
func (a *App) socketFolder() {
	a.t.Helper()
	a.group = supervise.New(a.Log)
	dir, err := os.MkdirTemp("", "rk")
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { a.group.Kill(); _ = os.RemoveAll(dir) })
	a.EnclaveSock = filepath.Join(dir, "s")
}

func (a *App) enclaveFiles() (dir, unsealFile string) {
	return filepath.Join(a.dir, "enclave"), filepath.Join(a.dir, "unseal.key")
}

// EnclaveFolder is where the enclave's data are, and the file that unseals them.
func (a *App) EnclaveFolder() (dir, unsealFile string) { return a.enclaveFiles() }

func (a *App) initEnclave(bin string) {
	a.t.Helper()
	dir, secret := a.enclaveFiles()
	out, err := exec.Command(bin, "init", "--data", dir, "--environment", "sandbox", "--rp-id",
		"localhost", "--origin", a.Origin,
		"--unseal-file", secret, "--new-unseal-file", "--new-price-key-file", a.priceKeyFile()).CombinedOutput()
	if err != nil {
		a.t.Fatalf("making the enclave: %v: %s", err, out)
	}
}

func (a *App) enclaveArgs(supervise.Facts) []string {
	dir, secret := a.enclaveFiles()
	return []string{"run", "--data", dir, "--unseal-file", secret, "--socket", a.EnclaveSock, "--accept-time"}
}

// Client is an SDK client with the benchmark key, proofs checked, drift refused.
func (a *App) Client() *railkit.Client { return a.ClientWith(a.Keys.BenchKey) }

// ClientWith is a client with another key.
func (a *App) ClientWith(key string) *railkit.Client {
	a.t.Helper()
	c, err := railkit.New(railkit.Config{
		BaseURL: a.BaseURL, APIKey: key, EnclaveKey: a.EnclaveKey, Environment: "sandbox", RPID: "localhost",
		StrictDecoding: true, Retry: railkit.Retry{Attempts: 1},
	})
	if err != nil {
		a.t.Fatal(err)
	}
	return c
}

// Owner is a registered passkey with a wallet and a funded address on base.
type Owner struct {
	Passkey passkey.Browser
	Sub     *railkit.Registration
	Wallet  *railkit.CreatedWallet
	Address *railkit.Address
}

// Register makes a sub-organization.
func (a *App) Register(c *railkit.Client, email string) Owner {
	a.t.Helper()
	o := Owner{Passkey: passkey.Browser{Authenticator: passkey.New(a.Origin)}}
	var err error
	o.Sub, err = c.SubOrganizations.Create(context.Background(),
		o.Passkey, railkit.RegisterParams{Email: email, Name: "Test"})
	if err != nil {
		a.t.Fatalf("registering: %v", err)
	}
	return o
}

// RegisterBody is the body of a registration by a new passkey.
func (a *App) RegisterBody(ch *railkit.PasskeyChallenge, email string) string {
	a.t.Helper()
	att, err := passkey.Browser{Authenticator: passkey.New(a.Origin)}.Create(ch.Options)
	if err != nil {
		a.t.Fatal(err)
	}
	return JSON(a.t, railkit.RegisterRequest{
		Email: email, Name: "Test", EncodedChallenge: ch.EncodedChallenge, Attestation: att,
	})
}

// Fund makes an owner with a wallet, an address, and money on it.
func (a *App) Fund(c *railkit.Client, email string) Owner {
	a.t.Helper()
	ctx := context.Background()
	o := a.Register(c, email)
	var err error
	if o.Wallet, err = c.Wallets.Create(ctx, o.Passkey, railkit.PrepareWalletRequest{
		WalletName: "Wallet of " + email, SubOrganizationID: o.Sub.SubOrganizationID,
	}); err != nil {
		a.t.Fatalf("making a wallet: %v", err)
	}
	if o.Address, err = c.Addresses.Create(ctx, o.Passkey, railkit.PrepareAccountRequest{
		WalletID: o.Wallet.WalletID, Chain: "base",
	}); err != nil {
		a.t.Fatalf("making an address: %v", err)
	}
	for asset, amount := range map[string]string{"native": "1", "USDC": "1000"} {
		if _, err := c.Sandbox.Faucet(ctx, railkit.FaucetRequest{
			Chain: "base", Address: o.Address.Address, Asset: asset, Amount: amount,
		}); err != nil {
			a.t.Fatalf("funding: %v", err)
		}
	}
	return o
}

// USDC is the token of base's sandbox.
func USDC() chain.Token {
	n, _ := chain.BySlug(chain.Sandbox, "base")
	t, _ := n.TokenBySymbol("USDC")
	return t
}

// Payment is a transfer of USDC on base.
func (o Owner) Payment(to, amount string) railkit.PrepareTransactionRequest {
	return railkit.PrepareTransactionRequest{
		Type: railkit.TransferToken, PayAgain: true, SignWith: o.Address.Address, ChainID: 84532, To: to,
		Amount: amount, TokenAddress: USDC().Address,
	}
}

// Eventually waits until check is true.
func Eventually(t testing.TB, what string, check func() bool) {
	t.Helper()
	testwait.Until(t, what, check)
}

// Within is Eventually with another bound.
func Within(t testing.TB, bound time.Duration, what string, check func() bool) {
	t.Helper()
	testwait.Within(t, bound, what, check)
}
