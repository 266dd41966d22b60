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

	"github.com/railkit/railkit/chain/evm"
)

// TokenTransfer is one Transfer event of an ERC-20 token.
type TokenTransfer struct {
	Block     uint64
	BlockHash [32]byte
	Tx        [32]byte
	Index     uint64 // among all logs of the block
	Token     evm.Address
	From, To  evm.Address
	Amount    *big.Int // in the token's smallest unit
}

// TransferQuery selects transfers. Tokens must be named; without receivers
// those to anybody are meant.
type TransferQuery struct {
	From, To  uint64    // first and last block; with Hash the same
	Hash      *[32]byte // of the one block: a node that does not have it says so
	Tokens    []evm.Address
	Receivers []evm.Address
}

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

// Transfers lists the transfers of a range in the order of the chain. Where the
// node refuses the range or the answer is too large, it is asked for in halves.
func (c *Client) Transfers(ctx context.Context, q TransferQuery) ([]TokenTransfer, error) {
	if q.From > q.To || len(q.Tokens) == 0 || q.Hash != nil && q.From != q.To {
		return nil, errNoRange
	}
	found, err := c.transfers(ctx, q)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b TokenTransfer) int {
		return cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.Index, b.Index))
	})
	return found, whole(found)
}

func (c *Client) transfers(ctx context.Context, q TransferQuery) ([]TokenTransfer, error) {
	found, err := c.transfersAtOnce(ctx, q)
	if err == nil || q.From == q.To || !tooWide(err) {
		return found, err
	}
	low, high := q, q
	low.To = q.From + (q.To-q.From)/2
	high.From = low.To + 1
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
	case errors.Is(err, errNoMethod), errors.Is(err, errIndexing), errors.Is(err, ErrWrongNetwork),
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

func (q TransferQuery) filter() wireFilter {
	w := wireFilter{Address: texts(q.Tokens), Topics: []any{transferTopic}}
	if len(q.Receivers) > 0 {
		words := make([]common.Hash, len(q.Receivers))
		for i, r := range q.Receivers {
			words[i] = common.BytesToHash(r[:])
		}
		w.Topics = append(w.Topics, nil, words)
	}
	if q.Hash != nil {
		hash := common.Hash(*q.Hash)
		w.Hash = &hash
		return w
	}
	w.From, w.To = (*hexutil.Uint64)(&q.From), (*hexutil.Uint64)(&q.To)
	return w
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

func (c *Client) transfersAtOnce(ctx context.Context, q TransferQuery) ([]TokenTransfer, error) {
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
	all := make([]TokenTransfer, len(logs))
	for i, l := range logs {
		var err error
		if all[i], err = l.transfer(); err != nil {
			return nil, err
		}
		if !q.selects(all[i]) {
			return nil, errForeignLog
		}
	}
	return all, nil
}

func (q TransferQuery) selects(t TokenTransfer) bool {
	return t.Block >= q.From && t.Block <= q.To && slices.Contains(q.Tokens, t.Token) &&
		(q.Hash == nil || t.BlockHash == *q.Hash) && (len(q.Receivers) == 0 || slices.Contains(q.Receivers, t.To))
}

// transfer reads a log of exactly the form that an ERC-20 token writes. What a
// reorg took away is none of a range that is asked for now.
func (l wireLog) transfer() (TokenTransfer, error) {
	if l.Removed || l.Block == nil || l.Hash == nil || l.Tx == nil || l.Index == nil {
		return TokenTransfer{}, errForeignLog
	}
	if len(l.Topics) != 3 || l.Topics[0] != transferTopic || len(l.Data) != 32 || !isAddress(l.Topics[1]) ||
		!isAddress(l.Topics[2]) {
		return TokenTransfer{}, errFormOfLog
	}
	return TokenTransfer{
		Block: uint64(*l.Block), BlockHash: *l.Hash, Tx: *l.Tx, Index: uint64(*l.Index), Token: evm.Address(l.Address),
		From: evm.Address(l.Topics[1][12:]), To: evm.Address(l.Topics[2][12:]), Amount: new(big.Int).SetBytes(l.Data),
	}, nil
}

func isAddress(word common.Hash) bool { return [12]byte(word[:12]) == [12]byte{} }

// whole refuses sorted transfers that contradict each other: a block has one
// hash, a transaction is in one block, and a log is told once.
func whole(all []TokenTransfer) error {
	blockOf := map[[32]byte]uint64{}
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
