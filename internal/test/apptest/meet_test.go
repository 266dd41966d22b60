package apptest_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/harden"
	"github.com/railkit/railkit/enclave/keystore"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testlog"
	"github.com/railkit/railkit/internal/test/testwait"
)

// A signer that answers wrongly is told of at once: waiting cannot mend it.
func TestServerStopsAtTheWrongSigner(t *testing.T) {
	t.Parallel()
	a := apptest.New(t)
	other := apptest.New(t)
	for want, change := range map[string]func(*app.Config){
		"another identity key": func(c *app.Config) { c.EnclaveKey = other.EnclaveKey },
		"another environment":  func(c *app.Config) { c.EnclaveSocket, c.EnclaveKey = production(t) },
		"another RP id": func(c *app.Config) {
			c.RPID, c.CeremonyOrigin, c.DashboardOrigin = "example.com", "", ""
		},
	} {
		c := a.Config()
		change(&c)
		ctx, cancel := context.WithTimeout(t.Context(), testwait.Bound)
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
	log := &testlog.Log{}
	c.Log = slog.New(slog.NewJSONHandler(log, nil))
	type made struct {
		server *app.App
		err    error
	}
	done, began := make(chan made, 1), time.Now()
	go func() {
		server, err := app.New(context.Background(), c)
		done <- made{server, err}
	}()
	waits := `"msg":"the start waits for the signer","at":"` + there
	apptest.Eventually(t, "a server that waits", func() bool { return strings.Contains(log.String(), waits) })
	select {
	case m := <-done:
		t.Fatalf("it did not wait: %v", m.err)
	case <-time.After(300 * time.Millisecond): // three tries, as far as can be seen
	}
	if err := os.Symlink(a.EnclaveSock, there); err != nil {
		t.Fatal(err)
	}
	m := <-done
	if m.err != nil {
		t.Fatal(m.err)
	}
	if n, most := strings.Count(log.String(), waits), 1+int(time.Since(began)/(10*time.Second)); n > most {
		t.Errorf("it says %d times that it waits, want %d:\n%s", n, most, log)
	}
	if err := m.server.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// A server that waits ends at once when it is told to, and well.
func TestServerStopsWhileItWaits(t *testing.T) {
	t.Parallel()
	a := apptest.New(t)
	a.StopServer()
	c := a.Config()
	c.Addr, c.EnclaveSocket = "127.0.0.1:0", c.EnclaveSocket+".never"
	log := &testlog.Log{}
	c.Log = slog.New(slog.NewJSONHandler(log, nil))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- app.Serve(ctx, c) }()
	apptest.Eventually(t, "a server that waits", func() bool {
		return strings.Contains(log.String(), "the start waits for the signer")
	})
	cancel()
	if err := <-done; err != nil || !strings.Contains(log.String(), `"msg":"ended","why":"context canceled","code":0`) {
		t.Errorf("%v\n%s", err, log)
	}
}

// sealProduction makes the folder of a production signer, of a user beside root,
// and gives the command that runs it.
func sealProduction(t *testing.T) (run *exec.Cmd, dir, key string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "rk") // short: a socket's path is cut at 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	install(t, dir, "railkit-enclave")
	secret, data := filepath.Join(dir, "secret"), filepath.Join(dir, "data")
	unseal, err := keystore.NewIdentity() // a passphrase would take seconds
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(secret, unseal, 0o600); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		if err := errors.Join(os.Chown(dir, signerUser, signerUser),
			os.Chown(secret, signerUser, signerUser)); err != nil {
			t.Fatal(err)
		}
	}
	// Of P-256: a public key like any.
	const generator = "036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
	out, err := asSigner(dir, "init", "--data", data, "--environment", "production", "--rp-id", "localhost",
		"--origin", "https://localhost", "--price-key", generator, "--unseal-file", secret).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run = asSigner(dir, "run", "--data", data, "--socket", filepath.Join(dir, "socket", "s"), "--unseal-file", secret,
		"--peer-uid", strconv.Itoa(os.Getuid()))
	return run, dir, identity(t, string(out))
}

// asSigner is a command of the enclave in dir, by a user who is not root.
func asSigner(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(dir, "railkit-enclave"), args...)
	cmd.Env = append(os.Environ(), harden.Environment)
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: signerUser, Gid: signerUser}}
	}
	return cmd
}

// production is a running production signer.
func production(t *testing.T) (socket, key string) {
	t.Helper()
	run, dir, key := sealProduction(t)
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = run.Process.Kill(); _ = run.Wait() })
	socket = filepath.Join(dir, "socket", "s")
	apptest.Eventually(t, "a signer that listens", func() bool {
		_, err := os.Stat(socket)
		return err == nil
	})
	return socket, key
}

// In production a signer that lacks a protection does not start.
func TestSigning_K06_ProductionNeedsAllProtections(t *testing.T) {
	t.Parallel()
	run, _, _ := sealProduction(t)
	run.Env = append(os.Environ(), "GOTRACEBACK=single")
	out, err := run.CombinedOutput()
	if err == nil ||
		!strings.Contains(string(out), "refusing to run in production without: a panic prints stack traces") {
		t.Errorf("%v: %s", err, out)
	}
}

// A start that is refused leaves the journal as it was: whatever was wrong is put
// right and tried again, and the journal tells of the starts that were.
func TestSigning_K06_RefusedStartsAddNoEntry(t *testing.T) {
	t.Parallel()
	run, dir, _ := sealProduction(t)
	wrong := filepath.Join(dir, "wrong")
	another, err := keystore.NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(wrong, another, 0o644); err != nil {
		t.Fatal(err)
	}
	before := folder(t, filepath.Join(dir, "data"))
	with := func(change func(*exec.Cmd)) *exec.Cmd {
		cmd := asSigner(dir, run.Args[1:]...)
		change(cmd)
		return cmd
	}
	replaced := func(flag, value string) func(*exec.Cmd) {
		return func(cmd *exec.Cmd) { cmd.Args[slices.Index(cmd.Args, flag)+1] = value }
	}
	for _, refused := range []struct {
		want string
		cmd  *exec.Cmd
	}{
		{"no more than flags", with(func(cmd *exec.Cmd) { cmd.Args = append(cmd.Args, "extra") })},
		{"not defined: -nonsense", with(func(cmd *exec.Cmd) { cmd.Args = append(cmd.Args, "--nonsense") })},
		{"unsealing the genesis", with(replaced("--unseal-file", wrong))},
		{"listening on the socket", with(replaced("--socket", filepath.Join(dir, strings.Repeat("long", 30), "s")))},
		{"setting the socket's perm", with(func(cmd *exec.Cmd) { cmd.Args = append(cmd.Args, "--socket-group", "7") })},
		{"is not that of a user", with(replaced("--peer-uid", "-1"))},
		{"a panic prints stack traces",
			with(func(cmd *exec.Cmd) { cmd.Env = append(os.Environ(), "GOTRACEBACK=single") })},
		{"production refuses to run as r", with(func(cmd *exec.Cmd) { cmd.SysProcAttr = nil })},
	} {
		want, cmd := refused.want, refused.cmd
		if cmd.SysProcAttr == nil && os.Getuid() != 0 {
			continue // only root can start as root
		}
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v: %s", want, err, out)
		}
		for name, is := range folder(t, filepath.Join(dir, "data")) {
			// Which each opening writes anew, of the same entries.
			if was := before[name]; is != was && name != "journal.head" {
				t.Errorf("%s: %s has changed from %d bytes to %d", want, name, len(was), len(is))
			}
		}
	}
}

// A folder that root made would be closed to the signer's own user.
func TestSigning_K06_ProductionIsNotInitializedByRoot(t *testing.T) {
	if os.Getuid() != 0 {
		t.Fatal("only root can try to be root: run it as root")
	}
	dir := t.TempDir()
	install(t, dir, "railkit-enclave")
	cmd := asSigner(dir, "init", "--data", filepath.Join(dir, "data"), "--environment", "production",
		"--rp-id", "localhost",
		"--origin", "https://localhost", "--price-key", "x", "--unseal-file", "none")
	cmd.SysProcAttr = nil
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "production refuses to run as root") {
		t.Errorf("%v: %s", err, out)
	}
}

// folder is what is in one, by name.
func folder(t *testing.T, path string) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		raw, err := os.ReadFile(filepath.Join(path, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(raw)
	}
	return files
}
