package npmtest

import (
	"errors"
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
