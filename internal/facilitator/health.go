package facilitator

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/x402"
)

// Health is the answer of GET /healthz. It names no payer: everybody may ask.
type Health struct {
	Ready   bool     `json:"ready"`   // every node answers, and nothing is stuck
	Waiting int      `json:"waiting"` // settlements without an end
	Lines   []Queue  `json:"lines,omitempty"`
	Faults  []string `json:"faults,omitempty"`
}

// Queue is what waits on one network.
type Queue struct {
	Network  string `json:"network"`
	Unsigned int    `json:"unsigned"` // the signer has not answered
	Unmined  int    `json:"unmined"`  // sent, and in no block
	// The one that has waited longest. On Solana it has no nonce.
	Nonce       uint64 `json:"nonce"`
	Since       string `json:"since"`
	Transaction string `json:"transaction,omitempty"`
}

// stuckAfter is how long a settlement waits before it is a fault. No payment of our shops is good for longer than two
// minutes.
const stuckAfter = 5 * time.Minute

func (f *Facilitator) serveHealth(w http.ResponseWriter, r *http.Request) {
	h := f.Health(r.Context())
	status := http.StatusOK
	if !h.Ready {
		status = http.StatusServiceUnavailable
	}
	reply(w, status, h)
}

// Health asks every node for its newest block, and says what waits.
func (f *Facilitator) Health(ctx context.Context) Health {
	h := Health{}
	for id, n := range f.Nodes {
		network := x402.NetworkID(chain.Network{Kind: chain.EVM, ChainID: id})
		if _, err := n.Time(ctx); err != nil && !errors.Is(err, context.Canceled) {
			h.Faults = append(h.Faults, network)
		}
		q, since := f.lines[id].queue(network)
		h.add(q, f.Clock.Now().Sub(since), fmt.Sprintf("nonce %d", q.Nonce))
	}
	if f.sponsor != nil {
		f.sponsor.health(ctx, &h)
	}
	slices.Sort(h.Faults)
	slices.SortFunc(h.Lines, func(a, b Queue) int { return strings.Compare(a.Network, b.Network) })
	h.Ready = len(h.Faults) == 0
	return h
}

// add says what waits on a network, for so long, and calls it a fault where that is too long.
func (h *Health) add(q Queue, waits time.Duration, what string) {
	if q.Unsigned+q.Unmined == 0 {
		return
	}
	h.Waiting += q.Unsigned + q.Unmined
	h.Lines = append(h.Lines, q)
	if waits = waits.Round(time.Second); waits > stuckAfter {
		h.Faults = append(h.Faults, fmt.Sprintf("%s: %s waits for %s", q.Network, what, waits))
	}
}

// lowOnFees is what the account has to have on Solana, in lamports: what an account has to keep there, and a hundred
// fees.
const lowOnFees = 2_000_000

// health says of each network what waits there, and whether its nodes answer and the account can pay for fees.
func (p *sponsor) health(ctx context.Context, h *Health) {
	account := p.signer.Account().String()
	for id, n := range p.clusters {
		held, err := n.Balances(ctx, []string{account}, nil)
		switch {
		case err != nil && !errors.Is(err, context.Canceled):
			h.Faults = append(h.Faults, id)
		case err == nil && held[0].Coin.Cmp(big.NewInt(lowOnFees)) < 0:
			h.Faults = append(h.Faults, fmt.Sprintf("%s: %s has %s lamports, which is too little for fees", id, account,
				held[0].Coin))
		}
		q, since := p.queue(id)
		h.add(q, p.Clock.Now().Sub(since), "a settlement")
	}
}
