// Package onchain is how the sandbox's partner has addresses and money on blockchains, in one form for every family
// of networks. Two things differ. The curve of a family says how a key is derived and signs (keys.go). And its node
// says how a transaction comes into a block once: by a number of which the network takes one (numbered.go), or by a
// recent block, with which it expires (expiring.go).
package onchain

import (
	"context"
	"crypto/sha512"
	"errors"
	"fmt"
	"math/big"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm/rpc"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/chain/node"
	solanarpc "github.com/railkit/railkit/chain/solana/rpc"
)

// Chain is one network on which the partner is.
type Chain struct {
	node.Client
	family chain.Family
	seed   Seed
	way
}

// way is how a network takes a transaction once.
type way interface {
	// terms make a transaction of a call. Lowest is the lowest number that it may have, where it has one. ErrNever says
	// that no block will take it.
	terms(ctx context.Context, from string, call chain.Call, lowest uint64) (chain.Tx, node.Window, error)
	// Fate is what became of a transaction.
	Fate(context.Context, Signed) (Fate, error)
	// Again is how many of the newest blocks are to be read again, since others may have come in their place.
	Again() int64
}

// Signed is a transaction that is to be written down before anybody sees it.
type Signed struct {
	ID     string
	Raw    []byte
	Number uint64      // of the sender's transactions; only of one that does not Expire
	Window node.Window // in which a block can have it; zero: as long as its number is free
}

// Expires tells whether a time comes at which no block can have the transaction any more. Its id is told to nobody
// before it is in a block: another one may have to be made.
func (s Signed) Expires() bool { return s.Window.LastHeight != 0 }

// Fate is what became of a transaction. Neither landed nor expired: it may still come into a block, and is sent again.
type Fate struct {
	Landed, Succeeded bool
	Block             int64
	Expired           bool // no block has it, and none will
}

// ErrNever says that a payment would fail whenever it is sent, such as one to an address that is nobody's.
var ErrNever = errors.New("the chain refuses the payment")

// All are the chains of the networks that the partner can be on. No node is asked: a chain of the devnet that nobody
// asks for does not start.
func All(ctx context.Context, seed Seed, url func(slug string) string, all []chain.Network) ([]*Chain, error) {
	var some []*Chain
	for _, n := range all {
		dial, known := clients[n.Kind]
		if !known {
			continue
		}
		client, way, err := dial(ctx, url(n.Slug), n)
		if err != nil {
			return nil, fmt.Errorf("the node of %s: %w", n.Slug, err)
		}
		family, _ := families.Of(n.Kind)
		some = append(some, &Chain{client, family, seed, way})
	}
	return some, nil
}

// clients are of the families that the partner knows.
var clients = map[chain.Kind]func(context.Context, string, chain.Network) (node.Client, way, error){
	chain.EVM: func(ctx context.Context, url string, n chain.Network) (node.Client, way, error) {
		c, err := rpc.Dial(ctx, url, n)
		return c, numbered{c}, err
	},
	chain.Solana: func(_ context.Context, url string, n chain.Network) (node.Client, way, error) {
		c, err := solanarpc.DialAll(url, n)
		return c, expiring{c}, err
	},
}

// Address is the one at an index of a branch below the seed.
func (c *Chain) Address(branch, index uint32) (string, error) {
	k, err := c.seed.key(c.family, branch, index)
	return k.address, err
}

// Lookup is how nodes write an address.
func (c *Chain) Lookup(address string) string { return c.family.Lookup(address) }

// Canonical is how the partner writes an address of a node.
func (c *Chain) Canonical(address string) string {
	if canonical, err := c.family.ParseAddress(address); err == nil {
		return canonical
	}
	return address
}

// Payee reads an address that is to be paid in a token. Nobody's addresses, and those of the network itself, are
// refused.
func (c *Chain) Payee(t chain.Token, text string) (string, error) {
	to, err := c.family.ParseAddress(text)
	if err == nil {
		err = c.family.CheckPayee(to)
	}
	if err != nil {
		return "", err
	}
	call, err := c.family.Transfer(t, to, big.NewInt(1))
	if err != nil {
		return "", err
	}
	from, err := c.Address(Treasury, 0)
	if err != nil {
		return "", err
	}
	return to, c.family.CheckIntent(c.Network(), chain.Intent{From: from, Call: call})
}

// Short tells whether the treasury has less of the coin than the fees of many payments, or less of a token than an
// amount.
func (c *Chain) Short(ctx context.Context, symbol string, amount *big.Int) (coin, token bool, err error) {
	address, err := c.Address(Treasury, 0)
	if err != nil {
		return false, false, err
	}
	n := c.Network()
	t, _ := n.TokenBySymbol(symbol)
	has, err := c.Balances(ctx, []string{address}, []string{t.Address})
	if err != nil {
		return false, false, err
	}
	tenth := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n.Native.Decimals-1)), nil)
	return has[0].Coin.Cmp(tenth) < 0, has[0].Tokens[0].Cmp(amount) < 0, nil
}

// Pay makes and signs the treasury's transaction of a token. Lowest is the lowest number that it may have, where it has
// one. The account that a payee needs for the token is made where it is missing, and the treasury pays for it.
func (c *Chain) Pay(
	ctx context.Context, t chain.Token, to string, amount *big.Int, lowest uint64,
) (s Signed, err error) {
	k, err := c.seed.key(c.family, Treasury, 0)
	if err != nil {
		return s, err
	}
	call, err := c.family.Transfer(t, to, amount)
	if err != nil {
		return s, err
	}
	tx, window, err := c.terms(ctx, k.address, call, lowest)
	if err != nil {
		return s, err
	}
	signature, err := k.sign(tx.Payload)
	if err != nil {
		return s, err
	}
	raw, err := c.family.Attach(tx, k.address, signature)
	return Signed{c.family.ID(raw), raw, tx.Nonce, window}, err
}

// IDOf is how the network names the transaction of signed bytes.
func (c *Chain) IDOf(raw []byte) string { return c.family.ID(raw) }

// OtherID is an id of the same form that no transaction has.
func (c *Chain) OtherID(id string) string {
	if other := c.family.ID([]byte(id)); other != "" { // a hash of whatever bytes
		return other
	}
	sum := sha512.Sum512([]byte(id))
	return c.family.EncodeSignature(sum[:])
}
