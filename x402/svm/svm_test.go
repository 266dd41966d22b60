package svm_test

import (
	"bytes"
	"crypto/ed25519"
	"testing"

	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/svm"
)

func keyOf(b byte) (ed25519.PrivateKey, solana.Address) {
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{b}, ed25519.SeedSize))
	return key, solana.Address(key.Public().(ed25519.PublicKey))
}

var (
	buyerKey, buyer = keyOf(1)
	_, feePayer     = keyOf(2)
	_, seller       = keyOf(3)
	mint            = solana.Address{9, 9}
	terms           = svm.Terms{FeePayer: feePayer, Mint: mint, PayTo: seller, Amount: 10_000, Memo: "order-1"}
)

// scheme are the instructions of a payment.
func scheme(t testing.TB) []solana.Instruction {
	t.Helper()
	m, err := solana.Sponsored{
		Sponsor: feePayer, Source: buyer, Destination: seller, Mint: mint, Decimals: 6, Amount: 10_000, Memo: "order-1",
		Blockhash: [32]byte{1},
	}.Message()
	if err != nil {
		t.Fatal(err)
	}
	all, err := m.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// signed is the transaction of instructions, with the buyer's signature.
func signed(t testing.TB, all ...solana.Instruction) solana.Transaction {
	t.Helper()
	m, err := solana.Compile(solana.V0, feePayer, [32]byte{1}, solana.Config{}, all)
	if err != nil {
		t.Fatal(err)
	}
	return sign(t, m)
}

func sign(t testing.TB, m solana.Message) solana.Transaction {
	t.Helper()
	raw, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	tx, err := solana.Unsigned(m).Attach(buyer, solana.Signature(ed25519.Sign(buyerKey, raw)))
	if err != nil {
		t.Fatal(err)
	}
	return tx
}

// Each way in which a transaction of the known layout does not pay, by its word.
func TestCheck(t *testing.T) {
	t.Parallel()
	lighthouse := solana.Instruction{Program: solana.LighthouseProgram, Data: []byte{1}}
	edit := func(change func(all []solana.Instruction) []solana.Instruction) solana.Transaction {
		return signed(t, change(scheme(t))...)
	}
	transfer := func(change func(i *solana.Instruction)) solana.Transaction {
		return edit(func(all []solana.Instruction) []solana.Instruction {
			change(&all[2])
			return all
		})
	}
	lookup := signed(t, scheme(t)...)
	lookup.Message.Lookups = []solana.Lookup{{Table: solana.Address{5}, Read: []uint8{0}}}
	unsigned := signed(t, scheme(t)...)
	unsigned = solana.Unsigned(unsigned.Message)
	for name, c := range map[string]struct {
		tx   solana.Transaction
		want string
	}{
		"the scheme's own": {signed(t, scheme(t)...), ""},
		"with assertions": {edit(func(all []solana.Instruction) []solana.Instruction {
			return append(all, lighthouse, lighthouse, lighthouse)
		}), ""},
		"four assertions": {edit(func(all []solana.Instruction) []solana.Instruction {
			return append(all[:3], lighthouse, lighthouse, lighthouse, lighthouse)
		}), x402.ReasonSVMSeventh},
		"too long": {edit(func(all []solana.Instruction) []solana.Instruction {
			return append(all, lighthouse, lighthouse, lighthouse, lighthouse)
		}), x402.ReasonSVMLength},
		"too short": {edit(func(all []solana.Instruction) []solana.Instruction { return append(all[:1], all[2]) }),
			x402.ReasonSVMLength},
		"a foreign program": {edit(func(all []solana.Instruction) []solana.Instruction {
			return append(all, solana.Instruction{Program: solana.Address{7}})
		}), x402.ReasonSVMFifth},
		"no memo": {edit(func(all []solana.Instruction) []solana.Instruction { return all[:3] }),
			x402.ReasonSVMMemoCount},
		"another memo": {edit(func(all []solana.Instruction) []solana.Instruction {
			return append(all[:3], solana.Memo("order-2"))
		}), x402.ReasonSVMMemo},
		"no limit": {edit(func(all []solana.Instruction) []solana.Instruction {
			all[0], all[1] = all[1], all[0]
			return all
		}), x402.ReasonSVMLimit},
		"a high limit": {edit(func(all []solana.Instruction) []solana.Instruction {
			all[0] = solana.SetUnits(1_400_000)
			return all
		}), x402.ReasonSVMLimitHigh},
		"a high price": {edit(func(all []solana.Instruction) []solana.Instruction {
			all[1] = solana.SetPrice(5_000_001)
			return all
		}), x402.ReasonSVMPriceHigh},
		"less":         {transfer(func(i *solana.Instruction) { i.Data[1]-- }), x402.ReasonSVMAmount},
		"more":         {transfer(func(i *solana.Instruction) { i.Data[1]++ }), x402.ReasonSVMAmount},
		"another mint": {transfer(func(i *solana.Instruction) { i.Accounts[1].Address[0]++ }), x402.ReasonSVMMint},
		"another payee": {transfer(func(i *solana.Instruction) { i.Accounts[2].Address[0]++ }),
			x402.ReasonSVMRecipient},
		"our key is named": {transfer(func(i *solana.Instruction) {
			i.Accounts = append(i.Accounts, solana.Account{Address: feePayer})
		}), x402.ReasonSVMIsolated},
		"no transfer":   {transfer(func(i *solana.Instruction) { i.Data[0] = 3 }), x402.ReasonSVMNoTransfer},
		"lookup tables": {sign(t, lookup.Message), x402.ReasonSVMTables},
		"nobody signed": {unsigned, x402.ReasonSVMSignature},
		"three signers": {transferSigned(t), x402.ReasonSVMSigners},
	} {
		if _, _, err := svm.Check(c.tx, terms); (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// transferSigned is a payment that a third key has to sign.
func transferSigned(t testing.TB) solana.Transaction {
	all := scheme(t)
	return signed(t, append(all[:3], solana.Memo("order-1", solana.Address{3, 3}))...)
}

// The tokens of who pays the fee are not what is paid with.
func TestCheck_OwnFunds(t *testing.T) {
	t.Parallel()
	all := scheme(t)
	all[2].Accounts[3] = solana.Account{Address: feePayer, Signs: true}
	tx := signed(t, append(all[:3], solana.Memo("order-1", buyer))...)
	if _, _, err := svm.Check(tx, terms); err != svm.Refusal(x402.ReasonSVMOwnFunds) {
		t.Errorf("%v", err)
	}
}

// A wallet that is a program pays by what its run calls: one transfer of at least the amount.
func TestWrapped(t *testing.T) {
	t.Parallel()
	program, err := solana.ParseAddress("SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf")
	if err != nil {
		t.Fatal(err)
	}
	wrapped := func(accounts ...solana.Account) []solana.Instruction {
		accounts = append(accounts, solana.Account{Address: buyer, Signs: true})
		return []solana.Instruction{
			solana.SetUnits(300_000), solana.SetPrice(50_000),
			{Program: program, Accounts: accounts, Data: []byte{1}}, solana.Memo("order-1"),
		}
	}
	with := func(i int, other solana.Instruction) []solana.Instruction {
		all := wrapped()
		all[i] = other
		return all
	}
	for name, c := range map[string]struct {
		all  []solana.Instruction
		want string
	}{
		"a wallet":         {wrapped(), ""},
		"our key is named": {wrapped(solana.Account{Address: feePayer}), x402.ReasonSVMIsolated},
		"a high limit":     {with(0, solana.SetUnits(400_001)), x402.ReasonSVMWrappedUnits},
		"a high price":     {with(1, solana.SetPrice(50_001)), x402.ReasonSVMWrappedPrice},
		"another budget":   {with(0, solana.SetHeapBytes(65536)), x402.ReasonSVMWrappedBudget},
		"a stranger's":     {with(0, solana.Instruction{Program: solana.Address{7}}), x402.ReasonSVMProgram},
		"another memo":     {with(3, solana.Memo("order-2")), x402.ReasonSVMMemo},
	} {
		err := svm.CheckWrapped(signed(t, c.all...), terms)
		if (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	pays := scheme(t)[2]
	more, less := pays, pays
	more.Data, less.Data = bytes.Clone(pays.Data), bytes.Clone(pays.Data)
	more.Data[1]++
	less.Data[1]--
	for name, c := range map[string]struct {
		calls svm.Calls
		want  string
	}{
		"one":     {svm.Calls{less, pays}, ""},
		"more":    {svm.Calls{more}, ""},
		"two":     {svm.Calls{pays, more}, x402.ReasonSVMSeveral},
		"less":    {svm.Calls{less}, x402.ReasonSVMOther},
		"nothing": {wrapped(), x402.ReasonSVMNone},
	} {
		if _, err := c.calls.Match(terms); (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
