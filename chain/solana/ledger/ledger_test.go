package ledger_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math/big"
	"testing"

	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/ledger"
)

// bank is a ledger with two people, and a hash that is the newest.
type bank struct {
	*testing.T
	*ledger.Ledger
	hash       [32]byte
	alice, bob solana.Address
}

func newBank(t *testing.T) *bank {
	t.Helper()
	b := &bank{t, ledger.New(5_080), [32]byte{1}, addressOf(keyOf(0)), addressOf(keyOf(1))}
	b.Put(b.alice, ledger.Account{Lamports: 1e9})
	return b
}

func (b *bank) chain() ledger.Chain {
	return ledger.Chain{Blockhash: b.hash, Recent: func(h [32]byte) bool { return h == b.hash }}
}

// send has all signers sign a message of alice's.
func (b *bank) send(hash [32]byte, all ...solana.Instruction) ledger.Outcome {
	b.Helper()
	m, err := solana.Compile(solana.Legacy, b.alice, hash, solana.Config{}, all)
	if err != nil {
		b.Fatal(err)
	}
	return b.Execute(b.sign(m), b.chain())
}

func (b *bank) sign(m solana.Message) solana.Transaction {
	b.Helper()
	raw, err := m.Encode()
	if err != nil {
		b.Fatal(err)
	}
	tx, err := signed(step{Message: raw})
	if err != nil {
		b.Fatal(err)
	}
	return tx
}

func (b *bank) lamports(k solana.Address) uint64 {
	a, _ := b.Account(k)
	return a.Lamports
}

// What is not played is refused before anything is paid, and says so.
func TestExecute_Unmodelled(t *testing.T) {
	t.Parallel()
	b := newBank(t)
	lookup, err := solana.Compile(solana.V0, b.alice, b.hash, solana.Config{},
		[]solana.Instruction{solana.TransferCoin(b.alice, b.bob, 1e8)})
	if err != nil {
		t.Fatal(err)
	}
	lookup.Lookups = []solana.Lookup{{Table: b.bob, Read: []uint8{0}}}
	for name, got := range map[string]ledger.Outcome{
		"another program": b.send(b.hash, do(b.bob, nil, pays(b.alice))),
		"excess lamports": b.send(b.hash, do(solana.TokenProgram, []byte{38}, pays(b.alice))),
		"unwrap":          b.send(b.hash, do(solana.TokenProgram, []byte{45}, pays(b.alice))),
		"batch":           b.send(b.hash, do(solana.TokenProgram, []byte{255}, pays(b.alice))),
		"lookup table":    b.Execute(b.sign(lookup), b.chain()),
	} {
		if got != (ledger.Outcome{Err: ledger.Unmodelled}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if b.lamports(b.alice) != 1e9 {
		t.Errorf("%d lamports are left", b.lamports(b.alice))
	}
}

// A transaction whose form is wrong, or that is not signed, is refused.
func TestExecute_Refused(t *testing.T) {
	t.Parallel()
	b := newBank(t)
	m, err := solana.Compile(solana.V1, b.alice, b.hash, solana.Config{},
		[]solana.Instruction{solana.TransferCoin(b.alice, b.bob, 1e8)})
	if err != nil {
		t.Fatal(err)
	}
	slots := b.sign(m)
	slots.Signatures = nil
	for want, got := range map[ledger.TransactionError]ledger.Outcome{
		ledger.SignatureFailure:                  b.Execute(solana.Unsigned(m), b.chain()),
		ledger.SanitizeFailure:                   b.Execute(slots, b.chain()),
		ledger.MaxLoadedAccountsDataSizeExceeded: b.Execute(b.sign(m), b.chain()),
		ledger.BlockhashNotFound:                 b.send([32]byte{9}, solana.TransferCoin(b.alice, b.bob, 1e8)),
	} {
		if got != (ledger.Outcome{Err: want}) {
			t.Errorf("%+v, want %s", got, want)
		}
	}
}

// A durable nonce outlives its blockhash, is used once, and advances and pays even if the rest fails.
func TestExecute_DurableNonce(t *testing.T) {
	t.Parallel()
	b := newBank(t)
	k, rent := addressOf(keyOf(7)), b.MinimumBalance(80)
	made := b.send(b.hash,
		do(solana.SystemProgram, data(uint32(solana.SystemCreateAccount), rent, uint64(80), solana.SystemProgram),
			pays(b.alice), pays(k)),
		do(solana.SystemProgram, data(uint32(solana.SystemInitializeNonce), b.alice),
			writes(k), reads(hashSysvar), reads(rentSysvar)))
	if made.Err != nil || made.Fee != 10_000 || rent != 1_056_640 {
		t.Fatalf("%+v for %d", made, rent)
	}
	old := b.hash
	value := sha256.Sum256(append([]byte("DURABLE_NONCE"), old[:]...))
	advance := do(solana.SystemProgram, data(uint32(solana.SystemAdvanceNonce)), writes(k), reads(hashSysvar),
		signs(b.alice))
	if got := b.send(value, advance); got != (ledger.Outcome{Err: ledger.BlockhashNotFound}) {
		t.Errorf("within its own block: %+v", got)
	}
	b.hash = [32]byte{2}
	before := b.lamports(b.alice)
	got := b.send(value, advance, solana.TransferCoin(b.alice, b.bob, 1e12))
	var failed ledger.FailedInstruction
	if !got.Landed || !errors.As(got.Err, &failed) || failed != (ledger.FailedInstruction{Index: 1,
		Reason: ledger.Custom(1)}) ||
		b.lamports(b.alice) != before-5_000 {
		t.Errorf("with too little: %+v, %d of %d are left", got, b.lamports(b.alice), before)
	}
	b.hash = [32]byte{3}
	if got := b.send(value, advance); got != (ledger.Outcome{Err: ledger.BlockhashNotFound}) {
		t.Errorf("a second time: %+v", got)
	}
	a, _ := b.Account(k)
	if next := ledger.Durable([32]byte{2}); [32]byte(a.Data[40:72]) != next {
		t.Errorf("the nonce is %x, want %x", a.Data[40:72], next)
	}
}

// A copy is a ledger of its own, and what a ledger gives away is nobody's to change.
func TestClone(t *testing.T) {
	t.Parallel()
	b := newBank(t)
	k := addressOf(keyOf(7))
	b.Put(k, ledger.Account{Lamports: 1e7, Data: []byte{1, 2, 3}})
	copied := *b
	copied.Ledger = b.Clone()
	if got := copied.send(b.hash, solana.TransferCoin(b.alice, b.bob, 1e8)); got.Err != nil {
		t.Fatal(got.Err)
	}
	a, _ := b.Account(k)
	a.Data[0] = 9
	again, _ := b.Account(k)
	if b.lamports(b.bob) != 0 || copied.lamports(b.bob) != 1e8 || again.Data[0] != 1 {
		t.Errorf("%d and %d lamports; data %v", b.lamports(b.bob), copied.lamports(b.bob), again.Data)
	}
	b.Put(k, ledger.Account{})
	if _, found := b.Account(k); found {
		t.Error("an account without lamports is there")
	}
}

func sum(l *ledger.Ledger) *big.Int {
	all := new(big.Int)
	for _, a := range l.All() {
		all.Add(all, new(big.Int).SetUint64(a.Lamports))
	}
	return all
}

// Whatever a transaction does, lamports are neither made nor lost but for the fee, and what is refused changes nothing.
func TestExecute_Conserves(t *testing.T) {
	t.Parallel()
	r := newReplay()
	w := newWorld(11, ledger.New(6_960))
	if err := r.step(w.begin(6_960)); err != nil {
		t.Fatal(err)
	}
	w.ledger = r.ledger
	var hash [32]byte
	landed := 0
	for n := range 1_500 {
		if w.IntN(3) == 0 {
			w.before = hash
			binary.LittleEndian.PutUint64(hash[:], uint64(n))
		}
		m := w.message(hash)
		raw, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		tx := solana.Unsigned(m)
		for i, k := range m.Signers() {
			tx.Signatures[i] = solana.Signature(ed25519.Sign(keys[k], raw))
		}
		before := sum(w.ledger)
		got := w.ledger.Execute(tx, ledger.Chain{Blockhash: hash, Recent: func(h [32]byte) bool { return h == hash }})
		after := sum(w.ledger)
		if after.Add(after, new(big.Int).SetUint64(got.Fee)); after.Cmp(before) != 0 || !got.Landed && got.Fee != 0 {
			t.Fatalf("transaction %d: %s lamports were %s: %+v", n, before, after, got)
		}
		if got.Landed {
			landed++
		}
	}
	if landed < 500 {
		t.Errorf("only %d transactions landed", landed)
	}
}

// Who may withdraw all of a nonce is asked before whose account it is: one that was given to another program says that
// the signature is missing, and not that its data may not be changed.
func TestExecute_ForeignNonce(t *testing.T) {
	t.Parallel()
	b := newBank(t)
	k := addressOf(keyOf(7))
	nonce := make([]byte, 80)
	nonce[0], nonce[4] = 1, 1
	copy(nonce[8:], b.bob[:])
	b.Put(k, ledger.Account{Lamports: 1e8, Owner: solana.MemoProgram, Data: nonce})
	for signer, want := range map[solana.Address]ledger.InstructionError{
		b.alice: "MissingRequiredSignature", b.bob: "ExternalAccountDataModified",
	} {
		got := b.send(b.hash, do(solana.SystemProgram, data(uint32(solana.SystemWithdrawNonce), uint64(1e8)),
			writes(k), writes(b.alice), reads(hashSysvar), reads(rentSysvar), signs(signer)))
		if got.Err != (ledger.FailedInstruction{Index: 0, Reason: want}) {
			t.Errorf("%s signs: %v, want %s", signer, got.Err, want)
		}
	}
}
