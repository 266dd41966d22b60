package apptest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/railkit/railkit/chain/devnet"
	"github.com/railkit/railkit/crash"
	"github.com/railkit/railkit/enclave/harden"
	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/internal/supervise"
	"github.com/railkit/railkit/internal/test/freeport"
	"github.com/railkit/railkit/internal/test/pgtest"
	"github.com/railkit/railkit/internal/test/rsatest"
	"github.com/railkit/railkit/internal/test/testbin"
	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/internal/test/testlog"
	"github.com/railkit/railkit/store"
)

// Processes is an application of which every part is a process of its own: the
// server, the enclave and the chain. Each is started again as soon as it dies.
type Processes struct {
	*App      // without a server in this process: App.App is nil
	DevnetURL string
	t         testing.TB
	part      map[string]*supervise.Child
	bin       func(name string) (string, error)
	url       string   // of the database
	env       []string // of the server
}

// The parts of Processes.
const (
	Server  = "server"
	Enclave = "enclave"
	Chain   = "devnet"
	Partner = "partner"
	// Facilitator is there once StartFacilitator has started it.
	Facilitator = "facilitator"
)

// NewProcesses starts one on an engine, of programs that have crash points. The server has what is named of the
// environment as well.
func NewProcesses(t testing.TB, engine string, env ...string) *Processes {
	t.Helper()
	return processes(t, database(t, engine), testbin.Crashing, env)
}

// NewOrdinaryProcesses starts one on the test run's engine, of the programs as they are.
func NewOrdinaryProcesses(t testing.TB) *Processes {
	t.Helper()
	return processes(t, database(t, testenv.TestEngine(t)), testbin.Path, nil)
}

// NewFragileProcesses is NewOrdinaryProcesses for a test that crashes the database: no other test has one on its
// server.
func NewFragileProcesses(t testing.TB) *Processes {
	t.Helper()
	return processes(t, databaseFrom(t, testenv.TestEngine(t), pgtest.Fragile), testbin.Path, nil)
}

func processes(t testing.TB, url string, bin func(string) (string, error), env []string) *Processes {
	t.Helper()
	a := &App{t: t, dir: t.TempDir(), Log: &testlog.Log{}, Keys: newKeys(t)}
	p := &Processes{App: a, t: t, part: map[string]*supervise.Child{}, bin: bin, url: url, env: env}
	a.edit = p.edit
	a.takeOrigin()
	if err := a.page.Close(); err != nil { // the server's process takes the port
		t.Fatal(err)
	}
	a.socketFolder()
	a.initEnclave(p.program("railkit-enclave"))
	node := "http://" + p.start(p.chainSpec()).Text("addr")
	a.Devnet, p.DevnetURL = devnet.NewClient(node), node
	if err := a.Devnet.Open(t.Context(), "base"); err != nil {
		t.Fatal(err)
	}
	a.EnclaveKey = p.start(p.enclaveSpec()).Text("identityKey")
	a.enclave = p.part[Enclave]
	a.Prices(t, Market)
	folder := rsatest.PartnerFolder(t, p.PartnerFolder())
	partner := "http://" + p.start(partnerSpec(p.program("railkit-partner"), folder, node)).Text("addr")
	a.BaseURL = "http://" + p.start(p.serverSpec(node, partner)).Text("addr")
	a.meetPartner(partner, readKey(t, p.PartnerFolder(), control.APIKeyFile),
		readKey(t, p.PartnerFolder(), control.KeyFile))
	return p
}

func (p *Processes) program(name string) string {
	path, err := p.bin(name)
	if err != nil {
		p.t.Fatal(err)
	}
	return path
}

func (p *Processes) start(s supervise.Spec) supervise.Facts {
	p.t.Helper()
	control := p.control(s.Name)
	if err := os.WriteFile(control, nil, 0o600); err != nil {
		p.t.Fatal(err)
	}
	s.Env, s.AtOnce = append(s.Env, crash.Env+"="+control), true
	child, err := p.group.Start(context.Background(), s)
	if err != nil {
		p.t.Fatalf("%v\n%s", err, p.Log)
	}
	p.part[s.Name] = child
	return child.Facts()
}

func (p *Processes) chainSpec() supervise.Spec {
	return supervise.Spec{Name: Chain, Path: p.program("railkit-devnet"), Args: func(first supervise.Facts) []string {
		return []string{"--data", filepath.Join(p.dir, "devnet"), "--addr", addrOf(first), "--lead", "1h"}
	}}
}

func (p *Processes) enclaveSpec() supervise.Spec {
	return supervise.Spec{
		Name: Enclave, Path: p.program("railkit-enclave"), Env: []string{harden.Environment}, Args: p.enclaveArgs,
	}
}

// PartnerFolder is where the sandbox's partner has its file and keys.
func (p *Processes) PartnerFolder() string { return filepath.Join(p.dir, "partner") }

func (p *Processes) serverSpec(node, partner string) supervise.Spec {
	keys, mail := p.writeKeys(), p.startMail()
	return supervise.Spec{
		Name: Server, Path: p.program("railkit"), Env: append([]string{
			"RAILKIT_DATABASE_URL=" + p.url, "RAILKIT_SMTP_URL=" + mail,
			"RAILKIT_FETCH_LOCAL=" + strings.TrimPrefix(node, "http://"),
			"RAILKIT_PARTNER_KEY=" + readKey(p.t, p.PartnerFolder(), control.APIKeyFile),
			"RAILKIT_PARTNER_CONTROL_KEY=" + readKey(p.t, p.PartnerFolder(), control.KeyFile),
		}, p.env...),
		Args: func(first supervise.Facts) []string {
			return []string{
				"serve", "--addr", addrOf(first), "--data", p.dir, "--environment", "sandbox", "--sandbox-file", keys,
				"--enclave-socket", p.EnclaveSock, "--enclave-key", p.EnclaveKey, "--rp-id", "localhost",
				"--ceremony-origin", p.Origin, "--ceremony-addr",
				strings.Replace(strings.TrimPrefix(p.Origin, "http://"), "localhost", "127.0.0.1", 1), "--partner-url",
				partner, "--partner-webhook-key-file", filepath.Join(p.PartnerFolder(), control.PublicKeyFile),
				"--devnet-url", node, "--dashboard-origin", Dashboard, "--mail-from", "railkit@example.com",
				"--watch-every", "250ms", "--rpc", "base=" + node + "/base",
				"--rpc", "solana=" + node + "/solana",
			}
		},
	}
}

// StartFacilitator starts a facilitator that settles by an account of the application, and says where it is.
func (p *Processes) StartFacilitator(flags ...string) (url string) {
	p.t.Helper()
	return "http://" + p.start(supervise.Spec{
		Name: Facilitator, Path: p.program("railkit-facilitator"), Args: func(first supervise.Facts) []string {
			return append([]string{
				"run", "--environment", "sandbox", "--addr", addrOf(first), "--railkit-url", p.BaseURL,
				"--enclave-key", p.EnclaveKey,
			}, flags...)
		},
	}).Text("addr")
}

// addrOf is the address of the first start: a port once chosen stays. While its process is dead nobody else gets it.
func addrOf(first supervise.Facts) string {
	if addr := first.Text("addr"); addr != "" {
		return addr
	}
	return freeport.Addr()
}

// PID is the process that a part is at the moment.
func (p *Processes) PID(part string) int { return p.part[part].PID() }

// Kill ends a part with SIGKILL.
func (p *Processes) Kill(part string) {
	p.t.Helper()
	p.Signal(part, syscall.SIGKILL)
}

// CrashDatabase ends all connections of the database as a crash does, after which PostgreSQL recovers; the embedded
// database dies with the server.
func (p *Processes) CrashDatabase() {
	p.t.Helper()
	if p.url != "" {
		pgtest.Crash(p.t, p.url)
	}
}

// Signal tells a part something.
func (p *Processes) Signal(part string, what syscall.Signal) {
	p.t.Helper()
	if err := syscall.Kill(p.PID(part), what); err != nil && !errors.Is(err, syscall.ESRCH) { // down already
		p.t.Fatal(err)
	}
}

func (p *Processes) control(part string) string { return filepath.Join(p.dir, "crash-"+part) }

// Arm makes a part die the next time it reaches the point.
func (p *Processes) Arm(part, point string) {
	p.t.Helper()
	p.ArmAt(part, point, 1)
}

// ArmAt makes a part die when it reaches the point for the nth time.
func (p *Processes) ArmAt(part, point string, n int) {
	p.t.Helper()
	text := fmt.Sprint(point, " ", n)
	f, err := os.OpenFile(p.control(part), os.O_WRONLY, 0) // the same file, which the process has open
	if err == nil {
		_, err = f.WriteString(text + strings.Repeat(" ", 128-len(text)))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// Died reports whether the part has died where it was armed.
func (p *Processes) Died(part, point string) bool {
	text, err := os.ReadFile(p.control(part))
	return err == nil && strings.TrimSpace(string(text)) == "died "+point
}

// edit opens the database beside the server for one statement.
func (p *Processes) edit(query string, args ...any) error {
	driver, where := "sqlite", "file:"+filepath.Join(p.dir, "railkit.db")+"?_pragma=busy_timeout(30000)"
	if p.url != "" {
		driver, where = "pgx", p.url
	}
	db, err := sql.Open(driver, where)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.ExecContext(p.t.Context(), query, args...)
	return err
}

// Record opens the database for reading the audit record, beside the server.
func (p *Processes) Record() *store.Store {
	p.t.Helper()
	read, where := store.ReadSQLite, filepath.Join(p.dir, "railkit.db")
	if p.url != "" {
		read, where = store.ReadPostgres, p.url
	}
	s, err := read(context.Background(), where)
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

// OpenStore opens the database beside the server, as an operator's command does, until the test ends.
func (p *Processes) OpenStore() {
	p.t.Helper()
	s, err := app.OpenStore(context.Background(), app.Config{
		Server: config.Server{DataDir: p.dir, DatabaseURL: p.url}, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		p.t.Fatal(err)
	}
	p.App.App = &app.App{Store: s} // the rest of it is the program's
	p.t.Cleanup(func() {
		if err := s.Close(); err != nil {
			p.t.Error(err)
		}
	})
}

// Reconciling is the environment of an operator's command that compares all books.
func (p *Processes) Reconciling() []string {
	p.t.Helper()
	return []string{
		"RAILKIT_DATA=" + p.dir, "RAILKIT_DATABASE_URL=" + p.url, "RAILKIT_ENVIRONMENT=sandbox",
		"RAILKIT_PARTNER_URL=" + p.PartnerURL,
		"RAILKIT_PARTNER_KEY=" + readKey(p.t, p.PartnerFolder(), control.APIKeyFile),
		"RAILKIT_RPC=base=" + p.Devnet.RPCURL("base") + " solana=" + p.Devnet.RPCURL("solana"),
	}
}

// StopAll ends every part for good, and leaves the data.
func (p *Processes) StopAll() { p.group.Kill() }
