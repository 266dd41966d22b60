package solana

import (
	"encoding/binary"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/railkit/railkit/chain"
)

// nativeAsset is how an effect names the network's own coin.
const nativeAsset = "native"

// maxEffects is more than anybody looks at. What does more is one unknown call as a whole.
const maxEffects = 64

// Reader is what has to be known beside the bytes to tell what they do.
type Reader struct {
	Network chain.Network
	Signer  Address   // of ours, who is asked to sign
	Others  []Address // of ours too: where one of them has to sign as well, nothing is understood
	// Payees are owners whose associated accounts are recognized, such as the one that the caller named as payee.
	// Signers and the owners of accounts that the message creates are known without it.
	Payees []Address
	// Rent is what a new token account costs, in lamports, as the network says today; 0: nobody knows, and what
	// creates one is an unknown call.
	Rent uint64
}

// Effects tells what a message does, as far as its bytes say it. Whatever they leave open is an UnknownCall without a
// selector, which nothing can allow:
//
//   - an instruction of another program, Token-2022 among them, or one that systemForms and tokenForms do not have
//   - one that is not written as encoders write it: other accounts, other rights, other lengths
//   - a token account of which the bytes do not tell the owner
//
// and, as a whole, a message with lookup tables, one that a second key of ours has to sign, one that Signer does not
// sign, and one that begins with AdvanceNonceAccount, which can be sent at any later time.
//
// Fee and memos have no effects. A message without any is a transfer of nothing by the signer to himself.
func (q Reader) Effects(m Message) []chain.Effect {
	instructions, err := m.Resolve()
	if err != nil || !slices.Contains(m.Signers(), q.Signer) || q.alsoSigns(m) || m.IsDurable() {
		return []chain.Effect{q.whole(m)}
	}
	r := &reading{Reader: q, owners: q.ownersIn(m, instructions)}
	if _, err := m.Budget(); err != nil {
		r.unknown(BudgetProgram)
	}
	for _, i := range instructions {
		r.instruction(i)
	}
	if len(r.effects) > maxEffects {
		return []chain.Effect{q.whole(m)}
	}
	if len(r.effects) == 0 {
		r.coin(q.Signer, q.Signer, 0)
	}
	return r.effects
}

func (q Reader) alsoSigns(m Message) bool {
	return slices.ContainsFunc(m.Signers(), func(a Address) bool {
		return a != q.Signer && slices.Contains(q.Others, a)
	})
}

// whole is the one effect of a message that is not understood at all. It names the first program, for people.
func (q Reader) whole(m Message) chain.Effect {
	e := chain.Effect{Kind: chain.UnknownCall, From: q.Signer.String()}
	if len(m.Instructions) > 0 && int(m.Instructions[0].Program) < len(m.Keys) {
		e.Contract = m.Keys[m.Instructions[0].Program].String()
	}
	return e
}

// ownersIn are all whose associated accounts are recognized, each once.
func (q Reader) ownersIn(m Message, instructions []Instruction) []Address {
	var all []Address
	add := func(some ...Address) {
		for _, a := range some {
			if !slices.Contains(all, a) {
				all = append(all, a)
			}
		}
	}
	add(m.Signers()...)
	add(q.Payees...)
	for _, i := range instructions {
		if _, owner, ok := createsAccount(i); ok {
			add(owner)
		}
	}
	return all
}

// IsDurable reports whether a message begins with AdvanceNonceAccount: its blockhash is then the value of a nonce
// account, and it can be sent until that one advances.
func (m Message) IsDurable() bool {
	if len(m.Instructions) == 0 {
		return false
	}
	return m.advances(m.Instructions[0])
}

func (m Message) advances(c Compiled) bool {
	return int(c.Program) < len(m.Keys) && m.Keys[c.Program] == SystemProgram &&
		len(c.Data) >= 4 && binary.LittleEndian.Uint32(c.Data) == SystemAdvanceNonce
}

// reading gathers effects.
type reading struct {
	Reader
	owners  []Address
	effects []chain.Effect
}

func (r *reading) instruction(i Instruction) {
	understood := false
	switch i.Program {
	case SystemProgram:
		understood = r.form(systemForms, i, 4)
	case TokenProgram:
		understood = r.form(tokenForms, i, 1)
	case AssociatedProgram:
		understood = r.associated(i)
	case MemoProgram, OldMemoProgram:
		understood = isMemo(i)
	case BudgetProgram:
		understood = len(i.Accounts) == 0 // what it says Budget has read
	}
	if !understood {
		r.unknown(i.Program)
	}
}

func (r *reading) unknown(program Address) {
	r.effects = append(r.effects, chain.Effect{
		Kind: chain.UnknownCall, From: r.Signer.String(), Contract: program.String(),
	})
}

// form is an instruction as encoders write it. Each letter of roles is an account that has to be there:
//
//	r  any    w  written to    s  signs    b  both    o  signs, or is not there (the last one only)
//
// Behind them only accounts may follow that neither sign nor are written to, as the references of Solana Pay do.
type form struct {
	roles string
	size  int // of the data
	read  func(*reading, call) bool
}

// anySize is of data with a text in it, whose form reads them to their end.
const anySize = -1

type forms map[uint32]form

// call is an instruction whose form is right.
type call struct {
	Instruction
	data *reader // behind the number of the instruction
}

func (c call) account(i int) Address { return c.Accounts[i].Address }

// form reads an instruction by its number, which takes width bytes.
func (r *reading) form(all forms, i Instruction, width int) bool {
	if len(i.Data) < width {
		return false
	}
	var number [4]byte
	copy(number[:], i.Data[:width])
	f, ok := all[binary.LittleEndian.Uint32(number[:])]
	if !ok || f.size != anySize && f.size != len(i.Data) || !hasRoles(i.Accounts, f.roles) {
		return false
	}
	before := len(r.effects)
	c := call{i, &reader{rest: i.Data[width:]}}
	if !f.read(r, c) || c.data.end("data") != nil {
		r.effects = r.effects[:before]
		return false
	}
	return true
}

func hasRoles(accounts []Account, roles string) bool {
	if few, optional := strings.CutSuffix(roles, "o"); optional && len(accounts) == len(few) {
		roles = few
	}
	if len(accounts) < len(roles) {
		return false
	}
	for i, a := range accounts[:len(roles)] {
		role := roles[i]
		if !a.Signs && (role == 's' || role == 'b' || role == 'o') || !a.Written && (role == 'w' || role == 'b') {
			return false
		}
	}
	return !slices.ContainsFunc(accounts[len(roles):], func(a Account) bool { return a.Signs || a.Written })
}

// add takes in an effect over an amount, and names the asset only where the network lists it.
func (r *reading) add(e chain.Effect, amount uint64, t chain.Token) {
	e.Amount = strconv.FormatUint(amount, 10)
	if t.Symbol != "" {
		e.Symbol, e.Decimals = t.Symbol, t.Decimals
		e.Display = display(amount, t)
	}
	r.effects = append(r.effects, e)
}

func display(amount uint64, t chain.Token) string {
	return chain.FormatUnits(new(big.Int).SetUint64(amount), t.Decimals) + " " + t.Symbol
}
