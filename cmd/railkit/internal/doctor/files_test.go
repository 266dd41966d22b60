package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/store/sqlite"
)

func TestPlatform_DoctorOnFolders(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	must(t, os.WriteFile(file, nil, 0o600))
	folder := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		must(t, os.Mkdir(path, 0o700))
		must(t, os.Chmod(path, mode)) // Mkdir heeds the umask
		return path
	}
	for path, want := range map[string]string{
		folder("mine", 0o700):               "ok data",
		folder("open", 0o755):               "warn data other users may enter the folder (mode 0755): chmod 700",
		filepath.Join(dir, "none"):          "warn data the folder does not exist yet",
		file:                                "fail data it is not a folder",
		filepath.Join(file, "x"):            "fail data",
		"/proc/" + filepath.Base("/proc/1"): "fail data the folder cannot be written to",
	} {
		wantFindings(t, path, checkFolder(t.Context(), told(config.Server{DataDir: path})), want)
	}
}

func TestPlatform_DoctorOnKeyFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(text), 0o600))
		must(t, os.Chmod(path, mode))
		return path
	}
	session := func(path string) []finding {
		return checkSessionKey(t.Context(), told(config.Server{SessionKeyFile: path}))
	}
	vault := func(path string) []finding {
		return checkVaultKey(t.Context(), told(config.Server{VaultKeyFile: path}))
	}
	for path, want := range map[string]string{
		file("mine", "key", 0o600): "ok sessions",
		file("others",
			"key", 0o604): "fail sessions others may read the key, and sign in as anybody (mode 0604): chmod 600",
		file("group", "key", 0o640):        "warn sessions the file's group may read the key",
		file("empty", "", 0o600):           "fail sessions the key's file is empty",
		filepath.Join(dir, "none"):         "fail sessions there is no file at --session-key-file",
		filepath.Join(dir, "mine", "none"): "fail sessions what is at --session-key-file cannot be read",
		dir:                                "fail sessions what is at --session-key-file cannot be read as a file",
	} {
		wantFindings(t, path, session(path), want)
		ours := strings.NewReplacer(
			"sessions", "vault", "--session", "--vault", "sign in as anybody", "read every bank account",
		).Replace(want)
		ours, _, _ = strings.Cut(ours, " (mode")
		wantFindings(t, path, vault(path), ours)
	}
	if found := append(session(""), vault("")...); len(found) != 0 {
		t.Errorf("without a key: %v", found)
	}
	live := told(config.Server{Environment: "production"})
	wantFindings(t, "production", checkVaultKey(t.Context(), live), "fail vault production needs --vault-key-file")
}

func TestPlatform_DoctorOnTheSettings(t *testing.T) {
	good := target{
		Loaded: config.Loaded{Server: config.Server{Environment: "production", DatabaseURL: "postgres:///railkit"}},
	}
	wantFindings(t, "good", checkConfig(t.Context(), good),
		"ok config the settings fit each other and the environment, production")
	bad := good
	bad.SandboxFile, bad.Warnings = "x", []string{"a file is open to all"}
	wantFindings(t, "bad", checkConfig(t.Context(), bad),
		"fail config --sandbox-file (RAILKIT_SANDBOX_FILE): production refuses", "warn config a file is open to all")
}

// The programs are beside railkit, and not beside this test.
func TestPlatform_DoctorOnPrograms(t *testing.T) {
	wantFindings(t, "alone", checkPrograms(t.Context(), target{}), "fail programs railkit-")
}

// A database that is damaged, or has no key for its operator.
func TestPlatform_DoctorOnTheDatabase(t *testing.T) {
	dir := t.TempDir()
	x := told(config.Server{DataDir: dir, Environment: "production"})
	wantFindings(t, "none", checkDatabase(t.Context(), x), "warn database there is none yet")
	must(t, app.Migrate(t.Context(), app.Config{Server: x.Server}))
	wantFindings(t, "empty", checkDatabase(t.Context(), x), "ok database SQLite", "ok tables",
		"warn operator no key may make workspaces yet: make the first one with railkit admin")
	giveKey(t, dir, `["integrator"]`, 0)
	giveKey(t, dir, `["admin"]`, 1)
	wantFindings(t, "no good key", checkDatabase(t.Context(), x), "warn operator")
	giveKey(t, dir, `["internal"]`, 0)
	wantFindings(t, "with a key", checkDatabase(t.Context(), x), "ok operator 1 keys may act across workspaces")
	x.Environment = "sandbox"
	wantFindings(t, "sandbox", checkDatabase(t.Context(), x), "ok database", "ok tables")

	path := filepath.Join(dir, "railkit.db")
	raw, err := os.ReadFile(path)
	must(t, err)
	page := pageOf(t, dir, "orders_newest")
	clear(raw[(page-1)*4096 : page*4096])
	must(t, os.WriteFile(path, raw, 0o600))
	wantFindings(t, "damaged", checkDatabase(t.Context(), x),
		"fail database the file is damaged: *** in database main *** ")
	must(t, os.WriteFile(path,
		[]byte("this is no database, but text that is long enough to be one's header, and then some"), 0o600))
	wantFindings(t, "no database", checkDatabase(t.Context(), x), "fail database")
}

// pageOf is where a table or an index begins in the file.
func pageOf(t *testing.T, dir, name string) (page int) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, "railkit.db"))
	must(t, err)
	defer db.Close()
	must(t,
		db.Reader.QueryRowContext(t.Context(), "SELECT rootpage FROM sqlite_master WHERE name = $1", name).Scan(&page))
	return page
}

// giveKey writes a key's row; a hash that nobody has a key for will do here.
func giveKey(t *testing.T, dir, scopes string, revoked int64) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, "railkit.db"))
	must(t, err)
	defer db.Close()
	_, err = db.Writer.ExecContext(t.Context(),
		`INSERT INTO workspaces (id, name, folded_name, email, folded_email, environment, kyb_status, kyb_reason, modules,
		created_at, updated_at) VALUES ('w', 'W', 'w', '', '', 'production', 'pending', '', '[]', 1, 1) ON CONFLICT DO NOTHING`)
	must(t, err)
	_, err = db.Writer.ExecContext(t.Context(),
		`INSERT INTO api_keys (workspace_id, id, name, description, hash, prefix, last_four, scopes, networks, environment,
		limit_standard, limit_financial, created_at, last_used_at, expires_at, revoked_at)
		VALUES ('w', $1, 'n', '', $1, 'p', 'f', $2, '[]', 'production', 0, 0, 1, 0, 0, $3)`,
		scopes+time.Now().String(), scopes, revoked)
	must(t, err)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
