package ledger_test

import (
	"github.com/railkit/railkit/chain/solana"
)

func token(data []byte, accounts ...account) []solana.Instruction {
	return []solana.Instruction{do(solana.TokenProgram, data, accounts...)}
}

// beginTokens lays down three mints, of which two can freeze, an account of each for each person, and two multisigs.
func (w *world) beginTokens(put func(solana.Address, uint64, solana.Address, []byte)) {
	for i, decimals := range []byte{0, 6, 9} {
		k, mint := w.fresh(), make([]byte, 82)
		copy(mint, data(uint32(1), w.people[i], uint64(6_000_000), decimals, byte(1)))
		if i > 0 {
			copy(mint[46:], data(uint32(1), w.people[0]))
		}
		w.mints = append(w.mints, k)
		put(k, 1e9, solana.TokenProgram, mint)
		for _, owner := range w.people {
			account := make([]byte, 165)
			copy(account, data(k, owner, uint64(1_000_000)))
			account[108] = 1
			at := solana.AssociatedAddress(owner, k, solana.TokenProgram)
			w.tokens = append(w.tokens, at)
			put(at, 1e9, solana.TokenProgram, account)
		}
	}
	for i, owner := range w.people {
		account, reserve := make([]byte, 165), uint64(1+i)*500_000
		copy(account, data(solana.NativeMint, owner, uint64(1e9)-reserve-uint64(i)*10_000))
		copy(account[108:], data(byte(1), uint32(1), reserve))
		at := solana.AssociatedAddress(owner, solana.NativeMint, solana.TokenProgram)
		w.tokens = append(w.tokens, at)
		put(at, 1e9, solana.TokenProgram, account)
	}
	for needed := range byte(2) {
		k, multisig := w.fresh(), make([]byte, 355)
		copy(multisig, data(needed+1, byte(3), byte(1), w.people[0], w.people[1], w.people[2]))
		w.multisigs = append(w.multisigs, k)
		put(k, 1e9, solana.TokenProgram, multisig)
	}
}

// optional is an option of an instruction's data.
func (w *world) optional(k solana.Address) []byte {
	if w.IntN(2) == 0 {
		return data(byte(1), k)
	}
	return []byte{byte(w.IntN(16) / 15 * 2)}
}

// create is an account for the Token program, with what it needs or not.
func (w *world) create(k solana.Address, size int) []solana.Instruction {
	rent := w.ledger.MinimumBalance(size)
	return system(data(uint32(solana.SystemCreateAccount), mostly(w, rent, []uint64{0, rent - 1, 3e9}),
		mostly(w, uint64(size), []uint64{0, 82, 165, 355}), mostly(w, solana.TokenProgram,
			[]solana.Address{solana.SystemProgram})),
		pays(w.person()), pays(k))
}

func (w *world) newMint() []solana.Instruction {
	k, authority := w.fresh(), w.person()
	if w.IntN(4) == 0 {
		authority = w.existing(w.multisigs)
	}
	if len(w.mints) < 8 || w.IntN(4) == 0 {
		w.mints = append(w.mints, k)
	}
	decimals := pick(w, []byte{0, 6, 9})
	made := w.create(k, 82)
	if w.IntN(2) == 0 {
		return append(made, do(solana.TokenProgram,
			data(byte(solana.TokenInitializeMint), decimals, authority,
				w.optional(w.person())), writes(k), reads(rentSysvar)))
	}
	return append(made, do(solana.TokenProgram,
		data(byte(solana.TokenInitializeMint2), decimals, authority, w.optional(w.person())), writes(k)))
}

func (w *world) mint() solana.Address { return mostly(w, w.existing(w.mints), w.all) }

// existing is mostly one that is there.
func (w *world) existing(all []solana.Address) solana.Address {
	k := pick(w, all)
	for range 6 {
		if a, found := w.ledger.Account(k); found && len(a.Data) > 0 {
			break
		}
		k = pick(w, all)
	}
	return k
}

func (w *world) newToken() []solana.Instruction {
	k, mint, owner := w.fresh(), w.mint(), mostly(w, w.person(), []solana.Address{solana.SystemProgram})
	if w.IntN(4) == 0 {
		owner = w.existing(w.multisigs)
	}
	w.tokens = append(w.tokens, k)
	made := w.create(k, 165)
	switch w.IntN(3) {
	case 0:
		return append(made, do(solana.TokenProgram, data(byte(solana.TokenInitializeAccount)),
			writes(k), reads(mint), reads(owner), reads(rentSysvar)))
	case 1:
		return append(made, do(solana.TokenProgram, data(byte(solana.TokenInitializeAccount2), owner),
			writes(k), reads(mint), reads(rentSysvar)))
	}
	return append(made, do(solana.TokenProgram, data(byte(solana.TokenInitializeAccount3), owner), writes(k),
		reads(mint)))
}

func (w *world) newMultisig() []solana.Instruction {
	k := w.fresh()
	w.multisigs = append(w.multisigs, k)
	var members []account
	for range w.IntN(5) {
		members = append(members, reads(w.person()))
	}
	needed := byte(w.IntN(4))
	if w.IntN(2) == 0 {
		return append(w.create(k, 355), do(solana.TokenProgram, data(byte(solana.TokenInitializeMultisig), needed),
			append([]account{writes(k), reads(rentSysvar)}, members...)...))
	}
	return append(w.create(k, 355), do(solana.TokenProgram, data(byte(solana.TokenInitializeMultisig2), needed),
		append([]account{writes(k)}, members...)...))
}

// held is an account of tokens that probably exists, its mint and its owner.
func (w *world) held() (k, mint, owner solana.Address) {
	k = w.existing(w.tokens)
	if a, _ := w.ledger.Account(k); len(a.Data) == 165 {
		return k, mostly(w, solana.Address(a.Data[:32]), w.mints), solana.Address(a.Data[32:64])
	}
	return k, w.mint(), w.person()
}

// same is another account of tokens, of the same mint if there is one.
func (w *world) same(mint solana.Address) solana.Address {
	for range 8 {
		k := w.existing(w.tokens)
		if a, _ := w.ledger.Account(k); len(a.Data) == 165 && solana.Address(a.Data[:32]) == mint {
			return k
		}
	}
	return w.existing(w.tokens)
}

// by is an authority, with its members if it is a multisig.
func (w *world) by(k solana.Address) []account {
	k = mostly(w, k, w.people)
	if a, _ := w.ledger.Account(k); len(a.Data) == 355 {
		all := []account{reads(k)}
		for i := range min(int(a.Data[1]), 11) {
			member := solana.Address(a.Data[3+32*i : 35+32*i])
			all = append(all, mostly(w, signs(member), []account{reads(member), signs(w.person())}))
		}
		return all
	}
	return []account{mostly(w, signs(k), []account{reads(k)})}
}

func (w *world) decimals(mint solana.Address) byte {
	if a, _ := w.ledger.Account(mint); len(a.Data) == 82 {
		return mostly(w, a.Data[44], []byte{0, 6, 9})
	}
	return 6
}

// delegateOf is who may spend, sometimes.
func (w *world) delegateOf(k, owner solana.Address) solana.Address {
	if a, _ := w.ledger.Account(k); len(a.Data) == 165 && a.Data[72] == 1 && w.IntN(2) == 0 {
		return solana.Address(a.Data[76:108])
	}
	return owner
}

// some is an amount that an account has, or any.
func (w *world) some(k solana.Address) uint64 {
	if a, _ := w.ledger.Account(k); len(a.Data) == 165 && w.IntN(3) > 0 {
		have := uint64(0)
		for i := range 8 {
			have |= uint64(a.Data[64+i]) << (8 * i)
		}
		return pick(w, []uint64{have, have / 2, have / 3, have + 1, 1})
	}
	return w.tokensAmount()
}

func (w *world) transferToken() []solana.Instruction {
	k, mint, owner := w.held()
	to, n := w.same(mint), w.some(k)
	by := w.by(w.delegateOf(k, owner))
	if w.IntN(2) == 0 {
		return token(data(byte(solana.TokenTransfer), n), append([]account{writes(k), writes(to)}, by...)...)
	}
	return token(data(byte(solana.TokenTransferChecked), n, w.decimals(mint)),
		append([]account{writes(k), reads(mint), writes(to)}, by...)...)
}

func (w *world) mintTo() []solana.Instruction {
	to, mint, _ := w.held()
	authority := w.person()
	if a, _ := w.ledger.Account(mint); len(a.Data) == 82 && a.Data[0] == 1 {
		authority = solana.Address(a.Data[4:36])
	}
	accounts := append([]account{writes(mint), writes(to)}, w.by(authority)...)
	if w.IntN(2) == 0 {
		return token(data(byte(solana.TokenMintTo), w.tokensAmount()), accounts...)
	}
	return token(data(byte(solana.TokenMintToChecked), w.tokensAmount(), w.decimals(mint)), accounts...)
}

func (w *world) burn() []solana.Instruction {
	k, mint, owner := w.held()
	accounts := append([]account{writes(k), writes(mint)}, w.by(w.delegateOf(k, owner))...)
	if w.IntN(2) == 0 {
		return token(data(byte(solana.TokenBurn), w.some(k)), accounts...)
	}
	return token(data(byte(solana.TokenBurnChecked), w.some(k), w.decimals(mint)), accounts...)
}

func (w *world) approve() []solana.Instruction {
	k, mint, owner := w.held()
	delegate := reads(w.person())
	if w.IntN(2) == 0 {
		return token(data(byte(solana.TokenApprove), w.tokensAmount()), append([]account{writes(k), delegate},
			w.by(owner)...)...)
	}
	return token(data(byte(solana.TokenApproveChecked), w.tokensAmount(), w.decimals(mint)),
		append([]account{writes(k), reads(mint), delegate}, w.by(owner)...)...)
}

func (w *world) revoke() []solana.Instruction {
	k, _, owner := w.held()
	return token(data(byte(solana.TokenRevoke)), append([]account{writes(k)}, w.by(owner)...)...)
}

func (w *world) authority() []solana.Instruction {
	k, mint, now := w.held()
	right := byte(w.IntN(5))
	if right < 2 && w.IntN(4) > 0 {
		k, now = mint, w.person()
		if a, _ := w.ledger.Account(mint); len(a.Data) == 82 {
			now = solana.Address(a.Data[4+46*int(right) : 36+46*int(right)])
		}
	} else if a, _ := w.ledger.Account(k); right == 3 && len(a.Data) == 165 && a.Data[129] == 1 {
		now = solana.Address(a.Data[133:165])
	}
	return token(data(byte(solana.TokenSetAuthority), right, w.optional(w.person())),
		append([]account{writes(k)}, w.by(now)...)...)
}

func (w *world) closeToken() []solana.Instruction {
	k, _, owner := w.held()
	if a, _ := w.ledger.Account(k); len(a.Data) == 165 && a.Data[129] == 1 {
		owner = solana.Address(a.Data[133:165])
	}
	return token(data(byte(solana.TokenCloseAccount)), append([]account{writes(k), writes(w.person())},
		w.by(owner)...)...)
}

func (w *world) freeze() []solana.Instruction {
	k, mint, _ := w.held()
	by := w.person()
	if a, _ := w.ledger.Account(mint); len(a.Data) == 82 && a.Data[46] == 1 {
		by = solana.Address(a.Data[50:82])
	}
	return token(data(byte(solana.TokenFreeze+w.IntN(2))), append([]account{writes(k), reads(mint)}, w.by(by)...)...)
}

// wrapped sends SOL to an account of wrapped SOL and takes it in.
func (w *world) wrapped() []solana.Instruction {
	k := w.same(solana.NativeMint)
	sync := do(solana.TokenProgram, data(byte(solana.TokenSyncNative)), writes(k))
	if w.IntN(3) == 0 {
		sync.Accounts = append(sync.Accounts, reads(mostly(w, rentSysvar, w.all)))
	}
	if w.IntN(3) == 0 {
		return []solana.Instruction{sync}
	}
	return append(system(data(uint32(solana.SystemTransfer), w.Uint64N(1e6)), pays(w.person()), writes(k)), sync)
}

// question is an instruction that changes nothing, or a number that means nothing.
func (w *world) question() []solana.Instruction {
	switch k := w.existing(w.tokens); w.IntN(6) {
	case 0:
		return token(data(byte(solana.TokenGetAccountDataSize)), reads(w.mint()))
	case 1:
		return token(data(byte(solana.TokenInitializeImmutableOwner)), writes(k))
	case 2:
		return token(data(byte(solana.TokenAmountToUIAmount), w.tokensAmount()), reads(w.mint()))
	case 3:
		text := pick(w, []string{"1", "1.5", "0.000001", "12345678901234567890", "1.", ".5", "", "1.0000000001", "-1",
			"1,5"})
		return token(data(byte(solana.TokenUIAmountToAmount), []byte(text)), reads(w.mint()))
	case 4:
		return token(data(byte(25+w.IntN(10)), w.tokensAmount()), writes(k))
	default:
		return append(w.create(w.fresh(), 165), do(solana.TokenProgram,
			data(byte(solana.TokenInitializeImmutableOwner)), writes(w.all[len(w.all)-1])))
	}
}

func (w *world) associated() []solana.Instruction {
	mint, owner := w.mint(), mostly(w, w.person(), w.tokens)
	k := solana.AssociatedAddress(owner, mint, solana.TokenProgram)
	w.tokens, w.all = append(w.tokens, k), append(w.all, k)
	what := pick(w, [][]byte{nil, {0}, {1}, {1}, {1}})
	made := do(solana.AssociatedProgram, what, pays(w.person()), writes(k), reads(owner), reads(mostly(w, mint,
		w.mints)),
		reads(solana.SystemProgram), reads(solana.TokenProgram))
	if w.IntN(8) == 0 { // somebody has sent coin there before
		return append(system(data(uint32(solana.SystemTransfer), w.lamports()), pays(w.person()), writes(k)), made)
	}
	return []solana.Instruction{made}
}

// nested takes back what lies in an account that an account owns; half of the time it makes one.
func (w *world) nested() []solana.Instruction {
	owner, outer, inner := w.person(), w.existing(w.mints), w.existing(w.mints)
	program := solana.TokenProgram
	holder := solana.AssociatedAddress(owner, outer, program)
	k := solana.AssociatedAddress(holder, inner, program)
	w.tokens, w.all = append(w.tokens, k), append(w.all, k)
	back := do(solana.AssociatedProgram, []byte{2}, writes(k), reads(inner),
		writes(solana.AssociatedAddress(owner, inner, program)), reads(holder), reads(outer),
		mostly(w, pays(owner), []account{writes(owner), signs(owner)}), reads(program))
	if w.IntN(4) == 0 {
		return []solana.Instruction{back}
	}
	var all []solana.Instruction
	for _, c := range [][2]solana.Address{{owner, outer}, {holder, inner}, {owner, inner}} {
		all = append(all, do(solana.AssociatedProgram, []byte{1}, pays(owner),
			writes(solana.AssociatedAddress(c[0], c[1],
				program)), reads(c[0]), reads(c[1]), reads(solana.SystemProgram), reads(program)))
	}
	return append(all, back)
}
