package apptest_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/kit/agent/killswitch"
	"github.com/railkit/railkit/kit/signing/rollback"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	railkit "github.com/railkit/railkit/sdk/go"
)

// The signer's folder is put back to a copy from before a payment. Its journal goes
// on and passes the numbers that the SDK remembers: the SDK stops before it believes
// a preview.
func TestSigning_ClientOfARestoredSigner(t *testing.T) {
	t.Parallel()
	a := apptest.New(t)
	memory := railkit.NewMemory()
	c, err := railkit.New(railkit.Config{
		BaseURL: a.BaseURL, APIKey: a.Keys.BenchKey, EnclaveKey: a.EnclaveKey, Environment: "sandbox", Memory: memory,
		Retry: railkit.Retry{Attempts: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	alice := a.Fund(c, "alice@example.com")
	payment := railkit.PrepareTransactionRequest{
		Type: railkit.TransferToken, SignWith: alice.Address.Address, ChainID: 84532,
		To: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", Amount: "1", TokenAddress: apptest.USDC().Address,
	}
	dir, _ := a.EnclaveFolder()
	backup := filepath.Join(t.TempDir(), "backup")
	if err := os.CopyFS(backup, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Transactions.Send(t.Context(), alice.Passkey, payment); err != nil {
		t.Fatal(err)
	}

	// The server looks once a second: what it has not seen in the journal, it does not miss.
	apptest.Eventually(t, "a server that has seen the payment in the signer's journal", func() bool {
		mark, err := a.Store.Signing().SignerMarks().Mark(t.Context())
		return err == nil && uint64(mark.Seq) >= memory.Highest()
	})

	if err := os.Rename(dir, dir+".newer"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(backup, dir); err != nil {
		t.Fatal(err)
	}
	signer := client.New(a.EnclaveSock, a.EnclaveKey)
	defer signer.Close()
	pid := a.EnclavePID()
	a.KillEnclave()
	for seq := entriesAfterRestart(t, a, signer, pid); seq <= memory.Highest(); seq++ {
		// An entry of the new journal.
		if _, err := signer.Cancel(t.Context(), railkit.Fingerprint(strconv.FormatUint(seq, 10))); err != nil {
			t.Fatal(err)
		}
	}
	payment.PayAgain = true // the first is in no block yet, which is another check's to say
	_, err = c.Transactions.Prepare(t.Context(), payment)
	if !railkit.IsTampered(err) {
		t.Errorf("prepare at the restored signer: %v", err)
	}
	if _, err := a.Client().Transactions.Prepare(t.Context(), payment); err != nil {
		t.Errorf("a client that remembers nothing: %v", err)
	}
	closedUntilAccepted(t, a, signer, func() error {
		_, err := a.Client().Transactions.Send(t.Context(), alice.Passkey, payment)
		return err
	})
}

// closedUntilAccepted holds that the server, which has seen a later entry too, has the signer sign nothing until an
// operator confirms it, also after a start.
func closedUntilAccepted(t *testing.T, a *apptest.App, signer *client.Client, pay func() error) {
	t.Helper()
	behind := func(err error) bool {
		var e *railkit.Error
		return errors.As(err, &e) && e.Status == 503 && e.Code == "signer_behind"
	}
	apptest.Eventually(t, "a server that has looked at the signer", func() bool {
		return strings.Contains(a.Log.String(), "the signer was put back to an older copy")
	})
	a.StopServer()
	a.StartServer()
	if err := pay(); !behind(err) {
		t.Errorf("a payment by a signer that was put back: %v", err)
	}
	order := &command.Command{
		Principal: auth.Principal{Kind: auth.Kind(audit.Operator), ID: "ines", Environment: "sandbox",
			Tenant: auth.Tenant{WorkspaceID: killswitch.Platform}},
		Operation: "admin signer accept", Render: func(command.Reply) ([]byte, error) { return nil, nil },
	}
	marks := a.Store.Signing().SignerMarks()
	if err := rollback.Accept(t.Context(), marks, signer, order, time.Now(), "restored on purpose"); err != nil {
		t.Fatal(err)
	}
	apptest.Eventually(t, "a server that knows of the confirmation", func() bool { return !behind(pay()) })
}

// entriesAfterRestart waits for the process after pid and gives its last entry.
func entriesAfterRestart(t *testing.T, a *apptest.App, signer *client.Client, pid int) uint64 {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if info, err := signer.Info(t.Context()); err == nil && a.EnclavePID() != pid {
			seq, err := strconv.ParseUint(info.Seq, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return seq
		}
		select {
		case <-t.Context().Done():
			t.Fatal("the signer does not come back")
		case <-tick.C:
		}
	}
}
