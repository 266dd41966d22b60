package watch_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/ledger"
	"github.com/railkit/railkit/chain/solana/localnet"
)

func solanaKey(i int) ed25519.PrivateKey { return ed25519.NewKeyFromSeed(fmt.Appendf(nil, "%032d", i)) }

func solanaOf(k ed25519.PrivateKey) solana.Address {
	return solana.Address(k.Public().(ed25519.PublicKey))
}

// The payer has USDC and SOL; the owner of the withdrawal address signs where a partner would.
var (
	payerKey, ownerKey, spareKey = solanaKey(1), solanaKey(2), solanaKey(3)

	payer, receiver, spare = solanaOf(payerKey), solanaOf(ownerKey), solanaOf(spareKey)

	mintUSDC, _  = solana.ParseAddress(solanaUSDC)
	atReceiver   = solana.AssociatedAddress(receiver, mintUSDC, solana.TokenProgram)
	atPayer      = solana.AssociatedAddress(payer, mintUSDC, solana.TokenProgram)
	rentPerToken = uint64(10_000_000) // more than an account has to have
)

// sends has the chain take a transaction, which the payer pays for, and gives its id.
func (b *solanaBench) sends(t *testing.T, preflight bool, all ...solana.Instruction) string {
	t.Helper()
	var latest struct{ Value struct{ Blockhash string } }
	b.control(t, &latest, "getLatestBlockhash")
	hash, err := solana.ParseAddress(latest.Value.Blockhash)
	if err != nil {
		t.Fatal(err)
	}
	m, err := solana.Compile(solana.V0, payer, hash, solana.Config{}, all)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	tx := solana.Unsigned(m)
	for _, k := range []ed25519.PrivateKey{payerKey, ownerKey, spareKey} {
		if slices.Contains(m.Signers(), solanaOf(k)) {
			if tx, err = tx.Attach(solanaOf(k), solana.Signature(ed25519.Sign(k, raw))); err != nil {
				t.Fatal(err)
			}
		}
	}
	if raw, err = tx.Encode(); err != nil {
		t.Fatal(err)
	}
	b.control(t, nil, "sendTransaction", base64.StdEncoding.EncodeToString(raw), map[string]any{
		"encoding": "base64", "skipPreflight": !preflight,
	})
	return tx.ID()
}

func paying(amount uint64) solana.Instruction {
	return solana.TransferToken(payer, receiver, mintUSDC, amount, 6)
}

func opens() solana.Instruction { return solana.CreateAssociated(payer, receiver, mintUSDC) }

// sendsBack moves tokens of the receiver's to the payer.
func sendsBack(amount uint64) solana.Instruction {
	return solana.TransferToken(receiver, payer, mintUSDC, amount, 6)
}

// closes the receiver's account, which is empty.
func closes() solana.Instruction {
	return solana.Instruction{Program: solana.TokenProgram, Accounts: []solana.Account{
		{Address: atReceiver, Written: true}, {Address: payer, Written: true}, {Address: receiver, Signs: true},
	}, Data: []byte{solana.TokenCloseAccount}}
}

// makes an account for a program at the key of spare.
func makes(size uint64) solana.Instruction {
	data := binary.LittleEndian.AppendUint32(nil, 0)
	data = binary.LittleEndian.AppendUint64(data, rentPerToken)
	data = binary.LittleEndian.AppendUint64(data, size)
	return solana.Instruction{Program: solana.SystemProgram, Accounts: []solana.Account{
		{Address: payer, Signs: true, Written: true}, {Address: spare, Signs: true, Written: true},
	}, Data: append(data, solana.TokenProgram[:]...)}
}

// asMint makes a mint of what lies at spare, whose tokens the payer makes.
func asMint() solana.Instruction {
	data := append([]byte{solana.TokenInitializeMint2, 6}, payer[:]...)
	return solana.Instruction{
		Program: solana.TokenProgram, Accounts: []solana.Account{{Address: spare, Written: true}},
		Data: append(data, 0),
	}
}

// asAccount makes another account of the receiver's of what lies at spare.
func asAccount() solana.Instruction {
	return solana.Instruction{Program: solana.TokenProgram, Accounts: []solana.Account{
		{Address: spare, Written: true}, {Address: mintUSDC},
	}, Data: append([]byte{solana.TokenInitializeAccount3}, receiver[:]...)}
}

// toAccount moves tokens of the payer's to a token account by its address.
func toAccount(to, mint solana.Address, amount uint64) solana.Instruction {
	from := solana.AssociatedAddress(payer, mint, solana.TokenProgram)
	return solana.Instruction{Program: solana.TokenProgram, Accounts: []solana.Account{
		{Address: from, Written: true}, {Address: mint}, {Address: to, Written: true}, {Address: payer, Signs: true},
	}, Data: append(binary.LittleEndian.AppendUint64([]byte{solana.TokenTransferChecked}, amount), 6)}
}

// mints makes tokens of the mint at spare for an owner.
func mints(owner solana.Address, amount uint64) []solana.Instruction {
	return []solana.Instruction{
		solana.CreateAssociated(payer, owner, spare),
		{Program: solana.TokenProgram, Accounts: []solana.Account{
			{Address: spare, Written: true},
			{Address: solana.AssociatedAddress(owner, spare, solana.TokenProgram), Written: true},
			{Address: payer, Signs: true},
		}, Data: append(binary.LittleEndian.AppendUint64([]byte{solana.TokenMintToChecked}, amount), 6)},
	}
}

// A deposit is one for each transaction and associated account, and as much as the account has more after it, by
// whatever way that came about.
func TestWatch_SolanaDeposits(t *testing.T) {
	t.Parallel()
	const three = 3_000_000
	reference := paying(three)
	reference.Accounts = append(reference.Accounts, solana.Account{Address: solana.Address{7, 7}})
	forwarded := func(amount uint64) solana.Instruction {
		return ledger.Forward(localnet.Forwarder, paying(amount))
	}
	type all = []solana.Instruction
	for name, c := range map[string]struct {
		before, all all
		want        string // units and symbol; "": none
		fails       bool
	}{
		"plain":                {all: all{opens(), paying(three)}, want: "3 USDC"},
		"of Solana Pay":        {all: all{opens(), reference}, want: "3 USDC"},
		"by another program":   {all: all{opens(), forwarded(three)}, want: "3 USDC"},
		"several transfers":    {all: all{opens(), paying(1_000_000), paying(2_000_000)}, want: "3 USDC"},
		"of two programs":      {all: all{opens(), paying(1_000_000), forwarded(2_000_000)}, want: "3 USDC"},
		"out and in":           {all: all{opens(), paying(three), sendsBack(three)}},
		"out and in less":      {all: all{opens(), paying(three), sendsBack(1_000_000)}, want: "2 USDC"},
		"one that fails":       {all: all{opens(), paying(three), paying(900_000_000)}, fails: true},
		"closed in it":         {all: all{opens(), paying(three), sendsBack(three), closes()}},
		"another account":      {all: all{makes(165), asAccount(), toAccount(spare, mintUSDC, three)}},
		"a mint that is alike": {before: all{makes(82), asMint()}, all: mints(receiver, three)},
		"itself": {
			before: all{opens(), paying(three)}, all: all{solana.TransferToken(receiver, receiver, mintUSDC, 1_000, 6)},
		},
		"to the payer himself": {all: all{toAccount(atPayer, mintUSDC, three)}},
		"closed and made again in it": {
			before: all{opens(), paying(5_000_000)},
			all:    all{sendsBack(5_000_000), closes(), opens(), paying(7_000_000)},
			want:   "2 USDC",
		},
		"closed and made again in it, with less": {
			before: all{opens(), paying(5_000_000)},
			all:    all{sendsBack(5_000_000), closes(), opens(), paying(4_000_000)},
		},
		"SOL": {all: all{solana.TransferCoin(payer, receiver, 20_000_000)}, want: "0.02 SOL"},
		"SOL and USDC": {
			all:  all{solana.TransferCoin(payer, receiver, 20_000_000), opens(), paying(three)},
			want: "0.02 SOL, 3 USDC",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newSolana(t)
			b.control(t, nil, "dev_faucet", payer.String(), "native", "5")
			b.control(t, nil, "dev_faucet", payer.String(), "USDC", "100")
			if len(c.before) > 0 {
				b.sends(t, true, c.before...)
			}
			b.control(t, nil, "dev_mine", 200) // what was before is below where the watcher begins
			if err := b.catchUp(); err != nil {
				t.Fatal(err)
			}
			b.address(t, receiver.String(), "withdraw-signed")
			id := b.sends(t, !c.fails, c.all...)
			if failed := b.failed(t, id); failed != c.fails {
				t.Fatalf("it failed: %v", failed)
			}
			for range 3 {
				if err := b.catchUp(); err != nil {
					t.Fatal(err)
				}
			}
			b.restart(t, 1) // and again from the beginning: nothing comes twice
			if err := b.catchUp(); err != nil {
				t.Fatal(err)
			}
			if got := b.came(t, id); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// An account that is closed and made again later takes deposits as before.
func TestWatch_SolanaAccountMadeAgain(t *testing.T) {
	t.Parallel()
	b := newSolana(t)
	b.control(t, nil, "dev_faucet", payer.String(), "native", "5")
	b.control(t, nil, "dev_faucet", payer.String(), "USDC", "100")
	b.address(t, receiver.String(), "withdraw-signed")
	first := b.sends(t, true, opens(), paying(1_000_000))
	b.sends(t, true, sendsBack(1_000_000), closes())
	second := b.sends(t, true, opens(), paying(1_000_000))
	if err := b.catchUp(); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{first, second} {
		if got := b.came(t, id); got != "1 USDC" {
			t.Errorf("%s: %q", id, got)
		}
	}
}

// failed tells whether a transaction is in a block, and did nothing.
func (b *solanaBench) failed(t *testing.T, id string) bool {
	t.Helper()
	var told struct{ Value []*struct{ Err any } }
	b.control(t, &told, "getSignatureStatuses", []string{id})
	if len(told.Value) != 1 || told.Value[0] == nil {
		t.Fatalf("%s is in no block", id)
	}
	return told.Value[0].Err != nil
}

// came are the final transfers of a transaction to the withdrawal address, and none of any other state.
func (b *solanaBench) came(t *testing.T, id string) string {
	t.Helper()
	all, err := b.read.TransfersOfTx(t.Context(), ours, "solana", id)
	if err != nil {
		t.Fatal(err)
	}
	var some []string
	for _, x := range all {
		if x.State != "final" || x.From != payer.String() || x.To != receiver.String() ||
			x.OwnerID != "withdraw-signed" {
			t.Errorf("%+v", x)
		}
		some = append(some, x.Units()+" "+x.Symbol)
	}
	slices.Sort(some)
	return strings.Join(some, ", ")
}
