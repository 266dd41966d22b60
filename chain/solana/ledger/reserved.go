package ledger

import (
	"strings"

	"github.com/railkit/railkit/chain/solana"
)

// isReserved reports whether an address is of the network itself: a built-in program, a loader or a sysvar. No
// transaction writes to one.
func isReserved(a solana.Address) bool {
	if a == solana.SystemProgram || a == solana.BudgetProgram {
		return true
	}
	text := a.String()
	if strings.HasPrefix(text, "Sysvar") && strings.HasSuffix(text, "1111111111") {
		return true
	}
	switch text {
	case "AddressLookupTab1e1111111111111111111111111", "BPFLoader1111111111111111111111111111111111",
		"BPFLoader2111111111111111111111111111111111", "BPFLoaderUpgradeab1e11111111111111111111111",
		"Config1111111111111111111111111111111111111", "Ed25519SigVerify111111111111111111111111111",
		"Feature111111111111111111111111111111111111", "KeccakSecp256k11111111111111111111111111111",
		"LoaderV411111111111111111111111111111111111", "NativeLoader1111111111111111111111111111111",
		"Secp256r1SigVerify1111111111111111111111111", "Stake11111111111111111111111111111111111111",
		"StakeConfig11111111111111111111111111111111", "Vote111111111111111111111111111111111111111",
		"ZkE1Gama1Proof11111111111111111111111111111", "ZkTokenProof1111111111111111111111111111111":
		return true
	}
	return false
}
