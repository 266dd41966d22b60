package localnet_test

import (
	"fmt"
	"testing"

	"github.com/railkit/railkit/internal/test/npmtest"
)

// tronweb sends and reads through the chain as it comes.
func TestLibraries(t *testing.T) {
	t.Parallel()
	n := start(t)
	n.gives(alice, "native", "500")
	n.gives(bob, "native", "1")
	n.gives(alice, "USDT", "25.5")
	parts, err := npmtest.InstallTron(t).Use(npmtest.TronChain{
		URL: n.url, Secret: fmt.Sprintf("%x", keyOf(1).Serialize()), Other: bob.String(), Token: usdt,
		Sun: 500_000_000, Tokens: 25_500_000,
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
