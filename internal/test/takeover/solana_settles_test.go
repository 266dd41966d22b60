package takeover

import (
	"time"

	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/enclave/wire"
)

// settles lets anybody have the wallet's accounts pay fees for others, up to a quarter of a dollar at once.
func (p *solPerson) settles(change func(*wire.Delegation)) {
	p.h.t.Helper()
	d := wire.Delegation{
		AnyRequest: true, SettlementsOnly: true, ExpiresAtMs: millis(time.Now().Add(time.Hour)), MaxValueUSD: "0.25",
		DailyUSD: "100",
	}
	change(&d)
	p.must(wire.CreatePolicy, wire.CreatePolicyParams{WalletID: p.wallet, Rules: wire.Rules{Delegation: &d}})
}

func asLent(*wire.Delegation) {}

// sponsors is an attack with exact bytes that nobody stamps, of which the account pays the fee.
func sponsors(tables []solana.Lookup, all func(p *solPerson) []solana.Instruction) func(*host) {
	return func(h *host) {
		p := h.onSolana()
		p.settles(asLent)
		p.unasked(p.bytes(tables, all(p)...))
	}
}

// unasked hands in exact bytes that nobody stamped.
func (p *solPerson) unasked(raw []byte) { p.hands(p.exact(raw), nil, around(asTold)) }

// strange is the call of a program that nobody knows, which the robber signs.
func strange(accounts ...solana.Account) solana.Instruction {
	accounts = append(accounts, solana.Account{Address: solRobber, Signs: true, Written: true})
	return solana.Instruction{Program: solana.Address(named("a program")), Accounts: accounts, Data: []byte{1}}
}

func list(all ...solana.Instruction) []solana.Instruction { return all }

// solanaSettles are those on an account that pays fees for others under a delegation: to have it give more.
var solanaSettles = []attack{
	{"L20", "its coins with the fee", "settleNamed", sponsors(nil, func(p *solPerson) []solana.Instruction {
		return list(solana.TransferCoin(p.own, solRobber, 5_000_000_000))
	})},
	{"L20", "its tokens with the fee", "settleNamed", sponsors(nil, func(p *solPerson) []solana.Instruction {
		return list(solana.TransferToken(p.own, solRobber, solUSDC, 5_000_000, 6))
	})},
	{"L20", "a token account at its cost", "settleNamed", sponsors(nil, func(p *solPerson) []solana.Instruction {
		return list(solana.CreateAssociated(p.own, solRobber, solUSDC))
	})},
	{"L20", "its account for a program of the robber", "settleNamed",
		sponsors(nil, func(p *solPerson) []solana.Instruction {
			return list(strange(solana.Account{Address: p.own, Written: true}))
		})},
	{"L20", "accounts that are in a table on the chain", "settleTables",
		sponsors([]solana.Lookup{{Table: solRobber, Written: []uint8{1}}},
			func(*solPerson) []solana.Instruction { return list(strange()) })},
	{"L20", "the fee of three signatures", "settleThree", sponsors(nil, func(*solPerson) []solana.Instruction {
		return list(strange(solana.Account{Address: solShop, Signs: true}))
	})},
	{"L20", "a fee above the stamp", "delegationValue", sponsors(nil, func(*solPerson) []solana.Instruction {
		return list(solana.SetUnits(solana.MaxUnits), solana.SetPrice(5_000_000), strange())
	})},
	{"L20", "the fees of many signatures that a program checks", "settleChecked",
		sponsors(nil, func(*solPerson) []solana.Instruction {
			checks := solana.Instruction{
				Program: mustAddress("Ed25519SigVerify111111111111111111111111111"), Data: []byte{255},
			}
			return list(checks, checks, strange())
		})},
	{"L20", "more fees than a day's", "delegationDaily", func(h *host) {
		p := h.onSolana()
		p.settles(func(d *wire.Delegation) { d.DailyUSD = "0.003" })
		for _, text := range []string{"one", "two", "three", "four"} {
			p.unasked(p.bytes(nil, strange(), solana.Memo(text)))
		}
	}},
	{"L20", "a fee at any later time", "settleNonce", sponsors(nil, func(*solPerson) []solana.Instruction {
		i := solana.Instruction{Program: solana.SystemProgram, Accounts: []solana.Account{
			{Address: named("nonce"), Written: true}, {Address: named("hashes")}, {Address: solRobber, Signs: true},
		}, Data: system(solana.SystemAdvanceNonce)}
		return list(i, strange())
	})},
	{"L20", "the fee of another account of the wallet", "settleOwn",
		sponsors(nil, func(p *solPerson) []solana.Instruction {
			return list(solana.TransferCoin(p.second, solRobber, 1))
		})},
	{"L20", "its coins while the robber pays the fee", "settlePayer", func(h *host) {
		p := h.onSolana()
		p.settles(asLent)
		m, err := solana.Compile(solana.V0, solRobber, named("block"), solana.Config{},
			list(solana.TransferCoin(p.own, named("accomplice"), 5_000_000_000)))
		if err != nil {
			h.t.Fatal(err)
		}
		raw, err := solana.Unsigned(m).Encode()
		if err != nil {
			h.t.Fatal(err)
		}
		p.unasked(raw)
	}},
	{"L20", "fees under a delegation for something else", "settleAny", func(h *host) {
		p := h.onSolana()
		p.lends()
		p.unasked(p.bytes(nil, strange()))
	}},
}
