package localnet_test

import (
	"fmt"
	"testing"

	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/internal/test/npmtest"
)

// @solana/web3.js, @solana/kit and @solana/spl-token send and read through the chain as they come.
func TestLibraries(t *testing.T) {
	t.Parallel()
	n := start(t)
	n.ask(nil, "requestAirdrop", alice.String(), 2_000_000_000)
	hash, _ := n.blockhash()
	var ids []string
	for i, v := range []solana.Version{solana.Legacy, solana.V0, solana.V1} {
		text, id := n.signed(v, hash, solana.TransferCoin(alice, bob, 5_000_000+uint64(i)), solana.Memo("ours"))
		n.send(text)
		ids = append(ids, id)
	}
	parts, err := npmtest.InstallSolana(t).Use(npmtest.SolanaChain{
		URL: n.url, Seed: fmt.Sprintf("%x", keyOf(9).Seed()), Mint: usdcMint, Sent: ids,
	})
	if err != nil {
		t.Error(err)
	}
	for _, p := range parts {
		if p.Error != "" {
			t.Errorf("%s: %s", p.Part, p.Error)
		}
	}
	if len(parts) != 7 {
		t.Errorf("%d parts", len(parts))
	}
}
