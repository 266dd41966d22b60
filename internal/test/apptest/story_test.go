package apptest_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/internal/test/apptest"
)

const receiver = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"

func TestSigning_Story(t *testing.T) {
	a := apptest.New(t)
	c := a.Client()
	ctx := context.Background()
	alice := a.Fund(c, "alice@example.com")
	sent, err := c.Transactions.Send(ctx, alice.Passkey, alice.Payment(receiver, "25.50"))
	if err != nil {
		t.Fatalf("%v\n%s", err, a.Log)
	}
	if sent.Status != "broadcast" || sent.TxHash == "" {
		t.Errorf("sent as %s, hash %q", sent.Status, sent.TxHash)
	}
	done, err := c.Transactions.WaitConfirmed(ctx, sent.TransactionID, 50*time.Millisecond)
	if err != nil || done.Status != "confirmed" {
		t.Fatalf("%+v, %v\n%s", done, err, a.Log)
	}
}

// A server that links to a page whose stamps the signer refuses does not start.
func TestAnotherPageThanTheSealedOne(t *testing.T) {
	a := apptest.New(t)
	_, err := app.New(t.Context(), app.Config{Server: config.Server{
		DataDir: t.TempDir(), Environment: "sandbox", EnclaveSocket: a.EnclaveSock, EnclaveKey: a.EnclaveKey,
		RPID: "localhost", CeremonyOrigin: "https://localhost",
	}})
	if err == nil || !strings.Contains(err.Error(), "--ceremony-origin") {
		t.Errorf("got %v", err)
	}
}
