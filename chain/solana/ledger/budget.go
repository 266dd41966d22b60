package ledger

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/railkit/railkit/chain/solana"
)

// budget is what a legacy or v0 message says by Compute Budget instructions.
type budget struct {
	seen   [5]bool // by the number of the instruction
	units  uint64
	price  uint64
	loaded uint32
}

// readBudget refuses an instruction that is not known, a second one of a kind, and a value that is not allowed. Bytes
// behind the value do not matter.
func readBudget(m solana.Message) (b budget, err error) {
	for i, c := range m.Instructions {
		if m.Keys[c.Program] != solana.BudgetProgram {
			b.units += defaultUnits(m.Keys[c.Program])
			continue
		}
		b.units += defaultUnits(solana.SystemProgram)
		if !isBudget(c.Data) {
			return b, FailedInstruction{i, invalidInstructionData}
		}
		if b.seen[c.Data[0]] {
			return b, AccountError{DuplicateInstruction, i}
		}
		b.seen[c.Data[0]] = true
	}
	for i, c := range m.Instructions {
		if m.Keys[c.Program] != solana.BudgetProgram {
			continue
		}
		if b.take(c.Data); c.Data[0] == solana.BudgetHeap && !isHeap(binary.LittleEndian.Uint32(c.Data[1:])) {
			return b, FailedInstruction{i, invalidInstructionData}
		}
	}
	b.units = min(b.units, solana.MaxUnits)
	if b.seen[solana.BudgetLoaded] && b.loaded == 0 {
		return b, InvalidLoadedAccountsDataSizeLimit
	}
	return b, nil
}

// defaultUnits are granted for an instruction where none says how many: less to a built-in program (SIMD-0170).
func defaultUnits(program solana.Address) uint64 {
	if program == solana.SystemProgram {
		return 3_000
	}
	return 200_000
}

func (b *budget) take(data []byte) {
	switch n := binary.LittleEndian.Uint32(data[1:]); data[0] {
	case solana.BudgetUnits:
		b.units = uint64(n)
	case solana.BudgetPrice:
		b.price = binary.LittleEndian.Uint64(data[1:])
	case solana.BudgetLoaded:
		b.loaded = n
	}
}

// fee is that for the priority, rounded up, in lamports.
func (b budget) fee() uint64 {
	high, low := bits.Mul64(b.price, b.units)
	low, carry := bits.Add64(low, 999_999, 0)
	if high += carry; high >= 1_000_000 {
		return math.MaxUint64
	}
	fee, _ := bits.Div64(high, low, 1_000_000)
	return fee
}

func isBudget(data []byte) bool {
	if len(data) == 0 || data[0] < solana.BudgetHeap || data[0] > solana.BudgetLoaded {
		return false
	}
	if data[0] == solana.BudgetPrice {
		return len(data) >= 9
	}
	return len(data) >= 5
}

func isHeap(n uint32) bool { return n >= 32<<10 && n <= 256<<10 && n%1024 == 0 }
