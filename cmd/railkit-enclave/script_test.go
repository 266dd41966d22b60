package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/internal/test/testbin"
)

// TestCommand runs the real program as its operator would.
func TestCommand(t *testing.T) {
	bin, err := testbin.Dir()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", bin+string(os.PathListSeparator)+e.Getenv("PATH"))
			e.Setenv("TOKEN",
				`{"chain":"base","symbol":"USDX","address":"0x1111111111111111111111111111111111111111","decimals":6}`)
			e.Setenv("OTHER",
				`{"chain":"base","symbol":"USDX","address":"0x1111111111111111111111111111111111111111","decimals":18}`)
			e.Setenv("NETWORK",
				`{"slug":"ledger","name":"Ledger Test","kind":"evm","chainId":99001,"confirmations":3,"native":{"symbol":"LDG","decimals":18}}`)
			return nil
		},
		RequireExplicitExec: true,
	})
}

// In production nobody confirms all changes at once.
func TestConfirmInProduction(t *testing.T) {
	change := decide.Change{Name: "add origin https://b.example.com"}
	err := amendFlags{yes: true}.confirm(chain.Production, []decide.Change{change}, strings.NewReader(""), io.Discard)
	if err == nil || !strings.Contains(err.Error(), "--yes is for the sandbox only") {
		t.Errorf("%v", err)
	}
}

// A secret on standard input leaves nothing to type a name on: a name in it would be no confirmation.
func TestConfirmBesideTheSecret(t *testing.T) {
	change := decide.Change{Name: "add origin http://localhost:1"}
	err := amendFlags{unseal: "-"}.confirm(chain.Sandbox, []decide.Change{change}, strings.NewReader(change.Name+"\n"),
		io.Discard)
	if err == nil || !strings.Contains(err.Error(), "--confirm '"+change.Name+"'") {
		t.Errorf("%v", err)
	}
	a := amendFlags{unseal: "-", confirmed: list{change.Name}}
	if err := a.confirm(chain.Sandbox, []decide.Change{change}, strings.NewReader(""), io.Discard); err != nil {
		t.Error(err)
	}
}
