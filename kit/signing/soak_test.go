package signing_test

import (
	"crypto/rand"
	"errors"
	"math/big"
	mrand "math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/rpc"
	"github.com/railkit/railkit/internal/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// TestSigning_K04_SoakUnderKills pays while the enclave is killed and the server
// is restarted, and counts afterwards: what was paid is what arrived, no nonce
// was used twice, none was left out. `make soak` runs it for long.
func TestSigning_K04_SoakUnderKills(t *testing.T) {
	t.Parallel()
	a := apptest.New(t)
	alice := a.Fund(a.Client(), "alice@example.com")
	payee := randomAddress(t)
	s := &soak{t: t, app: a, owner: alice, payee: payee, until: soakUntil(t)}
	var payers sync.WaitGroup
	for range 3 {
		payers.Go(s.pay)
	}
	s.disturb()
	payers.Wait()
	s.settle()
}

type soak struct {
	t     *testing.T
	app   *apptest.App
	owner apptest.Owner
	payee string
	until time.Time
	mu    sync.RWMutex // held for writing while the server is down
	paid  atomic.Int64
}

func soakUntil(t *testing.T) time.Time { return soakFor(t, "5s") }

// soakFor is until when a test runs: shortly, unless RAILKIT_SOAK says for how long.
func soakFor(t *testing.T, short string) time.Time {
	t.Helper()
	text := os.Getenv("RAILKIT_SOAK")
	if text == "" {
		text = short
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return time.Now().Add(d)
}

// pay pays one USDC after the other. A call that fails is tried again under its
// key until it succeeds, as a client would.
func (s *soak) pay() {
	for time.Now().Before(s.until) {
		prepare, confirm := uuid.NewString(), uuid.NewString()
		var p *railkit.PreparedTransaction
		s.insist(func(c *railkit.Client) (err error) {
			p, err = c.PrepareTransaction(railkit.WithIdempotencyKey(ctx, prepare), s.owner.Payment(s.payee, "1"))
			return err
		})
		if p == nil {
			return
		}
		stamp, err := s.owner.Passkey.Stamp(p.UnsignedActivity.Body)
		if err != nil {
			s.t.Error(err)
			return
		}
		s.insist(func(c *railkit.Client) error {
			_, err := c.ConfirmTransaction(railkit.WithIdempotencyKey(ctx, confirm),
				railkit.ConfirmTransactionRequest{TransactionID: p.TransactionID, SignedActivity: p.Signed(stamp)})
			return err
		})
		s.paid.Add(1)
	}
}

// insist calls until it works. A refusal for good is a failure of the test.
func (s *soak) insist(call func(*railkit.Client) error) {
	deadline := time.Now().Add(30 * time.Second)
	for {
		s.mu.RLock()
		err := call(s.app.Client())
		s.mu.RUnlock()
		if err == nil {
			return
		}
		var refused *railkit.Error
		final := errors.As(err, &refused) && refused.Status < 500 && refused.Status != 409
		if final || railkit.IsTampered(err) || time.Now().After(deadline) {
			s.t.Errorf("%v\n%s", err, s.app.Log.Tail(20))
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// disturb kills the enclave and restarts the server, in turn, at odd moments.
func (s *soak) disturb() {
	for i := 0; time.Now().Before(s.until); i++ {
		time.Sleep(300*time.Millisecond + time.Duration(mrand.IntN(700))*time.Millisecond)
		if i%3 != 2 {
			s.app.KillEnclave()
			continue
		}
		s.mu.Lock()
		s.app.StopServer()
		s.app.StartServer()
		s.mu.Unlock()
	}
}

// settle waits until every payment is final and compares three counts: the
// callers', the database's and the chain's.
func (s *soak) settle() {
	c := s.app.Client()
	nonces := map[uint64]string{}
	var confirmed int64
	apptest.Eventually(s.t, "every payment is final", func() bool {
		confirmed = 0
		clear(nonces)
		for tx, err := range c.AllTransactions(ctx, railkit.TransactionListOptions{}) {
			if err != nil {
				s.t.Fatal(err)
			}
			if tx.Status != "confirmed" {
				return false
			}
			if other, twice := nonces[*tx.Nonce]; twice {
				s.t.Fatalf("nonce %d was signed for %s and %s", *tx.Nonce, other, tx.TransactionID)
			}
			nonces[*tx.Nonce] = tx.TransactionID
			confirmed++
		}
		return true
	})
	for n := range uint64(confirmed) {
		if _, ok := nonces[n]; !ok {
			s.t.Errorf("nonce %d was left out", n)
		}
	}
	if got := s.balance(); got.Cmp(big.NewInt(confirmed*1_000_000)) != 0 || confirmed != s.paid.Load() {
		s.t.Errorf("%d were paid, %d are confirmed, %s units arrived", s.paid.Load(), confirmed, got)
	}
	s.t.Logf("%d payments under kills", confirmed)
}

func (s *soak) balance() *big.Int {
	n, _ := chain.BySlug(chain.Sandbox, "base")
	node, err := rpc.Dial(ctx, s.app.Devnet.RPCURL("base"), n)
	if err != nil {
		s.t.Fatal(err)
	}
	defer node.Close()
	token, err := evm.ParseAddress(apptest.USDC().Address)
	if err != nil {
		s.t.Fatal(err)
	}
	to, err := evm.ParseAddress(s.payee)
	if err != nil {
		s.t.Fatal(err)
	}
	held, err := node.TokenBalance(ctx, token, to)
	if err != nil {
		s.t.Fatal(err)
	}
	return held
}

func randomAddress(t *testing.T) string {
	t.Helper()
	var a evm.Address
	if _, err := rand.Read(a[:]); err != nil {
		t.Fatal(err)
	}
	return a.String()
}
