package solana_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
)

func parse(text string) solana.Address {
	a, err := solana.ParseAddress(text)
	if err != nil {
		panic(err)
	}
	return a
}

var usdc = parse("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v")

func network() chain.Network {
	return chain.Network{
		Slug: "solana", Kind: chain.Solana, Cluster: "mainnet",
		Native: chain.Token{Symbol: "SOL", Decimals: 9},
		Tokens: []chain.Token{{Symbol: "USDC", Address: usdc.String(), Decimals: 6}},
	}
}

func named(n byte) solana.Address { return solana.Address(bytes.Repeat([]byte{n}, 32)) }

var (
	alice, bob, carol, stranger = named(1), named(2), named(3), named(4)
	aliceUSDC, bobUSDC          = tokens(alice), tokens(bob)
)

func tokens(owner solana.Address) solana.Address {
	return solana.AssociatedAddress(owner, usdc, solana.TokenProgram)
}

// accounts writes a list as "name:role", with the roles of effects.go.
type account struct {
	solana.Address
	role string
}

func instruction(program solana.Address, data []byte, accounts ...account) solana.Instruction {
	i := solana.Instruction{Program: program, Data: data}
	for _, a := range accounts {
		i.Accounts = append(i.Accounts, solana.Account{
			Address: a.Address, Signs: strings.ContainsAny(a.role, "sb"), Written: strings.ContainsAny(a.role, "wb"),
		})
	}
	return i
}

func u64(n uint64) []byte {
	b := make([]byte, 8)
	for i := range b {
		b[i] = byte(n >> (8 * i))
	}
	return b
}

func join(parts ...[]byte) []byte { return slices.Concat(parts...) }

func system(number byte, rest ...[]byte) []byte {
	return join([]byte{number, 0, 0, 0}, join(rest...))
}

// said is an effect in one line.
func said(e chain.Effect) string {
	name := func(text string) string {
		for who, a := range map[string]solana.Address{
			"alice": alice, "bob": bob, "carol": carol, "stranger": stranger, "usdc": usdc, "seeded": seeded(),
			"token": solana.TokenProgram, "system": solana.SystemProgram, "associated": solana.AssociatedProgram,
			"budget": solana.BudgetProgram, "memo": solana.MemoProgram,
		} {
			if a.String() == text {
				return who
			}
		}
		return text
	}
	switch e.Kind {
	case chain.UnknownCall:
		return "unknown " + name(e.Contract)
	case chain.Approve:
		return strings.TrimSpace("approve " + e.Display + " of " + name(e.From) + " to " + name(e.Spender))
	}
	if e.Symbol == "" {
		e.Display = e.Amount + " " + name(e.Asset)
	}
	return string(e.Kind) + " " + e.Display + " of " + name(e.From) + " to " + name(e.To)
}

func seeded() solana.Address {
	a, err := solana.CreateWithSeed(alice, "seed", stranger)
	if err != nil {
		panic(err)
	}
	return a
}

var seedBytes = join(u64(4), []byte("seed"))

// cases are each instruction of the programs that are read, by what it does when alice signs.
var cases = map[string]struct {
	want string
	of   []solana.Instruction
}{
	"coin":            {"transfer 1 SOL of alice to bob", one(solana.TransferCoin(alice, bob, 1e9))},
	"coin of another": {"transfer 1 SOL of bob to alice", one(solana.TransferCoin(bob, alice, 1e9))},
	"coin with a reference": {"transfer 1 SOL of alice to bob",
		one(instruction(solana.SystemProgram, system(2, u64(1e9)), account{alice, "b"}, account{bob, "w"},
			account{carol, "r"}))},
	"coin with a further signer": {"unknown system",
		one(instruction(solana.SystemProgram, system(2, u64(1e9)), account{alice, "b"}, account{bob, "w"},
			account{carol, "s"}))},
	"coin to what is not written": {"unknown system",
		one(instruction(solana.SystemProgram, system(2, u64(1e9)), account{alice, "b"}, account{bob, "r"}))},
	"coin, longer": {"unknown system",
		one(instruction(solana.SystemProgram, system(2, u64(1e9), []byte{0}), account{alice, "b"}, account{bob, "w"}))},
	"coin, shorter": {"unknown system",
		one(instruction(solana.SystemProgram, system(2, u64(1e9)[:7]), account{alice, "b"}, account{bob, "w"}))},
	"no number": {"unknown system", one(instruction(solana.SystemProgram, []byte{2, 0, 0}, account{alice, "b"},
		account{bob, "w"}))},
	"account": {"transfer 1 SOL of alice to bob",
		one(instruction(solana.SystemProgram, system(0, u64(1e9), u64(165), stranger[:]), account{alice, "b"},
			account{bob, "b"}))},
	"own key as account": {"unknown system",
		one(instruction(solana.SystemProgram, system(0, u64(1e9), u64(165), stranger[:]), account{bob, "b"},
			account{alice, "b"}))},
	"assign": {"unknown system", one(instruction(solana.SystemProgram, system(1, stranger[:]), account{alice, "b"}))},
	"seeded account": {"transfer 1 SOL of alice to seeded",
		one(instruction(solana.SystemProgram, system(3, alice[:], seedBytes, u64(1e9), u64(0), stranger[:]),
			account{alice, "b"}, account{seeded(), "w"}))},
	"seeded account of another": {"transfer 1 SOL of bob to seeded",
		one(instruction(solana.SystemProgram, system(3, alice[:], seedBytes, u64(1e9), u64(0), stranger[:]),
			account{bob, "b"}, account{seeded(), "w"}, account{alice, "s"}))},
	"seeded account, unsigned": {"unknown system",
		one(instruction(solana.SystemProgram, system(3, alice[:], seedBytes, u64(1e9), u64(0), stranger[:]),
			account{bob, "b"}, account{seeded(), "w"}))},
	"seeded account, another": {"unknown system",
		one(instruction(solana.SystemProgram, system(3, alice[:], seedBytes, u64(1e9), u64(0), stranger[:]),
			account{alice, "b"}, account{carol, "w"}))},
	"seed too long": {"unknown system",
		one(instruction(solana.SystemProgram, system(3, alice[:], u64(1<<60), []byte("seed"), u64(1e9), u64(0),
			stranger[:]),
			account{alice, "b"}, account{seeded(), "w"}))},
	"later advance": {"transfer 1 SOL of alice to bob, unknown system", append(one(solana.TransferCoin(alice, bob,
		1e9)), advance())},
	"first advance": {"unknown system", []solana.Instruction{advance(), solana.TransferCoin(alice, bob, 1e9)}},
	"withdraw nonce": {"unknown system", one(instruction(solana.SystemProgram, system(5, u64(1)), account{carol, "w"},
		account{bob, "w"},
		account{stranger, "r"}, account{stranger, "r"}, account{alice, "s"}))},
	"initialize nonce": {"unknown system", one(instruction(solana.SystemProgram, system(6, alice[:]), account{carol,
		"w"}))},
	"authorize nonce": {"unknown system", one(instruction(solana.SystemProgram, system(7, bob[:]), account{carol,
		"w"}, account{alice, "s"}))},
	"allocate": {"unknown system", one(instruction(solana.SystemProgram, system(8, u64(9)), account{alice,
		"b"}))},
	"seeded allocate": {"unknown system", one(instruction(solana.SystemProgram, system(9, alice[:], seedBytes, u64(9),
		stranger[:]),
		account{seeded(), "w"}, account{alice, "s"}))},
	"seeded assign": {"unknown system", one(instruction(solana.SystemProgram, system(10, alice[:], seedBytes,
		stranger[:]),
		account{seeded(), "w"}, account{alice, "s"}))},
	"seeded coin": {"transfer 1 SOL of alice to bob", one(instruction(solana.SystemProgram, system(11, u64(1e9),
		seedBytes, stranger[:]),
		account{seeded(), "w"}, account{alice, "s"}, account{bob, "w"}))},
	"seeded coin of another": {"unknown system", one(instruction(solana.SystemProgram, system(11, u64(1e9), seedBytes,
		stranger[:]),
		account{carol, "w"}, account{alice, "s"}, account{bob, "w"}))},
	"upgrade nonce":   {"unknown system", one(instruction(solana.SystemProgram, system(12), account{carol, "w"}))},
	"system, unknown": {"unknown system", one(instruction(solana.SystemProgram, system(13), account{alice, "b"}))},
	"system, high bytes": {"unknown system", one(instruction(solana.SystemProgram, join([]byte{2, 0, 0, 1}, u64(1)),
		account{alice, "b"}, account{bob, "w"}))},

	"token": {"transfer 2 USDC of alice to bob", one(solana.TransferToken(alice, bob, usdc, 2e6, 6))},
	"token, unlisted": {"transfer 5 stranger of alice to bob",
		one(solana.TransferToken(alice, bob, stranger, 5, 6))},
	"token, other decimals": {"unknown token", one(solana.TransferToken(alice, bob, usdc, 2e6, 9))},
	"token to an account of nobody knows whom": {"unknown token",
		one(instruction(solana.TokenProgram, join([]byte{12}, u64(2e6), []byte{6}),
			account{aliceUSDC, "w"}, account{usdc, "r"}, account{stranger, "w"}, account{alice, "s"}))},
	"token to one who is named": {"transfer 2 USDC of alice to stranger",
		one(solana.TransferToken(alice, stranger, usdc, 2e6, 6))},
	"token to one who is not known": {"unknown token",
		one(instruction(solana.TokenProgram, join([]byte{12}, u64(2e6), []byte{6}),
			account{aliceUSDC, "w"}, account{usdc, "r"}, account{tokens(stranger), "w"}, account{alice, "s"}))},
	"token to another one than is named": {"unknown token",
		one(instruction(solana.TokenProgram, join([]byte{12}, u64(2e6), []byte{6}), account{aliceUSDC, "w"},
			account{usdc, "r"}, account{tokens(stranger), "w"}, account{alice, "s"}, account{carol, "r"}))},
	"token to one whose account is made": {"transfer 0.0014 SOL of alice to stranger, transfer 2 USDC of alice to stranger",
		[]solana.Instruction{solana.CreateAssociated(alice, stranger, usdc), solana.TransferToken(alice, stranger,
			usdc, 2e6, 6)}},
	"token of a delegate": {"unknown token",
		one(instruction(solana.TokenProgram, join([]byte{12}, u64(2e6), []byte{6}),
			account{tokens(stranger), "w"}, account{usdc, "r"}, account{bobUSDC, "w"}, account{alice, "s"}))},
	"token of several signers": {"unknown token",
		one(instruction(solana.TokenProgram, join([]byte{12}, u64(2e6), []byte{6}),
			account{tokens(carol), "w"}, account{usdc, "r"}, account{bobUSDC, "w"}, account{carol,
				"r"}, account{alice, "s"}))},
	"token, unchecked": {"transfer 2 USDC of alice to bob", one(instruction(solana.TokenProgram, join([]byte{3},
		u64(2e6)),
		account{aliceUSDC, "w"}, account{bobUSDC, "w"}, account{alice, "s"}))},
	"token, unchecked and unlisted": {"unknown token", one(instruction(solana.TokenProgram, join([]byte{3}, u64(2e6)),
		account{solana.AssociatedAddress(alice, stranger, solana.TokenProgram), "w"},
		account{solana.AssociatedAddress(bob, stranger, solana.TokenProgram), "w"}, account{alice, "s"}))},
	"approve": {"approve 2 USDC of alice to carol", one(instruction(solana.TokenProgram, join([]byte{4}, u64(2e6)),
		account{aliceUSDC, "w"}, account{carol, "r"}, account{alice, "s"}))},
	"approve, checked": {"approve 2 USDC of alice to carol", one(instruction(solana.TokenProgram, join([]byte{13},
		u64(2e6), []byte{6}),
		account{aliceUSDC, "w"}, account{usdc, "r"}, account{carol, "r"}, account{alice, "s"}))},
	"approve of another account": {"unknown token", one(instruction(solana.TokenProgram, join([]byte{4}, u64(2e6)),
		account{bobUSDC, "w"}, account{carol, "r"}, account{alice, "s"}))},
	"revoke": {"approve 0 USDC of alice to", one(instruction(solana.TokenProgram, []byte{5},
		account{aliceUSDC, "w"}, account{alice, "s"}))},
	"authority": {"unknown token", one(instruction(solana.TokenProgram, join([]byte{6, 2, 1}, bob[:]),
		account{aliceUSDC, "w"}, account{alice, "s"}))},
	"close": {"unknown token", one(instruction(solana.TokenProgram, []byte{9}, account{aliceUSDC, "w"},
		account{alice, "w"}, account{alice, "s"}))},
	"burn": {"unknown token", one(instruction(solana.TokenProgram, join([]byte{8}, u64(1)),
		account{aliceUSDC, "w"}, account{usdc, "w"}, account{alice, "s"}))},
	"many in one": {"unknown token", one(instruction(solana.TokenProgram, []byte{255, 3, 9, 3}, account{aliceUSDC,
		"w"}, account{bobUSDC, "w"}, account{alice, "s"}))},
	"token, nothing": {"unknown token", one(instruction(solana.TokenProgram, nil, account{aliceUSDC, "w"},
		account{alice, "s"}))},

	"account of its own": {"transfer 0.0014 SOL of alice to alice", one(solana.CreateAssociated(alice, alice, usdc))},
	"account elsewhere": {"unknown associated", one(instruction(solana.AssociatedProgram, []byte{1}, account{alice,
		"b"}, account{carol, "w"},
		account{bob, "r"}, account{usdc, "r"}, account{solana.SystemProgram, "r"}, account{solana.TokenProgram, "r"}))},
	"account of another token program": {"unknown associated", one(instruction(solana.AssociatedProgram, []byte{1},
		account{alice, "b"},
		account{solana.AssociatedAddress(bob, usdc, stranger), "w"},
		account{bob, "r"}, account{usdc, "r"}, account{solana.SystemProgram, "r"}, account{stranger, "r"}))},
	"nested": {"unknown associated", one(instruction(solana.AssociatedProgram, []byte{2}, account{alice, "b"},
		account{bobUSDC, "w"},
		account{bob, "r"}, account{usdc, "r"}, account{solana.SystemProgram, "r"}, account{solana.TokenProgram, "r"}))},

	"memo":          {"transfer 0 SOL of alice to alice", one(solana.Memo("rent for May", alice))},
	"memo, no text": {"unknown memo", one(solana.Memo("\xff", alice))},
	"budget": {"transfer 1 SOL of alice to bob",
		[]solana.Instruction{solana.SetUnits(9), solana.SetPrice(9), solana.SetLoadedBytes(9),
			solana.SetHeapBytes(32 << 10), solana.TransferCoin(alice, bob, 1e9)}},
	"budget twice":   {"unknown budget", []solana.Instruction{solana.SetUnits(9), solana.SetUnits(9)}},
	"budget, longer": {"unknown budget", one(instruction(solana.BudgetProgram, join([]byte{3}, u64(1), []byte{0})))},
	"budget, old":    {"unknown budget", one(instruction(solana.BudgetProgram, join([]byte{0}, u64(1))))},
	"heap":           {"unknown budget", one(solana.SetHeapBytes(32<<10 + 1))},
	"another program": {"transfer 1 SOL of alice to bob, unknown stranger",
		append(one(solana.TransferCoin(alice, bob, 1e9)), instruction(stranger, []byte{1}, account{alice, "b"}))},
}

func one(i solana.Instruction) []solana.Instruction { return []solana.Instruction{i} }

func advance() solana.Instruction {
	return instruction(solana.SystemProgram, system(4), account{carol, "w"}, account{stranger, "r"}, account{alice,
		"s"})
}

func message(t testing.TB, v solana.Version, payer solana.Address, all ...solana.Instruction) solana.Message {
	t.Helper()
	m, err := solana.Compile(v, payer, named(7), solana.Config{}, all)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var asked = solana.Reader{Network: network(), Signer: alice, Payees: []solana.Address{bob}, Rent: 1_400_000}

// Each instruction is what it is in the table, in each version. A budget that is wrong in v0 means nothing in v1.
func TestEffects(t *testing.T) {
	t.Parallel()
	for name, c := range cases {
		for _, v := range []solana.Version{solana.Legacy, solana.V0, solana.V1} {
			if v == solana.V1 && strings.Contains(c.want, "budget") {
				continue
			}
			var got []string
			for _, e := range asked.Effects(message(t, v, alice, c.of...)) {
				got = append(got, said(e))
				if e.Kind == chain.UnknownCall && (e.Selector != "" || e.Amount != "" || e.From != alice.String()) {
					t.Errorf("%s, %s: %+v could be allowed", name, v.Name(), e)
				}
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("%s, %s: %q, want %q", name, v.Name(), got, c.want)
			}
		}
	}
}

// What hides something is one unknown call as a whole.
func TestEffects_Whole(t *testing.T) {
	t.Parallel()
	pay := solana.TransferCoin(alice, bob, 1)
	hidden := message(t, solana.V0, alice, pay)
	hidden.Lookups = []solana.Lookup{{Table: carol, Read: []uint8{0}}}
	ours := asked
	ours.Others = []solana.Address{alice, carol}
	unpriced := asked
	unpriced.Rent = 0
	many := make([]solana.Instruction, 0, 64)
	for range 60 {
		many = append(many, pay)
	}
	for name, c := range map[string]struct {
		by   solana.Reader
		m    solana.Message
		want string
	}{
		"a lookup table":          {asked, hidden, "unknown system"},
		"a second signer of ours": {ours, message(t, solana.V0, carol, pay), "unknown system"},
		"not signed by us": {asked, message(t, solana.V0, carol, solana.TransferCoin(carol, alice, 1)),
			"unknown system"},
		"nothing that is sound": {asked, solana.Message{}, "unknown "},
		"rent that nobody knows": {unpriced, message(t, solana.V0, alice, solana.CreateAssociated(alice, bob,
			usdc)), "unknown associated"},
		"another signer who pays": {asked, message(t, solana.V0, carol, pay),
			"transfer 0.000000001 SOL of alice to bob"},
		"as many as anybody reads": {asked, message(t, solana.V0, alice, many...),
			strings.Repeat("transfer 0.000000001 SOL of alice to bob, ", 60)},
	} {
		var got []string
		for _, e := range c.by.Effects(c.m) {
			got = append(got, said(e))
		}
		if strings.Join(got, ", ") != strings.TrimSuffix(c.want, ", ") {
			t.Errorf("%s: %q", name, got)
		}
	}
}
