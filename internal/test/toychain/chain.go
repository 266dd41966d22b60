package toychain

import (
	"bytes"
	"crypto/ed25519"
	"encoding/binary"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"sync"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
)

// What the chain takes: gas of each kind of call, and a price that never moves.
const (
	gasOfCoin  = 1_000
	gasOfToken = 2_000
	baseFee    = 5
)

// Chain is a toy network in memory. Its slots are numbered, and a slot may have no block.
type Chain struct {
	network chain.Network
	bank    ed25519.PrivateKey

	mu     sync.Mutex
	blocks []block // the first is the genesis
	pool   []signed
	forks  byte // how often blocks were taken away: what is mined then has other hashes
}

type block struct {
	node.Header
	state     map[string]account // after it
	receipts  map[string]node.Receipt
	transfers []node.Transfer
	mined     []signed
}

type account struct {
	nonce uint64
	coin  uint64
	held  map[string]uint64 // by token
}

type signed struct {
	chain.Tx
	id, from string
	raw      []byte
}

// New begins a chain whose bank has plenty of everything.
func New(n chain.Network) *Chain {
	c := &Chain{network: n, bank: ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, 32))}
	rich := account{coin: 1 << 60, held: map[string]uint64{}}
	for _, t := range n.Tokens {
		rich.held[t.Address] = 1 << 60
	}
	c.blocks = []block{{
		Header: node.Header{Hash: AddressOf("genesis"), Parent: AddressOf("nothing"), ParentNumber: -1},
		state:  map[string]account{c.Bank(): rich},
	}}
	return c
}

// Bank is the address that Pay pays from.
func (c *Chain) Bank() string { return spell([32]byte(c.bank[32:])) }

// Pay hands in a payment by the bank, and tells its id. It waits until somebody calls Mine.
func (c *Chain) Pay(t chain.Token, to string, amount int64) (id string, err error) {
	call, err := Family{}.Transfer(t, to, big.NewInt(amount))
	if err != nil {
		return "", err
	}
	i := chain.Intent{From: c.Bank(), Call: call, Gas: gasOfToken}
	fee := chain.Fee{Max: big.NewInt(baseFee), Priority: new(big.Int)}
	c.mu.Lock()
	defer c.mu.Unlock()
	tx, err := Family{}.Assemble(c.network, i, chain.Terms{Nonce: c.pendingNonce(c.Bank()), Fee: fee})
	if err != nil {
		return "", err
	}
	raw, err := Family{}.Attach(tx, c.Bank(), ed25519.Sign(c.bank, tx.Payload))
	if err != nil {
		return "", err
	}
	return Family{}.ID(raw), c.send(raw)
}

// Mine makes a block of all that waits, after some slots without one.
func (c *Chain) Mine(empty int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	below := c.top()
	b := block{
		Header: node.Header{
			Number: below.Number + empty + 1, Parent: below.Hash, ParentNumber: below.Number,
		},
		state: maps.Clone(below.state), receipts: map[string]node.Receipt{},
	}
	name := binary.AppendVarint([]byte{c.forks}, b.Number)
	var waiting []signed
	slices.SortStableFunc(c.pool, func(a, b signed) int { return int(a.Nonce) - int(b.Nonce) })
	for _, tx := range c.pool {
		if tx.Nonce != b.state[tx.from].nonce {
			waiting = append(waiting, tx)
			continue
		}
		name = append(name, tx.id...)
		b.mined = append(b.mined, tx)
		b.run(tx)
	}
	b.Hash = AddressOf(b.Parent + string(name))
	for id, r := range b.receipts {
		r.BlockHash = b.Hash
		b.receipts[id] = r
	}
	for i := range b.transfers {
		b.transfers[i].BlockHash = b.Hash
	}
	c.blocks, c.pool = append(c.blocks, b), waiting
}

// run does what a transaction says, or takes its fee alone.
func (b *block) run(tx signed) {
	from := b.state[tx.from]
	from.nonce++
	from.coin -= gasOf(tx.Call) * baseFee
	b.state[tx.from] = from
	ok := b.move("", tx.from, tx.To, tx.Value.Uint64())
	if to, amount, isTransfer := readTransfer(tx.Data); ok && isTransfer {
		if ok = b.move(tx.To, tx.from, to, amount.Uint64()); ok {
			b.transfers = append(b.transfers, node.Transfer{
				Block: b.Number, Tx: tx.id, Index: int64(len(b.transfers)), Token: tx.To,
				From: tx.from, To: to, Amount: amount,
			})
		}
	}
	b.receipts[tx.id] = node.Receipt{Succeeded: ok, BlockNumber: b.Number}
}

func gasOf(c chain.Call) uint64 {
	if len(c.Data) > 0 {
		return gasOfToken
	}
	return gasOfCoin
}

// move moves some of a token, or of the coin.
func (b *block) move(token, from, to string, amount uint64) bool {
	payer := b.state[from]
	if payer.has(token) < amount {
		return false
	}
	b.state[from] = payer.with(token, payer.has(token)-amount)
	payee := b.state[to]
	b.state[to] = payee.with(token, payee.has(token)+amount)
	return true
}

func (a account) has(token string) uint64 {
	if token == "" {
		return a.coin
	}
	return a.held[token]
}

// with is a copy: blocks below keep theirs.
func (a account) with(token string, amount uint64) account {
	if token == "" {
		a.coin = amount
		return a
	}
	held := maps.Clone(a.held)
	if held == nil {
		held = map[string]uint64{}
	}
	held[token] = amount
	a.held = held
	return a
}

// Reorg takes blocks away. What was in them waits again.
func (c *Chain) Reorg(blocks int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := len(c.blocks) - blocks
	for _, gone := range c.blocks[left:] {
		c.pool = append(c.pool, gone.mined...)
	}
	c.blocks = c.blocks[:left:left]
	c.forks++
}

// Balance is what an address has, of a token or of the coin.
func (c *Chain) Balance(t chain.Token, address string) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.top().state[address].has(t.Address)
}

func (c *Chain) top() block { return c.blocks[len(c.blocks)-1] }

func (c *Chain) pendingNonce(address string) uint64 {
	next := c.top().state[address].nonce
	for _, tx := range c.pool {
		if tx.from == address {
			next = max(next, tx.Nonce+1)
		}
	}
	return next
}

// send takes signed bytes into the pool. Only their sender can have signed them: of all accounts it looks for that one.
func (c *Chain) send(raw []byte) error {
	tx, signature, err := Family{}.DecodeSigned(raw, "")
	if err != nil {
		return fmt.Errorf("%w: %w", node.ErrRefused, err)
	}
	s := signed{Tx: tx, id: Family{}.ID(raw), raw: raw}
	for address := range c.top().state {
		if (Family{}).Verify(address, tx.Payload, signature) == nil {
			s.from = address
		}
	}
	_, mined := c.receipt(s.id)
	has := c.top().state[s.from]
	switch {
	case mined || slices.ContainsFunc(c.pool, func(other signed) bool { return other.id == s.id }):
		return nil
	case s.from == "" || tx.NetworkID != c.network.ID() || tx.Gas < gasOf(tx.Call):
		return node.ErrRefused
	case tx.Nonce < has.nonce:
		return node.ErrNonceUsed
	case tx.Fee.Max.Cmp(big.NewInt(baseFee)) < 0:
		return node.ErrUnderpriced
	case tx.MaxCost().Cmp(new(big.Int).SetUint64(has.coin)) > 0:
		return node.ErrNoFunds
	}
	c.pool = slices.DeleteFunc(c.pool, func(other signed) bool {
		return other.from == s.from && other.Nonce == s.Nonce
	})
	c.pool = append(c.pool, s)
	return nil
}

func (c *Chain) receipt(id string) (node.Receipt, bool) {
	for _, b := range c.blocks {
		if r, ok := b.receipts[id]; ok {
			return r, true
		}
	}
	return node.Receipt{}, false
}
