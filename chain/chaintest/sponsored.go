package chaintest

import (
	"bytes"
	"math/big"
	"slices"

	"github.com/railkit/railkit/chain"
)

// sponsoring is a transfer whose fee a third account pays, changed.
func (b *bench) sponsoring(change func(*chain.SponsoredTransfer)) chain.SponsoredTransfer {
	b.Helper()
	_, sponsor := b.account(3)
	t := chain.SponsoredTransfer{
		From: b.from, To: b.payee, Token: b.token, Amount: big.NewInt(25_500_000), Sponsor: sponsor, Memo: "order-1",
	}
	if len(b.Blockhashes) > 0 {
		t.Blockhash = b.Blockhashes[0]
	}
	change(&t)
	return t
}

// A transfer that somebody else sponsors is that transfer and nothing else; the sponsor pays the fee, does nothing more
// than that, and signs beside its owner. A family whose transactions have one signer makes none.
func sponsored(b *bench) {
	t := b.sponsoring(func(*chain.SponsoredTransfer) {})
	tx, err := b.Family.Sponsored(b.Network, t)
	if len(b.Blockhashes) == 0 {
		if err == nil {
			b.Errorf("%+v is made by a family whose case says that it makes none", tx)
		}
		return
	}
	if err != nil {
		b.Fatal(err)
	}
	effects := b.does(tx.Call)
	if want := []chain.Effect{b.paid(b.token, b.payee, t.Amount)}; !slices.Equal(effects, want) {
		b.Errorf("it does %+v, want %+v", effects, want)
	}
	if !slices.Equal(tx.Signers, []string{t.Sponsor, t.From}) || tx.FeeOf(t.From).Sign() != 0 ||
		tx.FeeOf(t.Sponsor).Sign() <= 0 || !tx.FeeOnly || tx.Durable != "" || tx.Plain {
		b.Errorf("signed by %v, at the cost of %s for its owner and %s for its sponsor: %+v", tx.Signers,
			tx.FeeOf(t.From), tx.FeeOf(t.Sponsor), tx)
	}
	read, err := b.Family.DecodeUnsigned(tx.Unsigned)
	if err != nil || !bytes.Equal(read.Payload, tx.Payload) || !slices.Equal(read.Signers, tx.Signers) ||
		!read.FeeOnly {
		b.Errorf("made %+v, read %+v: %v", tx, read, err)
	}
	b.sponsorsApart()
	b.signedByBoth(tx, t)
}

// sponsorsApart wants everything that a transfer says in what its two keys sign.
func (b *bench) sponsorsApart() {
	b.Helper()
	_, other := b.account(8)
	seen := map[string]string{}
	for what, change := range map[string]func(*chain.SponsoredTransfer){
		"the transfer":      func(*chain.SponsoredTransfer) {},
		"another payer":     func(t *chain.SponsoredTransfer) { t.From = other },
		"another payee":     func(t *chain.SponsoredTransfer) { t.To = other },
		"another amount":    func(t *chain.SponsoredTransfer) { t.Amount = big.NewInt(25_500_001) },
		"another sponsor":   func(t *chain.SponsoredTransfer) { t.Sponsor = other },
		"another memo":      func(t *chain.SponsoredTransfer) { t.Memo = "order-2" },
		"another blockhash": func(t *chain.SponsoredTransfer) { t.Blockhash = b.Blockhashes[1] },
	} {
		tx, err := b.Family.Sponsored(b.Network, b.sponsoring(change))
		if err != nil {
			b.Errorf("%s: %v", what, err)
			continue
		}
		if twin, twice := seen[string(tx.Payload)]; twice {
			b.Errorf("%s and %s are signed by the same signature", what, twin)
		}
		seen[string(tx.Payload)] = what
	}
}

// signedByBoth attaches the owner's signature, which alone names no transaction, and then the sponsor's.
func (b *bench) signedByBoth(tx chain.Tx, t chain.SponsoredTransfer) {
	b.Helper()
	half, err := b.Family.Attach(tx, t.From, b.key.sign(tx.Payload))
	if err != nil {
		b.Fatal(err)
	}
	if id := b.Family.ID(half); id != "" {
		b.Errorf("without its sponsor it is %s", id)
	}
	if again, signature, err := b.Family.DecodeSigned(half, t.From); err != nil ||
		!bytes.Equal(again.Payload, tx.Payload) || !bytes.Equal(signature, b.key.sign(tx.Payload)) {
		b.Errorf("signed by its owner it is %+v: %v", again, err)
	}
	tx.Unsigned = half
	sponsor, _ := b.account(3)
	whole, err := b.Family.Attach(tx, t.Sponsor, sponsor.sign(tx.Payload))
	if err != nil || b.Family.ID(whole) == "" {
		b.Errorf("signed by both it has no name: %v", err)
	}
}

// What is no transfer, or would have somebody else pay than it says, is not made.
func notSponsored(b *bench) {
	huge := new(big.Int).Lsh(big.NewInt(1), 256)
	all := map[string]func(*chain.SponsoredTransfer){
		"its owner as its sponsor": func(t *chain.SponsoredTransfer) { t.Sponsor = t.From },
		"its owner as its payee":   func(t *chain.SponsoredTransfer) { t.To = t.From },
		"no sponsor":               func(t *chain.SponsoredTransfer) { t.Sponsor = "" },
		"no payer":                 func(t *chain.SponsoredTransfer) { t.From = b.typo() },
		"no payee":                 func(t *chain.SponsoredTransfer) { t.To = b.typo() },
		"no blockhash":             func(t *chain.SponsoredTransfer) { t.Blockhash = "" },
		"the coin":                 func(t *chain.SponsoredTransfer) { t.Token = b.Network.Native },
		"a token of nobody's list": func(t *chain.SponsoredTransfer) { _, t.Token.Address = b.account(9) },
		"the token as its payee":   func(t *chain.SponsoredTransfer) { t.To = b.token.Address },
		"the token as its sponsor": func(t *chain.SponsoredTransfer) { t.Sponsor = b.token.Address },
		"no amount":                func(t *chain.SponsoredTransfer) { t.Amount = nil },
		"nothing":                  func(t *chain.SponsoredTransfer) { t.Amount = new(big.Int) },
		"a negative amount":        func(t *chain.SponsoredTransfer) { t.Amount = big.NewInt(-1) },
		"a huge amount":            func(t *chain.SponsoredTransfer) { t.Amount = huge },
	}
	for _, nobody := range b.Nobody {
		all["to "+nobody] = func(t *chain.SponsoredTransfer) { t.To = nobody }
		all["sponsored by "+nobody] = func(t *chain.SponsoredTransfer) { t.Sponsor = nobody }
	}
	for what, change := range all {
		if tx, err := b.Family.Sponsored(b.Network, b.sponsoring(change)); err == nil {
			b.Errorf("%s: %+v", what, tx)
		}
	}
}
