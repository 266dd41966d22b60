package solana_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
)

// keyOf is the key whose seed is 32 times one byte.
func keyOf(b byte) (ed25519.PrivateKey, solana.Address) {
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{b}, ed25519.SeedSize))
	return key, solana.Address(key.Public().(ed25519.PublicKey))
}

func golden(t testing.TB) solana.Sponsored {
	t.Helper()
	_, buyer := keyOf(1)
	_, sponsor := keyOf(2)
	_, seller := keyOf(3)
	return solana.Sponsored{
		Sponsor: sponsor, Source: buyer, Destination: seller, Amount: 10_000, Decimals: 6, Memo: "order-1",
		Mint:      parse("4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"),
		Blockhash: parse("4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM"),
	}
}

// @x402/svm 2.27.0 has made the very bytes of these terms.
func TestSponsored_Golden(t *testing.T) {
	t.Parallel()
	m, err := golden(t).Message()
	if err != nil {
		t.Fatal(err)
	}
	payload, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	key, buyer := keyOf(1)
	tx, err := solana.Unsigned(m).Attach(buyer, solana.Signature(ed25519.Sign(key, payload)))
	if err != nil {
		t.Fatal(err)
	}
	text := base64.StdEncoding.EncodeToString(mustEncode(t, tx))
	const want = "c6dd3a74fbc80f72398a16719a9ed2e1defe4ced229f79989b439073919ac421"
	if sum := sha256.Sum256([]byte(text)); len(text) != 628 || hex.EncodeToString(sum[:]) != want {
		t.Errorf("%d characters with the hash %x: %s", len(text), sum, text)
	}
}

// What is no payment, or would cost somebody else than it says, is not written.
func TestSponsored_Refuses(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*solana.Sponsored){
		"the payer pays the fee":  func(s *solana.Sponsored) { s.Sponsor = s.Source },
		"the mint pays the fee":   func(s *solana.Sponsored) { s.Sponsor = s.Mint },
		"a program pays the fee":  func(s *solana.Sponsored) { s.Sponsor = solana.MemoProgram },
		"nobody pays the fee":     func(s *solana.Sponsored) { s.Sponsor = solana.Address{} },
		"to himself":              func(s *solana.Sponsored) { s.Destination = s.Source },
		"to a program":            func(s *solana.Sponsored) { s.Destination = solana.TokenProgram },
		"to the mint":             func(s *solana.Sponsored) { s.Destination = s.Mint },
		"no mint":                 func(s *solana.Sponsored) { s.Mint = solana.Address{} },
		"nothing":                 func(s *solana.Sponsored) { s.Amount = 0 },
		"no memo":                 func(s *solana.Sponsored) { s.Memo = "" },
		"a memo that is too long": func(s *solana.Sponsored) { s.Memo = strings.Repeat("m", solana.MaxMemo+1) },
		"a memo that is no text":  func(s *solana.Sponsored) { s.Memo = "\xff" },
		"no blockhash":            func(s *solana.Sponsored) { s.Blockhash = [32]byte{} },
		"the payer's token account pays the fee": func(s *solana.Sponsored) {
			s.Sponsor = solana.AssociatedAddress(s.Source, s.Mint, solana.TokenProgram)
		},
		"the payee's token account pays the fee": func(s *solana.Sponsored) {
			s.Sponsor = solana.AssociatedAddress(s.Destination, s.Mint, solana.TokenProgram)
		},
		"to the payer's own token account": func(s *solana.Sponsored) {
			s.Destination = solana.AssociatedAddress(s.Source, s.Mint, solana.TokenProgram)
		},
	} {
		s := golden(t)
		change(&s)
		if _, err := s.Message(); err == nil {
			t.Errorf("%s: a message was written", name)
		}
	}
}

// The family's transaction has two signers, costs who pays nothing, and does what it says: that is read from the bytes,
// with the owner who is named.
func TestFamily_Sponsored(t *testing.T) {
	t.Parallel()
	p := golden(t)
	usdc := chain.Token{Symbol: "USDC", Address: p.Mint.String(), Decimals: 6}
	n := chain.Network{Kind: chain.Solana, Tokens: []chain.Token{usdc}}
	wanted := chain.SponsoredTransfer{
		From: p.Source.String(), To: p.Destination.String(), Token: usdc, Amount: big.NewInt(10_000),
		Sponsor: p.Sponsor.String(), Memo: p.Memo, Blockhash: solana.Address(p.Blockhash).String(),
	}
	tx, err := solana.Family{}.Sponsored(n, wanted)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(tx.Signers, []string{wanted.Sponsor, wanted.From}) || tx.FeeOf(wanted.From).Sign() != 0 ||
		tx.FeeOf(wanted.Sponsor).Int64() != 10_001 || tx.Recent.Blockhash != wanted.Blockhash || tx.Durable != "" {
		t.Errorf("%+v", tx)
	}
	effects := solana.Family{}.Effects(n, wanted.From, tx.Call)
	if len(effects) != 1 || effects[0].Kind != chain.Transfer || effects[0].To != wanted.To ||
		effects[0].Display != "0.01 USDC" {
		t.Errorf("%+v", effects)
	}
	for name, to := range map[string]string{"without its payee": "", "of somebody else": wanted.Sponsor} {
		call := tx.Call
		call.To = to
		if got := (solana.Family{}).Effects(n, wanted.From, call); len(got) != 1 || got[0].Kind != chain.UnknownCall {
			t.Errorf("%s: %+v", name, got)
		}
	}
	for name, change := range map[string]func(*chain.SponsoredTransfer){
		"an unlisted token": func(w *chain.SponsoredTransfer) { w.Token.Address = wanted.To },
		"a payee: a mint":   func(w *chain.SponsoredTransfer) { w.To = usdc.Address },
		"too much":          func(w *chain.SponsoredTransfer) { w.Amount = new(big.Int).Lsh(big.NewInt(1), 64) },
		"no amount":         func(w *chain.SponsoredTransfer) { w.Amount = nil },
		"no blockhash":      func(w *chain.SponsoredTransfer) { w.Blockhash = "" },
		"no address":        func(w *chain.SponsoredTransfer) { w.Sponsor = "0x" },
	} {
		w := wanted
		change(&w)
		if _, err := (solana.Family{}).Sponsored(n, w); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Who pays the fee does nothing else, in whatever way the message would have it: each of these has the key do more.
func TestFeeOnly(t *testing.T) {
	t.Parallel()
	pays := func(all ...solana.Instruction) solana.Message {
		m, err := solana.Compile(solana.V0, alice, [32]byte{9}, solana.Config{}, all)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	foreign := func(accounts ...account) solana.Instruction { return instruction(stranger, []byte{7}, accounts...) }
	lookup := pays(foreign(account{bob, "s"}))
	lookup.Lookups = []solana.Lookup{{Table: carol, Read: []uint8{0}}}
	sponsored, err := golden(t).Message()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		m    solana.Message
		want bool
	}{
		"the scheme's own":         {sponsored, true},
		"a program of a stranger":  {pays(foreign(account{bob, "b"}, account{carol, "w"})), true},
		"nobody else signs":        {pays(solana.Memo("hello")), true},
		"it is a source":           {pays(solana.TransferCoin(alice, bob, 1)), false},
		"it is a payee":            {pays(solana.TransferCoin(bob, alice, 1)), false},
		"it pays for an account":   {pays(solana.CreateAssociated(alice, bob, usdc)), false},
		"it is an owner":           {pays(solana.CreateAssociated(bob, alice, usdc)), false},
		"it is only read":          {pays(foreign(account{bob, "s"}, account{alice, "r"})), false},
		"it is an authority":       {pays(solana.TransferToken(alice, bob, usdc, 1, 6)), false},
		"it signs a memo":          {pays(solana.Memo("hello", alice)), false},
		"three sign":               {pays(foreign(account{bob, "s"}, account{carol, "s"})), false},
		"a lookup table":           {lookup, false},
		"a nonce is advanced":      {pays(advances(bob), foreign(account{bob, "s"})), false},
		"a nonce is advanced last": {pays(foreign(account{bob, "s"}), advances(bob)), false},
	} {
		if c.m.FeeOnly() != c.want {
			t.Errorf("%s: %t", name, !c.want)
		}
	}
}

func advances(authority solana.Address) solana.Instruction {
	return instruction(solana.SystemProgram, []byte{solana.SystemAdvanceNonce, 0, 0, 0}, account{carol, "w"},
		account{stranger, "r"}, account{authority, "s"})
}

// A signature that a program checks costs as much as one of the transaction.
func TestMaxFee_CheckedSignatures(t *testing.T) {
	t.Parallel()
	for _, program := range []string{
		"Ed25519SigVerify111111111111111111111111111", "KeccakSecp256k11111111111111111111111111111",
		"Secp256r1SigVerify1111111111111111111111111",
	} {
		m, err := solana.Compile(solana.V0, alice, [32]byte{9}, solana.Config{}, []solana.Instruction{
			instruction(parse(program), []byte{3, 0}), instruction(parse(program), nil), solana.Memo("x", bob),
		})
		if err != nil {
			t.Fatal(err)
		}
		if fee, err := m.MaxFee(); err != nil || fee.Int64() != 5*solana.FeePerSignature {
			t.Errorf("%s: %s, %v", program, fee, err)
		}
	}
}
