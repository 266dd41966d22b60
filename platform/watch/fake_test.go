package watch_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testlog"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/watch"
	"github.com/railkit/railkit/store"
)

const (
	ours = "workspace-1"
	usdc = "0x00000000000000000000000000000000000000c1"
	usdt = "0x00000000000000000000000000000000000000c2"
	// Two withdrawal addresses, a wallet's, and one of nobody.
	alice    = "0x00000000000000000000000000000000000000a1"
	bob      = "0x00000000000000000000000000000000000000b2"
	walletOf = "0x00000000000000000000000000000000000000a3"
	stranger = "0x00000000000000000000000000000000000000ee"
)

var deep = watch.Network{Slug: "deep", Confirmations: 3, Tokens: []watch.Token{
	{Symbol: "USDC", Address: usdc, Decimals: 6},
	{Symbol: "USDT", Address: usdt, Decimals: 6},
}, Has: func(address string) bool { return !isForeign(address) }}

func isForeign(address string) bool { return !strings.HasPrefix(address, "0x") }

// pay is a transfer of a token.
type pay struct {
	token, to string
	amount    int64
}

// tx is a transaction with its transfers.
type tx struct {
	hash string
	pays []pay
}

type block struct {
	node.Header
	txs  []tx
	logs []node.Transfer
}

// fakeChain is a chain and its node. It does what a test wants, also while it is asked.
type fakeChain struct {
	mu      sync.Mutex
	blocks  []block
	highest int64 // that any branch had
	forks   int
	skip    int64 // numbers that the next block leaves out
	asked   []string
	// before is called with the name of each question before it is answered.
	before func(method string) error
	// bend changes what is answered of transfers.
	bend func([]node.Transfer) []node.Transfer
	// bendList changes what is answered of the numbers that have a block.
	bendList func([]int64) []int64
	// bendHeader changes what is answered of a block.
	bendHeader func(node.Header) node.Header
	most       int // blocks that one question for transfers may be about; 0: any
}

func newChain() *fakeChain {
	c := &fakeChain{}
	c.mine()
	return c
}

// mine adds a block. Its logs begin at an index of their own.
func (c *fakeChain) mine(txs ...tx) block {
	c.mu.Lock()
	defer c.mu.Unlock()
	below := node.Header{Number: -1}
	if len(c.blocks) > 0 {
		below = c.blocks[len(c.blocks)-1].Header
	}
	n := below.Number + 1 + c.skip
	c.skip = 0
	b := block{txs: txs, Header: node.Header{
		Number: n, Hash: fmt.Sprintf("0xb%d-%d", n, c.forks), Parent: below.Hash, ParentNumber: below.Number,
	}}
	index := n%3 + int64(c.forks)
	for _, t := range txs {
		for _, p := range t.pays {
			b.logs = append(b.logs, node.Transfer{
				Block: n, BlockHash: b.Hash, Tx: t.hash, Index: index, Token: p.token, From: stranger, To: p.to,
				Amount: big.NewInt(p.amount),
			})
			index++
		}
	}
	c.blocks = append(c.blocks, b)
	c.highest = max(c.highest, n)
	return b
}

// fork takes the last blocks away and gives their transactions.
func (c *fakeChain) fork(depth int) (gone []tx) {
	c.mu.Lock()
	defer c.mu.Unlock()
	keep := max(1, len(c.blocks)-depth)
	for _, b := range c.blocks[keep:] {
		gone = append(gone, b.txs...)
	}
	c.blocks = slices.Clone(c.blocks[:keep])
	c.forks++
	return gone
}

func (c *fakeChain) ask(method string) error {
	c.mu.Lock()
	c.asked = append(c.asked, method)
	before := c.before
	c.mu.Unlock()
	if before == nil {
		return nil
	}
	return before(method)
}

func (c *fakeChain) Latest(context.Context) (node.Header, error) {
	if err := c.ask("latest"); err != nil {
		return node.Header{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.blocks[len(c.blocks)-1].Header, nil
}

func (c *fakeChain) Headers(_ context.Context, numbers []int64) (all []node.Header, err error) {
	if err := c.ask("headers"); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range numbers {
		found := c.between(n, n)
		if len(found) == 0 {
			return nil, node.ErrNoBlock
		}
		h := found[0].Header
		if c.bendHeader != nil {
			h = c.bendHeader(h)
		}
		all = append(all, h)
	}
	return all, nil
}

// between are the blocks whose numbers are in a range.
func (c *fakeChain) between(from, to int64) (all []block) {
	for _, b := range c.blocks {
		if b.Number >= from && b.Number <= to {
			all = append(all, b)
		}
	}
	return all
}

// Blocks is asked only where the network says that it has gaps.
func (c *fakeChain) Blocks(_ context.Context, from, to int64) (all []int64, err error) {
	if err := c.ask("blocks"); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range c.between(from, to) {
		all = append(all, b.Number)
	}
	if c.bendList != nil {
		all = c.bendList(all)
	}
	return all, nil
}

func (c *fakeChain) Transfers(_ context.Context, q node.Query) (all []node.Transfer, err error) {
	if err := c.ask("transfers"); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(q.Receivers, isForeign) {
		return nil, errors.New("a receiver is no address of the chain")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	in := c.between(q.From, q.To)
	if c.most > 0 && len(in) > c.most {
		return nil, errors.New("the range is too wide")
	}
	if q.Hash != "" && (len(in) != 1 || in[0].Hash != q.Hash) {
		return nil, node.ErrNoBlock // eth_getLogs by a hash that the node does not have is an error, not an empty list
	}
	for _, b := range in {
		for _, l := range b.logs {
			if slices.Contains(q.Tokens, l.Token) && (len(q.Receivers) == 0 || slices.Contains(q.Receivers, l.To)) {
				all = append(all, l)
			}
		}
	}
	if c.bend != nil {
		all = c.bend(all)
	}
	return all, nil
}

func (c *fakeChain) count(method string) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.asked {
		if m == method {
			n++
		}
	}
	return n
}

// tester is a test or a run of rapid's.
type tester interface {
	Helper()
	Fatal(...any)
	Errorf(string, ...any)
}

// bench is a watcher on a chain and a database.
type bench struct {
	*watch.Watcher
	chain *fakeChain
	of    watch.Network
	gaps  bool // the network leaves numbers out
	store watch.Store
	read  watch.Reader
	db    *store.Store
	told  *told
	log   *testlog.Log
}

// told is a sink that notes what it hears.
type told struct {
	mu   sync.Mutex
	all  []string // by transaction
	ways []string // by id
	fail error
}

func (s *told) Changed(_ context.Context, _ watch.Jobs, t watch.Transfer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return s.fail
	}
	s.all = append(s.all, fmt.Sprintf("%s#%d %s", t.Tx, t.Ordinal, t.State))
	s.ways = append(s.ways, fmt.Sprintf("%s %s", t.ID, t.State))
	return nil
}

func newBench(t *testing.T) *bench {
	t.Helper()
	db, _ := apptest.OpenStore(t, clock.System{})
	b := &bench{
		chain: newChain(), of: deep, db: db, store: db.Watch(), read: db.Watch(), told: &told{}, log: &testlog.Log{},
	}
	b.restart(watch.Config{})
	b.address(t, alice, "withdraw-a")
	b.address(t, bob, "withdraw-b")
	b.wallet(t, walletOf, "wallet-1")
	return b
}

// restart gives the bench another watcher, which knows nothing of the one before.
func (b *bench) restart(c watch.Config) {
	if b.gaps {
		b.of.Gaps = b.chain
	}
	c.Store, c.Networks, c.Nodes = b.store, []watch.Network{b.of}, map[string]watch.Node{"deep": b.chain}
	c.Sink, c.Clock, c.Log = b.told, clock.System{}, slog.New(slog.NewJSONHandler(b.log, nil))
	if c.Every == 0 {
		c.Every = time.Millisecond
	}
	b.Watcher = watch.New(c)
}

// withdrawLister is what the payout kit's transaction has.
type withdrawLister interface {
	ListWithdrawAddress(ctx context.Context, address, workspaceID, id string) error
}

func (b *bench) address(t tester, address, id string) {
	t.Helper()
	b.work(t, func(ctx context.Context, tx signing.Tx) error {
		return tx.(withdrawLister).ListWithdrawAddress(ctx, address, ours, id)
	})
}

func (b *bench) wallet(t tester, address, walletID string) {
	t.Helper()
	b.work(t, func(ctx context.Context, tx signing.Tx) error {
		err := tx.InsertSubOrganization(ctx, passkey.SubOrganization{
			WorkspaceID: ours, ID: "sub", CreatedAt: time.Now(),
		})
		if err != nil {
			return err
		}
		err = tx.InsertWallet(ctx, wallet.Wallet{
			WorkspaceID: ours, ID: walletID, EnclaveID: walletID, SubOrganizationID: "sub", CreatedAt: time.Now(),
		})
		if err != nil {
			return err
		}
		return tx.InsertAddress(ctx, wallet.Address{
			WorkspaceID: ours, ID: "address-of-" + walletID, WalletID: walletID, Address: address, Kind: "evm",
			Path: address, CreatedAt: time.Now(),
		})
	})
}

func (b *bench) work(t tester, fn func(context.Context, signing.Tx) error) {
	t.Helper()
	err := b.db.Signing().Work(context.Background(), ours,
		func(ctx context.Context, tx signing.Tx) (command.Audit, error) {
			return command.Audit{}, fn(ctx, tx)
		})
	if err != nil {
		t.Fatal(err)
	}
}

// steps steps until the chain's head is read. Nothing here needs more than a few.
func (b *bench) steps(t tester) {
	t.Helper()
	for range 200 {
		if _, err := b.Step(context.Background(), "deep"); err != nil {
			t.Fatal(err)
		}
		head, found, err := b.read.Head(context.Background(), "deep")
		if err != nil {
			t.Fatal(err)
		}
		tip := b.chain.blocks[len(b.chain.blocks)-1].Header
		if found && head.Number == tip.Number && head.Hash == tip.Hash {
			return
		}
	}
	t.Fatal("the head was not reached")
}

// rows are all transfers, in a short form, in the order of their blocks.
func (b *bench) rows(t tester) []string {
	t.Helper()
	rows, err := b.db.Writer().QueryContext(context.Background(),
		`SELECT tx_hash, ordinal, log_index, token_symbol, to_address, amount, state, block_hash, final_at
		FROM transfers ORDER BY tx_hash, to_address, token, ordinal`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var hash, symbol, to, amount, state, in string
		var ordinal, index, finalAt int64
		if err := rows.Scan(&hash, &ordinal, &index, &symbol, &to, &amount, &state, &in, &finalAt); err != nil {
			t.Fatal(err)
		}
		all = append(all, line(hash, ordinal, index, symbol, to, amount, watch.State(state), in))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func line(hash string, ordinal, index int64, symbol, to, amount string, state watch.State, in string) string {
	return fmt.Sprintf("%s#%d@%d %s %s to %s %s in %s", hash, ordinal, index, amount, symbol, to, state, in)
}

// wantRows compares the table with the chain: each transfer of the chain to a
// known address is there once, as deep as it is, and all others are dropped.
func (b *bench) wantRows(t tester) {
	t.Helper()
	symbols := map[string]string{usdc: "USDC", usdt: "USDT"}
	tip := b.chain.blocks[len(b.chain.blocks)-1].Number
	want, either := map[string]bool{}, map[string]string{}
	for _, in := range b.chain.blocks {
		places := map[string]int64{}
		for _, l := range in.logs {
			place := l.Tx + l.Token + l.To
			ordinal := places[place]
			places[place]++
			if !slices.Contains([]string{alice, bob, walletOf}, l.To) || symbols[l.Token] == "" ||
				l.Amount.Sign() == 0 {
				continue
			}
			state := watch.Seen
			if tip-l.Block+1 >= deep.Confirmations {
				state = watch.Final
			}
			say := func(s watch.State) string {
				return line(l.Tx, ordinal, l.Index, symbols[l.Token], l.To, l.Amount.String(), s, l.BlockHash)
			}
			want[say(state)] = true
			if b.chain.highest-l.Block+1 >= deep.Confirmations {
				either[say(watch.Final)] = say(watch.Seen) // final it stays, also below a shorter branch
			}
		}
	}
	for _, row := range b.rows(t) {
		if !want[row] && want[either[row]] {
			row = either[row]
		}
		if !want[row] && !dropped(row) {
			t.Errorf("no such transfer on the chain: %s", row)
		}
		delete(want, row)
	}
	for row := range want {
		t.Errorf("the chain has it, the table not: %s\n%v", row, b.rows(t))
	}
}

func dropped(row string) bool { return strings.Contains(row, " "+string(watch.Dropped)+" in ") }
