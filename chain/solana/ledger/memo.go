package ledger

import (
	"unicode/utf8"

	"github.com/railkit/railkit/chain/solana"
)

// memo plays both versions of the Memo program. The first one does not look at accounts.
func (f *frame) memo() error {
	for _, a := range f.accounts {
		if f.program == solana.MemoProgram && !a.signs {
			return missingRequiredSignature
		}
	}
	switch {
	case utf8.Valid(f.data):
		return nil
	case f.program == solana.MemoProgram:
		return programFailed
	}
	return invalidInstructionData
}
