package localnet

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sync"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/tracing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/devnet/contracts"
	"github.com/railkit/railkit/chain/tron"
)

// What the faucet has at the start: less than 2^53 of TRX, as some clients read numbers as floats.
const (
	faucetSun    = 8_000_000_000 * 1_000_000
	faucetTokens = 1_000_000_000_000_000 // whole ones
	faucetLimit  = 1_000_000_000         // sun for the energy of a gift
)

// faucetKey gives, and owns the tokens. Everybody knows it: it holds money of a sandbox only. An address takes a table
// of points that a program makes once, in 30 ms: those that serve other chains do without.
var (
	faucetKey     = sync.OnceValue(func() *secp256k1.PrivateKey { return keyOf("railkit localnet tron faucet") })
	faucetAddress = sync.OnceValue(func() tron.Address { return addressOf(faucetKey()) })
)

func keyOf(name string) *secp256k1.PrivateKey {
	seed := sha256.Sum256([]byte(name))
	return secp256k1.PrivKeyFromBytes(seed[:])
}

func addressOf(k *secp256k1.PrivateKey) tron.Address {
	a, err := tron.AddressOf(k.PubKey().SerializeCompressed())
	if err != nil {
		panic(err) // a key of our own
	}
	return a
}

// token is one of the network, of TRC-20.
type token struct {
	Symbol   string `json:"symbol"`
	Address  string `json:"address"`
	Decimals int    `json:"decimals"`
}

func tokensOf(n chain.Network) ([]token, error) {
	var all []token
	for _, t := range n.Tokens {
		if _, err := tron.ParseAddress(t.Address); err != nil {
			return nil, fmt.Errorf("the token %s: %w", t.Symbol, err)
		}
		all = append(all, token{t.Symbol, t.Address, t.Decimals})
	}
	return all, nil
}

// list makes the tokens that are not there yet.
func (c *Chain) list(tokens []token) error {
	for _, t := range tokens {
		i := slices.IndexFunc(c.tokens, func(have token) bool { return have.Address == t.Address })
		switch {
		case i < 0:
			if err := c.write(entry{Token: &t, Blocks: 1}); err != nil {
				return err
			}
		case c.tokens[i].Decimals != t.Decimals:
			return errOther
		default:
			c.tokens[i].Symbol = t.Symbol
		}
	}
	return nil
}

// deploy lays a token's contract down at its address, with all there is of it in the faucet. It is in no transaction,
// as the address is one that the network's list has from elsewhere.
func (c *Chain) deploy(t token) error {
	a, err := tron.ParseAddress(t.Address)
	if err != nil {
		return err
	}
	code, slots, err := contractOf(t)
	if err != nil {
		return err
	}
	l, at := c.ledger, common.Address(a)
	l.state.CreateAccount(at)
	l.state.SetCode(at, code, tracing.CodeChangeUnspecified)
	for key, value := range slots {
		l.state.SetState(at, key, value)
	}
	l.state.Finalise(rulesOf(c.head().number))
	l.open(a, c.head().number, c.head().time)
	l.contracts[a] = true
	c.tokens = append(c.tokens, t)
	return nil
}

// contractOf is the code and the storage of a token.
func contractOf(t token) ([]byte, contracts.Slots, error) {
	contract, err := contracts.TRC20()
	if err != nil {
		return nil, nil, err
	}
	whole := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Decimals)), nil)
	supply := whole.Mul(whole, big.NewInt(faucetTokens))
	address, slots := faucetAddress(), contracts.Slots{}
	owner := new(big.Int).SetBytes(address[:])
	return contract.Runtime, slots, errors.Join(
		contract.SetText(slots, "name", "Sandbox "+t.Symbol), contract.SetText(slots, "symbol", t.Symbol),
		contract.SetNumber(slots, "decimals", big.NewInt(int64(t.Decimals))), contract.SetNumber(slots, "owner", owner),
		contract.SetNumber(slots, "totalSupply", supply), contract.SetMapped(slots, "balanceOf", supply, owner),
	)
}

// The ways in which the faucet refuses.
var (
	errAsset  = errors.New("asset must be native or the symbol of a token that the network lists")
	errAmount = errors.New("amount must be a decimal number above zero, with no more places than the asset has")
	errTaker  = errors.New("address must be in base58check, and not the faucet's")
)

// gift is the faucet's transaction that gives an amount of an asset, in decimal text.
func (c *Chain) gift(to, asset, amount string) (sent, error) {
	t, ok := c.asset(asset)
	if !ok {
		return sent{}, errAsset
	}
	n, err := units(amount, t.Decimals)
	if err != nil {
		return sent{}, err
	}
	call, err := tron.Family{}.Transfer(t, to, n)
	if err != nil || to == faucetAddress().String() {
		return sent{}, errTaker
	}
	raw := c.skeleton(faucetAddress(), c.now().UnixMilli())
	if raw.To, err = tron.ParseAddress(call.To); err != nil {
		return sent{}, err
	}
	raw.Amount, raw.Data = call.Value.Int64(), call.Data
	if len(call.Data) > 0 {
		raw.FeeLimit = faucetLimit
	}
	return signedBy(faucetKey(), raw)
}

func (c *Chain) asset(name string) (chain.Token, bool) {
	if name == "native" {
		return c.network.Native, true
	}
	for _, t := range c.tokens {
		if t.Symbol == name {
			return chain.Token{Symbol: t.Symbol, Address: t.Address, Decimals: t.Decimals}, true
		}
	}
	return chain.Token{}, false
}

// skeleton names the newest block, and ends a minute after it or after now. Its timestamp is such that it is the only
// one: gifts alike are two.
func (c *Chain) skeleton(owner tron.Address, now int64) tron.Raw {
	head := c.head()
	at := max(now, head.time) + 1
	return tron.Raw{
		RefBytes: [2]byte(head.id[6:8]), RefHash: [8]byte(head.id[8:16]), Owner: owner,
		Timestamp: at, Expiration: at + 60_000,
	}
}

func signedBy(key *secp256k1.PrivateKey, t tron.Raw) (sent, error) {
	digest := t.Digest()
	compact := ecdsa.SignCompact(key, digest[:], false)
	raw, err := tron.Signed{Raw: t, Signature: [65]byte(append(compact[1:], compact[0]-27))}.Encode()
	if err != nil {
		return sent{}, err
	}
	return decode(raw)
}

func units(amount string, decimals int) (*big.Int, error) {
	r, ok := new(big.Rat).SetString(amount)
	if !ok || len(amount) > 40 {
		return nil, errAmount
	}
	r.Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)))
	if !r.IsInt() || r.Sign() <= 0 || !r.Num().IsInt64() {
		return nil, errAmount
	}
	return r.Num(), nil
}

// give pays from the faucet in a block of its own, and gives the transaction's id. Under one name it gives once.
func (c *Chain) give(to, asset, amount, name string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id, given := c.gifts[name]; given && name != "" {
		return id, nil
	}
	s, err := c.gift(to, asset, amount)
	if err != nil {
		return "", err
	}
	out, refused := c.try(s)
	if refused != nil {
		return "", refused
	}
	if out.result != "SUCCESS" {
		return "", errors.New("the faucet's own transaction fails: " + out.result)
	}
	return s.id, c.write(entry{Send: [][]byte{s.raw}, Gift: name})
}
