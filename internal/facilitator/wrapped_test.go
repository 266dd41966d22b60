package facilitator_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"sync"
	"testing"

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
	sent    bool
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
func (r *runtime) Outcome(context.Context, node.Sent) (o node.Outcome, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o.Landed, o.Succeeded = r.sent, r.sent
	return o, nil
}
func (r *runtime) Arrived(context.Context, string, string, string) (*big.Int, error) {
	return big.NewInt(r.arrived), nil
}
func (*runtime) Held(context.Context, solana.Address) (*big.Int, error) {
	return big.NewInt(1 << 40), nil
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
