package ledger_test

import (
	"slices"

	"github.com/railkit/railkit/chain/solana"
)

var (
	hashSysvar = parse("SysvarRecentB1ockHashes11111111111111111111")
	rentSysvar = parse("SysvarRent111111111111111111111111111111111")
)

func system(data []byte, accounts ...account) []solana.Instruction {
	return []solana.Instruction{do(solana.SystemProgram, data, accounts...)}
}

func (w *world) transfer() []solana.Instruction {
	to := mostly(w, w.person(), w.all)
	if w.IntN(8) == 0 {
		to = w.fresh()
	}
	return system(data(uint32(solana.SystemTransfer), w.lamports()), pays(w.person()), writes(to))
}

// space is a length of data, with enough for it or not.
func (w *world) space() (space, lamports uint64) {
	space = pick(w, []uint64{0, 0, 1, 80, 82, 165, 355, 10_000})
	if w.IntN(40) == 0 {
		space = 10<<20 + 1
	}
	return space, mostly(w, w.ledger.MinimumBalance(int(space)), []uint64{0, 1, 1e6, 1e9})
}

func (w *world) owner() solana.Address {
	return pick(w, []solana.Address{solana.SystemProgram, solana.TokenProgram, solana.MemoProgram, w.person()})
}

// account makes, assigns and allocates.
func (w *world) account() []solana.Instruction {
	k, owner := mostly(w, w.fresh(), w.all), w.owner()
	space, lamports := w.space()
	switch w.IntN(4) {
	case 0:
		return system(data(uint32(solana.SystemAssign), owner), pays(k))
	case 1:
		return system(data(uint32(solana.SystemAllocate), space), pays(k))
	}
	return system(data(uint32(solana.SystemCreateAccount), lamports, space, owner), pays(w.person()), pays(k))
}

// seeded does the same with addresses that a base has made, and moves what lies there.
func (w *world) seeded() []solana.Instruction {
	base, owner := w.person(), w.owner()
	text := pick(w, []string{"", "a", "rent", "0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef0",
		"\xff"})
	k, err := solana.CreateWithSeed(base, text, owner)
	if err != nil {
		k = w.person()
	}
	w.all = append(w.all, k)
	space, lamports := w.space()
	switch w.IntN(5) {
	case 0:
		return system(data(uint32(solana.SystemAssignWithSeed), base, text, owner), writes(k), signs(base))
	case 1:
		return system(data(uint32(solana.SystemAllocateWithSeed), base, text, space, owner), writes(k), signs(base))
	case 2:
		return system(data(uint32(solana.SystemTransferWithSeed), w.lamports(), text, owner),
			writes(k), signs(base), writes(w.person()))
	case 3:
		return system(data(uint32(solana.SystemTransfer), w.lamports()), pays(base), writes(k))
	}
	return system(data(uint32(solana.SystemCreateAccountWithSeed), base, text, lamports, space, owner),
		pays(w.person()), writes(k), signs(base))
}

func (w *world) newNonce() []solana.Instruction {
	k, authority := w.fresh(), w.person()
	w.nonces = append(w.nonces, k)
	rent := w.ledger.MinimumBalance(80)
	return append(system(data(uint32(solana.SystemCreateAccount), mostly(w, rent, []uint64{1000, rent - 1, 1e9}),
		mostly(w, uint64(80), []uint64{8, 79, 165}), solana.SystemProgram), pays(w.person()), pays(k)),
		w.initializeNonce(k, authority))
}

func (w *world) initializeNonce(k, authority solana.Address) solana.Instruction {
	return do(solana.SystemProgram, data(uint32(solana.SystemInitializeNonce), authority),
		writes(k), reads(hashSysvar), reads(rentSysvar))
}

// authorityOf reads who may advance a nonce, or is anybody.
func (w *world) authorityOf(k solana.Address) solana.Address {
	if a, _ := w.ledger.Account(k); len(a.Data) == 80 && a.Data[4] == 1 {
		return mostly(w, solana.Address(a.Data[8:40]), w.people)
	}
	return mostly(w, k, w.people)
}

func (w *world) nonce() []solana.Instruction {
	k := mostly(w, w.existing(w.nonces), w.all)
	authority := w.authorityOf(k)
	a, _ := w.ledger.Account(k)
	switch w.IntN(6) {
	case 0:
		lamports := pick(w, []uint64{1, a.Lamports, a.Lamports, a.Lamports - w.ledger.MinimumBalance(80), 1 << 63,
			1<<64 - 1})
		return system(data(uint32(solana.SystemWithdrawNonce), lamports), writes(k), writes(w.person()),
			reads(hashSysvar), reads(rentSysvar), signs(authority))
	case 1:
		return system(data(uint32(solana.SystemAuthorizeNonce), w.person()), writes(k), signs(authority))
	case 2:
		return system(data(uint32(solana.SystemUpgradeNonce)), writes(k))
	case 3:
		return []solana.Instruction{w.initializeNonce(k, authority)}
	}
	return system(data(uint32(solana.SystemAdvanceNonce)), writes(k), reads(hashSysvar), signs(authority))
}

// durable names the value of a nonce in place of the blockhash. Other instructions about nonces are left out: LiteSVM
// takes that value for the newest blockhash, by which they would be judged.
func (w *world) durable(all []solana.Instruction, hash [32]byte) ([]solana.Instruction, [32]byte) {
	k := w.existing(w.nonces)
	a, _ := w.ledger.Account(k)
	if len(a.Data) != 80 {
		return all, hash
	}
	all = slices.DeleteFunc(all, func(i solana.Instruction) bool {
		return i.Program == solana.SystemProgram && len(i.Data) > 0 && i.Data[0] >= 4 && i.Data[0] <= 7
	})
	first := system(data(uint32(solana.SystemAdvanceNonce)), writes(k), reads(hashSysvar), signs(w.authorityOf(k)))
	return slices.Concat(first, all), [32]byte(a.Data[40:72])
}

func (w *world) memo() []solana.Instruction {
	text := pick(w, []string{"", "rent for May", "é", "\xff"})
	var all []account
	for range w.IntN(3) {
		all = append(all, mostly(w, signs(w.person()), []account{reads(w.person())}))
	}
	return []solana.Instruction{do(mostly(w, solana.MemoProgram, []solana.Address{solana.OldMemoProgram}),
		[]byte(text), all...)}
}
