package ledger_test

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/ledger"
	"github.com/railkit/railkit/internal/test/testenv"
)

// books are what owners have: of SOL under "native", of a token under its mint. What is in a token account is its
// owner's, its lamports too, but for those that the tokens of wrapped SOL are.
type books map[[2]string]*big.Int

func (b books) add(owner, asset string, sign int64, amount uint64) {
	at := [2]string{owner, asset}
	if b[at] == nil {
		b[at] = new(big.Int)
	}
	b[at].Add(b[at], new(big.Int).Mul(new(big.Int).SetUint64(amount), big.NewInt(sign)))
}

// owners are addresses that are somebody else's: token accounts, and what a key has made from a seed.
type owners map[solana.Address]solana.Address

// of is whose an address is at last: a token account can own another one.
func (o owners) of(k solana.Address) solana.Address {
	for range len(o) {
		if next, found := o[k]; found {
			k = next
		}
	}
	return k
}

// count adds an account, times sign.
func (b books) count(sign int64, k solana.Address, a ledger.Account, of owners) {
	owner, lamports := of.of(k), a.Lamports
	if a.Owner == solana.TokenProgram && len(a.Data) == 165 && a.Data[108] != 0 {
		amount, mint := binary.LittleEndian.Uint64(a.Data[64:]), solana.Address(a.Data[:32])
		owner = of.of(solana.Address(a.Data[32:64]))
		b.add(owner.String(), mint.String(), sign, amount)
		if mint == solana.NativeMint {
			lamports -= amount
		}
	}
	b.add(owner.String(), "native", sign, lamports)
}

func (b books) String() string {
	text := ""
	for _, k := range slices.SortedFunc(maps.Keys(b), func(x, y [2]string) int { return slices.Compare(x[:], y[:]) }) {
		if b[k].Sign() != 0 {
			text += fmt.Sprintf("%s %s %s\n", k[0], b[k], k[1])
		}
	}
	return text
}

// effect adds what an effect says, and takes the rent that is no more needed back.
func (b books) effect(e chain.Effect, of owners, rent uint64) error {
	if e.Kind != chain.Transfer {
		return nil
	}
	n, err := strconv.ParseUint(e.Amount, 10, 64)
	if err != nil {
		return err
	}
	if e.ByCall {
		n = rent
	}
	b.add(of.of(parse(e.From)).String(), e.Asset, -1, n)
	b.add(of.of(parse(e.To)).String(), e.Asset, 1, n)
	return nil
}

// listed are the mints that were there at first, as a network's list. Of others the bytes have to name the mint.
func (w *world) listed() (all []chain.Token) {
	for _, k := range w.mints[:4] {
		if a, _ := w.ledger.Account(k); len(a.Data) == 82 {
			all = append(all, chain.Token{Symbol: "T" + k.String()[:6], Address: k.String(), Decimals: int(a.Data[44])})
		}
	}
	return all
}

// plain is a message as wallets make them: payments, allowances, new accounts.
func (w *world) plain(hash [32]byte) solana.Message {
	for {
		payer := w.person()
		var all []solana.Instruction
		for range 1 + w.IntN(4) {
			mint, to := w.existing(w.mints), w.person()
			if w.IntN(4) == 0 {
				to = w.fresh()
			}
			decimals := byte(0)
			if a, _ := w.ledger.Account(mint); len(a.Data) == 82 {
				decimals = a.Data[44]
			}
			of := func(k solana.Address) account {
				return writes(solana.AssociatedAddress(k, mint, solana.TokenProgram))
			}
			n := w.Uint64N(1_000)
			all = append(all, pick(w, []solana.Instruction{
				solana.TransferCoin(payer, to, n*10_000), solana.TransferToken(payer, to, mint, n, decimals),
				solana.CreateAssociated(payer, to, mint), solana.Memo("plain"),
				do(solana.TokenProgram, data(byte(solana.TokenTransfer), n), of(payer), of(to), signs(payer)),
				do(solana.TokenProgram, data(byte(solana.TokenApprove), n), of(payer), reads(to), signs(payer)),
				do(solana.TokenProgram, data(byte(solana.TokenRevoke)), of(payer), signs(payer)),
			}))
		}
		if w.IntN(8) == 0 {
			w.spoil(&all[w.IntN(len(all))])
		}
		if m, err := w.compile(hash, all); err == nil && !isUnplayed(m) {
			return m
		}
	}
}

// seededBy are the addresses that a signer has made from a seed and sends from.
func seededBy(m solana.Message) owners {
	of := owners{}
	all, _ := m.Resolve()
	for _, i := range all {
		if i.Program == solana.SystemProgram && len(i.Data) > 4 && i.Data[0] == solana.SystemTransferWithSeed &&
			len(i.Accounts) > 1 {
			of[i.Accounts[0].Address] = i.Accounts[1].Address
		}
	}
	return of
}

// gaveAway reports whether an associated account of the message is not its owner's any more, or has a delegate who
// signs: the bytes do not tell that, and the docs say so.
func (w *world) gaveAway(m solana.Message) bool {
	for _, k := range m.Keys {
		a, _ := w.ledger.Account(k)
		if a.Owner != solana.TokenProgram || len(a.Data) != 165 {
			continue
		}
		owner, mint := solana.Address(a.Data[32:64]), solana.Address(a.Data[:32])
		if k == solana.AssociatedAddress(owner, mint, solana.TokenProgram) {
			continue
		}
		if slices.ContainsFunc(w.people, func(p solana.Address) bool {
			return k == solana.AssociatedAddress(p, mint, solana.TokenProgram)
		}) {
			return true
		}
	}
	return false
}

// What the effects of a message add up to is what its execution changes, for every owner and asset; where the bytes do
// not tell, there is an unknown effect. Rent is the most that is paid: what is there already costs nothing.
func TestEffectsAreWhatHappens(t *testing.T) {
	t.Parallel()
	w := newWorld(testenv.Seed(t), ledger.New(5_080))
	r := newReplay()
	if err := r.step(w.begin(5_080)); err != nil {
		t.Fatal(err)
	}
	w.ledger = r.ledger
	compared, unknown, rents, rounds := 0, 0, 0, 1_500
	if testenv.Nightly() {
		rounds = 100_000
	}
	for n := range rounds {
		var hash [32]byte
		binary.LittleEndian.PutUint64(hash[:], uint64(n)+1)
		m := w.plain(hash)
		if w.IntN(2) == 0 {
			m = w.message(hash)
		}
		before := w.ledger.Clone()
		given := w.gaveAway(m)
		out := w.ledger.Execute(solana.Unsigned(m), ledger.Chain{
			Blockhash: hash, Recent: func(h [32]byte) bool { return h == hash }, Unsigned: true,
		})
		if out.Err != nil || given {
			continue
		}
		q := solana.Reader{
			Network: chain.Network{Native: chain.Token{Symbol: "SOL", Decimals: 9}, Tokens: w.listed()},
			Signer:  m.Keys[0], Payees: w.people, Rent: w.ledger.MinimumBalance(165),
		}
		effects := q.Effects(m)
		if slices.ContainsFunc(effects, func(e chain.Effect) bool { return e.Kind == chain.UnknownCall }) {
			unknown++
			continue
		}
		compared++
		if slices.ContainsFunc(effects, func(e chain.Effect) bool { return e.ByCall }) {
			rents++
		}
		if err := compareEffects(m, effects, before, w.ledger, out.Fee); err != nil {
			t.Fatalf("transaction %d: %v\n%s%v", n, err, describe(step{Message: encoded(m)}), effects)
		}
	}
	if compared < rounds/12 || unknown < rounds/40 || rents < rounds/60 {
		t.Errorf("%d compared, %d unknown, %d with rent", compared, unknown, rents)
	}
}

func encoded(m solana.Message) []byte {
	raw, err := m.Encode()
	if err != nil {
		panic(err)
	}
	return raw
}

func compareEffects(m solana.Message, effects []chain.Effect, before, after *ledger.Ledger, fee uint64) error {
	of, got, want := seededBy(m), books{}, books{}
	for _, k := range m.Keys { // SOL that is sent to a token account is its owner's
		if b, _ := after.Account(k); b.Owner == solana.TokenProgram && len(b.Data) == 165 && b.Data[108] != 0 {
			of[k] = solana.Address(b.Data[32:64])
		}
	}
	for _, k := range m.Keys {
		a, _ := before.Account(k)
		b, _ := after.Account(k)
		got.count(-1, k, a, of)
		got.count(1, k, b, of)
	}
	want.add(m.Keys[0].String(), "native", -1, fee)
	rents, wrapped := made(m, before)
	for k, n := range wrapped {
		if owner, is := of[k]; is {
			got.add(of.of(owner).String(), solana.NativeMint.String(), -1, n)
			got.add(of.of(owner).String(), "native", 1, n)
		}
	}
	for _, e := range effects {
		paid := uint64(0)
		if e.ByCall {
			most, err := strconv.ParseUint(e.Amount, 10, 64)
			if err != nil {
				return err
			}
			if paid, rents = rents[0], rents[1:]; paid > most {
				return fmt.Errorf("rent of %d, and %d were said", paid, most)
			}
		}
		if err := want.effect(e, of, paid); err != nil {
			return err
		}
	}
	if got.String() != want.String() {
		return fmt.Errorf("it changes\n%sand its effects say\n%s", got, want)
	}
	return nil
}

// made is the rent that each creation of an associated account pays: what is missing at its address when its turn
// comes. What lies there beyond the rent becomes wrapped SOL, if that is the account's mint. No bytes say so, and its
// owner has as much as before: 1,488,440 lamports of rent at an address with 31,022,580 leave 29,534,140 to be wrapped.
func made(m solana.Message, before *ledger.Ledger) (rents []uint64, wrapped map[solana.Address]uint64) {
	l, all := before.Clone(), map[solana.Address]bool{}
	wrapped = map[solana.Address]uint64{}
	instructions, _ := m.Resolve()
	for _, i := range instructions {
		if i.Program == solana.SystemProgram && len(i.Data) == 12 && i.Data[0] == solana.SystemTransfer {
			a, _ := l.Account(i.Accounts[1].Address)
			a.Lamports += binary.LittleEndian.Uint64(i.Data[4:])
			l.Put(i.Accounts[1].Address, a)
		}
		if i.Program != solana.AssociatedProgram {
			continue
		}
		k := i.Accounts[1].Address
		a, _ := l.Account(k)
		need := l.MinimumBalance(165)
		switch {
		case a.Owner == solana.TokenProgram || all[k]:
			rents = append(rents, 0)
		default:
			rents = append(rents, need-min(need, a.Lamports))
			if i.Accounts[3].Address == solana.NativeMint {
				wrapped[k] = a.Lamports - min(need, a.Lamports)
			}
		}
		all[k] = true
	}
	return rents, wrapped
}
