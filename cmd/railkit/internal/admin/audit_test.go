package admin

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/internal/test/pgtest"
	"github.com/railkit/railkit/job/queue"
	"github.com/railkit/railkit/kit/signing"
	cmd "github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/store"
)

// recordDatabase is a running server's database, and how the shell names it.
type recordDatabase struct {
	*store.Store
	flags   []string
	unguard string // what takes the guard against changes away
}

func records(t *testing.T) map[string]recordDatabase {
	t.Helper()
	folder, url := t.TempDir(), pgtest.New(t)
	jobs, err := queue.SQLite()
	if err != nil {
		t.Fatal(err)
	}
	file, err := store.OpenSQLite(t.Context(), filepath.Join(folder, "railkit.db"), jobs, clock.System{})
	if err != nil {
		t.Fatal(err)
	}
	if jobs, err = queue.Postgres(); err != nil {
		t.Fatal(err)
	}
	server, err := store.OpenPostgres(t.Context(), url, jobs, clock.System{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = file.Close(), server.Close() })
	return map[string]recordDatabase{
		"sqlite":   {file, []string{"--data", folder}, "DROP TRIGGER audit_keeps_rows"},
		"postgres": {server, []string{"--database-url", url}, "DROP TRIGGER audit_keeps_rows ON audit"},
	}
}

func (r recordDatabase) write(t *testing.T, workspace string, n int) {
	t.Helper()
	for range n {
		err := r.Signing().Work(t.Context(), workspace, func(context.Context, signing.Tx) (cmd.Audit, error) {
			return cmd.Audit{Action: "test.work"}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (r recordDatabase) exec(t *testing.T, statement string) {
	t.Helper()
	if _, err := r.Writer().ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// verify runs the command as a shell would.
func (r recordDatabase) verify(t *testing.T, more ...string) (code int, out, err string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = cli.Run(t.Context(), cli.Env{Out: &stdout, Err: &stderr},
		append(append([]string{"admin", "audit", "verify"}, r.flags...), more...), Commands())
	return code, stdout.String(), stderr.String()
}

func TestPlatform_AuditVerify(t *testing.T) {
	for name, r := range records(t) {
		t.Run(name, func(t *testing.T) {
			if code, out, err := r.verify(t); code != 0 ||
				out != "# 0 rows, 0 workspaces: nothing was changed, removed or moved\n" {
				t.Errorf("of an empty record: %d %s%s", code, out, err)
			}
			r.write(t, "ws-1", 3)
			r.write(t, "ws-2", 2)
			code, printed, err := r.verify(t)
			if code != 0 || err != "" || !strings.Contains(printed, "ws-1=3:") ||
				!strings.Contains(printed, "ws-2=2:") || !strings.Contains(printed, "# 5 rows, 2 w") {
				t.Fatalf("%d %s%s", code, printed, err)
			}
			kept := filepath.Join(t.TempDir(), "heads")
			if err := os.WriteFile(kept, []byte(printed), 0o600); err != nil {
				t.Fatal(err)
			}
			r.write(t, "ws-1", 2)
			if code, out, err := r.verify(t, "--heads", kept, "--workspace", "ws-1"); code != 0 ||
				strings.Contains(out, "ws-2") || !strings.Contains(out, "ws-1=5:") {
				t.Errorf("%d %s%s", code, out, err)
			}
			r.tampered(t, kept)
		})
	}
}

func (r recordDatabase) tampered(t *testing.T, kept string) {
	t.Helper()
	r.exec(t, r.unguard)
	r.exec(t, "UPDATE audit SET resource = 'forged' WHERE workspace_id = 'ws-1' AND seq = 2")
	code, out, err := r.verify(t)
	if code != 1 || !strings.Contains(err, "ws-1, seq 2: the row is not what was hashed") ||
		!strings.Contains(err, "1 of 2 workspaces") {
		t.Errorf("a changed row: %d %s", code, err)
	}
	if strings.Contains(out, "ws-1=") || !strings.Contains(out, "ws-2=2:") {
		t.Errorf("heads of %s", out)
	}
	r.exec(t, "UPDATE audit SET workspace_id = 'ws-3'")
	if code, _, err := r.verify(t, "--heads", kept, "--workspace", "ws-2"); code != 1 ||
		!strings.Contains(err, "ws-2, seq 2: the row was the head once") {
		t.Errorf("removed: %d %s", code, err)
	}
}

func TestAuditVerifyUsage(t *testing.T) {
	r := records(t)["sqlite"]
	wrong := filepath.Join(t.TempDir(), "heads")
	if err := os.WriteFile(wrong, []byte("# fine\n\nws-1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--head", "ws-1=x"}, 2, "WORKSPACE=SEQ:HASH"},
		{[]string{"--heads", wrong}, 1, "line 3"},
		{[]string{"--heads", wrong + "-not-there"}, 1, "reading the heads"},
		{[]string{"--workspace", "nobody"}, 1, "nothing of it"},
		{[]string{"--data", t.TempDir()}, 1, "no database"},
		{[]string{"more"}, 2, "flags only"},
	} {
		if code, _, err := r.verify(t, c.args...); code != c.code || !strings.Contains(err, c.want) {
			t.Errorf("%v: %d %s", c.args, code, err)
		}
	}
}
