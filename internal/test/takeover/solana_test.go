package takeover

import (
	"crypto/sha256"
	"encoding/binary"
	"math/big"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/enclave/wire"
)

// solPerson is a person with accounts on Solana, the robber's and the shop's beside.
type solPerson struct {
	*person
	own, second solana.Address
}

func named(text string) solana.Address { return sha256.Sum256([]byte(text)) }

var (
	solShop, solRobber = named("shop"), named("robber")
	solUSDC            = mustAddress("4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU")
)

func mustAddress(text string) solana.Address {
	a, err := solana.ParseAddress(text)
	if err != nil {
		panic(err)
	}
	return a
}

func (h *host) onSolana() *solPerson {
	p := &solPerson{person: h.newcomer()}
	for i, to := range []*solana.Address{&p.own, &p.second} {
		form := solana.Family{}.Form()
		_, r := p.must(wire.CreateWalletAccounts, wire.CreateWalletAccountsParams{
			WalletID: p.wallet, Accounts: []wire.AccountParams{{
				Curve: form.Curve, PathFormat: form.PathFormat, Path: form.PathOf(i), AddressFormat: form.AddressFormat,
			}},
		})
		*to = mustAddress(r.Accounts[0].Address)
		h.ledger.solPurse(key(*to), purse{p.org, p.wallet})
	}
	return p
}

// shopOnly lets the wallet pay the shop and nobody else.
func (p *solPerson) shopOnly() *solPerson {
	p.must(wire.CreatePolicy, wire.CreatePolicyParams{
		WalletID: p.wallet, Rules: wire.Rules{AllowedDestinations: []string{solShop.String()}},
	})
	return p
}

// solPayment is a payment of 1 USDC to the shop, for no more than 10,000 lamports, and for no account of the shop's.
func (p *solPerson) solPayment() wire.SignIntentParams {
	p.h.t.Helper()
	usdc := chain.Token{Symbol: "USDC", Address: solUSDC.String(), Decimals: 6}
	call, err := solana.Family{}.Transfer(usdc, solShop.String(), big.NewInt(1_000_000))
	if err != nil {
		p.h.t.Fatal(err)
	}
	return wire.SignIntentParams{
		SignWith: p.own.String(), Chain: "solana", ChainID: "devnet", To: solShop.String(), Value: "0",
		Data: chain.Hex(call.Data), GasLimit: "60000", MaxTotalFee: "10000",
	}
}

func (p *solPerson) solPays() string { return p.body(wire.SignIntent, p.solPayment()) }

// around is what a host adds to it, changed.
func around(change func(*wire.Volatile)) wire.Volatile {
	v := wire.Volatile{
		Blockhash: named("block").String(), Version: "v1", Units: "50000", LoadedBytes: "200000", Priority: "1000",
		LastHeight: "500",
	}
	change(&v)
	return v
}

func asTold(*wire.Volatile) {}

// byDollars is an attack on somebody who means to pay a dollar, and stamps what the page shows as long as fee and rent
// are told in dollars and are cents: he reads no lamports. He agrees to no more than that.
func byDollars(change func(*wire.SignIntentParams)) func(*host) {
	return func(h *host) {
		p := h.onSolana()
		x := p.solPayment()
		change(&x)
		body := p.body(wire.SignIntent, x)
		shown := h.shown(body)
		for _, part := range []struct{ amount, dollars string }{
			{shown.MaxTotalFee, shown.FeeUSD}, {shown.MaxRent, shown.RentUSD},
		} {
			usd, ok := new(big.Rat).SetString(part.dollars)
			if part.amount != "" && (!ok || usd.Cmp(big.NewRat(1, 1)) > 0) {
				return
			}
		}
		p.hands(body, p.stamp(p.key, body), around(asTold))
	}
}

func (p *solPerson) hands(body string, stamp *wire.Stamp, v wire.Volatile) {
	_, _, _ = p.h.outcome(wire.MSubmit, wire.SubmitRequest{Body: body, Stamp: stamp, Volatile: &v})
}

// bytes write what instructions make, with an empty slot for whoever pays.
func (p *solPerson) bytes(tables []solana.Lookup, all ...solana.Instruction) []byte {
	p.h.t.Helper()
	m, err := solana.Compile(solana.V0, p.own, named("block"), solana.Config{}, all)
	if err != nil {
		p.h.t.Fatal(err)
	}
	m.Lookups = tables
	raw, err := solana.Unsigned(m).Encode()
	if err != nil {
		p.h.t.Fatal(err)
	}
	return raw
}

// exact is a body for exact bytes.
func (p *solPerson) exact(raw []byte) string {
	return p.body(wire.SignTransaction, wire.SignTransactionParams{
		SignWith: p.own.String(), Type: "TRANSACTION_TYPE_SOLANA", UnsignedTransaction: chain.Hex(raw),
	})
}

// exactly asks for exact bytes that the owner is to stamp unread.
func (p *solPerson) exactly(raw []byte) {
	p.h.t.Helper()
	body := p.exact(raw)
	p.hands(body, p.agree(body), around(asTold))
}

func (p *solPerson) coin(lamports uint64) solana.Instruction {
	return solana.TransferCoin(p.own, solShop, lamports)
}

// ofToken is an instruction of the Token program over the own account.
func (p *solPerson) ofToken(data []byte, to ...solana.Address) solana.Instruction {
	i := solana.Instruction{Program: solana.TokenProgram, Data: data, Accounts: []solana.Account{
		{Address: solana.AssociatedAddress(p.own, solUSDC, solana.TokenProgram), Written: true},
	}}
	for n, a := range to {
		i.Accounts = append(i.Accounts, solana.Account{Address: a, Written: n == len(to)-1})
	}
	i.Accounts = append(i.Accounts, solana.Account{Address: p.own, Signs: true}, solana.Account{Address: solShop})
	return i
}

func amountOf(kind byte, amount uint64) []byte {
	return append(binary.LittleEndian.AppendUint64([]byte{kind}, amount), 6)
}

// ofProgram is an instruction of any program that writes to the robber's account and to the own one, which signs.
func (p *solPerson) ofProgram(program string, data ...byte) solana.Instruction {
	return solana.Instruction{Program: mustAddress(program), Data: data, Accounts: []solana.Account{
		{Address: solRobber, Written: true}, {Address: p.own, Signs: true, Written: true},
	}}
}

// account asks for an account at a path.
func (p *solPerson) account(path string) []wire.Account {
	form := solana.Family{}.Form()
	body := p.body(wire.CreateWalletAccounts, wire.CreateWalletAccountsParams{
		WalletID: p.wallet, Accounts: []wire.AccountParams{{
			Curve: form.Curve, PathFormat: form.PathFormat, Path: path, AddressFormat: form.AddressFormat,
		}},
	})
	_, r, _ := p.h.submit(body, p.agree(body))
	return r.Accounts
}

// lends lets anybody have up to 5 USD at once sent to the shop.
func (p *solPerson) lends() (policyID string) {
	p.h.t.Helper()
	_, made := p.must(wire.CreatePolicy, wire.CreatePolicyParams{
		WalletID: p.wallet, Rules: wire.Rules{Delegation: &wire.Delegation{
			AnyRequest: true, ExpiresAtMs: millis(time.Now().Add(time.Hour)), MaxValueUSD: "5", DailyUSD: "10",
			AllowedDestinations: []string{solShop.String()},
		}},
	})
	return made.Policy.ID
}
