package solana

import (
	"encoding/binary"
	"math/big"
)

// The instructions of the Compute Budget program by the first byte of their data.
const (
	BudgetHeap = iota + 1 // 0 was withdrawn
	BudgetUnits
	BudgetPrice
	BudgetLoaded
)

// What the network charges and grants.
const (
	FeePerSignature = 5_000 // lamports
	MaxUnits        = 1_400_000
	defaultUnits    = 200_000   // for each instruction, where none says more
	microLamports   = 1_000_000 // of one lamport: the price of a unit is in them
	maxLoaded       = 64 << 20  // bytes of accounts
)

// SetUnits and its three companions are the instructions that legacy and v0 messages have in place of Config.
func SetUnits(n uint32) Instruction       { return budgetOf(BudgetUnits, uint64(n), 4) }
func SetPrice(micro uint64) Instruction   { return budgetOf(BudgetPrice, micro, 8) }
func SetLoadedBytes(n uint32) Instruction { return budgetOf(BudgetLoaded, uint64(n), 4) }
func SetHeapBytes(n uint32) Instruction   { return budgetOf(BudgetHeap, uint64(n), 4) }

func budgetOf(kind byte, value uint64, size int) Instruction {
	data := binary.LittleEndian.AppendUint64([]byte{kind}, value)
	return Instruction{Program: BudgetProgram, Data: data[:1+size]}
}

// Budget is what a message says of its execution, whichever way its version has for that.
type Budget struct {
	Units       *uint32
	LoadedBytes *uint32
	HeapBytes   *uint32
	Price       *uint64 // millionths of a lamport for a unit; legacy and v0
	Fee         *uint64 // lamports; v1
}

// Budget reads it. In a v1 message the instructions mean nothing. Elsewhere the network refuses one that it does not
// know, and the same one twice.
func (m Message) Budget() (Budget, error) {
	if m.Version == V1 {
		c := m.Config
		return Budget{Units: c.Units, LoadedBytes: c.LoadedBytes, HeapBytes: c.HeapBytes, Fee: c.PriorityFee}, nil
	}
	var b Budget
	for i, c := range m.Instructions {
		if int(c.Program) >= len(m.Keys) || m.Keys[c.Program] != BudgetProgram {
			continue
		}
		if err := b.read(at("instructions", i, ""), c.Data); err != nil {
			return Budget{}, err
		}
	}
	return b, nil
}

func (b *Budget) read(field string, data []byte) error {
	r := reader{rest: data}
	kind, again := r.byte(field), false
	switch kind {
	case BudgetUnits:
		again = set(&b.Units, r.u32(field))
	case BudgetLoaded:
		again = set(&b.LoadedBytes, r.u32(field))
	case BudgetHeap:
		again = set(&b.HeapBytes, r.u32(field))
	case BudgetPrice:
		again = set(&b.Price, r.u64(field))
	default:
		return refuse(field, "is no instruction of the Compute Budget program")
	}
	if again {
		return refuse(field, "sets a value of the compute budget twice")
	}
	if h := b.HeapBytes; h != nil && (*h < minHeap || *h > maxHeap || *h%1024 != 0) {
		return refuse(field, "%d bytes of heap: it is 32 to 256 whole KiB", *h)
	}
	if b.LoadedBytes != nil && *b.LoadedBytes == 0 {
		return refuse(field, "0 bytes of accounts")
	}
	return r.end(field)
}

// set fills a value, and reports whether it was there.
func set[T any](to **T, value T) bool {
	again := *to != nil
	*to = &value
	return again
}

// MaxFee is the most that who pays is charged, in lamports: for the signatures, and for priority. A price is for each
// unit of the limit, used or not. Two signatures, a limit of 300,000 units and a price of 25,001 micro-lamports make
//
//	2 * 5,000 + 300,000 * 25,001 / 1,000,000 (rounded up) = 17,501
//
// Without a limit it is at most 200,000 units for each instruction. A signature that a program checks costs as much as
// one of the transaction.
func (m Message) MaxFee() (*big.Int, error) {
	b, err := m.Budget()
	if err != nil {
		return nil, err
	}
	fee := big.NewInt(FeePerSignature * int64(int(m.Header.Signers)+m.checked()))
	switch {
	case b.Fee != nil:
		fee.Add(fee, new(big.Int).SetUint64(*b.Fee))
	case b.Price != nil:
		units := int64(defaultUnits * len(m.Instructions))
		if b.Units != nil {
			units = int64(*b.Units)
		}
		priority := new(big.Int).SetUint64(*b.Price)
		priority.Mul(priority, big.NewInt(min(units, MaxUnits)))
		priority.Add(priority, big.NewInt(microLamports-1))
		fee.Add(fee, priority.Div(priority, big.NewInt(microLamports)))
	}
	return fee, nil
}

// checked counts the signatures that programs check: the first byte of their instructions says how many it holds.
func (m Message) checked() (n int) {
	for _, c := range m.Instructions {
		if int(c.Program) < len(m.Keys) && nobody[m.Keys[c.Program]] == checksSignatures && len(c.Data) > 0 {
			n += int(c.Data[0])
		}
	}
	return n
}
