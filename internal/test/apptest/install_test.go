package apptest_test

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/freeport"
	"github.com/railkit/railkit/internal/test/pgtest"
	"github.com/railkit/railkit/internal/test/testlog"
)

// sudo runs a command as one of the page's users, which this machine does not have.
// The signer's user is in the server's group.
const sudo = `#!/bin/sh
case $2 in railkit-signer) id=65533;; railkit-prices) id=65532;; *) id=65534;; esac
shift 2
exec setpriv --reuid=$id --regid=$id --groups=65534 "$@"
`

// installation is the page, on this machine: other folders, ports and database.
type installation struct {
	t     *testing.T
	dir   string
	page  string
	paths *strings.Replacer
}

func newInstall(t *testing.T) *installation {
	t.Helper()
	i := &installation{t: t, dir: openFolder(t)}
	i.must(os.Mkdir(i.at("bin"), 0o755))
	programs := []string{"railkit", "railkit-enclave", "railkit-prices", "railkit-devnet", "railkit-partner",
		"railkit-facilitator"}
	install(t, i.at("bin"), programs...)
	i.must(os.WriteFile(i.at("bin/sudo"), []byte(sudo), 0o755))
	for folder, uid := range map[string]int{
		"etc/railkit":        nobody,
		"lib/railkit-signer": signerUser,
		"lib/railkit-prices": 65532,
		"run/railkit-signer": signerUser,
	} {
		i.must(os.MkdirAll(i.at(folder), 0o755))
		i.must(os.Chown(i.at(folder), uid, uid))
	}
	raw, err := os.ReadFile("../../../docs/operations.md")
	i.must(err)
	_, page, _ := strings.Cut(string(raw), "\n## Install\n")
	i.page, _, _ = strings.Cut(page, "\n## ")
	i.paths = i.replacer(pgtest.New(t))
	return i
}

func (i *installation) at(path string) string { return filepath.Join(i.dir, path) }

func (i *installation) must(err error) {
	i.t.Helper()
	if err != nil {
		i.t.Fatal(err)
	}
}

func (i *installation) replacer(database string) *strings.Replacer {
	i.t.Cleanup(func() {
		for _, statement := range []string{
			"DROP OWNED BY railkit_owner CASCADE", "DROP OWNED BY railkit_server", "DROP ROLE railkit_owner",
			"DROP ROLE railkit_server",
		} {
			i.psql(database, statement)
		}
	})
	server, err := url.Parse(database)
	i.must(err)
	i.must(os.Chmod(server.Query().Get("host"), 0o711)) // of this test's own cluster: the page's users enter it
	as := func(role string) string {
		u, err := url.Parse(database)
		i.must(err)
		u.User = url.User(role)
		u.RawQuery = url.Values{"host": {u.Query().Get("host")}}.Encode()
		return u.String()
	}
	return strings.NewReplacer(
		"postgres://railkit_owner@/railkit?host=/run/postgresql", as("railkit_owner"),
		"postgres://railkit_server@/railkit?host=/run/postgresql", as("railkit_server"),
		"sudo -u postgres createdb railkit\n", "",
		"sudo -u postgres psql -q -v ON_ERROR_STOP=1 railkit", "psql -q -v ON_ERROR_STOP=1 '"+database+"'",
		"sudo -u postgres pg_dump -Fc railkit", "pg_dump -Fc '"+database+"'", "/var/backups/", i.at("backups")+"/",
		"/etc/", i.at("etc")+"/", "/var/lib/", i.at("lib")+"/", "/run/", i.at("run")+
			"/", "/usr/local/bin/", i.at("bin")+"/",
		"chown railkit:railkit", "chown 65534:65534", `$(id -u railkit)`, "65534",
		`$(getent group railkit | cut -d: -f3)`, "65534",
		"127.0.0.1:8080", freeport.Addr(), "127.0.0.1:8090", freeport.Addr(),
		// That page is nowhere.
		"RAILKIT_CEREMONY_ORIGIN=https://stamp.example.com\nRAILKIT_CEREMONY_ADDR=127.0.0.1:8081\n", "",
	)
}

func (i *installation) psql(database, statement string) {
	i.t.Helper()
	if out, err := exec.Command("psql", "-q", "-c", statement, database).CombinedOutput(); err != nil {
		i.t.Errorf("%v: %s", err, out)
	}
}

// blocks are the page's blocks of a language, as they are on this machine.
func (i *installation) blocks(language string) (all []string) {
	i.t.Helper()
	for _, block := range strings.Split(i.page, "```"+language+"\n")[1:] {
		lines, _, _ := strings.Cut(block, "```")
		all = append(all, i.paths.Replace(lines))
	}
	return all
}

func (i *installation) command(script string) *exec.Cmd {
	cmd := exec.Command("sh", "-euc", script)
	cmd.Dir = i.dir
	cmd.Env = append(os.Environ(), "PATH="+i.at("bin")+":"+os.Getenv("PATH"), "GOTRACEBACK=none",
		"CREDENTIALS_DIRECTORY="+i.at("run"))
	return cmd
}

// paste runs a block, and wants to see what the page says that it prints.
func (i *installation) paste(script string) {
	i.t.Helper()
	out, err := i.command(script).CombinedOutput()
	if err != nil {
		i.t.Fatalf("%v: %s\nof\n%s", err, out, script)
	}
	for _, line := range strings.Split(script, "\n") {
		if want, says := strings.CutPrefix(line, "# > "); says && !strings.Contains(string(out), want) {
			i.t.Errorf("it does not print %q:\n%s", want, out)
		}
	}
}

// unit starts what a unit says, as its user.
func (i *installation) unit(text string) *exec.Cmd {
	i.t.Helper()
	user, line := regexp.MustCompile(`(?m)^User=(.*)$`).FindStringSubmatch(text),
		regexp.MustCompile(`(?m)^ExecStart=(.*)$`).FindStringSubmatch(text)
	if user == nil || line == nil {
		i.t.Fatalf("a unit without User or ExecStart: %s", text)
	}
	script := "exec sudo -u " + user[1] + " " + line[1]
	if strings.Contains(text, "EnvironmentFile=") {
		script = "set -a; . " + i.at("etc/railkit/server.env") + "; " + script
	}
	cmd := i.command(script)
	log, err := os.Create(i.at(user[1] + ".log"))
	i.must(err)
	cmd.Stdout, cmd.Stderr = log, log
	i.must(cmd.Start())
	i.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if said, err := os.ReadFile(log.Name()); err == nil && i.t.Failed() {
			i.t.Logf("%s: %s", user[1], said)
		}
	})
	return cmd
}

// TestPlatform_InstallPage walks the install page of docs/operations.md in a clean
// folder, with real programs, users and a PostgreSQL of its own. What is left out
// is what changes the machine: useradd, systemctl, nginx.
func TestPlatform_InstallPage(t *testing.T) {
	i := newInstall(t)
	steps := i.blocks("sh")
	if len(steps) != 6 {
		t.Fatalf("the page has %d blocks of sh", len(steps))
	}
	for _, step := range steps[:3] {
		i.paste(step)
	}
	i.must(os.WriteFile(i.at("lib/railkit-prices/feed.json"), []byte(i.blocks("json")[0]), 0o644))
	secret, err := os.ReadFile(i.at("etc/railkit-signer/unseal.key"))
	i.must(err)
	i.must(os.WriteFile(i.at("run/unseal"), secret, 0o600)) // as systemd's LoadCredential does
	i.must(os.Chown(i.at("run/unseal"), signerUser, signerUser))
	units := i.blocks("ini")
	signer := i.unit(units[0])
	for _, unit := range units[1:] {
		i.unit(unit)
	}
	ready := i.paths.Replace("curl -sf http://127.0.0.1:8080/readyz")
	apptest.Eventually(t, "a server that is ready", func() bool { return i.command(ready).Run() == nil })
	doctor := strings.Split(steps[3], "\n")[0]
	apptest.Eventually(t, "an installation that doctor has nothing against", func() bool {
		return i.command(doctor).Run() == nil
	})
	i.paste(steps[3])
	i.laterTables()
	i.paste(steps[4])
	i.restored(units[0])
	i.must(signer.Process.Signal(os.Interrupt)) // as systemctl stop does
	_ = signer.Wait()
	i.paste(steps[5])
	i.unit(units[0])
	apptest.Eventually(t, "a signer that doctor calls amended", func() bool {
		out, err := i.command(doctor).CombinedOutput()
		return err == nil && strings.Contains(string(out), ": add token USDX on base 0x1111")
	})
}

// restored starts a signer on the copy that was made while the first one ran.
func (i *installation) restored(unit string) {
	i.t.Helper()
	line := regexp.MustCompile(`(?m)^ExecStart=(.*)'$`).FindStringSubmatch(unit)
	if line == nil {
		i.t.Fatalf("a unit without ExecStart: %s", unit)
	}
	i.must(os.Chown(i.at("backups/signer"), signerUser, signerUser))
	script := strings.NewReplacer(i.at("lib/railkit-signer/data"), i.at("backups/signer"), i.at("run/railkit-signer/s"),
		i.at("backups/signer/run/s")).Replace(line[1])
	cmd := i.command("exec sudo -u railkit-signer " + script + " --accept-nonces'")
	log := &testlog.Log{}
	cmd.Stdout, cmd.Stderr = log, log
	i.must(cmd.Start())
	i.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	apptest.Eventually(i.t, "a signer on the copy, which says what it is", func() bool {
		return strings.Contains(log.String(), "started with --accept-nonces, as an older copy of itself") &&
			strings.Contains(log.String(), `"msg":"started"`)
	})
}

// laterTables are the server's to work with, without another grant, and the audit
// record stays closed.
func (i *installation) laterTables() {
	i.t.Helper()
	owner, server := i.paths.Replace("postgres://railkit_owner@/railkit?host=/run/postgresql"),
		i.paths.Replace("postgres://railkit_server@/railkit?host=/run/postgresql")
	i.psql(owner, "CREATE TABLE later (id BIGSERIAL PRIMARY KEY, n BIGINT)")
	i.psql(server, "INSERT INTO later (n) VALUES (1); UPDATE later SET n = 2; DELETE FROM later")
	for _, statement := range []string{
		"UPDATE audit SET action = ''", "DELETE FROM audit", "DELETE FROM audit_heads",
		"UPDATE goose_db_version SET version_id = 99", "CREATE TABLE mine ()",
	} {
		out, err := exec.Command("psql", "-q", "-c", statement, server).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "permission denied") {
			i.t.Errorf("%s: %v: %s", statement, err, out)
		}
	}
}

// The page names every asset that a price is needed of, and each network's
// confirmations, as the program has them.
func TestPlatform_InstallPageNamesTheNetworks(t *testing.T) {
	raw, err := os.ReadFile("../../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, feed, _ := strings.Cut(string(raw), "```json\n")
	feed, _, _ = strings.Cut(feed, "```")
	for _, n := range chain.Networks(chain.Production) {
		if row := fmt.Sprintf("| `%s` | %d |", n.Slug, n.Confirmations); n.Kind == chain.EVM &&
			!strings.Contains(string(raw), row) {
			t.Errorf("no row %s", row)
		}
		if n.Kind != chain.EVM {
			continue
		}
		for _, asset := range append([]chain.Token{{Symbol: n.Native.Symbol}}, n.Tokens...) {
			// A wrapped coin has the price of the coin.
			if priced := cmp.Or(asset.Wraps, asset.Symbol); !strings.Contains(feed, `"`+priced+`"`) {
				t.Errorf("the feed lacks %s", priced)
			}
		}
	}
}
