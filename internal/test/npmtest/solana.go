package npmtest

import (
	"errors"
	"io"
	"testing"
)

// Solana are three libraries that read and make transactions of Solana: @solana/kit, @solana/web3.js and Trust Wallet's
// core.
type Solana struct{ packages Packages }

// InstallSolana fetches them.
func InstallSolana(t testing.TB) Solana {
	t.Helper()
	return Solana{install(t, "solana")}
}

// Ask puts questions to the script, which solana/oracle.mjs lists, one after the other.
func (s Solana) Ask(use func(ask func(question, answer any) error) error) error {
	return s.packages.run("oracle.mjs", func(c *call) error { return use(c.ask) })
}

// SolanaChain is what the libraries are told of a chain that they send and read through.
type SolanaChain struct {
	URL  string   `json:"url"`
	Seed string   `json:"seed"` // of the key that pays, in hex
	Mint string   `json:"mint"` // of USDC, which the chain's faucet gives
	Sent []string `json:"sent"` // ids of transactions that are there already
}

// SolanaPart is a part of what they did.
type SolanaPart struct{ Part, Error string }

// Use has them do it, with @solana/spl-token beside.
func (s Solana) Use(c SolanaChain) (parts []SolanaPart, err error) {
	err = s.packages.run("chain.mjs", func(talk *call) error {
		if err := talk.write(c); err != nil {
			return err
		}
		for {
			var p SolanaPart
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

// LiteSVM is Solana's own runtime in a library.
type LiteSVM struct{ packages Packages }

// InstallLiteSVM fetches it.
func InstallLiteSVM(t testing.TB) LiteSVM {
	t.Helper()
	return LiteSVM{install(t, "litesvm")}
}

// Ask puts questions to the script, which litesvm/execute.mjs lists, one after the other.
func (s LiteSVM) Ask(use func(ask func(question, answer any) error) error) error {
	return s.packages.run("execute.mjs", func(c *call) error { return use(c.ask) })
}

func (c *call) ask(question, answer any) error { return errors.Join(c.write(question), c.read(answer)) }
