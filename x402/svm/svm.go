// Package svm reads payments of the scheme exact on Solana: whether a transaction that a payer signed pays an offer,
// and whether somebody can pay its fee without giving more. It asks nobody.
//
// A transaction of a known layout (Check) is judged by its bytes: limits of computation, TransferChecked, then memos
// and the assertions that browser wallets add. Any other one may be of a wallet that is a program (CheckWrapped): what
// it moves only the chain's own run of it tells (Calls.Match).
package svm

import (
	"encoding/binary"
	"slices"

	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/x402"
)

// Terms are what an offer asks for.
type Terms struct {
	FeePayer, Mint, PayTo solana.Address
	Amount                uint64
	Memo                  string // "": any, or none
}

// Paid is a transfer that pays.
type Paid struct {
	Source    solana.Address // token account
	Authority solana.Address
	Amount    uint64
}

// Refusal is a reason in the field's words.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// Bounds of what is paid for.
const (
	maxPrice        = 5_000_000 // millionths of a lamport by the unit
	maxUnits        = 400_000
	maxWrappedPrice = 50_000
	mostLighthouse  = 3
)

// Check holds a transaction of the known layout against the terms. Whether the chain takes it is not looked at. Layout
// reports that a refusal is about the layout, so that CheckWrapped may understand it.
func Check(tx solana.Transaction, t Terms) (p Paid, layout bool, err error) {
	all, err := read(tx, t)
	if err != nil {
		return p, false, err
	}
	if len(all) < 3 || len(all) > 7 {
		return p, true, Refusal(x402.ReasonSVMLength)
	}
	if layout, err := budget(all[:2]); err != nil {
		return p, layout, err
	}
	call, ok := transferOf(all[2])
	if !ok {
		return p, true, Refusal(x402.ReasonSVMNoTransfer)
	}
	for i, more := range all[3:] {
		assertions := 0
		for _, before := range all[3 : 4+i] {
			if before.Program == solana.LighthouseProgram {
				assertions++
			}
		}
		known := more.Program == solana.MemoProgram || more.Program == solana.LighthouseProgram
		if !known || assertions > mostLighthouse {
			return p, true, Refusal(unknownAt[i])
		}
	}
	if err := isolated(all, t.FeePayer); err != nil {
		return p, false, err
	}
	if call.authority != tx.Keys[1] {
		return p, false, Refusal(x402.ReasonSVMSignature)
	}
	return call.paid(), false, join(call.against(t), memo(all, t))
}

var unknownAt = []string{x402.ReasonSVMFourth, x402.ReasonSVMFifth, x402.ReasonSVMSixth, x402.ReasonSVMSeventh}

// read does what is asked of every transaction: that it is one of two signers, of whom the first is the fee payer, who
// has not signed, and the other has; and that all its accounts are in it.
func read(tx solana.Transaction, t Terms) ([]solana.Instruction, error) {
	switch {
	case tx.Version == solana.V1:
		return nil, Refusal(x402.ReasonSVMUndecoded)
	case tx.Keys[0] != t.FeePayer:
		return nil, Refusal(x402.ReasonSVMFeePayer)
	case tx.Header.Signers > 2:
		return nil, Refusal(x402.ReasonSVMSigners)
	case tx.Header.Signers < 2 || len(tx.Missing()) > 0 && !slices.Equal(tx.Missing(), []solana.Address{t.FeePayer}):
		return nil, Refusal(x402.ReasonSVMSignature)
	case tx.Verify() != nil:
		return nil, Refusal(x402.ReasonSVMSignature)
	case len(tx.Lookups) > 0:
		return nil, Refusal(x402.ReasonSVMTables)
	}
	all, err := tx.Resolve()
	if err != nil {
		return nil, Refusal(x402.ReasonSVMUndecoded)
	}
	return all, nil
}

// budget reads the two instructions that a known layout begins with.
func budget(two []solana.Instruction) (layout bool, err error) {
	limit, price := two[0], two[1]
	switch {
	case limit.Program != solana.BudgetProgram || len(limit.Data) != 5 || limit.Data[0] != solana.BudgetUnits:
		return true, Refusal(x402.ReasonSVMLimit)
	case price.Program != solana.BudgetProgram || len(price.Data) != 9 || price.Data[0] != solana.BudgetPrice:
		return true, Refusal(x402.ReasonSVMPrice)
	case binary.LittleEndian.Uint32(limit.Data[1:]) > maxUnits:
		return false, Refusal(x402.ReasonSVMLimitHigh)
	case binary.LittleEndian.Uint64(price.Data[1:]) > maxPrice:
		return false, Refusal(x402.ReasonSVMPriceHigh)
	}
	return false, nil
}

// isolated refuses what names who pays the fee, in whatever role.
func isolated(all []solana.Instruction, feePayer solana.Address) error {
	for _, i := range all {
		if c, ok := transferOf(i); ok && c.authority == feePayer {
			return Refusal(x402.ReasonSVMOwnFunds)
		}
	}
	for _, i := range all {
		for _, a := range i.Accounts {
			if a.Address == feePayer {
				return Refusal(x402.ReasonSVMIsolated)
			}
		}
	}
	return nil
}

// transfer is a TransferChecked.
type transfer struct {
	source, mint, destination, authority solana.Address
	amount                               uint64
}

func transferOf(i solana.Instruction) (t transfer, ok bool) {
	a := i.Accounts
	if i.Program != solana.TokenProgram || len(i.Data) != 10 || i.Data[0] != solana.TokenTransferChecked || len(a) < 4 {
		return t, false
	}
	return transfer{
		a[0].Address, a[1].Address, a[2].Address, a[3].Address, binary.LittleEndian.Uint64(i.Data[1:]),
	}, true
}

func (c transfer) paid() Paid { return Paid{c.source, c.authority, c.amount} }

// against is why a transfer is not exactly the one of the terms.
func (c transfer) against(t Terms) error {
	switch {
	case c.mint != t.Mint:
		return Refusal(x402.ReasonSVMMint)
	case c.destination != solana.AssociatedAddress(t.PayTo, t.Mint, solana.TokenProgram):
		return Refusal(x402.ReasonSVMRecipient)
	case c.amount != t.Amount:
		return Refusal(x402.ReasonSVMAmount)
	}
	return nil
}

// memo wants the one that the offer names.
func memo(all []solana.Instruction, t Terms) error {
	if t.Memo == "" {
		return nil
	}
	memos := slices.DeleteFunc(slices.Clone(all), func(i solana.Instruction) bool {
		return i.Program != solana.MemoProgram
	})
	switch {
	case len(memos) != 1:
		return Refusal(x402.ReasonSVMMemoCount)
	case string(memos[0].Data) != t.Memo:
		return Refusal(x402.ReasonSVMMemo)
	}
	return nil
}

func join(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
