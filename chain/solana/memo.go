package solana

import "unicode/utf8"

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
