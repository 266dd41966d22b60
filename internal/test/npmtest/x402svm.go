package npmtest

import (
	"encoding/hex"
	"errors"
	"testing"
)

// X402Solana are the packages of x402's makers for Solana: a buyer, a shop and a facilitator, as they come. Keys are
// seeds of ed25519.
type X402Solana struct{ packages Packages }

// InstallX402Solana fetches them.
func InstallX402Solana(t testing.TB) X402Solana {
	t.Helper()
	return X402Solana{install(t, "x402svm")}
}

// Buy has @x402/fetch buy from a shop, with blockhashes of a node.
func (x X402Solana) Buy(url string, seed []byte, rpc string) (p Purchase, err error) {
	return p, x.packages.run("buy.mjs", func(c *call) error {
		return errors.Join(c.write(map[string]any{"url": url, "seed": hex.EncodeToString(seed), "rpc": rpc}),
			c.in.Close(), c.read(&p))
	})
}

// Sell runs a shop of @x402/express while a buyer is there. It sells /weather for 0.01 USDC.
func (x X402Solana) Sell(facilitator, payTo string, buyer func(port int) error) error {
	return x.serve("sell.mjs", map[string]any{"facilitator": facilitator, "payTo": payTo}, buyer)
}

// Facilitate runs a facilitator of @x402/core while its callers are there. Its account has SOL on the node's chain.
func (x X402Solana) Facilitate(rpc string, seed []byte, callers func(port int) error) error {
	return x.serve("facilitate.mjs", map[string]any{"rpc": rpc, "seed": hex.EncodeToString(seed)}, callers)
}

func (x X402Solana) serve(script string, in any, callers func(port int) error) error {
	return x.packages.run(script, func(c *call) error {
		var running struct{ Port int }
		if err := errors.Join(c.write(in), c.read(&running)); err != nil {
			return err
		}
		return callers(running.Port)
	})
}
