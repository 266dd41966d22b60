package x402test

import (
	"context"
	"crypto/ed25519"
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/rpc"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/facilitator"
	"github.com/railkit/railkit/internal/test/testlog"
	"github.com/railkit/railkit/x402"
)

// Payer pays fees on Solana by a key of the test's, in the place of the signer. What it is asked is the bytes.
type Payer ed25519.PrivateKey

// Account is its address.
func (p Payer) Account() solana.Address {
	return solana.Address(ed25519.PrivateKey(p).Public().(ed25519.PublicKey))
}

// AskBytes asks for the bytes themselves.
func (Payer) AskBytes(_ context.Context, unsigned []byte) ([]byte, error) { return unsigned, nil }

// SignBytes attaches the key's signature.
func (p Payer) SignBytes(_ context.Context, unsigned []byte) ([]byte, error) {
	tx, err := solana.DecodeTransaction(unsigned)
	if err != nil {
		return nil, err
	}
	message, err := tx.Message.Encode()
	if err != nil {
		return nil, err
	}
	if tx, err = tx.Attach(p.Account(), solana.Signature(ed25519.Sign(ed25519.PrivateKey(p), message))); err != nil {
		return nil, err
	}
	return tx.Encode()
}

// Cancel has nothing to cancel: whatever is asked is signed at once.
func (Payer) Cancel(context.Context, []byte) error { return facilitator.ErrSigned }

// SponsorAt starts a facilitator for Solana, whose nodes' URLs have spaces between. The payer has to have SOL.
func SponsorAt(t testing.TB, nodes string, p Payer) *Facilitator {
	t.Helper()
	n, _ := chain.BySlug(chain.Sandbox, "solana")
	all, err := rpc.DialAll(nodes, n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(all.Close)
	log := &testlog.Log{}
	f, err := facilitator.Open(t.Context(), facilitator.Config{
		Folder: t.TempDir(), Clock: clock.System{}, Log: slog.New(slog.NewJSONHandler(log, nil)), Wait: time.Minute,
		Sponsor: &facilitator.SponsorConfig{
			Clusters: map[string]facilitator.Cluster{x402.NetworkID(n): all}, Signer: p,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(f.Handler())
	t.Cleanup(func() {
		server.Close()
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return &Facilitator{Facilitator: f, URL: server.URL, Log: log}
}
