package solana_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
)

// vector is a transaction that somebody else signed. ID is there where it was broadcast; without To it is unknown.
type vector struct{ Origin, Signed, To, Amount, Fee, ID string }

func vectors(t testing.TB) []vector {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "signed.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Transactions []vector }
	if err := json.Unmarshal(raw, &file); err != nil || len(file.Transactions) == 0 {
		t.Fatalf("%d vectors: %v", len(file.Transactions), err)
	}
	return file.Transactions
}

// What others have signed is read, written again, named, priced and told.
func TestVectors(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t) {
		raw, err := hex.DecodeString(v.Signed)
		if err != nil {
			t.Fatal(err)
		}
		tx, err := solana.DecodeTransaction(raw)
		if err != nil {
			t.Errorf("%s: %v", v.Origin, err)
			continue
		}
		if again := mustEncode(t, tx); !bytes.Equal(again, raw) || tx.Verify() != nil || len(tx.Missing()) > 0 {
			t.Errorf("%s: written as %x, %v", v.Origin, again, tx.Verify())
		}
		if fee, err := tx.MaxFee(); err != nil || fee.String() != v.Fee {
			t.Errorf("%s: fee %s: %v", v.Origin, fee, err)
		}
		if v.ID != "" && tx.ID() != v.ID {
			t.Errorf("%s: id %s", v.Origin, tx.ID())
		}
		told(t, v, tx)
	}
}

func told(t *testing.T, v vector, tx solana.Transaction) {
	t.Helper()
	kind := chain.Transfer
	if v.To == "" {
		kind = chain.UnknownCall
	}
	got := solana.Reader{Network: network(), Signer: tx.Keys[0]}.Effects(tx.Message)
	if len(got) != 1 || got[0].Kind != kind || got[0].To != v.To || got[0].Amount != v.Amount {
		t.Errorf("%s: %+v", v.Origin, got)
	}
}
