package node

import (
	"fmt"
	"math/big"
	"path/filepath"
	"time"

	"github.com/ethereum/go-ethereum/consensus/beacon"
	"github.com/ethereum/go-ethereum/consensus/ethash"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/history"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/txpool/legacypool"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/ethdb/leveldb"
	builder "github.com/ethereum/go-ethereum/miner"

	"github.com/railkit/railkit/chain/devnet"
)

// minTip is the smallest tip in wei that is mined. The pool takes no less either:
// a transaction that is taken but never mined would wait for ever.
const minTip = 1

// Of each database, in MB and in files.
const (
	cache   = 16
	handles = 256
)

// A go-ethereum node would have its files in these places, and did until this program put the chain together itself.
func databasePath(dir string) string { return filepath.Join(dir, devnet.Program, "chaindata") }
func ancientPath(dir string) string  { return filepath.Join(databasePath(dir), "ancient") }

// openDatabase takes LevelDB, since it hands each write to the kernel before it goes on. Pebble, go-ethereum's default,
// keeps the newest writes in its own memory for a moment, and a killed process would lose them.
func openDatabase(dir string) (ethdb.Database, error) {
	store, err := leveldb.New(databasePath(dir), cache, handles, "", false)
	if err != nil {
		return nil, fmt.Errorf("opening the chain's database: %w", err)
	}
	db, err := rawdb.Open(store, rawdb.OpenOptions{Ancient: ancientPath(dir)})
	if err != nil {
		store.Close()
		return nil, fmt.Errorf("opening the chain's database: %w", err)
	}
	// The transactions are indexed from the first block on. Without the mark a new chain answers "indexing is in
	// progress" for every unknown transaction until it has mined something.
	if rawdb.ReadTxIndexTail(db) == nil {
		rawdb.WriteTxIndexTail(db, 0)
	}
	return db, nil
}

// openChain keeps every state on disk as soon as its block is there (hash scheme,
// no pruning), so that a killed process comes back with all that it had mined.
func openChain(db ethdb.Database, genesis *core.Genesis) (*core.BlockChain, error) {
	chain, err := core.NewBlockChain(db, genesis, beacon.New(ethash.NewFaker()), &core.BlockChainConfig{
		StateScheme: rawdb.HashScheme, ArchiveMode: true,
		TrieCleanLimit: 2 * cache, TrieTimeLimit: time.Hour,
		HistoryPolicy:      history.HistoryPolicy{Mode: history.KeepAll},
		TxLookupLimit:      0,  // all of them are indexed
		SlowBlockThreshold: -1, // none is logged
	})
	if err != nil {
		return nil, fmt.Errorf("opening the chain: %w", err)
	}
	rawdb.WriteDatabaseVersion(db, core.BlockChainVersion)
	return chain, nil
}

// openPool forgets what waits when the process ends: else what a reorg dropped would be sent again. Transactions with
// blobs have no pool and are refused: nobody here sends any, and theirs takes longer to open than all the rest.
func openPool(chain *core.BlockChain) (*txpool.TxPool, error) {
	config := legacypool.DefaultConfig
	config.PriceLimit, config.NoLocals, config.Journal = minTip, true, ""
	pool, err := txpool.New(minTip, chain, []txpool.SubPool{legacypool.New(config, chain)})
	if err != nil {
		return nil, fmt.Errorf("making the transaction pool: %w", err)
	}
	return pool, nil
}

// builderConfig makes blocks as large as the first one.
func builderConfig(genesis *core.Genesis) builder.Config {
	c := builder.DefaultConfig
	c.GasPrice, c.GasCeil = big.NewInt(minTip), genesis.GasLimit
	return c
}
