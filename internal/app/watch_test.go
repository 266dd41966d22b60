package app

import (
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
)

// The watcher compares tokens with a node's answers, letter by letter.
func TestWatchedTokens(t *testing.T) {
	t.Parallel()
	for _, n := range chain.Networks(chain.Production) {
		w := watched(n, 0)
		if len(w.Tokens) != len(n.Tokens) || w.Confirmations != int64(n.Confirmations) {
			t.Errorf("%s is watched as %+v", n.Slug, w)
		}
		for i, got := range w.Tokens {
			if want := strings.ToLower(n.Tokens[i].Address); n.Kind == chain.EVM && got.Address != want {
				t.Errorf("%s of %s is looked for as %s, and a node says %s", got.Symbol, n.Slug, got.Address, want)
			}
		}
	}
}
