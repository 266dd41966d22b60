package rpc

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/tron"
)

// atOnce is how many blocks a node is asked for at once.
const atOnce = 8

// parallel asks for each of a list, so many at once, and answers in the order of the list.
func parallel[Q, T any](ctx context.Context, all []Q, ask func(context.Context, Q) (T, error)) ([]T, error) {
	answers := make([]T, len(all))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, q := range all {
		group.Go(func() (err error) {
			answers[i], err = ask(ctx, q)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return answers, nil
}

type wireTransaction struct {
	ID  string `json:"txID"`
	Ret []struct {
		Result string `json:"contractRet"`
	} `json:"ret"`
	Raw struct {
		Contract []struct {
			Type      string `json:"type"`
			Parameter struct {
				Value json.RawMessage `json:"value"`
			} `json:"parameter"`
		} `json:"contract"`
	} `json:"raw_data"`
}

// success is how a receipt calls a call that did what it says.
const success = "SUCCESS"

// wireInfo is what a node says came of a transaction.
type wireInfo struct {
	ID       string   `json:"id"`
	Number   int64    `json:"blockNumber"`
	Fee      int64    `json:"fee"`
	Result   string   `json:"result"` // FAILED, or nothing
	Returned []string `json:"contractResult"`
	Receipt  struct {
		Result string `json:"result"` // of a call
	} `json:"receipt"`
	Log []wireLog `json:"log"`
}

type wireLog struct {
	Address string   `json:"address"`
	Topics  []string `json:"topics"`
	Data    string   `json:"data"`
}

// full is a solid block and all that came of what is in it.
type full struct {
	block
	transactions []wireTransaction
	infos        []wireInfo // in the order of the transactions
}

// solidBlock reads the solid block of a number. A node that leaves out what came of one of its transactions is not
// believed: whoever went on would lose a deposit. Nothing came of those of the first block.
func (c *Client) solidBlock(ctx context.Context, number int64) (f full, err error) {
	if number == 0 {
		f.block, err = c.header(ctx, solid, 0)
		return f, err
	}
	var w wireBlock
	if err := c.call(ctx, &w, solid+"getblockbynum", params{"num": number, "visible": true}); err != nil {
		return f, err
	}
	if f.block, err = w.at(number); err != nil {
		return f, err
	}
	var infos []wireInfo
	if len(w.Transactions) > 0 {
		err = c.call(ctx, &infos, solid+"gettransactioninfobyblocknum", params{"num": number, "visible": true})
		if err != nil {
			return f, err
		}
	}
	if len(infos) != len(w.Transactions) {
		return f, fmt.Errorf("%w: block %d has %d transactions, and %d came of something", ErrLyingNode, number,
			len(w.Transactions), len(infos))
	}
	seen := map[string]bool{}
	for i, t := range w.Transactions {
		if !isID(t.ID) || seen[t.ID] || infos[i].ID != t.ID || infos[i].Number != number {
			return f, fmt.Errorf("%w: transaction %d of block %d is not one alone", ErrLyingNode, i, number)
		}
		seen[t.ID] = true
	}
	f.transactions, f.infos = w.Transactions, infos
	return f, nil
}

func isID(text string) bool {
	raw, err := hex.DecodeString(text)
	return err == nil && len(raw) == 32 && hex.EncodeToString(raw) == text
}

var errRange = errors.New("a range of blocks that ends before it begins, or no token")

// Transfers are those of the solid blocks of a range, in the order of the chain: what a listed contract tells as
// Transfer in a call that succeeded, whatever the call returned, and transfers of TRX, which is the token without an
// address. TRX that a contract pays is not told.
func (c *Client) Transfers(ctx context.Context, q node.Query) ([]node.Transfer, error) {
	if len(q.Tokens) == 0 || q.From < 0 || q.From > q.To {
		return nil, errRange
	}
	numbers := make([]int64, 0, q.To-q.From+1)
	for n := q.From; n <= q.To; n++ {
		numbers = append(numbers, n)
	}
	blocks, err := parallel(ctx, numbers, func(ctx context.Context, n int64) ([]node.Transfer, error) {
		f, err := c.solidBlock(ctx, n)
		if err == nil && q.Hash != "" && f.id != q.Hash {
			err = node.ErrNoBlock
		}
		if err != nil {
			return nil, err
		}
		return f.transfers(q)
	})
	if err != nil {
		return nil, err
	}
	return slices.Concat(blocks...), nil
}

// transfers are those of the block that a query selects, whatever range it names.
func (f full) transfers(q node.Query) (all []node.Transfer, err error) {
	tokens := map[tron.Address]string{}
	for _, t := range q.Tokens {
		if t == node.Coin {
			continue
		}
		a, err := tron.ParseAddress(t)
		if err != nil {
			return nil, err
		}
		tokens[a] = t
	}
	coins := slices.Contains(q.Tokens, node.Coin)
	for place, t := range f.transactions {
		var some []node.Transfer
		if info := f.infos[place]; info.Receipt.Result == success {
			some, err = info.events(tokens)
		} else if coins && info.Result == "" {
			some, err = t.coins()
		}
		if err != nil {
			return nil, fmt.Errorf("block %d, transaction %s: %w", f.number, t.ID, err)
		}
		for _, m := range some {
			m.Block, m.BlockHash, m.Tx, m.Index = f.number, f.id, t.ID, int64(place)<<16|m.Index
			if selects(q, m) {
				all = append(all, m)
			}
		}
	}
	return all, nil
}

func selects(q node.Query, t node.Transfer) bool {
	return (len(q.Receivers) == 0 || slices.Contains(q.Receivers, t.To)) &&
		(len(q.Senders) == 0 || slices.Contains(q.Senders, t.From))
}

// coins is what a transfer of TRX moves.
func (t wireTransaction) coins() ([]node.Transfer, error) {
	if len(t.Raw.Contract) != 1 || t.Raw.Contract[0].Type != "TransferContract" {
		return nil, nil
	}
	if len(t.Ret) != 1 || t.Ret[0].Result != success {
		return nil, nil
	}
	var v struct {
		From   string `json:"owner_address"`
		To     string `json:"to_address"`
		Amount int64  `json:"amount"`
	}
	err := json.Unmarshal(t.Raw.Contract[0].Parameter.Value, &v)
	from, also := parseAny(v.From)
	to, third := parseAny(v.To)
	if err := errors.Join(err, also, third); err != nil || v.Amount <= 0 {
		return nil, fmt.Errorf("%w: a transfer of TRX with parts missing: %w", ErrLyingNode, err)
	}
	return []node.Transfer{{
		Token: node.Coin, From: from.String(), To: to.String(), Amount: big.NewInt(v.Amount),
	}}, nil
}

// transferTopic is what the event of a transfer begins with.
var transferTopic = func() string {
	hash := evm.Keccak256([]byte("Transfer(address,address,uint256)"))
	return hex.EncodeToString(hash[:])
}()

// events are the transfers that the contracts of tokens tell. One whose amount is indexed as well is of an NFT.
func (i wireInfo) events(tokens map[tron.Address]string) (all []node.Transfer, err error) {
	for n, l := range i.Log {
		contract, err := parseAny(l.Address)
		if err != nil {
			return nil, fmt.Errorf("%w: event %d is of no contract", ErrLyingNode, n)
		}
		token, listed := tokens[contract]
		if !listed || len(l.Topics) != 3 || l.Topics[0] != transferTopic {
			continue
		}
		from, err := addressWord(l.Topics[1])
		to, also := addressWord(l.Topics[2])
		amount, third := hex.DecodeString(l.Data)
		if err := errors.Join(err, also, third); err != nil || len(amount) != 32 {
			return nil, fmt.Errorf("%w: event %d is no transfer: %w", ErrLyingNode, n, err)
		}
		all = append(all, node.Transfer{
			Index: int64(n) + 1, Token: token, From: from.String(), To: to.String(),
			Amount: new(big.Int).SetBytes(amount),
		})
	}
	return all, nil
}

// addressWord reads an address of an event, which is the end of 32 bytes.
func addressWord(text string) (a tron.Address, err error) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != 32 {
		return a, tron.ErrAddress
	}
	return tron.Address(raw[12:]), nil
}
