package apptest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/railkit/railkit/enclave/harden"
	"github.com/railkit/railkit/enclave/keystore"
	"github.com/railkit/railkit/internal/child"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testbin"
	"github.com/railkit/railkit/internal/test/testwait"
)

// nobody and signerUser are users beside root, as which production runs server and signer.
const nobody, signerUser = 65534, 65533

// rig is what a production server runs beside: programs and folders that another
// user may enter, and signers.
type rig struct {
	t    *testing.T
	dir  string
	node string // a node of the devnet
	env  []string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, dir: openFolder(t), node: apptest.New(t).Devnet.RPCURL("base")}
	install(t, r.dir, "railkit", "railkit-enclave")
	r.must(os.Mkdir(filepath.Join(r.dir, "data"), 0o700))
	r.must(os.Chown(filepath.Join(r.dir, "data"), nobody, nobody))
	r.keyFile("vault.key", "cmFpbGtpdCdzIHRlc3RzLCBhbmQgbm90aGluZyBlbHM=")
	return r
}

// openFolder is a folder that every user may enter. Its path is short: a socket's is cut at 108 bytes.
func openFolder(t *testing.T) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Fatal("this test starts processes as other users: run it as root")
	}
	dir, err := os.MkdirTemp("", "rk")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// install puts programs where every user may run them.
func install(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		from, err := testbin.Path(name)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(to, raw, 0o755), os.Chmod(to, 0o755)); err != nil {
			t.Fatal(err)
		}
	}
}

// keyFile writes a file that nobody but the server may read.
func (r *rig) keyFile(name, text string) {
	r.t.Helper()
	r.must(os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o600))
	r.must(os.Chown(filepath.Join(r.dir, name), nobody, nobody))
}

func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) command(uid uint32, program string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(r.dir, program), args...)
	cmd.Dir = r.dir
	cmd.Env = append(append(os.Environ(), harden.Environment, "RAILKIT_VAULT_KEY_FILE=vault.key"), r.env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{
		Uid: uid, Gid: uid, Groups: []uint32{nobody},
	}}
	return cmd
}

// signer seals and runs a signer of a user, which answers to nobody. It gives
// the flags by which a server is told of it.
func (r *rig) signer(uid uint32, environment string) []string {
	r.t.Helper()
	unseal, err := keystore.NewIdentity()
	r.must(err)
	return r.signerBy(unseal, uid, environment)
}

// signerBy is signer with an unseal secret of one's own. A passphrase takes a second, to seal and to unseal.
func (r *rig) signerBy(unseal []byte, uid uint32, environment string) []string {
	r.t.Helper()
	home := filepath.Join(r.dir, "s"+environment+string(rune('a'+uid%26)))
	secret := filepath.Join(home, "secret")
	r.must(os.Mkdir(home, 0o711))
	r.must(os.WriteFile(secret, unseal, 0o600))
	r.must(os.Chown(home, int(uid), int(uid)))
	r.must(os.Chown(secret, int(uid), int(uid)))
	// Of P-256: a public key like any.
	const generator = "036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
	data, socket := filepath.Join(home, "data"), filepath.Join(home, "run", "s")
	out, err := r.command(uid, "railkit-enclave", "init", "--data", data, "--environment", environment,
		"--rp-id", "localhost",
		"--origin", "https://localhost", "--price-key", generator, "--unseal-file", secret).CombinedOutput()
	if err != nil {
		r.t.Fatalf("%v: %s", err, out)
	}
	cmd := r.command(uid, "railkit-enclave", "run", "--data", data, "--socket", socket, "--unseal-file", secret,
		"--peer-uid", "65534", "--socket-group", "65534")
	r.must(cmd.Start())
	r.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return []string{"--enclave-socket", socket, "--enclave-key", identity(r.t, string(out))}
}

// identity finds the key in what init prints.
func identity(t *testing.T, out string) string {
	t.Helper()
	for _, word := range strings.Fields(out) {
		if len(word) == 66 && (strings.HasPrefix(word, "02") || strings.HasPrefix(word, "03")) {
			return word
		}
	}
	t.Fatalf("init names no identity key: %s", out)
	return ""
}

// refused runs a server until it ends, and wants it to say why.
func (r *rig) refused(uid uint32, want string, args ...string) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), testwait.Bound)
	defer cancel()
	cmd := r.command(uid, "railkit", append([]string{"serve", "--addr", "127.0.0.1:0", "--data", "data"}, args...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	r.must(cmd.Start())
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	defer stop()
	if err := cmd.Wait(); err == nil || ctx.Err() != nil || !strings.Contains(out.String(), want) {
		r.t.Errorf("want %q: %v, %s", want, err, out.String())
	}
}

// Production refuses everything of the sandbox's, and who could read the signer's memory.
func TestPlatform_ProductionRefuses(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	signer := r.signer(signerUser, "production")
	good := append(signer, "--rp-id", "localhost")
	with := func(more ...string) []string { return append(good[:len(good):len(good)], more...) }
	r.refused(nobody, "production refuses the devnet and its faucet", with("--devnet-url", r.node)...)
	r.refused(nobody, "production refuses the sandbox's keys", with("--sandbox-file", "sandbox.json")...)
	r.refused(nobody, "--ceremony-origin (RAILKIT_CEREMONY_ORIGIN): production refuses",
		with("--ceremony-origin", "http://localhost:8081")...)
	r.refused(nobody, "--dashboard-origin (RAILKIT_DASHBOARD_ORIGIN): production refuses",
		with("--dashboard-origin", "http://localhost:3000")...)
	r.refused(nobody, "production refuses the devnet, which is the node of base", with("--rpc", "base="+r.node)...)
	r.refused(nobody, "the signer was sealed for another environment",
		append(r.signer(signerUser, "sandbox"), "--rp-id", "localhost")...)
	r.refused(nobody, "production refuses to run under the signer's user",
		append(r.signer(nobody, "production"), "--rp-id", "localhost")...)
	r.refused(0, "production refuses to run as root", good...)
	r.refused(nobody, "--database-url (RAILKIT_DATABASE_URL): names no PostgreSQL database", with("--data", "")...)
	r.keyFile("sandbox.key", "sandbox:cmFpbGtpdCdzIHRlc3RzLCBhbmQgbm90aGluZyBlbHM=")
	r.refused(nobody, "--vault-key-file (RAILKIT_VAULT_KEY_FILE): production needs one",
		with("--vault-key-file", "")...)
	r.refused(nobody, "the vault's key is one that a sandbox made", with("--vault-key-file", "sandbox.key")...)
	r.refused(nobody, "reading the vault key (--vault-key-file)", with("--vault-key-file", "none.key")...)
	r.env = []string{"RAILKIT_MAIL_FROM=a@example.com", "RAILKIT_SMTP_URL=smtp+plaintext://127.0.0.1:1"}
	r.refused(nobody, "RAILKIT_SMTP_URL: production refuses mail in plain text", good...)
}

// What is not refused runs, and has nothing of the sandbox's in it.
func TestPlatform_ProductionHasNoSandbox(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	signer := r.signerBy([]byte("a passphrase of this test, and of nothing else"), signerUser, "production")
	addr := r.serves(append(signer, "--rp-id", "localhost")...)
	if _, body := fetchText(t, http.MethodGet, "http://"+addr+"/v1/"); !strings.Contains(body,
		`"environment":"production"`) {
		t.Errorf("it says of itself: %s", body)
	}
	for _, path := range []string{
		"/v1/sandbox/faucet", "/v1/sandbox/mail", "/v1/sandbox", "/widget", "/widget/main.js",
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			if status, body := fetchText(t, method, "http://"+addr+path); status != http.StatusNotFound ||
				!strings.Contains(body, `"error":"route_not_found"`) {
				t.Errorf("%s %s: %d %s", method, path, status, body)
			}
		}
	}
	if _, body := fetchText(t, http.MethodGet, "http://"+addr+"/openapi.json"); strings.Contains(body, "/v1/sandbox") ||
		!strings.Contains(body, "/v1/signing") {
		t.Error("the document of production speaks of the sandbox")
	}
}

// serves starts a server as its supervisor would, and gives the address on which it says that it is ready. The server
// takes a free port itself: one that the test found free may be another process's by then.
func (r *rig) serves(args ...string) (addr string) {
	r.t.Helper()
	ready, tell, err := os.Pipe()
	r.must(err)
	life, alive, err := os.Pipe()
	r.must(err)
	cmd := r.command(nobody, "railkit", append([]string{"serve", "--addr", "127.0.0.1:0", "--data", "data"},
		args...)...)
	cmd.Env = append(cmd.Env, child.Env+"=1")
	cmd.ExtraFiles = []*os.File{tell, life}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	r.must(cmd.Start())
	r.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait(); _ = errors.Join(ready.Close(), alive.Close()) })
	r.must(errors.Join(tell.Close(), life.Close()))
	var facts struct{ Addr string }
	if err := json.NewDecoder(ready).Decode(&facts); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		r.t.Fatalf("the server never said that it is ready (%v): %s", err, out.String())
	}
	return facts.Addr
}

func fetchText(t *testing.T, method, url string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}
