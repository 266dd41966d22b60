package node

import (
	"crypto/ecdsa"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	gethnode "github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/p2p"

	"github.com/railkit/railkit/chain/devnet"
)

// minTip is the smallest tip in wei that is mined. The pool takes no less either:
// a transaction that is taken but never mined would wait for ever.
const minTip = 1

// chainData is what the node calls its database.
const chainData = "chaindata"

// stackConfig is a node that talks to nobody: no peers, no listener of its own.
// LevelDB, since it hands each write to the kernel before it goes on. Pebble, the
// default, keeps the newest writes in its own memory for a moment, and a killed
// process would lose them.
func stackConfig(dir string, key *ecdsa.PrivateKey) *gethnode.Config {
	return &gethnode.Config{
		Name:     devnet.Program,
		DataDir:  dir,
		DBEngine: rawdb.DBLeveldb,
		P2P:      p2p.Config{PrivateKey: key, NoDial: true},
	}
}

// ethConfig keeps every state on disk as soon as its block is there (hash scheme,
// no pruning), so that a killed process comes back with all that it had mined.
func ethConfig(genesis *core.Genesis) *ethconfig.Config {
	c := ethconfig.Defaults
	c.Genesis = genesis
	c.NetworkId = genesis.Config.ChainID.Uint64()
	c.SyncMode = ethconfig.FullSync
	c.StateScheme = rawdb.HashScheme
	c.NoPruning = true
	c.SnapshotCache = 0
	c.TransactionHistory = 0 // all of it
	c.LogNoHistory = true    // a chain this short needs no log index
	c.DatabaseCache, c.TrieCleanCache, c.TrieDirtyCache = 16, 16, 16
	c.DatabaseHandles = 256
	c.Miner.GasPrice = big.NewInt(minTip)
	c.Miner.GasCeil = genesis.GasLimit
	c.TxPool.PriceLimit = minTip
	c.TxPool.NoLocals = true // else what a reorg dropped would be sent again
	c.TxPool.Journal = ""
	return &c
}

// markIndexed says that the transactions are indexed from the first block on.
// Without it a new node answers "indexing is in progress" for every unknown
// transaction until it has mined something.
func markIndexed(stack *gethnode.Node, c *ethconfig.Config) error {
	db, err := stack.OpenDatabaseWithOptions(chainData, gethnode.DatabaseOptions{
		Cache: c.DatabaseCache, Handles: c.DatabaseHandles,
	})
	if err != nil {
		return fmt.Errorf("opening the chain's database: %w", err)
	}
	if rawdb.ReadTxIndexTail(db) == nil {
		rawdb.WriteTxIndexTail(db, 0)
	}
	if err := db.Close(); err != nil {
		return fmt.Errorf("closing the chain's database: %w", err)
	}
	return nil
}
