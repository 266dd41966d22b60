package crash_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/railkit/railkit/crash"
	"github.com/railkit/railkit/enclave/keystore"
	"github.com/railkit/railkit/internal/test/testbin"
)

// resealPoints are the places at which railkit-enclave reseal can die, in their order.
var resealPoints = []string{"reseal.written", "reseal.renamed"}

// TestSigning_K09_ResealDies: wherever another unseal secret is put in the place of the one before, the folder opens
// with exactly one of the two, and the same command again, where it is still to do, makes it whole.
func TestSigning_K09_ResealDies(t *testing.T) {
	t.Parallel()
	program, err := testbin.Crashing("railkit-enclave")
	if err != nil {
		t.Fatal(err)
	}
	for n, point := range resealPoints {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			c := newOperator(t, program)
			old, next := c.secret, filepath.Join(filepath.Dir(c.secret), "next")
			secret, err := keystore.NewIdentity() // a passphrase takes a second whenever it is tried
			if err == nil {
				err = os.WriteFile(next, secret, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			if out, err := c.reseal(next, point+" 1"); err == nil {
				t.Fatalf("it did not die: %s", out)
			}
			if said, err := os.ReadFile(c.control); err != nil || !strings.HasPrefix(string(said), "died "+point) {
				t.Fatalf("it died elsewhere: %s, %v", said, err)
			}
			renamed := n > 0
			if opens := c.opensWith(next); opens != renamed || c.opensWith(old) == renamed {
				t.Fatalf("after the death it opens with the new secret: %t", opens)
			}
			if !renamed {
				if out, err := c.reseal(next, ""); err != nil {
					t.Fatalf("again: %v: %s", err, out)
				}
			}
			if !c.opensWith(next) || c.opensWith(old) {
				t.Error("in the end it does not open with the new secret alone")
			}
		})
	}
}

func (c *operator) reseal(next, point string) ([]byte, error) {
	c.t.Helper()
	if err := os.WriteFile(c.control, fmt.Appendf(nil, "%-128s", point), 0o600); err != nil {
		c.t.Fatal(err)
	}
	cmd := exec.Command(c.program, "reseal", "--data", c.data, "--unseal-file", c.secret, "--new-secret-file", next)
	cmd.Env = append(os.Environ(), crash.Env+"="+c.control)
	return cmd.CombinedOutput()
}

// opensWith reports whether the program takes a secret for the folder's. A listing of what is there already changes
// nothing.
func (c *operator) opensWith(secret string) bool {
	out, err := exec.Command(c.program, "amend", "--data", c.data, "--unseal-file", secret, "--listed",
		"--yes").CombinedOutput()
	if err != nil && !strings.Contains(string(out), "does not open with this secret") {
		c.t.Errorf("%v: %s", err, out)
	}
	return err == nil
}
