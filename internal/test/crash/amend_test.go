package crash_test

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/railkit/railkit/crash"
	"github.com/railkit/railkit/enclave"
	"github.com/railkit/railkit/enclave/keystore"
	"github.com/railkit/railkit/internal/test/testbin"
)

// amendPoints are the places at which railkit-enclave amend can die, in their order.
var amendPoints = []string{
	"amend.confirmed", "amend.appended", "journal.written", "journal.synced", "journal.headed", "amend.durable",
}

// TestSigning_K09_AmendmentDies: wherever the ceremony dies, the signer starts, and has all of the amendment or nothing
// of it. The same command again makes it whole, and one entry of the journal is all that there ever is.
func TestSigning_K09_AmendmentDies(t *testing.T) {
	t.Parallel()
	program, err := testbin.Crashing("railkit-enclave")
	if err != nil {
		t.Fatal(err)
	}
	for _, point := range amendPoints {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			c := newOperator(t, program)
			if out, err := c.amend(point + " 1"); err == nil {
				t.Fatalf("it did not die: %s", out)
			}
			if said, err := os.ReadFile(c.control); err != nil || !strings.HasPrefix(string(said), "died "+point) {
				t.Fatalf("it died elsewhere: %s, %v", said, err)
			}
			if n, changes := c.amendments(); n > 1 || changes != 2*n {
				t.Errorf("after the death: %d amendments with %d changes", n, changes)
			}
			if out, err := c.amend(""); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if n, changes := c.amendments(); n != 1 || changes != 2 {
				t.Errorf("in the end: %d amendments with %d changes", n, changes)
			}
		})
	}
}

// operator is one with a signer that is stopped.
type operator struct {
	t                              *testing.T
	program, data, secret, control string
}

func newOperator(t *testing.T, program string) *operator {
	t.Helper()
	dir := t.TempDir()
	c := &operator{t, program, filepath.Join(dir, "data"), filepath.Join(dir, "secret"), filepath.Join(dir, "control")}
	out, err := exec.Command(program, "init", "--data", c.data, "--environment", "sandbox", "--rp-id", "localhost",
		"--origin", "http://localhost:8081",
		"--unseal-file", c.secret, "--new-unseal-file", "--new-price-key-file",
		filepath.Join(dir, "price")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return c
}

// amend makes two changes, and dies where it is told to.
func (c *operator) amend(point string) ([]byte, error) {
	c.t.Helper()
	if err := os.WriteFile(c.control, fmt.Appendf(nil, "%-128s", point), 0o600); err != nil {
		c.t.Fatal(err)
	}
	cmd := exec.Command(c.program, "amend", "--data", c.data, "--unseal-file", c.secret, "--yes", "--origin",
		"http://localhost:9999",
		"--token", `{"chain":"base","symbol":"USDX","address":"0x1111111111111111111111111111111111111111","decimals":6}`)
	cmd.Env = append(os.Environ(), crash.Env+"="+c.control)
	return cmd.CombinedOutput()
}

// amendments are those of a signer that starts on the folder, and all their changes.
func (c *operator) amendments() (n, changes int) {
	c.t.Helper()
	secret, err := os.ReadFile(c.secret)
	if err != nil {
		c.t.Fatal(err)
	}
	sealer, err := keystore.ParseSecret(secret)
	if err != nil {
		c.t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	s, err := enclave.Open(enclave.Options{Dir: c.data, Sealer: sealer, AcceptTime: true, Log: log})
	if err != nil {
		c.t.Fatal(err)
	}
	defer s.Close()
	sealed := s.Info().Sealed
	for _, a := range sealed.Amendments {
		changes += len(a.Changes)
	}
	return len(sealed.Amendments), changes
}
