package localnet

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/ledger"
)

const (
	faucetLamports = 9_000_000 * 1_000_000_000 // less than 2^53: some clients read numbers as floats
	mintSize       = 82
	accountSize    = 165
)

// faucetKey pays, and mintKey makes tokens. Everybody knows them: they hold money of a sandbox only.
var (
	faucetKey = keyOf("railkit localnet faucet")
	mintKey   = keyOf("railkit localnet mint")
)

func keyOf(name string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte(name))
	return ed25519.NewKeyFromSeed(seed[:])
}

func addressOf(k ed25519.PrivateKey) solana.Address {
	return solana.Address(k.Public().(ed25519.PublicKey))
}

// mint is a token of the network.
type mint struct {
	Symbol   string         `json:"symbol"`
	Address  solana.Address `json:"address"`
	Decimals uint8          `json:"decimals"`
}

// mintsOf are the tokens of a network, but for wrapped SOL, which nobody makes and every chain has.
func mintsOf(n chain.Network) ([]mint, error) {
	var all []mint
	for _, t := range n.Tokens {
		a, err := solana.ParseAddress(t.Address)
		if err != nil {
			return nil, fmt.Errorf("the token %s: %w", t.Symbol, err)
		}
		if a != solana.NativeMint {
			all = append(all, mint{t.Symbol, a, uint8(t.Decimals)})
		}
	}
	return all, nil
}

// begin lays down what is there before the first block.
func (c *Chain) begin() {
	c.ledger.Put(addressOf(faucetKey), ledger.Account{Lamports: faucetLamports})
	c.ledger.Put(addressOf(mintKey), ledger.Account{Lamports: c.ledger.MinimumBalance(0)})
	c.putMint(mint{"", solana.NativeMint, 9}, nil)
}

// list makes the mints that are not there yet.
func (c *Chain) list(mints []mint) error {
	for _, m := range mints {
		i := slices.IndexFunc(c.mints, func(have mint) bool { return have.Address == m.Address })
		switch {
		case i < 0:
			if err := c.write(entry{Mint: &m}); err != nil {
				return err
			}
		case c.mints[i].Decimals != m.Decimals:
			return errOther
		default:
			c.mints[i].Symbol = m.Symbol
		}
	}
	return nil
}

// putMint lays down a mint of the Token program: authority (option), supply, decimals, initialized, who freezes
// (option).
func (c *Chain) putMint(m mint, authority *solana.Address) {
	data := make([]byte, mintSize)
	if authority != nil {
		data[0], data[46] = 1, 1
		copy(data[4:], authority[:])
		copy(data[50:], authority[:])
	}
	data[44], data[45] = m.Decimals, 1
	c.ledger.Put(m.Address, ledger.Account{
		Lamports: c.ledger.MinimumBalance(mintSize), Owner: solana.TokenProgram, Data: data,
	})
}

// genesis names whose chain it is.
func (c *Chain) genesis() string { return c.network.Slug + " " + c.network.Cluster }

// The ways in which the faucet refuses.
var (
	errAsset    = errors.New("asset must be native or the symbol of a token that the network lists")
	errAmount   = errors.New("amount must be a decimal number above zero, with no more places than the asset has")
	errGiftFail = errors.New("the chain's own transaction fails")
)

// gift is the transaction that gives an amount of an asset, in decimal text. A mark tells it from others like it.
func (c *Chain) gift(to solana.Address, asset, amount, mark string) ([]byte, error) {
	if asset == "native" {
		n, err := units(amount, 9)
		if err != nil {
			return nil, err
		}
		return c.signed(mark, solana.TransferCoin(addressOf(faucetKey), to, n))
	}
	for _, m := range c.mints {
		if m.Symbol == asset {
			n, err := units(amount, int(m.Decimals))
			if err != nil {
				return nil, err
			}
			return c.signed(mark, solana.CreateAssociated(addressOf(faucetKey), to, m.Address), m.makes(to, n))
		}
	}
	return nil, errAsset
}

// makes is the instruction that makes tokens for an owner.
func (m mint) makes(owner solana.Address, amount uint64) solana.Instruction {
	data := binary.LittleEndian.AppendUint64([]byte{solana.TokenMintToChecked}, amount)
	return solana.Instruction{Program: solana.TokenProgram, Accounts: []solana.Account{
		{Address: m.Address, Written: true},
		{Address: solana.AssociatedAddress(owner, m.Address, solana.TokenProgram), Written: true},
		{Address: addressOf(mintKey), Signs: true},
	}, Data: append(data, m.Decimals)}
}

func units(amount string, decimals int) (uint64, error) {
	r, ok := new(big.Rat).SetString(amount)
	if !ok || len(amount) > 40 {
		return 0, errAmount
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
	r.Mul(r, new(big.Rat).SetInt(scale))
	if !r.IsInt() || r.Sign() <= 0 || !r.Num().IsUint64() {
		return 0, errAmount
	}
	return r.Num().Uint64(), nil
}

// signed is a transaction of the faucet's.
func (c *Chain) signed(mark string, all ...solana.Instruction) ([]byte, error) {
	all = append(all, solana.Memo(mark))
	m, err := solana.Compile(solana.Legacy, addressOf(faucetKey), c.head().hash, solana.Config{}, all)
	if err != nil {
		return nil, err
	}
	raw, err := m.Encode()
	if err != nil {
		return nil, err
	}
	tx := solana.Unsigned(m)
	for _, k := range []ed25519.PrivateKey{faucetKey, mintKey} {
		if !slices.Contains(m.Signers(), addressOf(k)) {
			continue
		}
		if tx, err = tx.Attach(addressOf(k), solana.Signature(ed25519.Sign(k, raw))); err != nil {
			return nil, err
		}
	}
	return tx.Encode()
}

// give pays from the faucet in a block of its own, and gives the transaction's id. Under one name it gives once.
func (c *Chain) give(to solana.Address, asset, amount, name string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id, given := c.gifts[name]; given && name != "" {
		return id, nil
	}
	raw, err := c.gift(to, asset, amount, "faucet "+strconv.Itoa(len(c.landed)))
	if err != nil {
		return "", err
	}
	return c.put(raw, name)
}

// put has a transaction of the chain's own in a block, and gives its id. The caller has the lock.
func (c *Chain) put(raw []byte, gift string) (string, error) {
	w, err := decode(raw)
	if err != nil {
		return "", err
	}
	if out, _ := c.try(w.tx, c.head(), false); out.Err != nil {
		return "", fmt.Errorf("%w: %w", errGiftFail, out.Err)
	}
	return w.tx.ID(), c.write(entry{Send: [][]byte{raw}, Gift: gift})
}
