package methods

import (
	"maps"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"
)

// filter is up to which block a caller has seen what it wants.
type filter struct {
	query *query      // nil: the blocks themselves
	seen  common.Hash // the newest block that was told; after a reorg no longer one of the chain
	used  time.Time
}

// NewFilter is eth_newFilter.
func (m *logMethods) NewFilter(q query) (rpc.ID, error) {
	if err := q.check(); err != nil {
		return "", err
	}
	return m.install(&q)
}

// NewBlockFilter is eth_newBlockFilter.
func (m *logMethods) NewBlockFilter() (rpc.ID, error) { return m.install(nil) }

func (m *logMethods) install(q *query) (rpc.ID, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.filters, func(_ rpc.ID, f *filter) bool { return time.Since(f.used) > idle })
	if len(m.filters) >= maxFilters {
		return "", errFilters
	}
	id := rpc.NewID()
	m.filters[id] = &filter{q, m.node.Chain.CurrentBlock().Hash(), time.Now()}
	return id, nil
}

// UninstallFilter is eth_uninstallFilter.
func (m *logMethods) UninstallFilter(id rpc.ID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, there := m.filters[id]
	delete(m.filters, id)
	return there
}

// GetFilterLogs is eth_getFilterLogs: all that there are, seen or not.
func (m *logMethods) GetFilterLogs(id rpc.ID) ([]*types.Log, error) {
	m.mu.Lock()
	f := m.filters[id]
	m.mu.Unlock()
	if f == nil || f.query == nil {
		return nil, errNoFilter
	}
	return m.GetLogs(*f.query)
}

// GetFilterChanges is eth_getFilterChanges: what came since the last time. Logs of blocks that a reorg took away come
// again, with removed set, before those of the blocks in their place.
func (m *logMethods) GetFilterChanges(id rpc.ID) (any, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.filters[id]
	if f == nil {
		return nil, errNoFilter
	}
	f.used = time.Now()
	gone, come := m.since(f.seen)
	if len(come) > 0 {
		f.seen = come[len(come)-1].Hash()
	}
	if f.query == nil {
		hashes := []common.Hash{}
		for _, h := range come {
			hashes = append(hashes, h.Hash())
		}
		return hashes, nil
	}
	return m.changes(f.query, gone, come), nil
}

// since are the blocks that the chain lost after one, newest first, and those that it got, oldest first.
func (m *logMethods) since(seen common.Hash) (gone, come []*types.Header) {
	chain := m.node.Chain
	at := chain.GetHeaderByHash(seen)
	for at != nil && chain.GetCanonicalHash(at.Number.Uint64()) != at.Hash() {
		gone = append(gone, at)
		at = chain.GetHeaderByHash(at.ParentHash)
	}
	next := uint64(0)
	if at != nil {
		next = at.Number.Uint64() + 1
	}
	for head := chain.CurrentBlock().Number.Uint64(); next <= head; next++ {
		if h := chain.GetHeaderByNumber(next); h != nil {
			come = append(come, h)
		}
	}
	return gone, come
}

func (m *logMethods) changes(q *query, gone, come []*types.Header) []*types.Log {
	found := []*types.Log{}
	for _, h := range gone {
		for _, l := range m.of(q, h, nil) {
			removed := *l
			removed.Removed = true
			found = append(found, &removed)
		}
	}
	for _, h := range come {
		if q.covers(h.Number.Uint64()) {
			found = m.of(q, h, found)
		}
	}
	return found
}

// covers tells whether a block is in the query's range; a tag such as "latest" limits nothing that comes.
func (q *query) covers(number uint64) bool {
	return (q.From == nil || *q.From < 0 || number >= uint64(*q.From)) &&
		(q.To == nil || *q.To < 0 || number <= uint64(*q.To))
}
