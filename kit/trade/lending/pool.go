package lending

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"sync"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm/aave"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/nodes"
)

// pool is a network's lending pool, with the node that is asked about it. What it answers is not trusted: it is shown,
// and says which step comes next. What a step does the enclave reads in its bytes.
type pool struct {
	chain.LendingPool
	network chain.Network
	node    nodes.Node
}

func (s *Service) pool(chainID uint64) (p pool, err error) {
	var ok bool
	if p.network, ok = s.c.Nodes.ByChainID(chainID); !ok {
		return p, fault.Field("chainId", "must be that of a network with a lending pool: "+s.pooled())
	}
	list := chain.LendingPools(p.network)
	if len(list) == 0 {
		return p, ErrNoPool
	}
	p.LendingPool = list[0]
	p.node, err = s.c.Nodes.Node(p.network.Slug)
	return p, err
}

// at is the pool of an address's network, and the address as the network spells it.
func (s *Service) at(of Of) (p pool, user string, err error) {
	if p, err = s.pool(of.ChainID); err != nil {
		return p, "", err
	}
	family, _ := families.Of(p.network.Kind)
	if user, err = family.ParseAddress(of.UserAddress); err != nil {
		err = fault.Field("userAddress", "must be an address ("+family.Form().Typed+")")
	}
	return p, user, err
}

// asset finds what is to be supplied: a listed token, or the network's own coin, which has no address.
func (p pool) asset(name string) (chain.Token, error) {
	if name == strings.ToLower(p.network.Native.Symbol) { // as older programs spell it
		return p.network.Native, nil
	}
	t, ok := p.network.Asset(name)
	if !ok {
		return t, fault.Field("tokenAddress", "is not native or a token of the network ("+p.network.Symbols()+")")
	}
	return t, nil
}

// reserved is the token in which the pool counts an asset: the coin as its wrapped form.
func (p pool) reserved(t chain.Token) chain.Token {
	if t.Address == "" {
		t, _ = p.network.Wrapped()
	}
	return t
}

// ask asks a contract; data is what package aave wrote.
func (p pool) ask(ctx context.Context, to string, data []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return nodes.Call(ctx, p.node, node.ContractCall{To: to, Data: data})
}

func (p pool) number(ctx context.Context, to string, data []byte, err error) (*big.Int, error) {
	answer, err := p.ask(ctx, to, data, err)
	if err != nil {
		return nil, err
	}
	n, err := aave.ParseNumber(answer)
	if err != nil {
		return nil, nodes.ErrNode.Because(err)
	}
	return n, nil
}

func (p pool) balance(ctx context.Context, token, owner string) (*big.Int, error) {
	data, err := aave.BalanceOf(owner)
	return p.number(ctx, token, data, err)
}

// reserve is a token that the pool lends.
type reserve struct {
	aave.Reserve
	token chain.Token
	price *big.Int // dollars with eight decimals
}

// reserve answers ErrNoPool where the pool does not lend the token.
func (p pool) reserve(ctx context.Context, t chain.Token) (r reserve, err error) {
	r.token = t
	data, err := aave.ReserveData(t.Address)
	answer, err := p.ask(ctx, p.Pool, data, err)
	if errors.Is(err, node.ErrReverts) {
		return r, ErrNoPool
	}
	if err != nil {
		return r, err
	}
	if r.Reserve, err = aave.ParseReserve(answer); err != nil {
		return r, ErrNoPool.Because(err)
	}
	data, err = aave.Price(t.Address)
	r.price, err = p.number(ctx, p.Oracle, data, err)
	return r, err
}

// reserves are those of the network's listed tokens, in the order of the list.
func (p pool) reserves(ctx context.Context) ([]reserve, error) {
	all, err := each(p.network.Tokens, func(t chain.Token) (*reserve, error) {
		r, err := p.reserve(ctx, t)
		if errors.Is(err, ErrNoPool) {
			return nil, nil
		}
		return &r, err
	})
	var lent []reserve
	for _, r := range all {
		if r != nil {
			lent = append(lent, *r)
		}
	}
	return lent, err
}

// each asks about all at once: a network lists a few tokens, and the way to a node takes time.
func each[T, R any](all []T, ask func(T) (R, error)) ([]R, error) {
	answers, errs := make([]R, len(all)), make([]error, len(all))
	var asking sync.WaitGroup
	for i := range all {
		asking.Go(func() { answers[i], errs[i] = ask(all[i]) })
	}
	asking.Wait()
	return answers, errors.Join(errs...)
}
