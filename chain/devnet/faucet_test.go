package devnet_test

import (
	"errors"
	"testing"
)

func TestDevnet_FaucetServesManyAtOnce(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	const callers = 40
	to := newAccount(t).address
	errs := make(chan error, callers)
	for i := range callers {
		asset := []string{"native", "USDC"}[i%2]
		go func() {
			_, err := p.Faucet(t.Context(), "base", to.Hex(), asset, "0.5")
			errs <- err
		}()
	}
	for range callers {
		p.must(t, <-errs)
	}
	base := p.chain(t, "base")
	if base.balance(to).Cmp(units("10", 18)) != 0 || base.usdc().balanceOf(to).Cmp(units("10", 6)) != 0 {
		t.Error("a gift got lost or came twice")
	}
	// Under one name a gift is given once, however often and at once; one that a reorg has dropped is given again.
	give := func(name string) string {
		hash, err := p.FaucetOnce(t.Context(), name, "base", to.Hex(), "USDC", "0.5")
		errs <- err
		return hash
	}
	hashes := make(chan string, callers)
	for i := range callers {
		go func() { hashes <- give([]string{"one", "two"}[i%2]) }()
	}
	seen := map[string]bool{}
	for range callers {
		p.must(t, <-errs)
		seen[<-hashes] = true
	}
	if got := base.usdc().balanceOf(to); len(seen) != 2 || got.Cmp(units("11", 6)) != 0 {
		t.Errorf("two gifts by name are %d transactions, and %s", len(seen), got)
	}
	p.must(t, p.Reorg(t.Context(), "base", 1, true))
	give("one")
	give("two")
	p.must(t, errors.Join(<-errs, <-errs))
	if got := base.usdc().balanceOf(to); got.Cmp(units("11", 6)) != 0 {
		t.Errorf("after a reorg they are %s", got)
	}
}
