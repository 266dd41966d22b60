package admin

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
)

// shell runs railkit admin on the database of a running server.
type shell struct {
	t        *testing.T
	settings []string
}

func (s shell) run(args ...string) (code int, out, err string) {
	s.t.Helper()
	var o, e bytes.Buffer
	code = cli.Run(s.t.Context(), cli.Env{Out: &o, Err: &e},
		slices.Concat([]string{"admin"}, args, s.settings), Commands())
	return code, o.String(), e.String()
}

// must is run that succeeds, without the newline at its end.
func (s shell) must(args ...string) (out, err string) {
	s.t.Helper()
	code, out, err := s.run(args...)
	if code != 0 {
		s.t.Fatalf("railkit admin %s: %d %s", args, code, err)
	}
	return strings.TrimSuffix(out, "\n"), err
}

func beside(t *testing.T, a *apptest.App) shell {
	c := a.Config()
	settings := []string{"--environment", "sandbox", "--data", c.DataDir}
	if c.DatabaseURL != "" {
		settings = append(settings, "--database-url", c.DatabaseURL)
	}
	return shell{t, settings}
}

// The shell makes the first workspace and key, and what it does counts at the
// running server from the next call on.
func TestPlatform_AdminBesideAServer(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			var options []apptest.Option
			if engine == "postgres" {
				options = append(options, apptest.WithPostgres(t))
			}
			a := apptest.New(t, options...)
			s := beside(t, a)
			if code, _, said := s.run("workspace", "create", "--name", "Shop\x1b[31m"); code == 0 ||
				!strings.Contains(said, "--name: must have only characters that can be seen") {
				t.Errorf("a name with a terminal's colour: %d %q", code, said)
			}
			id, said := s.must("workspace", "create", "--name", "Shop", "--email",
				"ops@shop.example", "--modules", "agents")
			if !strings.Contains(said, "signing,agents") || strings.ContainsAny(id, " \n") {
				t.Errorf("%q %q", id, said)
			}
			key, said := s.must("key", "create", "--workspace", id, "--name", "root", "--scopes", "admin, audit:read",
				"--limit-standard", "500", "--ip-allowlist", "127.0.0.0/8,::1")
			if !auth.WellFormed(key) || strings.Contains(said, key) {
				t.Fatalf("the key is not alone on stdout: %q", said)
			}
			if got := a.Do(key, "GET", "/v1/integrators/"+id, ""); got.Status != 200 ||
				!strings.Contains(got.Body, "ops@shop.example") {
				t.Errorf("%d %s", got.Status, got.Body)
			}
			s.must("workspace", "modules", "--workspace", id, "--modules", "none")
			if got := a.Do(key, "GET",
				"/v1/signing/wallets?integratorId="+id, ""); got.Field("error") != "module_inactive" {
				t.Errorf("%d %s", got.Status, got.Body)
			}
			if out, _ := s.must("workspace", "kyb", "--workspace", id, "--status",
				"approved", "--reason", "papers"); !strings.Contains(out, "approved") {
				t.Error(out)
			}
			elsewhere := shell{t, append(slices.Clone(s.settings), "--environment", "production")}
			if _, said := elsewhere.must(
				"workspace", "list",
			); !strings.Contains(said, "no workspace of the production environment") {
				t.Errorf("an empty list: %q", said)
			}
			list, _ := s.must("workspace", "list")
			shown, _ := s.must("workspace", "show", "--workspace", id)
			if !strings.Contains(list, id) || !strings.Contains(list, "Sandbox") || strings.Contains(list, "\x1b") ||
				!strings.Contains(shown, id) {
				t.Errorf("%s\n%s", list, shown)
			}
			pasted := 0
			for _, line := range shownLines(t) {
				line[1] = id
				out, _ := s.must(line...)
				if !strings.Contains(out, id) || !strings.Contains(out, "workspace.updated") ||
					!strings.Contains(out, "kyb") {
					t.Errorf("docs/operations.md: %v: %s", line, out)
				}
				pasted++
			}
			if pasted != 2 {
				t.Errorf("%d lines of docs/operations.md show something", pasted)
			}
			keys, _ := s.must("key", "list", "--workspace", id)
			if !strings.Contains(keys, "admin,audit:read  127.0.0.0/8,::1  active") || strings.Contains(keys, key) {
				t.Error(keys)
			}
			s.must("key", "revoke", "--workspace", id, "--key", strings.Fields(strings.Split(keys, "\n")[1])[0])
			if got := a.Do(key, "GET", "/v1/integrators/"+id, ""); got.Status != 404 {
				t.Errorf("%d %s", got.Status, got.Body)
			}
			if got := operatorEntries(t, a, id); got != 5 {
				t.Errorf("%d entries of the operator", got)
			}
		})
	}
}

func operatorEntries(t *testing.T, a *apptest.App, id string) (n int) {
	t.Helper()
	err := a.Store.Writer().QueryRowContext(t.Context(),
		"SELECT COUNT(*) FROM audit WHERE workspace_id = $1 AND actor = 'operator' AND actor_id <> '' AND operation "+
			"LIKE 'admin %'", id).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Each is one line that names the flag, and prints nothing else.
func TestPlatform_AdminRefuses(t *testing.T) {
	a := apptest.New(t)
	s, own := beside(t, a), a.Keys.WorkspaceID
	none := shell{t, []string{"--data", t.TempDir(), "--database-url", ""}}
	live := shell{t, append(slices.Clone(s.settings), "--environment", "production")}
	for _, c := range []struct {
		shell
		args string
		code int
		want string
	}{
		{s, "", 2, "no such command"},
		{s, "key", 2, "no such command"},
		{shell{t: t}, "nothing -h", 2, "no such command"},
		{s, "workspace create", 2, "--name: is required"},
		{s, "workspace create --name n --email secret", 2, "--email: must be an e-mail address"},
		{s, "workspace create --name n --modules secret", 2, "--modules: must be one of signing"},
		{s, "workspace create secret", 2, "it takes flags only"},
		{s, "workspace kyb --workspace " + own + " --status secret", 2,
			"--status: must be one of pending, approved, rejected"},
		{s, "workspace kyb --workspace secret --status approved", 1,
			"--workspace: there is none with this id in this --environment"},
		{live, "workspace show --workspace " + own, 1, "--workspace: there is none"},
		{s, "workspace modules --workspace " + own, 2, "--modules: is required"},
		{s, "key create --workspace " + own, 2, "--name: is required"},
		{s, "key create --name k", 1, "--workspace: there is none"},
		{s, "key create --name k --workspace " + own + " --scopes manage", 2, "--scopes: is not a scope of API keys"},
		{s, "key create --name k --workspace " + own + " --ip-allowlist 10.0.0.1/8", 2,
			"--ip-allowlist: must be a network"},
		{s, "key create --name k --workspace " + own + " --expires-at secret", 2, "--expires-at: must be an ISO 8601"},
		{s, "key create --name k --workspace " + own + " --limit-standard 5", 2,
			"--limit-standard: must be from 100 to 1000000"},
		{s, "key revoke --workspace " + own + " --key secret", 1, "--key: the workspace has none with this id"},
		{none, "workspace list", 1, "there is no database in the folder that --data names: railkit migrate makes one"},
		{shell{t, []string{"--environment", "mars"}}, "workspace list", 2,
			"--environment (RAILKIT_ENVIRONMENT): must be sandbox or production"},
	} {
		code, out, err := c.run(strings.Fields(c.args)...)
		if code != c.code || out != "" || !strings.HasPrefix(err, "railkit admin") ||
			!strings.Contains(err, ": "+c.want) || strings.Count(err, "\n") != 1 || strings.Contains(err, "secret") {
			t.Errorf("%s: %d %q %q", c.args, code, out, err)
		}
	}
	code, out, _ := shell{t: t}.run("-h")
	if code != 0 || strings.Count(out, "  railkit admin ") != len(Commands())-1 {
		t.Errorf("%d %s", code, out)
	}
	code, out, said := shell{t: t}.run("key")
	if code != 2 || out != "" || strings.Count(said, "  railkit admin key ") != 3 ||
		!strings.Contains(said, "  railkit admin key revoke --workspace ID --key ID\n") {
		t.Errorf("a group alone says what to type: %d %q %s", code, out, said)
	}
	if code, _, said := (shell{t: t}.run("key", "make")); code != 2 || strings.Count(said, "\n") != 1 {
		t.Errorf("what is no command: %d %s", code, said)
	}
}

// What is shown of each command can be typed: its flags are those that the command has.
func TestPlatform_AdminExamples(t *testing.T) {
	quoted := regexp.MustCompile(`"[^"]*"|[^ ]+`)
	for _, c := range Commands() {
		example, is := examples[c.Name]
		if c.Name == "admin" {
			continue
		}
		args := append(strings.Fields(c.Name)[1:], quoted.FindAllString(example, -1)...)
		code, out, said := shell{t: t}.run(append(args, "-h")...)
		if !is || code != 0 || !strings.Contains(out, "usage of railkit "+c.Name+":") {
			t.Errorf("%s %s: %d %s", c.Name, example, code, said)
		}
	}
}

// In the folder of a railkit dev that runs no setting has to be named; each command knows the environment's flag.
func TestPlatform_AdminOfDev(t *testing.T) {
	a := apptest.New(t)
	folder, work := a.Config().DataDir, t.TempDir()
	if err := os.Symlink(folder, filepath.Join(work, "railkit-data")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(work)
	for _, args := range []string{"workspace list", "audit verify"} {
		if code, _, said := (shell{t: t}.run(strings.Fields(args)...)); code == 0 {
			t.Errorf("%s where no railkit dev runs: %d %s", args, code, said)
		}
	}
	if code, _, said := (shell{t: t}.run("audit", "verify", "--environment", "sandbox")); code != 0 {
		t.Errorf("with the environment: %d %s", code, said)
	}
	if err := os.WriteFile(filepath.Join(folder, "dev.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"workspace list", "audit verify", "order list", "reconcile"} {
		if code, _, said := (shell{t: t}.run(strings.Fields(args)...)); code != 0 {
			t.Errorf("%s in the folder of railkit dev: %d %s", args, code, said)
		}
	}
}
