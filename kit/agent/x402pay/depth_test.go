package x402pay

import (
	"context"
	"math/big"
	"slices"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/signing/nodes"
)

// branch is the chain as a node has it: the second of each block from 0, and the block in which the money moved, or 0.
type branch struct {
	nodes.Node
	times []int64
	moved int64
}

func (b branch) Head(context.Context) (int64, error) { return int64(len(b.times)) - 1, nil }

func (b branch) NonceAt(_ context.Context, _ chain.SignedTransfer, block int64) (bool, int64, error) {
	return b.moved > 0 && b.moved <= block, b.times[block], nil
}

func (b branch) Carries(context.Context, string, chain.SignedTransfer) (bool, error) {
	return true, nil
}

func (b branch) Transfers(_ context.Context, q node.Query) ([]node.Transfer, error) {
	if b.moved == 0 || b.moved < q.From || b.moved > q.To {
		return nil, nil
	}
	return []node.Transfer{{From: "0xa", To: "0xb", Amount: big.NewInt(10_000), Tx: "0x1"}}, nil
}

// A payment ends as deep in the chain as its network's confirmations say. What a reorg can still take back, or bring,
// ends nothing: neither a movement that is one block deep, nor the passing of the time in which it can come.
func TestAgents_X402EndsAtDepth(t *testing.T) {
	n, _ := chain.BySlug(chain.Sandbox, "base")
	n.Confirmations = 3
	p := Payment{
		State: Signed, Network: "base", Transfer: chain.EIP3009, From: "0xa", PayTo: "0xb", Micro: 10_000,
		Nonce: "0x" + string(slices.Repeat([]byte("0"), 64)), Since: 1, ValidBefore: 160,
	}
	for what, c := range map[string]struct {
		branch
		want State
	}{
		"nothing yet":              {branch{times: []int64{98, 100, 102, 104, 106}}, Signed},
		"moved, one deep":          {branch{times: []int64{98, 100, 102, 104, 106}, moved: 4}, Signed},
		"moved, two deep":          {branch{times: []int64{98, 100, 102, 104, 106}, moved: 3}, Signed},
		"moved, three deep":        {branch{times: []int64{98, 100, 102, 104, 106}, moved: 2}, Settled},
		"over in the newest block": {branch{times: []int64{98, 100, 102, 104, 161}}, Signed},
		"moved in the last second": {branch{times: []int64{98, 100, 102, 160, 161, 162}, moved: 3}, Settled},
		"over, three deep":         {branch{times: []int64{98, 100, 102, 161, 162, 163}}, Unused},
		"a chain that has gone":    {branch{times: []int64{98, 100}}, Signed},
	} {
		set := nodes.NewSet([]chain.Network{n}, map[string]nodes.Node{"base": c.branch})
		s := &Service{c: Config{Clock: clock.System{}, Nodes: set}}
		got, err := s.told(t.Context(), p)
		if err != nil || got.State != c.want {
			t.Errorf("%s: %s, %v, not %s", what, got.State, err, c.want)
		}
	}
}
