package follow

import (
	"fmt"
	"math/big"
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
	// Senders are all owners who have less of it, the first of the transaction's accounts first.
	Senders []solana.Address
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
			account, senders := t.Keys[h.Key], t.senders(h.Mint)
			all = append(all, Arrival{
				Tx: t.ID, Place: place, Key: h.Key, Account: account, Owner: h.Owner, Mint: h.Mint,
				Amount: h.Amount - before, From: alone(senders), Senders: senders,
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
	named := map[solana.Address]bool{}
	for _, k := range t.Keys {
		if named[k] {
			return fmt.Errorf("%w: the account %s twice", errOther, k)
		}
		named[k] = true
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

// senders are the owners who have less of a mint after it, in all of their accounts together. Where nobody has, they
// are those who only moved it between accounts of their own; where nobody did that either, it was made.
func (t Transaction) senders(mint solana.Address) (all []solana.Address) {
	gain, lessIn := map[solana.Address]*big.Int{}, map[solana.Address]bool{}
	var owners []solana.Address
	add := func(h Holding, sign int64) {
		if h.Mint != mint {
			return
		}
		if gain[h.Owner] == nil {
			gain[h.Owner], owners = new(big.Int), append(owners, h.Owner)
		}
		amount := new(big.Int).SetUint64(h.Amount)
		gain[h.Owner].Add(gain[h.Owner], amount.Mul(amount, big.NewInt(sign)))
	}
	for _, p := range t.PreTokens {
		add(p, -1)
		lessIn[p.Owner] = lessIn[p.Owner] || t.after(p) < p.Amount
	}
	for _, h := range t.PostTokens {
		add(h, 1)
	}
	for _, o := range owners {
		if gain[o].Sign() < 0 {
			all = append(all, o)
		}
	}
	if len(all) > 0 {
		return all
	}
	return slices.DeleteFunc(owners, func(o solana.Address) bool { return !lessIn[o] })
}

// alone is the one of a list that has no other.
func alone(all []solana.Address) solana.Address {
	if len(all) != 1 {
		return solana.Address{}
	}
	return all[0]
}

func (t Transaction) after(p Holding) uint64 {
	for _, h := range t.PostTokens {
		if h.Key == p.Key && h.Mint == p.Mint && h.Owner == p.Owner {
			return h.Amount
		}
	}
	return 0
}

// Coins are the lamports that a transaction brings to addresses that did not sign it, however small. They are no
// deposits: the operator is told, since they came to where only tokens are taken.
func (b Block) Coins() (all []Arrival, err error) {
	for place, t := range b.Transactions {
		if t.Failed {
			continue
		}
		if err := t.check(); err != nil {
			return nil, fmt.Errorf("block %d, transaction %s: %w", b.Slot, t.ID, err)
		}
		var senders []solana.Address
		for i, k := range t.Keys {
			if t.Post[i] < t.Pre[i] {
				senders = append(senders, k)
			}
		}
		for i, k := range t.Keys {
			if t.Post[i] > t.Pre[i] && !slices.Contains(t.Signers, k) {
				all = append(all, Arrival{
					Tx: t.ID, Place: place, Key: i, Account: k, Owner: k, Amount: t.Post[i] - t.Pre[i],
					From: alone(senders), Senders: senders, Derived: true,
				})
			}
		}
	}
	return all, nil
}
