package solana

import (
	"slices"
	"unicode/utf8"
)

// Account is an account that an instruction names, and what the message allows with it.
type Account struct {
	Address
	Signs, Written bool
}

// The four ways in which an instruction names an account.
func reads(a Address) Account     { return Account{Address: a} }
func writes(a Address) Account    { return Account{Address: a, Written: true} }
func signs(a Address) Account     { return Account{Address: a, Signs: true} }
func signsPays(a Address) Account { return Account{Address: a, Signs: true, Written: true} }

// Instruction is one call of a program, with its accounts by name.
type Instruction struct {
	Program  Address
	Accounts []Account
	Data     []byte
}

// Resolve names the accounts of all instructions. A message with lookup tables is refused: which accounts these add is
// on the chain, where it can change.
func (m Message) Resolve() ([]Instruction, error) {
	if len(m.Lookups) > 0 {
		return nil, refuse("lookups", "the accounts are in tables on the chain, not in the message")
	}
	if err := m.Check(); err != nil {
		return nil, err
	}
	all := make([]Instruction, len(m.Instructions))
	for i, c := range m.Instructions {
		all[i] = Instruction{Program: m.Keys[c.Program], Data: c.Data}
		for _, a := range c.Accounts {
			all[i].Accounts = append(all[i].Accounts, Account{m.Keys[a], m.signs(int(a)), m.written(int(a))})
		}
	}
	return all, nil
}

// Compile makes the message of instructions: who pays is first, then come the keys by what they do, and among equals in
// the order in which they are named. A key that several instructions name may do what any of them says.
func Compile(v Version, payer Address, blockhash [32]byte, c Config, instructions []Instruction) (Message, error) {
	return compile(v, blockhash, c, gather(payer, instructions), instructions)
}

// compile is Compile with its keys in the order in which equals are to stand.
func compile(v Version, blockhash [32]byte, c Config, all []Account, instructions []Instruction) (Message, error) {
	m := Message{Version: v, Config: c, Blockhash: blockhash}
	for _, part := range []struct {
		signs, written bool
		count          *uint8
	}{{true, true, nil}, {true, false, &m.Header.ReadOnlySigners}, {false, true, nil}, {false, false,
		&m.Header.ReadOnly}} {
		for _, a := range all {
			if a.Signs != part.signs || a.Written != part.written {
				continue
			}
			m.Keys = append(m.Keys, a.Address)
			if a.Signs {
				m.Header.Signers++
			}
			if part.count != nil {
				*part.count++
			}
		}
	}
	if len(m.Keys) > maxKeys {
		return Message{}, refuse("keys", "%d, more than %d", len(m.Keys), maxKeys)
	}
	for _, i := range instructions {
		m.Instructions = append(m.Instructions, m.compiled(i))
	}
	return m, m.Check()
}

// gather is each key once, with all that is asked of it.
func gather(payer Address, instructions []Instruction) []Account {
	all := []Account{signsPays(payer)}
	add := func(a Account) {
		i := slices.IndexFunc(all, func(b Account) bool { return a.Address == b.Address })
		if i < 0 {
			all = append(all, a)
			return
		}
		all[i].Signs, all[i].Written = all[i].Signs || a.Signs, all[i].Written || a.Written
	}
	for _, i := range instructions {
		for _, a := range i.Accounts {
			add(a)
		}
		add(reads(i.Program))
	}
	return all
}

func (m Message) compiled(i Instruction) Compiled {
	c := Compiled{Program: uint8(slices.Index(m.Keys, i.Program)), Data: i.Data}
	for _, a := range i.Accounts {
		c.Accounts = append(c.Accounts, uint8(slices.Index(m.Keys, a.Address)))
	}
	return c
}

// Memo writes text into a transaction. The accounts of the instruction have to sign, which proves that they did.
func Memo(text string, signers ...Address) Instruction {
	i := Instruction{Program: MemoProgram, Data: []byte(text)}
	for _, a := range signers {
		i.Accounts = append(i.Accounts, signs(a))
	}
	return i
}

// isMemo reports whether an instruction is a memo that the program takes: UTF-8, and each account signs.
func isMemo(i Instruction) bool {
	if i.Program != MemoProgram && i.Program != OldMemoProgram || !utf8.Valid(i.Data) {
		return false
	}
	for _, a := range i.Accounts {
		if !a.Signs {
			return false
		}
	}
	return true
}
