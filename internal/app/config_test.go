package app

import (
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/internal/test/pgtest"
)

func TestConfigRefuses(t *testing.T) {
	good := Config{Server: config.Server{
		Environment: "sandbox", DataDir: "d", EnclaveSocket: "s", EnclaveKey: "02" + strings.Repeat("00", 31) + "05",
	}}
	if err := good.check(); err != nil {
		t.Fatal(err)
	}
	server := good
	server.DataDir, server.DatabaseURL = "", "postgres://localhost/x"
	if err := server.check(); err != nil {
		t.Errorf("PostgreSQL needs no data folder: %v", err)
	}
	for _, r := range []struct {
		want   string
		change func(*Config)
	}{
		{"must be sandbox or production", func(c *Config) { c.Environment = "staging" }},
		{"--database-url (RAILKIT_DATABASE_URL): names no PostgreSQL database", func(c *Config) { c.DataDir = "" }},
		{"identity key", func(c *Config) { c.EnclaveKey = "" }},
		{"needs --ceremony-origin", func(c *Config) { c.CeremonyAddr = "127.0.0.1:0" }},
		{"production refuses the devnet",
			func(c *Config) { c.Environment, c.DevnetURL = "production", "http://127.0.0.1:1" }},
		{"sandbox's keys", func(c *Config) { c.Environment, c.SandboxFile = "production", "sandbox.json" }},
		{"--watch-from (RAILKIT_WATCH_FROM) names a network that has no node",
			func(c *Config) { c.WatchFrom = map[string]int64{"base": 7} }},
		{"no network", func(c *Config) { c.RPCURLs = map[string]string{"moon": "http://127.0.0.1:1"} }},
	} {
		c := good
		r.change(&c)
		if err := c.check(); err == nil || !strings.Contains(err.Error(), r.want) {
			t.Errorf("%q: %v", r.want, err)
		}
	}
	good.Environment = string(chain.Production)
	if err := good.check(); (os.Getuid() == 0) != (err != nil) {
		t.Errorf("production under uid %d: %v", os.Getuid(), err)
	}
}

// The server's log and its users see what goes wrong, and must not see the password.
func TestDatabaseURLIsNotTold(t *testing.T) {
	for _, url := range []string{
		"postgres://u:hunter2@127.0.0.1:1/x", "postgres://u:hunter2@[broken", "host=127.0.0.1 port=x password=hunter2",
	} {
		err := Migrate(t.Context(), Config{Server: config.Server{DatabaseURL: url}})
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("got %v", err)
		}
	}
}

func TestMigratePostgres(t *testing.T) {
	c := Config{Server: config.Server{DatabaseURL: pgtest.New(t)}}
	for range 2 { // the second time there is nothing to do
		if err := Migrate(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if err := Migrate(t.Context(), Config{}); err == nil {
		t.Error("migrated no database")
	}
}

// The server must not run under the uid that owns the signer.
func TestProductionRefusesTheSignersUser(t *testing.T) {
	dir, err := os.MkdirTemp("", "rk") // short: a socket's path is cut at 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := apart(os.Getuid(), socket); err == nil || !strings.Contains(err.Error(), "signer's user") {
		t.Errorf("its own user: %v", err)
	}
	if err := apart(os.Getuid()+1, socket); err != nil {
		t.Errorf("another user: %v", err)
	}
	if err := apart(os.Getuid()+1, filepath.Join(dir, "none")); err == nil {
		t.Error("no socket, no refusal")
	}
}

// A client that reads or writes slowly loses its connection in the end.
func TestServerBoundsSlowClients(t *testing.T) {
	s := (&App{config: Config{Log: slog.New(slog.DiscardHandler)}}).httpServer(nil)
	if s.ReadHeaderTimeout == 0 || s.ReadTimeout == 0 || s.WriteTimeout == 0 || s.IdleTimeout == 0 ||
		s.MaxHeaderBytes == 0 {
		t.Errorf("without a bound: %+v", s)
	}
}
