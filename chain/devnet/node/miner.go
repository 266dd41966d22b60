package node

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus/misc/eip1559"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/event"
	"github.com/ethereum/go-ethereum/log"
	builder "github.com/ethereum/go-ethereum/miner"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/railkit/railkit/crash"
)

// retryAfter is when the miner looks again at transactions that it could not mine.
const retryAfter = time.Second

var errNotSealed = errors.New("the block was not made")

// miner makes the blocks of one chain: one as soon as a transaction waits, and
// others when the control asks for them. It never makes one for nothing.
type miner struct {
	backend *backend
	blocks  *builder.Miner
	ctx     context.Context // ends with the chain
	cancel  context.CancelFunc
	wake    chan struct{} // holds one token: there may be work
	lead    time.Duration // how far the time of blocks may be ahead of the clock, see Open

	mu     sync.Mutex // one block, or one reorg, at a time
	newest uint64     // time of the newest block, abandoned ones included
	auto   bool       // mine as soon as a transaction waits

	sync sync.Mutex // around everything that calls the pool's Sync, see there
}

func newMiner(backend *backend, blocks *builder.Miner, lead time.Duration) *miner {
	ctx, cancel := context.WithCancel(context.Background())
	m := &miner{
		backend: backend, blocks: blocks, ctx: ctx, cancel: cancel,
		wake:   make(chan struct{}, 1),
		lead:   lead,
		newest: backend.BlockChain().CurrentBlock().Time,
		auto:   true,
	}
	m.unfinalize()
	backend.chain.SetSafe(backend.chain.CurrentBlock())
	return m
}

// start mines on transaction until the chain ends. It listens to the pool before
// it returns, so that no transaction comes unheard. The pool waits for whoever
// listens to it, and making a block waits for the pool: so one goroutine listens
// and does nothing else.
func (m *miner) start() {
	events := make(chan core.NewTxsEvent, 16)
	sub := m.backend.TxPool().SubscribeTransactions(events, true)
	go m.listen(sub, events)
	go m.work()
}

func (m *miner) listen(sub event.Subscription, events <-chan core.NewTxsEvent) {
	defer sub.Unsubscribe()
	for {
		select {
		case <-m.ctx.Done():
			return
		case <-events:
			crash.At("miner", "heard")
			m.kick()
		}
	}
}

// stop returns once the block under way is done, and none comes after it.
func (m *miner) stop() {
	m.cancel()
	m.mu.Lock()
	defer m.mu.Unlock()
}

func (m *miner) kick() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

func (m *miner) work() {
	for {
		select {
		case <-m.ctx.Done():
			return
		case <-m.wake:
		}
		if m.mineWaiting() != nil && m.ctx.Err() == nil {
			time.AfterFunc(retryAfter, m.kick)
		}
	}
}

// mineWaiting makes blocks as long as they hold transactions.
func (m *miner) mineWaiting() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.auto && m.transactionsWait() {
		block, err := m.seal(m.ctx)
		if err != nil {
			log.Error("Mining on transaction failed", "err", err)
			return err
		}
		if block.TxHash == types.EmptyTxsHash {
			return errNotSealed // nothing fitted; another try at once would be a busy loop
		}
	}
	return nil
}

// transactionsWait asks the pool just what the block builder will ask it.
func (m *miner) transactionsWait() bool {
	if m.syncPool() != nil { // else it may still list what the last block holds
		return false
	}
	pool, chain := m.backend.TxPool(), m.backend.BlockChain()
	filter := txpool.PendingFilter{
		MinTip:      uint256.NewInt(minTip),
		BaseFee:     uint256.MustFromBig(eip1559.CalcBaseFee(chain.Config(), chain.CurrentBlock())),
		GasLimitCap: params.MaxTxGas,
	}
	_, n := pool.Pending(filter)
	return n > 0
}

// seal makes the next block of what the pool has, once the clock allows it. The
// caller holds mu.
func (m *miner) seal(ctx context.Context) (*types.Header, error) {
	if err := m.waitForClock(ctx); err != nil {
		return nil, err
	}
	if err := m.ctx.Err(); err != nil {
		return nil, err
	}
	crash.At("miner", "before-block")
	if err := m.extend(); err != nil {
		return nil, err
	}
	crash.At("miner", "after-block")
	block := m.backend.BlockChain().CurrentBlock()
	m.newest = max(m.newest, block.Time)
	return block, nil
}

// unfinalize takes back what an older version called final. Final blocks are moved into files that nothing is
// ever taken out of. A reorg from below would leave a chain that mines no more.
func (m *miner) unfinalize() { m.backend.BlockChain().SetFinalized(nil) }

// syncPool waits until the pool knows the chain's head. Of two callers at once
// the pool would forget one, who then waits for ever.
func (m *miner) syncPool() error {
	m.sync.Lock()
	defer m.sync.Unlock()
	if err := m.backend.TxPool().Sync(); err != nil {
		return fmt.Errorf("waiting for the transaction pool: %w", err)
	}
	return nil
}

// extend builds a block on the chain's head, as a beacon node asks for one, and makes it the head. It is "safe", as far
// as callers ask for such a block, and never final.
//
// Until it is done nobody else asks the pool to follow: between the new head and its announcement the pool would say
// that it does, and refuse who spends what the block gave.
func (m *miner) extend() error {
	m.sync.Lock()
	defer m.sync.Unlock()
	if err := m.backend.pool.Sync(); err != nil { // else it may still list what the last block holds
		return fmt.Errorf("waiting for the transaction pool: %w", err)
	}
	head := m.backend.chain.CurrentBlock()
	var random common.Hash
	_, _ = rand.Read(random[:]) // does not fail
	block, _, err := m.blocks.BuildTestingPayload(&builder.BuildPayloadArgs{
		Parent: head.Hash(), Timestamp: max(m.newest+1, uint64(time.Now().Unix())), Random: random,
		Withdrawals: types.Withdrawals{}, BeaconRoot: &common.Hash{},
	}, nil, false, nil)
	if err != nil {
		return fmt.Errorf("building a block: %w", err)
	}
	if _, err := m.backend.chain.InsertBlockWithoutSetHead(context.Background(), block, false); err != nil {
		return fmt.Errorf("adding a block: %w", err)
	}
	if _, err := m.backend.chain.SetCanonical(block); err != nil {
		return fmt.Errorf("making a block the head: %w", err)
	}
	m.backend.chain.SetSafe(block.Header())
	return nil
}

func (m *miner) waitForClock(ctx context.Context) error {
	next := time.Unix(int64(m.newest)+1, 0)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(next) - m.lead):
		return nil
	}
}

// mine makes n blocks, whatever waits.
func (m *miner) mine(ctx context.Context, n int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for range n {
		if _, err := m.seal(ctx); err != nil {
			return err
		}
	}
	return nil
}

// setAuto waits for the block under way. Once automining is off and setAuto has
// returned, a transaction that comes next stays in the pool: otherwise the miner,
// which had read auto before and then asks the pool, would still mine it.
func (m *miner) setAuto(on bool) {
	m.mu.Lock()
	m.auto = on
	m.mu.Unlock()
	m.kick()
}
