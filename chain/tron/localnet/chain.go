// Package localnet is the Tron of the sandbox: a chain in Go that answers the HTTP of a node, /wallet and
// /walletsolidity. It is this project's own and no node of Tron's: what it does was read in java-tron's source, and
// nobody has compared the two.
//
// Read chain.go for the chain itself; ledger.go for what a transaction does and costs, and vm.go for contracts, which
// go-ethereum's core/vm runs; disk.go for how it lasts; view.go for what a node says of it, which may be less than the
// truth; server.go for who asks.
//
// What the chain is follows from what is on disk alone: opened again, it is the same, block by block. A block is made
// when a transaction is sent, and when somebody asks for the newest one and that is old: older than half a minute, or
// than three seconds while a transaction waits to be solid. A block is solid, and final, once so many are above it.
package localnet

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/tron"
	"github.com/railkit/railkit/internal/child/linefile"
)

const (
	interval = 3_000  // milliseconds between two blocks of a network
	stale    = 30_000 // milliseconds after which the newest block is old
	refLife  = 65_536 // how many blocks may be named by a transaction
	// Solid is how many blocks are above a solid one at the start: with itself 19, two thirds of 27 witnesses.
	Solid = 18
)

// Chain is the one truth that all its nodes speak of. It is safe for concurrent use.
type Chain struct {
	network chain.Network
	now     func() time.Time
	disk    *linefile.File

	mu     sync.RWMutex
	ledger *ledger
	tokens []token
	blocks []*block // by number
	landed map[string]*landed
	pool   []sent // while blocks are made by hand only
	byHand bool
	solid  int64
	gifts  map[string]string // ids by the name of the gift
	views  map[string]View
}

// block is one that was made.
type block struct {
	number, time int64 // millisecond since 1970
	id           [32]byte
	parent       *block
	root         common.Hash // of all accounts after it
	transactions []*landed
}

// sent is a transaction that somebody sent.
type sent struct {
	tron.Signed
	raw []byte
	id  string
}

// landed is a transaction in a block.
type landed struct {
	sent
	outcome
	block *block
}

func newChain(n chain.Network, now func() time.Time) (*Chain, error) {
	l, err := newLedger()
	if err != nil {
		return nil, err
	}
	c := &Chain{
		network: n, now: now, ledger: l, landed: map[string]*landed{}, solid: Solid,
		gifts: map[string]string{}, views: map[string]View{},
	}
	l.open(faucetAddress(), 0, 0)
	l.add(faucetAddress(), faucetSun)
	root, err := l.commit(0)
	if err != nil {
		return nil, err
	}
	c.blocks = []*block{{root: root, id: firstID(n)}}
	return c, nil
}

// firstID is that of the network that the chain plays, so that clients take it for one of its nodes.
func firstID(n chain.Network) (id [32]byte) {
	if raw, err := hex.DecodeString(tron.Genesis(n.Cluster)); err == nil && len(raw) == len(id) {
		return [32]byte(raw)
	}
	id = sha256.Sum256([]byte("railkit localnet " + n.Slug + " " + n.Cluster))
	clear(id[:8])
	return id
}

func (c *Chain) head() *block { return c.blocks[len(c.blocks)-1] }

// makeBlock makes the next block of the transactions that can be in it. It is never older than the one below it.
func (c *Chain) makeBlock(now int64, all []sent) error {
	parent := c.head()
	b := &block{number: parent.number + 1, time: max(now, parent.time+1), parent: parent}
	for _, s := range all {
		if refusal := c.admit(s, b.time); refusal != nil {
			continue
		}
		out, refusal := c.ledger.execute(s.Raw, len(s.raw), b)
		if refusal != nil {
			continue
		}
		l := &landed{sent: s, outcome: out, block: b}
		b.transactions = append(b.transactions, l)
		c.landed[s.id] = l
	}
	var err error
	if b.root, err = c.ledger.commit(b.number); err != nil {
		return fmt.Errorf("keeping block %d: %w", b.number, err)
	}
	b.id = b.digest()
	c.blocks = append(c.blocks, b)
	return nil
}

// header is the message of protocol buffers that a block's id is made of: timestamp, txTrieRoot, parentHash, number,
// witness_address, version and accountStateRoot.
func (b *block) header() []byte {
	raw := appendNumber(nil, 1, b.time)
	raw = appendBytes(raw, 2, b.txRoot())
	raw = appendBytes(raw, 3, b.parentID())
	raw = appendNumber(raw, 7, b.number)
	raw = appendBytes(raw, 9, witness.Bytes())
	raw = appendNumber(raw, 10, blockVersion)
	return appendBytes(raw, 11, b.root[:])
}

const blockVersion = 31

// witness is who makes all blocks: nobody.
var witness = tron.Address{0: 0x77}

func (b *block) parentID() []byte {
	if b.parent == nil {
		return make([]byte, 32)
	}
	return b.parent.id[:]
}

// txRoot is a hash of what is in the block and of what came of it. It is no Merkle root: nobody here proves by one.
func (b *block) txRoot() []byte {
	h := sha256.New()
	for _, t := range b.transactions {
		fmt.Fprintf(h, "%x %s %d\n", t.raw, t.result, t.fee())
	}
	return h.Sum(nil)
}

// digest is the id: the number, and the end of the hash of the header.
func (b *block) digest() [32]byte {
	id := sha256.Sum256(b.header())
	binary.BigEndian.PutUint64(id[:], uint64(b.number))
	return id
}

func (b *block) name() string { return hex.EncodeToString(b.id[:]) }

func appendNumber(b []byte, field int, n int64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(field)<<3), uint64(n))
}

func appendBytes(b []byte, field int, value []byte) []byte {
	b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(field)<<3|2), uint64(len(value)))
	return append(b, value...)
}

// decode reads a transaction as it is sent. Wallets write the parity of a signature as 27 and 28, or as 0 and 1, and
// nodes take both.
func decode(raw []byte) (sent, error) {
	read := raw
	if end := len(raw) - 1; end > 0 && raw[end] < 2 {
		read = append(raw[:end:end], raw[end]+27)
	}
	tx, err := tron.DecodeSigned(read)
	if err != nil {
		return sent{}, err
	}
	return sent{tx, raw, tx.ID()}, nil
}

// refusal is why a node does not take a transaction: a code of broadcasttransaction, and words.
type refusal struct{ code, words string }

func (r *refusal) Error() string { return r.code + ": " + r.words }

// admit refuses, of what is to be in a block of a time, what is signed by another, known, expired or of another fork.
func (c *Chain) admit(s sent, at int64) *refusal {
	head := max(c.head().time, at-interval) // a network has a block every three seconds
	switch {
	case s.Verify() != nil:
		return &refusal{"SIGERROR", "Validate signature error: " + s.id + " is signed by none of its owner's keys."}
	case c.landed[s.id] != nil:
		return &refusal{"DUP_TRANSACTION_ERROR", "Dup transaction."}
	case s.Expiration <= head || s.Expiration > head+24*time.Hour.Milliseconds():
		return &refusal{"TRANSACTION_EXPIRATION_ERROR", "Transaction expired"}
	case !c.names(s.Raw):
		return &refusal{"TAPOS_ERROR", "Tapos check error."}
	}
	return nil
}

// names reports whether the recent block that a transaction names is there.
func (c *Chain) names(t tron.Raw) bool {
	end := int64(binary.BigEndian.Uint16(t.RefBytes[:]))
	head := c.head().number
	number := head - (head-end)&(refLife-1) // the newest with that end
	return number >= 0 && [8]byte(c.blocks[number].id[8:16]) == t.RefHash
}

// try tells what would become of a transaction in a block of now, and changes nothing.
func (c *Chain) try(s sent) (outcome, *refusal) {
	b := &block{number: c.head().number + 1, time: max(c.now().UnixMilli(), c.head().time+1), parent: c.head()}
	if refusal := c.admit(s, b.time); refusal != nil {
		return outcome{}, refusal
	}
	return c.ledger.copied().execute(s.Raw, len(s.raw), b)
}
