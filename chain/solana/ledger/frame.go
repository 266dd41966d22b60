package ledger

import (
	"bytes"
	"slices"

	"github.com/railkit/railkit/chain/solana"
)

// frame is one call of a program, by the message or by another program.
type frame struct {
	*execution
	program  solana.Address
	accounts []ref
	data     []byte
}

// ref is an account as an instruction names it.
type ref struct {
	*Account
	key            solana.Address
	signs, written bool
}

// play executes a call of one of the programs that are known.
func (f *frame) play() error {
	switch f.program {
	case solana.SystemProgram:
		return systemProgram{f}.run()
	case solana.TokenProgram:
		return f.guarded(tokenProgram{f}.run)
	case solana.AssociatedProgram:
		return associatedProgram{f}.run()
	case solana.MemoProgram, solana.OldMemoProgram:
		return f.memo()
	case f.ledger.Forwarder: // zero is the System program, which is above
		return f.forward()
	}
	return nil // Compute Budget: it was read before
}

// A type for each program has what is its own.
type (
	systemProgram     struct{ *frame }
	tokenProgram      struct{ *frame }
	associatedProgram struct{ *frame }
)

// isPlayed reports whether play knows a program.
func isPlayed(program solana.Address) bool {
	return slices.Contains([]solana.Address{
		solana.SystemProgram, solana.TokenProgram, solana.AssociatedProgram, solana.MemoProgram, solana.OldMemoProgram,
		solana.BudgetProgram,
	}, program)
}

// frame is the call of an instruction of the message.
func (e *execution) frame(i solana.Instruction) *frame {
	f := &frame{execution: e, program: i.Program, data: i.Data}
	for _, a := range i.Accounts {
		f.accounts = append(f.accounts, ref{
			e.accounts[a.Address], a.Address, a.Signs, a.Written && e.isWritten(a.Address),
		})
	}
	return f
}

// isWritten reports whether the message lets anybody write to an account. Programs that it calls, and what belongs to
// the network itself, are read whatever it says.
func (e *execution) isWritten(k solana.Address) bool {
	i := slices.Index(e.message.Keys, k)
	if !e.message.Written(i) || isReserved(k) {
		return false
	}
	return !slices.ContainsFunc(e.message.Instructions, func(c solana.Compiled) bool { return int(c.Program) == i })
}

// invoke is a call of one program by another. It gets no right that the caller does not have, but that derived accounts
// of the caller sign.
func (f *frame) invoke(program solana.Address, data []byte, derived []solana.Address,
	accounts ...solana.Account) error {
	g := &frame{execution: f.execution, program: program, data: data}
	for _, a := range accounts {
		has := f.right(a.Address)
		if has.Account == nil {
			return missingAccount
		}
		signs := has.signs || slices.Contains(derived, a.Address)
		if a.Written && !has.written || a.Signs && !signs {
			return privilegeEscalation
		}
		g.accounts = append(g.accounts, ref{has.Account, a.Address, a.Signs, a.Written})
	}
	if f.right(program).Account == nil {
		return missingAccount
	}
	return g.play()
}

// right is all that the instruction lets its program do with an account that it may name several times.
func (f *frame) right(k solana.Address) (all ref) {
	for _, a := range f.accounts {
		if a.key == k {
			all.Account, all.key = a.Account, k
			all.signs, all.written = all.signs || a.signs, all.written || a.written
		}
	}
	return all
}

// need refuses an instruction with fewer accounts.
func (f *frame) need(n int) error {
	if len(f.accounts) < n {
		return notEnoughAccountKeys
	}
	return nil
}

// names is the same of the System program, which has another error for it.
func (f *frame) names(n int) error {
	if len(f.accounts) < n {
		return missingAccount
	}
	return nil
}

// hasSigned reports whether a key signs as one of the accounts of the instruction.
func (f *frame) hasSigned(k solana.Address) bool {
	return slices.ContainsFunc(f.accounts, func(a ref) bool { return a.signs && a.key == k })
}

// owns reports whether the program may write to an account.
func (f *frame) owns(a ref) bool { return a.Owner == f.program }

// setLamports changes a balance as the network lets a built-in program: anybody may be given something, only the owner
// takes away, and an account that is only read has the same before and after.
func (f *frame) setLamports(a ref, n uint64) error {
	switch {
	case !f.owns(a) && n < a.Lamports:
		return externalLamportSpend
	case !a.written:
		return readOnlyLamportChange
	}
	a.Lamports = n
	return nil
}

// setData writes to the beginning of an account's data.
func (f *frame) setData(a ref, data []byte) error {
	switch {
	case !a.written:
		return readOnlyDataModified
	case !f.owns(a):
		return externalDataModified
	case len(data) > len(a.Data):
		return accountDataTooSmall
	}
	copy(a.Data, data)
	return nil
}

// guarded runs a program that is no built-in one. The network lets it write wherever it likes, and compares afterwards.
func (f *frame) guarded(run func() error) error {
	before := make([]Account, len(f.accounts))
	for i, a := range f.accounts {
		before[i] = a.clone()
	}
	if err := run(); err != nil {
		return err
	}
	for i, a := range f.accounts {
		if err := f.compare(before[i], a); err != nil {
			return err
		}
	}
	return nil
}

func (f *frame) compare(before Account, a ref) error {
	owned := before.Owner == f.program
	written := f.right(a.key).written
	switch changed := !bytes.Equal(before.Data, a.Data); {
	case a.Lamports < before.Lamports && !owned:
		return externalLamportSpend
	case a.Lamports != before.Lamports && !written:
		return readOnlyLamportChange
	case changed && !written:
		return readOnlyDataModified
	case changed && !owned:
		return externalDataModified
	case a.Owner != before.Owner && (!owned || !written):
		return modifiedProgramID
	}
	return nil
}
