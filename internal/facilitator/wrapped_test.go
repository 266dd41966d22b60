package facilitator_test

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/internal/facilitator"
	"github.com/railkit/railkit/x402"
)

// runtime is a network whose programs of strangers run, which the sandbox's do not: it says what they call, and what
// has arrived afterwards.
type runtime struct {
	mu      sync.Mutex
	calls   []solana.Instruction
	arrived int64
	held    int64 // by who pays; 0: a lot
	sent    bool
	holds   bool                      // nothing lands
	asked   func(ctx context.Context) // of each question what became of a payment, if it is set
}

func (*runtime) Try(context.Context, []byte) (node.Window, error) {
	return node.Window{Since: 1, LastHeight: 300}, nil
}
func (r *runtime) Calls(context.Context, []byte) ([]solana.Instruction, error) { return r.calls, nil }
func (r *runtime) Send(context.Context, []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = true
	return nil
}
func (r *runtime) Outcome(ctx context.Context, _ node.Sent) (o node.Outcome, err error) {
	if r.asked != nil {
		r.asked(ctx)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	o.Landed = r.sent && !r.holds
	o.Succeeded = o.Landed
	return o, nil
}

// lets has everything land that was sent, or nothing.
func (r *runtime) lets(land bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.holds = !land
}
func (r *runtime) Arrived(context.Context, string, string, string) (*big.Int, error) {
	return big.NewInt(r.arrived), nil
}
func (r *runtime) Held(context.Context, solana.Address) (*big.Int, error) {
	return big.NewInt(cmp.Or(r.held, 1<<40)), nil
}
func (*runtime) Balances(context.Context, []string, []string) ([]node.Balance, error) {
	return []node.Balance{{Coin: big.NewInt(1 << 40)}}, nil
}

// A wallet that is a program pays by what it calls. That it would is no proof that it did: success is said by what has
// arrived.
func TestAgents_SolanaWalletsThatArePrograms(t *testing.T) {
	t.Parallel()
	squads, err := solana.ParseAddress("SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		called, arrived int64
		times           int
		want            string
	}{
		"it pays":                  {10_000, 10_000, 1, ""},
		"it pays more":             {10_001, 10_001, 1, ""},
		"it pays less":             {9_999, 0, 1, x402.ReasonSVMOther},
		"it pays twice":            {10_000, 20_000, 2, x402.ReasonSVMSeveral},
		"it pays nothing":          {0, 0, 0, x402.ReasonSVMNone},
		"it says so, and does not": {10_000, 9_999, 1, x402.ReasonSVMNotConfirmed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t)
			mint, vault := parseSolana(t, c.network.Tokens[0].Address), solanaOf(solanaKey(6))
			pays := solana.TransferToken(vault, c.seller, mint, uint64(tc.called), 6)
			r := &runtime{arrived: tc.arrived}
			for range tc.times {
				r.calls = append(r.calls, pays)
			}
			f := c.openWith(map[string]facilitator.Cluster{x402.NetworkID(c.network): r})
			defer func() { _ = f.Close() }()
			request := c.wrapped(solana.Instruction{Program: squads, Data: []byte{1}, Accounts: []solana.Account{
				{Address: solanaOf(c.buyer), Signs: true},
			}})
			receipt, err := f.Settle(t.Context(), request)
			if err != nil || receipt.Success != (tc.want == "") || receipt.ErrorReason != tc.want {
				t.Errorf("%+v, %v, want %q", receipt, err, tc.want)
			}
			if tc.want == "" && receipt.Payer != vault.String() {
				t.Errorf("paid by %s", receipt.Payer)
			}
		})
	}
}

// Which transfer pays is known after a restart, too: who paid is said in the receipt, and what he still has to pay is
// counted beside his next payment.
func TestAgents_SolanaWrappedRestarts(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	squads := parseSolana(t, "SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf")
	mint, vault := parseSolana(t, c.network.Tokens[0].Address), solanaOf(solanaKey(6))
	r := &runtime{arrived: 10_000, calls: []solana.Instruction{solana.TransferToken(vault, c.seller, mint, 10_000, 6)}}
	clusters := map[string]facilitator.Cluster{x402.NetworkID(c.network): r}
	calls := func(data byte) x402.Request {
		return c.wrapped(solana.Instruction{Program: squads, Data: []byte{data}, Accounts: []solana.Account{
			{Address: solanaOf(c.buyer), Signs: true},
		}})
	}
	r.lets(false)
	c.wait = soon
	f, request := c.openWith(clusters), calls(1)
	now := func(f *facilitator.Facilitator, request x402.Request) x402.Receipt {
		t.Helper()
		receipt, err := f.Settle(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		return receipt
	}
	if receipt := now(f, request); !receipt.Pending() || receipt.Payer != vault.String() {
		t.Fatalf("%+v", receipt)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	f = c.openWith(clusters)
	defer func() { _ = f.Close() }()
	if receipt := now(f, request); !receipt.Pending() || receipt.Payer != vault.String() {
		t.Errorf("after a restart: %+v", receipt)
	}
	r.held = 15_000
	if receipt := now(f, calls(2)); receipt.ErrorReason != x402.ReasonInsufficientFunds {
		t.Errorf("a second one, for which the payer has too little: %+v", receipt)
	}
	r.lets(true)
	receipt, err := c.settles(f, request)
	if err != nil || !receipt.Success || receipt.Payer != vault.String() {
		t.Errorf("%+v, %v", receipt, err)
	}
}

// One payer's open payments are looked at several at one time before his next one, and of more than he may have open
// nothing is asked: others wait for none of that.
func TestAgents_SolanaQueueOfOnePayer(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	squads := parseSolana(t, "SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf")
	mint, vault := parseSolana(t, c.network.Tokens[0].Address), solanaOf(solanaKey(6))
	r := &runtime{calls: []solana.Instruction{solana.TransferToken(vault, c.seller, mint, 10_000, 6)}}
	var atOnce, most, asked atomic.Int64
	r.asked = func(ctx context.Context) {
		if _, begins := ctx.Deadline(); !begins {
			return // who follows a payment has all the time
		}
		asked.Add(1)
		most.Store(max(most.Load(), atOnce.Add(1)))
		defer atOnce.Add(-1)
		time.Sleep(time.Millisecond) // a slow one, as nodes are
	}
	r.lets(false)
	c.wait = soon
	f := c.openWith(map[string]facilitator.Cluster{x402.NetworkID(c.network): r})
	defer func() { _ = f.Close() }()
	begin := func(i int) error {
		_, err := f.Settle(t.Context(), c.wrapped(solana.Instruction{
			Program: squads, Data: []byte{byte(i)},
			Accounts: []solana.Account{{Address: solanaOf(c.buyer), Signs: true}},
		}))
		return err
	}
	for i := range 16 {
		if err := begin(i); err != nil || f.Waiting() != i+1 {
			t.Fatalf("%v, %d wait", err, f.Waiting())
		}
	}
	if most.Load() < 2 {
		t.Error("they are looked at one after the other")
	}
	asked.Store(0)
	if err := begin(16); err == nil || f.Waiting() != 16 || asked.Load() != 0 {
		t.Errorf("%v, %d wait, asked %d times", err, f.Waiting(), asked.Load())
	}
}

func parseSolana(t testing.TB, text string) solana.Address {
	t.Helper()
	a, err := solana.ParseAddress(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// wrapped is a payment of one instruction of a wallet that is a program.
func (c *cluster) wrapped(i solana.Instruction) x402.Request {
	c.Helper()
	m, err := solana.Compile(solana.V0, c.by.Account(), [32]byte{1}, solana.Config{},
		[]solana.Instruction{solana.SetUnits(300_000), solana.SetPrice(1), i})
	if err != nil {
		c.Fatal(err)
	}
	raw, err := m.Encode()
	if err != nil {
		c.Fatal(err)
	}
	tx, err := solana.Unsigned(m).Attach(solanaOf(c.buyer), solana.Signature(ed25519.Sign(c.buyer, raw)))
	if err != nil {
		c.Fatal(err)
	}
	if raw, err = tx.Encode(); err != nil {
		c.Fatal(err)
	}
	offer, err := json.Marshal(c.offer("10000"))
	if err != nil {
		c.Fatal(err)
	}
	payload, err := json.Marshal(map[string]any{
		"x402Version": 2, "accepted": json.RawMessage(offer),
		"payload": map[string]string{"transaction": base64.StdEncoding.EncodeToString(raw)},
	})
	if err != nil {
		c.Fatal(err)
	}
	return x402.Request{Version: 2, Payload: payload, Requirements: offer}
}

// A payment whose blockhash is about to be too old is refused before the signer is asked: it would be signed for
// nothing, and take of what may be signed in a day. One that nobody knows any more is told apart from one that fails.
func TestAgents_SolanaWantsLifeLeft(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	f, late := c.serve(), c.pay(c.offer("10000"))
	refused := func(r x402.Request, why string) {
		t.Helper()
		v, err := f.Verify(t.Context(), r)
		if err != nil || v.Valid || v.InvalidReason != x402.ReasonSVMSimulation ||
			!strings.Contains(v.InvalidReport, why) || (why == "") != (v.InvalidReport == "") {
			t.Errorf("%+v, %v, want %q", v, err, why)
		}
		got, err := f.Settle(t.Context(), r)
		if err != nil || got.ErrorReason != x402.ReasonSVMSimulation || !strings.Contains(got.ErrorMessage, why) {
			t.Errorf("%+v, %v, want %q", got, err, why)
		}
	}
	c.control("a", "dev_mine", 121)
	refused(late, "counts for 29 blocks more")
	c.control("a", "dev_mine", 40)
	refused(late, "BlockhashNotFound")
	refused(newBuyer(c, 9), "")
	if c.signer.signed != 0 {
		t.Errorf("%d were signed", c.signer.signed)
	}
	inTime := c.pay(c.offer("10000"))
	c.control("a", "dev_mine", 120)
	if got, err := f.Settle(t.Context(), inTime); err != nil || !got.Success {
		t.Errorf("%+v, %v", got, err)
	}
}
