package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/store"
	"github.com/railkit/railkit/store/sqlite"
	"github.com/railkit/railkit/web/ceremony"
)

func TestDoctorOnPostgres(t *testing.T) {
	good := server{
		version: 170002, encoding: "UTF8", collation: "C.UTF-8", isolation: "read committed", zone: "UTC",
		fsync: "on", commit: "on", pages: "on", mayWrite: true,
	}
	all := func(s server) (text string) {
		found := append([]finding{s.checkVersion(), s.checkSettings(), s.checkDurable()}, append(s.checkWrites(), s.checkText()...)...)
		for _, f := range found {
			text += f.verdict + " " + f.what + " " + f.detail + "\n"
		}
		return text
	}
	if got := all(good); strings.Count(got, "ok ") != 3 || strings.Count(got, "\n") != 3 {
		t.Errorf("a good server: %s", got)
	}
	for want, change := range map[string]func(*server){
		"fail database PostgreSQL 13.9 answers: it is too old, use 14": func(s *server) { s.version = 130009 },
		"fail database it is a standby":                                func(s *server) { s.standby = true },
		"fail database it is read-only":                                func(s *server) { s.readOnly = true },
		"fail database this user may not make tables":                  func(s *server) { s.mayWrite = false },
		"fail encoding it is SQL_ASCII: make the database":             func(s *server) { s.encoding = "SQL_ASCII" },
		"note collation text is sorted as in de_DE.UTF-8":              func(s *server) { s.collation = "de_DE.UTF-8" },
		"fail settings a connection has isolation \"serializable\"":    func(s *server) { s.isolation = "serializable" },
		"fail settings a connection has":                               func(s *server) { s.zone = "Europe/Berlin" },
		"answered: set synchronous_commit = on":                        func(s *server) { s.commit = "off" },
	} {
		s := good
		change(&s)
		if got := all(s); !strings.Contains(got, want) {
			t.Errorf("want %q in %s", want, got)
		}
	}
}

// Whoever serves another page is told of: another file, another signer, nothing.
func TestDoctorOnThePage(t *testing.T) {
	pin := ceremony.Pin{IdentityKey: "02aa", RPID: "localhost", Environment: "sandbox"}
	page := ceremony.Static(pin)
	changed := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page.ServeHTTP(w, r)
		if r.URL.Path == "/main.js" {
			_, _ = w.Write([]byte(" "))
		}
	})
	first := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			_, _ = w.Write([]byte("another"))
			return
		}
		page.ServeHTTP(w, r)
	})
	for _, tc := range []struct {
		served http.Handler
		key    string
		want   string
	}{
		{page, "02aa", "ok it is served as it is"},
		{page, "02bb", "fail it is served with the key of another signer"},
		{changed, "02aa", "fail another one is served: sha256:"},
		{first, "02aa", "fail it is not served at its origin: the page at / is not index.html"},
		{http.NotFoundHandler(), "02aa", "fail it is not served at its origin"},
	} {
		s := httptest.NewServer(tc.served)
		all := checkPage(t.Context(), target{ceremonyOrigin: s.URL, enclaveKey: tc.key})
		s.Close()
		if got := all[1].verdict + " " + all[1].detail; !strings.HasPrefix(got, tc.want) {
			t.Errorf("%s, want %s", got, tc.want)
		}
	}
}

func TestDoctorOnTheSigner(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) string { return strconv.FormatInt(now.Add(d).UnixMilli(), 10) }
	for told, want := range map[string]string{
		at(0):                 "ok signer and server",
		at(-20 * time.Second): "ok signer and server",
		at(-time.Hour):        "fail the signer's is 1h0m0s behind: it stood still for long; if this machine's is right, start it with --accept-time",
		at(time.Hour):         "fail the signer's is 59m59s ahead",
		"":                    "warn the signer does not tell its time",
	} {
		f := checkClock(wire.InfoReply{TimeMs: told}, now, now.Add(time.Second))
		if got := f.verdict + " " + f.detail; !strings.HasPrefix(got, want) {
			t.Errorf("told %s: %s, want %s", told, got, want)
		}
	}
	for _, f := range checkHardening(wire.InfoReply{Hardening: []string{"one", "two"}}) {
		if f.verdict != warning {
			t.Errorf("what is missing: %+v", f)
		}
	}
}

func TestDoctorOnTables(t *testing.T) {
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
		{"SELECT 1", "fail they are not there, or cannot be read: run railkit migrate"},
		{"CREATE TABLE goose_db_version (version_id INTEGER)", "fail they are not there"},
		{"INSERT INTO goose_db_version VALUES (0), (1)", "fail they are of version 1, this program's of"},
		{fmt.Sprintf("INSERT INTO goose_db_version VALUES (%d)", newest), "ok "},
		{fmt.Sprintf("INSERT INTO goose_db_version VALUES (%d)", newest+1), "fail they are of version"},
	} {
		if _, err := db.Writer.ExecContext(t.Context(), step.change); err != nil {
			t.Fatal(err)
		}
		f := checkTables(t.Context(), db.Reader)
		if got := f.verdict + " " + f.detail; !strings.HasPrefix(got, step.want) {
			t.Errorf("after %s: %s, want %s", step.change, got, step.want)
		}
	}
}
