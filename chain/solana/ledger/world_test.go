package ledger_test

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/ledger"
)

// world makes random transactions: most of them nearly right, so that each rule of a program is the first one that is
// broken in some.
type world struct {
	*rand.Rand
	people                []solana.Address // with keys and coin
	mints, tokens, nonces []solana.Address // of which some exist
	multisigs, all        []solana.Address
	made                  int
	before                [32]byte // the blockhash before this one
	ledger                *ledger.Ledger
}

const peoples = 6

func newWorld(seed uint64, l *ledger.Ledger) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 2)), ledger: l}
	for n := range peoples {
		w.people = append(w.people, addressOf(keyOf(n)))
	}
	w.made = peoples
	w.all = append(w.all, w.people...)
	return w
}

// begin is what lies there first: people with much and with little, the mint of wrapped SOL, and accounts that look
// like tokens and nonces and are another program's.
func (w *world) begin(rent uint64) step {
	s := step{Rent: rent, Put: map[string]*saidAccount{}}
	put := func(k solana.Address, lamports uint64, owner solana.Address, data []byte) {
		s.Put[k.String()] = &saidAccount{lamports, owner.String(), data}
		w.all = append(w.all, k)
	}
	for i, k := range w.people {
		lamports := uint64(50_000_000_000)
		if i == peoples-1 {
			lamports = 128*rent + 40_000
		}
		put(k, lamports, solana.SystemProgram, nil)
	}
	native := make([]byte, 82)
	native[44], native[45] = 9, 1
	put(solana.NativeMint, 1e9, solana.TokenProgram, native)
	w.mints = append(w.mints, solana.NativeMint)
	w.beginTokens(put)
	token := make([]byte, 165)
	copy(token, solana.NativeMint[:])
	copy(token[32:], w.people[0][:])
	token[64], token[108] = 200, 1
	alien := solana.Address{0: 201}
	w.tokens = append(w.tokens, alien)
	put(alien, 1e9, solana.MemoProgram, token)
	mint := slices.Clone(native)
	copy(mint, append([]byte{1, 0, 0, 0}, w.people[0][:]...))
	alien = solana.Address{0: 202}
	w.mints = append(w.mints, alien)
	put(alien, 1e9, solana.MemoProgram, mint)
	alien = solana.Address{0: 203}
	nonce := append([]byte{1, 0, 0, 0, 1, 0, 0, 0}, w.people[0][:]...)
	w.nonces = append(w.nonces, alien)
	put(alien, 1e9, solana.MemoProgram, append(nonce, make([]byte, 40)...))
	return s
}

func pick[T any](w *world, all []T) T { return all[w.IntN(len(all))] }

// mostly is the right one, but for one in sixteen.
func mostly[T any](w *world, right T, others []T) T {
	if len(others) > 0 && w.IntN(16) == 0 {
		return pick(w, others)
	}
	return right
}

func (w *world) person() solana.Address { return pick(w, w.people) }

// fresh is an address with a key at which nothing lies yet, or, when there are no more, one that was made long ago.
func (w *world) fresh() solana.Address {
	n := w.made
	if n >= mostKeys {
		n = peoples + w.IntN(mostKeys-peoples)
	} else {
		w.made++
	}
	k := addressOf(keyOf(n))
	w.all = append(w.all, k)
	return k
}

func (w *world) lamports() uint64 {
	rent := w.ledger.MinimumBalance(0)
	if w.IntN(2) == 0 {
		return w.Uint64N(1e8) + rent
	}
	return pick(w, []uint64{
		0, 1, 5_000, rent - 1, rent, rent + 1, 1_000_000, w.ledger.MinimumBalance(165), 1e15, 1<<64 - 1,
	})
}

func (w *world) tokensAmount() uint64 {
	return pick(w, []uint64{0, 1, 2, 1_000, w.Uint64N(1e6), w.Uint64N(1e9), 1 << 62, 1<<64 - 1})
}

type account = solana.Account

func reads(k solana.Address) account  { return account{Address: k} }
func writes(k solana.Address) account { return account{Address: k, Written: true} }
func signs(k solana.Address) account  { return account{Address: k, Signs: true} }
func pays(k solana.Address) account   { return account{Address: k, Signs: true, Written: true} }

func do(program solana.Address, data []byte, accounts ...account) solana.Instruction {
	return solana.Instruction{Program: program, Accounts: accounts, Data: data}
}

// data writes numbers and addresses one after the other.
func data(parts ...any) (b []byte) {
	for _, p := range parts {
		switch v := p.(type) {
		case byte:
			b = append(b, v)
		case uint32:
			b = binary.LittleEndian.AppendUint32(b, v)
		case uint64:
			b = binary.LittleEndian.AppendUint64(b, v)
		case solana.Address:
			b = append(b, v[:]...)
		case string:
			b = append(binary.LittleEndian.AppendUint64(b, uint64(len(v))), v...)
		case []byte:
			b = append(b, v...)
		}
	}
	return b
}

// message is the next transaction's.
func (w *world) message(hash [32]byte) solana.Message {
	for {
		m, err := w.attempt(hash)
		if err == nil && !isUnplayed(m) && !slices.ContainsFunc(m.Signers(), hasNoKey) {
			return m
		}
	}
}

func hasNoKey(k solana.Address) bool { return keys[k] == nil }

// isUnplayed reports whether a mistake has made an instruction that the ledger does not play.
func isUnplayed(m solana.Message) bool {
	return slices.ContainsFunc(m.Instructions, func(c solana.Compiled) bool {
		return m.Keys[c.Program] == solana.TokenProgram && len(c.Data) > 0 &&
			slices.Contains([]byte{38, 45, 255}, c.Data[0])
	})
}

func (w *world) attempt(hash [32]byte) (solana.Message, error) {
	var all []solana.Instruction
	for range 1 + w.IntN(2)*w.IntN(4) {
		all = append(all, w.instructions()...)
	}
	for i := range all {
		if w.IntN(14) == 0 {
			w.spoil(&all[i])
		}
	}
	if w.IntN(40) == 0 {
		hash = w.before
	}
	if w.IntN(10) == 0 {
		all, hash = w.durable(all, hash)
	}
	return w.compile(hash, all)
}

func (w *world) compile(hash [32]byte, all []solana.Instruction) (solana.Message, error) {
	payer := w.person()
	for _, i := range all {
		if len(i.Accounts) > 0 && i.Accounts[0].Signs && w.IntN(4) > 0 {
			payer = i.Accounts[0].Address
		}
	}
	version, c := solana.Version(w.IntN(3)-1), solana.Config{}
	switch {
	case version == solana.V1:
		c = w.config()
	case w.IntN(4) == 0:
		all = slices.Insert(all, w.IntN(len(all)+1), w.budget()...)
	}
	return solana.Compile(version, payer, hash, c, all)
}

func (w *world) config() (c solana.Config) {
	units, loaded := 700_000+w.Uint32N(700_000), 4_000_000+w.Uint32N(9_000_000)
	fee, heap := w.Uint64N(9_000), uint32(64<<10)
	c.Units, c.LoadedBytes = &units, &loaded
	if w.IntN(40) == 0 {
		c.LoadedBytes = nil
	}
	if w.IntN(2) == 0 {
		c.PriorityFee = &fee
	}
	if w.IntN(4) == 0 {
		c.HeapBytes = &heap
	}
	return c
}

func (w *world) budget() []solana.Instruction {
	all := []solana.Instruction{
		solana.SetPrice(w.Uint64N(100_000)), solana.SetUnits(600_000 + w.Uint32N(900_000)),
		solana.SetHeapBytes(uint32(31+w.IntN(40)) << 10), solana.SetLoadedBytes(3_000_000 * w.Uint32N(8)),
	}
	w.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:1+w.IntN(3)]
	switch w.IntN(12) {
	case 0:
		all = append(all, all[0])
	case 1:
		all[0].Data = all[0].Data[:w.IntN(len(all[0].Data))]
	case 2:
		all[0].Data = append(all[0].Data, 0)
	case 3:
		all[0].Data = data(byte(w.IntN(6)), w.Uint64())
	}
	return all
}

// spoil makes one mistake.
func (w *world) spoil(i *solana.Instruction) {
	if len(i.Accounts) == 0 {
		return
	}
	a := &i.Accounts[w.IntN(len(i.Accounts))]
	switch w.IntN(8) {
	case 0, 1:
		a.Address = pick(w, w.all)
	case 2:
		a.Written = !a.Written
	case 3:
		a.Signs = !a.Signs
	case 4:
		i.Accounts = i.Accounts[:w.IntN(len(i.Accounts))]
	case 5:
		i.Data = i.Data[:w.IntN(len(i.Data)+1)]
	case 6:
		i.Data = append(i.Data, byte(w.IntN(256)))
	case 7:
		if len(i.Data) > 0 {
			i.Data = slices.Clone(i.Data)
			i.Data[w.IntN(min(len(i.Data), 12))] ^= 1 << w.IntN(8)
		}
	}
}

func (w *world) instructions() []solana.Instruction {
	type maker = func() []solana.Instruction
	many := []maker{w.transfer, w.transferToken, w.transferToken, w.mintTo, w.associated, w.approve}
	rest := []maker{
		w.newMint, w.newMint, w.newToken, w.newToken, w.newMultisig, w.newNonce, w.newNonce, w.nonce, w.nonce,
		w.seeded, w.account, w.burn, w.authority, w.closeToken, w.freeze, w.question, w.nested, w.memo,
		w.revoke, w.wrapped,
	}
	if w.IntN(2) == 0 {
		return pick(w, many)()
	}
	return pick(w, rest)()
}
