package docs

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/railkit/railkit/api"
	"github.com/railkit/railkit/chain"
)

func networksDoc(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`# Networks

Generated from the code (` + "`go generate ./docs`" + `). ` +
		`What Solana does otherwise than EVM is in [solana.md](solana.md); a new one is added by [extending.md](extending.md).

`)
	for _, env := range []chain.Environment{chain.Production, chain.Sandbox} {
		fmt.Fprintf(&b, "## %s%s\n\n", strings.ToUpper(string(env[:1])), env[1:])
		b.WriteString("| Slug | Network | Id | Final after | Coin | Tokens |\n|---|---|---|---|---|---|\n")
		for _, n := range chain.Networks(env) {
			blocks := fmt.Sprintf("%d blocks", n.Confirmations)
			if n.Confirmations == 1 {
				blocks = "1 block"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", n.Slug, n.Name, n.ID(), blocks, n.Native.Symbol,
				n.Symbols())
		}
		b.WriteString("\n")
	}
	b.WriteString(`Solana's blocks are counted when they are final, so one is enough.

## Calls by family

Every call that names a network. Those that are not here are about no network. A test makes each of them on Solana.

| Call | EVM | Solana |
|---|---|---|
`)
	for _, c := range api.Calls {
		fmt.Fprintf(&b, "| `%s` | yes | %s |\n", c.Operation, cmp.Or(prefixed(c.Solana), "yes"))
	}
	return b.String()
}

func prefixed(why string) string {
	if why == "" {
		return ""
	}
	return "no: " + why
}
