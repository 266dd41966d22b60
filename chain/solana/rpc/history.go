package rpc

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/follow"
)

// atOnce is how many transactions a node is asked for at once.
const atOnce = 8

// History lists the latest transfers of an owner's associated account and of his other accounts, newest first.
func (n *Network) History(ctx context.Context, address, token string, since int64, limit int) ([]node.Moved, error) {
	owner, err := solana.ParseAddress(address)
	if err != nil {
		return nil, err
	}
	mint, err := solana.ParseAddress(token)
	if err != nil {
		return nil, err
	}
	return node.First(ctx, n.nodes, func(ctx context.Context, c *Client) ([]node.Moved, error) {
		return c.history(ctx, owner, mint, since, limit)
	})
}

func (c *Client) history(
	ctx context.Context, owner, mint solana.Address, since int64, limit int,
) ([]node.Moved, error) {
	ids, err := c.ofAll(ctx, owner, mint, since, limit)
	if err != nil {
		return nil, err
	}
	found := make([][]node.Moved, len(ids))
	group, asking := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, m := range ids {
		group.Go(func() (err error) {
			if found[i], err = c.moved(asking, m.ID, owner, mint); m.elsewhere && asking.Err() == nil {
				return nil
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var all []node.Moved
	for _, some := range found {
		all = append(all, some...)
	}
	return all[:min(len(all), limit)], nil
}

// Of an owner's other accounts the fullest are looked at, each for its latest transactions, and all of them for so
// long.
const (
	othersShown  = 5
	othersWithin = 3 * time.Second
)

// ofAll are the transactions that name one of an owner's accounts of a mint, newest first. Strangers can make him
// accounts: what is not to be had of them hides nothing of his associated account, and what is in the emptier ones is
// left out.
func (c *Client) ofAll(
	ctx context.Context, owner, mint solana.Address, since int64, limit int,
) (some []mention, err error) {
	all, err := c.named(ctx, solana.AssociatedAddress(owner, mint, solana.TokenProgram), since, limit, namedPages)
	if err != nil {
		return nil, err
	}
	all = append(all, c.ofOthers(ctx, owner, mint, since, limit)...)
	slices.SortStableFunc(all, func(a, b mention) int { return cmp.Compare(b.Slot, a.Slot) })
	seen := map[string]bool{}
	for _, m := range all {
		if !seen[m.ID] && len(some) < limit {
			some, seen[m.ID] = append(some, m), true
		}
	}
	return some, nil
}

func (c *Client) ofOthers(ctx context.Context, owner, mint solana.Address, since int64, limit int) []mention {
	ctx, cancel := context.WithTimeout(ctx, othersWithin)
	defer cancel()
	others, err := c.others(ctx, owner, mint)
	if err != nil {
		return nil
	}
	others = others[:min(len(others), othersShown)]
	found := make([][]mention, len(others))
	var asking sync.WaitGroup
	for i, o := range others {
		asking.Go(func() {
			found[i], _ = c.named(ctx, o.Account, since, limit, 1) // what it fails with hides this account alone
		})
	}
	asking.Wait()
	all := slices.Concat(found...)
	for i := range all {
		all[i].elsewhere = true
	}
	return all
}

// mention is a transaction that names an account.
type mention struct {
	ID   string          `json:"signature"`
	Slot int64           `json:"slot"`
	Err  json.RawMessage `json:"err"`
	Time *int64          `json:"blockTime"`

	elsewhere bool // the account is not the associated one
}

// Where many transactions that name an account failed, this many are looked at for each answer: anybody can make them.
const (
	namedAtOnce = 200
	namedPages  = 5
)

// named are the transactions that name an account and did something, newest first, out of so many pages of the node's.
func (c *Client) named(
	ctx context.Context, at solana.Address, since int64, limit, pages int,
) (all []mention, err error) {
	o := options{"commitment": "finalized", "limit": namedAtOnce}
	for range pages {
		var some []mention
		if err := c.call(ctx, &some, "getSignaturesForAddress", at.String(), o); err != nil {
			return nil, err
		}
		for _, s := range some {
			if s.Time != nil && *s.Time < since || len(all) == limit {
				return all, nil
			}
			if !isSaid(s.Err) {
				all = append(all, s)
			}
			o["before"] = s.ID
		}
		if len(some) < namedAtOnce {
			return all, nil
		}
	}
	return all, nil
}

// moved is what one transaction moved to and from an owner.
func (c *Client) moved(ctx context.Context, id string, owner, mint solana.Address) (all []node.Moved, err error) {
	var w *struct {
		Slot        *int64
		Time        *int64 `json:"blockTime"`
		Meta        *wireMeta
		Version     json.RawMessage
		Transaction struct {
			Signatures []string
			Message    struct {
				Keys []wireKey `json:"accountKeys"`
			}
		}
	}
	err = c.call(ctx, &w, "getTransaction", id, options{
		"commitment": "finalized", "encoding": "jsonParsed", "maxSupportedTransactionVersion": maxVersion,
	})
	if err != nil {
		return nil, err
	}
	if w == nil || w.Slot == nil {
		return nil, fmt.Errorf("%w: it names a transaction that it does not have", ErrNode)
	}
	t := wireTransaction{Meta: w.Meta, Version: w.Version}
	t.Transaction.Signatures, t.Transaction.Keys = w.Transaction.Signatures, w.Transaction.Message.Keys
	read, err := t.read()
	if err != nil {
		return nil, err
	}
	b := follow.Block{Slot: *w.Slot, Transactions: []follow.Transaction{read}}
	arrivals, err := b.Arrivals([]solana.Address{mint})
	if err != nil {
		return nil, err
	}
	for _, a := range arrivals {
		if a.Owner != owner && a.From != owner {
			continue
		}
		m := node.Moved{Transfer: a.Transfer(b)}
		if !a.Derived {
			m.Account = a.Account.String()
		}
		if w.Time != nil {
			m.Time = *w.Time
		}
		all = append(all, m)
	}
	return all, nil
}
