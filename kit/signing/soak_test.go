package signing_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	mrand "math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/rpc"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/internal/test/testwait"
	railkit "github.com/railkit/railkit/sdk/go"
)

// TestSigning_K04_SoakUnderKills has eight callers pay from several addresses
// while server, enclave and chain are killed at random, and counts afterwards:
// what was paid is what arrived, no nonce was used twice, none was left out.
// `make soak` runs it for long; RAILKIT_SEED repeats a run's kills.
func TestSigning_K04_SoakUnderKills(t *testing.T) {
	t.Parallel()
	a := apptest.NewOrdinaryProcesses(t)
	s := &soak{t: t, app: a, payee: randomAddress(t), until: soakUntil(t, "2s", "20s"), paid: map[string]uint64{}}
	for i := range 4 {
		s.owners = append(s.owners, a.Fund(a.Client(), fmt.Sprintf("owner%d@example.com", i)))
	}
	var payers sync.WaitGroup
	for i := range 8 {
		payers.Go(func() { s.pay(s.owners[i%len(s.owners)]) })
	}
	s.disturb(testenv.Seed(t))
	payers.Wait()
	s.settle()
}

type soak struct {
	t      *testing.T
	app    *apptest.Processes
	owners []apptest.Owner
	payee  string
	until  time.Time
	mu     sync.Mutex
	paid   map[string]uint64 // by address
}

// soakUntil is when a soak of the ordinary run ends; the nightly one is the longer one.
func soakUntil(t *testing.T, ordinary, nightly string) time.Time {
	t.Helper()
	if testenv.Nightly() {
		return testenv.SoakUntil(t, nightly)
	}
	return testenv.SoakUntil(t, ordinary)
}

// pay pays one USDC after the other. A call that fails is tried again under its
// key until it succeeds, as a client would.
func (s *soak) pay(owner apptest.Owner) {
	for time.Now().Before(s.until) {
		prepare, confirm := uuid.NewString(), uuid.NewString()
		var p *railkit.PreparedTransaction
		s.insist(func(c *railkit.Client) (err error) {
			p, err = c.Transactions.Prepare(railkit.WithIdempotencyKey(ctx, prepare), owner.Payment(s.payee, "1"))
			return err
		})
		if p == nil {
			return
		}
		stamp, err := owner.Passkey.Stamp(p.UnsignedActivity.Body)
		if err != nil {
			s.t.Error(err)
			return
		}
		s.insist(func(c *railkit.Client) error {
			_, err := c.Transactions.Confirm(railkit.WithIdempotencyKey(ctx, confirm),
				railkit.ConfirmTransactionRequest{TransactionID: p.TransactionID, SignedActivity: p.Signed(stamp)})
			return err
		})
		s.mu.Lock()
		s.paid[owner.Address.Address]++
		s.mu.Unlock()
	}
}

// insist calls until it works. A refusal for good is a failure of the test.
func (s *soak) insist(call func(*railkit.Client) error) {
	deadline := time.Now().Add(testwait.Bound)
	for {
		err := call(s.app.Client())
		if err == nil {
			return
		}
		var refused *railkit.Error
		final := errors.As(err, &refused) && refused.Status < 500 && refused.Status != 409
		if final || railkit.IsTampered(err) || time.Now().After(deadline) {
			s.t.Errorf("%v\n%s", err, s.app.Log.Tail(20))
			return
		}
		time.Sleep(50 * time.Millisecond) // between two tries
	}
}

// disturb kills one part after the other at odd moments.
func (s *soak) disturb(seed uint64) {
	dice := mrand.New(mrand.NewPCG(seed, 0))
	parts := []string{apptest.Server, apptest.Enclave, apptest.Chain}
	for time.Now().Before(s.until) {
		time.Sleep(300*time.Millisecond + time.Duration(dice.IntN(700))*time.Millisecond) // by its plan
		s.app.Kill(parts[dice.IntN(len(parts))])
	}
}

// settle waits until every payment is final and compares three counts: the
// callers', the database's and the chain's.
func (s *soak) settle() {
	nonces := map[string]map[uint64]bool{}
	for deadline := time.Now().Add(testwait.Bound); ; time.Sleep(500 * time.Millisecond) { // between two looks
		err := s.read(nonces)
		if err == nil {
			break
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("%v\n%s", err, s.app.Log.Tail(20))
		}
	}
	var confirmed uint64
	for address, paid := range s.paid {
		confirmed += paid
		if got := uint64(len(nonces[address])); got != paid {
			s.t.Errorf("%s paid %d times, %d are confirmed", address, paid, got)
		}
		for n := range paid {
			if !nonces[address][n] {
				s.t.Errorf("%s: nonce %d was left out", address, n)
			}
		}
	}
	if got := s.balance(); got.Cmp(new(big.Int).SetUint64(confirmed*1_000_000)) != 0 {
		s.t.Errorf("%d were paid, %s units arrived", confirmed, got)
	}
	s.t.Logf("%d payments under kills", confirmed)
}

// read collects the nonces of what is confirmed, by address.
func (s *soak) read(nonces map[string]map[uint64]bool) error {
	clear(nonces)
	every := railkit.TransactionListOptions{Status: railkit.EveryStatus}
	for tx, err := range s.app.Client().Transactions.All(ctx, every) {
		if err != nil {
			return err
		}
		if tx.Status != "confirmed" {
			return fmt.Errorf("%s is %s", tx.TransactionID, tx.Status)
		}
		if nonces[tx.From] == nil {
			nonces[tx.From] = map[uint64]bool{}
		}
		if nonces[tx.From][*tx.Nonce] {
			s.t.Fatalf("%s: nonce %d was signed for twice", tx.From, *tx.Nonce)
		}
		nonces[tx.From][*tx.Nonce] = true
	}
	return nil
}

// balance asks the chain, which may have been killed last and still be starting.
func (s *soak) balance() *big.Int {
	n, _ := chain.BySlug(chain.Sandbox, "base")
	for deadline := time.Now().Add(testwait.Bound); ; time.Sleep(100 * time.Millisecond) { // between two tries
		held, err := s.held(n)
		if err == nil {
			return held
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("%v\n%s", err, s.app.Log.Tail(20))
		}
	}
}

func (s *soak) held(n chain.Network) (*big.Int, error) {
	node, err := rpc.Dial(ctx, s.app.Devnet.RPCURL("base"), n)
	if err != nil {
		return nil, err
	}
	defer node.Close()
	return node.TokenBalance(ctx, apptest.USDC().Address, s.payee)
}

func randomAddress(t *testing.T) string {
	t.Helper()
	var a evm.Address
	if _, err := rand.Read(a[:]); err != nil {
		t.Fatal(err)
	}
	return a.String()
}
