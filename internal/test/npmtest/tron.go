package npmtest

import (
	"errors"
	"io"
	"testing"
)

// Tron are two libraries that read and make transactions of Tron: tronweb and Trust Wallet's core.
type Tron struct{ packages Packages }

// InstallTron fetches them.
func InstallTron(t testing.TB) Tron {
	t.Helper()
	return Tron{install(t, "tron")}
}

// Ask puts questions to the script, which tron/oracle.mjs lists, one after the other.
func (l Tron) Ask(use func(ask func(question, answer any) error) error) error {
	return l.packages.run("oracle.mjs", func(c *call) error { return use(c.ask) })
}

// TronChain is what tronweb is told of a chain that it sends and reads through.
type TronChain struct {
	URL    string `json:"url"`
	Secret string `json:"secret"` // of the key that pays, in hex
	Other  string `json:"other"`  // an account that is there
	Token  string `json:"token"`  // contract of USDT
	Sun    int64  `json:"sun"`    // what the key has
	Tokens int64  `json:"tokens"`
}

// TronPart is a part of what it did.
type TronPart struct{ Part, Error string }

// Use has tronweb do it.
func (l Tron) Use(c TronChain) (parts []TronPart, err error) {
	err = l.packages.run("chain.mjs", func(talk *call) error {
		if err := talk.write(c); err != nil {
			return err
		}
		for {
			var p TronPart
			if err := talk.read(&p); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
			parts = append(parts, p)
		}
	})
	return parts, err
}
