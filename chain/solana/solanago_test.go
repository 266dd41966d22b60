package solana_test

import (
	"encoding/hex"
	"testing"

	"github.com/railkit/railkit/chain/chaintest"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/internal/test/testenv"
)

// At night a fourth library reads what this package writes.
func TestSolanaGo(t *testing.T) {
	reads := chaintest.Elsewhere[form](t, "solana-go")
	d, refused := newDice(testenv.Seed(t)), 0
	read := func(tx solana.Transaction) { reads(hex.EncodeToString(mustEncode(t, tx)), formOf(t, tx)) }
	for range rounds() {
		tx := d.transaction()
		read(tx)
		changed, err := solana.DecodeTransaction(d.changed(mustEncode(t, tx)))
		if err != nil {
			refused++
			continue
		}
		read(changed)
	}
	t.Logf("%d of %d changed ones were refused here", refused, rounds())
}
