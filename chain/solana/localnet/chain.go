// Package localnet is the Solana of the sandbox: a chain in Go that answers the JSON-RPC of a node. It makes a block
// when a transaction is sent or a block is asked for, and at no other time.
//
// Read chain.go for the chain itself, which chain/solana/ledger executes; disk.go for how it lasts; view.go for what a
// node says of it, which may be less than the truth; server.go for who asks.
//
// What the chain is follows from what is on disk alone: opened again, it is the same, block by block. Slots are not
// blocks: after every fifth block a slot has none. A block is final as soon as it is there, as on a network with
// Alpenglow.
package localnet

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/ledger"
	"github.com/railkit/railkit/internal/child/linefile"
)

const (
	// hashLife is how many blocks may be above the one whose hash a transaction names.
	hashLife = 150
	// gapEvery is after how many blocks a slot has none.
	gapEvery = 5
	// Rent is what a byte of an account costs at the start, in lamports.
	Rent = 5_080
)

// Chain is the one truth that all its nodes speak of. It is safe for concurrent use.
type Chain struct {
	network chain.Network
	mints   []mint
	now     func() time.Time
	disk    *linefile.File

	mu       sync.RWMutex
	changed  chan struct{} // closed by the next change
	ledger   *ledger.Ledger
	blocks   []*block // by height
	slots    map[int64]*block
	hashes   map[[32]byte]*block
	landed   map[solana.Signature]*landed
	messages map[[32]byte]*landed         // by the digest of what was signed
	named    map[solana.Address][]*landed // by each key that a transaction names, the oldest first
	pool     []waiting                    // sent while blocks are made by hand only
	byHand   bool
	skip     int64             // slots to leave out before the next block
	gifts    map[string]string // ids by the name of the gift
	views    map[string]View
}

// block is one that was made.
type block struct {
	slot, parent, height, time int64
	hash                       [32]byte
	transactions               []*landed
}

// landed is a transaction in a block.
type landed struct {
	solana.Transaction
	raw       []byte
	block     *block
	place     int // in it
	outcome   ledger.Outcome
	pre, post []ledger.Account // of each key of the message
}

// waiting is a transaction that no block has.
type waiting struct {
	tx  solana.Transaction
	raw []byte
}

// Forwarder is the address of the chain's one program that no other network has: it calls another one for whoever asks
// (ledger.Forward), as routers do.
var Forwarder = solana.Address(sha256.Sum256([]byte("railkit localnet forwarder")))

var errAlreadyProcessed = ledger.TransactionError("AlreadyProcessed")

func newChain(n chain.Network, now func() time.Time) *Chain {
	c := &Chain{
		network: n, now: now, changed: make(chan struct{}), ledger: ledger.New(Rent), slots: map[int64]*block{},
		hashes: map[[32]byte]*block{}, landed: map[solana.Signature]*landed{}, messages: map[[32]byte]*landed{},
		named: map[solana.Address][]*landed{}, gifts: map[string]string{}, views: map[string]View{},
	}
	c.ledger.Forwarder = Forwarder
	c.begin()
	first := &block{hash: sha256.Sum256([]byte("railkit localnet " + n.Slug + " " + n.Cluster))}
	c.add(first)
	return c
}

func (c *Chain) add(b *block) {
	c.blocks = append(c.blocks, b)
	c.slots[b.slot], c.hashes[b.hash] = b, b
}

func (c *Chain) head() *block { return c.blocks[len(c.blocks)-1] }

// changes is closed by the next change.
func (c *Chain) changes() <-chan struct{} {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.changed
}

// makeBlock makes the next block of the transactions that can be in it, and gives those.
func (c *Chain) makeBlock(now int64, all []waiting) {
	parent := c.head()
	slot := parent.slot + 1 + c.skip
	if parent.height%gapEvery == gapEvery-1 {
		slot++
	}
	c.skip = 0
	b := &block{slot: slot, parent: parent.slot, height: parent.height + 1, time: max(now, parent.time)}
	for _, w := range all {
		if l, err := c.execute(w, b); err == nil {
			b.transactions = append(b.transactions, l)
		}
	}
	b.hash = b.digest(parent)
	c.add(b)
}

// digest is the hash of a block: of the one below it, of its slot, of what is in it and of what came of that.
func (b *block) digest(parent *block) [32]byte {
	text := binary.LittleEndian.AppendUint64(parent.hash[:], uint64(b.slot))
	for _, l := range b.transactions {
		text = append(text, l.raw...)
		text = fmt.Append(text, l.outcome, l.post)
	}
	return sha256.Sum256(text)
}

// execute changes the accounts, and remembers what did.
func (c *Chain) execute(w waiting, b *block) (*landed, error) {
	if err := c.admit(w.tx, c.head(), b.height); err != nil {
		return nil, err
	}
	l := &landed{Transaction: w.tx, raw: w.raw, block: b, place: len(b.transactions), pre: c.accounts(w.tx.Keys)}
	l.outcome = c.ledger.Execute(w.tx, c.executes(c.head()))
	if !l.outcome.Landed {
		return nil, l.outcome.Err
	}
	l.post = c.accounts(w.tx.Keys)
	c.landed[w.tx.Signatures[0]], c.messages[digest(w.tx)] = l, l
	for _, k := range w.tx.Keys {
		c.named[k] = append(c.named[k], l)
	}
	return l, nil
}

// admit refuses, of what is to follow head, what a block up to a height has already.
func (c *Chain) admit(tx solana.Transaction, head *block, height int64) error {
	before := c.messages[digest(tx)]
	if before != nil && before.block.height <= height && c.isRecent(tx.Blockhash, head) {
		return errAlreadyProcessed
	}
	return nil
}

// executes is what a transaction that follows a block knows of the chain.
func (c *Chain) executes(head *block) ledger.Chain {
	return ledger.Chain{Blockhash: head.hash, Recent: func(h [32]byte) bool { return c.isRecent(h, head) }}
}

// isRecent reports whether the block after head may have a transaction with a blockhash.
func (c *Chain) isRecent(hash [32]byte, head *block) bool {
	b := c.hashes[hash]
	return b != nil && b.height <= head.height && head.height-b.height <= hashLife
}

func (c *Chain) accounts(keys []solana.Address) []ledger.Account {
	all := make([]ledger.Account, len(keys))
	for i, k := range keys {
		all[i], _ = c.ledger.Account(k)
	}
	return all
}

// accountAt is what lay at an address when a block was the newest: what the first transaction above it found there.
func (c *Chain) accountAt(k solana.Address, head *block) ledger.Account {
	for _, l := range c.named[k] {
		if l.block.height <= head.height {
			continue
		}
		for i, key := range l.Keys {
			if key == k {
				return l.pre[i]
			}
		}
	}
	a, _ := c.ledger.Account(k)
	return a
}

// try tells what would become of a transaction after a block, and what the accounts would be then. Where it is not
// signed yet, its signatures are not looked at.
func (c *Chain) try(tx solana.Transaction, head *block, unsigned bool) (ledger.Outcome, *ledger.Ledger) {
	if err := c.admit(tx, head, head.height); err != nil {
		return ledger.Outcome{Err: err}, nil
	}
	l := c.ledger.Clone()
	if head != c.head() {
		for _, k := range tx.Keys {
			l.Put(k, c.accountAt(k, head))
		}
	}
	on := c.executes(head)
	on.Unsigned = unsigned
	return l.Execute(tx, on), l
}

func digest(tx solana.Transaction) [32]byte {
	raw, err := tx.Message.Encode()
	if err != nil {
		return [32]byte{}
	}
	return sha256.Sum256(raw)
}

// decode reads a transaction as a node does. Bytes that are not of one are errBytes.
func decode(raw []byte) (waiting, error) {
	tx, err := solana.DecodeTransaction(raw)
	if err != nil {
		return waiting{}, errors.Join(errBytes, err)
	}
	return waiting{tx, raw}, nil
}

var errBytes = errors.New("not the bytes of a transaction")
