package svm

import (
	"encoding/binary"
	"slices"

	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/x402"
)

// wallets are the programs of wallets that are programs, and what browser wallets add.
var wallets = func() (all []solana.Address) {
	for _, text := range []string{
		"SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf",  // Squads, version 4
		"SMRTzfY6DfH5ik3TKiyLFfXexV8uSG3d2UksSCYdunG",  // Squads' smart accounts
		"SWiGmQedKzMz1tiTqoJCWeGDnGXfNBp2PkXLkpCAtQo",  // Swig, the first
		"swigypWHEksbC64pWKwah1WTeh9JXwx8H1rJHLdbQMB",  // Swig, version 2
		"GovER5Lthms3bLBqWub97yVrMmEogzX7xNjdXpPPCVZw", // SPL Governance
		"CoREENxT6tW1HoK8ypY1SxRMZTcVPm7R94rH4PZNhX7d", // Metaplex Core
	} {
		a, err := solana.ParseAddress(text)
		if err != nil {
			panic("svm: " + text)
		}
		all = append(all, a)
	}
	return append(all, solana.LighthouseProgram)
}()

// CheckWrapped holds a transaction of a wallet that is a program against the terms, as far as its bytes say it.
func CheckWrapped(tx solana.Transaction, t Terms) error {
	all, err := read(tx, t)
	if err != nil {
		return err
	}
	for _, i := range all {
		exempt := i.Program == solana.BudgetProgram || i.Program == solana.MemoProgram
		if !exempt && !slices.Contains(wallets, i.Program) {
			return Refusal(x402.ReasonSVMProgram)
		}
	}
	if err := isolated(all, t.FeePayer); err != nil {
		return err
	}
	for _, i := range all {
		if i.Program != solana.BudgetProgram {
			continue
		}
		if err := wrappedBudget(i.Data); err != nil {
			return err
		}
	}
	return memo(all, t)
}

func wrappedBudget(data []byte) error {
	switch {
	case len(data) == 5 && data[0] == solana.BudgetUnits:
		if binary.LittleEndian.Uint32(data[1:]) > maxUnits {
			return Refusal(x402.ReasonSVMWrappedUnits)
		}
	case len(data) == 9 && data[0] == solana.BudgetPrice:
		if binary.LittleEndian.Uint64(data[1:]) > maxWrappedPrice {
			return Refusal(x402.ReasonSVMWrappedPrice)
		}
	default:
		return Refusal(x402.ReasonSVMWrappedBudget)
	}
	return nil
}

// Calls are what a run of a transaction called: the instructions of the message, and those inside them.
type Calls []solana.Instruction

// Match finds the one transfer that pays at least what is asked for. Of two nobody can say which one it is.
func (all Calls) Match(t Terms) (p Paid, err error) {
	to, transfers, found := solana.AssociatedAddress(t.PayTo, t.Mint, solana.TokenProgram), 0, 0
	for _, i := range all {
		c, ok := transferOf(i)
		if !ok {
			continue
		}
		if c.authority == t.FeePayer {
			return p, Refusal(x402.ReasonSVMOwnFunds)
		}
		transfers++
		if c.mint == t.Mint && c.destination == to && c.amount >= t.Amount {
			found++
			p = c.paid()
		}
	}
	switch {
	case found == 1:
		return p, nil
	case found > 1:
		return p, Refusal(x402.ReasonSVMSeveral)
	case transfers > 0:
		return p, Refusal(x402.ReasonSVMOther)
	}
	return p, Refusal(x402.ReasonSVMNone)
}
