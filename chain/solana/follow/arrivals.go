package follow

import (
	"fmt"
	"slices"

	"github.com/railkit/railkit/chain/solana"
)

// Arrival is what a token account has more after a transaction than before it.
type Arrival struct {
	Tx          string
	Place, Key  int            // of the transaction in its block, and of the account among its keys
	Account     solana.Address // the token account
	Owner, Mint solana.Address // after it
	Amount      uint64         // in the smallest unit
	From        solana.Address // the one owner who has less of it; zero: none, or several
	// Derived: the account is the associated account of its owner. Others are shown and not credited: anybody can make
	// one for anybody.
	Derived bool
}

// Arrivals are those of some mints, in the order of the block. What instructions say is not looked at: a program that
// calls another one moves tokens that no instruction of the message names.
func (b Block) Arrivals(mints []solana.Address) ([]Arrival, error) {
	var all []Arrival
	for place, t := range b.Transactions {
		if t.Failed {
			continue
		}
		if err := t.check(); err != nil {
			return nil, fmt.Errorf("block %d, transaction %s: %w", b.Slot, t.ID, err)
		}
		for _, h := range t.PostTokens {
			if !slices.Contains(mints, h.Mint) || h.Program != solana.TokenProgram {
				continue
			}
			before := t.before(h)
			if h.Amount <= before {
				continue
			}
			account := t.Keys[h.Key]
			all = append(all, Arrival{
				Tx: t.ID, Place: place, Key: h.Key, Account: account, Owner: h.Owner, Mint: h.Mint,
				Amount: h.Amount - before, From: t.payer(h.Mint),
				Derived: account == solana.AssociatedAddress(h.Owner, h.Mint, h.Program),
			})
		}
	}
	return all, nil
}

// check refuses what no node says: an account that the transaction does not name, or the same one twice.
func (t Transaction) check() error {
	if len(t.Pre) != len(t.Keys) || len(t.Post) != len(t.Keys) || len(t.Keys) > 1<<8 {
		return fmt.Errorf("%w: balances of other accounts than it names", errOther)
	}
	for _, all := range [][]Holding{t.PreTokens, t.PostTokens} {
		seen := map[int]bool{}
		for _, h := range all {
			if h.Key < 0 || h.Key >= len(t.Keys) || seen[h.Key] {
				return fmt.Errorf("%w: the token account %d", errOther, h.Key)
			}
			seen[h.Key] = true
		}
	}
	return nil
}

// before is what the account had of the same owner's and mint's. One that was closed, or given away, and is another's
// now, had nothing.
func (t Transaction) before(h Holding) uint64 {
	for _, p := range t.PreTokens {
		if p.Key == h.Key && p.Mint == h.Mint && p.Owner == h.Owner {
			return p.Amount
		}
	}
	return 0
}

// payer is the one owner whose accounts of a mint have less together.
func (t Transaction) payer(mint solana.Address) (from solana.Address) {
	less := map[solana.Address]bool{}
	for _, p := range t.PreTokens {
		if p.Mint == mint && t.after(p) < p.Amount {
			less[p.Owner] = true
			from = p.Owner
		}
	}
	if len(less) != 1 {
		return solana.Address{}
	}
	return from
}

func (t Transaction) after(p Holding) uint64 {
	for _, h := range t.PostTokens {
		if h.Key == p.Key && h.Mint == p.Mint && h.Owner == p.Owner {
			return h.Amount
		}
	}
	return 0
}

// Coins are the lamports that a transaction brings to some addresses, however small. They are no deposits: the operator
// is told, since they came to where only tokens are taken.
func (b Block) Coins(to []solana.Address) []Arrival {
	var all []Arrival
	for place, t := range b.Transactions {
		for i, k := range t.Keys {
			if t.Failed || i >= len(t.Pre) || i >= len(t.Post) || t.Post[i] <= t.Pre[i] || !slices.Contains(to, k) {
				continue
			}
			all = append(all, Arrival{
				Tx: t.ID, Place: place, Key: i, Account: k, Owner: k, Amount: t.Post[i] - t.Pre[i],
			})
		}
	}
	return all
}
