package pgtest

import (
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/testwait"
)

const childEnv = "RAILKIT_TEST_PGTEST"

// In the child, the test process that is killed, this prints the folder and waits.
func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		server, err := cluster()
		if err != nil {
			panic(err)
		}
		_, _ = os.Stdout.WriteString(server.folder + "\n")
		for {
			time.Sleep(time.Hour) // until it is killed; it must not look like a deadlock
		}
	}
	os.Exit(m.Run())
}

func TestDatabasesAreApart(t *testing.T) {
	for range 2 {
		db, err := sql.Open("pgx", New(t))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.ExecContext(t.Context(), "CREATE TABLE one (n BIGINT)"); err != nil {
			t.Error(err)
		}
	}
}

// A copy holds what its template was given, and that is made once.
func TestCopies(t *testing.T) {
	prepared := 0
	prepare := func(url string) error {
		prepared++
		db, err := sql.Open("pgx", url)
		if err != nil {
			return err
		}
		_, err = db.ExecContext(t.Context(), "CREATE TABLE one (n BIGINT)")
		return errors.Join(err, db.Close())
	}
	for range 2 {
		db, err := sql.Open("pgx", NewFrom(t, "copies", prepare))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.ExecContext(t.Context(), "INSERT INTO one VALUES (1)"); err != nil {
			t.Error(err)
		}
	}
	if prepared != 1 {
		t.Errorf("the template was made %d times", prepared)
	}
}

// A killed test process takes its server and its folder with it.
func TestEndsWithTheProcess(t *testing.T) {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childEnv+"=1")
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 4096)
	n, err := out.Read(line)
	folder := strings.TrimSpace(string(line[:n]))
	if _, pid := os.Stat(filepath.Join(folder, "data", "postmaster.pid")); err != nil || pid != nil {
		t.Errorf("the child's server: %s, %v, %v", folder, err, pid)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	testwait.Until(t, "the watchdog ends the server and removes its folder", func() bool {
		_, err := os.Stat(folder)
		return os.IsNotExist(err)
	})
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	for _, version := range []string{"9.6", "15", "9", "17"} {
		bin := filepath.Join(root, version, "bin")
		if err := os.MkdirAll(bin, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, program := range []string{"initdb", "postgres"} {
			if version == "17" && program == "postgres" {
				continue // only the client's package
			}
			if err := os.WriteFile(filepath.Join(bin, program), nil, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := newest(root); got != filepath.Join(root, "15", "bin") {
		t.Errorf("newest: %s", got)
	}
	t.Setenv("PG_BIN", filepath.Join(root, "17", "bin"))
	if _, err := find(); err == nil {
		t.Error("a PG_BIN without the server was taken")
	}
	if !strings.Contains(errMissing.Error(), "postgresql") {
		t.Error("the package is not named")
	}
}

// A crash ends every connection, and the server comes back with what was committed.
func TestCrash(t *testing.T) {
	url := New(t)
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE one (n BIGINT)"); err != nil {
		t.Fatal(err)
	}
	one, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	Crash(t, url)
	testwait.Until(t, "the connection has ended", func() bool { return one.PingContext(t.Context()) != nil })
	testwait.Until(t, "the server is back", func() bool {
		_, err := db.ExecContext(t.Context(), "SELECT n FROM one")
		return err == nil
	})
}
