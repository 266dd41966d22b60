package npmtest

import (
	"encoding/json"
	"errors"
	"io"
	"testing"
)

// X402 are the packages of x402's makers: a buyer and a shop, as they come.
type X402 struct{ packages Packages }

// InstallX402 fetches them.
func InstallX402(t testing.TB) X402 {
	t.Helper()
	return X402{install(t, "x402")}
}

// Purchase is what a buyer of @x402/fetch got.
type Purchase struct {
	Status  int
	Body    string
	Receipt json.RawMessage
	Sent    []string // of each request the header that paid, or ""
}

// Buy has @x402/fetch buy from a shop by version 1 or 2.
func (x X402) Buy(url, key string, version int) (p Purchase, err error) {
	return p, x.packages.run("buy.mjs", func(c *call) error {
		return errors.Join(c.write(map[string]any{"url": url, "key": key, "version": version}), c.in.Close(),
			c.read(&p))
	})
}

// Sell runs a shop of @x402/express while a buyer is there. It sells /eip3009 and /permit2 for 0.01 USDC each, and
// /crowd, which answers once ten requests are there that were verified.
func (x X402) Sell(facilitator, payTo, asset string, buyer func(port int) error) error {
	return x.packages.run("sell.mjs", func(c *call) error {
		var shop struct{ Port int }
		offer := map[string]any{"facilitator": facilitator, "payTo": payTo, "asset": asset}
		if err := errors.Join(c.write(offer), c.read(&shop)); err != nil {
			return err
		}
		return buyer(shop.Port)
	})
}

// Facilitate runs a facilitator of @x402/core while its callers are there. It settles with a key that has coins for
// gas, on a node of Base Sepolia's chain id.
func (x X402) Facilitate(rpc, key string, callers func(port int) error) error {
	return x.packages.run("facilitate.mjs", func(c *call) error {
		var running struct{ Port int }
		if err := errors.Join(c.write(map[string]any{"rpc": rpc, "key": key}), c.read(&running)); err != nil {
			return err
		}
		return callers(running.Port)
	})
}

// Payment is one that @x402/evm made, with what viem says was signed.
type Payment struct {
	Name, Digest   string
	Version        int
	Offer, Payload json.RawMessage
}

// Pay has @x402/evm make payments, of each scheme and method one.
func (x X402) Pay() ([]Payment, error) {
	var made struct{ Payments []Payment }
	err := x.packages.run("vectors.mjs", func(c *call) error {
		whole, err := io.ReadAll(c.out)
		return errors.Join(err, json.Unmarshal(whole, &made))
	})
	return made.Payments, err
}
