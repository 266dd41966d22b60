package tron_test

import (
	"testing"

	"github.com/railkit/railkit/chain/chaintest"
	"github.com/railkit/railkit/chain/tron"
	"github.com/railkit/railkit/internal/test/testenv"
)

// At night a third library reads what this package writes.
func TestGotron(t *testing.T) {
	reads := chaintest.Elsewhere[form](t, "gotron")
	d, refused := newDice(testenv.Seed(t)), 0
	read := func(tx tron.Raw) {
		want := formOf(t, tx)
		reads(want.Raw, want)
	}
	for range rounds() {
		tx := d.raw()
		read(tx)
		changed, err := tron.Decode(d.changed(mustEncode(t, tx)))
		if err != nil {
			refused++
			continue
		}
		read(changed)
	}
	t.Logf("%d of %d changed ones were refused here", refused, rounds())
}
