package facilitator_test

import (
	"testing"

	"github.com/railkit/railkit/internal/facilitator"
	"github.com/railkit/railkit/internal/test/x402test"
	"github.com/railkit/railkit/x402"
)

// TestAgents_BothFamilies has one process settle on EVM and on Solana, out of one folder.
func TestAgents_BothFamilies(t *testing.T) {
	c, evms := newCluster(t), x402test.NewChain(t)
	by := &x402test.Signer{Key: x402test.NewKey(t)}
	evms.Give(by.Address(), "native", "1")
	f := evms.FacilitatorOf(by, func(config *facilitator.Config) {
		config.Folder, config.Sponsor = c.folder, &facilitator.SponsorConfig{
			Clusters: map[string]facilitator.Cluster{x402.NetworkID(c.network): c.nodes}, Signer: c.by,
		}
	})
	onEVM, _, _ := evms.Pay(evms.Buyer("1"), evms.Offer("10000", x402test.NewKey(t).Address))
	for network, r := range map[string]x402.Request{"EVM": onEVM, "Solana": c.pay(c.offer("10000"))} {
		if receipt, err := f.Settle(t.Context(), r); err != nil || !receipt.Success {
			t.Errorf("on %s: %+v %v", network, receipt, err)
		}
	}
}
