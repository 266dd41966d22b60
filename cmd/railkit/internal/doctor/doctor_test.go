package doctor

import (
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/internal/test/pgtest"
	"github.com/railkit/railkit/store"
	"github.com/railkit/railkit/store/postgres"
	"github.com/railkit/railkit/store/sqlite"
	"github.com/railkit/railkit/web/ceremony"
)

// wantFindings looks for each of want, "verdict what text", at the start of one
// finding, and for nothing else than what is fine or a note beside them.
func wantFindings(t *testing.T, about string, got []finding, want ...string) {
	t.Helper()
	for _, f := range got {
		line := f.verdict + " " + f.what + " " + f.detail
		matched := false
		for i, w := range want {
			if strings.HasPrefix(line, w) {
				matched, want = true, append(want[:i:i], want[i+1:]...)
				break
			}
		}
		if !matched && f.verdict != fine && f.verdict != note {
			t.Errorf("%s: %s", about, line)
		}
	}
	for _, w := range want {
		t.Errorf("%s: no %q in %v", about, w, got)
	}
}

// told is a target of given settings.
func told(c config.Server) target {
	return target{Loaded: config.Loaded{Server: c}, version: testVersion}
}

const testVersion = "v1"

func TestPlatform_DoctorOnPostgres(t *testing.T) {
	good := server{
		version: 170002, encoding: "UTF8", collation: "C.UTF-8", isolation: "read committed", zone: "UTC",
		fsync: "on", commit: "on", pages: "on",
	}
	all := func(s server) []finding {
		return append([]finding{
			s.checkVersion(), s.checkSettings(), s.checkDurable(), s.checkRole("production"),
		}, append(s.checkWrites(), s.checkText()...)...)
	}
	wantFindings(t, "a good server", all(good), "ok database", "ok settings", "ok durability", "ok role")
	for want, change := range map[string]func(*server){
		"fail database PostgreSQL 13.9 answers: it is too old, use 14": func(s *server) {
			s.version = 130009
		},
		"fail database it is a standby": func(s *server) {
			s.standby = true
		},
		"fail database it is read-only": func(s *server) {
			s.readOnly = true
		},
		"note database this role may make tables": func(s *server) {
			s.mayMake = true
		},
		"fail role this role is a superuser": func(s *server) { s.superuser = true },
		"fail role this role owns the table audit, or is a member": func(s *server) {
			s.owns = "the table audit"
		},
		"fail role this role may rewrite the audit record: REVOKE UPDATE": func(s *server) { s.rewrites = true },
		"fail encoding it is SQL_ASCII: make the database": func(s *server) {
			s.encoding = "SQL_ASCII"
		},
		"note collation text is sorted as in de_DE.UTF-8": func(s *server) {
			s.collation = "de_DE.UTF-8"
		},
		"fail settings a connection has isolation \"serializable\"": func(s *server) {
			s.isolation = "serializable"
		},
		"fail settings a connection has": func(s *server) { s.zone = "Europe/Berlin" },
		"warn durability a crash of the machine can lose what was answered: set synchronous_commit": func(s *server) {
			s.commit = "off"
		},
	} {
		s := good
		change(&s)
		wantFindings(t, want, all(s), want)
	}
	wantFindings(t, "a sandbox", []finding{server{superuser: true}.checkRole("sandbox")}, "note role this role is")
}

// What PostgreSQL says of roles: of the one of docs/operations.md, and of each that may do more.
func TestPlatform_DoctorOnRoles(t *testing.T) {
	admin := pgtest.New(t)
	owner := opened(t, admin)
	const few, some = "railkit_doctor_few", "railkit_doctor_some"
	for _, role := range []string{few, some} {
		run(t, owner, "CREATE ROLE "+role+" LOGIN")
		t.Cleanup(func() { run(t, owner, "DROP OWNED BY "+role+"; DROP ROLE "+role) })
	}
	u, err := url.Parse(admin)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.User(few)
	grants := "GRANT SELECT, INSERT ON audit TO " + few + "; GRANT SELECT, INSERT, UPDATE, DELETE ON orders TO " + few
	run(t, owner, "REVOKE CREATE ON SCHEMA public FROM PUBLIC; CREATE TABLE audit (id BIGINT); "+
		"CREATE TABLE orders (id BIGINT); "+grants)
	wantRole := func(address, want string) {
		t.Helper()
		s, err := askPostgres(t.Context(), opened(t, address))
		if err != nil {
			t.Fatal(err)
		}
		wantFindings(t, want, []finding{s.checkRole("production")}, want)
	}
	wantRole(admin, "fail role this role is a superuser")
	wantRole(u.String(), "ok role this role owns no table")
	for do, c := range map[string]struct{ undo, want string }{
		"GRANT DELETE ON audit TO " + few:     {"REVOKE DELETE ON audit FROM " + few, "may rewrite the audit record"},
		"ALTER TABLE orders OWNER TO " + few:  {"ALTER TABLE orders OWNER TO CURRENT_USER", "owns the table orders"},
		"ALTER SCHEMA public OWNER TO " + few: {"ALTER SCHEMA public OWNER TO CURRENT_USER", "owns the schema public"},
		"ALTER TABLE audit OWNER TO " + some + "; GRANT " + some + " TO " + few: {
			"REVOKE " + some + " FROM " + few + "; ALTER TABLE audit OWNER TO CURRENT_USER", "owns the table audit",
		},
	} {
		run(t, owner, do)
		wantRole(u.String(), "fail role this role "+c.want)
		run(t, owner, c.undo+"; "+grants)
	}
	wantRole(u.String(), "ok role this role owns no table")
}

func opened(t *testing.T, address string) *sql.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db.Pool
}

func run(t *testing.T, db *sql.DB, statements string) {
	t.Helper()
	for statement := range strings.SplitSeq(statements, ";") {
		if _, err := db.Exec(statement); err != nil {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// Whoever serves another page is told of: another file, another pin, nothing, or without its headers.
func TestPlatform_DoctorOnThePage(t *testing.T) {
	pin := ceremony.Pin{IdentityKey: "02aa", RPID: "localhost", Environment: "sandbox"}
	page := ceremony.Static(pin)
	served := func(change func(w http.ResponseWriter, r *http.Request) (done bool)) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !change(w, r) {
				page.ServeHTTP(w, r)
			}
		})
	}
	changed := served(func(w http.ResponseWriter, r *http.Request) bool {
		page.ServeHTTP(w, r)
		if r.URL.Path == "/main.js" {
			_, _ = w.Write([]byte(" "))
		}
		return true
	})
	first := served(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/" {
			_, _ = w.Write([]byte("another"))
		}
		return r.URL.Path == "/"
	})
	bare := served(func(w http.ResponseWriter, r *http.Request) bool {
		page.ServeHTTP(without{w, []string{"X-Frame-Options", "Content-Security-Policy"}}, r)
		return true
	})
	for _, tc := range []struct {
		about  string
		served http.Handler
		pin    ceremony.Pin // as the settings are
		want   []string
	}{
		{"as it is", page, pin, []string{"ok page it is served as it is"}},
		{"another key", page, ceremony.Pin{IdentityKey: "02bb", RPID: "localhost", Environment: "sandbox"},
			[]string{"fail page it is served with the key of another signer"}},
		{"another RP id", page, ceremony.Pin{IdentityKey: "02aa", RPID: "example.com", Environment: "sandbox"},
			[]string{"fail page it is served for another RP id"}},
		{"another environment", page, ceremony.Pin{IdentityKey: "02aa", RPID: "localhost", Environment: "production"},
			[]string{"fail page it is served for another environment"}},
		{"without headers", bare, pin,
			[]string{"warn page it comes without, or with another: Content-Security-Policy, X-Frame-Options;"}},
		{"another file", changed, pin, []string{"fail page another one is served: sha256:"}},
		{"another first page", first, pin,
			[]string{"fail page it is not served at its origin: the page at / is not index.html"}},
		{"nothing", http.NotFoundHandler(), pin, []string{"fail page it is not served at its origin"}},
	} {
		s := httptest.NewServer(tc.served)
		found := checkPage(t.Context(), told(config.Server{
			CeremonyOrigin: s.URL, EnclaveKey: tc.pin.IdentityKey, RPID: tc.pin.RPID, Environment: tc.pin.Environment,
		}))
		s.Close()
		wantFindings(t, tc.about, found, tc.want...)
	}
	wantFindings(t, "no page", checkPage(t.Context(), told(config.Server{})),
		"note page this program's passkey page is sha256:")
}

// without drops headers on their way out.
type without struct {
	http.ResponseWriter
	names []string
}

func (w without) Write(b []byte) (int, error) {
	for _, name := range w.names {
		w.Header().Del(name)
	}
	return w.ResponseWriter.Write(b)
}

func TestPlatform_DoctorOnTheSigner(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) string { return strconv.FormatInt(now.Add(d).UnixMilli(), 10) }
	for told, want := range map[string]string{
		at(0): "ok clock signer and server", at(-20 * time.Second): "ok clock signer and server",
		at(-time.Hour): "fail clock the signer's is 1h0m0s behind: it stood still for long; " +
			"if this machine's is right, start it with --accept-time",
		at(time.Hour): "fail clock the signer's is 59m59s ahead", "": "warn clock the signer does not tell its time",
	} {
		wantFindings(t, told, []finding{checkClock(wire.InfoReply{TimeMs: told}, now, now.Add(time.Second))}, want)
	}
	listed := wire.InfoReply{Environment: "sandbox", Networks: chain.Networks(chain.Sandbox)}
	wantFindings(t, "all that is listed", checkListed(listed), "ok networks the signer has all networks and tokens")
	listed.Networks = slices.DeleteFunc(listed.Networks, func(n chain.Network) bool { return n.Slug == "polygon" })
	listed.Networks[0].Tokens = nil
	listed.Sealed.Amendments = []wire.Amendment{{Seq: "7", Time: "2026-01-01T00:00:00Z",
		Changes: []string{"add origin http://localhost:1", "add more"}}}
	wantFindings(t, "less than is listed", checkListed(listed),
		"note amended entry 7, 2026-01-01T00:00:00Z: add origin http://localhost:1",
		"note amended entry 7, 2026-01-01T00:00:00Z: add more",
		"warn networks this program knows what the signer does not, which refuses or takes it for unknown: "+
			"USDC on ethereum, WETH on ethereum, polygon; railkit-enclave amend --listed adds it")
	wantFindings(t, "hardening", checkHardening(wire.InfoReply{}), "ok hardening")
	wantFindings(t, "no hardening", checkHardening(wire.InfoReply{Hardening: []string{"one", "two"}}),
		"warn hardening one", "warn hardening two")
}

func TestPlatform_DoctorOnTheSeal(t *testing.T) {
	sealed := wire.InfoReply{Environment: "sandbox", RPID: "localhost", Origins: []string{"http://localhost:1"}}
	for want, c := range map[string]config.Server{
		"ok seal": {Environment: "sandbox", RPID: "localhost", CeremonyOrigin: "http://localhost:1"},
		"ok seal the signer was sealed for this environment":      {Environment: "sandbox", RPID: "localhost"},
		"fail seal the signer was sealed for another environment": {Environment: "production", RPID: "localhost"},
		"fail seal the signer was sealed for another RP id":       {Environment: "sandbox", RPID: "example.com"},
		"fail seal the signer was sealed for --dashboard-origin": {Environment: "sandbox", RPID: "localhost",
			DashboardOrigin: "http://localhost:1"},
		"fail seal the signer was sealed for --invite-origin": {Environment: "sandbox", RPID: "localhost",
			InviteOrigin: "http://localhost:1"},
		"fail seal the signer was not sealed for --ceremony-orig": {Environment: "sandbox", RPID: "localhost",
			CeremonyOrigin: "http://localhost:2"},
	} {
		wantFindings(t, want, checkSeal(sealed, c), want)
	}
}

func TestPlatform_DoctorOnTables(t *testing.T) {
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "railkit.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	newest, err := store.NewestTables()
	if err != nil || newest < 2 {
		t.Fatalf("the newest migration is %d, %v", newest, err)
	}
	for _, step := range []struct{ change, want string }{
		{"SELECT 1", "fail tables they are not there, or cannot be read: run railkit migrate"},
		{"CREATE TABLE goose_db_version (version_id INTEGER)", "fail tables they are not there"},
		{"INSERT INTO goose_db_version VALUES (0), (1)", "fail tables they are of version 1, this program's of"},
		{fmt.Sprintf("INSERT INTO goose_db_version VALUES (%d)", newest), "ok tables "},
		{fmt.Sprintf("INSERT INTO goose_db_version VALUES (%d)", newest+1), "fail tables they are of version"},
	} {
		if _, err := db.Writer.ExecContext(t.Context(), step.change); err != nil {
			t.Fatal(err)
		}
		wantFindings(t, step.change, []finding{checkTables(t.Context(), db.Reader)}, step.want)
	}
}

// The kernel is the one thing that a test cannot break.
func TestPlatform_DoctorOnTheKernel(t *testing.T) {
	clock := func(state int, status int32, err error) func(*unix.Timex) (int, error) {
		return func(x *unix.Timex) (int, error) { x.Status = status; return state, err }
	}
	disk := func(free uint64, err error) func(string, *unix.Statfs_t) error {
		return func(_ string, s *unix.Statfs_t) error { s.Bsize, s.Bavail = 4096, free/4096; return err }
	}
	for _, tc := range []struct {
		kernel kernel
		want   []string
	}{
		{kernel{clock(unix.TIME_OK, 0, nil), disk(8<<30, nil)}, []string{"ok time", "ok disk 8192 MiB are free"}},
		{kernel{clock(unix.TIME_ERROR, 0, nil), disk(1<<30, nil)},
			[]string{"warn time the kernel's clock is not synchronized",
				"warn disk 1024 MiB are free in the data folder: make room"}},
		{kernel{clock(unix.TIME_OK, unix.STA_UNSYNC, nil), disk(200<<20, nil)}, []string{
			"warn time the kernel's clock is not", "fail disk 200 MiB are free in the data folder: make room at once",
		}},
		{kernel{clock(0, 0, errors.New("no")), disk(0, errors.New("no"))},
			[]string{"warn time the kernel does not tell"}},
	} {
		x := target{kernel: tc.kernel}
		wantFindings(t, tc.want[0], append(checkTime(t.Context(), x), checkDisk(t.Context(), x)...), tc.want...)
	}
	real := target{
		Loaded: config.Loaded{Server: config.Server{DataDir: os.TempDir()}}, kernel: kernel{unix.Adjtimex, unix.Statfs},
	}
	if found := checkDisk(t.Context(), real); len(found) != 1 || !strings.Contains(found[0].detail, "MiB are free") {
		t.Errorf("this machine's disk: %v", found)
	}
}
