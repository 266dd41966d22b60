package apptest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/internal/test/apptest"
)

// The real signer is shut in, every thread of it, also those that load makes,
// and works; SIGQUIT shows nothing of its memory, and its successor works too.
func TestSigning_K06_SignerIsConfined(t *testing.T) {
	t.Parallel()
	a := apptest.New(t)
	c := a.Client()
	signer := client.New(a.EnclaveSock, a.EnclaveKey)
	t.Cleanup(func() { _ = signer.Close() })
	info, err := signer.Info(t.Context())
	if err != nil || len(info.Hardening) > 0 {
		t.Errorf("not in force: %q, %v", info.Hardening, err)
	}
	alice := a.Fund(c, "alice@example.com")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := c.Transactions.Send(context.Background(), alice.Passkey,
				alice.Payment(receiver, "1")); err != nil {
				t.Errorf("sending: %v", err)
			}
		})
	}
	wg.Wait()
	wantConfined(t, a.EnclavePID())
	for _, s := range []syscall.Signal{syscall.SIGQUIT, syscall.SIGABRT, syscall.SIGSEGV} {
		old := a.EnclavePID()
		a.SignalEnclave(s)
		apptest.Eventually(t, "another signer", func() bool {
			_, err := signer.Info(t.Context())
			return err == nil && a.EnclavePID() != old
		})
		wantConfined(t, a.EnclavePID())
	}
	if _, err := c.Transactions.Send(context.Background(), alice.Passkey, alice.Payment(receiver, "1")); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	for _, part := range []string{"goroutine", "SIGQUIT", "SIGABRT", "rip "} {
		if strings.Contains(a.Log.String(), part) {
			t.Errorf("the log says %q:\n%s", part, a.Log)
		}
	}
}

func wantConfined(t *testing.T, pid int) {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil || len(tasks) < 2 {
		t.Fatalf("%d threads, %v", len(tasks), err)
	}
	for _, task := range tasks {
		raw, err := os.ReadFile(task)
		if os.IsNotExist(err) {
			continue // a thread that has ended
		}
		for _, want := range []string{"NoNewPrivs:\t1", "Seccomp:\t2"} {
			if err != nil || !strings.Contains(string(raw), want) {
				t.Errorf("%s lacks %q: %v", task, want, err)
			}
		}
	}
}
