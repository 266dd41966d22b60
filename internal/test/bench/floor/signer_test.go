package floor

import (
	"encoding/hex"
	"testing"

	"github.com/cosmos/go-bip39"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"

	"github.com/railkit/railkit/chain/evm"
)

// The floor must not be lower for deriving something else. Hardhat and Foundry
// print this mnemonic's first address at every start.
func TestDerive(t *testing.T) {
	seed := bip39.NewSeed("test test test test test test test test test test test junk", "")
	key, err := secp256k1.ParsePubKey(derive(seed, 44|1<<31, 60|1<<31, 1<<31, 0, 0))
	if err != nil {
		t.Fatal(err)
	}
	digest := evm.Keccak256(key.SerializeUncompressed()[1:])
	if got := hex.EncodeToString(digest[12:]); got != "f39fd6e51aad88f6f4ce6ab8827279cfffb92266" {
		t.Errorf("derived %s", got)
	}
}
