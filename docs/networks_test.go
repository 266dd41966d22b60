package docs

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/railkit/railkit/api"
	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/kit/payout/pair"
	"github.com/railkit/railkit/money"
)

func networksDoc(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`# Networks

Generated from the code (` + "`go generate ./docs`" + `). ` +
		`What others do otherwise than EVM is in [solana.md](solana.md) and [tron.md](tron.md); a new one is added by [extending.md](extending.md).

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
	b.WriteString("The blocks of Solana and Tron are counted when they are final, so one is enough.\n\n" + pairsTable())
	b.WriteString(`
## Calls by family

Every call that names a network. Those that are not here are about no network. Tests make each of them on Solana and on Tron.

`)
	callsTable(&b)
	return b.String()
}

// callsTable has a column for each family.
func callsTable(b *strings.Builder) {
	b.WriteString("| Call |")
	for _, f := range families.All() {
		fmt.Fprintf(b, " %s |", familyNames[f.Kind()])
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(families.All())) + "\n")
	for _, c := range api.Calls {
		fmt.Fprintf(b, "| `%s` |", c.Operation)
		for _, f := range families.All() {
			fmt.Fprintf(b, " %s |", cmp.Or(prefixed(c.Not[f.Kind()]), "yes"))
		}
		b.WriteString("\n")
	}
}

var familyNames = map[chain.Kind]string{chain.EVM: "EVM", chain.Solana: "Solana", chain.Tron: "Tron"}

// pairsTable is what packages pair and money know. A pair has one line where the sandbox does as production.
func pairsTable() string {
	var b strings.Builder
	var fiat []string
	for _, c := range money.Fiat {
		fiat = append(fiat, c.Upper())
	}
	fmt.Fprintf(&b, "## Stablecoins to a bank, and from one\n\nEach pair in %s. A test pays every one that is there, "+
		"in both directions, and reads what the others are refused with: 400 `pair_unsupported`, and 400 "+
		"`validation_failed` for an address or an account on a chain of which nothing goes to a bank or comes from one.\n\n"+
		"| Chain | Stablecoin | To a bank ([payouts](payouts.md)) | From a bank ([deposits](onramp.md)) |\n"+
		"|---|---|---|---|\n", strings.Join(fiat, ", "))
	for _, n := range chain.Networks(chain.Production) {
		for _, coin := range []money.Currency{money.USDC, money.USDT} {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", n.Slug, coin.Upper(),
				served(pair.Off, n.Slug, coin), served(pair.On, n.Slug, coin))
		}
	}
	return b.String()
}

func served(r pair.Ramp, slug string, coin money.Currency) string {
	in := func(env chain.Environment) string {
		why := cmp.Or(prefixed(pair.Why(r, env, slug, coin)), "yes")
		return strings.Split(why, ": it is not one of")[0] // the table is that list
	}
	there, sandbox := in(chain.Production), in(chain.Sandbox)
	if sandbox != there {
		there += "; in the sandbox " + sandbox
	}
	return there
}

func prefixed(why string) string {
	if why == "" {
		return ""
	}
	return "no: " + why
}
