module github.com/railkit/railkit/tools/gotron

go 1.26.0

require (
	github.com/fbsobreira/gotron-sdk v0.25.1
	google.golang.org/protobuf v1.36.11
)

require (
	github.com/ProjectZKM/Ziren/crates/go-runtime/zkvm_runtime v0.0.0-20251001021608-1fe7b43fc4d6 // indirect
	github.com/btcsuite/btcd/btcec/v2 v2.3.4 // indirect
	github.com/decred/dcrd/dcrec/secp256k1/v4 v4.4.0 // indirect
	github.com/ethereum/go-ethereum v1.17.0 // indirect
	github.com/holiman/uint256 v1.3.2 // indirect
	github.com/shengdoushi/base58 v1.0.0 // indirect
	golang.org/x/crypto v0.45.0 // indirect
	golang.org/x/sys v0.39.0 // indirect
)
