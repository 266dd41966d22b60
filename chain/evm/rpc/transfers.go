package rpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/node"
)

const (
	// transfersTimeout is more than that of other calls: the answer may be large.
	transfersTimeout = 15 * time.Second
	// maxTransfers bounds what is held of one range.
	maxTransfers = 100_000
)

// ErrTooMany says that the range holds more than is taken at once.
var ErrTooMany = errors.New("too many transfers for one question")

var (
	errForeignLog = fmt.Errorf("%w: a log that was not asked for", ErrLyingNode)
	errFormOfLog  = fmt.Errorf("%w: a log that no ERC-20 token writes", ErrLyingNode)
	errTornLogs   = fmt.Errorf("%w: logs of one block or transaction that are of two", ErrLyingNode)
	errNoRange    = errors.New("a range of blocks that ends before it begins, or no token")
)

// transferTopic is the event's name: keccak256("Transfer(address,address,uint256)").
var transferTopic = common.Hash(evm.Keccak256([]byte("Transfer(address,address,uint256)")))

// logQuery is a node.Query whose texts were read.
type logQuery struct {
	from, to  int64
	hash      *common.Hash
	tokens    []evm.Address
	senders   []evm.Address
	receivers []evm.Address
}

func readQuery(q node.Query) (r logQuery, err error) {
	if q.From < 0 || q.From > q.To || len(q.Tokens) == 0 || q.Hash != "" && q.From != q.To {
		return r, errNoRange
	}
	r.from, r.to = q.From, q.To
	if q.Hash != "" {
		hash, err := parseHash(q.Hash)
		if err != nil {
			return r, err
		}
		r.hash = &hash
	}
	if r.tokens, err = addresses(q.Tokens); err != nil {
		return r, err
	}
	if r.senders, err = addresses(q.Senders); err != nil {
		return r, err
	}
	r.receivers, err = addresses(q.Receivers)
	return r, err
}

// Transfers lists the transfers of a range in the order of the chain. Where the
// node refuses the range or the answer is too large, it is asked for in halves.
func (c *Client) Transfers(ctx context.Context, asked node.Query) ([]node.Transfer, error) {
	q, err := readQuery(asked)
	if err != nil {
		return nil, err
	}
	found, err := c.transfers(ctx, q)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b node.Transfer) int {
		return cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.Index, b.Index))
	})
	return found, whole(found)
}

func (c *Client) transfers(ctx context.Context, q logQuery) ([]node.Transfer, error) {
	found, err := c.transfersAtOnce(ctx, q)
	if err == nil || q.from == q.to || !tooWide(err) {
		return found, err
	}
	low, high := q, q
	low.to = q.from + (q.to-q.from)/2
	high.from = low.to + 1
	if found, err = c.transfers(ctx, low); err != nil {
		return nil, err
	}
	more, err := c.transfers(ctx, high)
	if len(found)+len(more) > maxTransfers {
		return nil, ErrTooMany
	}
	return append(found, more...), err
}

// tooWide says that less of the same may be answered. The nodes have as many
// words for it as there are nodes, so that any error of theirs is taken for it: a
// range is halved until one block is left, which is a handful of questions.
func tooWide(err error) bool {
	switch {
	case errors.Is(err, errNoMethod), errors.Is(err, errIndexing), errors.Is(err, node.ErrWrongNetwork),
		errors.Is(err, ErrLyingNode):
		return false
	}
	return errors.Is(err, ErrNode) || errors.Is(err, errAnswerTooLarge) || errors.Is(err, ErrTooMany)
}

type wireFilter struct {
	From    *hexutil.Uint64 `json:"fromBlock,omitempty"`
	To      *hexutil.Uint64 `json:"toBlock,omitempty"`
	Hash    *common.Hash    `json:"blockHash,omitempty"`
	Address []string        `json:"address"`
	Topics  []any           `json:"topics"`
}

func (q logQuery) filter() wireFilter {
	w := wireFilter{Address: texts(q.tokens), Topics: []any{transferTopic}, Hash: q.hash}
	if len(q.senders)+len(q.receivers) > 0 {
		w.Topics = append(w.Topics, words(q.senders))
	}
	if len(q.receivers) > 0 {
		w.Topics = append(w.Topics, words(q.receivers))
	}
	if q.hash == nil {
		from, to := hexutil.Uint64(q.from), hexutil.Uint64(q.to)
		w.From, w.To = &from, &to
	}
	return w
}

// words are addresses as a topic has them; nil is any, as eth_getLogs reads null.
func words(addresses []evm.Address) any {
	if len(addresses) == 0 {
		return nil
	}
	all := make([]common.Hash, len(addresses))
	for i, a := range addresses {
		all[i] = common.BytesToHash(a[:])
	}
	return all
}

func texts(addresses []evm.Address) []string {
	all := make([]string, len(addresses))
	for i, a := range addresses {
		all[i] = a.String()
	}
	return all
}

type wireLog struct {
	Address common.Address `json:"address"`
	Topics  []common.Hash  `json:"topics"`
	Data    hexutil.Bytes  `json:"data"`
	Block   *quantity      `json:"blockNumber"`
	Hash    *common.Hash   `json:"blockHash"`
	Tx      *common.Hash   `json:"transactionHash"`
	Index   *quantity      `json:"logIndex"`
	Removed bool           `json:"removed"`
}

func (c *Client) transfersAtOnce(ctx context.Context, q logQuery) ([]node.Transfer, error) {
	var logs []wireLog
	if err := c.onChain(ctx); err != nil {
		return nil, err
	}
	if err := c.askWithin(ctx, max(c.timeout, transfersTimeout), &logs, "eth_getLogs", q.filter()); err != nil {
		return nil, err
	}
	if len(logs) > maxTransfers {
		return nil, ErrTooMany
	}
	all := make([]node.Transfer, len(logs))
	for i, l := range logs {
		if err := l.check(); err != nil {
			return nil, err
		}
		if !q.selects(l) {
			return nil, errForeignLog
		}
		all[i] = l.transfer()
	}
	return all, nil
}

func (q logQuery) selects(l wireLog) bool {
	n := int64(*l.Block)
	return n >= q.from && n <= q.to && slices.Contains(q.tokens, evm.Address(l.Address)) &&
		(q.hash == nil || *l.Hash == *q.hash) && (len(q.senders) == 0 || slices.Contains(q.senders, l.from())) &&
		(len(q.receivers) == 0 || slices.Contains(q.receivers, l.to()))
}

// check refuses what is not of exactly the form that an ERC-20 token writes. What a
// reorg took away is none of a range that is asked for now.
func (l wireLog) check() error {
	if l.Removed || l.Block == nil || l.Hash == nil || l.Tx == nil || l.Index == nil {
		return errForeignLog
	}
	if len(l.Topics) != 3 || l.Topics[0] != transferTopic || len(l.Data) != 32 || !isAddress(l.Topics[1]) ||
		!isAddress(l.Topics[2]) {
		return errFormOfLog
	}
	return nil
}

func (l wireLog) from() evm.Address { return evm.Address(l.Topics[1][12:]) }
func (l wireLog) to() evm.Address   { return evm.Address(l.Topics[2][12:]) }

// transfer writes addresses in lower case.
func (l wireLog) transfer() node.Transfer {
	return node.Transfer{
		Block: int64(*l.Block), BlockHash: chain.Hex(l.Hash[:]), Tx: chain.Hex(l.Tx[:]), Index: int64(*l.Index),
		Token: chain.Hex(l.Address[:]), From: chain.Hex(l.Topics[1][12:]), To: chain.Hex(l.Topics[2][12:]),
		Amount: new(big.Int).SetBytes(l.Data),
	}
}

func isAddress(word common.Hash) bool { return [12]byte(word[:12]) == [12]byte{} }

// whole refuses sorted transfers that contradict each other: a block has one
// hash, a transaction is in one block, and a log is told once.
func whole(all []node.Transfer) error {
	blockOf := map[string]int64{}
	for i, t := range all {
		if b, seen := blockOf[t.Tx]; seen && b != t.Block {
			return errTornLogs
		}
		blockOf[t.Tx] = t.Block
		if i == 0 || all[i-1].Block != t.Block {
			continue
		}
		if all[i-1].Index == t.Index || all[i-1].BlockHash != t.BlockHash {
			return errTornLogs
		}
	}
	return nil
}
