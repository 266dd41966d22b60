package methods

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"
)

const (
	maxTopics  = 4         // that a log can have
	maxChoices = 1000      // addresses, and values of one topic, of a query
	maxFilters = 1000      // that callers have installed
	idle       = time.Hour // after which a filter that nobody asks for makes room
)

var (
	errRange       = paramError("invalid block range params")
	errFuture      = paramError("block range extends beyond current head block")
	errBoth        = paramError("can't specify fromBlock/toBlock with blockHash")
	errPendingLogs = paramError("pending logs are not supported")
	errTooMany     = paramError("exceed max addresses or topics per search position")
	errUnknown     = errors.New("unknown block")
	errNoFilter    = errors.New("filter not found")
	errFilters     = errors.New("too many filters are installed")
)

// query says which logs somebody wants.
type query struct {
	Hash      *common.Hash            `json:"blockHash"`
	From      *rpc.BlockNumber        `json:"fromBlock"`
	To        *rpc.BlockNumber        `json:"toBlock"`
	Addresses choices[common.Address] `json:"address"`
	Topics    []choices[common.Hash]  `json:"topics"`
}

// choices are null for any value, one value, or a list of them. A null in the list makes it any value.
type choices[T comparable] []T

// UnmarshalJSON reads one of the three forms.
func (c *choices[T]) UnmarshalJSON(data []byte) error {
	*c = nil
	if !bytes.HasPrefix(data, []byte("[")) {
		var one *T
		if err := json.Unmarshal(data, &one); err != nil {
			return err
		}
		if one != nil {
			*c = choices[T]{*one}
		}
		return nil
	}
	var list []*T
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	for _, one := range list {
		if one == nil {
			*c = nil
			return nil
		}
		*c = append(*c, *one)
	}
	return nil
}

func (q *query) check() error {
	if q.Hash != nil && (q.From != nil || q.To != nil) {
		return errBoth
	}
	if len(q.Topics) > maxTopics || len(q.Addresses) > maxChoices {
		return errTooMany
	}
	for _, t := range q.Topics {
		if len(t) > maxChoices {
			return errTooMany
		}
	}
	return nil
}

func (q *query) wants(l *types.Log) bool {
	if len(q.Addresses) > 0 && !slices.Contains(q.Addresses, l.Address) || len(q.Topics) > len(l.Topics) {
		return false
	}
	for i, t := range q.Topics {
		if len(t) > 0 && !slices.Contains(t, l.Topics[i]) {
			return false
		}
	}
	return true
}

// mayBeIn looks at a block's Bloom filter, which most blocks without such a log do not pass.
func (q *query) mayBeIn(bloom types.Bloom) bool {
	in := func(values [][]byte) bool {
		return len(values) == 0 || slices.ContainsFunc(values, bloom.Test)
	}
	var addresses [][]byte
	for _, a := range q.Addresses {
		addresses = append(addresses, a[:])
	}
	if !in(addresses) {
		return false
	}
	for _, t := range q.Topics {
		var values [][]byte
		for _, v := range t {
			values = append(values, v[:])
		}
		if !in(values) {
			return false
		}
	}
	return true
}

// logMethods find logs, and remember for callers which they have seen.
type logMethods struct {
	node Node

	mu      sync.Mutex
	filters map[rpc.ID]*filter
}

// GetLogs is eth_getLogs.
func (m *logMethods) GetLogs(q query) ([]*types.Log, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	if q.Hash != nil {
		header := m.node.Chain.GetHeaderByHash(*q.Hash)
		if header == nil {
			return nil, errUnknown
		}
		return m.of(&q, header, []*types.Log{}), nil
	}
	first, err := m.end(q.From)
	if err != nil {
		return nil, err
	}
	last, err := m.end(q.To)
	if err != nil {
		return nil, err
	}
	head := m.node.Chain.CurrentBlock().Number.Uint64()
	switch {
	case first > last:
		return nil, errRange
	case last > head:
		return nil, errFuture
	}
	found := []*types.Log{}
	for n := first; n <= last; n++ {
		if header := m.node.Chain.GetHeaderByNumber(n); header != nil { // else a reorg made the chain shorter
			found = m.of(&q, header, found)
		}
	}
	return found, nil
}

// end is one end of a range; the newest block where the caller names none.
func (m *logMethods) end(at *rpc.BlockNumber) (uint64, error) {
	number := rpc.LatestBlockNumber
	if at != nil {
		number = *at
	}
	if number == rpc.PendingBlockNumber {
		return 0, errPendingLogs
	}
	if number >= 0 {
		return uint64(number), nil
	}
	header, err := m.node.header(number)
	if err != nil {
		return 0, err
	}
	return header.Number.Uint64(), nil
}

// of adds a block's logs that the query wants.
func (m *logMethods) of(q *query, header *types.Header, found []*types.Log) []*types.Log {
	if !q.mayBeIn(header.Bloom) {
		return found
	}
	for _, r := range m.node.Chain.GetReceiptsByHash(header.Hash()) {
		for _, l := range r.Logs {
			if q.wants(l) {
				found = append(found, l)
			}
		}
	}
	return found
}
