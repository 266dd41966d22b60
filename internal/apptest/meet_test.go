package apptest_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/harden"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/apptest"
	"github.com/railkit/railkit/internal/supervise"
	"github.com/railkit/railkit/internal/testbin"
	"github.com/railkit/railkit/internal/testlog"
)

// A signer that answers wrongly is told of at once: waiting cannot mend it.
func TestServerStopsAtTheWrongSigner(t *testing.T) {
	t.Parallel()
	a := apptest.New(t)
	other := apptest.New(t)
	for want, change := range map[string]func(*app.Config){
		"another identity key": func(c *app.Config) { c.EnclaveKey = other.EnclaveKey },
		"another environment":  func(c *app.Config) { c.EnclaveSocket, c.EnclaveKey = production(t) },
		"another RP id":        func(c *app.Config) { c.RPID, c.CeremonyOrigin, c.DashboardOrigin = "example.com", "", "" },
	} {
		c := a.Config()
		change(&c)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		server, err := app.New(ctx, c)
		if err == nil {
			_ = server.Close(ctx)
		}
		if err == nil || ctx.Err() != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %s, got %v, %v", want, err, ctx.Err())
		}
		cancel()
	}
}

// A signer that is not there yet is waited for.
func TestServerWaitsForTheSigner(t *testing.T) {
	t.Parallel()
	a := apptest.New(t)
	a.StopServer()
	c := a.Config()
	there := c.EnclaveSocket + ".later"
	c.EnclaveSocket = there
	type made struct {
		server *app.App
		err    error
	}
	done := make(chan made, 1)
	go func() {
		server, err := app.New(context.Background(), c)
		done <- made{server, err}
	}()
	select {
	case m := <-done:
		t.Fatalf("it did not wait: %v", m.err)
	case <-time.After(300 * time.Millisecond): // three tries
	}
	if err := os.Symlink(a.EnclaveSock, there); err != nil {
		t.Fatal(err)
	}
	m := <-done
	if m.err != nil {
		t.Fatal(m.err)
	}
	if err := m.server.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// sealProduction makes a production signer's folder and gives the program and
// the arguments to run it with.
func sealProduction(t *testing.T) (program, socket string, run []string) {
	t.Helper()
	program, err := testbin.Path("railkit-enclave")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "rk") // short: a socket's path is cut at 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("a passphrase of this test, and of nothing else"), 0o600); err != nil {
		t.Fatal(err)
	}
	const generator = "036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296" // of P-256: a public key like any
	data := filepath.Join(dir, "data")
	out, err := exec.Command(program, "init", "--data", data, "--environment", "production", "--rp-id", "localhost",
		"--origin", "https://localhost", "--price-key", generator, "--unseal-file", secret).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	socket = filepath.Join(dir, "socket", "s")
	return program, socket, []string{"run", "--data", data, "--socket", socket, "--unseal-file", secret}
}

// production is a running production signer.
func production(t *testing.T) (socket, key string) {
	t.Helper()
	program, socket, run := sealProduction(t)
	log := &testlog.Log{}
	group := supervise.New(log)
	t.Cleanup(group.Kill)
	signer, err := group.Start(t.Context(), supervise.Spec{
		Name: "signer", Path: program, Env: []string{harden.Environment}, Once: true,
		Args: func(supervise.Facts) []string { return run },
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	return socket, signer.Facts().Text("identityKey")
}

// In production a signer that lacks a protection does not start.
func TestSigning_K06_ProductionNeedsAllProtections(t *testing.T) {
	t.Parallel()
	program, _, run := sealProduction(t)
	cmd := exec.Command(program, run...)
	cmd.Env = append(os.Environ(), "GOTRACEBACK=single")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "refusing to run in production without: a panic prints stack traces") {
		t.Errorf("%v: %s", err, out)
	}
}
