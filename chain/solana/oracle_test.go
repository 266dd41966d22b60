package solana_test

import (
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"testing"

	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/internal/test/npmtest"
	"github.com/railkit/railkit/internal/test/testenv"
)

// form is what a transaction says, in words that each reader can write.
type form struct {
	Version      int
	Header       [3]uint8
	Keys         []string
	Blockhash    string
	Instructions []formInstruction
	Lookups      []formLookup
	Config       *formConfig
	Signatures   []string

	Message, Transaction string // as the reader writes it again
	Error                string
}

type formInstruction struct {
	Program  int
	Accounts []int
	Data     string
}

type formLookup struct {
	Table         string
	Written, Read []int
}

type formConfig struct {
	Mask   uint32
	Values []string
}

func numbers(list []uint8) []int {
	all := []int{}
	for _, n := range list {
		all = append(all, int(n))
	}
	return all
}

// formOf is what this package says of a transaction.
func formOf(t testing.TB, tx solana.Transaction) form {
	t.Helper()
	message, err := tx.Message.Encode()
	if err != nil {
		t.Fatal(err)
	}
	h := tx.Header
	f := form{
		Version: int(tx.Version), Header: [3]uint8{h.Signers, h.ReadOnlySigners, h.ReadOnly},
		Blockhash: solana.Address(tx.Blockhash).String(), Config: configOf(tx.Message),
		Instructions: []formInstruction{}, Lookups: []formLookup{}, Signatures: []string{},
		Message: hex.EncodeToString(message), Transaction: hex.EncodeToString(mustEncode(t, tx)),
	}
	for _, k := range tx.Keys {
		f.Keys = append(f.Keys, k.String())
	}
	for _, c := range tx.Instructions {
		f.Instructions = append(f.Instructions,
			formInstruction{int(c.Program), numbers(c.Accounts), hex.EncodeToString(c.Data)})
	}
	for _, l := range tx.Lookups {
		f.Lookups = append(f.Lookups, formLookup{l.Table.String(), numbers(l.Written), numbers(l.Read)})
	}
	for _, s := range tx.Signatures {
		f.Signatures = append(f.Signatures, hex.EncodeToString(s[:]))
	}
	return f
}

func configOf(m solana.Message) *formConfig {
	if m.Version != solana.V1 {
		return nil
	}
	c := formConfig{Values: []string{}}
	if m.Config.PriorityFee != nil {
		c.Mask, c.Values = 3, []string{strconv.FormatUint(*m.Config.PriorityFee, 10)}
	}
	for i, v := range []*uint32{m.Config.Units, m.Config.LoadedBytes, m.Config.HeapBytes} {
		if v != nil {
			c.Mask, c.Values = c.Mask|4<<i, append(c.Values, fmt.Sprint(*v))
		}
	}
	return &c
}

type reading struct {
	Ask     string `json:"ask"`
	Raw     string `json:"raw"`
	Version int    `json:"version"`
}

// compare asks all libraries for a transaction that this package reads.
func compare(t *testing.T, ask asking, tx solana.Transaction) error {
	want := formOf(t, tx)
	var got struct{ Kit, Web3, Core *form }
	if err := ask(reading{"read", want.Transaction, want.Version}, &got); err != nil {
		return err
	}
	if got.Core != nil { // it reads, and writes nothing of what others have signed
		got.Core.Message, got.Core.Transaction = want.Message, want.Transaction
	}
	for name, f := range map[string]*form{"kit": got.Kit, "web3.js": got.Web3, "wallet-core": got.Core} {
		if f != nil && !reflect.DeepEqual(*f, want) {
			return fmt.Errorf("%s reads %s as\n%+v, and this package as\n%+v", name, want.Transaction, *f, want)
		}
	}
	return nil
}

// TestOracle has one process answer all questions: to start it takes a second of a processor.
func TestOracle(t *testing.T) {
	t.Parallel()
	d := newDice(testenv.Seed(t))
	err := npmtest.InstallSolana(t).Ask(func(ask func(q, a any) error) error {
		for _, part := range []func(*testing.T, dice, asking) error{reads, makes, signs, derives} {
			if err := part(t, d, ask); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

type asking = func(q, a any) error

// rounds are 1,000 of something, 100,000 at night.
func rounds() int {
	if testenv.Nightly() {
		return 100_000
	}
	return 1_000
}

// reads: three libraries read what this package writes, and write it again, byte by byte. What this package still
// reads after a mistake was put in, they read as the same.
func reads(t *testing.T, d dice, ask asking) error {
	changed := 0
	for range rounds() {
		tx := d.transaction()
		if err := compare(t, ask, tx); err != nil {
			return err
		}
		other, err := solana.DecodeTransaction(d.changed(mustEncode(t, tx)))
		if err != nil {
			continue
		}
		changed++
		if err := compare(t, ask, other); err != nil {
			return err
		}
	}
	if changed < rounds()/10 {
		t.Errorf("only %d changed transactions are read: nothing is compared", changed)
	}
	return nil
}

type making struct {
	Ask          string              `json:"ask"`
	Version      int                 `json:"version"`
	Payer        string              `json:"payer"`
	Blockhash    string              `json:"blockhash"`
	Config       map[string]any      `json:"config"`
	Instructions []makingInstruction `json:"instructions"`
}

type makingInstruction struct {
	Program  string          `json:"program"`
	Accounts []makingAccount `json:"accounts"`
	Data     string          `json:"data"`
}

type makingAccount struct {
	Address string `json:"address"`
	Signs   bool   `json:"signs"`
	Written bool   `json:"written"`
}

// instructions name few accounts, so that some are named by several.
func (d dice) instructions(payer solana.Address) []solana.Instruction {
	some := []solana.Address{payer, d.address(), d.address(), d.address(), d.address()}
	all := make([]solana.Instruction, 1+d.IntN(4))
	for i := range all {
		all[i] = solana.Instruction{Program: d.address(), Data: d.bytes(1 + d.size())}
		for range 1 + d.IntN(4) {
			all[i].Accounts = append(all[i].Accounts, solana.Account{
				Address: some[d.IntN(len(some))], Signs: d.IntN(4) == 0, Written: d.IntN(2) == 0,
			})
		}
	}
	return all
}

func (d dice) making() (making, []solana.Instruction) {
	payer := d.address()
	q := making{
		Ask: "make", Version: d.IntN(3) - 1, Payer: payer.String(), Blockhash: d.address().String(),
		Config: map[string]any{"priority": strconv.FormatUint(d.Uint64(), 10), "units": d.IntN(1_400_000),
			"loaded": d.Uint32()},
	}
	all := d.instructions(payer)
	for _, i := range all {
		m := makingInstruction{i.Program.String(), []makingAccount{}, hex.EncodeToString(i.Data)}
		for _, a := range i.Accounts {
			m.Accounts = append(m.Accounts, makingAccount{a.Address.String(), a.Signs, a.Written})
		}
		q.Instructions = append(q.Instructions, m)
	}
	return q, all
}

// makes: what others write of the same instructions this package reads and writes again, and Compile makes the same of
// them but for the order among equal keys.
func makes(t *testing.T, d dice, ask asking) error {
	for range rounds() / 2 {
		q, instructions := d.making()
		var made struct{ Kit, Web3 string }
		if err := ask(q, &made); err != nil {
			return err
		}
		for name, text := range map[string]string{"kit": made.Kit, "web3.js": made.Web3} {
			if err := remade(text, instructions); err != nil {
				return fmt.Errorf("%s writes %s: %w", name, text, err)
			}
		}
	}
	return nil
}

func remade(text string, instructions []solana.Instruction) error {
	if text == "" { // web3.js has no v1
		return nil
	}
	raw, err := hex.DecodeString(text)
	if err != nil {
		return err
	}
	tx, err := solana.DecodeTransaction(raw)
	if err != nil {
		return err
	}
	again, err := tx.Encode()
	if err != nil || hex.EncodeToString(again) != text {
		return fmt.Errorf("it is written again as %x: %w", again, err)
	}
	own, err := solana.Compile(tx.Version, tx.Keys[0], tx.Blockhash, tx.Config, instructions)
	if err != nil {
		return err
	}
	theirs, err := tx.Resolve()
	ours, also := own.Resolve()
	if err := errors.Join(err, also); err != nil {
		return err
	}
	if own.Header != tx.Header || !reflect.DeepEqual(ours, theirs) {
		return fmt.Errorf("Compile makes %+v of it, and not %+v", ours, theirs)
	}
	return nil
}

// signs: another wallet signs payments; this package reads them, finds the signature right, and tells what they do.
func signs(t *testing.T, d dice, ask asking) error {
	for i := range rounds() / 20 {
		if err := signedElsewhere(d, i, ask); err != nil {
			return err
		}
	}
	return nil
}

func signedElsewhere(d dice, round int, ask asking) error {
	secret := d.bytes(32)
	from := solana.Address(ed25519.NewKeyFromSeed(secret).Public().(ed25519.PublicKey))
	to := solana.Address(ed25519.NewKeyFromSeed(d.bytes(32)).Public().(ed25519.PublicKey))
	amount := strconv.FormatUint(1+d.Uint64()>>uint(1+d.IntN(60)), 10)
	q := map[string]any{
		"ask": "sign", "secret": hex.EncodeToString(secret), "version": round%2 - 1, "to": to.String(),
		"blockhash": d.address().String(), "amount": amount,
	}
	asset := "native"
	if round%4 > 1 {
		asset = usdc.String()
		q["mint"], q["decimals"] = asset, 6
		q["fromAccount"] = solana.AssociatedAddress(from, usdc, solana.TokenProgram).String()
		q["toAccount"] = solana.AssociatedAddress(to, usdc, solana.TokenProgram).String()
	}
	var signed struct{ Core string }
	if err := ask(q, &signed); err != nil {
		return err
	}
	raw, err := hex.DecodeString(signed.Core)
	if err != nil {
		return err
	}
	tx, err := solana.DecodeTransaction(raw)
	if err != nil {
		return err
	}
	if err := tx.Verify(); err != nil || len(tx.Missing()) > 0 {
		return fmt.Errorf("%s: %w, and %d slots are zeroed", signed.Core, err, len(tx.Missing()))
	}
	effects := solana.Reader{Network: network(), Signer: from, Rent: 1}.Effects(tx.Message)
	last := effects[len(effects)-1]
	if last.Kind != "transfer" || last.Asset != asset || last.To != to.String() || last.Amount != amount {
		return fmt.Errorf("%s pays %s of %s to %s, and not %+v", signed.Core, amount, asset, to, effects)
	}
	return nil
}

// derives: derived addresses and texts are those of the others.
func derives(t *testing.T, d dice, ask asking) error {
	for range rounds() / 5 {
		owner, mint, program, seed := d.address(), d.address(), d.address(), hex.EncodeToString(d.bytes(d.IntN(16)))
		var got struct {
			Account, Seeded, Text string
			OnCurve               [2]bool
		}
		if err := errors.Join(ask(map[string]any{
			"ask": "derive", "owner": owner.String(), "mint": mint.String(), "program": program.String(), "seed": seed,
		}, &got), ask(map[string]any{"ask": "text", "signer": owner.String(), "text": "é" + seed}, &got)); err != nil {
			return err
		}
		account := solana.AssociatedAddress(owner, mint, program)
		seeded, err := solana.CreateWithSeed(owner, seed, program)
		text, also := solana.OffchainText(owner, "é"+seed)
		if err := errors.Join(err, also); err != nil {
			return err
		}
		if got.Account != account.String() || got.Seeded != seeded.String() || got.Text != hex.EncodeToString(text) ||
			got.OnCurve != [2]bool{owner.OnCurve(), account.OnCurve()} {
			return fmt.Errorf("of %s, %s, %s and %q: %+v, here %s %s %x", owner, mint, program, seed, got, account,
				seeded, text)
		}
	}
	return nil
}
